/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send queue: the ring that a process fills, and the kernel's private copy.
 */
#ifndef SRNIC_QUEUE_SQ_H
#define SRNIC_QUEUE_SQ_H

#include "map.h"
#include "wqe.h"

/**
 * struct srnic_sq - a send queue
 * @map: shared ring; NULL if the QP has no send queue
 * @limits: what the QP was created for
 * @entries: slots, a power of two
 * @stride: bytes from slot to slot, in the shared ring and in @copies
 * @head: work requests ever fetched from the shared ring
 * @tail: work requests ever completed; [@tail, @head) are in flight
 * @broken: the producer index made no sense once: nothing is taken until reset
 * @wr: checked work request of each slot, private
 * @copies: private copy of each slot, which @wr points into
 *
 * All fields are the send side owner's; nothing but @map is seen by users. Who
 * completes a work request advances @tail before it posts the CQE: from then
 * on the process may fill the slot again.
 */
struct srnic_sq {
	struct srnic_queue_map *map;
	struct srnic_wqe_limits limits;
	u32 entries;
	u32 stride;
	u32 head;
	u32 tail;
	bool broken;
	struct srnic_send_wr *wr;
	u8 *copies;
};

/**
 * enum srnic_fetch - what came of looking for a work request
 * @SRNIC_FETCH_EMPTY: none there
 * @SRNIC_FETCH_OK: one was taken
 * @SRNIC_FETCH_BAD_WR: one was taken that cannot be executed; its wr_id is
 *	good, for the CQE
 * @SRNIC_FETCH_BAD_INDEX: the producer index makes no sense: the process has
 *	written garbage, nothing was taken. Said once, then SRNIC_FETCH_EMPTY
 *	until the queue is reset, so that no loop lives on it
 */
enum srnic_fetch {
	SRNIC_FETCH_EMPTY,
	SRNIC_FETCH_OK,
	SRNIC_FETCH_BAD_WR,
	SRNIC_FETCH_BAD_INDEX,
};

u32 srnic_sq_stride(u32 max_sge, u32 max_inline);
int srnic_sq_create(struct srnic_sq *sq, struct ib_ucontext *ucontext,
		    u32 entries, const struct srnic_wqe_limits *limits);
void srnic_sq_destroy(struct srnic_sq *sq);
void srnic_sq_reset(struct srnic_sq *sq);
enum srnic_fetch srnic_sq_fetch(struct srnic_sq *sq,
				enum srnic_wqe_verdict *why);
bool srnic_sq_has_work(const struct srnic_sq *sq);

/**
 * srnic_sq_wr() - work request of an index
 * @sq: send queue
 * @index: in [tail, head)
 *
 * Context: send side owner.
 * Return: the private, checked work request.
 */
static inline struct srnic_send_wr *srnic_sq_wr(struct srnic_sq *sq, u32 index)
{
	return &sq->wr[index & (sq->entries - 1)];
}

#endif /* SRNIC_QUEUE_SQ_H */
