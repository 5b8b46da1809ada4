// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Event moderation: an armed CQ raises its event when so many completions have come,
 * or some time after the first.
 */
#include <linux/hrtimer.h>
#include <linux/lockdep.h>

#include "cq.h"

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct srnic_cq *cq = container_of(timer, struct srnic_cq, moderation);
	bool raise;

	spin_lock(&cq->lock);
	raise = cq->held && srnic_cq_take_arm(cq);
	spin_unlock(&cq->lock);
	if (raise)
		srnic_cq_raise(cq);
	return HRTIMER_NORESTART;
}

/**
 * srnic_cq_moderation_init() - without moderation at first
 * @cq: completion queue
 *
 * Context: Process context.
 */
void srnic_cq_moderation_init(struct srnic_cq *cq)
{
	hrtimer_setup(&cq->moderation, timer_fired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	cq->moderate_count = 0;
	cq->moderate_usecs = 0;
	cq->held = 0;
}

/**
 * srnic_cq_moderate() - set moderation
 * @cq: completion queue
 * @count: completions for an event
 * @usecs: an event comes this long after the first completion at the latest
 *
 * There is none with fewer than two completions, or no time: an event that may
 * never come is not what anybody wants. What is held back at the moment is raised
 * by the timer that runs already.
 *
 * Context: Process context.
 */
void srnic_cq_moderate(struct srnic_cq *cq, u16 count, u16 usecs)
{
	spin_lock_bh(&cq->lock);
	cq->moderate_count = count > 1 && usecs ? count : 0;
	cq->moderate_usecs = usecs;
	spin_unlock_bh(&cq->lock);
}

/**
 * srnic_cq_moderation_stop() - no event comes late any more
 * @cq: completion queue that nobody posts to any more
 *
 * Context: Process context. May sleep.
 */
void srnic_cq_moderation_stop(struct srnic_cq *cq)
{
	hrtimer_cancel(&cq->moderation);
}

/**
 * srnic_cq_hold_event() - is the event of an armed CQ to wait?
 * @cq: completion queue that has got a completion worth an event
 *
 * Context: BHs off, CQ's lock held.
 * Return: true if so.
 */
bool srnic_cq_hold_event(struct srnic_cq *cq)
{
	lockdep_assert_held(&cq->lock);

	if (++cq->held >= cq->moderate_count) {
		/* If it runs already it finds nothing held, or little. */
		hrtimer_try_to_cancel(&cq->moderation);
		return false;
	}
	if (!hrtimer_is_queued(&cq->moderation))
		hrtimer_start(&cq->moderation,
			      ns_to_ktime((u64)cq->moderate_usecs *
					  NSEC_PER_USEC),
			      HRTIMER_MODE_REL_SOFT);
	return true;
}
