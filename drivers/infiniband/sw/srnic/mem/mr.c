// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of memory regions.
 */
#include "mr.h"

#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "check.h"

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

static int publish(struct srnic_mr *mr)
{
	int err = srnic_key_insert(mr->table, &mr->keyed);

	if (err)
		return err;
	mr->ibmr.lkey = mr->keyed.key;
	mr->ibmr.rkey = mr->keyed.key;
	return 0;
}

static void free_mr(struct srnic_mr *mr)
{
	if (mr->umem) {
		srnic_extents_destroy(&mr->extents);
		ib_umem_release(mr->umem);
	}
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
	err = publish(mr);
	if (err)
		goto err_free;
	return mr;

err_free:
	free_mr(mr);
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

	err = publish(mr);
	if (err) {
		free_mr(mr);
		return ERR_PTR(err);
	}
	return mr;
}

/**
 * srnic_mr_destroy() - end a registration
 * @mr: the region
 *
 * When it returns, nobody reads or writes the memory any more:
 *
 *  1. The key goes: nobody finds the region any more.
 *  2. A grace period: who has found it (softirq, engine thread, a process that rang
 *     the doorbell) has done so in an RCU read section that spans the access.
 *  3. Pages are unpinned, marked dirty if they were writable.
 *
 * Context: Process context, may sleep.
 */
void srnic_mr_destroy(struct srnic_mr *mr)
{
	srnic_key_remove(mr->table, &mr->keyed);
	synchronize_rcu_expedited();
	free_mr(mr);
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
	return srnic_extents_run(&mr->extents, offset, bytes, run);
}
