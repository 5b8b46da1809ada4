// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting receives, for consumers in the kernel. A process fills its queues by
 * itself.
 */
#include <linux/string.h>

#include "../engine/engine.h"
#include "../engine/qp.h"
#include "../queue/post.h"
#include "verbs.h"

static_assert(sizeof(struct ib_sge) == sizeof(struct srnic_sge));
static_assert(offsetof(struct ib_sge, addr) == offsetof(struct srnic_sge, addr));
static_assert(offsetof(struct ib_sge, length) ==
	      offsetof(struct srnic_sge, length));
static_assert(offsetof(struct ib_sge, lkey) == offsetof(struct srnic_sge, lkey));

/**
 * srnic_fill_sges() - put a scatter/gather list into a slot
 * @to: where the slot has room for it
 * @from: the list
 * @num_sge: elements
 *
 * Context: Any.
 */
void srnic_fill_sges(struct srnic_sge *to, const struct ib_sge *from,
		     u32 num_sge)
{
	memcpy(to, from, num_sge * sizeof(*to));
}

static int post_one(struct srnic_rq *rq, const struct ib_recv_wr *wr, u32 ahead)
{
	struct srnic_recv_wqe *wqe;

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;
	wqe = srnic_rq_slot(rq, ahead);
	if (!wqe)
		return -ENOMEM;
	*wqe = (struct srnic_recv_wqe) {
		.wr_id = wr->wr_id,
		.num_sge = wr->num_sge,
	};
	srnic_fill_sges((struct srnic_sge *)(wqe + 1), wr->sg_list,
			wr->num_sge);
	return 0;
}

/* Whoever calls serialises posting to @rq. */
static int post_list(struct srnic_rq *rq, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	u32 count = 0;
	int err = 0;

	for (; wr; wr = wr->next) {
		err = post_one(rq, wr, count);
		if (err) {
			*bad_wr = wr;
			break;
		}
		count++;
	}
	srnic_rq_publish(rq, count);
	return err;
}

/**
 * srnic_post_recv() - post receives (ib_device_ops.post_recv)
 * @ibqp: queue pair of a consumer in the kernel
 * @wr: list of work requests
 * @bad_wr: the first one that was not taken, upon an error
 *
 * Context: Any.
 * Return: 0; -EINVAL: the QP is in RESET or has no receive queue, or a work request
 * has too many elements; -ENOMEM: the queue is full.
 */
int srnic_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr)
{
	struct srnic_qp *qp = to_srnic_qp(ibqp);
	unsigned long flags;
	int err;

	if (!qp->kernel || !qp->rq.map ||
	    READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad_wr = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&qp->rq_post_lock, flags);
	err = post_list(&qp->rq, wr, bad_wr);
	spin_unlock_irqrestore(&qp->rq_post_lock, flags);

	/*
	 * In ERR it has to be flushed. Full barrier between index and state: pairs
	 * with the one in claim(), by which the run begins that flushes because of
	 * the state.
	 */
	smp_mb();
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		srnic_engine_post(qp);
	return err;
}

/**
 * srnic_post_srq_recv() - post receives to a shared queue
 *			   (ib_device_ops.post_srq_recv)
 * @ibsrq: shared receive queue of a consumer in the kernel
 * @wr: list of work requests
 * @bad_wr: the first one that was not taken, upon an error
 *
 * Context: Any.
 * Return: 0; -EINVAL: a process's, or a work request has too many elements; -ENOMEM:
 * the queue is full.
 */
int srnic_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr)
{
	struct srnic_srq *srq = to_srnic_srq(ibsrq);
	unsigned long flags;
	int err;

	if (ibsrq->uobject) {
		*bad_wr = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&srq->post_lock, flags);
	err = post_list(&srq->posted->rq, wr, bad_wr);
	spin_unlock_irqrestore(&srq->post_lock, flags);
	return err;
}
