// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC: as RC, with an SRQ number in each request (rules 1.4.2, 3.10).
 */
#include <kunit/test.h>

#include "transport_receiver.h"
#include "transport_sender.h"

#define XRC	0xa0
#define SRQN	0x123456

static struct srnic_pkt xrc_request(u8 op, u32 psn, u32 bytes, u32 srqn)
{
	struct srnic_pkt pkt = request(XRC | op, psn, bytes);

	pkt.srqn = srqn;
	return pkt;
}

static struct receiver *target(struct kunit *test)
{
	return receiver_new(test, SRNIC_SERVICE_XRC, 0);
}

static void expect_verdict(struct kunit *test, struct receiver *r, struct srnic_pkt pkt,
			   enum srnic_rsp_verdict verdict)
{
	struct srnic_rsp_step step = receiver_look(r, pkt);

	RECEIVER_EXPECT_VERDICT(test, step, verdict);
	if (verdict == SRNIC_RSP_NAK)
		KUNIT_EXPECT_EQ(test, step.syndrome, (u8)0x61);
}

/* SEND and WRITE: FIRST, then MIDDLE or LAST. */
static void one_srq_for_all_packets_of_a_message(struct kunit *test)
{
	static const u8 starts[] = { 0x00, 0x06 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		struct receiver *r = target(test);
		struct srnic_pkt first = xrc_request(starts[i], 0, RECEIVER_MTU, SRQN);
		u8 middle = starts[i] + 1, last = starts[i] + 2;

		first.dma_len = 3 * RECEIVER_MTU;
		receiver_take_ok(r, first);
		expect_verdict(test, r, xrc_request(middle, 1, RECEIVER_MTU, SRQN ^ 1),
			       SRNIC_RSP_NAK);
		expect_verdict(test, r, xrc_request(middle, 1, RECEIVER_MTU, 0), SRNIC_RSP_NAK);
		receiver_take_ok(r, xrc_request(middle, 1, RECEIVER_MTU, SRQN));
		expect_verdict(test, r, xrc_request(last, 2, RECEIVER_MTU, SRQN + 1),
			       SRNIC_RSP_NAK);
		receiver_take_ok(r, xrc_request(last, 2, RECEIVER_MTU, SRQN));
	}
}

static void another_message_another_srq(struct kunit *test)
{
	struct receiver *r = target(test);
	u32 i;

	for (i = 0; i < 4; i++) {
		receiver_take_ok(r, xrc_request(0x00, 2 * i, RECEIVER_MTU, SRQN + i));
		receiver_take_ok(r, xrc_request(0x02, 2 * i + 1, 1, SRQN + i));
	}
}

/* Responses are XRC's, and that a READ is about an SRQ is remembered with it. */
static void responses(struct kunit *test)
{
	struct receiver *r = target(test);
	struct srnic_pkt read = xrc_request(0x0c, 1, 0, SRQN);
	struct srnic_rsp_reply reply;

	receiver_take_ok(r, xrc_request(0x04, 0, 8, SRQN + 1));
	reply = receiver_next(r);
	KUNIT_EXPECT_EQ(test, reply.opcode, (u8)0xb1);
	KUNIT_EXPECT_EQ(test, reply.syndrome, (u8)0x1f);

	read.dma_len = RECEIVER_MTU + 1;
	receiver_take_ok(r, read);
	receiver_take_ok(r, xrc_request(0x04, 3, 8, SRQN + 2));
	reply = receiver_next(r);
	KUNIT_EXPECT_EQ(test, reply.opcode, (u8)0xad);
	KUNIT_EXPECT_EQ(test, reply.srqn, (u32)SRQN);
	reply = receiver_next(r);
	KUNIT_EXPECT_EQ(test, reply.opcode, (u8)0xaf);
	KUNIT_EXPECT_EQ(test, reply.srqn, (u32)SRQN);

	/* Again: the same one, or it is not the same request (3.4). */
	read.srqn = SRQN + 1;
	receiver_take(r, read);
	KUNIT_EXPECT_EQ(test, (u32)receiver_next(r).opcode, 0xb1U);
	receiver_expect_silence(r);
	read.srqn = SRQN;
	receiver_take(r, read);
	reply = receiver_next(r);
	KUNIT_EXPECT_EQ(test, reply.opcode, (u8)0xad);
	KUNIT_EXPECT_EQ(test, reply.srqn, (u32)SRQN);
}

