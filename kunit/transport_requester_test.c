// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: when a packet may go, whether it asks for an acknowledgment, and what
 * is sent again (rules 2.4, 4.1 to 4.5, 4.9, 4.11, 4.19).
 */
#include <kunit/test.h>

#include "transport_sender.h"

static struct sender *rc(struct kunit *test, u32 psn)
{
	return sender_new(test, SRNIC_SERVICE_RC, 256, psn);
}

#define EXPECT_VERDICT(test, s, what) \
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)(what))

static u32 post_quiet(struct sender *s, enum srnic_msg_kind kind, u32 length)
{
	return sender_post(s, (struct srnic_msg){ .kind = kind, .length = length });
}

static u32 post_fenced(struct sender *s, enum srnic_msg_kind kind, u32 length)
{
	return sender_post(s, (struct srnic_msg){
		.kind = kind, .length = length, .fence = true, .signaled = true });
}

/* ---- AckReq ---- */

static void signaled_messages_ask_at_their_end(struct kunit *test)
{
	struct sender *s = rc(test, 1);
	u32 i;

	for (i = 0; i < 3; i++)
		sender_post_kind(s, SRNIC_MSG_SEND, 600);
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_EQ(test, sender_send(s).ack_req, i % 3 == 2);
}

static void expect_asking(struct sender *s, const u32 *lengths, const bool *asks,
			  u32 n)
{
	u32 i, index;

	for (i = 0; i < n; i++)
		sender_post_kind(s, SRNIC_MSG_SEND, lengths[i]);
	for (i = 0; i < n; i++) {
		struct srnic_req_segment seg;

		index = s->req.next;
		do
			seg = sender_send(s);
		while (s->req.next == index);
		KUNIT_EXPECT_EQ(s->test, seg.ack_req, asks[i]);
	}
	EXPECT_VERDICT(s->test, s, SRNIC_REQ_IDLE);
}

/* The last of a row asks for all, but a long message does not keep one waiting. */
static void of_single_packets_in_a_row_the_last_asks(struct kunit *test)
{
	static const u32 lengths[] = { 8, 256, 0, 8, 257, 8, 8, 600, 8 };
	static const bool asks[] = { 0, 0, 0, 1, 1, 0, 1, 1, 1 };

	expect_asking(rc(test, 1), lengths, asks, ARRAY_SIZE(lengths));
}

/* Not for more than 64 packets. */
static void a_long_row_asks_now_and_then(struct kunit *test)
{
	struct sender *s = rc(test, 32);
	u32 psn;

	for (psn = 32; psn < 32 + SENDER_RING; psn++)
		sender_post_kind(s, SRNIC_MSG_WRITE, 8);
	for (psn = 32; psn < 32 + SENDER_RING; psn++)
		KUNIT_EXPECT_EQ(test, sender_send(s).ack_req,
				psn == 64 || psn == 31 + SENDER_RING);
}

static void the_last_before_idling_asks(struct kunit *test)
{
	struct sender *s = rc(test, 1);

	post_quiet(s, SRNIC_MSG_SEND, 10);
	post_quiet(s, SRNIC_MSG_WRITE, 300);
	sender_send(s);
	sender_send(s);
	KUNIT_EXPECT_TRUE(test, sender_send(s).ack_req);
	EXPECT_VERDICT(test, s, SRNIC_REQ_IDLE);
}

static void uc_never_asks(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_UC, 256, 0);
	u32 i;

	sender_post_kind(s, SRNIC_MSG_SEND, 256 * 1000);
	for (i = 0; i < 1000; i++)
		KUNIT_EXPECT_FALSE(test, sender_send(s).ack_req);
	EXPECT_VERDICT(test, s, SRNIC_REQ_IDLE);
}

/*
 * Whatever it pauses for: the peer has been asked to acknowledge what was sent, or
 * nobody would ever say that it has arrived (4.5). The answer to a READ or atomic
 * acknowledges what is before it.
 */
static void expect_asked_before_pause(struct kunit *test, struct sender *s,
				      enum srnic_req_verdict pause)
{
	struct srnic_req_segment seg, newest = {};

