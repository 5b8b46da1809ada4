// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completer: acknowledgments, NAKs and READ or atomic responses (rules 2.3, 2.6,
 * 2.7, 2.9, 2.12, 4.10 to 4.13, 4.16).
 */
#include <kunit/test.h>

#include "transport_sender.h"

static struct sender *rc(struct kunit *test, u32 psn)
{
	return sender_new(test, SRNIC_SERVICE_RC, 256, psn);
}

/* Messages of so many packets, all sent. */
static struct sender *sent(struct kunit *test, u32 psn, const u32 *packets, u32 n)
{
	struct sender *s = rc(test, psn);
	u32 i;

	for (i = 0; i < n; i++)
		sender_post_kind(s, i % 2 ? SRNIC_MSG_WRITE : SRNIC_MSG_SEND, packets[i] * 256);
	sender_send_all(s);
	return s;
}

/* ---- ACK ---- */

static void an_ack_covers_all_before_it(struct kunit *test)
{
	/* Packets	 0  1..3  4  5..6  7 */
	static const u32 packets[] = { 1, 3, 1, 2, 1 };
	static const u32 complete[] = { 1, 1, 1, 2, 3, 3, 4, 5 };
	static const u32 starts[] = { 0, 0xfffffc, 0xffffff, 0x7ffffc };
	struct srnic_cmp_step step;
	u32 i, psn;

	for (i = 0; i < ARRAY_SIZE(complete) * ARRAY_SIZE(starts); i++) {
		u32 start = starts[i / ARRAY_SIZE(complete)];
		u32 at = i % ARRAY_SIZE(complete);
		struct sender *s = sent(test, start, packets, ARRAY_SIZE(packets));

		psn = srnic_psn_add(start, at);
		step = sender_ack(s, psn);
		SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_NONE);
		KUNIT_EXPECT_EQ(test, step.tail, complete[at]);
		KUNIT_EXPECT_EQ(test, step.una, srnic_psn_add(psn, 1));
		KUNIT_EXPECT_EQ(test, s->req.tail, complete[at]);
		KUNIT_EXPECT_EQ(test, s->req.una, srnic_psn_add(psn, 1));
		kunit_kfree(test, s);
	}
}

static void every_credit_code_is_an_ack(struct kunit *test)
{
	u8 code;

	for (code = 0; code < 32; code++) {
		struct sender *s = sent(test, 0, (u32[]){ 2 }, 1);
		struct srnic_cmp_step step = sender_nak(s, 1, code);

		SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_NONE);
		KUNIT_EXPECT_EQ(test, s->req.tail, 1U);
		kunit_kfree(test, s);
	}
}

/* A response that has no place: nothing changes. */
static void expect_ghost(struct kunit *test, struct sender *s, u8 op, u32 psn, u8 syndrome,
			 u32 bytes)
{
	struct srnic_req before = s->req;
	struct srnic_cmp_step step = sender_receive(s, op, psn, syndrome, bytes);

	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_GHOST);
	KUNIT_EXPECT_EQ(test, memcmp(&before, &s->req, sizeof(before)), 0);
}

static void expect_ghosts(struct kunit *test, struct sender *s, u32 psn)
{
	static const u8 syndromes[] = { 0x1f, 0x20, 0x21, 0x3f, 0x60, 0x61, 0x62, 0x63 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(syndromes); i++)
		expect_ghost(test, s, SRNIC_OP_ACK, psn, syndromes[i], 0);
	expect_ghost(test, s, SRNIC_OP_READ_RESP_ONLY, psn, 0x1f, 8);
	expect_ghost(test, s, SRNIC_OP_READ_RESP_MIDDLE, psn, 0, 256);
	expect_ghost(test, s, SRNIC_OP_ATOMIC_ACK, psn, 0x1f, 0);
}

