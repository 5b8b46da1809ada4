// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Map from offset in pinned memory to kernel address.
 *
 * Device addresses of a software device are kernel addresses already, but only where
 * the core's DMA mapping says so; this looks at the pages themselves.
 */
#include "extent.h"

#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <rdma/ib_umem.h>

#define NODE_BITS	(PAGE_SHIFT - 3)
#define NODE_ENTRIES	BIT(NODE_BITS)

/* Blocks of 1 GiB are as good as larger ones, and keep their number calculable. */
#define MAX_SHIFT	30

/* Blocks that srnic_extents_run() looks at. */
#define MAX_MERGE	16

static_assert(sizeof(unsigned long) == 8);

/*
 * log2 of the largest block size for which blocks begin and end wherever physical
 * contiguity does. The ends of the whole do not matter: nobody gets there.
 */
static u8 find_shift(const struct ib_umem *umem)
{
	phys_addr_t expected = 0, mask = 0;
	struct scatterlist *sg;
	int i;

	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i) {
		phys_addr_t phys = sg_phys(sg);

		if (i && phys != expected)
			mask |= phys | expected;
		expected = phys + sg->length;
		cond_resched();
	}
	return mask ? min_t(u8, __ffs(mask), MAX_SHIFT) : MAX_SHIFT;
}

static unsigned long *slot_of(unsigned long node, u64 index, u8 level)
{
	return (unsigned long *)node +
	       ((index >> (level * NODE_BITS)) & (NODE_ENTRIES - 1));
}

static unsigned long block_address(const struct srnic_extents *extents, u64 index)
{
	unsigned long node = extents->root;
	u8 level = extents->levels;

	while (level--)
		node = *slot_of(node, index, level);
	return node;
}

static int set_block(struct srnic_extents *extents, u64 index, unsigned long address)
{
	unsigned long *slot = &extents->root;
	u8 level = extents->levels;

	while (level--) {
		if (!*slot)
			*slot = get_zeroed_page(GFP_KERNEL_ACCOUNT);
		if (!*slot)
			return -ENOMEM;
		slot = slot_of(*slot, index, level);
	}
	*slot = address;
	return 0;
}

static int set_blocks(struct srnic_extents *extents, const struct ib_umem *umem)
{
	u64 pos = round_down(extents->head, PAGE_SIZE);
	struct scatterlist *sg;
	int i, err;

	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i) {
		unsigned long address = (unsigned long)page_address(sg_page(sg));
		u64 last = (pos + sg->length - 1) >> extents->shift;
		u64 index;

		for (index = pos >> extents->shift; index <= last; index++) {
			err = set_block(extents, index,
					address + (index << extents->shift) - pos);
			if (err)
				return err;
		}
		pos += sg->length;
		cond_resched();
	}
	return 0;
}

static void free_node(unsigned long node, u8 levels)
{
	u32 i;

	if (!node)
		return;
	for (i = 0; levels > 1 && i < NODE_ENTRIES; i++)
		free_node(((unsigned long *)node)[i], levels - 1);
	free_page(node);
	cond_resched();
}

/**
 * srnic_extents_init() - find out where pinned memory is
 * @extents: the map to make
 * @umem: pinned memory, not empty. It has to outlive the map.
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int srnic_extents_init(struct srnic_extents *extents, const struct ib_umem *umem)
{
	phys_addr_t start = sg_phys(umem->sgt_append.sgt.sgl) +
			    (umem->address & ~PAGE_MASK);
	int err;

	extents->root = 0;
	extents->shift = find_shift(umem);
	extents->head = start & ((1ULL << extents->shift) - 1);
	extents->blocks = ((extents->head + umem->length - 1) >> extents->shift) + 1;
	extents->levels = 0;
	while ((extents->blocks - 1) >> (extents->levels * NODE_BITS))
		extents->levels++;

	err = set_blocks(extents, umem);
	if (err)
		srnic_extents_destroy(extents);
	return err;
}

/**
 * srnic_extents_init_flat() - a map of memory that is contiguous
 * @extents: the map to make; no need to destroy it
 * @start: the first byte's address in the kernel
 *
 * Context: Any.
 */
void srnic_extents_init_flat(struct srnic_extents *extents, void *start)
{
	*extents = (struct srnic_extents){
		.root = (unsigned long)start,
		.shift = 63,
		.blocks = 1,
	};
}

/**
 * srnic_extents_destroy() - free the map
 * @extents: from srnic_extents_init(), or zeroed
 *
 * Context: Process context, may sleep.
 */
void srnic_extents_destroy(struct srnic_extents *extents)
{
	if (extents->levels)
		free_node(extents->root, extents->levels);
	extents->root = 0;
	extents->levels = 0;
}

/**
 * srnic_extents_run() - where is this byte, and how far can one go from there
 * @extents: the map
 * @offset: byte from the start of the memory
 * @bytes: bytes wanted, at least 1; all of them have to be inside
 * @run: contiguous bytes at the result, 1 to @bytes. More may follow them: the
 *	effort to join neighbours is bounded.
 *
 * Context: Any.
 * Return: the byte's address in the kernel.
 */
void *srnic_extents_run(const struct srnic_extents *extents, u64 offset, u64 bytes,
			u64 *run)
{
	u64 size = 1ULL << extents->shift;
	u64 pos = extents->head + offset;
	u64 first = pos >> extents->shift;
	u64 index = first;
	unsigned long address = block_address(extents, first);
	u64 have;

	pos &= size - 1;
	have = size - pos;
	while (have < bytes && ++index - first < MAX_MERGE &&
	       block_address(extents, index) == address + (index - first) * size)
		have += size;

	*run = min(have, bytes);
	return (void *)(address + pos);
}
