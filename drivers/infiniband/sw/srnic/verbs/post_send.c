// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting sends. A process has filled its queue already, and only kicks; work
 * requests of a consumer in the kernel are put into the same kind of queue here.
 *
 * What is done about them is left to the QP's tasklet: handlers are not called from
 * here, whatever locks the consumer holds.
 */
#include <linux/string.h>

#include "../engine/engine.h"
#include "../engine/qp.h"
#include "../queue/post.h"
#include "verbs.h"

#define SEND_FLAGS							\
	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED |		\
	 IB_SEND_INLINE)

/* The values of both APIs are those of uverbs. */
static_assert((int)IB_SEND_FENCE == SRNIC_SEND_FENCE);
static_assert((int)IB_SEND_SIGNALED == SRNIC_SEND_SIGNALED);
static_assert((int)IB_SEND_SOLICITED == SRNIC_SEND_SOLICITED);
static_assert((int)IB_SEND_INLINE == SRNIC_SEND_INLINE);
static_assert((int)IB_WR_SEND_WITH_INV == SRNIC_WR_SEND_WITH_INV);
static_assert((int)IB_WR_LOCAL_INV == SRNIC_WR_LOCAL_INV);
static_assert(IB_WR_REG_MR == SRNIC_WR_REG_MR);
static_assert(IB_WR_ATOMIC_WRITE == SRNIC_WR_ATOMIC_WRITE);

static int fill_datagram(const struct srnic_qp *qp,
			 const struct ib_send_wr *ibwr,
			 struct srnic_send_wqe *wqe)
{
	const struct ib_ud_wr *wr = ud_wr(ibwr);

	if (!wr->ah)
		return -EINVAL;
	/* There is one P_Key. */
	if (srnic_qp_is_gsi(qp) && wr->pkey_index)
		return -EINVAL;
	wqe->ud.ah = to_srnic_ah(wr->ah)->entry->number;
	wqe->ud.remote_qpn = wr->remote_qpn;
	wqe->ud.remote_qkey = wr->remote_qkey;
	return 0;
}

static void fill_rdma(const struct ib_send_wr *ibwr, struct srnic_send_wqe *wqe)
{
	const struct ib_rdma_wr *wr = rdma_wr(ibwr);

	wqe->rdma.remote_addr = wr->remote_addr;
	wqe->rdma.rkey = wr->rkey;
}

static void fill_atomic(const struct ib_send_wr *ibwr,
			struct srnic_send_wqe *wqe)
{
	const struct ib_atomic_wr *wr = atomic_wr(ibwr);

	wqe->rdma.remote_addr = wr->remote_addr;
	wqe->rdma.rkey = wr->rkey;
	wqe->rdma.compare_add = wr->compare_add;
	wqe->rdma.swap = wr->swap;
}

/* The region is found by its key, not by a pointer. */
static void fill_reg(const struct ib_send_wr *ibwr, struct srnic_send_wqe *wqe)
{
	const struct ib_reg_wr *wr = reg_wr(ibwr);

	wqe->bind.addr = wr->mr->iova;
	wqe->bind.rkey = wr->key;
	wqe->bind.access = wr->access;
}

/* Only what the operation has: a plain SEND may be a plain struct ib_send_wr. */
static int fill_operation(const struct srnic_qp *qp,
			  const struct ib_send_wr *wr,
			  struct srnic_send_wqe *wqe)
{
	/* No enum: the newest of these are none of its values in older kernels. */
	const u32 opcode = wr->opcode;

	wqe->opcode = opcode;
	switch (opcode) {
	case IB_WR_SEND_WITH_IMM:
		wqe->imm = (__force u32)wr->ex.imm_data;
		fallthrough;
	case IB_WR_SEND:
		return srnic_qp_is_datagram(qp) ? fill_datagram(qp, wr, wqe) : 0;
	case IB_WR_RDMA_WRITE_WITH_IMM:
		wqe->imm = (__force u32)wr->ex.imm_data;
		fallthrough;
	case IB_WR_RDMA_WRITE:
	case IB_WR_ATOMIC_WRITE:
	case IB_WR_RDMA_READ:
		fill_rdma(wr, wqe);
		return 0;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		fill_atomic(wr, wqe);
		return 0;
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		wqe->imm = wr->ex.invalidate_rkey;
		return 0;
	case IB_WR_REG_MR:
		fill_reg(wr, wqe);
		return 0;
	default:
		return -EINVAL;
	}
}

