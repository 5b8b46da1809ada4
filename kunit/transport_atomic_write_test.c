// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Atomic writes: 8 bytes in a packet, answered by a READ response of nothing (rules
 * 1.4.4, 3.1, 3.4, 4.2; IBA Annex A19).
 */
#include <kunit/test.h>

#include "transport_receiver.h"
#include "transport_sender.h"

static struct sender *sender(struct kunit *test, u32 psn)
{
	return sender_new(test, SRNIC_SERVICE_RC, 256, psn);
}

static struct receiver *receiver(struct kunit *test, u32 psn)
{
	return receiver_new(test, SRNIC_SERVICE_RC, psn);
}

static struct srnic_pkt atomic_write(u32 psn)
{
	return request(SRNIC_OP_ATOMIC_WRITE, psn, 8);
}

static void expect_answer(struct receiver *r, u32 psn)
{
	receiver_expect_read(r, SRNIC_OP_READ_RESP_ONLY, psn, RECEIVER_VA, 0);
}

/* ---- requester ---- */

static void is_one_packet_with_its_word(struct kunit *test)
{
	struct sender *s = sender(test, 0xffffff);
	struct srnic_req_segment seg;

	sender_post_kind(s, SRNIC_MSG_ATOMIC_WRITE, 8);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.opcode, (u8)0x1d);
	KUNIT_EXPECT_EQ(test, seg.psn, 0xffffffU);
	KUNIT_EXPECT_EQ(test, seg.psns, 1U);
	KUNIT_EXPECT_EQ(test, seg.offset, 0U);
	KUNIT_EXPECT_EQ(test, seg.bytes, 8U);
	KUNIT_EXPECT_TRUE(test, seg.last);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 0U);
}

/* They count among the READs and atomics that may be outstanding (4.2). */
static void as_many_as_reads(struct kunit *test)
{
	struct sender *s = sender(test, 0);

	s->req.max_rd_atomic = 2;
	sender_post_kind(s, SRNIC_MSG_READ, 8);
	sender_post_kind(s, SRNIC_MSG_ATOMIC_WRITE, 8);
	sender_post_kind(s, SRNIC_MSG_ATOMIC_WRITE, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_RD_LIMIT);
	sender_read(s, SRNIC_OP_READ_RESP_ONLY, 0, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 1U);
}

static void its_answer_completes_it_and_brings_nothing(struct kunit *test)
{
	struct sender *s = sender(test, 0);
	struct srnic_cmp_step step;

	sender_post_kind(s, SRNIC_MSG_WRITE, 8);
	sender_post_kind(s, SRNIC_MSG_ATOMIC_WRITE, 8);
	sender_send_all(s);
	step = sender_read(s, SRNIC_OP_READ_RESP_ONLY, 1, 0);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_NONE);
	KUNIT_EXPECT_EQ(test, step.tail, 2U);
	KUNIT_EXPECT_EQ(test, step.una, 2U);
	KUNIT_EXPECT_EQ(test, step.responses, 1U);
	KUNIT_EXPECT_EQ(test, s->req.rd_atomic, 0U);
}

/* An ACK does not stand for the answer: that was lost. */
static void an_ack_is_no_answer(struct kunit *test)
{
	struct sender *s = sender(test, 0);

	sender_post_kind(s, SRNIC_MSG_ATOMIC_WRITE, 8);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);
	sender_send_all(s);
	SENDER_EXPECT_ACTION(test, sender_ack(s, 1), SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, s->req.tail, 0U);
	KUNIT_EXPECT_EQ(test, sender_send(s).opcode, (u8)0x1d);
}

static void an_answer_with_data_is_wrong(struct kunit *test)
{
	static const u32 bytes[] = { 1, 8, 256 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		struct sender *s = sender(test, 0);

		sender_post_kind(s, SRNIC_MSG_ATOMIC_WRITE, 8);
		sender_send_all(s);
		SENDER_EXPECT_FAIL(test,
				   sender_read(s, SRNIC_OP_READ_RESP_ONLY, 0, bytes[i]),
				   SRNIC_CMP_ERR_LENGTH, 0);
		kunit_kfree(test, s);
	}
}

/* ---- responder ---- */

static void is_placed_and_answered(struct kunit *test)
{
	struct receiver *r = receiver(test, 0xffffff);
	struct srnic_rsp_step step = receiver_look(r, atomic_write(0xffffff));

	RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
	KUNIT_EXPECT_TRUE(test, step.check_key);
	KUNIT_EXPECT_FALSE(test, step.take_recv || step.complete_recv || step.place_send ||
			   step.place_write);
	KUNIT_EXPECT_EQ(test, step.va, RECEIVER_VA);
	KUNIT_EXPECT_EQ(test, step.rkey, (u32)RECEIVER_RKEY);
	KUNIT_EXPECT_EQ(test, step.length, 8U);

	receiver_take_ok(r, atomic_write(0xffffff));
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 1U);
	expect_answer(r, 0xffffff);
	receiver_expect_silence(r);
}

