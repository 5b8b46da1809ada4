/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Pages of regions that are gone, given back in batches.
 *
 * Who ends a registration waits until nobody accesses the memory: a grace period. A
 * process that exits does so for each of its regions, and has no use for the
 * answer before the last. So its regions are collected, and wait together.
 */
#ifndef SRNIC_MEM_RELEASE_H
#define SRNIC_MEM_RELEASE_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/workqueue.h>

struct srnic_mr;

/**
 * struct srnic_release - regions that wait for a grace period
 * @list: list of &struct srnic_mr.released
 * @count: how many there are
 * @work: waits, and gives all of @list back
 */
struct srnic_release {
	struct llist_head list;
	atomic_t count;
	struct work_struct work;
};

void srnic_release_init(struct srnic_release *release);
void srnic_release_add(struct srnic_release *release, struct srnic_mr *mr);
void srnic_release_flush(struct srnic_release *release);

#endif /* SRNIC_MEM_RELEASE_H */
