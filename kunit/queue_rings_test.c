// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send and receive queue against a process that writes whatever it likes. Of the
 * driver, not of the pure rooms: needs queue/{sq,rq,map,wqe}.c.
 */
#include <kunit/test.h>

#include "queue/rq.h"
#include "queue/sq.h"

#define ENTRIES	8

static const struct srnic_wqe_limits limits = { SRNIC_WQE_RC, 4, 100 };

static void set_producer(const struct srnic_queue_map *map, u32 producer)
{
	struct srnic_queue_header *header = map->memory;

	header->producer = producer;
}

static void *slot(const struct srnic_queue_map *map, u32 stride, u32 index)
{
	return map->memory + SRNIC_QUEUE_HEADER_BYTES + (index % ENTRIES) * stride;
}

static struct srnic_send_wqe *write_send(struct srnic_sq *sq, u32 index, u8 num_sge)
{
	struct srnic_send_wqe *wqe = slot(sq->map, sq->stride, index);
	struct srnic_sge *sge = (void *)(wqe + 1);
	u32 i;

	memset(wqe, 0, sq->stride);
	wqe->wr_id = 1000ULL + index;
	wqe->opcode = SRNIC_WR_SEND;
	wqe->num_sge = num_sge;
	for (i = 0; i < num_sge && i < limits.max_sge; i++)
		sge[i].length = 1;
	return wqe;
}

static void sq_new(struct kunit *test, struct srnic_sq *sq)
{
	memset(sq, 0, sizeof(*sq));
	KUNIT_ASSERT_EQ(test, srnic_sq_create(sq, NULL, ENTRIES, &limits), 0);
}

static u32 fetch(struct srnic_sq *sq)
{
	enum srnic_wqe_verdict why;

	return srnic_sq_fetch(sq, &why);
}

static void strides(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_sq_stride(0, 0), 64U);
	KUNIT_EXPECT_EQ(test, srnic_sq_stride(1, 0), 128U);
	KUNIT_EXPECT_EQ(test, srnic_sq_stride(4, 64), 128U);
	KUNIT_EXPECT_EQ(test, srnic_sq_stride(4, 65), 192U);
	KUNIT_EXPECT_EQ(test, srnic_sq_stride(5, 64), 192U);
	KUNIT_EXPECT_EQ(test, srnic_sq_stride(SRNIC_MAX_SGE, SRNIC_MAX_INLINE), 576U);
	KUNIT_EXPECT_EQ(test, srnic_rq_stride(0), 64U);
	KUNIT_EXPECT_EQ(test, srnic_rq_stride(3), 64U);
	KUNIT_EXPECT_EQ(test, srnic_rq_stride(4), 128U);
	KUNIT_EXPECT_EQ(test, srnic_rq_stride(SRNIC_MAX_SGE), 576U);
}

