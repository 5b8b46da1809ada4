/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory windows: keys that open part of a memory region to peers.
 */
#ifndef SRNIC_MEM_MW_H
#define SRNIC_MEM_MW_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "key.h"
#include "window.h"

struct srnic_mr;

/**
 * struct srnic_mw_set - windows of type 2 that are bound to a QP
 * @lock: guards @windows; taken inside of a window's lock
 * @windows: list of &struct srnic_mw.link
 */
struct srnic_mw_set {
	spinlock_t lock; /* guards @windows */
	struct list_head windows;
};

/**
 * struct srnic_mw - a memory window
 * @keyed: its place in the key table; the variant changes with each bind, under @lock
 * @table: that table
 * @pd: protection domain
 * @type: IB_MW_TYPE_1 or IB_MW_TYPE_2
 * @rcu: frees it
 * @lock: held for reading while memory is accessed through the window, and so for
 *	  writing by who binds or unbinds it: when that is done, nobody uses what was
 *	  before. Taken with BHs off, inside of a QP's responder lock
 * @mr: region it is bound to, which cannot go away meanwhile; NULL: not bound
 * @range: what of it, and with which rights
 * @set: IB_MW_TYPE_2: of the QP that it is bound to
 * @link: in that set
 * @dead: it is being deallocated: not to be bound any more
 *
 * The first half is constant; @lock guards the rest. Found by key under RCU.
 */
struct srnic_mw {
	struct srnic_keyed keyed;
	struct srnic_key_table *table;
	struct ib_pd *pd;
	enum ib_mw_type type;
	struct rcu_head rcu;
	rwlock_t lock; /* guards what is below */
	struct srnic_mr *mr;
	struct srnic_window range;
	struct srnic_mw_set *set;
	struct list_head link;
	bool dead;
};

/**
 * struct srnic_mw_bind - what a bind asks for
 * @rkey: new key of the window; its index says which one
 * @lkey: of the region
 * @addr: first byte in the region, as the region names it
 * @length: bytes; 0 unbinds a window of type 1
 * @access: enum ib_access_flags
 */
struct srnic_mw_bind {
	u32 rkey;
	u32 lkey;
	u64 addr;
	u64 length;
	u32 access;
};

struct srnic_mw *srnic_mw_create(struct ib_pd *pd, struct srnic_key_table *table,
				 enum ib_mw_type type);
void srnic_mw_destroy(struct srnic_mw *mw);
int srnic_mw_bind(struct srnic_key_table *table, const struct ib_pd *pd,
		  struct srnic_mw_set *set, const struct srnic_mw_bind *bind);
int srnic_mw_invalidate(struct srnic_key_table *table, const struct ib_pd *pd,
			struct srnic_mw_set *set, u32 rkey);
void srnic_mw_set_init(struct srnic_mw_set *set);
void srnic_mw_set_clear(struct srnic_mw_set *set);

#endif /* SRNIC_MEM_MW_H */
