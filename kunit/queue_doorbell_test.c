// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbell pages: who gets which bit, and what a process can do with the others.
 * Of the driver, not of the pure rooms: needs queue/{doorbell,map}.c.
 */
#include <kunit/test.h>

#include "queue/doorbell.h"

#define GROUP	8

static struct srnic_doorbell_page *page_new(struct kunit *test)
{
	struct srnic_doorbell_page *page = srnic_doorbell_page_create(NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(page));
	return page;
}

static struct srnic_doorbell_line *line_of(struct srnic_doorbell_page *page, u32 line)
{
	return (struct srnic_doorbell_line *)page->map->memory + line;
}

static void first_come_apart(struct kunit *test)
{
	struct srnic_doorbell_page *page = page_new(test);
	struct srnic_doorbell *doorbells;
	u32 i;

	doorbells = kunit_kzalloc(test, SRNIC_DOORBELLS * sizeof(*doorbells), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, doorbells);
	for (i = 0; i < SRNIC_DOORBELLS; i++) {
		u32 group = i / (GROUP * SRNIC_DOORBELL_BITS);

		KUNIT_ASSERT_TRUE(test, srnic_doorbell_get(page, &doorbells[i], &doorbells[i]));
		KUNIT_ASSERT_EQ(test, doorbells[i].line, group * GROUP + i % GROUP);
		KUNIT_ASSERT_EQ(test, doorbells[i].bit, i / GROUP % SRNIC_DOORBELL_BITS);
		KUNIT_ASSERT_EQ(test, page->users, i + 1);
		KUNIT_ASSERT_EQ(test, page->lines, max(page->lines, doorbells[i].line + 1));
	}
	KUNIT_EXPECT_EQ(test, page->lines, (u32)SRNIC_DOORBELL_LINES);
	KUNIT_EXPECT_FALSE(test, srnic_doorbell_get(page, page, &doorbells[0]));

	for (i = 0; i < SRNIC_DOORBELLS; i++)
		srnic_doorbell_put(&doorbells[i]);
	KUNIT_EXPECT_EQ(test, page->users, 0U);
	KUNIT_EXPECT_EQ(test, page->lines, (u32)SRNIC_DOORBELL_LINES);
	srnic_doorbell_page_destroy(page);
}

static void freed_bits_come_back(struct kunit *test)
{
	struct srnic_doorbell_page *page = page_new(test);
	struct srnic_doorbell doorbells[20];
	struct srnic_doorbell again;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(doorbells); i++)
		KUNIT_ASSERT_TRUE(test, srnic_doorbell_get(page, test, &doorbells[i]));

	/* Number 13 is bit 1 of line 5, which is then the emptiest. */
	line_of(page, 5)->pending = BIT_ULL(1) | BIT_ULL(0);
	srnic_doorbell_put(&doorbells[13]);
	KUNIT_EXPECT_NULL(test, doorbells[13].page);
	KUNIT_EXPECT_EQ(test, line_of(page, 5)->pending, (u64)BIT_ULL(0));
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(page->owner[5 * 64 + 1]), NULL);
	KUNIT_EXPECT_EQ(test, page->used[5], (u64)BIT_ULL(0));

	KUNIT_ASSERT_TRUE(test, srnic_doorbell_get(page, page, &again));
	KUNIT_EXPECT_EQ(test, again.line, 5U);
	KUNIT_EXPECT_EQ(test, again.bit, 1U);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(page->owner[5 * 64 + 1]), (void *)page);

	srnic_doorbell_put(&again);
	for (i = 0; i < ARRAY_SIZE(doorbells); i++)
		if (i != 13)
			srnic_doorbell_put(&doorbells[i]);
	srnic_doorbell_page_destroy(page);
}