	while (srnic_req_next(&s->req, s->msgs, &seg) == SRNIC_REQ_SEND)
		newest = sender_send(s);
	EXPECT_VERDICT(test, s, pause);
	KUNIT_EXPECT_TRUE(test, newest.ack_req ||
			  srnic_msg_has_response(sender_msg(s, newest.index)));
}

static void asks_before_a_full_window(struct kunit *test)
{
	static const u32 windows[] = { 1, 2, 3, 5, 63, 64, 65, 200 };
	static const u32 starts[] = { 0, 1, 63, 0xfffff0 };
	struct sender *s;
	u32 i, start;

	for (i = 0; i < ARRAY_SIZE(windows) * 4; i++) {
		start = starts[i % ARRAY_SIZE(starts)];
		s = rc(test, start);
		s->req.window = windows[i / 4];
		post_quiet(s, SRNIC_MSG_WRITE, 256 * 400);
		post_quiet(s, SRNIC_MSG_WRITE, 1);
		expect_asked_before_pause(test, s, SRNIC_REQ_WINDOW);
		KUNIT_EXPECT_EQ(test, srnic_psn_sub(s->req.send_psn, start), s->req.window);

		/* And again, when the window has moved by some. */
		sender_ack(s, srnic_psn_add(start, s->req.window / 2));
		expect_asked_before_pause(test, s, SRNIC_REQ_WINDOW);
		kunit_kfree(test, s);
	}
}

static void asks_before_a_fence(struct kunit *test)
{
	struct sender *s = rc(test, 1);

	post_quiet(s, SRNIC_MSG_READ, 8);
	post_quiet(s, SRNIC_MSG_SEND, 8);
	post_fenced(s, SRNIC_MSG_SEND, 8);
	expect_asked_before_pause(test, s, SRNIC_REQ_FENCE);
}

static void asks_before_the_rd_limit(struct kunit *test)
{
	struct sender *s = rc(test, 1);

	s->req.max_rd_atomic = 1;
	post_quiet(s, SRNIC_MSG_READ, 8);
	post_quiet(s, SRNIC_MSG_SEND, 8);
	post_quiet(s, SRNIC_MSG_FETCH_ADD, 8);
	expect_asked_before_pause(test, s, SRNIC_REQ_RD_LIMIT);
}

static void asks_before_it_runs_out_of_psns(struct kunit *test)
{
	struct sender *s = rc(test, 1);

	post_quiet(s, SRNIC_MSG_SEND, 8);
	post_quiet(s, SRNIC_MSG_WRITE, 0x80000000);
	expect_asked_before_pause(test, s, SRNIC_REQ_WINDOW);
	KUNIT_EXPECT_EQ(test, s->req.next_psn, 2U);
	sender_ack(s, 1);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 2U);
}

static void asks_before_it_is_drained(struct kunit *test)
{
	struct sender *s = rc(test, 1);

	post_quiet(s, SRNIC_MSG_SEND, 300);
	post_quiet(s, SRNIC_MSG_SEND, 8);
	sender_send(s);
	s->req.draining = true;
	expect_asked_before_pause(test, s, SRNIC_REQ_DRAINED);
}

/* A message that is sent again has waited long enough. */
static void asks_when_retrying(struct kunit *test)
{
	struct sender *s = rc(test, 1);
	u32 i;

	for (i = 0; i < 3; i++)
		post_quiet(s, SRNIC_MSG_SEND, 300);
	sender_send_all(s);
	sender_timeout(s);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, sender_send(s).ack_req, i % 2 == 1);
}

/* ---- window ---- */

static void window_counts_unacknowledged_psns(struct kunit *test)
{
	struct sender *s = rc(test, 0xfffffe);

	s->req.window = 4;
	sender_post_kind(s, SRNIC_MSG_WRITE, 256 * 10);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 4U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_WINDOW);
	sender_ack(s, 0xffffff);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
	sender_ack(s, 3);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 4U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_IDLE);
}

