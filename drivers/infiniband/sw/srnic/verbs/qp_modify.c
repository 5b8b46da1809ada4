// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Modification of queue pairs: whether it is allowed, and what query gives back
 * later. What it does is the engine's.
 */
#include <rdma/ib_addr.h>
#include <rdma/uverbs_ioctl.h>

#include "../engine/qp.h"
#include "../wire/format.h"
#include "verbs.h"

#define MAX_TIMEOUT		31
#define MAX_RETRIES		7
#define MAX_RNR_TIMER		31

#define QP_ACCESS						\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |	\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |	\
	 IB_ACCESS_MW_BIND | IB_ACCESS_OPTIONAL)

static bool av_ok(const struct rdma_ah_attr *attr)
{
	return attr->type == RDMA_AH_ATTR_TYPE_ROCE &&
	       attr->port_num == SRNIC_PORT &&
	       attr->ah_flags & IB_AH_GRH &&
	       !rdma_is_multicast_addr((struct in6_addr *)attr->grh.dgid.raw);
}

static bool path_ok(const struct srnic_qp *qp, const struct ib_qp_attr *attr,
		    int mask)
{
	if (mask & IB_QP_PORT && attr->port_num != SRNIC_PORT)
		return false;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index)
		return false;
	if (mask & IB_QP_AV && !av_ok(&attr->ah_attr))
		return false;
	if (mask & IB_QP_DEST_QPN && attr->dest_qp_num > SRNIC_QPN_MASK)
		return false;
	if (mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 ||
	     attr->path_mtu > srnic_active_mtu(qp->dev)))
		return false;
	/* There is no other path to migrate to. */
	if (mask & IB_QP_PATH_MIG_STATE &&
	    attr->path_mig_state != IB_MIG_MIGRATED)
		return false;
	return !(mask & IB_QP_ALT_PATH);
}

static bool limits_ok(const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~QP_ACCESS)
		return false;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC &&
	    attr->max_rd_atomic > SRNIC_MAX_RD_ATOMIC)
		return false;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	    attr->max_dest_rd_atomic > SRNIC_MAX_RD_ATOMIC)
		return false;
	return true;
}

static bool timers_ok(const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_TIMEOUT && attr->timeout > MAX_TIMEOUT)
		return false;
	if (mask & IB_QP_RETRY_CNT && attr->retry_cnt > MAX_RETRIES)
		return false;
	if (mask & IB_QP_RNR_RETRY && attr->rnr_retry > MAX_RETRIES)
		return false;
	if (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > MAX_RNR_TIMER)
		return false;
	return true;
}

/*
 * The state can change by itself in the same moment, to SQE or ERR; the engine
 * looks again under its locks.
 */
static int check(const struct srnic_qp *qp, const struct ib_qp_attr *attr,
		 int mask, enum ib_qp_state *from, enum ib_qp_state *next)
{
	enum ib_qp_state cur = READ_ONCE(qp->state);

	lockdep_assert_held(&qp->attr_mutex);

	*from = cur;
	*next = mask & IB_QP_STATE ? attr->qp_state : cur;
	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != cur)
		return -EINVAL;
	if (!ib_modify_qp_is_ok(cur, *next, qp->ibqp.qp_type, mask))
		return -EINVAL;
	/* What is under way goes by the old attributes. */
	if (srnic_qp_draining(qp) && *next != IB_QPS_ERR &&
	    *next != IB_QPS_RESET)
		return -EINVAL;
	if (!path_ok(qp, attr, mask) || !limits_ok(attr, mask) ||
	    !timers_ok(attr, mask))
		return -EINVAL;
	return 0;
}

static void remember_path(struct ib_qp_attr *to, const struct ib_qp_attr *from,
			  int mask)
{
	if (mask & IB_QP_PORT)
		to->port_num = from->port_num;
	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = from->pkey_index;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = from->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = from->dest_qp_num;
	if (mask & IB_QP_QKEY)
		to->qkey = from->qkey;
	if (mask & IB_QP_AV) {
		to->ah_attr = from->ah_attr;
		/* The reference is the path's and the core's own. */
		to->ah_attr.grh.sgid_attr = NULL;
	}
}

static void remember_limits(struct ib_qp_attr *to, const struct ib_qp_attr *from,
			    int mask)
{
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = from->qp_access_flags;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = from->rq_psn;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = from->sq_psn;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = from->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = from->max_dest_rd_atomic;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = from->en_sqd_async_notify;
}

static void remember_timers(struct ib_qp_attr *to, const struct ib_qp_attr *from,
			    int mask)
{
	if (mask & IB_QP_TIMEOUT)
		to->timeout = from->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = from->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = from->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = from->min_rnr_timer;
}

static void remember(struct srnic_qp *qp, const struct ib_qp_attr *attr,
		     int mask, enum ib_qp_state next)
{
	lockdep_assert_held(&qp->attr_mutex);

	if (mask & IB_QP_STATE && next == IB_QPS_RESET)
		qp->attr = (struct ib_qp_attr) {
			.path_mig_state = IB_MIG_MIGRATED,
		};
	remember_path(&qp->attr, attr, mask);
	remember_limits(&qp->attr, attr, mask);
	remember_timers(&qp->attr, attr, mask);
}

/**
 * srnic_modify_qp() - change state and attributes of a QP
 *		       (ib_device_ops.modify_qp)
 * @ibqp: queue pair
 * @attr: new attributes; the core has filled in the source GID and the MAC of
 *	  the destination
 * @mask: enum ib_qp_attr_mask: which of them
 * @udata: has to be empty; NULL for a kernel consumer
 *
 * Context: Process context. May sleep.
 * Return: 0, and otherwise nothing has changed: -EINVAL: not in this state, or a
 * value out of range; -EOPNOTSUPP: an attribute or @udata that is not known;
 * -ENOMEM; -EFAULT; what srnic_qp_modify() returns.
 */
int srnic_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata)
{
	struct srnic_qp *qp = to_srnic_qp(ibqp);
	enum ib_qp_state from, next;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	mutex_lock(&qp->attr_mutex);
	err = check(qp, attr, mask, &from, &next);
	if (!err)
		err = srnic_qp_modify(qp, attr, mask, from, next);
	if (!err)
		remember(qp, attr, mask, next);
	mutex_unlock(&qp->attr_mutex);
	return err;
}
