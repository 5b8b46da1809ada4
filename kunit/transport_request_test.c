// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: what becomes of a request packet (rules 2.2, 2.8, 3.2 to 3.4).
 */
#include <kunit/test.h>

#include "transport_receiver.h"

static struct receiver *rc(struct kunit *test, u32 psn)
{
	return receiver_new(test, SRNIC_SERVICE_RC, psn);
}

/* What a fresh packet of each operation looks like when it is right. */
struct op_row {
	u8 op;
	enum srnic_msg_kind kind;
	bool starts, ends;
	bool takes, completes;		/* a receive WQE */
	bool has_reth;
	u32 bytes;
};

static const struct op_row op_rows[] = {
	{ 0x00, SRNIC_MSG_SEND, true, false, true, false, false, 256 },
	{ 0x01, SRNIC_MSG_SEND, false, false, false, false, false, 256 },
	{ 0x02, SRNIC_MSG_SEND, false, true, false, true, false, 1 },
	{ 0x03, SRNIC_MSG_SEND, false, true, false, true, false, 1 },
	{ 0x04, SRNIC_MSG_SEND, true, true, true, true, false, 0 },
	{ 0x05, SRNIC_MSG_SEND, true, true, true, true, false, 0 },
	{ 0x06, SRNIC_MSG_WRITE, true, false, false, false, true, 256 },
	{ 0x07, SRNIC_MSG_WRITE, false, false, false, false, false, 256 },
	{ 0x08, SRNIC_MSG_WRITE, false, true, false, false, false, 1 },
	{ 0x09, SRNIC_MSG_WRITE, false, true, true, true, false, 1 },
	{ 0x0a, SRNIC_MSG_WRITE, true, true, false, false, true, 0 },
	{ 0x0b, SRNIC_MSG_WRITE, true, true, true, true, true, 0 },
	{ 0x0c, SRNIC_MSG_READ, true, true, false, false, true, 0 },
	{ 0x13, SRNIC_MSG_CMP_SWAP, true, true, false, false, false, 0 },
	{ 0x14, SRNIC_MSG_FETCH_ADD, true, true, false, false, false, 0 },
	{ 0x1d, SRNIC_MSG_ATOMIC_WRITE, true, true, false, false, true, 8 },
};

static struct srnic_pkt good_packet(const struct op_row *row, u32 psn)
{
	struct srnic_pkt pkt = request(row->op, psn, row->bytes);

	/* WRITE FIRST announces one byte more, which LAST brings. */
	if (row->kind == SRNIC_MSG_WRITE && row->starts && !row->ends)
		pkt.dma_len = 256 + 256 + 1;
	return pkt;
}

/* Nothing under way; or in a SEND; or in a WRITE of which 257 bytes are to come. */
static struct receiver *in_state(struct kunit *test, int state, u32 psn)
{
	struct receiver *r = rc(test, srnic_psn_sub(psn, !!state));

	if (state == 1)
		receiver_take_ok(r, request(0x00, psn - 1, 256));
	else if (state == 2)
		receiver_take_ok(r, request_for(0x06, psn - 1, 256, 256 + 256 + 1));
	return r;
}

static const enum srnic_msg_kind state_kind[] = { 0, SRNIC_MSG_SEND, SRNIC_MSG_WRITE };

/* Row c. */
static void operations_follow_each_other(struct kunit *test)
{
	u32 i, state;

	for (i = 0; i < ARRAY_SIZE(op_rows); i++) {
		for (state = 0; state < 3; state++) {
			const struct op_row *row = &op_rows[i];
			struct receiver *r = in_state(test, state, 0);
			struct srnic_pkt pkt = good_packet(row, 0);
			bool legal = state ? !row->starts && row->kind == state_kind[state] :
					     row->starts;

			/* The last packet of that WRITE has all that is missing. */
			if (row->kind == SRNIC_MSG_WRITE && !row->starts && row->ends)
				r->rsp.rest = 1;
			if (legal)
				KUNIT_EXPECT_EQ_MSG(test, (int)receiver_take(r, pkt).verdict,
						    (int)SRNIC_RSP_EXECUTE, "op %x state %u",
						    row->op, state);
			else
				receiver_expect_nak(test, r, pkt, SRNIC_NAK_INV_REQ);
			kunit_kfree(test, r);
		}
	}
}