static void a_long_read_fills_the_window_until_it_is_answered(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	s->req.window = 4;
	sender_post_kind(s, SRNIC_MSG_READ, 256 * 6);
	sender_post_kind(s, SRNIC_MSG_SEND, 1);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 1U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_WINDOW);
	sender_read(s, SRNIC_OP_READ_RESP_FIRST, 0, 256);
	sender_read(s, SRNIC_OP_READ_RESP_MIDDLE, 1, 256);
	EXPECT_VERDICT(test, s, SRNIC_REQ_WINDOW);
	sender_read(s, SRNIC_OP_READ_RESP_MIDDLE, 2, 256);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 6U);
}

/* ---- fence, limit, drain ---- */

static void fence_waits_for_reads_and_atomics(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	sender_post_kind(s, SRNIC_MSG_READ, 300);	/* 0, 1 */
	sender_post_kind(s, SRNIC_MSG_FETCH_ADD, 8);	/* 2 */
	post_fenced(s, SRNIC_MSG_SEND, 8);		/* 3 */
	sender_send_all(s);
	EXPECT_VERDICT(test, s, SRNIC_REQ_FENCE);
	sender_read(s, SRNIC_OP_READ_RESP_FIRST, 0, 256);
	EXPECT_VERDICT(test, s, SRNIC_REQ_FENCE);
	sender_read(s, SRNIC_OP_READ_RESP_LAST, 1, 44);
	EXPECT_VERDICT(test, s, SRNIC_REQ_FENCE);
	sender_atomic(s, 2);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 3U);
}

static void fence_waits_for_nothing_else(struct kunit *test)
{
	struct sender *s = rc(test, 0);
	u32 i;

	for (i = 0; i < 5; i++)
		post_fenced(s, i % 2 ? SRNIC_MSG_WRITE : SRNIC_MSG_SEND, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 5U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_IDLE);
	/* Nor for itself, or what is behind it. */
	post_fenced(s, SRNIC_MSG_READ, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 1U);
}

static void a_fenced_message_once_started_is_resent_whole(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	post_fenced(s, SRNIC_MSG_WRITE, 600);		/* 0..2 */
	sender_post_kind(s, SRNIC_MSG_READ, 8);		/* 3 */
	sender_send_all(s);
	sender_timeout(s);
	/* The READ behind it is outstanding, and no reason to wait. */
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 4U);
}

static void rd_atomic_limit(struct kunit *test)
{
	static const enum srnic_msg_kind kinds[] = {
		SRNIC_MSG_READ, SRNIC_MSG_CMP_SWAP, SRNIC_MSG_FETCH_ADD
	};
	u32 limit, i;

	for (limit = 1; limit <= 16; limit++) {
		struct sender *s = rc(test, 0xfffffa);

		s->req.max_rd_atomic = limit;
		for (i = 0; i < limit + 2; i++)
			sender_post_kind(s, kinds[i % 3], 8);
		sender_post_kind(s, SRNIC_MSG_SEND, 8);
		KUNIT_EXPECT_EQ(test, sender_send_all(s), limit);
		/* It blocks what is behind it, too (4.1). */
		EXPECT_VERDICT(test, s, SRNIC_REQ_RD_LIMIT);
		sender_read(s, SRNIC_OP_READ_RESP_ONLY, 0xfffffa, 8);
		KUNIT_EXPECT_EQ(test, sender_send_all(s), 1U);
		EXPECT_VERDICT(test, s, SRNIC_REQ_RD_LIMIT);
		kunit_kfree(test, s);
	}
}

static void rd_atomic_limit_0_lets_none_start(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	s->req.max_rd_atomic = 0;
	sender_post_kind(s, SRNIC_MSG_SEND, 8);
	sender_post_kind(s, SRNIC_MSG_READ, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 1U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_RD_LIMIT);
}

/* Sending a READ again is no second one: it goes although the limit is reached. */
static void resending_needs_no_slot(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	s->req.max_rd_atomic = 2;
	sender_post_kind(s, SRNIC_MSG_READ, 8);
	sender_post_kind(s, SRNIC_MSG_CMP_SWAP, 8);
	sender_post_kind(s, SRNIC_MSG_READ, 8);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
	sender_timeout(s);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_RD_LIMIT);
	KUNIT_EXPECT_EQ(test, s->req.rd_atomic, 2U);
}

