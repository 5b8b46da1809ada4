// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UDP source port (rule 1.1.7).
 */
#include <kunit/test.h>

#include "wire/udp_sport.h"

static void published_examples(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_udp_sport(0x12345, 0, 0), 0xe341);
	KUNIT_EXPECT_EQ(test, srnic_flow_label(0x456, 0x789), 0x0ac04U);
	KUNIT_EXPECT_EQ(test, srnic_udp_sport(0, 0x456, 0x789), 0xec06);
	KUNIT_EXPECT_EQ(test, srnic_udp_sport(0x0ac04, 1, 2), 0xec06);
}

/* The rule worked out apart from the code: 48-bit products need both foldings. */
static void large_qp_numbers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_flow_label(0xabcdef, 0x123456), 0xac3e3U);
	KUNIT_EXPECT_EQ(test, srnic_udp_sport(0, 0xabcdef, 0x123456), 0xc3c8);
	KUNIT_EXPECT_EQ(test, srnic_flow_label(0xffffff, 0xfffffe), 0xfff2dU);
	KUNIT_EXPECT_EQ(test, srnic_udp_sport(0, 0xffffff, 0xfffffe), 0xff12);
	KUNIT_EXPECT_EQ(test, srnic_flow_label(0x800001, 0x7fffff), 0x0003fU);
}

static void same_in_both_directions(struct kunit *test)
{
	u32 a, b;

	for (a = 2; a < 0x1000000; a = a * 3 + 1)
		for (b = 2; b < 0x1000000; b = b * 5 + 3)
			KUNIT_ASSERT_EQ(test, srnic_udp_sport(0, a, b),
					srnic_udp_sport(0, b, a));
}

static void stays_in_the_dynamic_range(struct kunit *test)
{
	u32 fl;

	for (fl = 0; fl <= 0xfffff; fl += 7)
		KUNIT_ASSERT_GE(test, srnic_udp_sport(fl, 0xffffff, 0xfffffe), 0xc000);
	KUNIT_EXPECT_EQ(test, srnic_udp_sport(0x100000, 0, 0), 0xc000);
	KUNIT_EXPECT_EQ(test, srnic_udp_sport(0xfff00001, 0, 0), 0xc001);
}

static struct kunit_case udp_sport_cases[] = {
	KUNIT_CASE(published_examples),
	KUNIT_CASE(large_qp_numbers),
	KUNIT_CASE(same_in_both_directions),
	KUNIT_CASE(stays_in_the_dynamic_range),
	{}
};

static struct kunit_suite udp_sport_suite = {
	.name = "srnic_wire_udp_sport",
	.test_cases = udp_sport_cases,
};

kunit_test_suite(udp_sport_suite);
