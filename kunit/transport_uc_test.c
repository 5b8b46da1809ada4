// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder of unreliable connections: a message with a flaw is lost as a whole, and
 * nobody is told (rule 3.8).
 */
#include <kunit/test.h>

#include "transport_receiver.h"

#define UC(op)	(0x20 | (op))

static struct receiver *uc(struct kunit *test, u32 psn)
{
	return receiver_new(test, SRNIC_SERVICE_UC, psn);
}

static void expect_dropped(struct receiver *r, struct srnic_pkt pkt)
{
	struct srnic_rsp_step step = receiver_take(r, pkt);

	RECEIVER_EXPECT_VERDICT(r->test, step, SRNIC_RSP_DROP);
	receiver_expect_silence(r);
}

static void expect_taken(struct receiver *r, struct srnic_pkt pkt)
{
	receiver_take_ok(r, pkt);
	receiver_expect_silence(r);
}

/* A message of three packets arrives whole, starting at @psn. */
static void expect_whole_message(struct receiver *r, u32 psn)
{
	struct srnic_rsp_step step;

	expect_taken(r, request(UC(0x00), psn, 256));
	expect_taken(r, request(UC(0x01), psn + 1, 256));
	step = receiver_take(r, request(UC(0x02), psn + 2, 10));
	RECEIVER_EXPECT_VERDICT(r->test, step, SRNIC_RSP_EXECUTE);
	KUNIT_EXPECT_TRUE(r->test, step.complete_recv);
	KUNIT_EXPECT_EQ(r->test, step.offset, 512U);
	KUNIT_EXPECT_EQ(r->test, step.message_bytes, 522U);
	receiver_expect_silence(r);
}

static void messages_arrive_and_nothing_goes_back(struct kunit *test)
{
	struct receiver *r = uc(test, 0xfffffe);
	struct srnic_rsp_step step;

	expect_whole_message(r, 0xfffffe);
	expect_taken(r, request(UC(0x05), 1, 0));
	expect_taken(r, request_for(UC(0x06), 2, 256, 300));
	step = receiver_take(r, request(UC(0x09), 3, 44));
	RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
	KUNIT_EXPECT_TRUE(test, step.take_recv);
	KUNIT_EXPECT_TRUE(test, step.complete_recv);
	KUNIT_EXPECT_EQ(test, step.message_bytes, 300U);
	KUNIT_EXPECT_EQ(test, step.va, RECEIVER_VA + 256);
	expect_taken(r, request(UC(0x0b), 4, 8));
	KUNIT_EXPECT_EQ(test, r->rsp.epsn, 5U);
}

/* A lost packet: what is left of its message is dropped, the next one is fine. */
static void a_lost_packet_loses_its_message(struct kunit *test)
{
	struct receiver *r = uc(test, 0);

	expect_taken(r, request(UC(0x00), 0, 256));
	/* 1 is lost. */
	expect_dropped(r, request(UC(0x01), 2, 256));
	expect_dropped(r, request(UC(0x01), 3, 256));
	expect_dropped(r, request(UC(0x02), 4, 10));
	expect_whole_message(r, 5);

	/* The first one is lost. */
	expect_dropped(r, request(UC(0x01), 9, 256));
	expect_dropped(r, request(UC(0x02), 10, 10));
	expect_whole_message(r, 11);

	/* The last one is lost, or all of a message and more. */
	expect_taken(r, request_for(UC(0x06), 14, 256, 600));
	expect_taken(r, request(UC(0x07), 15, 256));
	expect_whole_message(r, 17);
	expect_whole_message(r, 1000);
	expect_whole_message(r, 0xffffff);
}

static void any_operation_may_follow_an_unfinished_one(struct kunit *test)
{
	static const u8 unfinished[] = { UC(0x00), UC(0x06) };
	static const u8 starts[] = {
		UC(0x00), UC(0x04), UC(0x05), UC(0x06), UC(0x0a), UC(0x0b)
	};
	u32 i, psn;

	for (i = 0; i < ARRAY_SIZE(unfinished) * ARRAY_SIZE(starts) * 2; i++) {
		struct receiver *r = uc(test, 0);
		u8 op = starts[i / 4];
		struct srnic_rsp_step step;

		receiver_take_ok(r, request_for(unfinished[i % 2], 0, 256, 600));
		psn = i / 2 % 2 ? 1 : 5;
		step = receiver_take(r, request_for(op, psn, 256,
						    op == UC(0x06) ? 300 : 256));
		RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
		KUNIT_EXPECT_EQ(test, step.offset, 0U);
		KUNIT_EXPECT_EQ(test, r->rsp.epsn, psn + 1);
		kunit_kfree(test, r);
	}
}

