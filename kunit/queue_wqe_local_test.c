// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests about keys: bind of a memory window, the two kinds of invalidate.
 */
#include <kunit/test.h>

#include "queue_wqe_slot.h"

static u32 decode(struct kunit *test, const struct srnic_send_wqe *wqe, struct srnic_send_wr *wr)
{
	return slot_decode(test, SRNIC_WQE_RC, wqe, NULL, wr);
}

static void fields_of_bind(struct kunit *test)
{
	struct srnic_send_wqe wqe = {
		.wr_id = 77,
		.opcode = SRNIC_WR_BIND_MW,
		.flags = SRNIC_SEND_SIGNALED | SRNIC_SEND_FENCE,
		.bind = {
			.addr = 0xfedcba9876543210ULL,
			.length = 0x8000000000000001ULL,
			.rkey = 0x12345678,
			.lkey = 0x9abcdef0,
			.access = 0xffffffff,
		},
	};
	struct srnic_send_wr wr;

	KUNIT_ASSERT_EQ(test, decode(test, &wqe, &wr), (u32)SRNIC_WQE_OK);
	KUNIT_EXPECT_EQ(test, wr.wr_id, 77ULL);
	KUNIT_EXPECT_EQ(test, wr.bind_addr, 0xfedcba9876543210ULL);
	KUNIT_EXPECT_EQ(test, wr.bind_length, 0x8000000000000001ULL);
	KUNIT_EXPECT_EQ(test, wr.rkey, 0x12345678U);
	KUNIT_EXPECT_EQ(test, wr.bind_lkey, 0x9abcdef0U);
	KUNIT_EXPECT_EQ(test, wr.bind_access, 0xffffffffU);
	KUNIT_EXPECT_EQ(test, wr.length, 0U);
	KUNIT_EXPECT_EQ(test, wr.remote_addr, 0ULL);

	wqe.bind.reserved = 1;
	KUNIT_EXPECT_EQ(test, decode(test, &wqe, &wr), (u32)SRNIC_WQE_BAD_RESERVED);
}

static void fields_of_invalidate(struct kunit *test)
{
	static const u8 opcodes[] = { SRNIC_WR_LOCAL_INV, SRNIC_WR_SEND_WITH_INV };
	struct srnic_send_wr wr;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct srnic_send_wqe wqe = { .opcode = opcodes[i], .imm = 0x12345678 };

		KUNIT_ASSERT_EQ(test, decode(test, &wqe, &wr), (u32)SRNIC_WQE_OK);
		KUNIT_EXPECT_EQ(test, wr.inv_rkey, 0x12345678U);
		KUNIT_EXPECT_EQ(test, (u32)wr.imm, 0U);
		KUNIT_EXPECT_EQ(test, wr.rkey, 0U);
	}
}

/* They send nothing: no list, no inline data. */
static void no_payload(struct kunit *test)
{
	static const u32 eight[SLOT_SGE] = { 8 };
	static const u8 opcodes[] = { SRNIC_WR_LOCAL_INV, SRNIC_WR_BIND_MW };
	struct srnic_send_wr wr;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct srnic_send_wqe wqe = { .opcode = opcodes[i], .num_sge = 1 };

		KUNIT_EXPECT_EQ(test, (u32)slot_decode(test, SRNIC_WQE_RC, &wqe, eight, &wr),
				(u32)SRNIC_WQE_BAD_SGE_COUNT);
		wqe.num_sge = 0;
		wqe.flags = SRNIC_SEND_INLINE;
		KUNIT_EXPECT_EQ(test, decode(test, &wqe, &wr), (u32)SRNIC_WQE_BAD_FLAGS);
		wqe.flags = 0;
		wqe.inline_length = 4;
		KUNIT_EXPECT_EQ(test, decode(test, &wqe, &wr), (u32)SRNIC_WQE_BAD_INLINE);
	}
}

static void send_with_payload(struct kunit *test)
{
	static const u32 eight[SLOT_SGE] = { 8, 8 };
	struct srnic_send_wqe wqe = { .opcode = SRNIC_WR_SEND_WITH_INV, .num_sge = 2, .imm = 5 };
	struct srnic_send_wr wr;

	KUNIT_ASSERT_EQ(test, (u32)slot_decode(test, SRNIC_WQE_RC, &wqe, eight, &wr),
			(u32)SRNIC_WQE_OK);
	KUNIT_EXPECT_EQ(test, wr.length, 16U);
	wqe = (struct srnic_send_wqe){
		.opcode = SRNIC_WR_SEND_WITH_INV, .flags = SRNIC_SEND_INLINE, .inline_length = 9 };
	KUNIT_ASSERT_EQ(test, decode(test, &wqe, &wr), (u32)SRNIC_WQE_OK);
	KUNIT_EXPECT_EQ(test, wr.length, 9U);
}

static struct kunit_case local_cases[] = {
	KUNIT_CASE(fields_of_bind),
	KUNIT_CASE(fields_of_invalidate),
	KUNIT_CASE(no_payload),
	KUNIT_CASE(send_with_payload),
	{}
};

static struct kunit_suite local_suite = {
	.name = "srnic_queue_wqe_local",
	.test_cases = local_cases,
};

kunit_test_suite(local_suite);
