// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A completion queue moves to a ring of another size.
 *
 * First a ring is made that the process can map, then the kernel goes over to it.
 * Nothing can fail in between that would leave completions out of reach, and the
 * process need not keep others from polling while memory is found.
 *
 * At the switch the CQEs that the process has not taken are n. They are its own to
 * copy into slots 0 to n - 1; the kernel writes from slot n on. From before the
 * switch until it is done with that, the provider neither polls nor arms, so that
 * nothing it stores can get lost in the old header.
 */
#include <linux/lockdep.h>

#include "cq.h"
#include "ring.h"

/**
 * srnic_cq_resize_prepare() - make a ring that a CQ may move to
 * @cq: completion queue
 * @ucontext: process that reads it
 * @entries: slots, a power of two
 *
 * One that was made before and not used is given up.
 *
 * Context: Process context, &struct srnic_cq.resize_mutex held. May sleep.
 * Return: 0; -EINVAL: beyond what the driver can do; -ENOMEM.
 */
int srnic_cq_resize_prepare(struct srnic_cq *cq, struct ib_ucontext *ucontext,
			    u32 entries)
{
	struct srnic_queue_map *map;
	size_t bytes;

	lockdep_assert_held(&cq->resize_mutex);

	if (!srnic_ring_bytes(sizeof(struct srnic_cq_header), entries,
			      sizeof(struct srnic_cqe), &bytes))
		return -EINVAL;
	map = srnic_queue_map_create(ucontext, bytes);
	if (IS_ERR(map))
		return PTR_ERR(map);

	if (cq->next_map)
		srnic_queue_map_destroy(cq->next_map);
	cq->next_map = map;
	cq->next_entries = entries;
	return 0;
}

/* CQEs that the process has not taken, as it says: what cannot be is all of them. */
static u32 outstanding(const struct srnic_cq *cq)
{
	const struct srnic_cq_header *shared = cq->map->memory;
	u32 consumer;

	lockdep_assert_held(&cq->lock);

	/* Acquire: as in srnic_cq_post(). */
	consumer = smp_load_acquire(&shared->consumer);
	return min(cq->producer - consumer, cq->entries);
}

static void move_header(struct srnic_cq *cq, const struct srnic_queue_map *from,
			const struct srnic_queue_map *to)
{
	const struct srnic_cq_header *old = from->memory;
	struct srnic_cq_header *new = to->memory;

	lockdep_assert_held(&cq->lock);

	WRITE_ONCE(new->consumer, 0);
	WRITE_ONCE(new->arm, READ_ONCE(old->arm));
	WRITE_ONCE(new->notified, cq->notified);
}

/**
 * srnic_cq_resize_switch() - move to the ring made before
 * @cq: completion queue
 * @entries: slots of that ring
 * @count: result: CQEs that are the process's to copy
 *
 * Context: Process context, &struct srnic_cq.resize_mutex held. May sleep.
 * Return: 0; -EINVAL: no such ring was made, it has no room for the outstanding
 * CQEs, or the CQ has overrun.
 */
int srnic_cq_resize_switch(struct srnic_cq *cq, u32 entries, u32 *count)
{
	struct srnic_queue_map *old = cq->map;
	int err = 0;
	u32 n;

	lockdep_assert_held(&cq->resize_mutex);

	if (!cq->next_map || cq->next_entries != entries)
		return -EINVAL;

	spin_lock_bh(&cq->lock);
	n = outstanding(cq);
	if (n > entries || cq->overrun) {
		err = -EINVAL;
	} else {
		move_header(cq, old, cq->next_map);
		cq->map = cq->next_map;
		cq->entries = entries;
		cq->producer = n;
	}
	spin_unlock_bh(&cq->lock);
	if (err)
		return err;

	cq->next_map = NULL;
	srnic_queue_map_destroy(old);
	*count = n;
	return 0;
}
