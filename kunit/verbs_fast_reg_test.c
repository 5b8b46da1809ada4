// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fast registration: what consumers do (rdma_rw, NVMe, NFS), and what they must not.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "verbs_rig.h"

#define ALL_ACCESS							\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/* Of &struct ib_device_attr.max_fast_reg_page_list_len, which others rely on. */
#define MAX_PAGES	512

static struct ib_qp *connected(struct rig *rig)
{
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_RC);

	rig_connect(rig, qp);
	return qp;
}

static struct ib_mr *new_mr(struct rig *rig, enum ib_mr_type type, u32 pages)
{
	struct ib_mr *mr = ib_alloc_mr(rig->pd, type, pages);

	KUNIT_ASSERT_FALSE(rig->test, IS_ERR(mr));
	return mr;
}

/* Return: what ib_map_mr_sg() says of these pieces. */
static int map_pieces(struct rig *rig, struct ib_mr *mr, const struct ib_sge *piece,
		      int pieces, u32 page_size)
{
	struct scatterlist *sgl = kcalloc(pieces, sizeof(*sgl), GFP_KERNEL);
	int i, ret;

	KUNIT_ASSERT_NOT_NULL(rig->test, sgl);
	sg_init_table(sgl, pieces);
	for (i = 0; i < pieces; i++)
		sg_set_buf(&sgl[i], (void *)(uintptr_t)piece[i].addr,
			   piece[i].length);
	KUNIT_ASSERT_EQ(rig->test, ib_dma_map_sg(rig->dev, sgl, pieces,
						 DMA_BIDIRECTIONAL), pieces);
	ret = ib_map_mr_sg(mr, sgl, pieces, NULL, page_size);
	ib_dma_unmap_sg(rig->dev, sgl, pieces, DMA_BIDIRECTIONAL);
	kfree(sgl);
	return ret;
}

static int map(struct rig *rig, struct ib_mr *mr, void *addr, u32 length,
	       u32 page_size)
{
	const struct ib_sge piece = rig_sge(rig, addr, length);

	return map_pieces(rig, mr, &piece, 1, page_size);
}

static struct ib_reg_wr reg_of(struct ib_mr *mr, u64 wr_id, int access)
{
	return (struct ib_reg_wr){
		.wr = {
			.wr_id = wr_id,
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = mr,
		.key = mr->rkey,
		.access = access,
	};
}

static struct ib_send_wr inv_of(u32 key, u64 wr_id)
{
	return (struct ib_send_wr){
		.wr_id = wr_id,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};
}

static enum ib_wc_status reg(struct rig *rig, struct ib_qp *qp, struct ib_mr *mr,
			     int access)
{
	struct ib_reg_wr wr = reg_of(mr, 100, access);
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(rig->test, ib_post_send(qp, &wr.wr, NULL), 0);
	wc = rig_wait_for(rig, 100);
	if (wc.status == IB_WC_SUCCESS)
		KUNIT_EXPECT_EQ(rig->test, wc.opcode, IB_WC_REG_MR);
	return wc.status;
}

static enum ib_wc_status inv(struct rig *rig, struct ib_qp *qp, u32 key)
{
	struct ib_send_wr wr = inv_of(key, 101);
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(rig->test, ib_post_send(qp, &wr, NULL), 0);
	wc = rig_wait_for(rig, 101);
	if (wc.status == IB_WC_SUCCESS)
		KUNIT_EXPECT_EQ(rig->test, wc.opcode, IB_WC_LOCAL_INV);
	return wc.status;
}

/* As consumers do: a new key each time. */
static void bump(struct ib_mr *mr)
{
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
}

static enum ib_wc_status rdma(struct rig *rig, struct ib_qp *qp,
			      enum ib_wr_opcode opcode, u32 rkey, u64 remote,
			      void *local, u32 length)
{
	struct ib_sge sge = rig_sge(rig, local, length);
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_id = 102,
			.opcode = opcode,
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = &sge,
			.num_sge = 1,
		},
		.remote_addr = remote,
		.rkey = rkey,
	};

	KUNIT_ASSERT_EQ(rig->test, ib_post_send(qp, &wr.wr, NULL), 0);
	return rig_wait_for(rig, 102).status;
}

