// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues.
 */
#include "../queue/srq.h"

#include <linux/log2.h>
#include <linux/uaccess.h>
#include <rdma/srnic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "../engine/device.h"
#include "../engine/xrcd.h"
#include "limit.h"
#include "verbs.h"

static int check_udata(struct ib_udata *udata)
{
	struct srnic_create_srq_cmd cmd;
	int err;

	err = ib_copy_validate_udata_in_cm(udata, cmd, reserved, 0);
	if (err)
		return err;
	return cmd.reserved ? -EINVAL : 0;
}

static int check(const struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	int err;

	if (init->srq_type != IB_SRQT_BASIC && init->srq_type != IB_SRQT_XRC)
		return -EOPNOTSUPP;

	err = udata ? check_udata(udata) : 0;
	if (err)
		return err;
	if (!init->attr.max_wr || init->attr.max_wr > SRNIC_MAX_SRQ_WR ||
	    init->attr.max_sge > SRNIC_MAX_SGE)
		return -EINVAL;
	return 0;
}

static struct srnic_create_srq_resp describe(const struct srnic_srq_ring *ring)
{
	return (struct srnic_create_srq_resp) {
		.entries = ring->rq.entries,
		.stride = ring->rq.stride,
		.mmap_offset = srnic_queue_map_offset(ring->rq.map),
		.mmap_bytes = ring->rq.map->bytes,
	};
}

/* Return: NULL for a consumer in the kernel. */
static struct ib_ucontext *context_of(struct ib_udata *udata)
{
	struct srnic_ucontext *ucontext;

	if (!udata)
		return NULL;
	ucontext = rdma_udata_to_drv_context(udata, struct srnic_ucontext,
					     ibucontext);
	return &ucontext->ibucontext;
}

static bool is_xrc(const struct srnic_srq *srq)
{
	return srq->ibsrq.srq_type == IB_SRQT_XRC;
}

/* The number comes last: targets find the SRQ by it at once. */
static int start(struct srnic_srq *srq, struct ib_udata *udata)
{
	struct srnic_create_srq_resp resp = describe(srnic_srq_current(srq));
	int err;

	err = udata ? ib_respond_udata(udata, resp) : 0;
	if (err || !is_xrc(srq))
		return err;
	err = srnic_xrcd_add_srq(srq);
	srq->ibsrq.ext.xrc.srq_num = srq->number;
	return err;
}

/**
 * srnic_create_srq() - make a shared receive queue (ib_device_ops.create_srq)
 * @ibsrq: allocated by the core, with its protection domain, and those of XRC with
 *	   their domain and CQ
 * @init: what is wanted; its attr is set to what is granted. The limit is not
 *	  looked at: modify arms it
 * @udata: a struct srnic_create_srq_cmd and room for a struct
 *	   srnic_create_srq_resp; NULL for a kernel consumer
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: beyond a limit, or reserved fields in use; -EOPNOTSUPP: a
 * type or extension that is not known; -ENOMEM: SRNIC_MAX_SRQ reached, or no
 * memory; -EBUSY: no number left; -EFAULT.
 */
int srnic_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic_dev(ibsrq->device);
	struct srnic_srq *srq = to_srnic_srq(ibsrq);
	int err;

	err = check(init, udata);
	if (err)
		return err;

	err = srnic_limit_get(&dev->srqs, SRNIC_MAX_SRQ);
	if (err)
		return err;
	err = srnic_srq_create(srq, context_of(udata),
			       roundup_pow_of_two(init->attr.max_wr),
			       init->attr.max_sge);
	if (err)
		goto err_limit_put;
	err = start(srq, udata);
	if (err)
		goto err_srq_destroy;

	init->attr.max_wr = srnic_srq_current(srq)->rq.entries;
	return 0;

err_srq_destroy:
	srnic_srq_destroy(srq);
err_limit_put:
	srnic_limit_put(&dev->srqs);
	return err;
}

