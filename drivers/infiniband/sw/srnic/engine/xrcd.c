// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC domains.
 *
 * A target may hold a work request of an SRQ that is destroyed meanwhile: the core
 * knows of no relation between the two. So who destroys the SRQ goes through the
 * targets of its domain.
 */
#include "xrcd.h"

#include <linux/random.h>
#include <linux/rcupdate.h>

#include "../wire/format.h"
#include "qp.h"

/* 24 bits on the wire; 0 is no SRQ, and the last one is left out as for QPs. */
#define FIRST_NUMBER	1
#define LAST_NUMBER	(SRNIC_QPN_MASK - 1)

/**
 * srnic_xrcd_init() - an empty domain
 * @xrcd: zeroed but for ibxrcd
 *
 * Context: Process context.
 */
void srnic_xrcd_init(struct srnic_xrcd *xrcd)
{
	mutex_init(&xrcd->lock);
	INIT_LIST_HEAD(&xrcd->targets);
}

/**
 * srnic_xrcd_add_target() - a target QP is about to begin
 * @qp: QP with its domain
 *
 * Context: Process context, may sleep.
 */
void srnic_xrcd_add_target(struct srnic_qp *qp)
{
	mutex_lock(&qp->xrcd->lock);
	list_add_tail(&qp->xrcd_entry, &qp->xrcd->targets);
	mutex_unlock(&qp->xrcd->lock);
}

/**
 * srnic_xrcd_remove_target() - a target QP has ended
 * @qp: QP that holds no work request any more, and takes none
 *
 * Context: Process context, may sleep.
 */
void srnic_xrcd_remove_target(struct srnic_qp *qp)
{
	mutex_lock(&qp->xrcd->lock);
	list_del(&qp->xrcd_entry);
	mutex_unlock(&qp->xrcd->lock);
}

/**
 * srnic_xrcd_add_srq() - let targets find an SRQ
 * @srq: SRQ of XRC, complete; its number is set
 *
 * Context: Process context, may sleep.
 * Return: 0, -EBUSY if there is no number left, or -ENOMEM.
 */
int srnic_xrcd_add_srq(struct srnic_srq *srq)
{
	struct srnic_dev *dev = to_srnic_dev(srq->ibsrq.device);
	int ret;

	/* Reserved first: who finds it reads the number. */
	ret = xa_alloc_cyclic(&dev->xrc_srqs, &srq->number, NULL,
			      XA_LIMIT(FIRST_NUMBER, LAST_NUMBER),
			      &dev->srq_next, GFP_KERNEL);
	if (ret < 0)
		return ret;
	xa_store(&dev->xrc_srqs, srq->number, srq, GFP_KERNEL);
	return 0;
}

static void forget_srq(struct srnic_qp *qp, const struct srnic_srq *srq)
{
	struct srnic_recv_side *recv = &qp->recv;

	spin_lock_bh(&recv->lock);
	if (recv->wr_held && recv->srq == srq) {
		/* The next packet of the message is refused. */
		recv->wr_held = false;
		recv->srq = NULL;
	}
	spin_unlock_bh(&recv->lock);
}

/**
 * srnic_xrcd_remove_srq() - no target has anything to do with an SRQ any more
 * @srq: SRQ of XRC
 *
 *  1. Nobody finds it any more.
 *  2. After a grace period: targets that had found it have taken their work
 *     request.
 *  3. Those work requests are taken away from them.
 *  4. After another one: who was completing one of them has told so.
 *
 * Context: Process context, sleeps.
 */
void srnic_xrcd_remove_srq(struct srnic_srq *srq)
{
	struct srnic_dev *dev = to_srnic_dev(srq->ibsrq.device);
	struct srnic_xrcd *xrcd = to_srnic_xrcd(srq->ibsrq.ext.xrc.xrcd);
	struct srnic_qp *qp;

	xa_erase(&dev->xrc_srqs, srq->number);
	synchronize_rcu_expedited();
	mutex_lock(&xrcd->lock);
	list_for_each_entry(qp, &xrcd->targets, xrcd_entry)
		forget_srq(qp, srq);
	mutex_unlock(&xrcd->lock);
	synchronize_rcu_expedited();
}

/**
 * srnic_xrcd_find_srq() - the SRQ that a request names
 * @dev: device
 * @xrcd: domain of the target
 * @number: as found in the request
 *
 * Context: RCU read side, which has to last as long as the result is used.
 * Return: the SRQ, or NULL: there is none, or it is of another domain.
 */
struct srnic_srq *srnic_xrcd_find_srq(struct srnic_dev *dev,
				      const struct srnic_xrcd *xrcd, u32 number)
{
	struct srnic_srq *srq = xa_load(&dev->xrc_srqs, number);

	return srq && srq->ibsrq.ext.xrc.xrcd == &xrcd->ibxrcd ? srq : NULL;
}
