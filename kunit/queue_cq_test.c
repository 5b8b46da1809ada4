// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queue: phases, overrun and events. Of the driver, not of the pure
 * rooms: needs queue/{cq,map}.c.
 */
#include <kunit/test.h>
#include <linux/bottom_half.h>

#include "queue/cq.h"

#define ENTRIES	4

static struct srnic_cq *cq_new(struct kunit *test)
{
	struct srnic_cq *cq = kunit_kzalloc(test, sizeof(*cq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cq);
	KUNIT_ASSERT_EQ(test, srnic_cq_create(cq, NULL, ENTRIES), 0);
	return cq;
}

static struct srnic_cq_header *header_of(struct srnic_cq *cq)
{
	return cq->map->memory;
}

static struct srnic_cqe *cqe_at(struct srnic_cq *cq, u32 index)
{
	struct srnic_cqe *cqes = cq->map->memory + sizeof(struct srnic_cq_header);

	return &cqes[index % ENTRIES];
}

static int post(struct srnic_cq *cq, u64 wr_id, u8 status, bool solicited)
{
	struct srnic_cqe cqe = { .wr_id = wr_id, .status = status, .phase = 0xffff };
	int ret;

	local_bh_disable();
	ret = srnic_cq_post(cq, &cqe, solicited);
	local_bh_enable();
	return ret;
}

/* As a provider polls: the phase tells what is new. Goes across the wrap. */
static void phases_tell_what_is_new(struct kunit *test)
{
	struct srnic_cq *cq = cq_new(test);
	u32 step, pass, i;
	u64 last = 0;

	cq->producer = U32_MAX - (2 * ENTRIES - 1);
	header_of(cq)->consumer = cq->producer;
	for (step = 0; step < 5 * ENTRIES; step++) {
		i = cq->producer;
		pass = step / ENTRIES;
		KUNIT_EXPECT_EQ(test, cqe_at(cq, i)->phase, pass % 2);
		KUNIT_EXPECT_EQ(test, post(cq, i, 0, false), 0);
		KUNIT_EXPECT_EQ(test, cqe_at(cq, i)->phase, !(pass % 2));
		KUNIT_EXPECT_EQ(test, cqe_at(cq, i)->wr_id, (u64)i);
		KUNIT_EXPECT_GE(test, cqe_at(cq, i)->timestamp, last);
		last = cqe_at(cq, i)->timestamp;
		header_of(cq)->consumer = i + 1;
	}
	KUNIT_EXPECT_NE(test, last, 0ULL);
	srnic_cq_destroy(cq);
}

static void overrun_is_told_once(struct kunit *test)
{
	struct srnic_cq *cq = cq_new(test);
	u32 i;

	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, post(cq, i, 0, false), 0);
	KUNIT_EXPECT_EQ(test, post(cq, 99, 0, false), -EOVERFLOW);

	/* It is dead, also when there is room again. */
	header_of(cq)->consumer = ENTRIES;
	header_of(cq)->arm = SRNIC_CQ_ARM_ANY | 1 << SRNIC_CQ_ARM_SEQ_SHIFT;
	KUNIT_EXPECT_EQ(test, post(cq, 99, 0, false), -EPIPE);
	KUNIT_EXPECT_EQ(test, post(cq, 99, 1, true), -EPIPE);
	KUNIT_EXPECT_EQ(test, header_of(cq)->notified, 0U);
	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, cqe_at(cq, i)->wr_id, (u64)i);
	srnic_cq_destroy(cq);
}

static void nonsense_is_an_overrun(struct kunit *test)
{
	static const u32 consumers[] = { 1, U32_MAX - ENTRIES, 0x80000000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(consumers); i++) {
		struct srnic_cq *cq = cq_new(test);

		header_of(cq)->consumer = consumers[i];
		KUNIT_EXPECT_EQ(test, post(cq, 0, 0, false), -EOVERFLOW);
		header_of(cq)->consumer = 0;
		KUNIT_EXPECT_EQ(test, post(cq, 0, 0, false), -EPIPE);
		srnic_cq_destroy(cq);
	}
}

struct arm_row {
	const char *what;
	u32 arm;
	u8 status;
	bool solicited;
	int event;
};

#define ANY(seq)	(SRNIC_CQ_ARM_ANY | (seq) << SRNIC_CQ_ARM_SEQ_SHIFT)
#define SOLICITED(seq)	(SRNIC_CQ_ARM_SOLICITED | (seq) << SRNIC_CQ_ARM_SEQ_SHIFT)

/* One after the other on one CQ. */
static const struct arm_row arm_rows[] = {
	{ "never armed", 0, 0, true, 0 },
	{ "never armed, error", 0, 1, false, 0 },
	{ "any", ANY(1), 0, false, 1 },
	{ "one arm, one event", ANY(1), 0, true, 0 },
	{ "armed again", ANY(2), 0, false, 1 },
	{ "solicited only, is not", SOLICITED(3), 0, false, 0 },
	{ "still waits", SOLICITED(3), 0, true, 1 },
	{ "and no longer", SOLICITED(3), 0, true, 0 },
	{ "solicited, error", SOLICITED(4), 5, false, 1 },
	{ "solicited, then any without an event between", SOLICITED(5), 0, false, 0 },
	{ "any does it", ANY(6), 0, false, 1 },
	{ "same number, other kind", SOLICITED(6), 0, true, 1 },
	{ "no kind", 7 << SRNIC_CQ_ARM_SEQ_SHIFT, 0, true, 0 },
	{ "both kinds", 3 | 8 << SRNIC_CQ_ARM_SEQ_SHIFT, 0, true, 0 },
	{ "all ones", U32_MAX, 1, true, 0 },
	{ "last number", ANY(0x3fffffffU), 0, false, 1 },
	{ "number 0 after the wrap", ANY(0), 0, false, 1 },
	{ "back to never", 0, 0, true, 0 },
};

static void one_event_an_arm(struct kunit *test)
{
	struct srnic_cq *cq = cq_new(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(arm_rows); i++) {
		const struct arm_row *row = &arm_rows[i];

		header_of(cq)->arm = row->arm;
		/* What the kernel left here it does not read. */
		header_of(cq)->notified = i % 2 ? 0 : row->arm;
		KUNIT_EXPECT_EQ_MSG(test, post(cq, i, row->status, row->solicited),
				    row->event ? SRNIC_CQ_EVENT : 0, "%s", row->what);
		if (row->event)
			KUNIT_EXPECT_EQ(test, header_of(cq)->notified, row->arm);
		header_of(cq)->consumer = i + 1;
	}
	srnic_cq_destroy(cq);
}

static void sizes_are_checked(struct kunit *test)
{
	struct srnic_cq *cq = kunit_kzalloc(test, sizeof(*cq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cq);
	KUNIT_EXPECT_EQ(test, srnic_cq_create(cq, NULL, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_cq_create(cq, NULL, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_cq_create(cq, NULL, 0x80000000), -EINVAL);
}

static struct kunit_case cq_cases[] = {
	KUNIT_CASE(phases_tell_what_is_new),
	KUNIT_CASE(overrun_is_told_once),
	KUNIT_CASE(nonsense_is_an_overrun),
	KUNIT_CASE(one_event_an_arm),
	KUNIT_CASE(sizes_are_checked),
	{}
};

static struct kunit_suite cq_suite = {
	.name = "srnic_queue_cq",
	.test_cases = cq_cases,
};

kunit_test_suite(cq_suite);
