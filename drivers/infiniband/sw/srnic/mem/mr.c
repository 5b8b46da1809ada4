// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of memory regions.
 */
#include "mr.h"

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "check.h"
#include "fast_reg.h"

#define SUPPORTED_ACCESS						\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |		\
	 IB_ACCESS_MW_BIND | IB_ACCESS_HUGETLB | IB_ACCESS_OPTIONAL)

static struct srnic_mr *alloc_mr(struct ib_pd *pd, struct srnic_key_table *table,
				 int access)
{
	struct srnic_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);

	if (!mr)
		return NULL;
	mr->table = table;
	mr->pd = pd;
	mr->access = access;
	mr->keyed.kind = SRNIC_KEYED_MR;
	return mr;
}

static int pin(struct srnic_mr *mr, u64 start)
{
	struct ib_umem *umem;
	int err;

	umem = ib_umem_get_va(mr->pd->device, start, mr->length, mr->access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);

	err = srnic_extents_init(&mr->extents, umem);
	if (err) {
		ib_umem_release(umem);
		return err;
	}
	mr->umem = umem;
	return 0;
}

/**
 * srnic_mr_free() - give back the pages of a region, and free it
 * @mr: region that nobody can find, and nobody has found
 *
 * Context: Process context, may sleep.
 */
void srnic_mr_free(struct srnic_mr *mr)
{
	if (mr->keyed.kind == SRNIC_KEYED_FAST_MR) {
		srnic_fast_mr_free(to_srnic_fast_mr(mr));
		return;
	}
	if (mr->umem) {
		srnic_extents_destroy(&mr->extents);
		ib_umem_release(mr->umem);
	}
	srnic_dmabuf_unmap(&mr->dmabuf);
	kfree(mr);
}

static int check_user(u64 start, u64 length, u64 iova, int access)
{
	if (access & ~SUPPORTED_ACCESS)
		return -EOPNOTSUPP;
	if (!srnic_mem_range_valid(iova, length))
		return -EINVAL;
	/* Alignment in memory is that of the address that accesses name. */
	if (length && (start ^ iova) & ~PAGE_MASK)
		return -EINVAL;
	return 0;
}

/**
 * srnic_mr_create_user() - register memory of the calling process
 * @pd: protection domain
 * @table: where to publish the key
 * @start: address in the process
 * @length: bytes; 0 is legal and pins nothing
 * @iova: address by which accesses will name @start
 * @access: enum ib_access_flags
 *
 * Context: Process context, may sleep.
 * Return: the region, or ERR_PTR of -EOPNOTSUPP (on-demand paging and other kinds
 * of access that there are none of), -EINVAL, -ENOMEM, -EFAULT or -EBUSY.
 */
struct srnic_mr *srnic_mr_create_user(struct ib_pd *pd, struct srnic_key_table *table,
				      u64 start, u64 length, u64 iova, int access)
{
	struct srnic_mr *mr;
	int err;

	err = check_user(start, length, iova, access);
	if (err)
		return ERR_PTR(err);

	mr = alloc_mr(pd, table, access);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->iova = iova;
	mr->length = length;

	if (length) {
		err = pin(mr, start);
		if (err)
			goto err_free;
	}
	err = srnic_key_insert(table, &mr->keyed);
	if (err)
		goto err_free;
	return mr;

err_free:
	srnic_mr_free(mr);
	return ERR_PTR(err);
}

/**
 * srnic_mr_create_dmabuf() - register a DMA buffer
 * @pd: protection domain
 * @table: where to publish the key
 * @offset: first byte in the buffer
 * @length: bytes
 * @iova: address by which accesses will name @offset
 * @fd: the buffer's file descriptor in the calling process
 * @access: enum ib_access_flags
 *
 * Context: Process context, may sleep.
 * Return: the region, or ERR_PTR of what srnic_mr_create_user() and
 * srnic_dmabuf_map() return.
 */
struct srnic_mr *srnic_mr_create_dmabuf(struct ib_pd *pd, struct srnic_key_table *table,
					u64 offset, u64 length, u64 iova, int fd,
					int access)
{
	struct srnic_mr *mr;
	int err;

	err = check_user(offset, length, iova, access);
	if (err)
		return ERR_PTR(err);

	mr = alloc_mr(pd, table, access);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->iova = iova;
	mr->length = length;

	err = srnic_dmabuf_map(&mr->dmabuf, fd, offset, length, &mr->extents);
	if (err)
		goto err_free;
	err = srnic_key_insert(table, &mr->keyed);
	if (err)
		goto err_free;
	return mr;

err_free:
	srnic_mr_free(mr);
	return ERR_PTR(err);
}

/**
 * srnic_mr_create_dma() - all of the kernel's memory, for a consumer in the kernel
 * @pd: protection domain, which is the kernel's: no process can use the region
 * @table: where to publish the key
 * @access: enum ib_access_flags
 *
 * Context: Process context, may sleep.
 * Return: the region, or ERR_PTR of -EOPNOTSUPP, -ENOMEM or -EBUSY.
 */
struct srnic_mr *srnic_mr_create_dma(struct ib_pd *pd, struct srnic_key_table *table,
				     int access)
{
	struct srnic_mr *mr;
	int err;

	if (access & ~SUPPORTED_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);

	mr = alloc_mr(pd, table, access);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->length = U64_MAX;
	mr->kernel = true;

	err = srnic_key_insert(table, &mr->keyed);
	if (err) {
		srnic_mr_free(mr);
		return ERR_PTR(err);
	}
	return mr;
}