static enum ib_wc_status write(struct rig *rig, struct ib_qp *qp, u32 rkey, u64 remote,
			       void *from, u32 length)
{
	return rdma(rig, qp, IB_WR_RDMA_WRITE, rkey, remote, from, length);
}

static enum ib_wc_status read(struct rig *rig, struct ib_qp *qp, u32 rkey, u64 remote,
			      void *to, u32 length)
{
	return rdma(rig, qp, IB_WR_RDMA_READ, rkey, remote, to, length);
}

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
	KUNIT_EXPECT_EQ(test, read(rig, qp, mr->rkey, mr->iova, back, 8),
			IB_WC_REM_ACCESS_ERR);
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
	KUNIT_EXPECT_EQ(test, write(rig, qp, mr->rkey, last + 1, rig->from, 100 + PAGE_SIZE),
			IB_WC_REM_ACCESS_ERR);
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

/*
 * A peer says that it is done with the region, which is ourselves here. The send's
 * and the receive's completion come in either order.
 */
static void send_inv(struct rig *rig, struct ib_qp *qp, u32 key, struct ib_wc *recv)
{
	struct ib_send_wr wr = {
		.wr_id = 1,
		.opcode = IB_WR_SEND_WITH_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};
	struct ib_wc wc[2] = {};
	int count = 0;

	KUNIT_ASSERT_EQ(rig->test, rig_post_recv(rig, qp, 2, rig->to, 64), 0);
	KUNIT_ASSERT_EQ(rig->test, ib_post_send(qp, &wr, NULL), 0);
	rig_until((count += ib_poll_cq(rig->cq, 2 - count, wc + count)) == 2);
	KUNIT_ASSERT_EQ(rig->test, count, 2);
	*recv = wc[0].wr_id == 2 ? wc[0] : wc[1];
	KUNIT_EXPECT_EQ(rig->test, recv->wr_id, 2ULL);
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
	KUNIT_EXPECT_EQ(test, read(rig, qp, mr->rkey, mr->iova, rig->to + 4096, 8),
			IB_WC_REM_ACCESS_ERR);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* What no peer may access is no peer's to invalidate; nor what is not registered. */
static void remote_invalidate_refused(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp = connected(rig);
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	KUNIT_ASSERT_EQ(test, reg(rig, qp, mr, IB_ACCESS_LOCAL_WRITE), IB_WC_SUCCESS);
	send_inv(rig, qp, mr->rkey, &wc);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_MW_BIND_ERR);
	ib_destroy_qp(qp);

	qp = connected(rig);
	KUNIT_EXPECT_EQ(test, inv(rig, qp, mr->rkey), IB_WC_SUCCESS);
	send_inv(rig, qp, mr->rkey, &wc);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_MW_BIND_ERR);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* Each on a QP of its own, as the first error ends it. */
static void expect_reg(struct rig *rig, struct ib_mr *mr, int access,
		       enum ib_wc_status status)
{
	struct ib_qp *qp = connected(rig);

	KUNIT_EXPECT_EQ(rig->test, reg(rig, qp, mr, access), status);
	ib_destroy_qp(qp);
}

static void expect_inv(struct rig *rig, u32 key, enum ib_wc_status status)
{
	struct ib_qp *qp = connected(rig);

	KUNIT_EXPECT_EQ(rig->test, inv(rig, qp, key), status);
	ib_destroy_qp(qp);
}

