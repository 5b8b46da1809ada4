// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * End-to-end credits: how many receives a responder has, and what a requester makes of
 * that (rules 2.3, 2.8, 2.10, 3.5.4, 4.14).
 */
#include <kunit/test.h>

#include "transport_receiver.h"
#include "transport_sender.h"

#define EXPECT_VERDICT(test, s, what) \
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)(what))

static struct sender *rc(struct kunit *test, u32 psn)
{
	return sender_new(test, SRNIC_SERVICE_RC, 256, psn);
}

static void post_sends(struct sender *s, u32 n)
{
	while (n--)
		sender_post_kind(s, SRNIC_MSG_SEND, 8);
}

/* An AETH of a peer that has completed @msn messages. */
static void hear(struct sender *s, u8 op, u32 psn, u8 code, u32 msn)
{
	struct srnic_pkt pkt = {
		.opcode = op,
		.info = srnic_opcode_info(op),
		.psn = psn,
		.syndrome = code,
		.msn = msn,
		.payload_bytes = op == SRNIC_OP_READ_RESP_ONLY ? 8 : 0,
	};
	struct srnic_cmp_step step;

	srnic_cmp_response(&s->req, s->msgs, &pkt, &step);
	srnic_cmp_commit(&s->req, &step);
	sender_check(s);
}

static void hear_ack(struct sender *s, u32 psn, u8 code, u32 msn)
{
	hear(s, SRNIC_OP_ACK, psn, code, msn);
}

/* One SEND has been acknowledged with so many credits; more are posted. */
static struct sender *limited(struct kunit *test, u8 code, u32 more)
{
	struct sender *s = rc(test, 0);

	post_sends(s, 1);
	sender_send(s);
	hear_ack(s, 0, code, 1);
	post_sends(s, more);
	return s;
}

/* ---- requester ---- */

static void nothing_waits_before_credits_are_told(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	post_sends(s, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 8U);
	hear_ack(s, 3, 0x1f, 4);
	post_sends(s, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 8U);
}

/* It was sent while there was no limit, and left the asking to the next one. */
static void the_first_limit_strands_nothing(struct kunit *test)
{
	struct sender *s = rc(test, 1);

	post_sends(s, 4);
	KUNIT_EXPECT_FALSE(test, sender_send(s).ack_req);
	KUNIT_EXPECT_FALSE(test, sender_send(s).ack_req);
	hear_ack(s, 1, 0, 1);
	EXPECT_VERDICT(test, s, SRNIC_REQ_SEND);
	KUNIT_EXPECT_TRUE(test, sender_send(s).ack_req);
	EXPECT_VERDICT(test, s, SRNIC_REQ_CREDIT);
}

/* As many as there are receives, and one. That asks for what it waits for. */
static void sends_wait_for_receives(struct kunit *test)
{
	static const u32 numbers[] = { 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 };
	u32 code, i;

	for (code = 0; code < ARRAY_SIZE(numbers); code++) {
		struct sender *s = limited(test, code, 40);

		for (i = 0; i < numbers[code]; i++)
			KUNIT_EXPECT_FALSE(test, sender_send(s).ack_req);
		KUNIT_EXPECT_TRUE(test, sender_send(s).ack_req);
		EXPECT_VERDICT(test, s, SRNIC_REQ_CREDIT);
		kunit_kfree(test, s);
	}
}

static void each_acknowledgment_brings_some(struct kunit *test)
{
	struct sender *s = limited(test, 1, 9);

	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
	hear_ack(s, 1, 1, 2);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 1U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_CREDIT);
	hear_ack(s, 3, 3, 4);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 4U);
	hear_ack(s, 7, 0x1f, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_IDLE);
}

