// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queue: the rings that a process fills for many QPs.
 *
 * A work request is copied when it is taken, and its slot is free at once. One that
 * was taken for a message that came to nothing is given back with its copy, as its
 * slot may have been filled again.
 *
 * A resize leaves what is in the old ring where it is: it is taken before the new
 * one is looked at.
 */
#include "srq.h"

#include <linux/slab.h>

#include "ring.h"

/**
 * srnic_srq_ring_create() - make a ring
 * @ucontext: process that fills it, or NULL: the kernel does
 * @entries: slots, a power of two
 * @max_sge: elements of a work request
 *
 * Context: Process context. May sleep.
 * Return: the ring, or ERR_PTR: -EINVAL: beyond what the driver can do; -ENOMEM.
 */
struct srnic_srq_ring *srnic_srq_ring_create(struct ib_ucontext *ucontext,
					     u32 entries, u32 max_sge)
{
	struct srnic_srq_ring *ring;
	int err;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	err = srnic_rq_create(&ring->rq, ucontext, entries, max_sge);
	if (err) {
		kfree(ring);
		return ERR_PTR(err);
	}
	return ring;
}

/**
 * srnic_srq_ring_destroy() - undo srnic_srq_ring_create()
 * @ring: ring that nobody takes from any more, in no list
 *
 * Context: Process context. May sleep.
 */
void srnic_srq_ring_destroy(struct srnic_srq_ring *ring)
{
	srnic_rq_destroy(&ring->rq);
	kfree(ring);
}

static void destroy_rings(struct list_head *rings)
{
	struct srnic_srq_ring *ring, *next;

	list_for_each_entry_safe(ring, next, rings, list)
		srnic_srq_ring_destroy(ring);
}

/**
 * srnic_srq_create() - make a shared receive queue
 * @srq: zeroed but for ibsrq; of no use after a failure
 * @ucontext: process that fills it, or NULL: the kernel does
 * @entries: slots, a power of two
 * @max_sge: elements of a work request
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: beyond what the driver can do; -ENOMEM.
 */
int srnic_srq_create(struct srnic_srq *srq, struct ib_ucontext *ucontext,
		     u32 entries, u32 max_sge)
{
	struct srnic_srq_ring *ring;

	ring = srnic_srq_ring_create(ucontext, entries, max_sge);
	if (IS_ERR(ring))
		return PTR_ERR(ring);

	srq->max_sge = max_sge;
	mutex_init(&srq->modify_mutex);
	spin_lock_init(&srq->lock);
	spin_lock_init(&srq->post_lock);
	srq->posted = ring;
	INIT_LIST_HEAD(&srq->rings);
	INIT_LIST_HEAD(&srq->drained);
	INIT_LIST_HEAD(&srq->returned);
	list_add_tail(&ring->list, &srq->rings);
	return 0;
}

/**
 * srnic_srq_destroy() - undo srnic_srq_create()
 * @srq: shared receive queue that nobody takes from or gives back to any more
 *
 * Context: Process context. May sleep.
 */
void srnic_srq_destroy(struct srnic_srq *srq)
{
	struct srnic_returned_wr *returned, *next;

	list_for_each_entry_safe(returned, next, &srq->returned, list)
		kfree(returned);
	destroy_rings(&srq->drained);
	destroy_rings(&srq->rings);
	mutex_destroy(&srq->modify_mutex);
}

static void fail(struct srnic_srq *srq, unsigned long *events)
{
	lockdep_assert_held(&srq->lock);

	srq->failed = true;
	*events |= BIT(SRNIC_SRQ_FAILED);
}

static int modify(struct srnic_srq *srq, struct srnic_srq_ring *ring,
		  const u32 *limit)
{
	struct srnic_srq_ring *current_ring = srnic_srq_current(srq);
	u32 entries = ring ? ring->rq.entries : current_ring->rq.entries;
	u32 pending = 0;

	lockdep_assert_held(&srq->lock);

	if (srq->failed)
		return -EINVAL;
	if ((limit ? *limit : srq->limit) > entries)
		return -EINVAL;
	if (ring) {
		pending = srnic_rq_pending(&current_ring->rq);
		/* Who takes next will find that, too, and raise the event. */
		if (pending == SRNIC_RING_NONSENSE) {
			current_ring->rq.broken = false;
			return -EINVAL;
		}
		if (srq->waiting + pending > entries)
			return -EINVAL;

		current_ring->left = pending;
		srq->waiting += pending;
		if (!pending)
			list_move_tail(&current_ring->list, &srq->drained);
		list_add_tail(&ring->list, &srq->rings);
	}
	if (limit)
		srq->limit = *limit;
	return 0;
}