static void misuse(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	u32 old = mr->rkey;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	expect_inv(rig, mr->rkey, IB_WC_MW_BIND_ERR);
	/* Peers write what the host may not (10.6.3.1). */
	expect_reg(rig, mr, IB_ACCESS_REMOTE_WRITE, IB_WC_MW_BIND_ERR);
	expect_reg(rig, mr, IB_ACCESS_REMOTE_ATOMIC, IB_WC_MW_BIND_ERR);
	expect_reg(rig, mr, IB_ACCESS_ON_DEMAND, IB_WC_MW_BIND_ERR);
	bump(mr);
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_SUCCESS);
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_MW_BIND_ERR);
	bump(mr);
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_MW_BIND_ERR);
	expect_inv(rig, old, IB_WC_MW_BIND_ERR);
	expect_inv(rig, mr->rkey, IB_WC_MW_BIND_ERR);
	expect_inv(rig, ib_inc_rkey(old), IB_WC_SUCCESS);
	expect_inv(rig, ib_inc_rkey(old), IB_WC_MW_BIND_ERR);
	/* All of memory is not registered by work request; 0 is no key. */
	expect_inv(rig, rig->mr->lkey, IB_WC_MW_BIND_ERR);
	expect_inv(rig, 0, IB_WC_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, map(rig, rig->mr, rig->to, 64, PAGE_SIZE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

static void rights_and_keys(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp = connected(rig);
	u32 old = mr->rkey;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	bump(mr);
	KUNIT_ASSERT_EQ(test, reg(rig, qp, mr, IB_ACCESS_REMOTE_READ), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, read(rig, qp, mr->rkey, mr->iova, rig->to + 100, 64),
			IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, write(rig, qp, mr->rkey, mr->iova, rig->from, 8),
			IB_WC_REM_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, rig->to[0], 0);
	ib_destroy_qp(qp);

	qp = connected(rig);
	KUNIT_EXPECT_EQ(test, read(rig, qp, old, mr->iova, rig->to + 100, 8),
			IB_WC_REM_ACCESS_ERR);
	ib_destroy_qp(qp);

	qp = connected(rig);
	KUNIT_EXPECT_EQ(test, read(rig, qp, mr->rkey, mr->iova - 1, rig->to + 100, 8),
			IB_WC_REM_ACCESS_ERR);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

static void other_protection_domain(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_pd *own = rig->pd, *pd = ib_alloc_pd(rig->dev, 0);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp;

	KUNIT_ASSERT_FALSE(test, IS_ERR(pd));
	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	rig->pd = pd;
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_MW_BIND_ERR);
	rig->pd = own;
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_SUCCESS);
	rig->pd = pd;
	expect_inv(rig, mr->rkey, IB_WC_MW_BIND_ERR);
	qp = connected(rig);
	KUNIT_EXPECT_EQ(test, read(rig, qp, mr->rkey, mr->iova, rig->to + 100, 8),
			IB_WC_REM_ACCESS_ERR);
	ib_destroy_qp(qp);
	rig->pd = own;
	ib_dealloc_pd(pd);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* It may be valid, and a work request may be on its way to it. */
static void deregister_in_use(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp = connected(rig);
	struct ib_reg_wr wr;
	u32 rkey = mr->rkey;
	u64 iova;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	iova = mr->iova;
	KUNIT_ASSERT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	KUNIT_EXPECT_EQ(test, read(rig, qp, rkey, iova, rig->to + 100, 8),
			IB_WC_REM_ACCESS_ERR);
	ib_destroy_qp(qp);

	qp = connected(rig);
	mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	wr = reg_of(mr, 1, ALL_ACCESS);
	KUNIT_ASSERT_EQ(test, ib_post_send(qp, &wr.wr, NULL), 0);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	/* Before or after: it completes in any case. */
	rig_wait_for(rig, 1);
	ib_destroy_qp(qp);
}

static void not_of_a_datagram_qp(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_UD);
	struct ib_reg_wr wr = reg_of(mr, 1, ALL_ACCESS);

	rig_connect(rig, qp);
	KUNIT_EXPECT_EQ(test, ib_post_send(qp, &wr.wr, NULL), -EINVAL);
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
	KUNIT_CASE(remote_invalidate_refused),
	KUNIT_CASE(misuse),
	KUNIT_CASE(rights_and_keys),
	KUNIT_CASE(other_protection_domain),
	KUNIT_CASE(deregister_in_use),
	KUNIT_CASE(not_of_a_datagram_qp),
	{}
};

static struct kunit_suite suite = {
	.name = "srnic_verbs_fast_reg",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
