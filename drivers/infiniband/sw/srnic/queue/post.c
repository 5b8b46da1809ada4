// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The other end of send and receive queues: how a consumer in the kernel fills
 * them.
 *
 * The ring is as a process has it, and so is what takes from it. But nobody else
 * writes to it here, so the producer index in its header can be relied upon.
 */
#include "post.h"

#include "ring.h"

static u32 producer_of(const struct srnic_queue_map *map)
{
	const struct srnic_queue_header *shared = map->memory;

	return READ_ONCE(shared->producer);
}

/*
 * Release: who sees the index sees the slots. Pairs with the load acquire of
 * producer in srnic_sq_fetch() and srnic_rq_pending().
 */
static void publish(const struct srnic_queue_map *map, u32 count)
{
	struct srnic_queue_header *shared = map->memory;

	smp_store_release(&shared->producer, shared->producer + count);
}

static void *slot_of(const struct srnic_queue_map *map, u32 index, u32 entries,
		     u32 stride)
{
	return map->memory + SRNIC_QUEUE_HEADER_BYTES +
	       (size_t)srnic_ring_slot(index, entries) * stride;
}

/**
 * srnic_sq_slot() - a free slot of a send queue
 * @sq: send queue
 * @ahead: slots filled but not published yet
 *
 * Context: Any; the caller serialises posting.
 * Return: the slot, which has &struct srnic_sq.stride bytes; NULL: the queue is
 * full.
 */
void *srnic_sq_slot(const struct srnic_sq *sq, u32 ahead)
{
	u32 index = producer_of(sq->map) + ahead;

	/* Pairs with the release in srnic_complete_wr(). */
	if (index - smp_load_acquire(&sq->tail) >= sq->entries)
		return NULL;
	return slot_of(sq->map, index, sq->entries, sq->stride);
}

/**
 * srnic_sq_publish() - slots of a send queue are filled
 * @sq: send queue
 * @count: how many
 *
 * Context: Any; the caller serialises posting.
 */
void srnic_sq_publish(struct srnic_sq *sq, u32 count)
{
	publish(sq->map, count);
}

/**
 * srnic_rq_slot() - a free slot of a receive queue
 * @rq: receive queue, of a QP or an SRQ
 * @ahead: slots filled but not published yet
 *
 * Context: Any; the caller serialises posting.
 * Return: the slot, which has &struct srnic_rq.stride bytes; NULL: the queue is
 * full.
 */
void *srnic_rq_slot(const struct srnic_rq *rq, u32 ahead)
{
	u32 index = producer_of(rq->map) + ahead;

	/* Pairs with the release in srnic_rq_take_next(). */
	if (index - smp_load_acquire(&rq->head) >= rq->entries)
		return NULL;
	return slot_of(rq->map, index, rq->entries, rq->stride);
}

/**
 * srnic_rq_publish() - slots of a receive queue are filled
 * @rq: receive queue, of a QP or an SRQ
 * @count: how many
 *
 * Context: Any; the caller serialises posting.
 */
void srnic_rq_publish(struct srnic_rq *rq, u32 count)
{
	publish(rq->map, count);
}
