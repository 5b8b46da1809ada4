/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Limits that query_device advertises, enforced.
 */
#ifndef SRNIC_VERBS_LIMIT_H
#define SRNIC_VERBS_LIMIT_H

#include <linux/atomic.h>
#include <linux/errno.h>

/**
 * srnic_limit_get() - count an object that is about to be made
 * @count: number of objects there are
 * @max: number of objects there may be
 *
 * Context: Any.
 * Return: 0, or -ENOMEM if there are @max already.
 */
static inline int srnic_limit_get(atomic_t *count, int max)
{
	return atomic_add_unless(count, 1, max) ? 0 : -ENOMEM;
}

/**
 * srnic_limit_put() - an object is gone
 * @count: number of objects there are
 *
 * Context: Any.
 */
static inline void srnic_limit_put(atomic_t *count)
{
	atomic_dec(count);
}

#endif /* SRNIC_VERBS_LIMIT_H */
