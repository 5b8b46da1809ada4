// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queue: the ring that a process fills, and the kernel's private copy.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "ring.h"
#include "sq.h"

/**
 * srnic_sq_stride() - bytes from slot to slot
 * @max_sge: elements that a slot has room for
 * @max_inline: bytes of inline data that a slot has room for
 *
 * Context: Any.
 * Return: header and the longer of the two, rounded up to whole cache lines.
 */
u32 srnic_sq_stride(u32 max_sge, u32 max_inline)
{
	u32 list = max_sge * sizeof(struct srnic_sge);

	return round_up(SRNIC_WQE_HEADER_BYTES + max(list, max_inline),
			SRNIC_WQE_ALIGN);
}

/**
 * srnic_sq_create() - make a send queue
 * @sq: zeroed; of no use after a failure
 * @ucontext: process that fills it, or NULL: the kernel does
 * @entries: slots, a power of two
 * @limits: what the QP is created for
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: beyond what the driver can do; -ENOMEM.
 */
int srnic_sq_create(struct srnic_sq *sq, struct ib_ucontext *ucontext,
		    u32 entries, const struct srnic_wqe_limits *limits)
{
	size_t bytes;
	int err;

	if (limits->max_sge > SRNIC_MAX_SGE ||
	    limits->max_inline > SRNIC_MAX_INLINE)
		return -EINVAL;

	sq->limits = *limits;
	sq->entries = entries;
	sq->stride = srnic_sq_stride(limits->max_sge, limits->max_inline);
	sq->head = 0;
	sq->tail = 0;
	sq->broken = false;
	if (!srnic_ring_bytes(SRNIC_QUEUE_HEADER_BYTES, entries, sq->stride,
			      &bytes))
		return -EINVAL;

	sq->wr = kvcalloc(entries, sizeof(*sq->wr), GFP_KERNEL_ACCOUNT);
	if (!sq->wr)
		return -ENOMEM;

	sq->copies = kvcalloc(entries, sq->stride, GFP_KERNEL_ACCOUNT);
	if (!sq->copies) {
		err = -ENOMEM;
		goto err_free_wr;
	}

	sq->map = srnic_queue_map_create(ucontext, bytes);
	if (IS_ERR(sq->map)) {
		err = PTR_ERR(sq->map);
		goto err_free_copies;
	}
	return 0;

err_free_copies:
	kvfree(sq->copies);
err_free_wr:
	kvfree(sq->wr);
	return err;
}

/**
 * srnic_sq_destroy() - undo srnic_sq_create()
 * @sq: send queue that nobody runs any more; or one that was never created, which
 *	is left alone
 *
 * Context: Process context. May sleep.
 */
void srnic_sq_destroy(struct srnic_sq *sq)
{
	if (!sq->map)
		return;
	srnic_queue_map_destroy(sq->map);
	kvfree(sq->copies);
	kvfree(sq->wr);
}

/**
 * srnic_sq_reset() - drop all work requests: the QP goes to RESET
 * @sq: send queue
 *
 * The process sets its own indices to 0 as well, when the verb has succeeded.
 *
 * Context: Send side owner.
 */
void srnic_sq_reset(struct srnic_sq *sq)
{
	struct srnic_queue_header *shared;

	if (!sq->map)
		return;
	shared = sq->map->memory;
	sq->head = 0;
	sq->tail = 0;
	sq->broken = false;
	WRITE_ONCE(shared->producer, 0);
}

/*
 * The only place that reads a slot: each byte once, header first. The barriers
 * keep the compiler from reading shared memory again where the copy is meant.
 */
static void copy_slot(u8 *copy, const u8 *shared,
		      const struct srnic_wqe_limits *limits)
{
	const struct srnic_send_wqe *header = (const void *)copy;

	memcpy(copy, shared, SRNIC_WQE_HEADER_BYTES);
	barrier();
	memcpy(copy + SRNIC_WQE_HEADER_BYTES, shared + SRNIC_WQE_HEADER_BYTES,
	       srnic_send_wqe_tail_bytes(header, limits));
	barrier();
}

/**
 * srnic_sq_fetch() - take the next work request out of the shared ring
 * @sq: send queue
 * @why: reason to refuse it, if it is a bad one, else SRNIC_WQE_OK
 *
 * What was taken is srnic_sq_wr() of the old head. It stays there, and the
 * process has no hand on it, until the tail has passed it.
 *
 * Context: Send side owner.
 * Return: what came of it; see enum srnic_fetch.
 */
enum srnic_fetch srnic_sq_fetch(struct srnic_sq *sq,
				enum srnic_wqe_verdict *why)
{
	u32 slot = srnic_ring_slot(sq->head, sq->entries);
	size_t offset = (size_t)slot * sq->stride;
	u32 room = sq->entries - (sq->head - sq->tail);
	const struct srnic_queue_header *shared;
	const u8 *slots;
	u32 pending;

	*why = SRNIC_WQE_OK;
	if (sq->broken || !sq->map)
		return SRNIC_FETCH_EMPTY;
	shared = sq->map->memory;
	slots = (const u8 *)shared + SRNIC_QUEUE_HEADER_BYTES;

	/*
	 * Acquire: the slots are read after the index. Pairs with the store
	 * release of producer in the provider's post_send.
	 */
	pending = srnic_ring_pending(smp_load_acquire(&shared->producer),
				     sq->head, room);
	if (!pending)
		return SRNIC_FETCH_EMPTY;
	if (pending == SRNIC_RING_NONSENSE) {
		sq->broken = true;
		return SRNIC_FETCH_BAD_INDEX;
	}

	copy_slot(sq->copies + offset, slots + offset, &sq->limits);
	*why = srnic_send_wqe_decode(sq->copies + offset, &sq->limits,
				     &sq->wr[slot]);
	sq->head++;
	return *why == SRNIC_WQE_OK ? SRNIC_FETCH_OK : SRNIC_FETCH_BAD_WR;
}

/**
 * srnic_sq_has_work() - is a call of srnic_sq_fetch() worth it
 * @sq: send queue
 *
 * Orders nothing: who has given up ownership and looks again puts a full
 * barrier between the two.
 *
 * Context: Send side owner, or anybody who can bear a stale answer.
 * Return: true if fetch would not say SRNIC_FETCH_EMPTY.
 */
bool srnic_sq_has_work(const struct srnic_sq *sq)
{
	const struct srnic_queue_header *shared = sq->map->memory;

	return !READ_ONCE(sq->broken) &&
	       READ_ONCE(shared->producer) != READ_ONCE(sq->head);
}