static void strangers_bits_do_nothing(struct kunit *test)
{
	struct srnic_doorbell_page *page = page_new(test);
	struct srnic_doorbell doorbells[9];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(doorbells); i++)
		KUNIT_ASSERT_TRUE(test, srnic_doorbell_get(page, test, &doorbells[i]));

	/* Bits 0 and 1 of line 0 are in use, bit 0 of the seven others. */
	for (i = 0; i < GROUP; i++) {
		KUNIT_EXPECT_EQ(test, srnic_doorbell_take(page, i), 0ULL);
		line_of(page, i)->pending = U64_MAX;
		KUNIT_EXPECT_EQ(test, srnic_doorbell_take(page, i), i ? 1ULL : 3ULL);
		KUNIT_EXPECT_EQ(test, line_of(page, i)->pending, 0ULL);
	}

	line_of(page, 0)->pending = ~3ULL;
	KUNIT_EXPECT_EQ(test, srnic_doorbell_take(page, 0), 0ULL);
	line_of(page, 0)->pending = ~3ULL;
	KUNIT_EXPECT_FALSE(test, srnic_doorbell_park(page));

	KUNIT_EXPECT_FALSE(test, srnic_doorbell_clear(&doorbells[8]));
	line_of(page, 0)->pending = 3;
	KUNIT_EXPECT_TRUE(test, srnic_doorbell_clear(&doorbells[8]));
	KUNIT_EXPECT_EQ(test, line_of(page, 0)->pending, 1ULL);

	for (i = 0; i < ARRAY_SIZE(doorbells); i++)
		srnic_doorbell_put(&doorbells[i]);
	srnic_doorbell_page_destroy(page);
}

static void parking(struct kunit *test)
{
	struct srnic_doorbell_page *page = page_new(test);
	struct srnic_doorbell doorbells[3], late;
	u32 i;

	for (i = 0; i < SRNIC_DOORBELL_LINES; i++)
		KUNIT_EXPECT_EQ(test, line_of(page, i)->parked, 1U);
	for (i = 0; i < ARRAY_SIZE(doorbells); i++)
		KUNIT_ASSERT_TRUE(test, srnic_doorbell_get(page, test, &doorbells[i]));

	/* Lines that are not polled stay parked. */
	srnic_doorbell_unpark(page);
	for (i = 0; i < SRNIC_DOORBELL_LINES; i++)
		KUNIT_EXPECT_EQ(test, line_of(page, i)->parked, i < 3 ? 0U : 1U);
	KUNIT_ASSERT_TRUE(test, srnic_doorbell_get(page, test, &late));
	KUNIT_EXPECT_EQ(test, line_of(page, late.line)->parked, 1U);
	srnic_doorbell_unpark(page);
	KUNIT_EXPECT_EQ(test, line_of(page, late.line)->parked, 0U);

	/* A line without users is parked with the others nevertheless. */
	srnic_doorbell_put(&late);
	line_of(page, 1)->pending = 1;
	KUNIT_EXPECT_TRUE(test, srnic_doorbell_park(page));
	for (i = 0; i < SRNIC_DOORBELL_LINES; i++)
		KUNIT_EXPECT_EQ(test, line_of(page, i)->parked, 1U);
	KUNIT_EXPECT_EQ(test, srnic_doorbell_take(page, 1), 1ULL);
	KUNIT_EXPECT_FALSE(test, srnic_doorbell_park(page));

	for (i = 0; i < ARRAY_SIZE(doorbells); i++)
		srnic_doorbell_put(&doorbells[i]);
	srnic_doorbell_page_destroy(page);
}

static struct kunit_case doorbell_cases[] = {
	KUNIT_CASE(first_come_apart),
	KUNIT_CASE(freed_bits_come_back),
	KUNIT_CASE(strangers_bits_do_nothing),
	KUNIT_CASE(parking),
	{}
};

static struct kunit_suite doorbell_suite = {
	.name = "srnic_queue_doorbell",
	.test_cases = doorbell_cases,
};

kunit_test_suite(doorbell_suite);
