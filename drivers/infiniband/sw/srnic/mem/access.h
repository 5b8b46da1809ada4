/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reading and writing registered memory, the engine's "DMA".
 *
 * Everything here is called inside one RCU read section (or with BHs off) that spans
 * lookup and use: srnic_mr_destroy() waits for it to end. Nothing sleeps.
 */
#ifndef SRNIC_MEM_ACCESS_H
#define SRNIC_MEM_ACCESS_H

#include "check.h"
#include "fast_reg.h"
#include "mr.h"
#include "mw.h"

struct sk_buff;

/**
 * struct srnic_mem_ref - memory that may be accessed
 * @mr: region that it is in
 * @va: its first address, as the region names it
 * @mw: window that a peer named, or NULL if the region was named
 * @fast: what @mr is part of, or NULL
 */
struct srnic_mem_ref {
	struct srnic_mr *mr;
	u64 va;
	struct srnic_mw *mw;
	struct srnic_fast_mr *fast;
};

enum srnic_mem_verdict
srnic_mem_find(struct srnic_key_table *table, const struct ib_pd *pd, u32 key, u64 va,
	       u64 bytes, int access, struct srnic_mem_ref *ref);
enum srnic_mem_verdict
srnic_mem_find_remote(struct srnic_key_table *table, const struct ib_pd *pd,
		      const struct srnic_mw_set *set, u32 key, u64 va, u64 bytes,
		      int access, struct srnic_mem_ref *ref);
void srnic_mem_release(const struct srnic_mem_ref *ref);
int srnic_mem_invalidate(struct srnic_key_table *table, const struct ib_pd *pd,
			 struct srnic_mw_set *set, u32 key, bool remote);
void srnic_mem_read(const struct srnic_mr *mr, u64 va, void *to, u32 bytes);
void srnic_mem_write(const struct srnic_mr *mr, u64 va, const void *from, u32 bytes);
int srnic_mem_write_skb(const struct srnic_mr *mr, u64 va, const struct sk_buff *skb,
			u32 offset, u32 bytes);
int srnic_mem_atomic_write(const struct srnic_mr *mr, u64 va, u64 value);
int srnic_mem_cmp_swap(const struct srnic_mr *mr, u64 va, u64 compare, u64 swap,
		       u64 *orig);
int srnic_mem_fetch_add(const struct srnic_mr *mr, u64 va, u64 add, u64 *orig);

#endif /* SRNIC_MEM_ACCESS_H */
