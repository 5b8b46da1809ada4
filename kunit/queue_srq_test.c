// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queue against a process that writes whatever it likes. Of the
 * driver, not of the pure rooms: needs queue/{srq,rq,map,wqe}.c.
 */
#include <linux/slab.h>
#include <kunit/test.h>

#include "queue/srq.h"

#define ENTRIES	8
#define SGES	2

struct taken {
	struct srnic_recv_wr wr;
	unsigned long events;
	u32 found;
};

static struct srnic_srq *srq_new(struct kunit *test)
{
	struct srnic_srq *srq = kunit_kzalloc(test, sizeof(*srq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, srq);
	KUNIT_ASSERT_EQ(test, srnic_srq_create(srq, NULL, ENTRIES, SGES), 0);
	return srq;
}

static struct srnic_queue_header *header(struct srnic_srq_ring *ring)
{
	return ring->rq.map->memory;
}

/* One more work request in a ring. */
static void post_in(struct srnic_srq_ring *ring, u64 wr_id)
{
	u32 slot = header(ring)->producer & (ring->rq.entries - 1);
	struct srnic_recv_wqe *wqe = ring->rq.map->memory + SRNIC_QUEUE_HEADER_BYTES +
				     slot * ring->rq.stride;

	*wqe = (struct srnic_recv_wqe){ .wr_id = wr_id };
	header(ring)->producer++;
}

static void post(struct srnic_srq *srq, u64 first, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		post_in(srnic_srq_current(srq), first + i);
}

static struct taken *take(struct kunit *test, struct srnic_srq *srq)
{
	struct taken *taken = kunit_kzalloc(test, sizeof(*taken), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, taken);
	local_bh_disable();
	taken->found = srnic_srq_take(srq, &taken->wr, &taken->events);
	local_bh_enable();
	return taken;
}

static void expect_next(struct kunit *test, struct srnic_srq *srq, u64 wr_id)
{
	struct taken *taken = take(test, srq);

	KUNIT_EXPECT_EQ(test, taken->found, (u32)SRNIC_FETCH_OK);
	KUNIT_EXPECT_EQ(test, taken->wr.wr_id, wr_id);
	KUNIT_EXPECT_EQ(test, taken->events, 0UL);
}

static void expect_empty(struct kunit *test, struct srnic_srq *srq)
{
	KUNIT_EXPECT_EQ(test, take(test, srq)->found, (u32)SRNIC_FETCH_EMPTY);
}

static int modify(struct srnic_srq *srq, struct srnic_srq_ring *ring, const u32 *limit)
{
	int err;

	mutex_lock(&srq->modify_mutex);
	err = srnic_srq_modify(srq, ring, limit);
	mutex_unlock(&srq->modify_mutex);
	return err;
}

static int resize(struct kunit *test, struct srnic_srq *srq, u32 entries)
{
	struct srnic_srq_ring *ring = srnic_srq_ring_create(NULL, entries, SGES);
	int err;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ring));
	err = modify(srq, ring, NULL);
	if (err)
		srnic_srq_ring_destroy(ring);
	return err;
}

static void give_back(struct kunit *test, struct srnic_srq *srq, const struct taken *taken)
{
	struct srnic_returned_wr *returned = kmalloc(sizeof(*returned), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, returned);
	local_bh_disable();
	srnic_srq_give_back(srq, returned, &taken->wr);
	local_bh_enable();
}

static void in_the_order_of_the_ring(struct kunit *test)
{
	struct srnic_srq *srq = srq_new(test);
	u64 i;

	expect_empty(test, srq);
	for (i = 0; i < 3 * ENTRIES; i++) {
		post(srq, i, 1);
		expect_next(test, srq, i);
	}
	post(srq, 100, ENTRIES);
	for (i = 0; i < ENTRIES; i++)
		expect_next(test, srq, 100 + i);
	expect_empty(test, srq);
	srnic_srq_destroy(srq);
}

static void what_comes_back_goes_first(struct kunit *test)
{
	struct srnic_srq *srq = srq_new(test);
	struct taken *one, *two;

	post(srq, 1, 4);
	one = take(test, srq);
	two = take(test, srq);
	/* Slots of what was taken may be used again before it comes back. */
	post(srq, 5, ENTRIES - 2);
	give_back(test, srq, two);
	give_back(test, srq, one);
	expect_next(test, srq, 2);
	expect_next(test, srq, 1);
	expect_next(test, srq, 3);
	/* What is still there when it ends is freed. */
	give_back(test, srq, one);
	srnic_srq_destroy(srq);
}

static void limit_once(struct kunit *test)
{
	struct srnic_srq *srq = srq_new(test);
	struct taken *taken;
	u32 limit = 2;

	KUNIT_EXPECT_EQ(test, modify(srq, NULL, &limit), 0);
	post(srq, 1, 4);
	expect_next(test, srq, 1);
	expect_next(test, srq, 2);
	taken = take(test, srq);
	KUNIT_EXPECT_EQ(test, taken->events, BIT(SRNIC_SRQ_LIMIT));
	KUNIT_EXPECT_EQ(test, srq->limit, 0U);
	expect_next(test, srq, 4);

	limit = ENTRIES + 1;
	KUNIT_EXPECT_EQ(test, modify(srq, NULL, &limit), -EINVAL);
	KUNIT_EXPECT_EQ(test, srq->limit, 0U);
	srnic_srq_destroy(srq);
}