/* Row f: which packets need a receive WQE, and which make a completion. */
static void receive_wqes(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(op_rows); i++) {
		const struct op_row *row = &op_rows[i];
		u32 state = row->starts ? 0 : row->kind == SRNIC_MSG_SEND ? 1 : 2;
		struct receiver *r = in_state(test, state, 7);
		struct srnic_rsp_step step;

		if (row->kind == SRNIC_MSG_WRITE && !row->starts && row->ends)
			r->rsp.rest = 1;
		step = receiver_look(r, good_packet(row, 7));
		RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
		KUNIT_EXPECT_EQ_MSG(test, step.take_recv, row->takes, "op %x", row->op);
		KUNIT_EXPECT_EQ_MSG(test, step.complete_recv, row->completes, "op %x", row->op);
		KUNIT_EXPECT_EQ_MSG(test, (int)step.kind, (int)row->kind, "op %x", row->op);
		kunit_kfree(test, r);
	}
}

/* Rows a and b: the whole circle of PSNs. */
static void old_expected_and_too_new_psns(struct kunit *test)
{
	static const u32 expected[] = { 0, 1, 0x123456, 0x7fffff, 0x800000, 0xffffff };
	static const struct {
		u32 distance;
		enum srnic_rsp_verdict verdict;
	} rows[] = {
		{ 0, SRNIC_RSP_EXECUTE },
		{ 1, SRNIC_RSP_GAP },
		{ 0x7fffff, SRNIC_RSP_GAP },
		{ 0x800000, SRNIC_RSP_DUPLICATE },
		{ 0x800001, SRNIC_RSP_DUPLICATE },
		{ 0xffffff, SRNIC_RSP_DUPLICATE },
	};
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		struct receiver *r = rc(test, expected[i]);

		for (k = 0; k < ARRAY_SIZE(rows); k++)
			KUNIT_EXPECT_EQ_MSG(test,
					    (int)receiver_look(r, request(0x04, expected[i] +
								rows[k].distance, 8)).verdict,
					    (int)rows[k].verdict, "%x + %x", expected[i],
					    rows[k].distance);
		kunit_kfree(test, r);
	}
}

/* Rows a and b come before all others: such a packet may be whatever it likes. */
static void psn_is_looked_at_first(struct kunit *test)
{
	u32 i, state, op;

	for (i = 0; i < 2 * 3; i++) {
		struct receiver *r;

		state = i / 2;
		r = in_state(test, state, 100);
		r->rsp.access = 0;
		r->rsp.max_rd_atomic = 0;
		for (op = 0; op < 0x20; op++) {
			struct srnic_pkt pkt = request(op, i % 2 ? 99 : 101, 300);

			if (!pkt.info || !pkt.info->request)
				continue;
			pkt.va = 3;
			pkt.dma_len = 0xffffffff;
			RECEIVER_EXPECT_VERDICT(test, receiver_look(r, pkt),
						i % 2 ? SRNIC_RSP_DUPLICATE : SRNIC_RSP_GAP);
		}
		kunit_kfree(test, r);
	}
}

static void one_nak_a_gap(struct kunit *test)
{
	struct receiver *r = rc(test, 0xffffff);
	u32 i;

	RECEIVER_EXPECT_VERDICT(test, receiver_take(r, request(0x04, 0, 8)), SRNIC_RSP_GAP);
	receiver_expect_ack(r, 0xffffff, 0x60);
	for (i = 0; i < 5; i++)
		RECEIVER_EXPECT_VERDICT(test, receiver_take(r, request(0x04, i, 8)),
					SRNIC_RSP_DROP);
	receiver_expect_silence(r);

	/* The packet comes; a gap behind it is a new one. */
	receiver_take_ok(r, request(0x04, 0xffffff, 8));
	receiver_expect_ack(r, 0xffffff, 0x1f);
	RECEIVER_EXPECT_VERDICT(test, receiver_take(r, request(0x04, 1, 8)), SRNIC_RSP_GAP);
	receiver_expect_ack(r, 0, 0x60);
}

