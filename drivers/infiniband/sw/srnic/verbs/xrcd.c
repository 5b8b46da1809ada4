// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC domains.
 */
#include <rdma/uverbs_ioctl.h>

#include "../engine/device.h"
#include "../engine/xrcd.h"
#include "limit.h"
#include "verbs.h"

/**
 * srnic_alloc_xrcd() - make an XRC domain (ib_device_ops.alloc_xrcd)
 * @ibxrcd: allocated by the core
 * @udata: has to be empty; NULL for a kernel consumer
 *
 * Context: Process context. May sleep.
 * Return: 0; -ENOMEM: SRNIC_MAX_XRCD reached; -EOPNOTSUPP or -EFAULT: @udata.
 */
int srnic_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	err = srnic_limit_get(&to_srnic_dev(ibxrcd->device)->xrcds,
			      SRNIC_MAX_XRCD);
	if (err)
		return err;

	srnic_xrcd_init(to_srnic_xrcd(ibxrcd));
	return 0;
}

/**
 * srnic_dealloc_xrcd() - end an XRC domain (ib_device_ops.dealloc_xrcd)
 * @ibxrcd: freed by the core; no SRQ or QP refers to it any more
 * @udata: not looked at
 *
 * Context: Process context.
 * Return: 0.
 */
int srnic_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	mutex_destroy(&to_srnic_xrcd(ibxrcd)->lock);
	srnic_limit_put(&to_srnic_dev(ibxrcd->device)->xrcds);
	return 0;
}