/* What was given back counts as well. */
static void limit_counts_all(struct kunit *test)
{
	struct srnic_srq *srq = srq_new(test);
	struct taken *taken;
	u32 limit = 2;

	post(srq, 1, 3);
	taken = take(test, srq);
	give_back(test, srq, taken);
	KUNIT_EXPECT_EQ(test, modify(srq, NULL, &limit), 0);
	expect_next(test, srq, 1);
	KUNIT_EXPECT_EQ(test, take(test, srq)->events, BIT(SRNIC_SRQ_LIMIT));
	srnic_srq_destroy(srq);
}

static void resized(struct kunit *test)
{
	struct srnic_srq *srq = srq_new(test);
	struct srnic_srq_ring *old = srnic_srq_current(srq);
	u64 i;

	post(srq, 0, 5);
	KUNIT_EXPECT_EQ(test, resize(test, srq, 4), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, srnic_srq_current(srq), old);
	KUNIT_EXPECT_EQ(test, resize(test, srq, 32), 0);
	post(srq, 5, 27);
	/* Nobody looks at what the process does to the old one now. */
	post_in(old, 1000);
	for (i = 0; i < 32; i++)
		expect_next(test, srq, i);
	expect_empty(test, srq);
	/* It was kept until somebody could sleep. */
	KUNIT_EXPECT_FALSE(test, list_empty(&srq->drained));
	KUNIT_EXPECT_EQ(test, resize(test, srq, 2), 0);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&srq->rings));
	expect_empty(test, srq);
	srnic_srq_destroy(srq);
}

static void resized_while_all_are_in_use(struct kunit *test)
{
	struct srnic_srq *srq = srq_new(test);
	u64 i;

	for (i = 0; i < 4; i++) {
		post(srq, i, 1);
		KUNIT_EXPECT_EQ(test, resize(test, srq, 4), 0);
	}
	post(srq, 4, 1);
	KUNIT_EXPECT_EQ(test, resize(test, srq, 4), -EINVAL);
	for (i = 0; i < 5; i++)
		expect_next(test, srq, i);
	expect_empty(test, srq);
	srnic_srq_destroy(srq);
}

/* Each QP is told, the event is raised once, and nothing more is taken. */
static void garbage_in_the_index(struct kunit *test)
{
	static const u32 jumps[] = { ENTRIES + 1, 0x7fffffff, 0x80000000, U32_MAX };
	u32 i, limit = 1;

	for (i = 0; i < ARRAY_SIZE(jumps); i++) {
		struct srnic_srq *srq = srq_new(test);
		struct taken *taken;

		post(srq, 1, 1);
		expect_next(test, srq, 1);
		header(srnic_srq_current(srq))->producer += jumps[i];
		KUNIT_EXPECT_EQ(test, resize(test, srq, 16), -EINVAL);
		taken = take(test, srq);
		KUNIT_EXPECT_EQ(test, taken->found, (u32)SRNIC_FETCH_BAD_INDEX);
		KUNIT_EXPECT_EQ(test, taken->events, BIT(SRNIC_SRQ_FAILED));
		header(srnic_srq_current(srq))->producer -= jumps[i] - 1;
		taken = take(test, srq);
		KUNIT_EXPECT_EQ(test, taken->found, (u32)SRNIC_FETCH_BAD_INDEX);
		KUNIT_EXPECT_EQ(test, taken->events, 0UL);
		KUNIT_EXPECT_EQ(test, resize(test, srq, 16), -EINVAL);
		KUNIT_EXPECT_EQ(test, modify(srq, NULL, &limit), -EINVAL);
		srnic_srq_destroy(srq);
	}
}

static void bad_work_request(struct kunit *test)
{
	struct srnic_srq *srq = srq_new(test);
	struct srnic_recv_wqe *wqe;
	struct taken *taken;

	post(srq, 1, 2);
	wqe = srnic_srq_current(srq)->rq.map->memory + SRNIC_QUEUE_HEADER_BYTES;
	wqe->num_sge = SGES + 1;
	taken = take(test, srq);
	KUNIT_EXPECT_EQ(test, taken->found, (u32)SRNIC_FETCH_BAD_WR);
	KUNIT_EXPECT_EQ(test, taken->wr.wr_id, 1ULL);
	KUNIT_EXPECT_EQ(test, taken->wr.num_sge, 0U);
	expect_next(test, srq, 2);
	srnic_srq_destroy(srq);
}

static struct kunit_case srq_cases[] = {
	KUNIT_CASE(in_the_order_of_the_ring),
	KUNIT_CASE(what_comes_back_goes_first),
	KUNIT_CASE(limit_once),
	KUNIT_CASE(limit_counts_all),
	KUNIT_CASE(resized),
	KUNIT_CASE(resized_while_all_are_in_use),
	KUNIT_CASE(garbage_in_the_index),
	KUNIT_CASE(bad_work_request),
	{}
};

static struct kunit_suite srq_suite = {
	.name = "srnic_queue_srq",
	.test_cases = srq_cases,
};

kunit_test_suite(srq_suite);