/* Behind a packet that found no receive WQE all are dropped without a word. */
static void no_sequence_nak_after_rnr(struct kunit *test)
{
	struct receiver *r = rc(test, 5);
	u32 i;

	KUNIT_EXPECT_TRUE(test, receiver_look(r, request(0x04, 5, 8)).take_recv);
	srnic_rsp_nak(&r->rsp, srnic_aeth_rnr(14));
	receiver_expect_ack(r, 5, 0x2e);
	for (i = 6; i < 9; i++)
		RECEIVER_EXPECT_VERDICT(test, receiver_take(r, request(0x04, i, 8)),
					SRNIC_RSP_DROP);
	receiver_expect_silence(r);

	/* Nothing was executed: it is expected still, and may fail again. */
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 0U);
	RECEIVER_EXPECT_VERDICT(test, receiver_look(r, request(0x04, 5, 8)), SRNIC_RSP_EXECUTE);
	srnic_rsp_nak(&r->rsp, srnic_aeth_rnr(14));
	receiver_expect_ack(r, 5, 0x2e);
	receiver_take_ok(r, request(0x04, 5, 8));
	receiver_expect_ack(r, 5, 0x1f);
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 1U);
}

/* The packet comes before the NAK that asks for it is out: nothing to ask for. */
static void a_nak_that_is_out_of_date_is_not_sent(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	receiver_take(r, request(0x04, 1, 8));
	receiver_take_ok(r, request(0x04, 0, 8));
	receiver_expect_ack(r, 0, 0x1f);
	receiver_expect_silence(r);

	srnic_rsp_nak(&r->rsp, srnic_aeth_rnr(1));
	receiver_take_ok(r, request(0x04, 1, 8));
	receiver_expect_ack(r, 1, 0x1f);
	receiver_expect_silence(r);
}

/* Row d. */
static void access_flags_grant_operations(struct kunit *test)
{
	static const struct {
		u8 op;
		u32 needs;
	} rows[] = {
		{ 0x04, 0 },
		{ 0x0a, SRNIC_ACCESS_REMOTE_WRITE },
		{ 0x0b, SRNIC_ACCESS_REMOTE_WRITE },
		{ 0x0c, SRNIC_ACCESS_REMOTE_READ },
		{ 0x13, SRNIC_ACCESS_REMOTE_ATOMIC },
		{ 0x14, SRNIC_ACCESS_REMOTE_ATOMIC },
	};
	u32 i, access;

	/* The values of enum ib_access_flags. */
	KUNIT_EXPECT_EQ(test, SRNIC_ACCESS_REMOTE_WRITE, 2U);
	KUNIT_EXPECT_EQ(test, SRNIC_ACCESS_REMOTE_READ, 4U);
	KUNIT_EXPECT_EQ(test, SRNIC_ACCESS_REMOTE_ATOMIC, 8U);
	for (access = 0; access < 16; access++) {
		struct receiver *r = rc(test, 0);

		r->rsp.access = access;
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			/* Of zero length: it is asked for all the same. */
			struct srnic_pkt pkt = request(rows[i].op, 0, 0);

			if ((access & rows[i].needs) == rows[i].needs)
				RECEIVER_EXPECT_VERDICT(test, receiver_look(r, pkt),
							SRNIC_RSP_EXECUTE);
			else
				receiver_expect_nak(test, r, pkt, SRNIC_NAK_INV_REQ);
		}
		kunit_kfree(test, r);
	}
}

static void unsupported_operations(struct kunit *test)
{
	receiver_expect_nak(test, rc(test, 0), request(SRNIC_OP_FLUSH, 0, 0),
			    SRNIC_NAK_INV_REQ);
}

/* It is a SEND; what becomes of the key is not for the state machine to say. */
static void send_with_invalidate(struct kunit *test)
{
	struct receiver *r = rc(test, 0);
	struct srnic_rsp_step step;

	step = receiver_take(r, request(SRNIC_OP_SEND_ONLY_INV, 0, 8));
	KUNIT_EXPECT_EQ(test, (int)step.verdict, (int)SRNIC_RSP_EXECUTE);
	KUNIT_EXPECT_TRUE(test, step.take_recv && step.complete_recv && step.place_send);
	receiver_take_ok(r, request(0x00, 1, 256));
	step = receiver_take(r, request(SRNIC_OP_SEND_LAST_INV, 2, 8));
	KUNIT_EXPECT_EQ(test, (int)step.verdict, (int)SRNIC_RSP_EXECUTE);
	KUNIT_EXPECT_TRUE(test, step.complete_recv && !step.take_recv);
	KUNIT_EXPECT_EQ(test, step.message_bytes, 264U);
	receiver_expect_nak(test, r, request(SRNIC_OP_SEND_LAST_INV, 3, 8), SRNIC_NAK_INV_REQ);
}