static void draining_finishes_what_is_started(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	s->req.window = 2;
	sender_post_kind(s, SRNIC_MSG_SEND, 256 * 4);
	sender_post_kind(s, SRNIC_MSG_SEND, 1);
	sender_send_all(s);
	s->req.draining = true;
	EXPECT_VERDICT(test, s, SRNIC_REQ_WINDOW);
	sender_ack(s, 1);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
	EXPECT_VERDICT(test, s, SRNIC_REQ_DRAINED);

	/* Retries are part of it (4.19). */
	sender_nak(s, 2, SRNIC_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, sender_send_all(s), 2U);
	sender_ack(s, 3);
	KUNIT_EXPECT_FALSE(test, srnic_req_outstanding(&s->req));
	EXPECT_VERDICT(test, s, SRNIC_REQ_DRAINED);

	s->req.draining = false;
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 4U);
}

/* ---- going back ---- */

static void expect_resent(struct kunit *test, struct sender *s, u32 index, u32 psn, u8 op,
			  u32 offset, u32 bytes)
{
	struct srnic_req_segment seg = sender_send(s);

	KUNIT_EXPECT_EQ(test, seg.index, index);
	KUNIT_EXPECT_EQ(test, seg.psn, psn);
	KUNIT_EXPECT_EQ(test, seg.opcode, op);
	KUNIT_EXPECT_EQ(test, seg.offset, offset);
	KUNIT_EXPECT_EQ(test, seg.bytes, bytes);
}

static void goes_back_to_the_exact_packet(struct kunit *test)
{
	struct sender *s = rc(test, 0xfffffd);

	sender_post_kind(s, SRNIC_MSG_WRITE, 1000);	/* fffffd .. 0 */
	sender_post_kind(s, SRNIC_MSG_SEND, 300);	/* 1, 2 */
	sender_send_all(s);
	KUNIT_EXPECT_EQ(test, s->req.top_psn, 3U);

	sender_nak(s, 0xffffff, SRNIC_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, s->req.top_psn, 3U);
	expect_resent(test, s, 0, 0xffffff, SRNIC_OP_WRITE_MIDDLE, 512, 256);
	expect_resent(test, s, 0, 0, SRNIC_OP_WRITE_LAST, 768, 232);
	expect_resent(test, s, 1, 1, SRNIC_OP_SEND_FIRST, 0, 256);
	expect_resent(test, s, 1, 2, SRNIC_OP_SEND_LAST, 256, 44);
	EXPECT_VERDICT(test, s, SRNIC_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, s->req.top_psn, 3U);
	KUNIT_EXPECT_EQ(test, s->req.next_psn, 3U);
}

/* Going back while going back: from the oldest again. */
static void goes_back_again(struct kunit *test)
{
	struct sender *s = rc(test, 10);

	sender_post_kind(s, SRNIC_MSG_WRITE, 256 * 4);
	sender_send_all(s);
	sender_timeout(s);
	sender_send(s);
	sender_send(s);
	sender_timeout(s);
	expect_resent(test, s, 0, 10, SRNIC_OP_WRITE_FIRST, 0, 256);
}

static void goes_back_in_a_message_that_is_not_sent_to_its_end(struct kunit *test)
{
	struct sender *s = rc(test, 0);
	u32 i;

	sender_post_kind(s, SRNIC_MSG_WRITE, 256 * 6);
	sender_send(s);
	sender_send(s);
	sender_send(s);
	sender_nak(s, 1, SRNIC_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, s->req.top_psn, 3U);
	for (i = 1; i < 6; i++) {
		KUNIT_EXPECT_EQ(test, sender_send(s).psn, i);
		KUNIT_EXPECT_EQ(test, s->req.top_psn, max(i + 1, 3U));
	}
	EXPECT_VERDICT(test, s, SRNIC_REQ_IDLE);
}

