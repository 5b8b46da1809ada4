// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which windows may be opened, and what they open.
 */
#include <kunit/test.h>

#include "mem/window.h"

/* enum ib_access_flags */
#define LOCAL_WRITE	0x01
#define REMOTE_WRITE	0x02
#define REMOTE_READ	0x04
#define REMOTE_ATOMIC	0x08
#define MW_BIND		0x10
#define ZERO_BASED	0x20

static void rights(struct kunit *test)
{
	struct srnic_window window;
	u32 region, access;

	for (region = 0; region < 64; region++) {
		for (access = 0; access < 64; access++) {
			bool writes = access & (REMOTE_WRITE | REMOTE_ATOMIC);
			bool good = region & MW_BIND && !(access & MW_BIND) &&
				    (!writes || region & LOCAL_WRITE);

			KUNIT_EXPECT_EQ_MSG(test,
					    (u32)srnic_window_open(&window, 0x1000, 0x1000,
								   region, 0x1000, 1, access),
					    (u32)(good ? SRNIC_MEM_OK : SRNIC_MEM_BAD_ACCESS),
					    "region %x, window %x", region, access);
		}
	}
	KUNIT_EXPECT_EQ(test,
			(u32)srnic_window_open(&window, 0, 1, MW_BIND, 0, 1, 1U << 20),
			(u32)SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test,
			(u32)srnic_window_open(&window, 0, 1, MW_BIND, 0, 1, 1U << 31),
			(u32)SRNIC_MEM_BAD_ACCESS);
}

static void inside_of_the_region(struct kunit *test)
{
	static const struct {
		u64 addr;
		u64 length;
		bool good;
	} rows[] = {
		{ 0x1000, 0x1000, true },
		{ 0x1000, 0x1001, false },
		{ 0xfff, 1, false },
		{ 0x1fff, 1, true },
		{ 0x2000, 1, false },
		{ 0x1800, U64_MAX, false },
		{ U64_MAX, 0x1001, false },
	};
	struct srnic_window window;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    (u32)srnic_window_open(&window, 0x1000, 0x1000, MW_BIND,
							   rows[i].addr, rows[i].length,
							   REMOTE_READ),
				    (u32)(rows[i].good ? SRNIC_MEM_OK : SRNIC_MEM_BAD_BOUNDS),
				    "row %zu", i);
}

/* Opened for 0x100 bytes at 0x1800; @base is what peers call the first one. */
static void expect_range(struct kunit *test, u32 access, u64 base)
{
	static const struct {
		s64 offset;
		u64 bytes;
		bool good;
	} rows[] = {
		{ 0, 0x100, true },
		{ 0, 0x101, false },
		{ 0x40, 0xc0, true },
		{ 0x40, 0xc1, false },
		{ 0xff, 1, true },
		{ 0x100, 1, false },
		{ -1, 1, false },
		{ -1, 2, false },
		{ 0x40, U64_MAX, false },
	};
	struct srnic_window window;
	size_t i;

	KUNIT_ASSERT_EQ(test,
			(u32)srnic_window_open(&window, 0x1000, 0x1000, MW_BIND, 0x1800, 0x100,
					       access),
			(u32)SRNIC_MEM_OK);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 va = base + rows[i].offset;

		KUNIT_EXPECT_EQ_MSG(test,
				    (u32)srnic_window_check(&window, &va, rows[i].bytes,
							    REMOTE_READ),
				    (u32)(rows[i].good ? SRNIC_MEM_OK : SRNIC_MEM_BAD_BOUNDS),
				    "row %zu", i);
		if (rows[i].good)
			KUNIT_EXPECT_EQ(test, va, 0x1800 + (u64)rows[i].offset);
	}
}

static void what_peers_reach(struct kunit *test)
{
	expect_range(test, REMOTE_READ, 0x1800);
	expect_range(test, REMOTE_READ | ZERO_BASED, 0);
}

static void what_peers_may_do(struct kunit *test)
{
	struct srnic_window window;
	u32 granted, needed;

	for (granted = 0; granted < 16; granted++) {
		KUNIT_ASSERT_EQ(test,
				(u32)srnic_window_open(&window, 0, 8, MW_BIND | LOCAL_WRITE, 0, 8,
						       granted),
				(u32)SRNIC_MEM_OK);
		for (needed = 2; needed < 16; needed <<= 1) {
			u64 va = 0;

			KUNIT_EXPECT_EQ_MSG(test,
					    (u32)srnic_window_check(&window, &va, 8, needed),
					    (u32)(granted & needed ? SRNIC_MEM_OK :
								     SRNIC_MEM_BAD_ACCESS),
					    "granted %x, needed %x", granted, needed);
		}
	}
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(rights),
	KUNIT_CASE(inside_of_the_region),
	KUNIT_CASE(what_peers_reach),
	KUNIT_CASE(what_peers_may_do),
	{}
};

static struct kunit_suite window_suite = {
	.name = "srnic_mem_window",
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);
