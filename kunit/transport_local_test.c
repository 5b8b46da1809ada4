// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages of no packets (bind of a memory window, local invalidate) among others:
 * done once, in the order of the queue, complete with what is before them.
 */
#include <kunit/test.h>

#include "transport_sender.h"

#define LOCAL	SRNIC_MSG_LOCAL

static struct sender *rc(struct kunit *test)
{
	return sender_new(test, SRNIC_SERVICE_RC, 256, 0);
}

static u32 post_invalidate(struct sender *s)
{
	return sender_post(s, (struct srnic_msg){
		.kind = LOCAL, .after_all = true, .signaled = true });
}

/* The next thing to do must be message @index, here and now. */
static void do_local(struct sender *s, u32 index)
{
	struct srnic_req_segment seg = {};

	KUNIT_ASSERT_EQ(s->test, (int)srnic_req_next(&s->req, s->msgs, &seg),
			(int)SRNIC_REQ_LOCAL);
	KUNIT_EXPECT_EQ(s->test, seg.index, index);
	srnic_req_local_done(&s->req, s->msgs);
	sender_forget_sent(s);
	sender_check(s);
}

static void alone(struct kunit *test)
{
	struct sender *s = rc(test);
	u32 i;

	for (i = 0; i < 3 * SENDER_RING; i++) {
		sender_post_kind(s, LOCAL, 0);
		do_local(s, i);
		KUNIT_EXPECT_EQ(test, s->req.tail, i + 1);
	}
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, s->req.next_psn, 0U);
	KUNIT_EXPECT_FALSE(test, srnic_req_outstanding(&s->req));
}

static void complete_in_order(struct kunit *test)
{
	struct sender *s = rc(test);

	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 0 */
	sender_post_kind(s, LOCAL, 0);
	sender_post_kind(s, LOCAL, 0);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 1 */
	sender_post_kind(s, LOCAL, 0);
	sender_send(s);
	do_local(s, 1);
	do_local(s, 2);
	sender_send(s);
	do_local(s, 4);
	KUNIT_EXPECT_EQ(test, s->req.tail, 0U);
	KUNIT_EXPECT_EQ(test, sender_ack(s, 0).tail, 3U);
	KUNIT_EXPECT_EQ(test, sender_ack(s, 1).tail, 5U);

	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 2 */
	sender_post_kind(s, LOCAL, 0);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 3 */
	sender_send(s);
	do_local(s, 6);
	sender_send(s);
	KUNIT_EXPECT_EQ(test, sender_ack(s, 3).tail, 8U);
}

static void complete_behind_a_read(struct kunit *test)
{
	struct sender *s = rc(test);
	struct srnic_cmp_step step;

	sender_post_kind(s, SRNIC_MSG_READ, 600);	/* 0, 1, 2 */
	sender_post_kind(s, LOCAL, 0);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 3 */
	sender_send(s);
	do_local(s, 1);
	sender_send(s);
	/* Part of it completes nothing; an ACK behind it says that it was lost. */
	KUNIT_EXPECT_EQ(test, sender_read(s, SRNIC_OP_READ_RESP_FIRST, 0, 256).tail, 0U);
	step = sender_ack(s, 3);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, step.tail, 0U);
	sender_send(s);
	sender_read(s, SRNIC_OP_READ_RESP_FIRST, 1, 256);
	KUNIT_EXPECT_EQ(test, sender_read(s, SRNIC_OP_READ_RESP_LAST, 2, 88).tail, 2U);
}

/* Whatever is sent again, a message of no packets is not done again. */
static void not_done_twice(struct kunit *test)
{
	struct sender *s = rc(test);
	u32 round;

	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 0 */
	sender_post_kind(s, LOCAL, 0);
	sender_post_kind(s, LOCAL, 0);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 1 */
	sender_post_kind(s, LOCAL, 0);
	sender_send(s);
	do_local(s, 1);
	do_local(s, 2);
	for (round = 0; round < 3; round++) {
		SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
		KUNIT_EXPECT_EQ(test, sender_send(s).psn, 0U);
		KUNIT_EXPECT_EQ(test, s->req.next, 3U);
	}
	sender_send(s);
	do_local(s, 4);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 1, 0x60), SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, s->req.tail, 3U);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 1U);
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, sender_ack(s, 1).tail, 5U);
}

