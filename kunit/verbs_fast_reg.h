/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What suites of fast registration share: each step of it, and its completion.
 */
#ifndef SRNIC_KUNIT_VERBS_FAST_REG_H
#define SRNIC_KUNIT_VERBS_FAST_REG_H

#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "verbs_rig.h"

#define ALL_ACCESS							\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

static inline struct ib_qp *connected(struct rig *rig)
{
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_RC);

	rig_connect(rig, qp);
	return qp;
}

static inline struct ib_mr *new_mr(struct rig *rig, enum ib_mr_type type, u32 pages)
{
	struct ib_mr *mr = ib_alloc_mr(rig->pd, type, pages);

	KUNIT_ASSERT_FALSE(rig->test, IS_ERR(mr));
	return mr;
}

/* Return: what ib_map_mr_sg() says of these pieces. */
static inline int map_pieces(struct rig *rig, struct ib_mr *mr, const struct ib_sge *piece,
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

static inline int map(struct rig *rig, struct ib_mr *mr, void *addr, u32 length,
		      u32 page_size)
{
	const struct ib_sge piece = rig_sge(rig, addr, length);

	return map_pieces(rig, mr, &piece, 1, page_size);
}

static inline struct ib_reg_wr reg_of(struct ib_mr *mr, u64 wr_id, int access)
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

static inline struct ib_send_wr inv_of(u32 key, u64 wr_id)
{
	return (struct ib_send_wr){
		.wr_id = wr_id,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};
}

static inline enum ib_wc_status reg(struct rig *rig, struct ib_qp *qp, struct ib_mr *mr,
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

static inline enum ib_wc_status inv(struct rig *rig, struct ib_qp *qp, u32 key)
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
static inline void bump(struct ib_mr *mr)
{
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
}

static inline enum ib_wc_status rdma(struct rig *rig, struct ib_qp *qp,
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

static inline enum ib_wc_status write(struct rig *rig, struct ib_qp *qp, u32 rkey, u64 remote,
				      void *from, u32 length)
{
	return rdma(rig, qp, IB_WR_RDMA_WRITE, rkey, remote, from, length);
}

static inline enum ib_wc_status read(struct rig *rig, struct ib_qp *qp, u32 rkey, u64 remote,
				     void *to, u32 length)
{
	return rdma(rig, qp, IB_WR_RDMA_READ, rkey, remote, to, length);
}

/*
 * The QP is its own peer: either its requester hears of the refusal, or its responder
 * has taken it to ERR before.
 */
static inline bool refused(enum ib_wc_status status)
{
	return status == IB_WC_REM_ACCESS_ERR || status == IB_WC_WR_FLUSH_ERR;
}

/*
 * A peer says that it is done with the region, which is ourselves here. The send's
 * and the receive's completion come in either order.
 */
static inline void send_inv(struct rig *rig, struct ib_qp *qp, u32 key, struct ib_wc *recv)
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

#endif /* SRNIC_KUNIT_VERBS_FAST_REG_H */
