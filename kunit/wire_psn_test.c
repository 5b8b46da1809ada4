// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * PSN arithmetic (rules 2.1, 2.2, 2.4).
 */
#include <kunit/test.h>

#include "wire/psn.h"

static void add_wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_psn_add(0, 0), 0U);
	KUNIT_EXPECT_EQ(test, srnic_psn_add(0xffffff, 1), 0U);
	KUNIT_EXPECT_EQ(test, srnic_psn_add(0xfffffe, 5), 3U);
	KUNIT_EXPECT_EQ(test, srnic_psn_add(0x123456, 0x1000000), 0x123456U);
	KUNIT_EXPECT_EQ(test, srnic_psn_add(0, (u32)-1), 0xffffffU);
	KUNIT_EXPECT_EQ(test, srnic_psn_add(0xff000001, 1), 2U);
}

static void sub_is_a_distance(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_psn_sub(5, 5), 0U);
	KUNIT_EXPECT_EQ(test, srnic_psn_sub(5, 3), 2U);
	KUNIT_EXPECT_EQ(test, srnic_psn_sub(3, 5), 0xfffffeU);
	KUNIT_EXPECT_EQ(test, srnic_psn_sub(0, 0xffffff), 1U);
	KUNIT_EXPECT_EQ(test, srnic_psn_sub(0x800000, 0), 0x800000U);
	KUNIT_EXPECT_EQ(test, srnic_psn_sub(0x01000007, 0xab000003), 4U);
}

static void mask_cuts_to_24_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_psn_mask(0x1000000), 0U);
	KUNIT_EXPECT_EQ(test, srnic_psn_mask(0xffffffff), 0xffffffU);
	KUNIT_EXPECT_EQ(test, srnic_psn_mask(0x800000), 0x800000U);
}

struct cmp_row {
	u32 a;
	u32 b;
	int sign;
};

static const struct cmp_row cmp_rows[] = {
	{ 0, 0, 0 },
	{ 1, 0, 1 },
	{ 0, 1, -1 },
	{ 0xffffff, 0, -1 },
	{ 0, 0xffffff, 1 },
	{ 0x7fffff, 0, 1 },		/* the furthest newer */
	{ 0x800000, 0, -1 },		/* exactly 2^23: older, */
	{ 0, 0x800000, -1 },		/* both ways round */
	{ 0x800001, 0, -1 },
	{ 0x7ffffe, 0xffffff, 1 },
	{ 0x7fffff, 0xffffff, -1 },
	{ 0xfffffe, 0x7fffff, 1 },
	{ 0x12000005, 0x34000003, 1 },	/* rubbish above bit 23 */
	{ 0x12000003, 0x34000003, 0 },
};

static void cmp_has_the_sign(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cmp_rows); i++) {
		const struct cmp_row *row = &cmp_rows[i];
		s32 cmp = srnic_psn_cmp(row->a, row->b);

		KUNIT_EXPECT_EQ_MSG(test, (cmp > 0) - (cmp < 0), row->sign, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, srnic_psn_before(row->a, row->b), row->sign < 0,
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, srnic_psn_after(row->a, row->b), row->sign > 0,
				    "row %u", i);
	}
}

static void cmp_is_a_signed_distance(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_psn_cmp(7, 3), 4);
	KUNIT_EXPECT_EQ(test, srnic_psn_cmp(3, 7), -4);
	KUNIT_EXPECT_EQ(test, srnic_psn_cmp(2, 0xfffffe), 4);
	KUNIT_EXPECT_EQ(test, srnic_psn_cmp(0x7fffff, 0), 0x7fffff);
	KUNIT_EXPECT_EQ(test, srnic_psn_cmp(0x800000, 0), -0x800000);
}

/* Rule 2.2: what a responder makes of a PSN, at the edges of each region. */
static void responder_regions(struct kunit *test)
{
	static const u32 expected[] = { 0, 1, 0x7fffff, 0x800000, 0xffffff, 0x123456 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		u32 e = expected[i];

		KUNIT_EXPECT_EQ(test, srnic_psn_cmp(e, e), 0);
		KUNIT_EXPECT_TRUE(test, srnic_psn_before(srnic_psn_add(e, (u32)-1), e));
		KUNIT_EXPECT_TRUE(test,
				  srnic_psn_before(srnic_psn_add(e, (u32)-0x800000), e));
		KUNIT_EXPECT_TRUE(test, srnic_psn_after(srnic_psn_add(e, 1), e));
		KUNIT_EXPECT_TRUE(test, srnic_psn_after(srnic_psn_add(e, 0x7fffff), e));
	}
}

static void in_range_wraps(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, srnic_psn_in_range(5, 5, 0));
	KUNIT_EXPECT_TRUE(test, srnic_psn_in_range(5, 5, 1));
	KUNIT_EXPECT_FALSE(test, srnic_psn_in_range(6, 5, 1));
	KUNIT_EXPECT_FALSE(test, srnic_psn_in_range(4, 5, 100));
	KUNIT_EXPECT_TRUE(test, srnic_psn_in_range(0xfffffe, 0xfffffe, 4));
	KUNIT_EXPECT_TRUE(test, srnic_psn_in_range(1, 0xfffffe, 4));
	KUNIT_EXPECT_FALSE(test, srnic_psn_in_range(2, 0xfffffe, 4));
	KUNIT_EXPECT_FALSE(test, srnic_psn_in_range(0xfffffd, 0xfffffe, 4));
}

static struct kunit_case psn_cases[] = {
	KUNIT_CASE(add_wraps),
	KUNIT_CASE(sub_is_a_distance),
	KUNIT_CASE(mask_cuts_to_24_bits),
	KUNIT_CASE(cmp_has_the_sign),
	KUNIT_CASE(cmp_is_a_signed_distance),
	KUNIT_CASE(responder_regions),
	KUNIT_CASE(in_range_wraps),
	{}
};

static struct kunit_suite psn_suite = {
	.name = "srnic_wire_psn",
	.test_cases = psn_cases,
};

kunit_test_suite(psn_suite);