static void a_sequence_error_loses_the_message(struct kunit *test)
{
	struct receiver *r = uc(test, 0);

	/* Out of nothing. */
	expect_dropped(r, request(UC(0x01), 0, 256));
	expect_dropped(r, request(UC(0x02), 1, 8));
	expect_dropped(r, request(UC(0x08), 2, 8));
	expect_whole_message(r, 3);
	/* A WRITE's in a SEND: also what would continue the SEND is lost. */
	expect_taken(r, request(UC(0x00), 6, 256));
	expect_dropped(r, request(UC(0x07), 7, 256));
	expect_dropped(r, request(UC(0x01), 8, 256));
	expect_dropped(r, request(UC(0x02), 9, 8));
	expect_whole_message(r, 10);
}

static void a_bad_length_loses_the_message(struct kunit *test)
{
	static const struct {
		u8 op;
		u32 bytes, dma_len;
	} rows[] = {
		{ UC(0x00), 255, 0 }, { UC(0x00), 257, 0 }, { UC(0x04), 257, 0 },
		{ UC(0x06), 255, 300 }, { UC(0x06), 256, 256 }, { UC(0x0a), 8, 9 },
		{ UC(0x0a), 257, 257 }, { UC(0x0b), 8, 7 },
		{ UC(0x06), 256, 0x80000001 },
	};
	struct receiver *r = uc(test, 0);
	u32 i, psn = 0;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		expect_dropped(r, request_for(rows[i].op, psn++, rows[i].bytes, rows[i].dma_len));
		expect_dropped(r, request(UC(0x01), psn++, 256));
		expect_dropped(r, request(UC(0x07), psn++, 256));
		expect_whole_message(r, psn);
		psn += 3;
	}
	expect_taken(r, request_for(UC(0x06), psn++, 256, 600));
	expect_dropped(r, request(UC(0x08), psn++, 88));
	expect_dropped(r, request(UC(0x08), psn++, 88));
	expect_whole_message(r, psn);
}

static void no_permission_loses_the_message(struct kunit *test)
{
	struct receiver *r = uc(test, 0);

	r->rsp.access = 0;
	expect_dropped(r, request_for(UC(0x06), 0, 256, 300));
	expect_dropped(r, request(UC(0x08), 1, 44));
	expect_dropped(r, request(UC(0x0a), 2, 0));
	expect_whole_message(r, 3);
}

/* No receive WQE, or a bad key: the caller says so with DROP. */
static void what_cannot_be_carried_out_is_lost(struct kunit *test)
{
	struct receiver *r = uc(test, 0);
	struct srnic_pkt pkt = request(UC(0x00), 0, 256);
	struct srnic_rsp_step step = receiver_look(r, pkt);

	RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_EXECUTE);
	step.verdict = SRNIC_RSP_DROP;
	srnic_rsp_commit(&r->rsp, &pkt, &step, 0);
	expect_dropped(r, request(UC(0x01), 1, 256));
	expect_dropped(r, request(UC(0x02), 2, 256));
	expect_whole_message(r, 3);

	/* The last packet of a WRITE with immediate finds none. */
	expect_taken(r, request_for(UC(0x06), 6, 256, 300));
	pkt = request(UC(0x09), 7, 44);
	step = receiver_look(r, pkt);
	KUNIT_EXPECT_TRUE(test, step.take_recv);
	step.verdict = SRNIC_RSP_DROP;
	srnic_rsp_commit(&r->rsp, &pkt, &step, 0);
	expect_whole_message(r, 8);
}

static struct kunit_case uc_cases[] = {
	KUNIT_CASE(messages_arrive_and_nothing_goes_back),
	KUNIT_CASE(a_lost_packet_loses_its_message),
	KUNIT_CASE(any_operation_may_follow_an_unfinished_one),
	KUNIT_CASE(a_sequence_error_loses_the_message),
	KUNIT_CASE(a_bad_length_loses_the_message),
	KUNIT_CASE(no_permission_loses_the_message),
	KUNIT_CASE(what_cannot_be_carried_out_is_lost),
	{}
};

static struct kunit_suite uc_suite = {
	.name = "srnic_transport_uc",
	.test_cases = uc_cases,
};

kunit_test_suite(uc_suite);