static void responses_to_what_is_not_outstanding(struct kunit *test)
{
	static const u32 starts[] = { 100, 0xfffffd, 1 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		struct sender *s = sent(test, starts[i], (u32[]){ 2, 2, 4 }, 3);
		u32 una, top;

		sender_ack(s, srnic_psn_add(starts[i], 2));
		una = srnic_psn_add(starts[i], 3);
		top = srnic_psn_add(starts[i], 8);
		expect_ghosts(test, s, srnic_psn_sub(una, 1));
		expect_ghosts(test, s, starts[i]);
		expect_ghosts(test, s, srnic_psn_sub(una, 0x7fffff));
		expect_ghosts(test, s, top);
		expect_ghosts(test, s, srnic_psn_add(top, 0x7ffff0));

		/* All acknowledged: nothing has an answer any more. */
		sender_ack(s, srnic_psn_sub(top, 1));
		expect_ghosts(test, s, srnic_psn_sub(top, 1));
		expect_ghosts(test, s, top);
		kunit_kfree(test, s);
	}
}

/* A message has its PSNs, but what was not sent cannot be acknowledged. */
static void psns_of_a_message_that_were_not_sent_yet(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	sender_post_kind(s, SRNIC_MSG_WRITE, 256 * 8);
	sender_send(s);
	sender_send(s);
	expect_ghosts(test, s, 2);
	expect_ghosts(test, s, 7);
	sender_ack(s, 1);
	KUNIT_EXPECT_EQ(test, s->req.una, 2U);
	expect_ghosts(test, s, 2);
}

/* ---- NAK ---- */

static void sequence_nak_acknowledges_what_is_before_it(struct kunit *test)
{
	static const u32 packets[] = { 1, 3, 2 };
	struct srnic_cmp_step step;
	u32 psn, starts;

	for (starts = 0; starts < 12; starts++) {
		u32 start = starts < 6 ? 7 : 0xfffffd, at = starts % 6;
		struct sender *s = sent(test, start, packets, 3);

		psn = srnic_psn_add(start, at);
		step = sender_nak(s, psn, SRNIC_NAK_PSN_SEQ);
		SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_GO_BACK);
		KUNIT_EXPECT_EQ(test, step.una, psn);
		KUNIT_EXPECT_EQ(test, step.tail, at < 1 ? 0U : at < 4 ? 1U : 2U);
		KUNIT_EXPECT_EQ(test, sender_send(s).psn, psn);
		KUNIT_EXPECT_EQ(test, sender_send_all(s), 5 - at);
		kunit_kfree(test, s);
	}
}

static const struct {
	u8 syndrome;
	enum srnic_cmp_error error;
} fatal_naks[] = {
	{ 0x61, SRNIC_CMP_ERR_REM_INV_REQ },
	{ 0x62, SRNIC_CMP_ERR_REM_ACCESS },
	{ 0x63, SRNIC_CMP_ERR_REM_OP },
};

static void fatal_nak_names_the_message_of_its_psn(struct kunit *test)
{
	static const u32 packets[] = { 1, 3, 2 };
	u32 i, at;

	for (i = 0; i < ARRAY_SIZE(fatal_naks); i++) {
		for (at = 0; at < 6; at++) {
			struct sender *s = sent(test, 0xfffffe, packets, 3);

			SENDER_EXPECT_FAIL(test,
					   sender_nak(s, srnic_psn_add(0xfffffe, at),
						      fatal_naks[i].syndrome),
					   fatal_naks[i].error, at < 1 ? 0 : at < 4 ? 1 : 2);
			kunit_kfree(test, s);
		}
	}
}

static void fatal_nak_for_a_read_or_atomic(struct kunit *test)
{
	static const enum srnic_msg_kind kinds[] = {
		SRNIC_MSG_READ, SRNIC_MSG_CMP_SWAP, SRNIC_MSG_FETCH_ADD
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fatal_naks) * ARRAY_SIZE(kinds); i++) {
		struct sender *s = rc(test, 0);

		sender_post_kind(s, SRNIC_MSG_SEND, 8);
		sender_post_kind(s, kinds[i % 3], 8);
		sender_post_kind(s, SRNIC_MSG_SEND, 8);
		sender_send_all(s);
		SENDER_EXPECT_FAIL(test, sender_nak(s, 1, fatal_naks[i / 3].syndrome),
				   fatal_naks[i / 3].error, 1);
		kunit_kfree(test, s);
	}
}