/* They need no receive, but have numbers. */
static void others_do_not_wait_but_count(struct kunit *test)
{
	struct sender *s = limited(test, 2, 0);

	sender_post_kind(s, SRNIC_MSG_WRITE, 600);
	sender_post_kind(s, SRNIC_MSG_READ, 8);
	sender_post_kind(s, SRNIC_MSG_FETCH_ADD, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 5U);
	post_sends(s, 1);
	EXPECT_VERDICT(test, s, SRNIC_REQ_CREDIT);
	hear_ack(s, 3, 0, 2);
	EXPECT_VERDICT(test, s, SRNIC_REQ_CREDIT);
	/* Three are done, and one of the receives is still there. */
	hear(s, SRNIC_OP_READ_RESP_ONLY, 4, 1, 3);
	EXPECT_VERDICT(test, s, SRNIC_REQ_SEND);
}

static void a_write_with_immediate_takes_a_receive(struct kunit *test)
{
	struct sender *s = limited(test, 0, 1);

	sender_send(s);
	sender_post(s, (struct srnic_msg){ .kind = SRNIC_MSG_WRITE, .length = 8 });
	sender_send(s);
	sender_post(s, (struct srnic_msg){ .kind = SRNIC_MSG_WRITE, .length = 8, .imm = true });
	EXPECT_VERDICT(test, s, SRNIC_REQ_CREDIT);
}

static void what_has_no_packets_does_not_count(struct kunit *test)
{
	struct sender *s = limited(test, 1, 1);
	struct srnic_req_segment seg;

	sender_post(s, (struct srnic_msg){ .kind = SRNIC_MSG_LOCAL });
	post_sends(s, 2);
	sender_send(s);
	KUNIT_ASSERT_EQ(test, (int)srnic_req_next(&s->req, s->msgs, &seg), (int)SRNIC_REQ_LOCAL);
	srnic_req_local_done(&s->req, s->msgs);
	sender_send(s);
	EXPECT_VERDICT(test, s, SRNIC_REQ_CREDIT);
}

/* Whatever the peer says, a message goes if none is under way: its answer tells more. */
static void nonsense_does_not_stop_for_good(struct kunit *test)
{
	static const u32 msns[] = { 0, 1, 0x7fffff, 0x800000, 0xffffff };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(msns); i++) {
		struct sender *s = limited(test, 0, 8);

		for (j = 1; j <= 8; j++) {
			struct srnic_req_segment seg;

			do
				seg = sender_send(s);
			while (sender_verdict(s) == SRNIC_REQ_SEND);
			KUNIT_EXPECT_TRUE(test, seg.ack_req);
			hear_ack(s, srnic_psn_sub(s->req.send_psn, 1), 0, msns[i]);
			if (s->req.next == s->req.head)
				break;
		}
		EXPECT_VERDICT(test, s, SRNIC_REQ_IDLE);
		kunit_kfree(test, s);
	}
}

/* The newest one again, with other credits, says that receives have been posted. */
static void credits_may_come_alone(struct kunit *test)
{
	struct sender *s = limited(test, 0, 8);

	sender_send(s);
	EXPECT_VERDICT(test, s, SRNIC_REQ_CREDIT);
	hear_ack(s, 0, 2, 1);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
	/* One that was overtaken takes nothing back. */
	hear_ack(s, 0, 1, 1);
	hear_ack(s, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, s->req.lsn, 3U);
	/* And one of long ago says nothing at all; NAKs have no credits. */
	hear_ack(s, 1, 2, 2);
	hear_ack(s, 0, 8, 2);
	hear_ack(s, 2, 0x21, 2);
	KUNIT_EXPECT_EQ(test, s->req.lsn, 4U);
}

static void responses_have_credits_too(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	sender_post_kind(s, SRNIC_MSG_READ, 8);
	sender_post_kind(s, SRNIC_MSG_FETCH_ADD, 8);
	sender_send_all(s);
	hear(s, SRNIC_OP_READ_RESP_ONLY, 0, 1, 1);
	KUNIT_EXPECT_TRUE(test, s->req.limited);
	KUNIT_EXPECT_EQ(test, s->req.lsn, 2U);
	hear(s, SRNIC_OP_ATOMIC_ACK, 1, 3, 2);
	KUNIT_EXPECT_EQ(test, s->req.lsn, 5U);
}

