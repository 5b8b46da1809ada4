/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queue: the ring that the kernel fills.
 */
#ifndef SRNIC_QUEUE_CQ_H
#define SRNIC_QUEUE_CQ_H

#include <linux/hrtimer.h>
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
 * @ignore_overrun: CQEs that find no room are lost, and nothing else happens;
 *		    constant
 * @moderate_count: completions for an event; 0 without moderation
 * @moderate_usecs: time after which there is one anyway
 * @held: completions since the last event that were worth one
 * @moderation: timer of that
 * @events: calls of the completion handler that are owed: who makes it more than
 *	    none calls until there is none
 * @kernel: of a consumer in the kernel, who polls by srnic_cq_take()
 * @poll_lock: of such a one: guards @consumer and the arm word; a leaf, taken with
 *	       interrupts off
 * @consumer: CQEs ever taken
 * @resize_mutex: one resize at a time; guards @next_map and @next_entries, and
 *		  with @lock changes of @map and @entries
 * @next_map: ring to move to, or NULL
 * @next_entries: its slots
 */
struct srnic_cq {
	struct ib_cq ibcq;
	struct srnic_queue_map *map;
	u32 entries;
	spinlock_t lock; /* guards what follows; a leaf */
	u32 producer;
	u32 notified;
	bool overrun;
	bool ignore_overrun;
	u16 moderate_count;
	u16 moderate_usecs;
	u32 held;
	struct hrtimer moderation;
	atomic_t events;
	bool kernel;
	spinlock_t poll_lock; /* guards what follows; a leaf */
	u32 consumer;
	struct mutex resize_mutex; /* one at a time, see above */
	struct srnic_queue_map *next_map;
	u32 next_entries;
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
bool srnic_cq_take_arm(struct srnic_cq *cq);

/* cq_event.c */
void srnic_cq_raise(struct srnic_cq *cq);

/* cq_poll.c */
bool srnic_cq_take(struct srnic_cq *cq, struct srnic_cqe *cqe);
void srnic_cq_taken(struct srnic_cq *cq);
bool srnic_cq_arm(struct srnic_cq *cq, u32 kind);

/* cq_moderate.c */
void srnic_cq_moderation_init(struct srnic_cq *cq);
void srnic_cq_moderate(struct srnic_cq *cq, u16 count, u16 usecs);
bool srnic_cq_hold_event(struct srnic_cq *cq);
void srnic_cq_moderation_stop(struct srnic_cq *cq);

/* cq_resize.c */
int srnic_cq_resize_prepare(struct srnic_cq *cq, struct ib_ucontext *ucontext,
			    u32 entries);
int srnic_cq_resize_switch(struct srnic_cq *cq, u32 entries, u32 *count);

#endif /* SRNIC_QUEUE_CQ_H */