/* Row g. */
static void lengths_and_positions(struct kunit *test)
{
	static const struct {
		u8 op;
		u32 state;
		u32 bytes;
		bool good;
	} rows[] = {
		{ 0x00, 0, 256, true }, { 0x00, 0, 255, false }, { 0x00, 0, 257, false },
		{ 0x00, 0, 0, false },
		{ 0x01, 1, 256, true }, { 0x01, 1, 255, false }, { 0x01, 1, 512, false },
		{ 0x02, 1, 1, true }, { 0x02, 1, 256, true }, { 0x02, 1, 0, false },
		{ 0x02, 1, 257, false },
		{ 0x03, 1, 1, true }, { 0x03, 1, 0, false }, { 0x03, 1, 257, false },
		{ 0x04, 0, 0, true }, { 0x04, 0, 256, true }, { 0x04, 0, 257, false },
		{ 0x05, 0, 0, true }, { 0x05, 0, 256, true }, { 0x05, 0, 257, false },
		{ 0x06, 0, 255, false }, { 0x06, 0, 257, false }, { 0x06, 0, 0, false },
		{ 0x07, 2, 256, true }, { 0x07, 2, 255, false }, { 0x07, 2, 257, false },
		{ 0x08, 2, 0, false }, { 0x08, 2, 257, false },
		{ 0x09, 2, 0, false }, { 0x09, 2, 257, false },
		{ 0x0a, 0, 0, true }, { 0x0a, 0, 256, true }, { 0x0a, 0, 257, false },
		{ 0x0b, 0, 0, true }, { 0x0b, 0, 256, true }, { 0x0b, 0, 257, false },
		{ 0x0c, 0, 4, false }, { 0x13, 0, 8, false }, { 0x14, 0, 8, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct receiver *r = in_state(test, rows[i].state, 0);
		struct srnic_pkt pkt = request(rows[i].op, 0, rows[i].bytes);

		if (rows[i].good)
			KUNIT_EXPECT_EQ_MSG(test, (int)receiver_look(r, pkt).verdict,
					    (int)SRNIC_RSP_EXECUTE, "row %u", i);
		else
			receiver_expect_nak(test, r, pkt, SRNIC_NAK_INV_REQ);
		kunit_kfree(test, r);
	}
}

static void dma_len_is_at_most_2_to_the_31(struct kunit *test)
{
	struct receiver *r = rc(test, 0xffffff);
	struct srnic_rsp_step step;

	RECEIVER_EXPECT_VERDICT(test, receiver_look(r, request_for(0x06, 0xffffff, 256, 1U << 31)),
				SRNIC_RSP_EXECUTE);
	receiver_expect_nak(test, r, request_for(0x06, 0xffffff, 256, (1U << 31) + 1),
			    SRNIC_NAK_INV_REQ);
	receiver_expect_nak(test, r, request_for(0x06, 0xffffff, 256, 0xffffffff),
			    SRNIC_NAK_INV_REQ);
	receiver_expect_nak(test, r, read_request(0xffffff, (1U << 31) + 1), SRNIC_NAK_INV_REQ);

	step = receiver_take(r, read_request(0xffffff, 1U << 31));
	RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
	KUNIT_EXPECT_EQ(test, step.psns, 1U << 23);
	KUNIT_EXPECT_EQ(test, r->rsp.epsn, 0x7fffffU);
	/* Half the circle: its first PSN is old, and the next one new. */
	RECEIVER_EXPECT_VERDICT(test, receiver_look(r, read_request(0xffffff, 1U << 31)),
				SRNIC_RSP_DUPLICATE);
	RECEIVER_EXPECT_VERDICT(test, receiver_look(r, request(0x04, 0x7fffff, 8)),
				SRNIC_RSP_EXECUTE);
}

/* Rows i and 3.3: what is to be checked, and when. */
static void keys_are_checked_at_the_first_packet(struct kunit *test)
{
	struct receiver *r = rc(test, 0);
	struct srnic_rsp_step step;

	step = receiver_take(r, request_for(0x06, 0, 256, 600));
	KUNIT_EXPECT_TRUE(test, step.check_key);
	KUNIT_EXPECT_TRUE(test, step.place_write);
	KUNIT_EXPECT_EQ(test, step.va, RECEIVER_VA);
	KUNIT_EXPECT_EQ(test, step.length, 600U);
	KUNIT_EXPECT_EQ(test, step.rkey, (u32)RECEIVER_RKEY);

	step = receiver_take(r, request(0x07, 1, 256));
	KUNIT_EXPECT_TRUE(test, step.place_write);
	KUNIT_EXPECT_EQ(test, step.va, RECEIVER_VA + 256);
	KUNIT_EXPECT_EQ(test, step.rkey, (u32)RECEIVER_RKEY);
	KUNIT_EXPECT_FALSE(test, step.complete_recv);

	step = receiver_take(r, request(0x09, 2, 88));
	KUNIT_EXPECT_TRUE(test, step.place_write);
	KUNIT_EXPECT_TRUE(test, step.take_recv);
	KUNIT_EXPECT_TRUE(test, step.complete_recv);
	KUNIT_EXPECT_EQ(test, step.va, RECEIVER_VA + 512);
	KUNIT_EXPECT_EQ(test, step.message_bytes, 600U);

	step = receiver_take(r, request(0x0b, 3, 44));
	KUNIT_EXPECT_TRUE(test, step.check_key);
	KUNIT_EXPECT_TRUE(test, step.place_write);
	KUNIT_EXPECT_EQ(test, step.length, 44U);
	KUNIT_EXPECT_EQ(test, step.message_bytes, 44U);

	step = receiver_take(r, read_request(4, 1000));
	KUNIT_EXPECT_TRUE(test, step.check_key);
	KUNIT_EXPECT_FALSE(test, step.place_write);
	KUNIT_EXPECT_EQ(test, step.length, 1000U);
	KUNIT_EXPECT_EQ(test, step.va, RECEIVER_VA);
	KUNIT_EXPECT_EQ(test, step.rkey, (u32)RECEIVER_RKEY);
	KUNIT_EXPECT_EQ(test, r->rsp.epsn, 8U);

	step = receiver_take(r, request(0x13, 8, 0));
	KUNIT_EXPECT_TRUE(test, step.check_key);
	KUNIT_EXPECT_EQ(test, step.length, 8U);
	KUNIT_EXPECT_EQ(test, step.va, RECEIVER_VA);
}

/* C9-88: with nothing to move, key and address mean nothing. */
static void zero_length_needs_no_key(struct kunit *test)
{
	static const u8 ops[] = { 0x0a, 0x0b, 0x0c };
	struct receiver *r = rc(test, 0);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct srnic_rsp_step step = receiver_take(r, request(ops[i], i, 0));

		RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
		KUNIT_EXPECT_FALSE(test, step.check_key);
		KUNIT_EXPECT_FALSE(test, step.place_write);
		KUNIT_EXPECT_EQ(test, step.message_bytes, 0U);
		KUNIT_EXPECT_EQ(test, step.psns, 1U);
	}
	KUNIT_EXPECT_EQ(test, r->rsp.epsn, 3U);
}