/* What went once goes again, whatever is known meanwhile. */
static void what_is_sent_again_does_not_wait(struct kunit *test)
{
	struct sender *s = limited(test, 2, 8);

	KUNIT_EXPECT_EQ(test, sender_send_all(s), 3U);
	sender_timeout(s);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 3U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_CREDIT);
}

static void numbers_wrap(struct kunit *test)
{
	struct sender *s = limited(test, 0, 0);

	s->req.ssn = 0xfffffe;
	s->req.lsn = 0xfffffe;
	post_sends(s, 8);
	sender_send(s);
	hear_ack(s, 1, 2, 0xffffff);
	KUNIT_EXPECT_EQ(test, s->req.lsn, 1U);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 3U);
	hear_ack(s, 3, 2, 1);
	KUNIT_EXPECT_EQ(test, s->req.lsn, 3U);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
}

/* Who does not count them once never will (4.14). */
static void unlimited_is_for_good(struct kunit *test)
{
	struct sender *s = limited(test, 0x1f, 4);

	sender_send(s);
	hear_ack(s, 1, 0, 2);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 3U);
}

/* ---- responder ---- */

static u8 next_syndrome(struct receiver *r, enum srnic_rsp_reply_kind kind)
{
	struct srnic_rsp_reply reply = receiver_next(r);

	KUNIT_EXPECT_EQ(r->test, (int)reply.kind, (int)kind);
	return reply.syndrome;
}

static void answers_tell_how_many_receives_there_are(struct kunit *test)
{
	struct receiver *r = receiver_new(test, SRNIC_SERVICE_RC, 0);

	receiver_take_ok(r, request(SRNIC_OP_SEND_ONLY, 0, 8));
	r->rsp.credits = 5;
	KUNIT_EXPECT_EQ(test, next_syndrome(r, SRNIC_REPLY_ACK), 4);
	receiver_take_ok(r, read_request(1, 8));
	r->rsp.credits = 0;
	KUNIT_EXPECT_EQ(test, next_syndrome(r, SRNIC_REPLY_READ), 0);
	receiver_take_ok(r, request(SRNIC_OP_FETCH_ADD, 2, 0));
	r->rsp.credits = 100000;
	KUNIT_EXPECT_EQ(test, next_syndrome(r, SRNIC_REPLY_ATOMIC), 0x1e);
	receiver_take(r, request(SRNIC_OP_SEND_ONLY, 4, 8));
	KUNIT_EXPECT_EQ(test, next_syndrome(r, SRNIC_REPLY_NAK), 0x60);
}

static struct kunit_case credit_cases[] = {
	KUNIT_CASE(nothing_waits_before_credits_are_told),
	KUNIT_CASE(the_first_limit_strands_nothing),
	KUNIT_CASE(sends_wait_for_receives),
	KUNIT_CASE(each_acknowledgment_brings_some),
	KUNIT_CASE(others_do_not_wait_but_count),
	KUNIT_CASE(a_write_with_immediate_takes_a_receive),
	KUNIT_CASE(what_has_no_packets_does_not_count),
	KUNIT_CASE(nonsense_does_not_stop_for_good),
	KUNIT_CASE(credits_may_come_alone),
	KUNIT_CASE(responses_have_credits_too),
	KUNIT_CASE(what_is_sent_again_does_not_wait),
	KUNIT_CASE(numbers_wrap),
	KUNIT_CASE(unlimited_is_for_good),
	KUNIT_CASE(answers_tell_how_many_receives_there_are),
	{}
};

static struct kunit_suite credit_suite = {
	.name = "srnic_transport_credit",
	.test_cases = credit_cases,
};

kunit_test_suite(credit_suite);
