// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ring indices: what a private head makes of an index that may be anything.
 */
#include <kunit/test.h>

#include "queue/ring.h"

struct pending_row {
	const char *what;
	u32 producer;
	u32 head;
	u32 room;
	u32 pending;
};

static const struct pending_row pending_rows[] = {
	{ "fresh ring", 0, 0, 16, 0 },
	{ "one posted", 1, 0, 16, 1 },
	{ "full", 16, 0, 16, 16 },
	{ "one more than full", 17, 0, 16, SRNIC_RING_NONSENSE },
	{ "all taken", 16, 16, 16, 0 },
	{ "index is not cut to the size", 1000, 990, 16, 10 },
	{ "slots in flight are no room", 20, 16, 4, 4 },
	{ "overruns a slot in flight", 21, 16, 4, SRNIC_RING_NONSENSE },
	{ "all in flight, nothing new", 16, 16, 0, 0 },
	{ "all in flight, one new", 17, 16, 0, SRNIC_RING_NONSENSE },
	{ "backwards by one", 15, 16, 16, SRNIC_RING_NONSENSE },
	{ "back to 0", 0, 16, 16, SRNIC_RING_NONSENSE },
	{ "half the numbers ahead", 0x80000000, 0, 16, SRNIC_RING_NONSENSE },
	{ "half the numbers, largest ring", 0x80000000, 0, 0x80000000, 0x80000000 },
	{ "all ones", U32_MAX, 0, 16, SRNIC_RING_NONSENSE },
	{ "all ones, largest ring", U32_MAX, 0, 0x80000000, SRNIC_RING_NONSENSE },
	{ "up to the wrap", U32_MAX, U32_MAX - 3, 16, 3 },
	{ "onto the wrap", 0, U32_MAX, 16, 1 },
	{ "across the wrap", 12, U32_MAX - 3, 16, 16 },
	{ "across the wrap, one too far", 13, U32_MAX - 3, 16, SRNIC_RING_NONSENSE },
	{ "backwards across the wrap", U32_MAX, 0, 16, SRNIC_RING_NONSENSE },
	{ "ring of one slot", 8, 7, 1, 1 },
	{ "ring of one slot, overrun", 9, 7, 1, SRNIC_RING_NONSENSE },
};

static void pending_of_any_index(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pending_rows); i++) {
		const struct pending_row *row = &pending_rows[i];

		KUNIT_EXPECT_EQ_MSG(test,
				    srnic_ring_pending(row->producer, row->head, row->room),
				    row->pending, "%s", row->what);
	}
}

/* Around every head that is special, and every room of a small ring. */
static void pending_is_bounded(struct kunit *test)
{
	static const u32 heads[] = { 0, 1, 0x7fffffff, 0x80000000, U32_MAX - 8, U32_MAX };
	size_t i;
	u32 room;
	int step;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		for (room = 0; room <= 16; room++) {
			for (step = -40; step <= 40; step++) {
				u32 want = step >= 0 && step <= (int)room ?
					(u32)step : SRNIC_RING_NONSENSE;

				KUNIT_EXPECT_EQ(test,
						srnic_ring_pending(heads[i] + step, heads[i], room),
						want);
			}
		}
	}
}

static void full_of_any_index(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, srnic_ring_full(0, 0, 8));
	KUNIT_EXPECT_FALSE(test, srnic_ring_full(7, 0, 8));
	KUNIT_EXPECT_TRUE(test, srnic_ring_full(8, 0, 8));
	KUNIT_EXPECT_FALSE(test, srnic_ring_full(8, 1, 8));
	/* More taken than written, and more in the ring than it has room for. */
	KUNIT_EXPECT_TRUE(test, srnic_ring_full(8, 9, 8));
	KUNIT_EXPECT_TRUE(test, srnic_ring_full(0, 1, 8));
	KUNIT_EXPECT_TRUE(test, srnic_ring_full(9, 0, 8));
	KUNIT_EXPECT_TRUE(test, srnic_ring_full(0, 0x80000000, 8));
	KUNIT_EXPECT_TRUE(test, srnic_ring_full(0x80000000, 0, 8));
	/* Across the wrap. */
	KUNIT_EXPECT_FALSE(test, srnic_ring_full(3, U32_MAX - 3, 8));
	KUNIT_EXPECT_TRUE(test, srnic_ring_full(4, U32_MAX - 3, 8));
	KUNIT_EXPECT_FALSE(test, srnic_ring_full(1, 0, 2));
	KUNIT_EXPECT_TRUE(test, srnic_ring_full(1, 0, 1));
}

static void slot_is_inside(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_ring_slot(0, 16), 0U);
	KUNIT_EXPECT_EQ(test, srnic_ring_slot(15, 16), 15U);
	KUNIT_EXPECT_EQ(test, srnic_ring_slot(16, 16), 0U);
	KUNIT_EXPECT_EQ(test, srnic_ring_slot(U32_MAX, 16), 15U);
	KUNIT_EXPECT_EQ(test, srnic_ring_slot(U32_MAX, 1), 0U);
	KUNIT_EXPECT_EQ(test, srnic_ring_slot(U32_MAX, 0x80000000), 0x7fffffffU);
}

/* "1 for the first pass through the ring, then 0, and so on" */
static void phase_flips_each_pass(struct kunit *test)
{
	u32 entries, pass, i;

	for (entries = 1; entries <= 8; entries *= 2)
		for (pass = 0; pass < 5; pass++)
			for (i = 0; i < entries; i++)
				KUNIT_EXPECT_EQ(test,
						srnic_ring_phase(pass * entries + i, entries),
						pass % 2 ? 0 : 1);
	/* The last pass before 2^32 is an odd one, so the first after it is as at first. */
	KUNIT_EXPECT_EQ(test, srnic_ring_phase(U32_MAX, 8), 0);
	KUNIT_EXPECT_EQ(test, srnic_ring_phase(0, 8), 1);
}

static void bytes_do_not_overflow(struct kunit *test)
{
	size_t bytes = 1;

	KUNIT_EXPECT_TRUE(test, srnic_ring_bytes(128, 16, 64, &bytes));
	KUNIT_EXPECT_EQ(test, bytes, (size_t)(128 + 16 * 64));
	KUNIT_EXPECT_TRUE(test, srnic_ring_bytes(128, 1, 64, &bytes));
	KUNIT_EXPECT_EQ(test, bytes, (size_t)192);

	KUNIT_EXPECT_FALSE(test, srnic_ring_bytes(128, 0, 64, &bytes));
	KUNIT_EXPECT_FALSE(test, srnic_ring_bytes(128, 3, 64, &bytes));
	KUNIT_EXPECT_FALSE(test, srnic_ring_bytes(128, U32_MAX, 64, &bytes));
	KUNIT_EXPECT_FALSE(test, srnic_ring_bytes((size_t)-1, 1, 1, &bytes));
	KUNIT_EXPECT_FALSE(test, srnic_ring_bytes((size_t)-64, 1, 64, &bytes));

	/* 2^31 slots of 2^31 bytes: fits in 64 bits, and in nothing smaller. */
	KUNIT_EXPECT_EQ(test, srnic_ring_bytes(0, 0x80000000, 0x80000000, &bytes),
			sizeof(size_t) == 8);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(pending_of_any_index),
	KUNIT_CASE(pending_is_bounded),
	KUNIT_CASE(full_of_any_index),
	KUNIT_CASE(slot_is_inside),
	KUNIT_CASE(phase_flips_each_pass),
	KUNIT_CASE(bytes_do_not_overflow),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "srnic_queue_ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
