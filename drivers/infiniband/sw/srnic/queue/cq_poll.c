// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The other end of a completion queue: how a consumer in the kernel takes from it.
 * A process does this in its provider.
 */
#include <linux/lockdep.h>
#include <linux/string.h>

#include "cq.h"
#include "ring.h"

static const struct srnic_cqe *next_of(const struct srnic_cq *cq)
{
	const struct srnic_cqe *slots =
		cq->map->memory + sizeof(struct srnic_cq_header);

	return &slots[srnic_ring_slot(cq->consumer, cq->entries)];
}

/* Acquire: pairs with the store release of phase in write_cqe(). */
static bool is_there(const struct srnic_cq *cq, const struct srnic_cqe *cqe)
{
	return smp_load_acquire(&cqe->phase) ==
	       srnic_ring_phase(cq->consumer, cq->entries);
}

/**
 * srnic_cq_take() - take the next completion
 * @cq: completion queue of a consumer in the kernel
 * @cqe: result
 *
 * Its slot is free when srnic_cq_taken() has been called.
 *
 * Context: Any; &struct srnic_cq.poll_lock held.
 * Return: true, or false if there is none.
 */
bool srnic_cq_take(struct srnic_cq *cq, struct srnic_cqe *cqe)
{
	const struct srnic_cqe *next = next_of(cq);

	lockdep_assert_held(&cq->poll_lock);

	if (!is_there(cq, next))
		return false;
	*cqe = *next;
	cq->consumer++;
	return true;
}

/**
 * srnic_cq_taken() - completions were taken: free their slots
 * @cq: completion queue of a consumer in the kernel
 *
 * Context: Any; &struct srnic_cq.poll_lock held.
 */
void srnic_cq_taken(struct srnic_cq *cq)
{
	struct srnic_cq_header *shared = cq->map->memory;

	lockdep_assert_held(&cq->poll_lock);

	/* Release: pairs with the load acquire of consumer in post(). */
	smp_store_release(&shared->consumer, cq->consumer);
}

/**
 * srnic_cq_arm() - ask for an event
 * @cq: completion queue of a consumer in the kernel
 * @kind: SRNIC_CQ_ARM_SOLICITED or SRNIC_CQ_ARM_ANY; the former does not take the
 *	  latter back
 *
 * Context: Any; &struct srnic_cq.poll_lock held.
 * Return: true if there is a completion that was not taken.
 */
bool srnic_cq_arm(struct srnic_cq *cq, u32 kind)
{
	struct srnic_cq_header *shared = cq->map->memory;
	u32 arm = shared->arm;

	lockdep_assert_held(&cq->poll_lock);

	/* A hint only: at worst there is one event more. */
	if (arm != READ_ONCE(shared->notified) &&
	    (arm & SRNIC_CQ_ARM_KIND_MASK) == SRNIC_CQ_ARM_ANY)
		kind = SRNIC_CQ_ARM_ANY;
	arm = ((arm >> SRNIC_CQ_ARM_SEQ_SHIFT) + 1) << SRNIC_CQ_ARM_SEQ_SHIFT;
	WRITE_ONCE(shared->arm, arm | kind);

	/*
	 * Full barrier between the arm word and the phase: pairs with the one
	 * between phase and arm word in armed().
	 */
	smp_mb();
	return is_there(cq, next_of(cq));
}
