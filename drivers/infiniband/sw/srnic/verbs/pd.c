// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains: nothing but an identity, which MRs, QPs and AHs compare.
 */
#include "verbs.h"

#include <rdma/uverbs_ioctl.h>

#include "../engine/device.h"
#include "limit.h"

/**
 * srnic_alloc_pd() - make a protection domain (ib_device_ops.alloc_pd)
 * @ibpd: allocated by the core
 * @udata: has to be empty; NULL for a kernel consumer
 *
 * Context: Process context. May sleep.
 * Return: 0; -ENOMEM: SRNIC_MAX_PD reached; -EOPNOTSUPP or -EFAULT: @udata.
 */
int srnic_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic_dev(ibpd->device);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	return srnic_limit_get(&dev->pds, SRNIC_MAX_PD);
}

/**
 * srnic_dealloc_pd() - end a protection domain (ib_device_ops.dealloc_pd)
 * @ibpd: freed by the core; nothing refers to it any more
 * @udata: not looked at
 *
 * Context: Process context.
 * Return: 0.
 */
int srnic_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	srnic_limit_put(&to_srnic_dev(ibpd->device)->pds);
	return 0;
}
