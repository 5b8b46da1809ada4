// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bounds and rights of memory accesses (rules 3.3.2, 6.1).
 */
#include <kunit/test.h>

#include "mem/check.h"

static void regions_must_not_wrap(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, srnic_mem_range_valid(0, 0));
	KUNIT_EXPECT_TRUE(test, srnic_mem_range_valid(U64_MAX, 0));
	KUNIT_EXPECT_TRUE(test, srnic_mem_range_valid(U64_MAX, 1));
	KUNIT_EXPECT_TRUE(test, srnic_mem_range_valid(0, U64_MAX));
	KUNIT_EXPECT_TRUE(test, srnic_mem_range_valid(1, U64_MAX));
	KUNIT_EXPECT_TRUE(test, srnic_mem_range_valid(U64_MAX - 4095, 4096));

	KUNIT_EXPECT_FALSE(test, srnic_mem_range_valid(U64_MAX, 2));
	KUNIT_EXPECT_FALSE(test, srnic_mem_range_valid(2, U64_MAX));
	KUNIT_EXPECT_FALSE(test, srnic_mem_range_valid(U64_MAX - 4095, 4097));
}

struct bounds_row {
	u64 base;
	u64 length;
	u64 va;
	u64 bytes;
	bool inside;
};

#define TOP	0xfffffffffffff000ULL

static const struct bounds_row bounds_rows[] = {
	{ 0x1000, 0x1000, 0x1000, 0x1000, true },
	{ 0x1000, 0x1000, 0x1fff, 1, true },
	{ 0x1000, 0x1000, 0x1000, 0x1001, false },
	{ 0x1000, 0x1000, 0x1fff, 2, false },
	{ 0x1000, 0x1000, 0x0fff, 1, false },
	{ 0x1000, 0x1000, 0x0fff, 2, false },
	{ 0x1000, 0x1000, 0x2000, 1, false },
	/* empty ranges: anywhere in it, or at its end */
	{ 0x1000, 0x1000, 0x1000, 0, true },
	{ 0x1000, 0x1000, 0x2000, 0, true },
	{ 0x1000, 0x1000, 0x2001, 0, false },
	{ 0x1000, 0x1000, 0x0fff, 0, false },
	/* va + bytes wraps */
	{ 0x1000, 0x1000, 0x1800, U64_MAX, false },
	{ 0x1000, 0x1000, 0x1800, U64_MAX - 0x17ff, false },
	{ 0x1000, 0x1000, U64_MAX, 2, false },
	{ 0x1000, 0x1000, U64_MAX, 0x1002, false },
	/* up to the last byte of the address space */
	{ TOP, 0x1000, TOP, 0x1000, true },
	{ TOP, 0x1000, U64_MAX, 1, true },
	{ TOP, 0x1000, U64_MAX, 2, false },
	{ TOP, 0x1000, TOP, 0x1001, false },
	{ TOP, 0x1000, 0, 1, false },
	/* all of it but one byte */
	{ 0, U64_MAX, 0, U64_MAX, true },
	{ 0, U64_MAX, U64_MAX - 1, 1, true },
	{ 0, U64_MAX, U64_MAX, 1, false },
	/* nothing */
	{ 0x1000, 0, 0x1000, 0, true },
	{ 0x1000, 0, 0x1000, 1, false },
	{ 0, 0, 0, 1, false },
};

static void ranges_are_inside_or_not(struct kunit *test)
{
	const struct bounds_row *row;

	for (row = bounds_rows; row < bounds_rows + ARRAY_SIZE(bounds_rows); row++)
		KUNIT_EXPECT_EQ_MSG(test, row->inside,
				    srnic_mem_contains(row->base, row->length,
						       row->va, row->bytes),
				    "row %zu", (size_t)(row - bounds_rows));
}

/* A byte range is inside if each of its bytes is. */
static bool contains_bytewise(u8 base, u8 length, u8 va, u8 bytes)
{
	u32 i;

	for (i = va; i < (u32)va + bytes; i++)
		if (i < base || i >= (u32)base + length)
			return false;
	return true;
}

static void agrees_with_a_naive_model(struct kunit *test)
{
	u32 base, length, va, bytes, wrong = 0;

	for (base = 0; base < 12; base++)
		for (length = 0; length < 12; length++)
			for (va = 0; va < 26; va++)
				for (bytes = 1; bytes < 26; bytes++)
					wrong += contains_bytewise(base, length, va, bytes) !=
						 srnic_mem_contains(base, length, va, bytes);
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

static void all_needed_rights_are_granted(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, srnic_mem_allows(0, 0));	/* local read */
	KUNIT_EXPECT_TRUE(test, srnic_mem_allows(1, 1));
	KUNIT_EXPECT_TRUE(test, srnic_mem_allows(7, 5));
	KUNIT_EXPECT_FALSE(test, srnic_mem_allows(0, 1));
	KUNIT_EXPECT_FALSE(test, srnic_mem_allows(4, 5));
	KUNIT_EXPECT_FALSE(test, srnic_mem_allows(2, 1));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(regions_must_not_wrap),
	KUNIT_CASE(ranges_are_inside_or_not),
	KUNIT_CASE(agrees_with_a_naive_model),
	KUNIT_CASE(all_needed_rights_are_granted),
	{}
};

static struct kunit_suite suite = {
	.name = "srnic_mem_check",
	.test_cases = cases,
};

kunit_test_suite(suite);
