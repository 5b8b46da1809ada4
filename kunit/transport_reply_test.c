// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: what goes back, in which order, and what goes back again (rules 2.5 to
 * 2.8, 3.4, 3.5).
 */
#include <kunit/test.h>

#include "transport_receiver.h"

static struct receiver *rc(struct kunit *test, u32 psn)
{
	return receiver_new(test, SRNIC_SERVICE_RC, psn);
}

/* The whole answer of a READ that starts with its packet @from. */
static void expect_whole_read(struct receiver *r, u32 psn, u32 length, u32 from)
{
	u32 packets = length ? (length + RECEIVER_MTU - 1) / RECEIVER_MTU : 1;
	u32 i;

	for (i = from; i < packets; i++) {
		bool first = i == from, last = i == packets - 1;
		u8 op = first && last ? 0x10 : first ? 0x0d : last ? 0x0f : 0x0e;
		u32 rest = length - i * RECEIVER_MTU;

		receiver_expect_read(r, op, psn + i, RECEIVER_VA + i * RECEIVER_MTU,
				     last ? rest : RECEIVER_MTU);
	}
}

static void expect_duplicate(struct receiver *r, struct srnic_pkt pkt)
{
	u32 epsn = r->rsp.epsn, msn = r->rsp.msn;
	bool in_message = r->rsp.in_message;

	RECEIVER_EXPECT_VERDICT(r->test, receiver_take(r, pkt), SRNIC_RSP_DUPLICATE);
	/* It changes nothing of what comes next (3.4.2). */
	KUNIT_EXPECT_EQ(r->test, r->rsp.epsn, epsn);
	KUNIT_EXPECT_EQ(r->test, r->rsp.msn, msn);
	KUNIT_EXPECT_EQ(r->test, r->rsp.in_message, in_message);
}

/* ---- acknowledging ---- */

static void acks_if_asked(struct kunit *test)
{
	struct receiver *r = rc(test, 0xffffff);
	struct srnic_pkt pkt = request(0x04, 0xffffff, 8);

	receiver_expect_silence(r);
	pkt.ack_req = false;
	receiver_take_ok(r, pkt);
	receiver_expect_silence(r);
	receiver_take_ok(r, request(0x0a, 0, 8));
	receiver_expect_ack(r, 0, 0x1f);
	receiver_expect_silence(r);
}

/* One for this or a later PSN (3.5.1). */
static void acks_are_coalesced(struct kunit *test)
{
	struct receiver *r = rc(test, 0);
	struct srnic_pkt pkt;
	u32 i;

	for (i = 0; i < 10; i++)
		receiver_take_ok(r, request(0x04, i, 8));
	pkt = request(0x04, 10, 8);
	pkt.ack_req = false;
	receiver_take_ok(r, pkt);
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 11U);
	receiver_expect_ack(r, 10, 0x1f);
	receiver_expect_silence(r);
}

static void acks_in_the_middle_of_a_message(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	receiver_take_ok(r, request(0x00, 0, 256));
	receiver_expect_ack(r, 0, 0x1f);
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 0U);
	receiver_take_ok(r, request(0x02, 1, 8));
	receiver_expect_ack(r, 1, 0x1f);
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 1U);
}

/* READ and atomic: their own answer whatever AckReq says, and never one ACK more. */
static void reads_and_atomics_have_their_own_answer(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		struct receiver *r = rc(test, 0);
		struct srnic_pkt pkt = read_request(0, 600);

		pkt.ack_req = i;
		receiver_take_ok(r, pkt);
		pkt = request(0x13, 3, 0);
		pkt.ack_req = i;
		receiver_take_atomic(r, pkt, 42);
		expect_whole_read(r, 0, 600, 0);
		receiver_expect_atomic(r, 3, 42);
		receiver_expect_silence(r);
		kunit_kfree(test, r);
	}
}

static void read_responses_by_length(struct kunit *test)
{
	static const u32 lengths[] = {
		0, 1, 255, 256, 257, 511, 512, 513, 767, 768, 769, 2048, 2049
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lengths) * 2; i++) {
		u32 psn = i % 2 ? 0xfffffe : 0, length = lengths[i / 2];
		struct receiver *r = rc(test, psn);

		receiver_take_ok(r, read_request(psn, length));
		expect_whole_read(r, psn, length, 0);
		receiver_expect_silence(r);
		KUNIT_EXPECT_EQ(test, r->rsp.epsn,
				srnic_psn_add(psn, length ? (length + 255) / 256 : 1));
		kunit_kfree(test, r);
	}
}

