// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: messages become packets (rules 1.2.1, 1.4, 2.4).
 */
#include <kunit/test.h>

#include "transport_sender.h"

/* Operations by position, from table 1.4. */
struct position_ops {
	u8 first, middle, last, only;
};

struct segment_row {
	enum srnic_msg_kind kind;
	bool imm;
	struct position_ops ops;
};

static const struct segment_row segment_rows[] = {
	{ SRNIC_MSG_SEND, false, { 0x00, 0x01, 0x02, 0x04 } },
	{ SRNIC_MSG_SEND, true, { 0x00, 0x01, 0x03, 0x05 } },
	{ SRNIC_MSG_WRITE, false, { 0x06, 0x07, 0x08, 0x0a } },
	{ SRNIC_MSG_WRITE, true, { 0x06, 0x07, 0x09, 0x0b } },
};

static const u32 mtus[] = { 256, 512, 1024, 2048, 4096 };

/* Multiples of the MTU, and the bytes around them. */
static u32 lengths_around(u32 mtu, u32 *lengths)
{
	static const u32 multiples[] = { 1, 2, 3, 8 };
	u32 i, n = 0;

	lengths[n++] = 0;
	lengths[n++] = 1;
	for (i = 0; i < ARRAY_SIZE(multiples); i++) {
		lengths[n++] = multiples[i] * mtu - 1;
		lengths[n++] = multiples[i] * mtu;
		lengths[n++] = multiples[i] * mtu + 1;
	}
	return n;
}

#define LENGTHS		14

/* By division, which the code does not do. */
static u32 packets_of(u32 length, u32 mtu)
{
	return length ? (length + mtu - 1) / mtu : 1;
}

static u8 op_at(const struct position_ops *ops, u32 i, u32 packets)
{
	if (packets == 1)
		return ops->only;
	if (!i)
		return ops->first;
	return i == packets - 1 ? ops->last : ops->middle;
}

static void check_message(struct kunit *test, struct sender *s, const struct segment_row *row,
			  u32 length)
{
	u32 mtu = s->req.mtu, packets = packets_of(length, mtu);
	u32 psn = s->req.next_psn, index, i;

	index = sender_post(s, (struct srnic_msg){
		.kind = row->kind, .imm = row->imm, .length = length });
	for (i = 0; i < packets; i++) {
		struct srnic_req_segment seg = sender_send(s);
		bool last = i == packets - 1;

		KUNIT_EXPECT_EQ(test, seg.index, index);
		KUNIT_EXPECT_EQ(test, seg.psn, (psn + i) & 0xffffff);
		KUNIT_EXPECT_EQ(test, seg.offset, i * mtu);
		KUNIT_EXPECT_EQ(test, seg.bytes, last ? length - i * mtu : mtu);
		KUNIT_EXPECT_EQ(test, seg.psns, 1U);
		KUNIT_EXPECT_EQ(test, seg.last, last);
		KUNIT_EXPECT_EQ(test, seg.opcode,
				(u8)(s->req.service | op_at(&row->ops, i, packets)));
	}
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, s->req.next_psn, (psn + packets) & 0xffffff);
}

static void check_service(struct kunit *test, u8 service, u32 start_psn)
{
	u32 lengths[LENGTHS], m, r, i, n;

	for (m = 0; m < ARRAY_SIZE(mtus); m++) {
		n = lengths_around(mtus[m], lengths);
		for (r = 0; r < ARRAY_SIZE(segment_rows); r++) {
			struct sender *s = sender_new(test, service, mtus[m], start_psn);

			for (i = 0; i < n; i++) {
				check_message(test, s, &segment_rows[r], lengths[i]);
				if (service == SRNIC_SERVICE_RC)
					sender_ack(s, srnic_psn_sub(s->req.next_psn, 1));
			}
			kunit_kfree(test, s);
		}
	}
}

static void rc_messages_become_packets(struct kunit *test)
{
	check_service(test, SRNIC_SERVICE_RC, 0x123456);
}

