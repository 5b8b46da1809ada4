// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of processes, and all of its memory for the kernel.
 */
#include "mr.h"

#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "limit.h"
#include "verbs.h"

/**
 * srnic_begin_mr() - what a new region needs beside itself
 * @dev: device
 *
 * It is got first: once a region can be found by its key a window may be bound to
 * it, and it cannot be taken away again.
 *
 * Context: Process context. May sleep.
 * Return: for srnic_finish_mr(), or ERR_PTR(-ENOMEM): SRNIC_MAX_MR reached, or no
 * memory.
 */
struct srnic_user_mr *srnic_begin_mr(struct srnic_dev *dev)
{
	struct srnic_user_mr *user;
	int err;

	err = srnic_limit_get(&dev->mrs, SRNIC_MAX_MR);
	if (err)
		return ERR_PTR(err);
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user) {
		srnic_limit_put(&dev->mrs);
		return ERR_PTR(-ENOMEM);
	}
	return user;
}

static void end_mr(struct srnic_dev *dev, struct srnic_user_mr *user)
{
	kfree(user);
	srnic_limit_put(&dev->mrs);
}

/**
 * srnic_finish_mr() - give a region to the core
 * @dev: device
 * @user: from srnic_begin_mr(); gone if there is no region
 * @mr: region that is new, or ERR_PTR
 *
 * Context: Process context.
 * Return: the region, to end with srnic_dereg_mr(), or @mr.
 */
struct ib_mr *srnic_finish_mr(struct srnic_dev *dev, struct srnic_user_mr *user,
			      struct srnic_mr *mr)
{
	if (IS_ERR(mr)) {
		end_mr(dev, user);
		return ERR_CAST(mr);
	}
	user->mr = mr;
	user->ibmr.lkey = mr->keyed.key;
	user->ibmr.rkey = mr->keyed.key;
	return &user->ibmr;
}

/**
 * srnic_reg_user_mr() - register memory (ib_device_ops.reg_user_mr)
 * @ibpd: protection domain
 * @start: address in the process
 * @length: bytes; 0 is legal
 * @iova: address by which accesses will name @start
 * @access: enum ib_access_flags; the core has refused remote write and atomic
 *	    without local write
 * @dmah: DMA handle, which there are none of
 * @udata: has to be empty
 *
 * Context: Process context. May sleep.
 * Return: the region, or ERR_PTR: -ENOMEM: SRNIC_MAX_MR reached, or no memory;
 * -EOPNOTSUPP: a DMA handle, on-demand paging, or @udata; what
 * srnic_mr_create_user() returns.
 */
struct ib_mr *srnic_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic_dev(ibpd->device);
	struct srnic_user_mr *user;
	int err;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);

	user = srnic_begin_mr(dev);
	if (IS_ERR(user))
		return ERR_CAST(user);
	return srnic_finish_mr(dev, user,
			       srnic_mr_create_user(ibpd, &dev->keys, start, length,
						    iova, access));
}

/**
 * srnic_reg_user_mr_dmabuf() - register a DMA buffer
 * (ib_device_ops.reg_user_mr_dmabuf)
 * @ibpd: protection domain
 * @offset: first byte in the buffer
 * @length: bytes, not 0
 * @iova: address by which accesses will name @offset
 * @fd: the buffer's file descriptor in the process
 * @access: enum ib_access_flags, checked by the core
 * @dmah: DMA handle, which there are none of
 * @attrs: of the system call, which has no place for driver data
 *
 * Context: Process context. May sleep.
 * Return: the region, or ERR_PTR: -ENOMEM: SRNIC_MAX_MR reached, or no memory;
 * -EOPNOTSUPP: a DMA handle; what srnic_mr_create_dmabuf() returns.
 */
struct ib_mr *srnic_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length,
				       u64 iova, int fd, int access,
				       struct ib_dmah *dmah,
				       struct uverbs_attr_bundle *attrs)
{
	struct srnic_dev *dev = to_srnic_dev(ibpd->device);
	struct srnic_user_mr *user;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);

	user = srnic_begin_mr(dev);
	if (IS_ERR(user))
		return ERR_CAST(user);
	return srnic_finish_mr(dev, user,
			       srnic_mr_create_dmabuf(ibpd, &dev->keys, offset,
						      length, iova, fd, access));
}

/**
 * srnic_rereg_user_mr() - change a registration (ib_device_ops.rereg_user_mr)
 * @ibmr: the region; the core keeps others away from it
 * @flags: IB_MR_REREG_TRANS, IB_MR_REREG_PD, IB_MR_REREG_ACCESS: what is to change
 * @start: address in the process
 * @length: bytes
 * @iova: address by which accesses will name @start
 * @access: enum ib_access_flags, checked by the core
 * @ibpd: protection domain
 * @udata: has to be empty
 *
 * Keys stay. If it fails, the region is as it was.
 *
 * Context: Process context. May sleep.
 * Return: NULL; ERR_PTR: -EOPNOTSUPP: @udata, or a kind of access; what
 * srnic_mr_replace() returns.
 */
struct ib_mr *srnic_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				  u64 length, u64 iova, int access,
				  struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct srnic_user_mr *user = to_srnic_user_mr(ibmr);
	const struct srnic_mr_change change = {
		.flags = flags,
		.start = start,
		.length = length,
		.iova = iova,
		.access = access,
		.pd = ibpd,
	};
	struct srnic_mr *mr;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);
	mr = srnic_mr_replace(user->mr, &change);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	user->mr = mr;
	ibmr->iova = mr->iova;
	ibmr->length = mr->length;
	return NULL;
}

/**
 * srnic_get_dma_mr() - all of the kernel's memory (ib_device_ops.get_dma_mr)
 * @ibpd: protection domain of a consumer in the kernel
 * @access: enum ib_access_flags
 *
 * The device has no DMA of its own: what the core calls DMA addresses are
 * addresses of the kernel.
 *
 * Context: Process context. May sleep.
 * Return: the region, or ERR_PTR: -ENOMEM: SRNIC_MAX_MR reached, or no memory; what
 * srnic_mr_create_dma() returns.
 */
struct ib_mr *srnic_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct srnic_dev *dev = to_srnic_dev(ibpd->device);
	struct srnic_user_mr *user;

	user = srnic_begin_mr(dev);
	if (IS_ERR(user))
		return ERR_CAST(user);
	return srnic_finish_mr(dev, user,
			       srnic_mr_create_dma(ibpd, &dev->keys, access));
}

/**
 * srnic_dereg_mr() - end a registration (ib_device_ops.dereg_mr)
 * @ibmr: freed here
 * @udata: not looked at
 *
 * Context: Process context. May sleep. When it returns, the memory is not
 * accessed any more; if the process is exiting, when its context is gone.
 * Return: 0, or -EBUSY if a memory window is bound to it.
 */
int srnic_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic_dev(ibmr->device);
	struct srnic_user_mr *user = to_srnic_user_mr(ibmr);
	int err;

	err = srnic_mr_destroy(user->mr);
	if (err)
		return err;
	end_mr(dev, user);
	return 0;
}
