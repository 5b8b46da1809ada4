/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queue: the rings that a process fills for many QPs.
 */
#ifndef SRNIC_QUEUE_SRQ_H
#define SRNIC_QUEUE_SRQ_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "rq.h"

/* Bits that srnic_srq_take() gives back: events to be raised. */
#define SRNIC_SRQ_LIMIT		0
#define SRNIC_SRQ_FAILED	1
#define SRNIC_SRQ_EVENTS	2

/**
 * struct srnic_srq_ring - one of the rings of an SRQ
 * @list: in &struct srnic_srq.rings or &struct srnic_srq.drained
 * @rq: the ring, and where the kernel is in it
 * @left: work requests in it that are still to be taken, once a newer ring has
 *	  taken its place: what the process writes to it then is not looked at
 */
struct srnic_srq_ring {
	struct list_head list;
	struct srnic_rq rq;
	u32 left;
};

/**
 * struct srnic_returned_wr - a work request that was taken and not used
 * @list: in &struct srnic_srq.returned
 * @wr: the work request
 *
 * A QP has one ready from its creation on, so that giving back cannot fail.
 */
struct srnic_returned_wr {
	struct list_head list;
	struct srnic_recv_wr wr;
};

/**
 * struct srnic_srq - a shared receive queue
 * @ibsrq: what the core knows of it
 * @number: SRQ number, of those of XRC only
 * @max_sge: elements of a work request
 * @modify_mutex: serialises modify
 * @lock: guards what follows; a leaf below the responder locks, BHs off
 * @rings: rings, oldest first; the process fills the last one, the others are left
 *	   from before it was resized
 * @drained: former rings that nothing is taken from any more; they are freed where
 *	     one may sleep
 * @returned: &struct srnic_returned_wr, oldest first; taken before the rings
 * @waiting: work requests in @returned and in all @rings but the last
 * @limit: fewer work requests than this raise an event, once; 0: not armed
 * @failed: the process has written garbage; nothing is taken any more
 * @post_lock: of a consumer in the kernel: guards @posted and its producer index;
 *	       a leaf below @lock, taken with interrupts off
 * @posted: of such a one: the ring that it fills
 */
struct srnic_srq {
	struct ib_srq ibsrq;
	u32 number;
	u32 max_sge;
	struct mutex modify_mutex; /* serialises modify */
	spinlock_t lock; /* guards what follows; a leaf */
	struct list_head rings;
	struct list_head drained;
	struct list_head returned;
	u32 waiting;
	u32 limit;
	bool failed;
	spinlock_t post_lock; /* guards what follows; a leaf */
	struct srnic_srq_ring *posted;
};

static inline struct srnic_srq *to_srnic_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct srnic_srq, ibsrq);
}

/**
 * srnic_srq_current() - the ring that the process fills
 * @srq: shared receive queue
 *
 * Context: @srq->lock or @srq->modify_mutex held, or nobody else knows @srq.
 * Return: the ring.
 */
static inline struct srnic_srq_ring *srnic_srq_current(struct srnic_srq *srq)
{
	return list_last_entry(&srq->rings, struct srnic_srq_ring, list);
}

int srnic_srq_create(struct srnic_srq *srq, struct ib_ucontext *ucontext,
		     u32 entries, u32 max_sge);
void srnic_srq_destroy(struct srnic_srq *srq);
struct srnic_srq_ring *srnic_srq_ring_create(struct ib_ucontext *ucontext,
					     u32 entries, u32 max_sge);
void srnic_srq_ring_destroy(struct srnic_srq_ring *ring);
int srnic_srq_modify(struct srnic_srq *srq, struct srnic_srq_ring *ring,
		     const u32 *limit);
enum srnic_fetch srnic_srq_take(struct srnic_srq *srq, struct srnic_recv_wr *wr,
				unsigned long *events);
void srnic_srq_give_back(struct srnic_srq *srq,
			 struct srnic_returned_wr *returned,
			 const struct srnic_recv_wr *wr);

#endif /* SRNIC_QUEUE_SRQ_H */
