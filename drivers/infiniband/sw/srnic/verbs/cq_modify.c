// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Changes of completion queues: size and moderation.
 */
#include <linux/log2.h>
#include <rdma/srnic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "../engine/device.h"
#include "../queue/cq.h"
#include "verbs.h"

static int prepare(struct srnic_cq *cq, u32 entries, struct ib_udata *udata)
{
	struct srnic_resize_cq_resp resp = { .entries = entries };
	struct srnic_ucontext *ucontext;
	int err;

	ucontext = rdma_udata_to_drv_context(udata, struct srnic_ucontext,
					     ibucontext);
	err = srnic_cq_resize_prepare(cq, &ucontext->ibucontext, entries);
	if (err)
		return err;
	resp.mmap_offset = srnic_queue_map_offset(cq->next_map);
	resp.mmap_bytes = cq->next_map->bytes;
	return ib_respond_udata(udata, resp);
}

static int switch_over(struct srnic_cq *cq, u32 entries, struct ib_udata *udata)
{
	struct srnic_resize_cq_resp resp = { .entries = entries };
	int err;

	err = srnic_cq_resize_switch(cq, entries, &resp.outstanding);
	if (err)
		return err;
	cq->ibcq.cqe = entries;
	return ib_respond_udata(udata, resp);
}

/**
 * srnic_resize_cq() - a step of changing the size of a CQ
 *		       (ib_device_ops.resize_user_cq)
 * @ibcq: completion queue
 * @cqe: size, which is rounded up
 * @udata: a struct srnic_resize_cq_cmd and room for a struct srnic_resize_cq_resp
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: a size that cannot be, or has no room for what is
 * outstanding; -EOPNOTSUPP: an extension that is not known; -ENOMEM; -EFAULT.
 */
int srnic_resize_cq(struct ib_cq *ibcq, unsigned int cqe,
		    struct ib_udata *udata)
{
	struct srnic_cq *cq = to_srnic_cq(ibcq);
	struct srnic_resize_cq_cmd cmd;
	u32 entries;
	int err;

	if (!udata)
		return -EOPNOTSUPP;
	err = ib_copy_validate_udata_in_cm(udata, cmd, step, 0);
	if (err)
		return err;
	if (!cqe || cqe > SRNIC_MAX_CQE)
		return -EINVAL;
	entries = roundup_pow_of_two(cqe);

	mutex_lock(&cq->resize_mutex);
	switch (cmd.step) {
	case SRNIC_RESIZE_CQ_PREPARE:
		err = prepare(cq, entries, udata);
		break;
	case SRNIC_RESIZE_CQ_SWITCH:
		err = switch_over(cq, entries, udata);
		break;
	default:
		err = -EINVAL;
	}
	mutex_unlock(&cq->resize_mutex);
	return err;
}

/**
 * srnic_modify_cq() - set event moderation (ib_device_ops.modify_cq)
 * @ibcq: completion queue
 * @count: completions for an event
 * @period: microseconds after which there is one anyway
 *
 * Context: Process context.
 * Return: 0.
 */
int srnic_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	srnic_cq_moderate(to_srnic_cq(ibcq), count, period);
	return 0;
}
