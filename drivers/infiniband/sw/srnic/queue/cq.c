// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queue: the ring that the kernel fills.
 *
 * An event must not get lost between the kernel, which writes a CQE and looks
 * whether the process has armed, and the process, which arms and looks whether
 * there is a CQE. Each side stores, has a full barrier, and loads:
 *
 *	kernel, srnic_cq_post()		provider, req_notify_cq() and poll_cq()
 *	store release cqe.phase		store header.arm
 *	smp_mb()			full barrier
 *	load header.arm			load acquire cqe.phase
 *
 * so that at least one of them sees what the other has stored.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>

#include "cq.h"
#include "ring.h"

/* All of a CQE but the phase. */
#define CQE_BODY_BYTES	offsetof(struct srnic_cqe, phase)

static_assert(sizeof(struct srnic_cqe) == 64);
static_assert(CQE_BODY_BYTES + sizeof_field(struct srnic_cqe, phase) ==
	      sizeof(struct srnic_cqe));
static_assert(sizeof(struct srnic_cq_header) == 128);

/**
 * srnic_cq_create() - make a completion queue
 * @cq: zeroed but for ibcq; of no use after a failure
 * @ucontext: process that reads it, or NULL: the kernel does
 * @entries: slots, a power of two
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: beyond what the driver can do; -ENOMEM.
 */
int srnic_cq_create(struct srnic_cq *cq, struct ib_ucontext *ucontext,
		    u32 entries)
{
	struct srnic_queue_map *map;
	size_t bytes;

	spin_lock_init(&cq->lock);
	cq->entries = entries;
	cq->producer = 0;
	cq->notified = 0;
	cq->overrun = false;
	cq->ignore_overrun = false;
	cq->next_map = NULL;
	cq->kernel = !ucontext;
	spin_lock_init(&cq->poll_lock);
	cq->consumer = 0;
	atomic_set(&cq->events, 0);
	if (!srnic_ring_bytes(sizeof(struct srnic_cq_header), entries,
			      sizeof(struct srnic_cqe), &bytes))
		return -EINVAL;

	map = srnic_queue_map_create(ucontext, bytes);
	if (IS_ERR(map))
		return PTR_ERR(map);
	cq->map = map;
	mutex_init(&cq->resize_mutex);
	srnic_cq_moderation_init(cq);
	return 0;
}

/**
 * srnic_cq_destroy() - undo srnic_cq_create()
 * @cq: completion queue that nobody posts to any more
 *
 * Context: Process context. May sleep.
 */
void srnic_cq_destroy(struct srnic_cq *cq)
{
	srnic_cq_moderation_stop(cq);
	mutex_destroy(&cq->resize_mutex);
	if (cq->next_map)
		srnic_queue_map_destroy(cq->next_map);
	srnic_queue_map_destroy(cq->map);
}

static struct srnic_cqe *slot_of(const struct srnic_cq *cq, u32 index)
{
	struct srnic_cqe *slots =
		cq->map->memory + sizeof(struct srnic_cq_header);

	return &slots[srnic_ring_slot(index, cq->entries)];
}

/* Time is taken under the lock, so that it never runs backwards in the ring. */
static void write_cqe(struct srnic_cq *cq, const struct srnic_cqe *cqe)
{
	struct srnic_cqe *slot = slot_of(cq, cq->producer);

	memcpy(slot, cqe, CQE_BODY_BYTES);
	slot->timestamp = ktime_get_ns();

	/*
	 * Release: who sees the phase sees the rest. Pairs with the load
	 * acquire of phase in the provider's poll_cq.
	 */
	smp_store_release(&slot->phase,
			  srnic_ring_phase(cq->producer, cq->entries));
	cq->producer++;
}

static void notify(struct srnic_cq *cq, u32 arm)
{
	struct srnic_cq_header *shared = cq->map->memory;

	cq->held = 0;
	cq->notified = arm;
	/* A hint for the provider; it orders nothing. */
	WRITE_ONCE(shared->notified, arm);
}

/*
 * One arm, one event: a word that has raised its event is remembered in private
 * and does nothing more. 0 is what the ring starts with and what @notified
 * starts with, so a CQ that was never armed is silent. Of the words that no
 * provider writes, those whose kind is neither of the two are silent as well;
 * others raise an event that nobody but their own process gets.
 */
static bool armed(struct srnic_cq *cq, bool solicited)
{
	const struct srnic_cq_header *shared = cq->map->memory;
	u32 arm, kind;

	/*
	 * Full barrier between the phase and the arm word: pairs with the one
	 * between arm word and phase in the provider's req_notify_cq.
	 */
	smp_mb();
	arm = READ_ONCE(shared->arm);
	if (arm == cq->notified)
		return false;

	kind = arm & SRNIC_CQ_ARM_KIND_MASK;
	if (kind != SRNIC_CQ_ARM_ANY &&
	    !(kind == SRNIC_CQ_ARM_SOLICITED && solicited))
		return false;
	if (unlikely(cq->moderate_count) && srnic_cq_hold_event(cq))
		return false;

	notify(cq, arm);
	return true;
}

/**
 * srnic_cq_take_arm() - use the arm word up, of whatever kind
 * @cq: completion queue
 *
 * Context: BHs off, CQ's lock held.
 * Return: true if it was armed: its event is to be raised.
 */
bool srnic_cq_take_arm(struct srnic_cq *cq)
{
	const struct srnic_cq_header *shared = cq->map->memory;
	u32 arm = READ_ONCE(shared->arm);

	lockdep_assert_held(&cq->lock);

	if (arm == cq->notified || !(arm & SRNIC_CQ_ARM_KIND_MASK))
		return false;
	notify(cq, arm);
	return true;
}

static int post(struct srnic_cq *cq, const struct srnic_cqe *cqe,
		bool solicited)
{
	const struct srnic_cq_header *shared = cq->map->memory;
	u32 consumer;

	lockdep_assert_held(&cq->lock);
	if (cq->overrun)
		return -EPIPE;

	/*
	 * Acquire: a slot is written after the process has read it. Pairs with
	 * the store release of consumer in the provider's poll_cq.
	 */
	consumer = smp_load_acquire(&shared->consumer);
	if (srnic_ring_full(cq->producer, consumer, cq->entries)) {
		if (cq->ignore_overrun)
			return -ENOSPC;
		cq->overrun = true;
		return -EOVERFLOW;
	}

	write_cqe(cq, cqe);
	return armed(cq, solicited) ? SRNIC_CQ_EVENT : 0;
}

/**
 * srnic_cq_post() - write a CQE
 * @cq: completion queue
 * @cqe: all but timestamp and phase; reserved fields are zero
 * @solicited: the message asked for an event; an error always does
 *
 * The lock is a plain one: every caller has BHs off already, because that is
 * how the packet path and the QP locks work, and nobody posts in a hard
 * interrupt. Handlers are the caller's to call, when it holds no lock any more.
 *
 * Context: BHs off, not in hard interrupt. Takes and releases the CQ's lock.
 * Return: 0: written; SRNIC_CQ_EVENT: written, and the completion handler is to
 * be called; -EOVERFLOW: no room, the CQ is dead from now on and IB_EVENT_CQ_ERR
 * is to be raised; -EPIPE: it was dead before; -ENOSPC: no room, which is to be
 * ignored.
 */
int srnic_cq_post(struct srnic_cq *cq, const struct srnic_cqe *cqe,
		  bool solicited)
{
	int ret;

	lockdep_assert_in_softirq();
	spin_lock(&cq->lock);
	ret = post(cq, cqe, solicited || cqe->status);
	spin_unlock(&cq->lock);
	return ret;
}