/* Row j. */
static void write_lengths_match_the_announcement(struct kunit *test)
{
	/* ONLY: all of it. FIRST: not yet all of it. Then 600 bytes, in three packets. */
	static const struct {
		u8 op;
		u32 bytes, dma_len;
		bool good;
	} rows[] = {
		{ 0x0a, 8, 9 }, { 0x0a, 9, 8 }, { 0x0b, 0, 8 }, { 0x0a, 8, 0 },
		{ 0x06, 256, 255 }, { 0x06, 256, 0 }, { 0x06, 256, 256 },
		{ 0x06, 256, 600, true },
		{ 0x08, 256 }, { 0x08, 88 },
		{ 0x07, 256, 0, true },
		{ 0x07, 256 }, { 0x08, 87 }, { 0x08, 89 }, { 0x09, 1 },
		{ 0x08, 88, 0, true },
	};
	struct receiver *r = rc(test, 0);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct srnic_pkt pkt = request_for(rows[i].op, r->rsp.epsn, rows[i].bytes,
						   rows[i].dma_len);

		if (rows[i].good)
			receiver_take_ok(r, pkt);
		else
			receiver_expect_nak(test, r, pkt, SRNIC_NAK_INV_REQ);
	}
	KUNIT_EXPECT_EQ(test, r->rsp.epsn, 3U);
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 1U);
}

/* Row k. */
static void atomics_are_aligned(struct kunit *test)
{
	static const u8 ops[] = { 0x13, 0x14 };
	struct receiver *r = rc(test, 0);
	u32 i;

	for (i = 0; i < 16 * ARRAY_SIZE(ops); i++) {
		struct srnic_pkt pkt = request(ops[i / 16], 0, 0);

		pkt.va += i % 16;
		if (i % 8)
			receiver_expect_nak(test, r, pkt, SRNIC_NAK_INV_REQ);
		else
			RECEIVER_EXPECT_VERDICT(test, receiver_look(r, pkt), SRNIC_RSP_EXECUTE);
	}
}