/* Access is that of a WRITE (6.8). */
static void is_a_write_to_the_qp(struct kunit *test)
{
	struct receiver *r = receiver(test, 0);

	r->rsp.access = SRNIC_ACCESS_REMOTE_READ | SRNIC_ACCESS_REMOTE_ATOMIC;
	receiver_expect_nak(test, r, atomic_write(0), SRNIC_NAK_INV_REQ);
	r->rsp.access = SRNIC_ACCESS_REMOTE_WRITE;
	RECEIVER_EXPECT_VERDICT(test, receiver_look(r, atomic_write(0)), SRNIC_RSP_EXECUTE);
}

static void needs_eight_bytes_aligned(struct kunit *test)
{
	struct receiver *r = receiver(test, 0);
	struct srnic_pkt pkt;
	u32 i;

	for (i = 1; i < 8; i++) {
		pkt = atomic_write(0);
		pkt.va += i;
		receiver_expect_nak(test, r, pkt, SRNIC_NAK_INV_REQ);
	}
	for (i = 0; i <= 16; i++) {
		if (i == 8)
			continue;
		receiver_expect_nak(test, r, request(SRNIC_OP_ATOMIC_WRITE, 0, i),
				    SRNIC_NAK_INV_REQ);
		receiver_expect_nak(test, r, request_for(SRNIC_OP_ATOMIC_WRITE, 0, 8, i),
				    SRNIC_NAK_INV_REQ);
		receiver_expect_nak(test, r, request_for(SRNIC_OP_ATOMIC_WRITE, 0, i, 8),
				    SRNIC_NAK_INV_REQ);
	}
}

static void takes_a_resource(struct kunit *test)
{
	struct receiver *r = receiver(test, 0);

	r->rsp.max_rd_atomic = 1;
	receiver_take_ok(r, atomic_write(0));
	receiver_expect_nak(test, r, atomic_write(1), SRNIC_NAK_INV_REQ);
	expect_answer(r, 0);
	receiver_take_ok(r, atomic_write(1));
	r->rsp.max_rd_atomic = 0;
	expect_answer(r, 1);
	receiver_expect_nak(test, r, atomic_write(2), SRNIC_NAK_INV_REQ);
}

/* It is answered again and not written again, as something else may be there now. */
static void a_repeated_one_is_only_answered(struct kunit *test)
{
	struct receiver *r = receiver(test, 5);

	receiver_take_ok(r, atomic_write(5));
	expect_answer(r, 5);
	receiver_take_ok(r, request(SRNIC_OP_WRITE_ONLY, 6, 8));
	receiver_expect_ack(r, 6, 0x1f);
	RECEIVER_EXPECT_VERDICT(test, receiver_take(r, atomic_write(5)), SRNIC_RSP_DUPLICATE);
	expect_answer(r, 5);
	receiver_expect_silence(r);
	KUNIT_EXPECT_EQ(test, r->rsp.epsn, 7U);
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 2U);

	/* Also if it comes again before the first answer has gone. */
	receiver_take_ok(r, atomic_write(7));
	RECEIVER_EXPECT_VERDICT(test, receiver_take(r, atomic_write(7)), SRNIC_RSP_DUPLICATE);
	expect_answer(r, 7);
	receiver_expect_silence(r);

	/* Others at its PSN are no repetition of it. */
	receiver_take(r, read_request(5, 0));
	receiver_take(r, request(SRNIC_OP_CMP_SWAP, 5, 0));
	receiver_expect_silence(r);
}

static struct kunit_case atomic_write_cases[] = {
	KUNIT_CASE(is_one_packet_with_its_word),
	KUNIT_CASE(as_many_as_reads),
	KUNIT_CASE(its_answer_completes_it_and_brings_nothing),
	KUNIT_CASE(an_ack_is_no_answer),
	KUNIT_CASE(an_answer_with_data_is_wrong),
	KUNIT_CASE(is_placed_and_answered),
	KUNIT_CASE(is_a_write_to_the_qp),
	KUNIT_CASE(needs_eight_bytes_aligned),
	KUNIT_CASE(takes_a_resource),
	KUNIT_CASE(a_repeated_one_is_only_answered),
	{}
};

static struct kunit_suite atomic_write_suite = {
	.name = "srnic_transport_atomic_write",
	.test_cases = atomic_write_cases,
};

kunit_test_suite(atomic_write_suite);
