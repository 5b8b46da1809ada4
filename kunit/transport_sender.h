/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A requester with its ring of messages, for tests: what is sent and what comes
 * back. Every step is followed by a look at the state: what must always hold, holds.
 */
#ifndef SRNIC_KUNIT_TRANSPORT_SENDER_H
#define SRNIC_KUNIT_TRANSPORT_SENDER_H

#include <kunit/test.h>

#include "transport/completer.h"
#include "wire/aeth.h"
#include "wire/mtu.h"
#include "wire/psn.h"

#define SENDER_RING	64

struct sender {
	struct kunit *test;
	struct srnic_req req;
	struct srnic_msg msgs[SENDER_RING];
};

static inline struct sender *sender_new(struct kunit *test, u8 service, u32 mtu, u32 psn)
{
	struct sender *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->test = test;
	srnic_req_init(&s->req, SENDER_RING, service);
	s->req.mtu = mtu;
	s->req.una = psn;
	s->req.send_psn = psn;
	s->req.top_psn = psn;
	s->req.next_psn = psn;
	s->req.max_rd_atomic = 16;
	s->req.retry_cnt = 7;
	s->req.retry_left = 7;
	s->req.rnr_retry = 7;
	s->req.rnr_left = 7;
	return s;
}

static inline void sender_set_retries(struct sender *s, u8 retry_cnt, u8 rnr_retry)
{
	s->req.retry_cnt = retry_cnt;
	s->req.retry_left = retry_cnt;
	s->req.rnr_retry = rnr_retry;
	s->req.rnr_left = rnr_retry;
}

static inline struct srnic_msg *sender_msg(struct sender *s, u32 index)
{
	return &s->msgs[index & s->req.mask];
}

/* The two pictures at the top of requester.h, and the count of READs and atomics. */
static inline void sender_check(struct sender *s)
{
	const struct srnic_req *req = &s->req;
	const struct srnic_msg *msg;
	u32 i, responses = 0;

	KUNIT_EXPECT_LE(s->test, req->next - req->tail, req->started - req->tail);
	KUNIT_EXPECT_LE(s->test, req->started - req->tail, req->head - req->tail);
	KUNIT_EXPECT_LE(s->test, req->head - req->tail, (u32)SENDER_RING);

	KUNIT_EXPECT_LE(s->test, srnic_psn_sub(req->send_psn, req->una),
			srnic_psn_sub(req->top_psn, req->una));
	KUNIT_EXPECT_LE(s->test, srnic_psn_sub(req->top_psn, req->una),
			srnic_psn_sub(req->next_psn, req->una));
	KUNIT_EXPECT_LE(s->test, srnic_psn_sub(req->next_psn, req->una), 1U << 23);

	/* una is in message tail, the next packet in message next. */
	msg = sender_msg(s, req->tail);
	if (req->tail == req->started)
		KUNIT_EXPECT_EQ(s->test, req->una, req->next_psn);
	else
		KUNIT_EXPECT_LT(s->test, srnic_psn_sub(req->una, msg->first_psn), msg->packets);
	msg = sender_msg(s, req->next);
	if (req->next == req->started)
		KUNIT_EXPECT_EQ(s->test, req->send_psn, req->next_psn);
	else
		KUNIT_EXPECT_LT(s->test, srnic_psn_sub(req->send_psn, msg->first_psn),
				msg->packets);

	for (i = req->tail; i != req->started; i++)
		responses += srnic_msg_has_response(sender_msg(s, i));
	KUNIT_EXPECT_EQ(s->test, req->rd_atomic, responses);
}

static inline u32 sender_post(struct sender *s, struct srnic_msg msg)
{
	*sender_msg(s, s->req.head) = msg;
	return s->req.head++;
}

static inline u32 sender_post_kind(struct sender *s, enum srnic_msg_kind kind, u32 length)
{
	return sender_post(s, (struct srnic_msg){
		.kind = kind, .length = length, .signaled = true });
}

/* UC: what is sent is done, which is for the engine to say. */
static inline void sender_forget_sent(struct sender *s)
{
	if (s->req.service != SRNIC_SERVICE_UC)
		return;
	s->req.tail = s->req.next;
	s->req.una = s->req.send_psn;
	s->req.top_psn = s->req.send_psn;
}

/* The next packet must be allowed to go; it goes. */
static inline struct srnic_req_segment sender_send(struct sender *s)
{
	struct srnic_req_segment seg = {};
	enum srnic_req_verdict verdict = srnic_req_next(&s->req, s->msgs, &seg);

	KUNIT_ASSERT_EQ(s->test, (int)verdict, (int)SRNIC_REQ_SEND);
	srnic_req_sent(&s->req, s->msgs, &seg);
	sender_forget_sent(s);
	sender_check(s);
	return seg;
}

/* All that may go, goes. */
static inline u32 sender_send_all(struct sender *s)
{
	struct srnic_req_segment seg;
	u32 packets = 0;

	while (srnic_req_next(&s->req, s->msgs, &seg) == SRNIC_REQ_SEND) {
		sender_send(s);
		packets++;
	}
	return packets;
}

static inline enum srnic_req_verdict sender_verdict(struct sender *s)
{
	struct srnic_req_segment seg;

	return srnic_req_next(&s->req, s->msgs, &seg);
}

/* A response arrives and is committed. */
static inline struct srnic_cmp_step sender_receive(struct sender *s, u8 op, u32 psn, u8 syndrome,
						   u32 bytes)
{
	struct srnic_pkt pkt = {
		.opcode = op,
		.info = srnic_opcode_info(op),
		.psn = psn,
		.syndrome = syndrome,
		.payload_bytes = bytes,
	};
	struct srnic_cmp_step step;

	srnic_cmp_response(&s->req, s->msgs, &pkt, &step);
	srnic_cmp_commit(&s->req, &step);
	sender_check(s);
	return step;
}

static inline struct srnic_cmp_step sender_ack(struct sender *s, u32 psn)
{
	return sender_receive(s, SRNIC_OP_ACK, psn, 0x1f, 0);
}

static inline struct srnic_cmp_step sender_nak(struct sender *s, u32 psn, u8 syndrome)
{
	return sender_receive(s, SRNIC_OP_ACK, psn, syndrome, 0);
}

static inline struct srnic_cmp_step sender_read(struct sender *s, u8 op, u32 psn, u32 bytes)
{
	return sender_receive(s, op, psn, 0x1f, bytes);
}

static inline struct srnic_cmp_step sender_atomic(struct sender *s, u32 psn)
{
	return sender_receive(s, SRNIC_OP_ATOMIC_ACK, psn, 0x1f, 0);
}

static inline struct srnic_cmp_step sender_timeout(struct sender *s)
{
	struct srnic_cmp_step step;

	srnic_cmp_timeout(&s->req, &step);
	srnic_cmp_commit(&s->req, &step);
	sender_check(s);
	return step;
}

#define SENDER_EXPECT_FAIL(test, step, why, index) do {				\
	const struct srnic_cmp_step step_ = (step);				\
										\
	KUNIT_EXPECT_EQ(test, (int)step_.action, (int)SRNIC_CMP_FAIL);		\
	KUNIT_EXPECT_EQ(test, (int)step_.error, (int)(why));			\
	KUNIT_EXPECT_EQ(test, step_.tail, (u32)(index));			\
} while (0)

#define SENDER_EXPECT_ACTION(test, step, what) \
	KUNIT_EXPECT_EQ(test, (int)(step).action, (int)(what))

#endif /* SRNIC_KUNIT_TRANSPORT_SENDER_H */