/* Addresses of a consumer in the kernel are the kernel's own. */
static int fill_inline(const struct srnic_qp *qp, const struct ib_send_wr *wr,
		       struct srnic_send_wqe *wqe)
{
	u8 *to = (u8 *)(wqe + 1);
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->sq.limits.max_inline - bytes)
			return -EINVAL;
		memcpy(to + bytes, (const void *)(uintptr_t)sge->addr,
		       sge->length);
		bytes += sge->length;
	}
	wqe->inline_length = bytes;
	return 0;
}

static int fill(const struct srnic_qp *qp, const struct ib_send_wr *wr,
		struct srnic_send_wqe *wqe)
{
	int err;

	if (wr->send_flags & ~SEND_FLAGS)
		return -EINVAL;
	if (wr->num_sge < 0 || wr->num_sge > qp->sq.limits.max_sge)
		return -EINVAL;

	*wqe = (struct srnic_send_wqe) {
		.wr_id = wr->wr_id,
		.flags = wr->send_flags,
	};
	err = fill_operation(qp, wr, wqe);
	if (err)
		return err;
	if (wr->send_flags & IB_SEND_INLINE)
		return fill_inline(qp, wr, wqe);
	wqe->num_sge = wr->num_sge;
	srnic_fill_sges((struct srnic_sge *)(wqe + 1), wr->sg_list, wr->num_sge);
	return 0;
}

/* The engine checks it, too; but here it can be said at once. */
static int post_one(struct srnic_qp *qp, const struct ib_send_wr *wr, u32 ahead)
{
	struct srnic_send_wr checked;
	void *slot;
	int err;

	lockdep_assert_held(&qp->sq_post_lock);

	slot = srnic_sq_slot(&qp->sq, ahead);
	if (!slot)
		return -ENOMEM;
	err = fill(qp, wr, slot);
	if (err)
		return err;
	if (srnic_send_wqe_decode(slot, &qp->sq.limits, &checked) !=
	    SRNIC_WQE_OK)
		return -EINVAL;
	return 0;
}

static int post_list(struct srnic_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	unsigned long flags;
	u32 count = 0;
	int err = 0;

	spin_lock_irqsave(&qp->sq_post_lock, flags);
	for (; wr; wr = wr->next) {
		err = post_one(qp, wr, count);
		if (err) {
			*bad_wr = wr;
			break;
		}
		count++;
	}
	srnic_sq_publish(&qp->sq, count);
	spin_unlock_irqrestore(&qp->sq_post_lock, flags);

	if (count)
		srnic_engine_post(qp);
	return err;
}

/**
 * srnic_post_send() - post sends, or kick (ib_device_ops.post_send)
 * @ibqp: queue pair
 * @wr: list of work requests; NULL from a process, whose work requests are in the
 *	mapped queue
 * @bad_wr: the first one that was not taken, upon an error
 *
 * Work requests before a bad one are executed.
 *
 * Context: Any, from a consumer in the kernel. Process context for a process; may
 * sleep then.
 * Return: 0; -EINVAL: the QP is not yet ready to send, or has no send queue; a work
 * request that it cannot execute; work requests in the name of a process; -ENOMEM:
 * the queue is full; what srnic_qp_kick() returns.
 */
int srnic_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr)
{
	struct srnic_qp *qp = to_srnic_qp(ibqp);

	if (!qp->sq.map || (!qp->kernel && wr) ||
	    (qp->kernel && READ_ONCE(qp->state) < IB_QPS_RTS)) {
		*bad_wr = wr;
		return -EINVAL;
	}
	if (!qp->kernel)
		return srnic_qp_kick(qp);
	return post_list(qp, wr, bad_wr);
}
