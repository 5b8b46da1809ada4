// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fast registration: free and valid, and what leads from one to the other.
 *
 * Invalidation is over when its work request is, in softirq at worst, so it cannot
 * wait for a grace period as the end of other regions does. A lock of each region
 * does that, held for as long as a packet's worth of bytes is copied.
 */
#include "fast_reg.h"

#include <linux/mm.h>

#include "check.h"

#define SUPPORTED_ACCESS						\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |		\
	 IB_ACCESS_OPTIONAL)

#define REMOTE_ACCESS							\
	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |		\
	 IB_ACCESS_REMOTE_ATOMIC)

static int alloc_segments(struct srnic_segments *segments, u32 max)
{
	segments->list = kvcalloc(max, sizeof(*segments->list), GFP_KERNEL);
	segments->max = max;
	return segments->list ? 0 : -ENOMEM;
}

/**
 * srnic_fast_mr_create() - make a region that is not registered
 * @pd: protection domain, which is the kernel's
 * @table: where to publish its keys
 * @max_pages: pages, or pieces of memory, that it has room for; 1 to
 *	       SRNIC_MAX_FAST_REG_PAGES
 *
 * It ends with srnic_mr_destroy().
 *
 * Context: Process context, may sleep.
 * Return: the region, or ERR_PTR of -EINVAL, -ENOMEM or -EBUSY.
 */
struct srnic_mr *srnic_fast_mr_create(struct ib_pd *pd, struct srnic_key_table *table,
				      u32 max_pages)
{
	struct srnic_fast_mr *fast;
	int err;

	if (!max_pages || max_pages > SRNIC_MAX_FAST_REG_PAGES)
		return ERR_PTR(-EINVAL);
	fast = kzalloc(sizeof(*fast), GFP_KERNEL);
	if (!fast)
		return ERR_PTR(-ENOMEM);
	fast->mr.table = table;
	fast->mr.pd = pd;
	fast->mr.keyed.kind = SRNIC_KEYED_FAST_MR;
	rwlock_init(&fast->lock);

	err = alloc_segments(&fast->segments, max_pages);
	if (!err)
		err = alloc_segments(&fast->next, max_pages);
	if (!err)
		err = srnic_key_insert(table, &fast->mr.keyed);
	if (err) {
		srnic_fast_mr_free(fast);
		return ERR_PTR(err);
	}
	return &fast->mr;
}

/**
 * srnic_fast_mr_free() - free a region
 * @fast: region that nobody can find, and nobody has found
 *
 * Context: Process context, may sleep.
 */
void srnic_fast_mr_free(struct srnic_fast_mr *fast)
{
	kvfree(fast->segments.list);
	kvfree(fast->next.list);
	kfree(fast);
}

/**
 * srnic_fast_mr_map() - start to map memory, by srnic_segments_add() to
 *			 &struct srnic_fast_mr.next
 * @fast: region
 *
 * It may be valid: what it is registered for stays as it is.
 *
 * Context: Any; one caller for a region, which has no registration under way.
 */
void srnic_fast_mr_map(struct srnic_fast_mr *fast)
{
	srnic_segments_clear(&fast->next);
	fast->mapped = false;
}

/**
 * srnic_fast_mr_mapped() - memory is mapped: the next registration is for it
 * @fast: region
 * @iova: address of the first byte
 * @length: bytes; what was added beyond it does not count
 * @page_size: the first byte's offset in a page of this size is not to be changed
 *	       by who changes the iova; a power of two
 *
 * Context: As srnic_fast_mr_map().
 */
void srnic_fast_mr_mapped(struct srnic_fast_mr *fast, u64 iova, u64 length,
			  u64 page_size)
{
	fast->next_iova = iova;
	fast->next_length = min(length, srnic_segments_bytes(&fast->next));
	fast->next_mask = page_size - 1;
	fast->mapped = true;
}

static bool access_ok_for_region(u32 access)
{
	if (access & ~SUPPORTED_ACCESS)
		return false;
	return access & IB_ACCESS_LOCAL_WRITE ||
	       !(access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC));
}

static int register_locked(struct srnic_fast_mr *fast, const struct srnic_fast_reg *reg)
{
	lockdep_assert_held_write(&fast->lock);

	if (fast->valid || !access_ok_for_region(reg->access) ||
	    (reg->iova ^ fast->next_iova) & fast->next_mask ||
	    !srnic_mem_range_valid(reg->iova, fast->next_length))
		return -EINVAL;
	/* If nothing was mapped since the last time, it is for the same memory. */
	if (fast->mapped) {
		swap(fast->segments, fast->next);
		fast->mapped = false;
	}
	fast->mr.iova = reg->iova;
	fast->mr.length = fast->next_length;
	fast->mr.access = reg->access;
	WRITE_ONCE(fast->mr.keyed.key, reg->key);
	fast->valid = true;
	return 0;
}

/**
 * srnic_fast_mr_register() - open a region that is free
 * @table: keys of the device
 * @pd: protection domain of the QP
 * @reg: what is asked for
 *
 * Context: RCU read section, BHs off.
 * Return: 0 or -EINVAL: there is no such region, it is of another protection
 * domain, it is valid already, or cannot be registered like this. Then it is as
 * it was.
 */
int srnic_fast_mr_register(struct srnic_key_table *table, const struct ib_pd *pd,
			   const struct srnic_fast_reg *reg)
{
	struct srnic_keyed *keyed = srnic_key_find_index(table, reg->key);
	struct srnic_fast_mr *fast;
	int err;

	if (!keyed || keyed->kind != SRNIC_KEYED_FAST_MR)
		return -EINVAL;
	fast = container_of(keyed, struct srnic_fast_mr, mr.keyed);
	if (fast->mr.pd != pd)
		return -EINVAL;
	write_lock(&fast->lock);
	err = register_locked(fast, reg);
	write_unlock(&fast->lock);
	return err;
}

/**
 * srnic_fast_mr_invalidate() - take back the key of a region
 * @fast: region
 * @pd: protection domain of the QP
 * @key: its key
 * @remote: a peer asks for it, who can do so only if it may access the region
 *
 * When it has succeeded, nobody accesses memory by this key any more, until the
 * region is registered again.
 *
 * Context: RCU read section since @fast was found, BHs off.
 * Return: 0 or -EINVAL: it is free, or it is not for this QP to do. Then it is as
 * it was.
 */
int srnic_fast_mr_invalidate(struct srnic_fast_mr *fast, const struct ib_pd *pd,
			     u32 key, bool remote)
{
	int err = -EINVAL;

	write_lock(&fast->lock);
	if (fast->valid && fast->mr.keyed.key == key && fast->mr.pd == pd &&
	    (!remote || fast->mr.access & REMOTE_ACCESS)) {
		fast->valid = false;
		err = 0;
	}
	write_unlock(&fast->lock);
	return err;
}
