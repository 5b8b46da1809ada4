// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of queue pairs.
 */
#include "../engine/qp.h"

#include <linux/log2.h>
#include <rdma/srnic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "../wire/format.h"
#include "context.h"
#include "limit.h"
#include "verbs.h"

static int transport_of(enum ib_qp_type type, enum srnic_wqe_transport *transport)
{
	switch (type) {
	case IB_QPT_RC:
		*transport = SRNIC_WQE_RC;
		return 0;
	case IB_QPT_UC:
		*transport = SRNIC_WQE_UC;
		return 0;
	case IB_QPT_UD:
	case IB_QPT_GSI:
		*transport = SRNIC_WQE_UD;
		return 0;
	case IB_QPT_XRC_INI:
		*transport = SRNIC_WQE_XRC;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* Has it a receive queue of its own? */
static bool has_rq(const struct ib_qp_init_attr *init)
{
	return !init->srq && init->qp_type != IB_QPT_XRC_INI &&
	       init->qp_type != IB_QPT_XRC_TGT;
}

static int check_cap(const struct ib_qp_cap *cap, bool with_rq)
{
	if (cap->max_send_wr > SRNIC_MAX_QP_WR ||
	    cap->max_send_sge > SRNIC_MAX_SGE ||
	    cap->max_inline_data > SRNIC_MAX_INLINE)
		return -EINVAL;
	if (with_rq && (cap->max_recv_wr > SRNIC_MAX_QP_WR ||
			cap->max_recv_sge > SRNIC_MAX_SGE))
		return -EINVAL;
	return 0;
}

/*
 * The core makes a target QP in its own name, without @udata, and lets any process
 * of the domain open it: the creator may go before the QP does.
 */
static int check_target(const struct ib_qp_init_attr *init,
			const struct ib_udata *udata)
{
	if (udata || init->create_flags || init->srq)
		return -EOPNOTSUPP;
	return init->xrcd ? 0 : -EINVAL;
}

static int check_udata(struct ib_udata *udata)
{
	struct srnic_create_qp_cmd cmd;
	int err;

	err = ib_copy_validate_udata_in_cm(udata, cmd, reserved, 0);
	if (err)
		return err;
	return cmd.reserved ? -EINVAL : 0;
}

static int check(const struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	int err;

	if (init->qp_type == IB_QPT_XRC_TGT)
		return check_target(init, udata);
	if (init->create_flags || init->rwq_ind_tbl)
		return -EOPNOTSUPP;
	/* Management is the kernel's. */
	if (init->qp_type == IB_QPT_GSI && udata)
		return -EOPNOTSUPP;
	if (init->srq && init->srq->srq_type != IB_SRQT_BASIC)
		return -EINVAL;
	if (!init->send_cq ||
	    (!init->recv_cq && init->qp_type != IB_QPT_XRC_INI))
		return -EINVAL;

	err = udata ? check_udata(udata) : 0;
	if (err)
		return err;
	return check_cap(&init->cap, has_rq(init));
}

static u32 entries_for(u32 max_wr)
{
	return roundup_pow_of_two(max(max_wr, 1U));
}

/*
 * What is granted is at least what was asked for: slots come in powers of two,
 * and inline data may use all that is left of a slot. What is asked of a receive
 * queue is ignored if there is none.
 */
static int make_queues(struct srnic_qp *qp, struct ib_ucontext *ucontext,
		       const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;
	struct srnic_wqe_limits limits;
	u32 room;
	int err;

	err = transport_of(init->qp_type, &limits.transport);
	if (err)
		return err;
	room = srnic_sq_stride(cap->max_send_sge, cap->max_inline_data) -
	       SRNIC_WQE_HEADER_BYTES;
	limits.kernel = !ucontext;
	limits.max_sge = cap->max_send_sge;
	limits.max_inline = min_t(u32, room, SRNIC_MAX_INLINE);

	err = srnic_sq_create(&qp->sq, ucontext, entries_for(cap->max_send_wr),
			      &limits);
	if (err)
		return err;
	if (has_rq(init)) {
		err = srnic_rq_create(&qp->rq, ucontext,
				      entries_for(cap->max_recv_wr),
				      cap->max_recv_sge);
		if (err) {
			srnic_sq_destroy(&qp->sq);
			return err;
		}
	}

	qp->cap = (struct ib_qp_cap) {
		.max_send_wr = qp->sq.entries,
		.max_recv_wr = qp->rq.entries,
		.max_send_sge = limits.max_sge,
		.max_recv_sge = qp->rq.max_sge,
		.max_inline_data = limits.max_inline,
	};
	return 0;
}

static void destroy_queues(struct srnic_qp *qp)
{
	srnic_rq_destroy(&qp->rq);
	srnic_sq_destroy(&qp->sq);
}

static void init_qp(struct srnic_qp *qp, const struct ib_qp_init_attr *init,
		    bool kernel)
{
	qp->dev = to_srnic_dev(qp->ibqp.device);
	mutex_init(&qp->attr_mutex);
	qp->attr.path_mig_state = IB_MIG_MIGRATED;
	qp->kernel = kernel;
	spin_lock_init(&qp->sq_post_lock);
	spin_lock_init(&qp->rq_post_lock);
	qp->sq_sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	if (init->srq)
		qp->srq = to_srnic_srq(init->srq);
	if (init->qp_type == IB_QPT_XRC_TGT)
		qp->xrcd = to_srnic_xrcd(init->xrcd);
}

static int respond(const struct srnic_qp *qp, struct ib_udata *udata)
{
	const struct srnic_queue_map *doorbells = qp->doorbell.page->map;
	struct srnic_create_qp_resp resp = {
		.max_inline_data = qp->cap.max_inline_data,
		.sq_entries = qp->sq.entries,
		.sq_stride = qp->sq.stride,
		.rq_entries = qp->rq.entries,
		.rq_stride = qp->rq.stride,
		.sq_mmap_offset = srnic_queue_map_offset(qp->sq.map),
		.sq_mmap_bytes = qp->sq.map->bytes,
		.doorbell_mmap_offset = srnic_queue_map_offset(doorbells),
		.doorbell_mmap_bytes = doorbells->bytes,
		.doorbell_line = qp->doorbell.line,
		.doorbell_bit = qp->doorbell.bit,
	};

	if (qp->rq.map) {
		resp.rq_mmap_offset = srnic_queue_map_offset(qp->rq.map);
		resp.rq_mmap_bytes = qp->rq.map->bytes;
	}
	return ib_respond_udata(udata, resp);
}

/*
 * Who may still hold the QP: the engine, which finds it by its doorbell, and
 * packets and timers. The doorbell goes first, so that the grace period in
 * srnic_qp_stop() is for both.
 */
static void stop(struct srnic_qp *qp)
{
	if (qp->doorbell.page)
		srnic_context_put_doorbell(qp);
	srnic_qp_stop(qp);
}

/*
 * The doorbell comes last: garbage in the doorbell lines may lead the engine
 * here as soon as there is one.
 */
static int start(struct srnic_qp *qp, struct srnic_ucontext *ucontext,
		 struct ib_udata *udata)
{
	int err;

	err = srnic_qp_start(qp);
	if (err)
		return err;
	qp->ibqp.qp_num = srnic_qp_is_gsi(qp) ? SRNIC_GSI_QPN : qp->number;
	/* The kernel does not ring, and need not be told of queues. */
	if (!ucontext)
		return 0;
	err = srnic_context_get_doorbell(ucontext, qp);
	if (err) {
		srnic_qp_stop(qp);
		return err;
	}

	err = respond(qp, udata);
	if (err)
		stop(qp);
	return err;
}

/**
 * srnic_create_qp() - make a queue pair (ib_device_ops.create_qp)
 * @ibqp: allocated by the core
 * @init: what is wanted; its cap is set to what is granted
 * @udata: a struct srnic_create_qp_cmd and room for a struct
 *	   srnic_create_qp_resp; NULL for an XRC target and a kernel consumer
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: beyond a limit, or reserved fields in use; -EOPNOTSUPP: a
 * type, flag or extension that is not known; -EBUSY: there is a GSI already;
 * -ENOMEM: SRNIC_MAX_QP reached, or no memory; -EFAULT.
 */
int srnic_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		    struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic_dev(ibqp->device);
	struct srnic_qp *qp = to_srnic_qp(ibqp);
	struct srnic_ucontext *ucontext = NULL;
	int err;

	err = check(init, udata);
	if (err)
		return err;
	if (udata)
		ucontext = rdma_udata_to_drv_context(udata,
						     struct srnic_ucontext,
						     ibucontext);

	err = srnic_limit_get(&dev->qps, SRNIC_MAX_QP);
	if (err)
		return err;
	init_qp(qp, init, !ucontext);
	if (init->qp_type != IB_QPT_XRC_TGT) {
		err = make_queues(qp, ucontext ? &ucontext->ibucontext : NULL,
				  init);
		if (err)
			goto err_limit_put;
	}
	err = start(qp, ucontext, udata);
	if (err)
		goto err_destroy_queues;

	init->cap = qp->cap;
	return 0;

err_destroy_queues:
	destroy_queues(qp);
err_limit_put:
	mutex_destroy(&qp->attr_mutex);
	srnic_limit_put(&dev->qps);
	return err;
}

/**
 * srnic_destroy_qp() - end a queue pair in any state
 *			(ib_device_ops.destroy_qp)
 * @ibqp: freed by the core
 * @udata: not looked at
 *
 * Context: Process context. May sleep. When it returns, no CQE is written for
 * the QP any more, and no memory is accessed.
 * Return: 0.
 */
int srnic_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct srnic_qp *qp = to_srnic_qp(ibqp);

	stop(qp);
	destroy_queues(qp);
	mutex_destroy(&qp->attr_mutex);
	srnic_limit_put(&qp->dev->qps);
	return 0;
}