/* 3.5.2: what is for a later request waits until the READ before it is answered. */
static void replies_leave_in_order(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	receiver_take_ok(r, request(0x04, 0, 8));
	receiver_take_ok(r, read_request(1, 600));	/* 1..3 */
	receiver_take_ok(r, request(0x0a, 4, 8));
	receiver_take_atomic(r, request(0x14, 5, 0), 7);
	receiver_take_ok(r, request(0x04, 6, 8));
	expect_whole_read(r, 1, 600, 0);
	receiver_expect_atomic(r, 5, 7);
	receiver_expect_ack(r, 6, 0x1f);
	receiver_expect_silence(r);

	/* A NAK, too; it says all that an ACK would. */
	receiver_take_ok(r, read_request(7, 300));	/* 7, 8 */
	receiver_take_ok(r, request(0x04, 9, 8));
	receiver_take(r, request(0x04, 11, 8));
	expect_whole_read(r, 7, 300, 0);
	receiver_expect_ack(r, 10, 0x60);
	receiver_expect_silence(r);
}

static void what_comes_while_a_read_is_answered(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	receiver_take_ok(r, read_request(0, 600));
	receiver_expect_read(r, 0x0d, 0, RECEIVER_VA, 256);
	receiver_take_ok(r, request(0x04, 3, 8));
	receiver_expect_read(r, 0x0e, 1, RECEIVER_VA + 256, 256);
	srnic_rsp_nak(&r->rsp, srnic_aeth_rnr(3));
	receiver_expect_read(r, 0x0f, 2, RECEIVER_VA + 512, 88);
	receiver_expect_ack(r, 4, 0x23);
	receiver_expect_silence(r);
}

static void fatal_naks_go_out(struct kunit *test)
{
	static const u8 syndromes[] = { 0x61, 0x62, 0x63 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(syndromes); i++) {
		struct receiver *r = rc(test, 0xffffff);

		receiver_take_ok(r, request(0x04, 0xffffff, 8));
		srnic_rsp_nak(&r->rsp, syndromes[i]);
		receiver_expect_ack(r, 0, syndromes[i]);
		receiver_expect_silence(r);
		KUNIT_EXPECT_EQ(test, r->rsp.msn, 1U);
		kunit_kfree(test, r);
	}
}

/* ---- duplicates ---- */

static void a_repeated_send_or_write_is_acknowledged(struct kunit *test)
{
	static const u8 ops[] = { 0x04, 0x05, 0x0a, 0x0b };
	struct receiver *r = rc(test, 0);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		receiver_take_ok(r, request(ops[i], i, 8));
	receiver_expect_ack(r, 3, 0x1f);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		expect_duplicate(r, request(ops[i], i, 8));
		receiver_expect_ack(r, 3, 0x1f);
	}
	KUNIT_EXPECT_EQ(test, r->rsp.msn, 4U);
}

static void a_repeated_packet_of_a_message_under_way(struct kunit *test)
{
	struct receiver *r = rc(test, 0);
	struct srnic_rsp_step step;

	receiver_take_ok(r, request_for(0x06, 0, 256, 600));
	receiver_take_ok(r, request(0x07, 1, 256));
	expect_duplicate(r, request_for(0x06, 0, 256, 600));
	expect_duplicate(r, request(0x07, 1, 256));
	receiver_expect_ack(r, 1, 0x1f);
	step = receiver_take(r, request(0x08, 2, 88));
	RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
	KUNIT_EXPECT_EQ(test, step.va, RECEIVER_VA + 512);
}

/* The ACK does not pass an unanswered READ (3.4). */
static void a_repeated_send_before_an_unanswered_read(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	receiver_take_ok(r, request(0x04, 0, 8));
	receiver_take_ok(r, read_request(1, 600));
	expect_duplicate(r, request(0x04, 0, 8));
	expect_whole_read(r, 1, 600, 0);
}

static void a_repeated_read_is_answered_again(struct kunit *test)
{
	static const u32 lengths[] = { 0, 8, 256, 257, 1024, 1025 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lengths) * 2; i++) {
		u32 psn = i % 2 ? 0xffffff : 3, length = lengths[i / 2];
		struct receiver *r = rc(test, psn);

		receiver_take_ok(r, read_request(psn, length));
		expect_whole_read(r, psn, length, 0);
		expect_duplicate(r, read_request(psn, length));
		expect_whole_read(r, psn, length, 0);
		expect_duplicate(r, read_request(psn, length));
		expect_whole_read(r, psn, length, 0);
		receiver_expect_silence(r);
		kunit_kfree(test, r);
	}
}

