/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions.
 */
#ifndef SRNIC_MEM_MR_H
#define SRNIC_MEM_MR_H

#include <rdma/ib_verbs.h>

#include "extent.h"
#include "key.h"

/**
 * struct srnic_mr - a memory region
 * @ibmr: what the core knows of it
 * @keyed: its place in the key table
 * @table: that table
 * @pd: protection domain; the core fills in &struct ib_mr.pd only after the region
 *	can be found
 * @umem: pinned pages, or NULL if there are none
 * @extents: where they are
 * @iova: address of the first byte, as accesses name it
 * @length: bytes
 * @access: enum ib_access_flags
 * @kernel: addresses are the kernel's own; neither pages nor bounds
 *
 * Constant from publication to srnic_mr_destroy(). Found by key under RCU.
 */
struct srnic_mr {
	struct ib_mr ibmr;
	struct srnic_keyed keyed;
	struct srnic_key_table *table;
	struct ib_pd *pd;
	struct ib_umem *umem;
	struct srnic_extents extents;
	u64 iova;
	u64 length;
	int access;
	bool kernel;
};

static inline struct srnic_mr *to_srnic_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct srnic_mr, ibmr);
}

struct srnic_mr *srnic_mr_create_user(struct ib_pd *pd, struct srnic_key_table *table,
				      u64 start, u64 length, u64 iova, int access);
struct srnic_mr *srnic_mr_create_dma(struct ib_pd *pd, struct srnic_key_table *table,
				     int access);
void srnic_mr_destroy(struct srnic_mr *mr);
void *srnic_mr_run(const struct srnic_mr *mr, u64 offset, u64 bytes, u64 *run);

#endif /* SRNIC_MEM_MR_H */
