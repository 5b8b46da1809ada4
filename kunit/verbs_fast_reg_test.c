// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fast registration as consumers use it (rdma_rw, NVMe, NFS).
 */
#include "verbs_fast_reg.h"

/* Of &struct ib_device_attr.max_fast_reg_page_list_len, which others rely on. */
#define MAX_PAGES	512

/* The way of consumers: map, register, access, invalidate; and again. */
static void register_access_invalidate(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 3);
	u8 *back = rig->to + 4096;
	int round;

	KUNIT_EXPECT_EQ(test, mr->lkey, mr->rkey);
	for (round = 0; round < 3; round++) {
		memset(rig->to, 0, RIG_BYTES);
		bump(mr);
		KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to + 5, 3000, PAGE_SIZE), 1);
		KUNIT_EXPECT_EQ(test, mr->iova, (u64)(uintptr_t)rig->to + 5);
		KUNIT_EXPECT_EQ(test, mr->length, 3000ULL);
		KUNIT_EXPECT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, write(rig, qp, mr->rkey, mr->iova, rig->from, 3000),
				IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, memcmp(rig->to + 5, rig->from, 3000), 0);
		KUNIT_EXPECT_EQ(test, rig->to[4], 0);
		KUNIT_EXPECT_EQ(test, rig->to[3005], 0);
		KUNIT_EXPECT_EQ(test, read(rig, qp, mr->rkey, mr->iova + 7, back, 2993),
				IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, memcmp(back, rig->from + 7, 2993), 0);
		KUNIT_EXPECT_EQ(test, inv(rig, qp, mr->rkey), IB_WC_SUCCESS);
	}
	KUNIT_EXPECT_TRUE(test, refused(read(rig, qp, mr->rkey, mr->iova, back, 8)));
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/*
 * One list: invalidate the last registration, register for other memory, which is
 * mapped already, and write to it. Until then the last one holds.
 */
static void map_while_valid(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_sge sge = rig_sge(rig, rig->from, 64);
	struct ib_rdma_wr wr;
	struct ib_reg_wr reg_wr;
	struct ib_send_wr inv_wr;
	u64 first;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	first = mr->iova;
	KUNIT_ASSERT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_SUCCESS);
	inv_wr = inv_of(mr->rkey, 1);
	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to + 4096, 64, PAGE_SIZE), 1);
	KUNIT_EXPECT_EQ(test, write(rig, qp, mr->rkey, first, rig->from, 64), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(rig->to, rig->from, 64), 0);
	KUNIT_EXPECT_EQ(test, rig->to[4096], 0);

	memset(rig->to, 0, 64);
	bump(mr);
	reg_wr = reg_of(mr, 2, ALL_ACCESS);
	wr = (struct ib_rdma_wr){
		.wr = {
			.wr_id = 3,
			.opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = &sge,
			.num_sge = 1,
		},
		.remote_addr = mr->iova,
		.rkey = mr->rkey,
	};
	inv_wr.next = &reg_wr.wr;
	reg_wr.wr.next = &wr.wr;
	KUNIT_ASSERT_EQ(test, ib_post_send(qp, &inv_wr, NULL), 0);
	KUNIT_EXPECT_EQ(test, rig_wait_for(rig, 1).status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, rig_wait_for(rig, 2).status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, rig_wait_for(rig, 3).status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(rig->to + 4096, rig->from, 64), 0);
	KUNIT_EXPECT_EQ(test, rig->to[0], 0);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* The same memory, without being mapped again. */
