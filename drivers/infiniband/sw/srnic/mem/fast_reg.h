/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Regions of consumers in the kernel, registered and invalidated by work requests.
 */
#ifndef SRNIC_MEM_FAST_REG_H
#define SRNIC_MEM_FAST_REG_H

#include <linux/spinlock.h>

#include "mr.h"
#include "segments.h"

/* Pages, or pieces of memory, of a region; advertised by query_device. */
#define SRNIC_MAX_FAST_REG_PAGES	512

/**
 * struct srnic_fast_mr - a region that is registered by work requests
 * @mr: what is found by its keys. Unlike with other regions, its key's variant, its
 *	iova, length and access change with each registration, under @lock
 * @lock: held for reading while memory is accessed through the region, and so for
 *	  writing by who registers or invalidates it: when that is done, nobody uses
 *	  what was before. Taken with BHs off, inside of a QP's responder lock
 * @valid: it is registered; if not, no key leads to it
 * @segments: where its memory is
 * @next: where its memory will be: what the consumer has mapped last, which it may
 *	  do while the region is still valid
 * @next_iova: address of the first byte as the consumer has mapped it
 * @next_length: bytes of it
 * @next_mask: bits of the iova that registration must leave as they were mapped: an
 *	       offset in a page
 * @mapped: @next has not been registered yet
 *
 * @lock guards @mr, @valid and @segments, the consumer serialises what starts
 * with next.
 */
struct srnic_fast_mr {
	struct srnic_mr mr;
	rwlock_t lock; /* guards mr, valid and segments */
	bool valid;
	struct srnic_segments segments;
	struct srnic_segments next;
	u64 next_iova;
	u64 next_length;
	u64 next_mask;
	bool mapped;
};

/**
 * struct srnic_fast_reg - what a registration asks for
 * @key: new key of the region; its index says which one
 * @iova: address by which accesses will name the first byte
 * @access: enum ib_access_flags
 */
struct srnic_fast_reg {
	u32 key;
	u64 iova;
	u32 access;
};

static inline struct srnic_fast_mr *to_srnic_fast_mr(struct srnic_mr *mr)
{
	return container_of(mr, struct srnic_fast_mr, mr);
}

struct srnic_mr *srnic_fast_mr_create(struct ib_pd *pd, struct srnic_key_table *table,
				      u32 max_pages);
void srnic_fast_mr_free(struct srnic_fast_mr *fast);
void srnic_fast_mr_map(struct srnic_fast_mr *fast);
void srnic_fast_mr_mapped(struct srnic_fast_mr *fast, u64 iova, u64 length,
			  u64 page_size);
int srnic_fast_mr_register(struct srnic_key_table *table, const struct ib_pd *pd,
			   const struct srnic_fast_reg *reg);
int srnic_fast_mr_invalidate(struct srnic_fast_mr *fast, const struct ib_pd *pd,
			     u32 key, bool remote);

#endif /* SRNIC_MEM_FAST_REG_H */
