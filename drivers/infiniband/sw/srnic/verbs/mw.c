// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows. They are bound and invalidated by work requests.
 */
#include "verbs.h"

#include <rdma/uverbs_ioctl.h>

#include "../engine/device.h"
#include "../mem/mw.h"
#include "limit.h"
#include "mw.h"

/**
 * srnic_alloc_mw() - make a memory window (ib_device_ops.alloc_mw)
 * @ibmw: allocated by the core
 * @udata: has to be empty
 *
 * A window of type 2 is of type 2B: bound to a QP and its protection domain.
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: no type of window; -ENOMEM: SRNIC_MAX_MW reached, or no
 * memory; -EBUSY: no key is left; -EOPNOTSUPP or -EFAULT: @udata.
 */
int srnic_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic_dev(ibmw->device);
	struct srnic_user_mw *user = to_srnic_user_mw(ibmw);
	int err;

	if (ibmw->type != IB_MW_TYPE_1 && ibmw->type != IB_MW_TYPE_2)
		return -EINVAL;
	err = ib_no_udata_io(udata);
	if (err)
		return err;

	err = srnic_limit_get(&dev->mws, SRNIC_MAX_MW);
	if (err)
		return err;
	user->mw = srnic_mw_create(ibmw->pd, &dev->keys, ibmw->type);
	if (IS_ERR(user->mw)) {
		srnic_limit_put(&dev->mws);
		return PTR_ERR(user->mw);
	}
	ibmw->rkey = user->mw->keyed.key;
	return 0;
}

/**
 * srnic_dealloc_mw() - end a memory window, bound or not (ib_device_ops.dealloc_mw)
 * @ibmw: freed by the core
 *
 * Context: Process context. When it returns, nobody accesses memory through the
 * window any more.
 * Return: 0.
 */
int srnic_dealloc_mw(struct ib_mw *ibmw)
{
	struct srnic_dev *dev = to_srnic_dev(ibmw->device);

	srnic_mw_destroy(to_srnic_user_mw(ibmw)->mw);
	srnic_limit_put(&dev->mws);
	return 0;
}