/* Its end only: from that PSN, beginning with FIRST or ONLY. */
static void the_end_of_a_read_is_answered_again(struct kunit *test)
{
	u32 from;

	for (from = 0; from < 5; from++) {
		struct receiver *r = rc(test, 0xfffffd);

		receiver_take_ok(r, read_request(0xfffffd, 1100));
		expect_whole_read(r, 0xfffffd, 1100, 0);
		receiver_take_ok(r, request(0x04, 2, 8));
		receiver_expect_ack(r, 2, 0x1f);
		expect_duplicate(r, resumed_read(0xfffffd, 1100, from));
		expect_whole_read(r, 0xfffffd, 1100, from);
		receiver_expect_silence(r);
		kunit_kfree(test, r);
	}
}

static void a_read_that_is_not_the_end_of_the_first_is_dropped(struct kunit *test)
{
	struct receiver *r = rc(test, 0);
	struct srnic_pkt pkt;
	u32 i;

	receiver_take_ok(r, read_request(0, 1100));	/* 0..4 */
	receiver_take_atomic(r, request(0x14, 5, 0), 1);
	receiver_take_ok(r, request(0x04, 6, 8));
	while (receiver_next(r).kind != SRNIC_REPLY_NONE)
		;
	for (i = 0; i < 10; i++) {
		pkt = resumed_read(0, 1100, i / 5);
		switch (i % 5) {
		case 0:
			pkt.rkey ^= 0x100;
			break;
		case 1:
			pkt.va++;
			break;
		case 2:
			pkt.dma_len--;
			break;
		case 3:
			pkt.dma_len += 256;
			break;
		case 4:
			pkt.psn += 2;
			break;
		}
		expect_duplicate(r, pkt);
		receiver_expect_silence(r);
	}
	/* Other operations at the PSN of a READ, and a READ at an atomic's. */
	expect_duplicate(r, request(0x13, 0, 0));
	expect_duplicate(r, request(0x14, 1, 0));
	pkt = read_request(0, 1100);
	pkt.opcode = SRNIC_OP_FLUSH;
	pkt.info = srnic_opcode_info(pkt.opcode);
	expect_duplicate(r, pkt);
	expect_duplicate(r, read_request(5, 8));
	expect_duplicate(r, read_request(6, 8));
	receiver_expect_silence(r);
}

/* Never executed again: the value that was found then (3.4). */
static void a_repeated_atomic_gets_the_stored_value(struct kunit *test)
{
	struct receiver *r = rc(test, 0xffffff);

	receiver_take_atomic(r, request(0x13, 0xffffff, 0), 0x1122334455667788ULL);
	receiver_take_atomic(r, request(0x14, 0, 0), 2);
	receiver_expect_atomic(r, 0xffffff, 0x1122334455667788ULL);
	receiver_expect_atomic(r, 0, 2);
	expect_duplicate(r, request(0x13, 0xffffff, 0));
	receiver_expect_atomic(r, 0xffffff, 0x1122334455667788ULL);
	expect_duplicate(r, request(0x14, 0, 0));
	receiver_expect_atomic(r, 0, 2);
	receiver_expect_silence(r);
	/* The other atomic is no repetition. */
	expect_duplicate(r, request(0x14, 0xffffff, 0));
	expect_duplicate(r, request(0x13, 0, 0));
	receiver_expect_silence(r);
}

/* The last max_rd_atomic are remembered, whatever their number (3.4.1). */
static void as_many_are_remembered_as_may_be_outstanding(struct kunit *test)
{
	u32 i, psn = 0;
	struct receiver *r = rc(test, 0);

	r->rsp.max_rd_atomic = SRNIC_RSP_RESOURCES;
	for (i = 0; i < 3 * SRNIC_RSP_RESOURCES; i++) {
		receiver_take_atomic(r, request(0x14, psn, 0), psn);
		receiver_expect_atomic(r, psn, psn);
		psn++;
		receiver_take_ok(r, request(0x04, psn++, 8));
		receiver_expect_ack(r, psn - 1, 0x1f);
	}
	for (i = SRNIC_RSP_RESOURCES; i >= 1; i--) {
		expect_duplicate(r, request(0x14, psn - 2 * i, 0));
		receiver_expect_atomic(r, psn - 2 * i, psn - 2 * i);
	}
	/* An older one is forgotten: nothing is executed, nothing said. */
	expect_duplicate(r, request(0x14,
				    psn - 2 * (SRNIC_RSP_RESOURCES + 1), 0));
	receiver_expect_silence(r);
}