static void uc_messages_become_packets(struct kunit *test)
{
	check_service(test, SRNIC_SERVICE_UC, 0x123456);
}

static void psn_wraps_in_every_place(struct kunit *test)
{
	u32 back;

	/* The wrap falls on each of the first packets in turn. */
	for (back = 1; back <= 4; back++) {
		check_service(test, SRNIC_SERVICE_RC, 0x1000000 - back);
		check_service(test, SRNIC_SERVICE_UC, 0x1000000 - back);
	}
}

static void read_takes_the_psns_of_its_responses(struct kunit *test)
{
	static const u32 starts[] = { 5, 0xfffffe, 0xffffff };
	u32 lengths[LENGTHS], m, i, n, p;

	for (m = 0; m < ARRAY_SIZE(mtus); m++) {
		n = lengths_around(mtus[m], lengths);
		for (i = 0; i < n * ARRAY_SIZE(starts); i++) {
			u32 psn = starts[i / n], length = lengths[i % n];
			struct sender *s = sender_new(test, SRNIC_SERVICE_RC, mtus[m], psn);
			struct srnic_req_segment seg;

			p = packets_of(length, mtus[m]);
			sender_post_kind(s, SRNIC_MSG_READ, length);
			sender_post_kind(s, SRNIC_MSG_SEND, 1);
			seg = sender_send(s);
			KUNIT_EXPECT_EQ(test, seg.opcode, (u8)0x0c);
			KUNIT_EXPECT_EQ(test, seg.psn, psn);
			KUNIT_EXPECT_EQ(test, seg.offset, 0U);
			KUNIT_EXPECT_EQ(test, seg.bytes, 0U);
			KUNIT_EXPECT_EQ(test, seg.psns, p);
			KUNIT_EXPECT_TRUE(test, seg.last);
			KUNIT_EXPECT_FALSE(test, seg.solicited);

			seg = sender_send(s);
			KUNIT_EXPECT_EQ(test, seg.psn, (psn + p) & 0xffffff);
			kunit_kfree(test, s);
		}
	}
}

static void atomics_are_one_packet(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 0xffffff);
	struct srnic_req_segment seg;

	sender_post_kind(s, SRNIC_MSG_CMP_SWAP, 8);
	sender_post_kind(s, SRNIC_MSG_FETCH_ADD, 8);

	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.opcode, (u8)0x13);
	KUNIT_EXPECT_EQ(test, seg.psn, 0xffffffU);
	KUNIT_EXPECT_EQ(test, seg.psns, 1U);
	KUNIT_EXPECT_EQ(test, seg.bytes, 0U);
	KUNIT_EXPECT_TRUE(test, seg.last);

	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.opcode, (u8)0x14);
	KUNIT_EXPECT_EQ(test, seg.psn, 0U);
	KUNIT_EXPECT_EQ(test, seg.psns, 1U);
	KUNIT_EXPECT_EQ(test, seg.bytes, 0U);
}

/* SE: the last packet of a SEND, or of a WRITE with immediate; nowhere else. */
static void solicited_is_on_the_last_packet(struct kunit *test)
{
	static const struct {
		enum srnic_msg_kind kind;
		bool imm;
		bool allowed;
	} rows[] = {
		{ SRNIC_MSG_SEND, false, true },
		{ SRNIC_MSG_SEND, true, true },
		{ SRNIC_MSG_WRITE, true, true },
		{ SRNIC_MSG_WRITE, false, false },
		{ SRNIC_MSG_READ, false, false },
		{ SRNIC_MSG_ATOMIC_WRITE, false, false },
		{ SRNIC_MSG_CMP_SWAP, false, false },
		{ SRNIC_MSG_FETCH_ADD, false, false },
	};
	u32 r, asked;

	for (r = 0; r < ARRAY_SIZE(rows) * 2; r++) {
		struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 0);

		asked = r % 2;
		sender_post(s, (struct srnic_msg){
			.kind = rows[r / 2].kind, .imm = rows[r / 2].imm,
			.length = rows[r / 2].kind > SRNIC_MSG_READ ? 8 : 600,
			.solicited = asked });
		while (sender_verdict(s) == SRNIC_REQ_SEND) {
			struct srnic_req_segment seg = sender_send(s);

			KUNIT_EXPECT_EQ_MSG(test, seg.solicited,
					    asked && rows[r / 2].allowed && seg.last,
					    "row %u", r / 2);
		}
		kunit_kfree(test, s);
	}
}

