// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs by number.
 */
#include "qp_table.h"

#include <linux/random.h>
#include <linux/xarray.h>

#include "../wire/format.h"
#include "qp.h"

/* 0 and 1 are the management QPs of each device, the last is multicast. */
#define FIRST_NUMBER	2
#define LAST_NUMBER	(SRNIC_MULTICAST_QPN - 1)

static struct xarray table;
static u32 next_number;

/**
 * srnic_qp_table_init() - make the empty table
 *
 * Context: Module init.
 */
void srnic_qp_table_init(void)
{
	xa_init_flags(&table, XA_FLAGS_ALLOC1);
	/* A stale packet of a former life should not find a QP at once. */
	next_number = FIRST_NUMBER + get_random_u32() % (1U << 23);
}

/**
 * srnic_qp_table_exit() - free the empty table
 *
 * Context: Module exit.
 */
void srnic_qp_table_exit(void)
{
	WARN_ON(!xa_empty(&table));
	xa_destroy(&table);
}

/**
 * srnic_qp_table_reserve() - give a QP its number
 * @qp: queue pair; its number is set
 *
 * Nobody finds the QP before srnic_qp_table_publish().
 *
 * Context: Process context, may sleep.
 * Return: 0, -EBUSY if there is no number left, or -ENOMEM.
 */
int srnic_qp_table_reserve(struct srnic_qp *qp)
{
	int ret;

	ret = xa_alloc_cyclic(&table, &qp->number, NULL,
			      XA_LIMIT(FIRST_NUMBER, LAST_NUMBER), &next_number,
			      GFP_KERNEL);
	return ret < 0 ? ret : 0;
}

/**
 * srnic_qp_table_publish() - let packets find a QP
 * @qp: queue pair with a number, complete
 *
 * Context: Process context, may sleep.
 */
void srnic_qp_table_publish(struct srnic_qp *qp)
{
	/* The entry is reserved: this allocates nothing and cannot fail. */
	xa_store(&table, qp->number, qp, GFP_KERNEL);
}

/**
 * srnic_qp_table_remove() - no packet finds the QP any more
 * @qp: queue pair with a number
 *
 * Those that have found it go on until the end of an RCU grace period.
 *
 * Context: Process context.
 */
void srnic_qp_table_remove(struct srnic_qp *qp)
{
	xa_erase(&table, qp->number);
}

/**
 * srnic_qp_table_find() - find a QP
 * @number: QP number
 *
 * Context: RCU read side.
 * Return: the QP, alive until the end of the read side section, or NULL.
 */
struct srnic_qp *srnic_qp_table_find(u32 number)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_held() && !rcu_read_lock_bh_held(),
			 "QP table needs RCU");

	return xa_load(&table, number);
}
