// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues.
 */
#include "verbs.h"

#include <linux/log2.h>
#include <rdma/srnic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "../engine/device.h"
#include "../queue/cq.h"
#include "limit.h"

static int check(const struct ib_device *ibdev,
		 const struct ib_cq_init_attr *init)
{
	if (init->flags & ~IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)
		return -EOPNOTSUPP;
	if (!init->cqe || init->cqe > SRNIC_MAX_CQE)
		return -EINVAL;
	if (init->comp_vector >= (u32)ibdev->num_comp_vectors)
		return -EINVAL;
	return 0;
}

static int check_udata(struct ib_udata *udata)
{
	struct srnic_create_cq_cmd cmd;
	int err;

	err = ib_copy_validate_udata_in_cm(udata, cmd, reserved, 0);
	if (err)
		return err;
	return cmd.reserved ? -EINVAL : 0;
}

static int respond(struct srnic_cq *cq, struct ib_udata *udata)
{
	struct srnic_create_cq_resp resp = {
		.entries = cq->entries,
		.mmap_offset = srnic_queue_map_offset(cq->map),
		.mmap_bytes = cq->map->bytes,
	};

	return ib_respond_udata(udata, resp);
}

/**
 * srnic_create_cq() - make a completion queue (ib_device_ops.create_cq)
 * @ibcq: allocated by the core
 * @init: size, which is rounded up, and completion vector
 * @attrs: system call, with a struct srnic_create_cq_cmd and room for a struct
 *	   srnic_create_cq_resp; NULL for a kernel consumer
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: beyond a limit, or reserved fields in use; -EOPNOTSUPP: a
 * flag or extension that is not known; -ENOMEM: SRNIC_MAX_CQ reached, or no memory;
 * -EFAULT.
 */
int srnic_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *init,
		    struct uverbs_attr_bundle *attrs)
{
	struct srnic_dev *dev = to_srnic_dev(ibcq->device);
	struct srnic_cq *cq = to_srnic_cq(ibcq);
	int err;

	err = attrs ? check_udata(&attrs->driver_udata) : 0;
	if (err)
		return err;
	err = check(ibcq->device, init);
	if (err)
		return err;

	err = srnic_limit_get(&dev->cqs, SRNIC_MAX_CQ);
	if (err)
		return err;
	err = srnic_cq_create(cq, attrs ? attrs->context : NULL,
			      roundup_pow_of_two(init->cqe));
	if (err)
		goto err_limit_put;

	cq->ignore_overrun = init->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	ibcq->cqe = cq->entries;
	err = attrs ? respond(cq, &attrs->driver_udata) : 0;
	if (err)
		goto err_cq_destroy;
	return 0;

err_cq_destroy:
	srnic_cq_destroy(cq);
err_limit_put:
	srnic_limit_put(&dev->cqs);
	return err;
}

/**
 * srnic_destroy_cq() - end a completion queue (ib_device_ops.destroy_cq)
 * @ibcq: freed by the core; no QP refers to it any more
 * @udata: not looked at
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
int srnic_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	srnic_cq_destroy(to_srnic_cq(ibcq));
	srnic_limit_put(&to_srnic_dev(ibcq->device)->cqs);
	return 0;
}
