/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queue: the ring that the kernel fills.
 */
#ifndef SRNIC_QUEUE_CQ_H
#define SRNIC_QUEUE_CQ_H

#include <rdma/ib_verbs.h>
#include <rdma/srnic-abi.h>

#include "map.h"

/* srnic_cq_post(): the CQ was armed. */
#define SRNIC_CQ_EVENT	1

/**
 * struct srnic_cq - a completion queue
 * @ibcq: what the core knows of it
 * @map: shared ring
 * @entries: slots, a power of two
 * @lock: guards the fields below; a leaf: taken with BHs off or in softirq,
 *	  nothing is called under it
 * @producer: CQEs ever written
 * @notified: last arm word that raised an event
 * @overrun: it was full when a CQE had to be written; it is dead since
 */
struct srnic_cq {
	struct ib_cq ibcq;
	struct srnic_queue_map *map;
	u32 entries;
	spinlock_t lock; /* guards what follows; a leaf */
	u32 producer;
	u32 notified;
	bool overrun;
};

static inline struct srnic_cq *to_srnic_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct srnic_cq, ibcq);
}

int srnic_cq_create(struct srnic_cq *cq, struct ib_ucontext *ucontext,
		    u32 entries);
void srnic_cq_destroy(struct srnic_cq *cq);
int srnic_cq_post(struct srnic_cq *cq, const struct srnic_cqe *cqe,
		  bool solicited);

#endif /* SRNIC_QUEUE_CQ_H */