static void not_ready_and_gap(struct kunit *test)
{
	struct receiver *r = target(test);
	struct srnic_rsp_reply reply;

	srnic_rsp_nak(&r->rsp, srnic_aeth_rnr(12));
	reply = receiver_next(r);
	KUNIT_EXPECT_EQ(test, reply.opcode, (u8)0xb1);
	KUNIT_EXPECT_EQ(test, reply.syndrome, (u8)(0x20 | 12));
	RECEIVER_EXPECT_VERDICT(test, receiver_take(r, xrc_request(0x04, 5, 0, SRQN)),
				SRNIC_RSP_DROP);
	receiver_take_ok(r, xrc_request(0x04, 0, 0, SRQN));
	receiver_take(r, xrc_request(0x04, 5, 0, SRQN));
	reply = receiver_next(r);
	KUNIT_EXPECT_EQ(test, reply.opcode, (u8)0xb1);
	KUNIT_EXPECT_EQ(test, reply.syndrome, (u8)0x60);
}

/* The initiator's packets: XRC's opcodes, and the last one wants to be acknowledged. */
static void requests(struct kunit *test)
{
	static const struct {
		enum srnic_msg_kind kind;
		u32 length;
		u8 first, last;
	} rows[] = {
		{ SRNIC_MSG_SEND, 300, 0xa0, 0xa2 },
		{ SRNIC_MSG_SEND, 3, 0xa4, 0xa4 },
		{ SRNIC_MSG_WRITE, 300, 0xa6, 0xa8 },
		{ SRNIC_MSG_WRITE, 3, 0xaa, 0xaa },
		{ SRNIC_MSG_READ, 300, 0xac, 0xac },
		{ SRNIC_MSG_CMP_SWAP, 8, 0xb3, 0xb3 },
		{ SRNIC_MSG_FETCH_ADD, 8, 0xb4, 0xb4 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sender *s = sender_new(test, SRNIC_SERVICE_XRC, 256, 0);
		struct srnic_req_segment seg;
		u8 opcode = 0;

		sender_post_kind(s, rows[i].kind, rows[i].length);
		do {
			KUNIT_ASSERT_EQ(test, (int)srnic_req_next(&s->req, s->msgs, &seg),
					(int)SRNIC_REQ_SEND);
			if (!opcode)
				KUNIT_EXPECT_EQ(test, seg.opcode, rows[i].first);
			opcode = seg.opcode;
			srnic_req_sent(&s->req, s->msgs, &seg);
		} while (!seg.last);
		KUNIT_EXPECT_EQ(test, opcode, rows[i].last);
		KUNIT_EXPECT_TRUE(test, seg.ack_req);
	}
}

/* What RC does not know (2.9) is a wrong SRQ here (3.1.9). */
static void nak_of_a_wrong_srq(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_XRC, 256, 7);

	sender_post_kind(s, SRNIC_MSG_SEND, 3);
	sender_post_kind(s, SRNIC_MSG_SEND, 3);
	sender_send_all(s);
	SENDER_EXPECT_FAIL(test, sender_nak(s, 8, 0x64), SRNIC_CMP_ERR_REM_INV_SRQ, 1);

	s = sender_new(test, SRNIC_SERVICE_RC, 256, 7);
	sender_post_kind(s, SRNIC_MSG_SEND, 3);
	sender_send_all(s);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 7, 0x64), SRNIC_CMP_GHOST);
}

static struct kunit_case xrc_cases[] = {
	KUNIT_CASE(one_srq_for_all_packets_of_a_message),
	KUNIT_CASE(another_message_another_srq),
	KUNIT_CASE(responses),
	KUNIT_CASE(not_ready_and_gap),
	KUNIT_CASE(requests),
	KUNIT_CASE(nak_of_a_wrong_srq),
	{}
};

static struct kunit_suite xrc_suite = {
	.name = "srnic_transport_xrc",
	.test_cases = xrc_cases,
};

kunit_test_suite(xrc_suite);
