// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of processes.
 */
#include "verbs.h"

#include <rdma/uverbs_ioctl.h>

#include "../engine/device.h"
#include "../mem/mr.h"
#include "limit.h"

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
	struct srnic_mr *mr;
	int err;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);

	err = srnic_limit_get(&dev->mrs, SRNIC_MAX_MR);
	if (err)
		return ERR_PTR(err);

	mr = srnic_mr_create_user(ibpd, &dev->keys, start, length, iova,
				  access);
	if (IS_ERR(mr)) {
		srnic_limit_put(&dev->mrs);
		return ERR_CAST(mr);
	}
	return &mr->ibmr;
}

/**
 * srnic_dereg_mr() - end a registration (ib_device_ops.dereg_mr)
 * @ibmr: freed here
 * @udata: not looked at
 *
 * Context: Process context. May sleep. When it returns, the memory is not
 * accessed any more.
 * Return: 0.
 */
int srnic_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic_dev(ibmr->device);

	srnic_mr_destroy(to_srnic_mr(ibmr));
	srnic_limit_put(&dev->mrs);
	return 0;
}
