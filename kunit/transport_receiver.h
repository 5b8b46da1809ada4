/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A responder for tests: requests that come in, replies that go out.
 */
#ifndef SRNIC_KUNIT_TRANSPORT_RECEIVER_H
#define SRNIC_KUNIT_TRANSPORT_RECEIVER_H

#include <kunit/test.h>

#include "transport/responder.h"
#include "wire/psn.h"

#define RECEIVER_MTU	256
#define RECEIVER_VA	0x7f0000001000ULL
#define RECEIVER_RKEY	0xabcd01

struct receiver {
	struct kunit *test;
	struct srnic_rsp rsp;
};

static inline struct receiver *receiver_new(struct kunit *test, u8 service, u32 psn)
{
	struct receiver *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->test = test;
	srnic_rsp_init(&r->rsp, service);
	r->rsp.mtu = RECEIVER_MTU;
	r->rsp.epsn = psn;
	r->rsp.access = SRNIC_ACCESS_REMOTE_WRITE | SRNIC_ACCESS_REMOTE_READ |
			SRNIC_ACCESS_REMOTE_ATOMIC;
	r->rsp.max_rd_atomic = 4;
	return r;
}

/* A request packet whose RETH, if it has one, asks for just its payload. */
static inline struct srnic_pkt request(u8 opcode, u32 psn, u32 bytes)
{
	return (struct srnic_pkt){
		.opcode = opcode,
		.info = srnic_opcode_info(opcode),
		.psn = srnic_psn_mask(psn),
		.va = RECEIVER_VA,
		.rkey = RECEIVER_RKEY,
		.dma_len = bytes,
		.payload_bytes = bytes,
		.ack_req = true,
	};
}

/* WRITE FIRST, READ: a RETH that asks for more than the packet has. */
static inline struct srnic_pkt request_for(u8 opcode, u32 psn, u32 bytes, u32 dma_len)
{
	struct srnic_pkt pkt = request(opcode, psn, bytes);

	pkt.dma_len = dma_len;
	return pkt;
}

static inline struct srnic_pkt read_request(u32 psn, u32 dma_len)
{
	return request_for(SRNIC_OP_READ_REQUEST, psn, 0, dma_len);
}

/* The end of a READ that was asked for at @psn. */
static inline struct srnic_pkt resumed_read(u32 psn, u32 dma_len, u32 packet)
{
	struct srnic_pkt pkt = read_request(psn + packet, dma_len - packet * RECEIVER_MTU);

	pkt.va += packet * RECEIVER_MTU;
	return pkt;
}

static inline struct srnic_rsp_step receiver_look(struct receiver *r, struct srnic_pkt pkt)
{
	struct srnic_rsp_step step;

	srnic_rsp_request(&r->rsp, &pkt, &step);
	return step;
}

/* It comes, and is carried out. An atomic finds @original. */
static inline struct srnic_rsp_step receiver_take_atomic(struct receiver *r, struct srnic_pkt pkt,
							 u64 original)
{
	struct srnic_rsp_step step = receiver_look(r, pkt);

	srnic_rsp_commit(&r->rsp, &pkt, &step, original);
	return step;
}

static inline struct srnic_rsp_step receiver_take(struct receiver *r, struct srnic_pkt pkt)
{
	return receiver_take_atomic(r, pkt, 0);
}

static inline void receiver_take_ok(struct receiver *r, struct srnic_pkt pkt)
{
	KUNIT_EXPECT_EQ(r->test, (int)receiver_take(r, pkt).verdict, (int)SRNIC_RSP_EXECUTE);
}

static inline struct srnic_rsp_reply receiver_next(struct receiver *r)
{
	struct srnic_rsp_reply reply;

	srnic_rsp_next(&r->rsp, &reply);
	srnic_rsp_sent(&r->rsp, &reply);
	return reply;
}

#define RECEIVER_EXPECT_VERDICT(test, step, what) \
	KUNIT_EXPECT_EQ(test, (int)(step).verdict, (int)(what))

static inline void receiver_expect_silence(struct receiver *r)
{
	KUNIT_EXPECT_EQ(r->test, (int)receiver_next(r).kind, (int)SRNIC_REPLY_NONE);
}

/* One ACKNOWLEDGE packet: ACK, RNR or NAK. */
static inline void receiver_expect_ack(struct receiver *r, u32 psn, u8 syndrome)
{
	struct srnic_rsp_reply reply = receiver_next(r);

	KUNIT_EXPECT_EQ(r->test, (int)reply.kind,
			(int)(syndrome == 0x1f ? SRNIC_REPLY_ACK : SRNIC_REPLY_NAK));
	KUNIT_EXPECT_EQ(r->test, reply.opcode, (u8)0x11);
	KUNIT_EXPECT_EQ(r->test, reply.psn, srnic_psn_mask(psn));
	KUNIT_EXPECT_EQ(r->test, reply.syndrome, syndrome);
	KUNIT_EXPECT_EQ(r->test, reply.msn, r->rsp.msn);
}

static inline void receiver_expect_read(struct receiver *r, u8 opcode, u32 psn, u64 va, u32 bytes)
{
	struct srnic_rsp_reply reply = receiver_next(r);

	KUNIT_EXPECT_EQ(r->test, (int)reply.kind, (int)SRNIC_REPLY_READ);
	KUNIT_EXPECT_EQ(r->test, reply.opcode, opcode);
	KUNIT_EXPECT_EQ(r->test, reply.psn, srnic_psn_mask(psn));
	KUNIT_EXPECT_EQ(r->test, reply.va, va);
	KUNIT_EXPECT_EQ(r->test, reply.bytes, bytes);
	KUNIT_EXPECT_EQ(r->test, reply.syndrome, (u8)0x1f);
	KUNIT_EXPECT_EQ(r->test, reply.msn, r->rsp.msn);
}

static inline void receiver_expect_atomic(struct receiver *r, u32 psn, u64 original)
{
	struct srnic_rsp_reply reply = receiver_next(r);

	KUNIT_EXPECT_EQ(r->test, (int)reply.kind, (int)SRNIC_REPLY_ATOMIC);
	KUNIT_EXPECT_EQ(r->test, reply.opcode, (u8)0x12);
	KUNIT_EXPECT_EQ(r->test, reply.psn, srnic_psn_mask(psn));
	KUNIT_EXPECT_EQ(r->test, reply.original, original);
	KUNIT_EXPECT_EQ(r->test, reply.syndrome, (u8)0x1f);
	KUNIT_EXPECT_EQ(r->test, reply.msn, r->rsp.msn);
}

static inline void receiver_expect_nak(struct kunit *test, struct receiver *r,
				       struct srnic_pkt pkt, u8 syndrome)
{
	struct srnic_rsp_step step = receiver_look(r, pkt);

	RECEIVER_EXPECT_VERDICT(test, step, SRNIC_RSP_NAK);
	KUNIT_EXPECT_EQ(test, step.syndrome, syndrome);
}

#endif /* SRNIC_KUNIT_TRANSPORT_RECEIVER_H */
