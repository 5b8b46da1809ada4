/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive queue: the ring that a process fills with buffers.
 */
#ifndef SRNIC_QUEUE_RQ_H
#define SRNIC_QUEUE_RQ_H

#include "map.h"
#include "sq.h"
#include "wqe.h"

/**
 * struct srnic_rq - a receive queue
 * @map: shared ring; NULL if the QP has no receive queue of its own
 * @max_sge: elements that the QP was created for
 * @entries: slots, a power of two
 * @stride: bytes from slot to slot
 * @head: work requests ever taken from the ring
 * @broken: the producer index made no sense once: nothing is taken until reset
 *
 * All fields are guarded by the responder lock of the QP, or by the lock of the
 * SRQ that it is a ring of.
 */
struct srnic_rq {
	struct srnic_queue_map *map;
	u32 max_sge;
	u32 entries;
	u32 stride;
	u32 head;
	bool broken;
};

u32 srnic_rq_stride(u32 max_sge);
int srnic_rq_create(struct srnic_rq *rq, struct ib_ucontext *ucontext,
		    u32 entries, u32 max_sge);
void srnic_rq_destroy(struct srnic_rq *rq);
void srnic_rq_reset(struct srnic_rq *rq);
u32 srnic_rq_pending(struct srnic_rq *rq);
u32 srnic_rq_credits(const struct srnic_rq *rq);
enum srnic_fetch srnic_rq_take_next(struct srnic_rq *rq,
				    struct srnic_recv_wr *wr);
enum srnic_fetch srnic_rq_take(struct srnic_rq *rq, struct srnic_recv_wr *wr);

#endif /* SRNIC_QUEUE_RQ_H */
