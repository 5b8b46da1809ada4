// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory in pieces: what is where.
 */
#include <kunit/test.h>

#include "mem/segments.h"

#define MAX	8

static struct srnic_segments new_segments(struct kunit *test, u32 max)
{
	struct srnic_segments segments = { .max = max };

	/* Of the heap, so that a sanitizer sees who leaves it. */
	segments.list = kunit_kzalloc(test, max * sizeof(*segments.list), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, segments.list);
	return segments;
}

static void one_piece(struct kunit *test)
{
	struct srnic_segments segments = new_segments(test, 1);
	u64 run;

	KUNIT_EXPECT_EQ(test, srnic_segments_bytes(&segments), 0ULL);
	KUNIT_ASSERT_TRUE(test, srnic_segments_add(&segments, 0xffff888000001003ULL, 5));
	KUNIT_EXPECT_EQ(test, srnic_segments_bytes(&segments), 5ULL);
	KUNIT_EXPECT_EQ(test, srnic_segments_run(&segments, 0, 9, &run), 0xffff888000001003ULL);
	KUNIT_EXPECT_EQ(test, run, 5ULL);
	KUNIT_EXPECT_EQ(test, srnic_segments_run(&segments, 4, 1, &run), 0xffff888000001007ULL);
	KUNIT_EXPECT_EQ(test, run, 1ULL);
	KUNIT_EXPECT_EQ(test, srnic_segments_run(&segments, 1, 2, &run), 0xffff888000001004ULL);
	KUNIT_EXPECT_EQ(test, run, 2ULL);
}

static void neighbours_are_joined_but_count(struct kunit *test)
{
	struct srnic_segments segments = new_segments(test, 4);
	u64 run;

	KUNIT_EXPECT_TRUE(test, srnic_segments_add(&segments, 0x1f00, 0x100));
	KUNIT_EXPECT_TRUE(test, srnic_segments_add(&segments, 0x2000, 0x1000));
	KUNIT_EXPECT_TRUE(test, srnic_segments_add(&segments, 0x5000, 0x1000));
	KUNIT_EXPECT_TRUE(test, srnic_segments_add(&segments, 0x6000, 0x1000));
	KUNIT_EXPECT_FALSE(test, srnic_segments_add(&segments, 0x7000, 1));
	KUNIT_EXPECT_TRUE(test, srnic_segments_add(&segments, 0x7000, 0));
	KUNIT_EXPECT_EQ(test, segments.count, 2U);
	KUNIT_EXPECT_EQ(test, srnic_segments_bytes(&segments), 0x3100ULL);
	KUNIT_EXPECT_EQ(test, srnic_segments_run(&segments, 0xff, 0x10000, &run), 0x1fffULL);
	KUNIT_EXPECT_EQ(test, run, 0x1001ULL);
	KUNIT_EXPECT_EQ(test, srnic_segments_run(&segments, 0x1100, 0x10000, &run), 0x5000ULL);
	KUNIT_EXPECT_EQ(test, run, 0x2000ULL);

	srnic_segments_clear(&segments);
	KUNIT_EXPECT_EQ(test, srnic_segments_bytes(&segments), 0ULL);
	KUNIT_EXPECT_TRUE(test, srnic_segments_add(&segments, 0x9000, 2));
	KUNIT_EXPECT_EQ(test, srnic_segments_run(&segments, 1, 1, &run), 0x9001ULL);
}

/* Every number of pieces of 1, 2, 3 ... bytes, apart from each other: every byte. */
static void agrees_with_a_naive_model(struct kunit *test)
{
	u32 pieces, piece, byte, wrong = 0;

	for (pieces = 1; pieces <= MAX; pieces++) {
		struct srnic_segments segments = new_segments(test, pieces);
		u64 offset = 0, run;

		for (piece = 0; piece < pieces; piece++)
			wrong += !srnic_segments_add(&segments, 100 * piece + 7, piece + 1);
		for (piece = 0; piece < pieces; piece++)
			for (byte = 0; byte <= piece; byte++, offset++) {
				wrong += srnic_segments_run(&segments, offset, 1000, &run) !=
					 100 * piece + 7 + byte;
				wrong += run != piece + 1 - byte;
			}
		wrong += srnic_segments_bytes(&segments) != offset;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(one_piece),
	KUNIT_CASE(neighbours_are_joined_but_count),
	KUNIT_CASE(agrees_with_a_naive_model),
	{}
};

static struct kunit_suite suite = {
	.name = "srnic_mem_segments",
	.test_cases = cases,
};

kunit_test_suite(suite);