static void register_again(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	int round;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	for (round = 0; round < 3; round++) {
		memset(rig->to, 0, 64);
		KUNIT_EXPECT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, write(rig, qp, mr->rkey, mr->iova, rig->from, 64),
				IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, memcmp(rig->to, rig->from, 64), 0);
		KUNIT_EXPECT_EQ(test, inv(rig, qp, mr->rkey), IB_WC_SUCCESS);
	}
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* Pages that are larger and smaller than the CPU's, and an offset in the first. */
static void page_sizes(struct kunit *test)
{
	static const u32 sizes[] = { 512, 4096, 65536 };
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 32);
	u8 *memory = kzalloc(65536, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(memory, 0, 65536);
		KUNIT_ASSERT_EQ(test, map(rig, mr, memory + 700, 8000, sizes[i]), 1);
		KUNIT_EXPECT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, write(rig, qp, mr->rkey, mr->iova, rig->from, 8000),
				IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, memcmp(memory + 700, rig->from, 8000), 0);
		KUNIT_EXPECT_EQ(test, memory[699] | memory[8700], 0);
		KUNIT_EXPECT_EQ(test, inv(rig, qp, mr->rkey), IB_WC_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, map(rig, mr, memory, 100, 3000), -EINVAL);
	KUNIT_EXPECT_EQ(test, map(rig, mr, memory, 100, 0), -EINVAL);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	kfree(memory);
}

static void too_many_and_gaps(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	u8 *memory = kzalloc(4 * PAGE_SIZE, GFP_KERNEL);
	struct ib_sge piece[3];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	for (i = 0; i < 3; i++)
		piece[i] = rig_sge(rig, memory + i * PAGE_SIZE, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, map_pieces(rig, mr, piece, 2, PAGE_SIZE), 2);
	KUNIT_EXPECT_EQ(test, map_pieces(rig, mr, piece, 3, PAGE_SIZE), 2);
	KUNIT_EXPECT_EQ(test, mr->length, 2ULL * PAGE_SIZE);

	/* A hole behind the first, a start in a page, an end in one. */
	piece[1] = rig_sge(rig, memory + 2 * PAGE_SIZE + 8, 100);
	KUNIT_EXPECT_EQ(test, map_pieces(rig, mr, piece, 2, PAGE_SIZE), 1);
	piece[0] = rig_sge(rig, memory, 100);
	piece[1] = rig_sge(rig, memory + 2 * PAGE_SIZE, 100);
	KUNIT_EXPECT_EQ(test, map_pieces(rig, mr, piece, 2, PAGE_SIZE), 1);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	kfree(memory);
}

/* Pieces of any size, anywhere. */
static void pieces_with_gaps(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_SG_GAPS, 3);
	const struct ib_sge piece[] = {
		rig_sge(rig, rig->to + 5000, 1), rig_sge(rig, rig->to + 3, 1000),
		rig_sge(rig, rig->to + 2001, 1999), rig_sge(rig, rig->to + 7000, 8),
	};

	KUNIT_EXPECT_EQ(test, map_pieces(rig, mr, piece, 4, PAGE_SIZE), 3);
	KUNIT_EXPECT_EQ(test, mr->length, 3000ULL);
	KUNIT_EXPECT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, write(rig, qp, mr->rkey, mr->iova, rig->from, 3000),
			IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, rig->to[5000], rig->from[0]);
	KUNIT_EXPECT_EQ(test, memcmp(rig->to + 3, rig->from + 1, 1000), 0);
	KUNIT_EXPECT_EQ(test, memcmp(rig->to + 2001, rig->from + 1001, 1999), 0);
	KUNIT_EXPECT_EQ(test, rig->to[2] | rig->to[1003] | rig->to[2000] | rig->to[4000] |
			      rig->to[4999] | rig->to[5001], 0);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* As many pages as are advertised, none next to another; and what is refused. */