/* After some of its responses: a key that was taken away (4.12). */
static void nak_in_the_middle_of_a_read(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	sender_post_kind(s, SRNIC_MSG_READ, 256 * 4);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);
	sender_send_all(s);
	sender_read(s, SRNIC_OP_READ_RESP_FIRST, 0, 256);
	SENDER_EXPECT_FAIL(test, sender_nak(s, 1, SRNIC_NAK_REM_ACCESS),
			   SRNIC_CMP_ERR_REM_ACCESS, 0);

	s = rc(test, 0);
	sender_post_kind(s, SRNIC_MSG_READ, 256 * 4);
	sender_send_all(s);
	sender_read(s, SRNIC_OP_READ_RESP_FIRST, 0, 256);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 1, SRNIC_NAK_PSN_SEQ), SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, sender_send(s).psns, 3U);
}

/*
 * The answer of a READ is missing, and the responder has given up because of a later
 * request: it will not answer the READ any more, which is the oldest and fails.
 */
static void fatal_nak_behind_an_unanswered_read(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	sender_post_kind(s, SRNIC_MSG_SEND, 8);
	sender_post_kind(s, SRNIC_MSG_READ, 8);
	sender_post_kind(s, SRNIC_MSG_WRITE, 8);
	sender_send_all(s);
	SENDER_EXPECT_FAIL(test, sender_nak(s, 2, SRNIC_NAK_REM_ACCESS),
			   SRNIC_CMP_ERR_REM_ACCESS, 1);
}

static void reserved_syndromes_are_ignored(struct kunit *test)
{
	u32 i;

	for (i = 0x40; i < 0x100; i++) {
		struct sender *s;

		if (i >= 0x60 && i <= 0x63)
			continue;
		s = sent(test, 0, (u32[]){ 1, 1, 1 }, 3);
		expect_ghost(test, s, SRNIC_OP_ACK, 1, i, 0);
		kunit_kfree(test, s);
	}
}

/* ---- READs and atomics in the way ---- */

static struct sender *with_read(struct kunit *test, enum srnic_msg_kind kind)
{
	struct sender *s = rc(test, 0xfffffe);

	sender_post_kind(s, SRNIC_MSG_SEND, 8);			/* fffffe */
	sender_post_kind(s, kind, kind == SRNIC_MSG_READ ? 512 : 8);	/* ffffff (0) */
	sender_post_kind(s, SRNIC_MSG_WRITE, 8);
	sender_send_all(s);
	return s;
}

/* Its response was lost: what is before it is complete, and it is sent again (4.10). */
static void an_ack_behind_a_read_or_atomic_is_an_implied_nak(struct kunit *test)
{
	static const enum srnic_msg_kind kinds[] = {
		SRNIC_MSG_READ, SRNIC_MSG_CMP_SWAP, SRNIC_MSG_FETCH_ADD
	};
	static const u8 syndromes[] = { 0x1f, 0x60, 0x21 };
	struct srnic_cmp_step step;
	u32 i, end;

	for (i = 0; i < ARRAY_SIZE(kinds) * ARRAY_SIZE(syndromes); i++) {
		struct sender *s = with_read(test, kinds[i % 3]);

		end = srnic_psn_sub(s->req.top_psn, 1);
		step = sender_nak(s, end, syndromes[i / 3]);
		SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_GO_BACK);
		KUNIT_EXPECT_EQ(test, step.tail, 1U);
		KUNIT_EXPECT_EQ(test, step.una, 0xffffffU);
		KUNIT_EXPECT_EQ(test, step.responses, 0U);

		/* One event: others of it are ignored until the PSN shows up. */
		sender_send_all(s);
		step = sender_ack(s, end);
		SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_NONE);
		KUNIT_EXPECT_EQ(test, step.tail, 1U);
		KUNIT_EXPECT_EQ(test, s->req.retry_left, (u8)6);
		KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_IDLE);
		kunit_kfree(test, s);
	}
}