/* As if all but the last packets of the message were sent and acknowledged. */
static void skip_to(struct sender *s, u32 packets_done)
{
	u32 psn = srnic_psn_add(sender_msg(s, s->req.tail)->first_psn, packets_done);

	s->req.una = psn;
	s->req.send_psn = psn;
	s->req.top_psn = psn;
	sender_check(s);
}

static void largest_write(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 0xfffff0);
	struct srnic_req_segment seg;

	sender_post_kind(s, SRNIC_MSG_WRITE, 0x80000000);
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.opcode, (u8)0x06);
	KUNIT_EXPECT_EQ(test, s->req.next_psn, 0x7ffff0U);

	/* All of its 2^23 PSNs are its own: nothing else starts. */
	sender_post_kind(s, SRNIC_MSG_SEND, 0);
	skip_to(s, 0x7ffffe);
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.opcode, (u8)0x07);
	KUNIT_EXPECT_EQ(test, seg.psn, 0x7fffeeU);
	KUNIT_EXPECT_EQ(test, seg.offset, 0x7ffffe00U);
	KUNIT_EXPECT_EQ(test, seg.bytes, 256U);
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.opcode, (u8)0x08);
	KUNIT_EXPECT_EQ(test, seg.psn, 0x7fffefU);
	KUNIT_EXPECT_EQ(test, seg.offset, 0x7fffff00U);
	KUNIT_EXPECT_EQ(test, seg.bytes, 256U);
	KUNIT_EXPECT_TRUE(test, seg.last);
	KUNIT_EXPECT_TRUE(test, seg.ack_req);

	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.psn, 0x7ffff0U);
	KUNIT_EXPECT_EQ(test, seg.opcode, (u8)0x04);
	KUNIT_EXPECT_EQ(test, sender_ack(s, 0x7ffff0).tail, 2U);
}

static void largest_read(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 0x10);
	struct srnic_req_segment seg;
	struct srnic_cmp_step step;

	sender_post_kind(s, SRNIC_MSG_READ, 0x80000000);
	sender_post_kind(s, SRNIC_MSG_SEND, 0);
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.psns, 0x800000U);
	/* 2^23 PSNs are outstanding: not one more (2.4). */
	KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_WINDOW);

	/* The response to the first and to the last packet have a place. */
	step = sender_read(s, SRNIC_OP_READ_RESP_FIRST, 0x10, 256);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, step.offset, 0U);
	s->req.una = 0x80000f;
	step = sender_read(s, SRNIC_OP_READ_RESP_LAST, 0x80000f, 256);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_PLACE);
	KUNIT_EXPECT_EQ(test, step.offset, 0x7fffff00U);
	KUNIT_EXPECT_EQ(test, step.tail, 1U);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 0x800010U);
}

static struct kunit_case segment_cases[] = {
	KUNIT_CASE(rc_messages_become_packets),
	KUNIT_CASE(uc_messages_become_packets),
	KUNIT_CASE(psn_wraps_in_every_place),
	KUNIT_CASE(read_takes_the_psns_of_its_responses),
	KUNIT_CASE(atomics_are_one_packet),
	KUNIT_CASE(solicited_is_on_the_last_packet),
	KUNIT_CASE(largest_write),
	KUNIT_CASE(largest_read),
	{}
};

static struct kunit_suite segment_suite = {
	.name = "srnic_transport_segment",
	.test_cases = segment_cases,
};

kunit_test_suite(segment_suite);