/* The memory of a READ is gone when it is to be answered (3.3.3). */
static void a_read_that_cannot_be_answered_is_refused(struct kunit *test)
{
	struct receiver *r = rc(test, 0);
	struct srnic_rsp_reply reply;

	receiver_take_ok(r, read_request(0, 600));
	srnic_rsp_next(&r->rsp, &reply);
	srnic_rsp_sent(&r->rsp, &reply);
	srnic_rsp_next(&r->rsp, &reply);
	KUNIT_EXPECT_EQ(test, reply.psn, 1);
	srnic_rsp_refuse(&r->rsp, &reply, 0x62);

	srnic_rsp_next(&r->rsp, &reply);
	KUNIT_EXPECT_EQ(test, (int)reply.kind, (int)SRNIC_REPLY_NAK);
	KUNIT_EXPECT_EQ(test, reply.psn, 1);
	KUNIT_EXPECT_EQ(test, reply.syndrome, 0x62);
	srnic_rsp_sent(&r->rsp, &reply);
	receiver_expect_silence(r);
}

/* A duplicate is never refused: who sent it may have had the answer (3.4). */
static void a_repeated_read_that_cannot_be_answered_is_dropped(struct kunit *test)
{
	struct receiver *r = rc(test, 0);
	struct srnic_rsp_reply reply;

	receiver_take_ok(r, read_request(0, 600));
	expect_whole_read(r, 0, 600, 0);
	expect_duplicate(r, read_request(0, 600));
	srnic_rsp_next(&r->rsp, &reply);
	KUNIT_EXPECT_TRUE(test, reply.again);
	srnic_rsp_refuse(&r->rsp, &reply, 0x62);
	receiver_expect_silence(r);
	receiver_take_ok(r, request(0x04, 3, 8));
	receiver_expect_ack(r, 3, 0x1f);
}

static struct receiver *with_four_reads(struct kunit *test)
{
	struct receiver *r = rc(test, 0);
	u32 i;

	for (i = 0; i < 4; i++)
		receiver_take_ok(r, read_request(3 * i, 600));
	for (i = 0; i < 4; i++)
		expect_whole_read(r, 3 * i, 600, 0);
	return r;
}

/* Responses leave in PSN order, answered again or for the first time. */
static void a_row_of_repeated_reads(struct kunit *test)
{
	struct receiver *r = with_four_reads(test);
	u32 i;

	for (i = 1; i < 4; i++)
		expect_duplicate(r, read_request(3 * i, 600));
	for (i = 1; i < 4; i++)
		expect_whole_read(r, 3 * i, 600, 0);
	receiver_expect_silence(r);

	/* New ones, before all is answered again. */
	expect_duplicate(r, resumed_read(6, 600, 1));
	expect_duplicate(r, read_request(9, 600));
	receiver_take_ok(r, read_request(12, 300));
	receiver_take_ok(r, request(0x04, 14, 8));
	expect_whole_read(r, 6, 600, 1);
	expect_whole_read(r, 9, 600, 0);
	expect_whole_read(r, 12, 300, 0);
	receiver_expect_ack(r, 14, 0x1f);
	receiver_expect_silence(r);
}

static void an_older_duplicate_starts_again_from_there(struct kunit *test)
{
	struct receiver *r = with_four_reads(test);

	expect_duplicate(r, read_request(6, 600));
	receiver_expect_read(r, 0x0d, 6, RECEIVER_VA, 256);
	receiver_expect_read(r, 0x0e, 7, RECEIVER_VA + 256, 256);
	/* Of the same READ. */
	expect_duplicate(r, read_request(6, 600));
	receiver_expect_read(r, 0x0d, 6, RECEIVER_VA, 256);
	/* Of one before. */
	expect_duplicate(r, resumed_read(3, 600, 1));
	expect_whole_read(r, 3, 600, 1);
	expect_whole_read(r, 6, 600, 0);
	receiver_expect_silence(r);
}