/* From now on no window can be bound; fails if one is. */
static int close_to_windows(struct srnic_mr *mr)
{
	return atomic_cmpxchg(&mr->windows, 0, -1) ? -EBUSY : 0;
}

/* What was written to only by the CPU may have been pinned for reading. */
static bool pages_suffice(const struct srnic_mr *mr, int access)
{
	return !mr->umem || mr->umem->writable || !ib_access_writable(access);
}

/* The same pages, or others: as a change of @old demands. */
static int take_pages(struct srnic_mr *mr, const struct srnic_mr *old,
		      const struct srnic_mr_change *change)
{
	if (change->flags & IB_MR_REREG_TRANS)
		return mr->length ? pin(mr, change->start) : 0;
	if (!pages_suffice(old, mr->access)) {
		/* An address has a meaning in its own process only. */
		if (old->umem->owning_mm != current->mm)
			return -EPERM;
		return pin(mr, old->umem->address);
	}
	mr->umem = old->umem;
	mr->dmabuf = old->dmabuf;
	mr->extents = old->extents;
	return 0;
}

static struct srnic_mr *changed(const struct srnic_mr *old,
				const struct srnic_mr_change *change)
{
	struct srnic_mr *mr;
	int err;

	mr = alloc_mr(change->flags & IB_MR_REREG_PD ? change->pd : old->pd,
		      old->table, change->flags & IB_MR_REREG_ACCESS ?
		      change->access : old->access);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->iova = old->iova;
	mr->length = old->length;
	if (change->flags & IB_MR_REREG_TRANS) {
		mr->iova = change->iova;
		mr->length = change->length;
		err = check_user(change->start, mr->length, mr->iova, mr->access);
	} else {
		err = check_user(0, 0, 0, mr->access);
	}
	if (!err)
		err = take_pages(mr, old, change);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return mr;
}

/**
 * srnic_mr_replace() - change a region
 * @mr: region of a process
 * @change: what is to change; nobody else changes or ends it meanwhile
 *
 * For who accesses it, all changes at once. When it returns, nobody accesses it any
 * more as it was before. If it fails, nothing has changed.
 *
 * Context: Process context, may sleep.
 * Return: the region that has taken the place of @mr, with the same key; or ERR_PTR
 * of -EBUSY (a memory window is bound to it), -EPERM (pages that were pinned for
 * reading are to be written to, and are another process's), or what
 * srnic_mr_create_user() returns. Then @mr is as it was.
 */
struct srnic_mr *srnic_mr_replace(struct srnic_mr *mr,
				  const struct srnic_mr_change *change)
{
	struct srnic_mr *new;
	int err;

	err = close_to_windows(mr);
	if (err)
		return ERR_PTR(err);
	new = changed(mr, change);
	if (IS_ERR(new)) {
		atomic_set(&mr->windows, 0);
		return new;
	}
	srnic_key_replace(mr->table, &mr->keyed, &new->keyed);
	synchronize_rcu_expedited();
	if (mr->umem == new->umem && mr->dmabuf.buf == new->dmabuf.buf) {
		mr->umem = NULL;
		mr->dmabuf.buf = NULL;
	}
	srnic_mr_free(mr);
	return new;
}

/**
 * srnic_mr_destroy() - end a registration
 * @mr: the region
 *
 * When it returns, nobody reads or writes the memory any more:
 *
 *  1. No window is bound to it, nor will be.
 *  2. The key goes: nobody finds the region any more.
 *  3. A grace period: who has found it (softirq, engine thread, a process that rang
 *     the doorbell) has done so in an RCU read section that spans the access.
 *  4. Pages are unpinned, marked dirty if they were writable.
 *
 * Without pages there is nothing to wait for. A process that exits does not wait for
 * steps 3 and 4 of its own regions: srnic_release_flush() does, when its context goes.
 *
 * Context: Process context, may sleep.
 * Return: 0, or -EBUSY if a memory window is bound to it.
 */
int srnic_mr_destroy(struct srnic_mr *mr)
{
	int err = close_to_windows(mr);

	if (err)
		return err;
	srnic_key_remove(mr->table, &mr->keyed);
	if (!mr->length && mr->keyed.kind == SRNIC_KEYED_MR) {
		kfree_rcu(mr, rcu);
	} else if (current->flags & PF_EXITING && (mr->umem || mr->dmabuf.buf)) {
		srnic_release_add(&mr->table->release, mr);
	} else {
		synchronize_rcu_expedited();
		srnic_mr_free(mr);
	}
	return 0;
}

static void *fast_run(const struct srnic_mr *mr, u64 offset, u64 bytes, u64 *run)
{
	const struct srnic_fast_mr *fast = container_of(mr, struct srnic_fast_mr, mr);

	lockdep_assert_held(&fast->lock);
	return (void *)(uintptr_t)srnic_segments_run(&fast->segments, offset, bytes,
						     run);
}

/**
 * srnic_mr_run() - where is this byte, and how far can one go from there
 * @mr: the region
 * @offset: byte from its start
 * @bytes: bytes wanted, at least 1; all of them have to be inside
 * @run: contiguous bytes at the result, 1 to @bytes
 *
 * Context: RCU read section since @mr was found.
 * Return: the byte's address in the kernel.
 */
void *srnic_mr_run(const struct srnic_mr *mr, u64 offset, u64 bytes, u64 *run)
{
	if (mr->kernel) {
		*run = bytes;
		return (void *)(uintptr_t)(mr->iova + offset);
	}
	if (mr->keyed.kind == SRNIC_KEYED_FAST_MR)
		return fast_run(mr, offset, bytes, run);
	return srnic_extents_run(&mr->extents, offset, bytes, run);
}
