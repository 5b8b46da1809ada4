// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of completion queues.
 */
#include "cq.h"

/**
 * srnic_cq_raise() - call the completion handler
 * @cq: completion queue whose arm word was used up
 *
 * It runs on one CPU at a time, as the core promises its clients. Who comes while
 * it runs leaves its call to the one that is there; a handler that has armed the
 * CQ again thus never meets itself.
 *
 * Context: Softirq or process context with BHs off; no lock of this driver held.
 * The caller holds a QP of the CQ, or is the CQ's timer.
 */
void srnic_cq_raise(struct srnic_cq *cq)
{
	struct ib_cq *ibcq = &cq->ibcq;

	if (!ibcq->comp_handler || atomic_fetch_inc(&cq->events))
		return;
	do {
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	} while (!atomic_dec_and_test(&cq->events));
}