/* Not even an ACK of the READ's own PSNs completes it (2.6). */
static void an_ack_of_a_read_does_not_complete_it(struct kunit *test)
{
	static const u32 psns[] = { 0xffffff, 0 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(psns); i++) {
		struct sender *s = with_read(test, SRNIC_MSG_READ);
		struct srnic_cmp_step step = sender_ack(s, psns[i]);

		KUNIT_EXPECT_EQ(test, step.tail, 1U);
		KUNIT_EXPECT_EQ(test, step.una, 0xffffffU);
		kunit_kfree(test, s);
	}
}

static void a_response_acknowledges_what_is_before_it(struct kunit *test)
{
	struct sender *s = with_read(test, SRNIC_MSG_READ);
	struct srnic_cmp_step step = sender_read(s, SRNIC_OP_READ_RESP_FIRST, 0xffffff, 256);

	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, step.tail, 1U);
	KUNIT_EXPECT_EQ(test, step.index, 1U);
	KUNIT_EXPECT_EQ(test, step.una, 0U);
	KUNIT_EXPECT_EQ(test, step.responses, 0U);

	step = sender_read(s, SRNIC_OP_READ_RESP_LAST, 0, 256);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, step.offset, 256U);
	KUNIT_EXPECT_EQ(test, step.tail, 2U);
	KUNIT_EXPECT_EQ(test, step.responses, 1U);
	KUNIT_EXPECT_EQ(test, s->req.rd_atomic, 0U);

	s = with_read(test, SRNIC_MSG_FETCH_ADD);
	step = sender_atomic(s, 0xffffff);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, step.offset, 0U);
	KUNIT_EXPECT_EQ(test, step.index, 1U);
	KUNIT_EXPECT_EQ(test, step.tail, 2U);
	KUNIT_EXPECT_EQ(test, step.responses, 1U);
}

/* A later response says that an earlier one was lost (4.10, 4.11). */
static void a_response_out_of_order(struct kunit *test)
{
	struct sender *s = rc(test, 0);
	struct srnic_cmp_step step;
	struct srnic_req_segment seg;
	u32 psn;

	sender_post_kind(s, SRNIC_MSG_SEND, 8);		/* 0 */
	sender_post_kind(s, SRNIC_MSG_READ, 256 * 6);	/* 1..6 */
	sender_post_kind(s, SRNIC_MSG_FETCH_ADD, 8);	/* 7 */
	sender_send_all(s);
	sender_read(s, SRNIC_OP_READ_RESP_FIRST, 1, 256);

	step = sender_read(s, SRNIC_OP_READ_RESP_MIDDLE, 3, 256);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, step.una, 2U);
	/* The rest of that burst is of the same event. */
	for (psn = 4; psn <= 5; psn++)
		SENDER_EXPECT_ACTION(test, sender_read(s, SRNIC_OP_READ_RESP_MIDDLE, psn, 256),
				     SRNIC_CMP_NONE);
	SENDER_EXPECT_ACTION(test, sender_read(s, SRNIC_OP_READ_RESP_LAST, 6, 256),
			     SRNIC_CMP_NONE);
	SENDER_EXPECT_ACTION(test, sender_atomic(s, 7), SRNIC_CMP_NONE);
	KUNIT_EXPECT_EQ(test, s->req.retry_left, (u8)6);

	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.psn, 2U);
	KUNIT_EXPECT_EQ(test, seg.psns, 5U);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 7U);

	/* It begins with FIRST again. */
	step = sender_read(s, SRNIC_OP_READ_RESP_FIRST, 2, 256);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, step.offset, 256U);
	/* The next loss is another event. */
	SENDER_EXPECT_ACTION(test, sender_atomic(s, 7), SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, s->req.una, 3U);
}