/**
 * srnic_srq_modify() - give an SRQ a new ring, a limit, or both
 * @srq: shared receive queue
 * @ring: new ring, which the SRQ owns if it is taken; or NULL
 * @limit: new limit, 0 to disarm it; or NULL
 *
 * What is in the old ring is taken before what comes into the new one.
 *
 * Context: Process context, @srq->modify_mutex held. May sleep.
 * Return: 0, and otherwise nothing has changed: -EINVAL: the limit is above the
 * number of slots, there are more work requests than slots, or the SRQ has failed.
 */
int srnic_srq_modify(struct srnic_srq *srq, struct srnic_srq_ring *ring,
		     const u32 *limit)
{
	unsigned long flags;
	LIST_HEAD(drained);
	int err;

	lockdep_assert_held(&srq->modify_mutex);

	spin_lock_bh(&srq->lock);
	/* Nothing comes into the old ring once it is known how much is in it. */
	spin_lock_irqsave(&srq->post_lock, flags);
	err = modify(srq, ring, limit);
	srq->posted = srnic_srq_current(srq);
	spin_unlock_irqrestore(&srq->post_lock, flags);
	list_splice_init(&srq->drained, &drained);
	spin_unlock_bh(&srq->lock);
	destroy_rings(&drained);
	return err;
}

static void take_returned(struct srnic_srq *srq, struct srnic_recv_wr *wr)
{
	struct srnic_returned_wr *returned;

	lockdep_assert_held(&srq->lock);

	returned = list_first_entry(&srq->returned, struct srnic_returned_wr,
				    list);
	list_del(&returned->list);
	srq->waiting--;
	*wr = returned->wr;
	kfree(returned);
}

static enum srnic_fetch take_left(struct srnic_srq *srq,
				  struct srnic_srq_ring *ring,
				  struct srnic_recv_wr *wr)
{
	lockdep_assert_held(&srq->lock);

	srq->waiting--;
	if (!--ring->left)
		list_move_tail(&ring->list, &srq->drained);
	return srnic_rq_take_next(&ring->rq, wr);
}

static enum srnic_fetch take(struct srnic_srq *srq, struct srnic_recv_wr *wr,
			     unsigned long *events)
{
	struct srnic_srq_ring *ring = srnic_srq_current(srq);
	enum srnic_fetch found;
	u32 pending;

	lockdep_assert_held(&srq->lock);

	if (srq->failed)
		return SRNIC_FETCH_BAD_INDEX;

	pending = srnic_rq_pending(&ring->rq);
	if (pending == SRNIC_RING_NONSENSE) {
		fail(srq, events);
		return SRNIC_FETCH_BAD_INDEX;
	}
	if (!list_empty(&srq->returned)) {
		take_returned(srq, wr);
		found = SRNIC_FETCH_OK;
	} else if (srq->waiting) {
		ring = list_first_entry(&srq->rings, struct srnic_srq_ring,
					list);
		found = take_left(srq, ring, wr);
	} else if (pending) {
		found = srnic_rq_take_next(&ring->rq, wr);
		pending--;
	} else {
		return SRNIC_FETCH_EMPTY;
	}

	if (srq->waiting + pending < srq->limit) {
		srq->limit = 0;
		*events |= BIT(SRNIC_SRQ_LIMIT);
	}
	return found;
}

/**
 * srnic_srq_take() - take the next work request
 * @srq: shared receive queue
 * @wr: private copy; of a bad one wr_id is good and the list is empty; untouched
 *	if nothing was taken
 * @events: bits of events that are to be raised are set
 *
 * Once the process has written garbage to the index, each QP that wants a work
 * request is told, and goes to ERR.
 *
 * Context: BHs off; responder lock held.
 * Return: what came of it; see enum srnic_fetch.
 */
enum srnic_fetch srnic_srq_take(struct srnic_srq *srq, struct srnic_recv_wr *wr,
				unsigned long *events)
{
	enum srnic_fetch found;

	spin_lock(&srq->lock);
	found = take(srq, wr, events);
	spin_unlock(&srq->lock);
	return found;
}

/**
 * srnic_srq_give_back() - a work request that was taken is not used after all
 * @srq: shared receive queue that it was taken from
 * @returned: memory for it, from kmalloc(), which the SRQ owns from here on
 * @wr: the work request
 *
 * Context: BHs off; responder lock held.
 */
void srnic_srq_give_back(struct srnic_srq *srq,
			 struct srnic_returned_wr *returned,
			 const struct srnic_recv_wr *wr)
{
	returned->wr = *wr;
	spin_lock(&srq->lock);
	list_add_tail(&returned->list, &srq->returned);
	srq->waiting++;
	spin_unlock(&srq->lock);
}