/* An RNR NAK stops what is not done yet, too. */
static void waits_for_the_receiver(struct kunit *test)
{
	struct sender *s = rc(test);

	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 0 */
	sender_send(s);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 0, 0x21), SRNIC_CMP_RNR);
	sender_post_kind(s, LOCAL, 0);
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_RNR);
	s->req.rnr_wait = false;
	sender_send(s);
	do_local(s, 1);
	KUNIT_EXPECT_EQ(test, sender_ack(s, 0).tail, 2U);
}

/* 10.6.5.1: a key is invalidated when all that may use it is complete. */
static void invalidate_waits_for_all(struct kunit *test)
{
	struct sender *s = rc(test);

	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 0 */
	sender_post_kind(s, SRNIC_MSG_READ, 8);		/* 1 */
	post_invalidate(s);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 2 */
	sender_send(s);
	sender_send(s);
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_FENCE);
	sender_ack(s, 0);
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_FENCE);
	sender_read(s, SRNIC_OP_READ_RESP_ONLY, 1, 8);
	do_local(s, 2);
	KUNIT_EXPECT_EQ(test, s->req.tail, 3U);
	sender_send(s);
	KUNIT_EXPECT_EQ(test, sender_ack(s, 2).tail, 4U);
}

/* What has no acknowledgment of its own gives none to those before it. */
static void is_no_successor(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 1);

	sender_post(s, (struct srnic_msg){ .kind = SRNIC_MSG_SEND, .length = 8 });
	sender_post_kind(s, LOCAL, 0);
	KUNIT_EXPECT_TRUE(test, sender_send(s).ack_req);
	do_local(s, 1);
	KUNIT_EXPECT_EQ(test, sender_ack(s, 1).tail, 2U);
}

static void fence_and_drain(struct kunit *test)
{
	struct sender *s = rc(test);

	sender_post_kind(s, SRNIC_MSG_READ, 8);		/* 0 */
	sender_post(s, (struct srnic_msg){ .kind = LOCAL, .fence = true });
	sender_post_kind(s, LOCAL, 0);
	sender_send(s);
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_FENCE);
	sender_read(s, SRNIC_OP_READ_RESP_ONLY, 0, 8);
	do_local(s, 1);
	s->req.draining = true;
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_DRAINED);
	s->req.draining = false;
	do_local(s, 2);
}

static void unreliable(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_UC, 256, 7);

	sender_post_kind(s, SRNIC_MSG_WRITE, 300);
	post_invalidate(s);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);
	sender_send(s);
	sender_send(s);
	do_local(s, 1);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 9U);
	KUNIT_EXPECT_EQ(test, s->req.tail, 3U);
}

/* The key travels with the last packet. */
static void send_with_invalidate(struct kunit *test)
{
	struct sender *s = rc(test);
	struct srnic_req_segment seg;

	sender_post(s, (struct srnic_msg){
		.kind = SRNIC_MSG_SEND, .length = 8, .inv = true, .solicited = true });
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, (u32)seg.opcode, 0x17U);
	KUNIT_EXPECT_TRUE(test, seg.solicited);
	sender_post(s, (struct srnic_msg){
		.kind = SRNIC_MSG_SEND, .length = 600, .inv = true, .signaled = true });
	KUNIT_EXPECT_EQ(test, (u32)sender_send(s).opcode, 0x00U);
	KUNIT_EXPECT_EQ(test, (u32)sender_send(s).opcode, 0x01U);
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, (u32)seg.opcode, 0x16U);
	KUNIT_EXPECT_TRUE(test, seg.ack_req);
}

static struct kunit_case local_cases[] = {
	KUNIT_CASE(alone),
	KUNIT_CASE(complete_in_order),
	KUNIT_CASE(complete_behind_a_read),
	KUNIT_CASE(not_done_twice),
	KUNIT_CASE(waits_for_the_receiver),
	KUNIT_CASE(invalidate_waits_for_all),
	KUNIT_CASE(is_no_successor),
	KUNIT_CASE(fence_and_drain),
	KUNIT_CASE(unreliable),
	KUNIT_CASE(send_with_invalidate),
	{}
};

static struct kunit_suite local_suite = {
	.name = "srnic_transport_local",
	.test_cases = local_cases,
};

kunit_test_suite(local_suite);
