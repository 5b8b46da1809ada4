// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of consumers in the kernel that work requests register.
 */
#include "../mem/fast_reg.h"

#include <linux/log2.h>

#include "mr.h"
#include "verbs.h"

/**
 * srnic_alloc_mr() - make a region to be registered later (ib_device_ops.alloc_mr)
 * @ibpd: protection domain
 * @type: IB_MR_TYPE_MEM_REG: pages of one size; IB_MR_TYPE_SG_GAPS: pieces of any
 * @max_num_sg: pages or pieces
 *
 * Context: Process context. May sleep.
 * Return: the region, or ERR_PTR: -EOPNOTSUPP: another type; -EINVAL: no pages, or
 * more than SRNIC_MAX_FAST_REG_PAGES; -ENOMEM: SRNIC_MAX_MR reached, or no memory.
 */
struct ib_mr *srnic_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			     u32 max_num_sg)
{
	struct srnic_dev *dev = to_srnic_dev(ibpd->device);
	struct srnic_user_mr *user;

	if (type != IB_MR_TYPE_MEM_REG && type != IB_MR_TYPE_SG_GAPS)
		return ERR_PTR(-EOPNOTSUPP);
	user = srnic_begin_mr(dev);
	if (IS_ERR(user))
		return ERR_CAST(user);
	return srnic_finish_mr(dev, user,
			       srnic_fast_mr_create(ibpd, &dev->keys, max_num_sg));
}

/* Addresses that the device is given are the kernel's own (it has no DMA device). */
static int add_page(struct ib_mr *ibmr, u64 address)
{
	struct srnic_fast_mr *fast = to_srnic_fast_mr(to_srnic_user_mr(ibmr)->mr);
	u64 bytes = ibmr->page_size;

	if (!fast->next.added) {
		bytes -= ibmr->iova - address;
		address = ibmr->iova;
	}
	return srnic_segments_add(&fast->next, address, bytes) ? 0 : -ENOMEM;
}

/* Return: elements that have room, or -EINVAL. */
static int add_pieces(struct ib_mr *ibmr, struct scatterlist *sgl, int sg_nents,
		      unsigned int *sg_offset)
{
	struct srnic_fast_mr *fast = to_srnic_fast_mr(to_srnic_user_mr(ibmr)->mr);
	u64 skip = sg_offset ? *sg_offset : 0;
	struct scatterlist *sg;
	int i;

	if (sg_nents <= 0 || skip > sg_dma_len(sgl))
		return -EINVAL;
	ibmr->iova = sg_dma_address(sgl) + skip;
	for_each_sg(sgl, sg, sg_nents, i) {
		if (!srnic_segments_add(&fast->next, sg_dma_address(sg) + skip,
					sg_dma_len(sg) - skip))
			break;
		skip = 0;
	}
	if (sg_offset)
		*sg_offset = 0;
	ibmr->length = srnic_segments_bytes(&fast->next);
	return i;
}

/**
 * srnic_map_mr_sg() - say what memory a region is to be registered for
 *		       (ib_device_ops.map_mr_sg)
 * @ibmr: region; its page_size is set
 * @sg: list of memory, mapped for the device
 * @sg_nents: its elements
 * @sg_offset: byte of the first one to start at, NULL: 0; as ib_sg_to_pages() has it
 *
 * The region may be valid, and stays what it is until it is registered anew.
 *
 * Context: Any.
 * Return: elements that have room, or are without a gap between them, from the first
 * on; -EINVAL: it is not a region of srnic_alloc_mr(), its page size is no power of
 * two, or nothing in the list.
 */
int srnic_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset)
{
	struct srnic_fast_mr *fast;
	u64 page_size = 1;
	int ret;

	if (to_srnic_user_mr(ibmr)->mr->keyed.kind != SRNIC_KEYED_FAST_MR ||
	    !is_power_of_2(ibmr->page_size))
		return -EINVAL;
	fast = to_srnic_fast_mr(to_srnic_user_mr(ibmr)->mr);

	srnic_fast_mr_map(fast);
	if (ibmr->type == IB_MR_TYPE_SG_GAPS) {
		ret = add_pieces(ibmr, sg, sg_nents, sg_offset);
	} else {
		page_size = ibmr->page_size;
		ret = ib_sg_to_pages(ibmr, sg, sg_nents, sg_offset, add_page);
	}
	if (ret > 0)
		srnic_fast_mr_mapped(fast, ibmr->iova, ibmr->length, page_size);
	return ret;
}