static void atomic_responses_out_of_order(struct kunit *test)
{
	struct sender *s = rc(test, 0);

	sender_post_kind(s, SRNIC_MSG_CMP_SWAP, 8);
	sender_post_kind(s, SRNIC_MSG_FETCH_ADD, 8);
	sender_send_all(s);
	SENDER_EXPECT_ACTION(test, sender_atomic(s, 1), SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, s->req.rd_atomic, 2U);
	SENDER_EXPECT_ACTION(test, sender_atomic(s, 0), SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 1U);
	SENDER_EXPECT_ACTION(test, sender_atomic(s, 1), SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, s->req.rd_atomic, 0U);
	KUNIT_EXPECT_EQ(test, s->req.tail, 2U);
}

/* ---- lengths and kinds ---- */

struct response_row {
	u8 op;
	u32 at;
	u32 bytes;
	enum srnic_cmp_error error;
};

/* Of a READ of 600 bytes: 256, 256, 88. */
static const struct response_row read_rows[] = {
	{ SRNIC_OP_READ_RESP_FIRST, 0, 256, SRNIC_CMP_ERR_NONE },
	{ SRNIC_OP_READ_RESP_FIRST, 0, 255, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_FIRST, 0, 257, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_FIRST, 0, 0, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_ONLY, 0, 256, SRNIC_CMP_ERR_LENGTH },
	/* All that was asked for, in a packet that is longer than the MTU. */
	{ SRNIC_OP_READ_RESP_ONLY, 0, 600, SRNIC_CMP_ERR_LENGTH },
	/* Out of place (4.13): nothing was asked for again. */
	{ SRNIC_OP_READ_RESP_LAST, 0, 600, SRNIC_CMP_ERR_BAD_RESP },
	{ SRNIC_OP_READ_RESP_MIDDLE, 0, 256, SRNIC_CMP_ERR_BAD_RESP },
	{ SRNIC_OP_READ_RESP_FIRST, 1, 256, SRNIC_CMP_ERR_BAD_RESP },
	{ SRNIC_OP_READ_RESP_MIDDLE, 1, 256, SRNIC_CMP_ERR_NONE },
	{ SRNIC_OP_READ_RESP_MIDDLE, 1, 255, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_MIDDLE, 1, 260, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_LAST, 1, 256, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_LAST, 1, 344, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_LAST, 2, 88, SRNIC_CMP_ERR_NONE },
	{ SRNIC_OP_READ_RESP_ONLY, 2, 88, SRNIC_CMP_ERR_BAD_RESP },
	{ SRNIC_OP_READ_RESP_LAST, 2, 87, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_LAST, 2, 89, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_LAST, 2, 0, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_MIDDLE, 2, 256, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_MIDDLE, 2, 88, SRNIC_CMP_ERR_LENGTH },
	{ SRNIC_OP_READ_RESP_FIRST, 2, 88, SRNIC_CMP_ERR_BAD_RESP },
	{ SRNIC_OP_ATOMIC_ACK, 0, 0, SRNIC_CMP_ERR_BAD_RESP },
	{ SRNIC_OP_ATOMIC_ACK, 2, 0, SRNIC_CMP_ERR_BAD_RESP },
};

static void read_response_lengths(struct kunit *test)
{
	struct srnic_cmp_step step;
	u32 i, psn;

	for (i = 0; i < ARRAY_SIZE(read_rows); i++) {
		const struct response_row *row = &read_rows[i];
		struct sender *s = rc(test, 0xfffffe);

		sender_post_kind(s, SRNIC_MSG_READ, 600);
		sender_send_all(s);
		for (psn = 0; psn < row->at; psn++)
			sender_read(s, psn ? SRNIC_OP_READ_RESP_MIDDLE : SRNIC_OP_READ_RESP_FIRST,
				    srnic_psn_add(0xfffffe, psn), 256);
		step = sender_read(s, row->op, srnic_psn_add(0xfffffe, row->at), row->bytes);
		KUNIT_EXPECT_EQ_MSG(test, (int)step.error, (int)row->error, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (int)step.action,
				    (int)(row->error ? SRNIC_CMP_FAIL : SRNIC_CMP_PLACE),
				    "row %u", i);
		if (row->error)
			KUNIT_EXPECT_EQ_MSG(test, step.tail, 0U, "row %u", i);
		else
			KUNIT_EXPECT_EQ_MSG(test, step.offset, 256 * row->at, "row %u", i);
		kunit_kfree(test, s);
	}
}