static void sends_are_placed_one_behind_the_other(struct kunit *test)
{
	struct receiver *r = rc(test, 0xfffffe);
	struct srnic_rsp_step step;
	u32 i;

	for (i = 0; i < 4; i++) {
		step = receiver_take(r, request(i ? i < 3 ? 0x01 : 0x03 : 0x00, 0xfffffe + i,
						i < 3 ? 256 : 100));
		RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
		KUNIT_EXPECT_TRUE(test, step.place_send);
		KUNIT_EXPECT_EQ(test, step.offset, 256 * i);
		KUNIT_EXPECT_EQ(test, step.message_bytes, 256 * i + (i < 3 ? 256 : 100));
		KUNIT_EXPECT_EQ(test, step.take_recv, !i);
		KUNIT_EXPECT_EQ(test, step.complete_recv, i == 3);
	}
	KUNIT_EXPECT_EQ(test, r->rsp.epsn, 2U);
	/* The next one starts at its beginning. */
	step = receiver_take(r, request(0x04, 2, 10));
	KUNIT_EXPECT_EQ(test, step.offset, 0U);
	KUNIT_EXPECT_EQ(test, step.message_bytes, 10U);
}

/* A SEND without end ends at 2^31 bytes. */
static void sends_are_bounded(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	receiver_take_ok(r, request(0x00, 0, 256));
	r->rsp.offset = (1U << 31) - 256;
	RECEIVER_EXPECT_VERDICT(test, receiver_look(r, request(0x02, 1, 256)), SRNIC_RSP_EXECUTE);
	receiver_take_ok(r, request(0x01, 1, 256));
	receiver_expect_nak(test, r, request(0x02, 2, 1), SRNIC_NAK_INV_REQ);
	receiver_expect_nak(test, r, request(0x01, 2, 256), SRNIC_NAK_INV_REQ);
}

/* 2.8: one for each message that is done, a READ when it is accepted. */
static void msn_counts_messages(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	r->rsp.msn = 0xfffffd;
	receiver_take_ok(r, request(0x00, 0, 256));
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 0xfffffdU);
	receiver_take_ok(r, request(0x02, 1, 8));
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 0xfffffeU);
	receiver_take_ok(r, read_request(2, 600));
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 0xffffffU);
	receiver_take_ok(r, request(0x14, 5, 0));
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 0U);
	receiver_take_ok(r, request(0x0a, 6, 0));
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 1U);

	/* Not what was seen before, is missing, or is refused. */
	receiver_take(r, request(0x04, 0, 8));
	receiver_take(r, read_request(2, 600));
	receiver_take(r, request(0x14, 5, 0));
	receiver_take(r, request(0x04, 9, 8));
	receiver_take(r, request(0x04, 7, 300));
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 1U);
	KUNIT_EXPECT_EQ(test, r->rsp.epsn, 7U);
}

static struct kunit_case request_cases[] = {
	KUNIT_CASE(operations_follow_each_other),
	KUNIT_CASE(receive_wqes),
	KUNIT_CASE(old_expected_and_too_new_psns),
	KUNIT_CASE(psn_is_looked_at_first),
	KUNIT_CASE(one_nak_a_gap),
	KUNIT_CASE(no_sequence_nak_after_rnr),
	KUNIT_CASE(a_nak_that_is_out_of_date_is_not_sent),
	KUNIT_CASE(access_flags_grant_operations),
	KUNIT_CASE(unsupported_operations),
	KUNIT_CASE(send_with_invalidate),
	KUNIT_CASE(lengths_and_positions),
	KUNIT_CASE(dma_len_is_at_most_2_to_the_31),
	KUNIT_CASE(keys_are_checked_at_the_first_packet),
	KUNIT_CASE(zero_length_needs_no_key),
	KUNIT_CASE(write_lengths_match_the_announcement),
	KUNIT_CASE(atomics_are_aligned),
	KUNIT_CASE(sends_are_placed_one_behind_the_other),
	KUNIT_CASE(sends_are_bounded),
	KUNIT_CASE(msn_counts_messages),
	{}
};

static struct kunit_suite request_suite = {
	.name = "srnic_transport_request",
	.test_cases = request_cases,
};

kunit_test_suite(request_suite);
