// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Polling and arming of completion queues, for consumers in the kernel. A process
 * does both in shared memory.
 */
#include "../engine/events.h"
#include "../engine/qp.h"
#include "../engine/qp_table.h"
#include "verbs.h"

static void fill_receive(struct ib_wc *wc, const struct srnic_cqe *cqe)
{
	wc->src_qp = cqe->src_qp;
	wc->pkey_index = cqe->pkey_index;
	if (cqe->flags & SRNIC_WC_WITH_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = (__force __be32)cqe->imm;
	}
	if (cqe->flags & SRNIC_WC_WITH_INV) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = cqe->imm;
	}
	if (cqe->flags & SRNIC_WC_GRH) {
		wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = cqe->sl == SRNIC_SL_IPV4 ?
				       RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	}
}

/* Return: false if the QP is on its way out: nobody waits for that any more. */
static bool translate(struct ib_wc *wc, const struct srnic_cqe *cqe)
{
	struct srnic_qp *qp;

	rcu_read_lock();
	qp = srnic_qp_table_find(cqe->qp_num);
	rcu_read_unlock();
	if (!qp)
		return false;

	*wc = (struct ib_wc) {
		.wr_id = cqe->wr_id,
		.status = cqe->status,
		.opcode = cqe->opcode,
		.vendor_err = cqe->vendor_err,
		.byte_len = cqe->byte_len,
		.qp = &qp->ibqp,
	};
	if (cqe->opcode & SRNIC_WC_OPCODE_RECV)
		fill_receive(wc, cqe);
	return true;
}

/**
 * srnic_poll_cq() - take completions (ib_device_ops.poll_cq)
 * @ibcq: completion queue of a consumer in the kernel
 * @num: how many at most
 * @wc: result
 *
 * Completions of a QP that is destroyed are not given any more.
 *
 * Context: Any.
 * Return: how many there are, or -EINVAL: the CQ is a process's.
 */
int srnic_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct srnic_cq *cq = to_srnic_cq(ibcq);
	struct srnic_cqe cqe;
	unsigned long flags;
	int count = 0;

	if (!cq->kernel)
		return -EINVAL;

	spin_lock_irqsave(&cq->poll_lock, flags);
	while (count < num && srnic_cq_take(cq, &cqe))
		count += translate(&wc[count], &cqe);
	srnic_cq_taken(cq);
	spin_unlock_irqrestore(&cq->poll_lock, flags);
	return count;
}

/**
 * srnic_req_notify_cq() - ask for an event (ib_device_ops.req_notify_cq)
 * @ibcq: completion queue of a consumer in the kernel
 * @flags: IB_CQ_SOLICITED or IB_CQ_NEXT_COMP, and IB_CQ_REPORT_MISSED_EVENTS
 *
 * Context: Any.
 * Return: 0; 1: with IB_CQ_REPORT_MISSED_EVENTS, there are completions already;
 * -EINVAL: the CQ is a process's.
 */
int srnic_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	u32 kind = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ?
		   SRNIC_CQ_ARM_SOLICITED : SRNIC_CQ_ARM_ANY;
	struct srnic_cq *cq = to_srnic_cq(ibcq);
	unsigned long irq_flags;
	bool missed;

	if (!cq->kernel)
		return -EINVAL;

	spin_lock_irqsave(&cq->poll_lock, irq_flags);
	missed = srnic_cq_arm(cq, kind);
	spin_unlock_irqrestore(&cq->poll_lock, irq_flags);
	return missed && flags & IB_CQ_REPORT_MISSED_EVENTS;
}

/**
 * srnic_pre_destroy_cq() - a CQ is about to be destroyed
 *			    (ib_device_ops.pre_destroy_cq)
 * @ibcq: completion queue that no QP refers to any more
 *
 * The core waits for what completion handlers have started next: none may be called
 * behind that.
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
int srnic_pre_destroy_cq(struct ib_cq *ibcq)
{
	srnic_cq_moderation_stop(to_srnic_cq(ibcq));
	return 0;
}