static void limits(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, MAX_PAGES);
	struct ib_sge *piece = kcalloc(MAX_PAGES, sizeof(*piece), GFP_KERNEL);
	u64 last;
	u32 i;

	KUNIT_EXPECT_EQ(test, rig->dev->attrs.max_fast_reg_page_list_len, (u32)MAX_PAGES);
	KUNIT_EXPECT_TRUE(test, rig->dev->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_alloc_mr(rig->pd, IB_MR_TYPE_MEM_REG, MAX_PAGES + 1)),
			(long)-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_alloc_mr(rig->pd, IB_MR_TYPE_MEM_REG, 0)), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_alloc_mr(rig->pd, IB_MR_TYPE_DM, 1)), (long)-EOPNOTSUPP);

	KUNIT_ASSERT_NOT_NULL(test, piece);
	for (i = 0; i < MAX_PAGES; i++) {
		void *page = (void *)get_zeroed_page(GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		piece[i] = rig_sge(rig, page, PAGE_SIZE);
	}
	KUNIT_EXPECT_EQ(test, map_pieces(rig, mr, piece, MAX_PAGES, PAGE_SIZE), MAX_PAGES);
	KUNIT_EXPECT_EQ(test, mr->length, (u64)MAX_PAGES * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_SUCCESS);
	last = mr->iova + mr->length - 100 - PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, write(rig, qp, mr->rkey, last, rig->from, 100 + PAGE_SIZE),
			IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp((void *)(uintptr_t)piece[MAX_PAGES - 1].addr,
				     rig->from + 100, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, memcmp((void *)(uintptr_t)piece[MAX_PAGES - 2].addr +
				     PAGE_SIZE - 100, rig->from, 100), 0);
	KUNIT_EXPECT_TRUE(test, refused(write(rig, qp, mr->rkey, last + 1, rig->from,
					      100 + PAGE_SIZE)));
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	for (i = 0; i < MAX_PAGES; i++)
		free_page(piece[i].addr);
	kfree(piece);
}

/* NFS puts a number into the upper half of the address. */
static void other_addresses(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to + 9, 64, PAGE_SIZE), 1);
	mr->iova = (u32)mr->iova | 0x1234567800000000ULL;
	KUNIT_EXPECT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, write(rig, qp, mr->rkey, mr->iova, rig->from, 64), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(rig->to + 9, rig->from, 64), 0);
	KUNIT_EXPECT_EQ(test, inv(rig, qp, mr->rkey), IB_WC_SUCCESS);

	/* Where in its page the memory starts is not to be changed. */
	mr->iova++;
	KUNIT_EXPECT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_MW_BIND_ERR);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* A local key as well: a consumer gathers from its region, and receives into it. */
static void local_access(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_sge sge = { .length = 64 };
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_id = 1,
			.opcode = IB_WR_RDMA_READ,
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = &sge,
			.num_sge = 1,
		},
		.remote_addr = (uintptr_t)rig->from,
		.rkey = rig->mr->rkey,
	};

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	KUNIT_ASSERT_EQ(test, reg(rig, qp, mr, IB_ACCESS_LOCAL_WRITE), IB_WC_SUCCESS);
	sge.addr = mr->iova;
	sge.lkey = mr->lkey;
	KUNIT_ASSERT_EQ(test, ib_post_send(qp, &wr.wr, NULL), 0);
	KUNIT_EXPECT_EQ(test, rig_wait_for(rig, 1).status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(rig->to, rig->from, 64), 0);

	KUNIT_EXPECT_EQ(test, inv(rig, qp, mr->lkey), IB_WC_SUCCESS);
	KUNIT_ASSERT_EQ(test, ib_post_send(qp, &wr.wr, NULL), 0);
	KUNIT_EXPECT_EQ(test, rig_wait_for(rig, 1).status, IB_WC_LOC_PROT_ERR);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

static void remote_invalidate(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_wc wc;
	int round;

	for (round = 0; round < 2; round++) {
		bump(mr);
		KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
		KUNIT_ASSERT_EQ(test, reg(rig, qp, mr, IB_ACCESS_REMOTE_READ), IB_WC_SUCCESS);
		send_inv(rig, qp, mr->rkey, &wc);
		KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RECV);
		KUNIT_EXPECT_EQ(test, wc.wc_flags, IB_WC_WITH_INVALIDATE);
		KUNIT_EXPECT_EQ(test, wc.ex.invalidate_rkey, mr->rkey);
	}
	KUNIT_EXPECT_TRUE(test, refused(read(rig, qp, mr->rkey, mr->iova, rig->to + 4096, 8)));
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(register_access_invalidate),
	KUNIT_CASE(map_while_valid),
	KUNIT_CASE(register_again),
	KUNIT_CASE(page_sizes),
	KUNIT_CASE(too_many_and_gaps),
	KUNIT_CASE(pieces_with_gaps),
	KUNIT_CASE(limits),
	KUNIT_CASE(other_addresses),
	KUNIT_CASE(local_access),
	KUNIT_CASE(remote_invalidate),
	{}
};

static struct kunit_suite suite = {
	.name = "srnic_verbs_fast_reg",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
