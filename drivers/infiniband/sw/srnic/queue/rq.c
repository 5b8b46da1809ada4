// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive queue: the ring that a process fills with buffers.
 */
#include "ring.h"
#include "rq.h"

/**
 * srnic_rq_stride() - bytes from slot to slot
 * @max_sge: elements that a slot has room for
 *
 * Context: Any.
 * Return: header and elements, rounded up to whole cache lines.
 */
u32 srnic_rq_stride(u32 max_sge)
{
	return round_up(sizeof(struct srnic_recv_wqe) +
			max_sge * sizeof(struct srnic_sge), SRNIC_WQE_ALIGN);
}

/**
 * srnic_rq_create() - make a receive queue
 * @rq: zeroed; of no use after a failure
 * @ucontext: process that fills it, or NULL: the kernel does
 * @entries: slots, a power of two
 * @max_sge: elements of a work request
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: beyond what the driver can do; -ENOMEM.
 */
int srnic_rq_create(struct srnic_rq *rq, struct ib_ucontext *ucontext,
		    u32 entries, u32 max_sge)
{
	struct srnic_queue_map *map;
	size_t bytes;

	if (max_sge > SRNIC_MAX_SGE)
		return -EINVAL;

	rq->max_sge = max_sge;
	rq->entries = entries;
	rq->stride = srnic_rq_stride(max_sge);
	rq->head = 0;
	rq->broken = false;
	if (!srnic_ring_bytes(SRNIC_QUEUE_HEADER_BYTES, entries, rq->stride,
			      &bytes))
		return -EINVAL;

	map = srnic_queue_map_create(ucontext, bytes);
	if (IS_ERR(map))
		return PTR_ERR(map);
	rq->map = map;
	return 0;
}

/**
 * srnic_rq_destroy() - undo srnic_rq_create()
 * @rq: receive queue that nobody takes from any more; or one that was never
 *	created, which is left alone
 *
 * Context: Process context. May sleep.
 */
void srnic_rq_destroy(struct srnic_rq *rq)
{
	if (rq->map)
		srnic_queue_map_destroy(rq->map);
}

/**
 * srnic_rq_reset() - drop all work requests: the QP goes to RESET
 * @rq: receive queue
 *
 * The process sets its own indices to 0 as well, when the verb has succeeded.
 *
 * Context: Responder lock held.
 */
void srnic_rq_reset(struct srnic_rq *rq)
{
	struct srnic_queue_header *shared;

	if (!rq->map)
		return;
	shared = rq->map->memory;
	rq->head = 0;
	rq->broken = false;
	WRITE_ONCE(shared->producer, 0);
}

/*
 * The only place that reads a slot: each byte once, header first, and as many
 * elements as the checked copy of the header says. The barriers keep the
 * compiler from reading shared memory again where the copy is meant.
 */
static enum srnic_wqe_verdict copy_slot(struct srnic_recv_wr *wr,
					const u8 *shared, u32 max_sge)
{
	enum srnic_wqe_verdict verdict;
	struct srnic_recv_wqe header;

	memcpy(&header, shared, sizeof(header));
	barrier();
	verdict = srnic_recv_wqe_decode(&header, max_sge, wr);
	memcpy(wr->sge, shared + sizeof(header),
	       wr->num_sge * sizeof(struct srnic_sge));
	barrier();
	wr->length = srnic_sge_bytes(wr->sge, wr->num_sge);
	return verdict;
}

/**
 * srnic_rq_pending() - how many work requests are in the shared ring
 * @rq: receive queue
 *
 * Context: Responder lock held, or that of the SRQ.
 * Return: 0..entries, or SRNIC_RING_NONSENSE: said once, then 0 until reset.
 */
u32 srnic_rq_pending(struct srnic_rq *rq)
{
	const struct srnic_queue_header *shared = rq->map->memory;
	u32 pending;

	if (rq->broken)
		return 0;

	/*
	 * Acquire: the slots are read after the index. Pairs with the store
	 * release of producer in the provider's post_recv.
	 */
	pending = srnic_ring_pending(smp_load_acquire(&shared->producer),
				     rq->head, rq->entries);
	if (pending == SRNIC_RING_NONSENSE)
		rq->broken = true;
	return pending;
}

/**
 * srnic_rq_credits() - how many work requests wait, as the process says
 * @rq: receive queue
 *
 * For the peer to know; what is taken is looked at by srnic_rq_pending().
 *
 * Context: Responder lock held.
 * Return: 0..entries.
 */
u32 srnic_rq_credits(const struct srnic_rq *rq)
{
	const struct srnic_queue_header *shared = rq->map->memory;

	if (rq->broken)
		return 0;
	return min(READ_ONCE(shared->producer) - rq->head, rq->entries);
}

/**
 * srnic_rq_take_next() - take a work request that is known to be there
 * @rq: receive queue; srnic_rq_pending() has said that it is not empty
 * @wr: private copy; of a bad one wr_id and wqe_index are good and the list is
 *	empty
 *
 * Context: Responder lock held, or that of the SRQ.
 * Return: SRNIC_FETCH_OK or SRNIC_FETCH_BAD_WR.
 */
enum srnic_fetch srnic_rq_take_next(struct srnic_rq *rq,
				    struct srnic_recv_wr *wr)
{
	const u8 *slots = (const u8 *)rq->map->memory + SRNIC_QUEUE_HEADER_BYTES;
	u32 slot = srnic_ring_slot(rq->head, rq->entries);
	enum srnic_wqe_verdict verdict;

	verdict = copy_slot(wr, slots + (size_t)slot * rq->stride,
			    rq->max_sge);
	wr->wqe_index = rq->head + 1;
	/* Pairs with the acquire in srnic_rq_slot(): the slot is copied. */
	smp_store_release(&rq->head, rq->head + 1);
	return verdict == SRNIC_WQE_OK ? SRNIC_FETCH_OK : SRNIC_FETCH_BAD_WR;
}

/**
 * srnic_rq_take() - take the next work request out of the shared ring
 * @rq: receive queue
 * @wr: private copy; of a bad one wr_id and wqe_index are good and the list is
 *	empty; untouched if nothing was taken
 *
 * Context: Responder lock held.
 * Return: what came of it; see enum srnic_fetch.
 */
enum srnic_fetch srnic_rq_take(struct srnic_rq *rq, struct srnic_recv_wr *wr)
{
	u32 pending = srnic_rq_pending(rq);

	if (!pending)
		return SRNIC_FETCH_EMPTY;
	if (pending == SRNIC_RING_NONSENSE)
		return SRNIC_FETCH_BAD_INDEX;
	return srnic_rq_take_next(rq, wr);
}