static void sizes_are_checked(struct kunit *test)
{
	struct srnic_wqe_limits many_sge = { SRNIC_WQE_RC, SRNIC_MAX_SGE + 1, 0 };
	struct srnic_wqe_limits much_inline = { SRNIC_WQE_RC, 0, SRNIC_MAX_INLINE + 1 };
	struct srnic_sq sq = {};
	struct srnic_rq rq = {};

	KUNIT_EXPECT_EQ(test, srnic_sq_create(&sq, NULL, 8, &many_sge), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_sq_create(&sq, NULL, 8, &much_inline), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_sq_create(&sq, NULL, 0, &limits), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_sq_create(&sq, NULL, 12, &limits), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_rq_create(&rq, NULL, 8, SRNIC_MAX_SGE + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_rq_create(&rq, NULL, 0, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_rq_create(&rq, NULL, 0x80000000, 1), -EINVAL);
}

static void sq_goes_round(struct kunit *test)
{
	struct srnic_sq sq;
	u32 i;

	sq_new(test, &sq);
	sq.head = U32_MAX - 10;
	sq.tail = sq.head;
	for (i = sq.head; i != 20; i++) {
		set_producer(sq.map, i);
		KUNIT_ASSERT_FALSE(test, srnic_sq_has_work(&sq));
		KUNIT_ASSERT_EQ(test, fetch(&sq), (u32)SRNIC_FETCH_EMPTY);
		write_send(&sq, i, 3);
		set_producer(sq.map, i + 1);
		KUNIT_ASSERT_TRUE(test, srnic_sq_has_work(&sq));
		KUNIT_ASSERT_EQ(test, fetch(&sq), (u32)SRNIC_FETCH_OK);
		KUNIT_ASSERT_EQ(test, sq.head, i + 1);
		KUNIT_ASSERT_EQ(test, srnic_sq_wr(&sq, i)->wr_id, 1000ULL + (u64)i);
		KUNIT_ASSERT_EQ(test, srnic_sq_wr(&sq, i)->length, 3U);
		sq.tail++;
	}
	srnic_sq_destroy(&sq);
}

static void sq_keeps_a_copy(struct kunit *test)
{
	struct srnic_send_wqe *wqe;
	struct srnic_send_wr *wr;
	struct srnic_sq sq;

	sq_new(test, &sq);
	wqe = write_send(&sq, 0, 4);
	set_producer(sq.map, 1);
	KUNIT_ASSERT_EQ(test, fetch(&sq), (u32)SRNIC_FETCH_OK);

	memset(wqe, 0xff, sq.stride);
	wr = srnic_sq_wr(&sq, 0);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 4);
	KUNIT_EXPECT_EQ(test, srnic_sge_bytes(wr->sge, wr->num_sge), 4ULL);
	KUNIT_EXPECT_PTR_EQ(test, (const u8 *)wr->sge, sq.copies + SRNIC_WQE_HEADER_BYTES);
	srnic_sq_destroy(&sq);
}

static void sq_passes_over_bad_ones(struct kunit *test)
{
	enum srnic_wqe_verdict why;
	struct srnic_sq sq;

	sq_new(test, &sq);
	write_send(&sq, 0, 255);
	write_send(&sq, 1, 1)->opcode = 0x20;	/* REG_MR */
	write_send(&sq, 2, 1);
	set_producer(sq.map, 3);
	KUNIT_EXPECT_EQ(test, (u32)srnic_sq_fetch(&sq, &why), (u32)SRNIC_FETCH_BAD_WR);
	KUNIT_EXPECT_EQ(test, (u32)why, (u32)SRNIC_WQE_BAD_SGE_COUNT);
	KUNIT_EXPECT_EQ(test, (u32)srnic_sq_fetch(&sq, &why), (u32)SRNIC_FETCH_BAD_WR);
	KUNIT_EXPECT_EQ(test, (u32)why, (u32)SRNIC_WQE_BAD_OPCODE);
	KUNIT_EXPECT_EQ(test, srnic_sq_wr(&sq, 1)->wr_id, 1001ULL);
	KUNIT_EXPECT_EQ(test, srnic_sq_wr(&sq, 1)->num_sge, 0);
	KUNIT_EXPECT_EQ(test, (u32)srnic_sq_fetch(&sq, &why), (u32)SRNIC_FETCH_OK);
	KUNIT_EXPECT_EQ(test, (u32)why, (u32)SRNIC_WQE_OK);
	KUNIT_EXPECT_EQ(test, fetch(&sq), (u32)SRNIC_FETCH_EMPTY);
	srnic_sq_destroy(&sq);
}

static void expect_broken(struct kunit *test, struct srnic_sq *sq, u32 producer)
{
	u32 head = sq->head;

	set_producer(sq->map, producer);
	KUNIT_EXPECT_EQ(test, fetch(sq), (u32)SRNIC_FETCH_BAD_INDEX);
	KUNIT_EXPECT_EQ(test, sq->head, head);

	/* Not even when it makes sense again. */
	KUNIT_EXPECT_FALSE(test, srnic_sq_has_work(sq));
	KUNIT_EXPECT_EQ(test, fetch(sq), (u32)SRNIC_FETCH_EMPTY);
	set_producer(sq->map, sq->head + 1);
	KUNIT_EXPECT_FALSE(test, srnic_sq_has_work(sq));
	KUNIT_EXPECT_EQ(test, fetch(sq), (u32)SRNIC_FETCH_EMPTY);

	srnic_sq_reset(sq);
	KUNIT_EXPECT_FALSE(test, srnic_sq_has_work(sq));
	KUNIT_EXPECT_EQ(test, fetch(sq), (u32)SRNIC_FETCH_EMPTY);
	write_send(sq, 0, 0);
	set_producer(sq->map, 1);
	KUNIT_EXPECT_EQ(test, fetch(sq), (u32)SRNIC_FETCH_OK);
}

static void sq_refuses_nonsense(struct kunit *test)
{
	struct srnic_sq sq;
	u32 i;

	sq_new(test, &sq);
	expect_broken(test, &sq, ENTRIES + 1);
	expect_broken(test, &sq, 0);		/* backwards */
	expect_broken(test, &sq, U32_MAX);
	expect_broken(test, &sq, 0x80000000);

	/* One is in flight since then: there is room for seven. */
	expect_broken(test, &sq, ENTRIES + 1);
	for (i = 1; i < ENTRIES; i++)
		write_send(&sq, i, 0);
	set_producer(sq.map, ENTRIES);
	for (i = 1; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, fetch(&sq), (u32)SRNIC_FETCH_OK);
	KUNIT_EXPECT_EQ(test, fetch(&sq), (u32)SRNIC_FETCH_EMPTY);
	expect_broken(test, &sq, ENTRIES + 1);
	srnic_sq_destroy(&sq);
}

static void rq_counts_what_waits(struct kunit *test)
{
	struct srnic_recv_wr *wr = kunit_kzalloc(test, sizeof(*wr), GFP_KERNEL);
	struct srnic_rq rq = {};

	KUNIT_ASSERT_NOT_NULL(test, wr);
	KUNIT_ASSERT_EQ(test, srnic_rq_create(&rq, NULL, ENTRIES, 4), 0);
	KUNIT_EXPECT_EQ(test, srnic_rq_credits(&rq), 0U);
	set_producer(rq.map, 3);
	KUNIT_EXPECT_EQ(test, srnic_rq_credits(&rq), 3U);
	KUNIT_EXPECT_EQ(test, (u32)srnic_rq_take(&rq, wr), (u32)SRNIC_FETCH_OK);
	KUNIT_EXPECT_EQ(test, srnic_rq_credits(&rq), 2U);
	/* The numbers go round. */
	rq.head = U32_MAX;
	set_producer(rq.map, 4);
	KUNIT_EXPECT_EQ(test, srnic_rq_credits(&rq), 5U);
	/* Never more than there are slots, and none of a ring that made no sense. */
	set_producer(rq.map, 0x80000000);
	KUNIT_EXPECT_EQ(test, srnic_rq_credits(&rq), (u32)ENTRIES);
	KUNIT_EXPECT_EQ(test, (u32)srnic_rq_take(&rq, wr), (u32)SRNIC_FETCH_BAD_INDEX);
	KUNIT_EXPECT_EQ(test, srnic_rq_credits(&rq), 0U);
	srnic_rq_destroy(&rq);
}

static void rq_takes_copies(struct kunit *test)
{
	struct srnic_recv_wr *wr = kunit_kzalloc(test, sizeof(*wr), GFP_KERNEL);
	struct srnic_recv_wqe *wqe;
	struct srnic_rq rq = {};
	struct srnic_sge *sge;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, wr);
	KUNIT_ASSERT_EQ(test, srnic_rq_create(&rq, NULL, ENTRIES, 4), 0);
	KUNIT_EXPECT_EQ(test, (u32)srnic_rq_take(&rq, wr), (u32)SRNIC_FETCH_EMPTY);
	for (i = 0; i < 3 * ENTRIES; i++) {
		wqe = slot(rq.map, rq.stride, i);
		sge = (void *)(wqe + 1);
		wqe->wr_id = i;
		wqe->num_sge = i % 7;
		sge[3].length = U32_MAX;
		sge[0].length = U32_MAX;
		set_producer(rq.map, i + 1);
		KUNIT_EXPECT_EQ(test, (u32)srnic_rq_take(&rq, wr),
				(u32)(i % 7 > 4 ? SRNIC_FETCH_BAD_WR : SRNIC_FETCH_OK));
		memset(wqe, 0, rq.stride);
		KUNIT_EXPECT_EQ(test, wr->wr_id, (u64)i);
		KUNIT_EXPECT_EQ(test, wr->wqe_index, i + 1);
		KUNIT_EXPECT_EQ(test, wr->num_sge, i % 7 > 4 ? 0 : i % 7);
		KUNIT_EXPECT_EQ(test, wr->length, srnic_sge_bytes(wr->sge, wr->num_sge));
		if (i % 7 == 4)
			KUNIT_EXPECT_EQ(test, wr->length, 2 * 0xffffffffULL);
	}
	srnic_rq_destroy(&rq);
}