/*
 * uverbs gives a driver no room for an answer to modify_srq, so the process says
 * where it wants it. It is written before anything has changed. @ucontext is NULL
 * for a consumer in the kernel.
 */
static struct srnic_srq_ring *make_ring(struct srnic_srq *srq, u32 max_wr,
					const struct srnic_modify_srq_cmd *cmd,
					struct ib_ucontext *ucontext)
{
	struct srnic_create_srq_resp resp;
	struct srnic_srq_ring *ring;

	if (!max_wr || max_wr > SRNIC_MAX_SRQ_WR)
		return ERR_PTR(-EINVAL);
	ring = srnic_srq_ring_create(ucontext, roundup_pow_of_two(max_wr),
				     srq->max_sge);
	if (IS_ERR(ring))
		return ring;
	if (!ucontext)
		return ring;
	resp = describe(ring);
	if (copy_to_user(u64_to_user_ptr(cmd->response), &resp, sizeof(resp))) {
		srnic_srq_ring_destroy(ring);
		return ERR_PTR(-EFAULT);
	}
	return ring;
}

/**
 * srnic_modify_srq() - resize a shared receive queue, or arm its limit
 *			(ib_device_ops.modify_srq)
 * @ibsrq: shared receive queue
 * @attr: new attributes
 * @mask: IB_SRQ_MAX_WR, IB_SRQ_LIMIT: which of them
 * @udata: a struct srnic_modify_srq_cmd; NULL for a kernel consumer
 *
 * Context: Process context. May sleep.
 * Return: 0, and otherwise nothing has changed: -EINVAL: beyond a limit, less than
 * is queued or than the limit, reserved fields in use, or an SRQ in error;
 * -EOPNOTSUPP: an extension or attribute that is not known; -ENOMEM; -EFAULT.
 */
int srnic_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct srnic_srq *srq = to_srnic_srq(ibsrq);
	struct srnic_modify_srq_cmd cmd = {};
	struct srnic_srq_ring *ring = NULL;
	int err = 0;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EOPNOTSUPP;
	if (udata)
		err = ib_copy_validate_udata_in_cm(udata, cmd, response, 0);
	if (err)
		return err;
	if (cmd.reserved)
		return -EINVAL;

	mutex_lock(&srq->modify_mutex);
	if (mask & IB_SRQ_MAX_WR) {
		ring = make_ring(srq, attr->max_wr, &cmd,
				 context_of(udata));
		if (IS_ERR(ring)) {
			err = PTR_ERR(ring);
			goto out_unlock;
		}
	}
	err = srnic_srq_modify(srq, ring,
			       mask & IB_SRQ_LIMIT ? &attr->srq_limit : NULL);
	if (err && ring)
		srnic_srq_ring_destroy(ring);
out_unlock:
	mutex_unlock(&srq->modify_mutex);
	return err;
}

/**
 * srnic_query_srq() - give attributes back (ib_device_ops.query_srq)
 * @ibsrq: shared receive queue
 * @attr: result; the limit is 0 when its event was raised
 *
 * Context: Process context.
 * Return: 0.
 */
int srnic_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct srnic_srq *srq = to_srnic_srq(ibsrq);

	spin_lock_bh(&srq->lock);
	attr->max_wr = srnic_srq_current(srq)->rq.entries;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_bh(&srq->lock);
	return 0;
}

/**
 * srnic_destroy_srq() - end a shared receive queue (ib_device_ops.destroy_srq)
 * @ibsrq: freed by the core; no QP was created with it, or all are gone
 * @udata: not looked at
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
int srnic_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct srnic_srq *srq = to_srnic_srq(ibsrq);

	if (is_xrc(srq))
		srnic_xrcd_remove_srq(srq);
	srnic_srq_destroy(srq);
	srnic_limit_put(&to_srnic_dev(ibsrq->device)->srqs);
	return 0;
}