/* A READ is resumed at the first response that is missing (4.11). */
static void a_read_is_resumed(struct kunit *test)
{
	static const u32 starts[] = { 0, 0xfffffd };
	struct srnic_req_segment seg;
	u32 i, psn, got;

	for (i = 0; i < ARRAY_SIZE(starts) * 4; i++) {
		struct sender *s = rc(test, starts[i / 4]);

		psn = starts[i / 4];
		sender_post_kind(s, SRNIC_MSG_READ, 256 * 4 + 1);
		sender_post_kind(s, SRNIC_MSG_SEND, 1);
		sender_send_all(s);
		for (got = 0; got < i % 4 + 1; got++)
			sender_read(s, got ? SRNIC_OP_READ_RESP_MIDDLE : SRNIC_OP_READ_RESP_FIRST,
				    srnic_psn_add(psn, got), 256);
		sender_timeout(s);
		seg = sender_send(s);
		KUNIT_EXPECT_EQ(test, seg.opcode, (u8)SRNIC_OP_READ_REQUEST);
		KUNIT_EXPECT_EQ(test, seg.psn, srnic_psn_add(psn, got));
		KUNIT_EXPECT_EQ(test, seg.offset, 256 * got);
		KUNIT_EXPECT_EQ(test, seg.psns, 5 - got);
		KUNIT_EXPECT_TRUE(test, seg.last);
		/* What follows keeps its PSN. */
		KUNIT_EXPECT_EQ(test, sender_send(s).psn, srnic_psn_add(psn, 5));
		KUNIT_EXPECT_EQ(test, s->req.top_psn, srnic_psn_add(psn, 6));
		KUNIT_EXPECT_EQ(test, s->req.rd_atomic, 1U);
		kunit_kfree(test, s);
	}
}

/*
 * Packet 1 of the answer overtakes packet 0. The READ is to be sent again, but before
 * that packet 0 comes after all, and the rest is asked for: that answer starts in the
 * middle (4.11). Found by seed 1042123 of the model test.
 */
static void a_read_is_resumed_behind_a_late_answer(struct kunit *test)
{
	struct srnic_req_segment seg;
	struct srnic_cmp_step step;
	struct sender *s = rc(test, 0xffffff);

	sender_post_kind(s, SRNIC_MSG_READ, 256 + 12);
	sender_send_all(s);
	step = sender_read(s, SRNIC_OP_READ_RESP_LAST, 0, 12);
	KUNIT_EXPECT_EQ(test, step.action, SRNIC_CMP_GO_BACK);
	step = sender_read(s, SRNIC_OP_READ_RESP_FIRST, 0xffffff, 256);
	KUNIT_EXPECT_EQ(test, step.action, SRNIC_CMP_PLACE);
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.psn, 0U);
	KUNIT_EXPECT_EQ(test, seg.offset, 256U);
	step = sender_read(s, SRNIC_OP_READ_RESP_ONLY, 0, 12);
	KUNIT_EXPECT_EQ(test, step.action, SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, s->req.tail, 1U);

	/* Of the next one nothing was asked for again: its answer starts once. */
	sender_post_kind(s, SRNIC_MSG_READ, 256 + 12);
	sender_send_all(s);
	sender_read(s, SRNIC_OP_READ_RESP_FIRST, 1, 256);
	step = sender_read(s, SRNIC_OP_READ_RESP_ONLY, 2, 12);
	KUNIT_EXPECT_EQ(test, step.action, SRNIC_CMP_FAIL);
	KUNIT_EXPECT_EQ(test, step.error, SRNIC_CMP_ERR_BAD_RESP);
}

/* A late acknowledgment passes what is being sent again: that is skipped. */
static void late_ack_while_resending(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	sender_post_kind(s, SRNIC_MSG_WRITE, 256 * 4);	/* 0..3 */
	sender_post_kind(s, SRNIC_MSG_SEND, 256 * 3);	/* 4..6 */
	sender_send_all(s);
	sender_timeout(s);
	sender_send(s);
	/* In the middle of the message, ahead of what is resent. */
	sender_ack(s, 2);
	expect_resent(test, s, 0, 3, SRNIC_OP_WRITE_LAST, 768, 256);
	/* Behind what is resent: nothing to skip. */
	expect_resent(test, s, 1, 4, SRNIC_OP_SEND_FIRST, 0, 256);
	sender_ack(s, 3);
	expect_resent(test, s, 1, 5, SRNIC_OP_SEND_MIDDLE, 256, 256);
	/* All of it. */
	sender_ack(s, 6);
	EXPECT_VERDICT(test, s, SRNIC_REQ_IDLE);
	KUNIT_EXPECT_FALSE(test, srnic_req_outstanding(&s->req));
	KUNIT_EXPECT_EQ(test, s->req.tail, 2U);
}

