/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Keys of memory: 24 bits of index, 8 bits of variant.
 *
 * The index says where to look, the variant keeps a stale or guessed key from
 * hitting what now lives there.
 */
#ifndef SRNIC_MEM_KEY_H
#define SRNIC_MEM_KEY_H

#include <linux/types.h>
#include <linux/xarray.h>

#include "release.h"

#define SRNIC_KEY_VARIANT_BITS	8
#define SRNIC_KEY_VARIANT_MASK	0xff
#define SRNIC_KEY_MAX_INDEX	0xffffff

/**
 * enum srnic_keyed_kind - what can be found by a key
 * @SRNIC_KEYED_MR: a &struct srnic_mr
 * @SRNIC_KEYED_MW: a &struct srnic_mw
 * @SRNIC_KEYED_FAST_MR: the region of a &struct srnic_fast_mr
 */
enum srnic_keyed_kind {
	SRNIC_KEYED_MR,
	SRNIC_KEYED_MW,
	SRNIC_KEYED_FAST_MR,
};

/**
 * struct srnic_keyed - part of whatever can be found by a key
 * @key: all 32 bits; set by srnic_key_insert(). The owner may change the variant
 * @kind: what it is part of; set before it is inserted
 */
struct srnic_keyed {
	u32 key;
	enum srnic_keyed_kind kind;
};

/**
 * struct srnic_key_table - the keys of a device
 * @entries: &struct srnic_keyed by index; its lock serialises changes
 * @next: where the search for a free index goes on, so that an index is used again
 *	  as late as possible
 * @release: regions that are gone and wait for a grace period
 */
struct srnic_key_table {
	struct xarray entries;
	u32 next;
	struct srnic_release release;
};

void srnic_key_table_init(struct srnic_key_table *table);
void srnic_key_table_destroy(struct srnic_key_table *table);
int __must_check srnic_key_insert(struct srnic_key_table *table,
				  struct srnic_keyed *keyed);
void srnic_key_remove(struct srnic_key_table *table, struct srnic_keyed *keyed);
void srnic_key_replace(struct srnic_key_table *table, struct srnic_keyed *old,
		       struct srnic_keyed *keyed);
struct srnic_keyed *srnic_key_find_index(struct srnic_key_table *table, u32 key);
struct srnic_keyed *srnic_key_find(struct srnic_key_table *table, u32 key);

#endif /* SRNIC_MEM_KEY_H */
