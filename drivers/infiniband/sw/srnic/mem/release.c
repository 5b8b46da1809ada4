// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pages of regions that are gone, given back in batches.
 */
#include "release.h"

#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "mr.h"

/* Regions that may wait; who adds more waits with them. */
#define MAX_WAITING	4096

static void release_all(struct work_struct *work)
{
	struct srnic_release *release = container_of(work, struct srnic_release,
						     work);
	struct llist_node *list = llist_del_all(&release->list);
	struct srnic_mr *mr, *next;

	if (!list)
		return;
	synchronize_rcu_expedited();
	llist_for_each_entry_safe(mr, next, list, released) {
		srnic_mr_free(mr);
		atomic_dec(&release->count);
		cond_resched();
	}
}

/**
 * srnic_release_init() - nothing waits
 * @release: where regions will wait
 *
 * Context: Any.
 */
void srnic_release_init(struct srnic_release *release)
{
	init_llist_head(&release->list);
	atomic_set(&release->count, 0);
	INIT_WORK(&release->work, release_all);
}

/**
 * srnic_release_add() - give back the pages of a region, a little later
 * @release: where it waits
 * @mr: region that is not found any more; not to be touched by the caller again
 *
 * Context: Process context, may sleep: no more than a bounded number waits.
 */
void srnic_release_add(struct srnic_release *release, struct srnic_mr *mr)
{
	bool many = atomic_inc_return(&release->count) > MAX_WAITING;

	if (llist_add(&mr->released, &release->list))
		queue_work(system_dfl_wq, &release->work);
	if (many)
		flush_work(&release->work);
}

/**
 * srnic_release_flush() - wait until all that was added is given back
 * @release: where it waits
 *
 * Context: Process context, may sleep.
 */
void srnic_release_flush(struct srnic_release *release)
{
	flush_work(&release->work);
}
