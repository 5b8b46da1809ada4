/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where pinned memory lies in the kernel's address space.
 *
 * Memory is cut into blocks of one power-of-two size, the largest for which every
 * block is physically, and so in the kernel's linear mapping, contiguous. Huge pages
 * thus are copied in long runs, and a lookup is a shift and a walk of at most four
 * levels. The table is a tree of single pages, so that no size of memory needs a
 * large allocation.
 */
#ifndef SRNIC_MEM_EXTENT_H
#define SRNIC_MEM_EXTENT_H

#include <linux/types.h>

struct ib_umem;

/**
 * struct srnic_extents - map from offset to kernel address
 * @root: with @levels 0 the one block's address, else the topmost page of the tree
 * @head: distance of offset 0 from the start of the first block
 * @shift: log2 of the block size
 * @levels: pages from root to block address, 0 to 4
 * @blocks: number of blocks
 */
struct srnic_extents {
	unsigned long root;
	u64 head;
	u8 shift;
	u8 levels;
	u64 blocks;
};

int __must_check srnic_extents_init(struct srnic_extents *extents,
				    const struct ib_umem *umem);
void srnic_extents_init_flat(struct srnic_extents *extents, void *start);
void srnic_extents_destroy(struct srnic_extents *extents);
void *srnic_extents_run(const struct srnic_extents *extents, u64 offset, u64 bytes,
			u64 *run);

#endif /* SRNIC_MEM_EXTENT_H */