static void late_ack_before_anything_is_resent(struct kunit *test)
{
	struct sender *s = rc(test, 0xfffffe);
	u32 end;

	/* Of the message, or of a part of it. */
	for (end = 1; end <= 4; end++) {
		sender_post_kind(s, SRNIC_MSG_WRITE, 256 * 4);
		sender_send_all(s);
		sender_timeout(s);
		sender_ack(s, srnic_psn_add(s->req.una, end - 1));
		KUNIT_EXPECT_EQ(test, sender_send_all(s), 4 - end);
		if (end < 4)
			sender_ack(s, srnic_psn_sub(s->req.top_psn, 1));
		KUNIT_EXPECT_EQ(test, s->req.tail, end);
	}
}

static void late_read_response_while_resending(struct kunit *test)
{
	struct sender *s = rc(test, 0);
	struct srnic_req_segment seg;

	sender_post_kind(s, SRNIC_MSG_READ, 256 * 4);
	sender_post_kind(s, SRNIC_MSG_SEND, 1);
	sender_send_all(s);
	sender_timeout(s);
	sender_read(s, SRNIC_OP_READ_RESP_FIRST, 0, 256);
	sender_read(s, SRNIC_OP_READ_RESP_MIDDLE, 1, 256);
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.psn, 2U);
	KUNIT_EXPECT_EQ(test, seg.offset, 512U);
	KUNIT_EXPECT_EQ(test, seg.psns, 2U);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 4U);
}

static struct kunit_case requester_cases[] = {
	KUNIT_CASE(signaled_messages_ask_at_their_end),
	KUNIT_CASE(of_single_packets_in_a_row_the_last_asks),
	KUNIT_CASE(a_long_row_asks_now_and_then),
	KUNIT_CASE(the_last_before_idling_asks),
	KUNIT_CASE(uc_never_asks),
	KUNIT_CASE(asks_before_a_full_window),
	KUNIT_CASE(asks_before_a_fence),
	KUNIT_CASE(asks_before_the_rd_limit),
	KUNIT_CASE(asks_before_it_runs_out_of_psns),
	KUNIT_CASE(asks_before_it_is_drained),
	KUNIT_CASE(asks_when_retrying),
	KUNIT_CASE(window_counts_unacknowledged_psns),
	KUNIT_CASE(a_long_read_fills_the_window_until_it_is_answered),
	KUNIT_CASE(fence_waits_for_reads_and_atomics),
	KUNIT_CASE(fence_waits_for_nothing_else),
	KUNIT_CASE(a_fenced_message_once_started_is_resent_whole),
	KUNIT_CASE(rd_atomic_limit),
	KUNIT_CASE(rd_atomic_limit_0_lets_none_start),
	KUNIT_CASE(resending_needs_no_slot),
	KUNIT_CASE(draining_finishes_what_is_started),
	KUNIT_CASE(goes_back_to_the_exact_packet),
	KUNIT_CASE(goes_back_again),
	KUNIT_CASE(goes_back_in_a_message_that_is_not_sent_to_its_end),
	KUNIT_CASE(a_read_is_resumed),
	KUNIT_CASE(a_read_is_resumed_behind_a_late_answer),
	KUNIT_CASE(late_ack_while_resending),
	KUNIT_CASE(late_ack_before_anything_is_resent),
	KUNIT_CASE(late_read_response_while_resending),
	{}
};

static struct kunit_suite requester_suite = {
	.name = "srnic_transport_requester",
	.test_cases = requester_cases,
};

kunit_test_suite(requester_suite);