static void read_of_nothing(struct kunit *test)
{
	struct sender *s = rc(test, 0xffffff);
	struct srnic_cmp_step step;

	sender_post_kind(s, SRNIC_MSG_READ, 0);
	sender_send_all(s);
	step = sender_read(s, SRNIC_OP_READ_RESP_ONLY, 0xffffff, 0);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, step.tail, 1U);
	KUNIT_EXPECT_EQ(test, s->req.una, 0U);
}

static void responses_of_the_wrong_kind(struct kunit *test)
{
	static const struct {
		enum srnic_msg_kind kind;
		u8 op;
		u32 bytes;
	} rows[] = {
		{ SRNIC_MSG_SEND, SRNIC_OP_READ_RESP_ONLY, 8 },
		{ SRNIC_MSG_SEND, SRNIC_OP_ATOMIC_ACK, 0 },
		{ SRNIC_MSG_WRITE, SRNIC_OP_READ_RESP_LAST, 8 },
		{ SRNIC_MSG_WRITE, SRNIC_OP_ATOMIC_ACK, 0 },
		{ SRNIC_MSG_CMP_SWAP, SRNIC_OP_READ_RESP_ONLY, 8 },
		{ SRNIC_MSG_FETCH_ADD, SRNIC_OP_READ_RESP_FIRST, 8 },
		{ SRNIC_MSG_READ, SRNIC_OP_ATOMIC_ACK, 0 },
		{ SRNIC_MSG_ATOMIC_WRITE, SRNIC_OP_ATOMIC_ACK, 0 },
		{ SRNIC_MSG_ATOMIC_WRITE, SRNIC_OP_READ_RESP_LAST, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sender *s = rc(test, 0);

		sender_post_kind(s, SRNIC_MSG_SEND, 8);
		sender_post_kind(s, rows[i].kind, 8);
		sender_send_all(s);
		SENDER_EXPECT_FAIL(test,
				   sender_receive(s, rows[i].op, 1, 0x1f, rows[i].bytes),
				   SRNIC_CMP_ERR_BAD_RESP, 1);
		kunit_kfree(test, s);
	}
}

static struct kunit_case ack_cases[] = {
	KUNIT_CASE(an_ack_covers_all_before_it),
	KUNIT_CASE(every_credit_code_is_an_ack),
	KUNIT_CASE(responses_to_what_is_not_outstanding),
	KUNIT_CASE(psns_of_a_message_that_were_not_sent_yet),
	KUNIT_CASE(sequence_nak_acknowledges_what_is_before_it),
	KUNIT_CASE(fatal_nak_names_the_message_of_its_psn),
	KUNIT_CASE(fatal_nak_for_a_read_or_atomic),
	KUNIT_CASE(nak_in_the_middle_of_a_read),
	KUNIT_CASE(fatal_nak_behind_an_unanswered_read),
	KUNIT_CASE(reserved_syndromes_are_ignored),
	KUNIT_CASE(an_ack_behind_a_read_or_atomic_is_an_implied_nak),
	KUNIT_CASE(an_ack_of_a_read_does_not_complete_it),
	KUNIT_CASE(a_response_acknowledges_what_is_before_it),
	KUNIT_CASE(a_response_out_of_order),
	KUNIT_CASE(atomic_responses_out_of_order),
	KUNIT_CASE(read_response_lengths),
	KUNIT_CASE(read_of_nothing),
	KUNIT_CASE(responses_of_the_wrong_kind),
	{}
};

static struct kunit_suite ack_suite = {
	.name = "srnic_transport_ack",
	.test_cases = ack_cases,
};

kunit_test_suite(ack_suite);