static void rq_refuses_nonsense(struct kunit *test)
{
	struct srnic_recv_wr *wr = kunit_kzalloc(test, sizeof(*wr), GFP_KERNEL);
	struct srnic_rq rq = {};

	KUNIT_ASSERT_NOT_NULL(test, wr);
	KUNIT_ASSERT_EQ(test, srnic_rq_create(&rq, NULL, ENTRIES, 4), 0);
	set_producer(rq.map, ENTRIES + 1);
	KUNIT_EXPECT_EQ(test, (u32)srnic_rq_take(&rq, wr), (u32)SRNIC_FETCH_BAD_INDEX);
	set_producer(rq.map, 1);
	KUNIT_EXPECT_EQ(test, (u32)srnic_rq_take(&rq, wr), (u32)SRNIC_FETCH_EMPTY);
	srnic_rq_reset(&rq);
	KUNIT_EXPECT_EQ(test, (u32)srnic_rq_take(&rq, wr), (u32)SRNIC_FETCH_EMPTY);
	set_producer(rq.map, ENTRIES);
	KUNIT_EXPECT_EQ(test, (u32)srnic_rq_take(&rq, wr), (u32)SRNIC_FETCH_OK);
	set_producer(rq.map, 0);
	KUNIT_EXPECT_EQ(test, (u32)srnic_rq_take(&rq, wr), (u32)SRNIC_FETCH_BAD_INDEX);
	srnic_rq_destroy(&rq);
}

static struct kunit_case rings_cases[] = {
	KUNIT_CASE(strides),
	KUNIT_CASE(sizes_are_checked),
	KUNIT_CASE(sq_goes_round),
	KUNIT_CASE(sq_keeps_a_copy),
	KUNIT_CASE(sq_passes_over_bad_ones),
	KUNIT_CASE(sq_refuses_nonsense),
	KUNIT_CASE(rq_counts_what_waits),
	KUNIT_CASE(rq_takes_copies),
	KUNIT_CASE(rq_refuses_nonsense),
	{}
};

static struct kunit_suite rings_suite = {
	.name = "srnic_queue_rings",
	.test_cases = rings_cases,
};

kunit_test_suite(rings_suite);
