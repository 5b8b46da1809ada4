/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions.
 */
#ifndef SRNIC_MEM_MR_H
#define SRNIC_MEM_MR_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <rdma/ib_verbs.h>

#include "extent.h"
#include "key.h"

/**
 * struct srnic_mr - a memory region
 * @keyed: its place in the key table
 * @table: that table
 * @pd: protection domain
 * @umem: pinned pages, or NULL if there are none
 * @extents: where they are
 * @iova: address of the first byte, as accesses name it
 * @length: bytes
 * @access: enum ib_access_flags
 * @kernel: addresses are the kernel's own; neither pages nor bounds
 * @windows: memory windows that are bound to it; -1: it is about to go away
 * @rcu: frees it, if it has no pages
 * @released: place among those that wait to be freed
 *
 * All but @windows is constant from publication to srnic_mr_destroy(): a region that
 * is changed is replaced by another one with the same key. (That of a
 * &struct srnic_fast_mr is another matter.) Found by key under RCU.
 */
struct srnic_mr {
	struct srnic_keyed keyed;
	struct srnic_key_table *table;
	struct ib_pd *pd;
	struct ib_umem *umem;
	struct srnic_extents extents;
	u64 iova;
	u64 length;
	int access;
	bool kernel;
	atomic_t windows;
	union {
		struct rcu_head rcu;
		struct llist_node released;
	};
};

/**
 * struct srnic_mr_change - what of a region is to change
 * @flags: IB_MR_REREG_TRANS, IB_MR_REREG_PD, IB_MR_REREG_ACCESS: which of the
 *	   following are meant
 * @start: with IB_MR_REREG_TRANS: address in the calling process
 * @length: with IB_MR_REREG_TRANS: bytes
 * @iova: with IB_MR_REREG_TRANS: address by which accesses will name @start
 * @access: with IB_MR_REREG_ACCESS: enum ib_access_flags
 * @pd: with IB_MR_REREG_PD: protection domain
 */
struct srnic_mr_change {
	int flags;
	u64 start;
	u64 length;
	u64 iova;
	int access;
	struct ib_pd *pd;
};

/**
 * srnic_mr_get_window() - bind a window to a region
 * @mr: the region
 *
 * Context: RCU read section since @mr was found.
 * Return: true if it has one more and stays until srnic_mr_put_window().
 */
static inline bool srnic_mr_get_window(struct srnic_mr *mr)
{
	return atomic_inc_unless_negative(&mr->windows);
}

/**
 * srnic_mr_put_window() - unbind a window
 * @mr: the region, not to be touched by the caller again
 *
 * Context: Any.
 */
static inline void srnic_mr_put_window(struct srnic_mr *mr)
{
	atomic_dec(&mr->windows);
}

struct srnic_mr *srnic_mr_create_user(struct ib_pd *pd, struct srnic_key_table *table,
				      u64 start, u64 length, u64 iova, int access);
struct srnic_mr *srnic_mr_create_dma(struct ib_pd *pd, struct srnic_key_table *table,
				     int access);
struct srnic_mr *srnic_mr_replace(struct srnic_mr *mr,
				  const struct srnic_mr_change *change);
int srnic_mr_destroy(struct srnic_mr *mr);
void srnic_mr_free(struct srnic_mr *mr);
void *srnic_mr_run(const struct srnic_mr *mr, u64 offset, u64 bytes, u64 *run);

#endif /* SRNIC_MEM_MR_H */