/* What is asked for is on its way anyway. */
static void a_duplicate_of_what_is_being_answered_again(struct kunit *test)
{
	struct receiver *r = with_four_reads(test);

	expect_duplicate(r, read_request(3, 600));
	receiver_expect_read(r, 0x0d, 3, RECEIVER_VA, 256);
	expect_duplicate(r, resumed_read(3, 600, 2));
	receiver_expect_read(r, 0x0e, 4, RECEIVER_VA + 256, 256);
	receiver_expect_read(r, 0x0f, 5, RECEIVER_VA + 512, 88);
	receiver_expect_silence(r);
}

/* Before the first answer is complete: it starts again from there, or goes on. */
static void a_duplicate_of_what_is_being_answered(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	receiver_take_ok(r, read_request(0, 600));
	receiver_take_ok(r, read_request(3, 600));
	expect_duplicate(r, read_request(3, 600));
	expect_duplicate(r, read_request(0, 600));
	receiver_expect_read(r, 0x0d, 0, RECEIVER_VA, 256);
	receiver_expect_read(r, 0x0e, 1, RECEIVER_VA + 256, 256);
	expect_duplicate(r, resumed_read(0, 600, 1));
	expect_whole_read(r, 0, 600, 1);
	expect_whole_read(r, 3, 600, 0);
	receiver_expect_silence(r);
}

static void a_repeated_read_while_another_is_answered(struct kunit *test)
{
	struct receiver *r = with_four_reads(test);

	receiver_take_ok(r, read_request(12, 600));
	receiver_expect_read(r, 0x0d, 12, RECEIVER_VA, 256);
	expect_duplicate(r, read_request(9, 600));
	expect_whole_read(r, 9, 600, 0);
	receiver_expect_read(r, 0x0e, 13, RECEIVER_VA + 256, 256);
	receiver_expect_read(r, 0x0f, 14, RECEIVER_VA + 512, 88);
	receiver_expect_silence(r);
}

/* In the middle of a message: that goes on undisturbed. */
static void a_repeated_read_in_the_middle_of_a_send(struct kunit *test)
{
	struct receiver *r = rc(test, 0);
	struct srnic_rsp_step step;

	receiver_take_ok(r, read_request(0, 8));
	receiver_next(r);
	receiver_take_ok(r, request(0x00, 1, 256));
	receiver_expect_ack(r, 1, 0x1f);
	expect_duplicate(r, read_request(0, 8));
	expect_whole_read(r, 0, 8, 0);
	step = receiver_take(r, request(0x02, 2, 8));
	RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
	KUNIT_EXPECT_EQ(test, step.offset, 256U);
}

static struct kunit_case reply_cases[] = {
	KUNIT_CASE(acks_if_asked),
	KUNIT_CASE(acks_are_coalesced),
	KUNIT_CASE(acks_in_the_middle_of_a_message),
	KUNIT_CASE(reads_and_atomics_have_their_own_answer),
	KUNIT_CASE(read_responses_by_length),
	KUNIT_CASE(replies_leave_in_order),
	KUNIT_CASE(what_comes_while_a_read_is_answered),
	KUNIT_CASE(fatal_naks_go_out),
	KUNIT_CASE(a_repeated_send_or_write_is_acknowledged),
	KUNIT_CASE(a_repeated_packet_of_a_message_under_way),
	KUNIT_CASE(a_repeated_send_before_an_unanswered_read),
	KUNIT_CASE(a_repeated_read_is_answered_again),
	KUNIT_CASE(the_end_of_a_read_is_answered_again),
	KUNIT_CASE(a_read_that_is_not_the_end_of_the_first_is_dropped),
	KUNIT_CASE(a_repeated_atomic_gets_the_stored_value),
	KUNIT_CASE(as_many_are_remembered_as_may_be_outstanding),
	KUNIT_CASE(a_read_that_cannot_be_answered_is_refused),
	KUNIT_CASE(a_repeated_read_that_cannot_be_answered_is_dropped),
	KUNIT_CASE(a_row_of_repeated_reads),
	KUNIT_CASE(an_older_duplicate_starts_again_from_there),
	KUNIT_CASE(a_duplicate_of_what_is_being_answered_again),
	KUNIT_CASE(a_duplicate_of_what_is_being_answered),
	KUNIT_CASE(a_repeated_read_while_another_is_answered),
	KUNIT_CASE(a_repeated_read_in_the_middle_of_a_send),
	{}
};

static struct kunit_suite reply_suite = {
	.name = "srnic_transport_reply",
	.test_cases = reply_cases,
};

kunit_test_suite(reply_suite);
