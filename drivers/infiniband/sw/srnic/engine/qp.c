// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A queue pair: its life, and its states.
 */
#include "qp.h"

#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../wire/aeth.h"
#include "../wire/psn.h"
#include "engine.h"
#include "gsi.h"
#include "qp_table.h"
#include "recv.h"
#include "send.h"

/* Runs of a send side that a kick may take, before the engine takes over. */
#define KICK_ROUNDS	4

/* Both sides as they are in RESET: no work, no history (5.1.4). */
static void reset_locked(struct srnic_qp *qp)
{
	struct srnic_send_side *send = &qp->send;
	struct srnic_recv_side *recv = &qp->recv;

	lockdep_assert_held(&recv->lock);

	skb_queue_purge(&send->responses);
	srnic_mw_set_clear(&qp->windows);
	srnic_sq_reset(&qp->sq);
	srnic_req_init(&send->req, max(qp->sq.entries, 1U), srnic_qp_service(qp));
	send->deadline = 0;
	send->stuck = false;
	send->refused = false;
	send->ud_psn = 0;
	send->drain_event = false;
	send->watch_ns = NSEC_PER_MSEC;

	srnic_rq_reset(&qp->rq);
	srnic_rsp_init(&recv->rsp, srnic_qp_service(qp));
	srnic_recv_give_back(qp);
	recv->comm_est = false;
	recv->failed = false;
	recv->last_wqe = false;
	recv->qkey = 0;
}

/*
 * A work request of an SRQ that the QP holds when it is reset or destroyed is given
 * back, and that cannot fail: the memory is there before.
 */
static int provide_returned(struct srnic_qp *qp)
{
	if (!srnic_qp_shares_receives(qp) || qp->recv.returned)
		return 0;
	qp->recv.returned = kmalloc(sizeof(*qp->recv.returned),
				    GFP_KERNEL_ACCOUNT);
	return qp->recv.returned ? 0 : -ENOMEM;
}

/**
 * srnic_qp_start() - bring a QP to life
 * @qp: queue pair, zeroed but for ibqp, dev, cap, sq_sig_all, sq, rq, srq, xrcd
 *	and doorbell
 *
 * It is in RESET then and has its number.
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOMEM, or -EBUSY if all QP numbers are taken, or the device has its
 * GSI QP already.
 */
int srnic_qp_start(struct srnic_qp *qp)
{
	int ret;

	qp->send.msgs = kvcalloc(max(qp->sq.entries, 1U),
				 sizeof(*qp->send.msgs), GFP_KERNEL_ACCOUNT);
	if (!qp->send.msgs)
		return -ENOMEM;
	qp->counters = qp->dev->counters;
	srnic_mw_set_init(&qp->windows);
	srnic_send_init(qp);
	srnic_recv_init(qp);
	srnic_engine_init_qp(qp);
	qp->state = IB_QPS_RESET;
	ret = provide_returned(qp);
	if (ret)
		goto err_free_msgs;

	ret = srnic_qp_table_reserve(qp);
	if (ret)
		goto err_free_returned;
	spin_lock_bh(&qp->recv.lock);
	reset_locked(qp);
	spin_unlock_bh(&qp->recv.lock);
	if (qp->xrcd)
		srnic_xrcd_add_target(qp);
	if (srnic_qp_is_gsi(qp)) {
		ret = srnic_gsi_add(qp);
		if (ret)
			goto err_remove;
	}
	srnic_qp_table_publish(qp);
	return 0;

err_remove:
	srnic_qp_table_remove(qp);
err_free_returned:
	kfree(qp->recv.returned);
err_free_msgs:
	kvfree(qp->send.msgs);
	return ret;
}

/**
 * srnic_qp_to_error_locked() - go to ERR because of something that happened
 * @qp: queue pair
 *
 * The queues are flushed by the next run of the send side, which the caller
 * brings about if it does not own that.
 *
 * Context: Responder lock.
 */
void srnic_qp_to_error_locked(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->recv.lock);

	if (qp->state >= IB_QPS_INIT && qp->state <= IB_QPS_SQE)
		WRITE_ONCE(qp->state, IB_QPS_ERR);
}

/**
 * srnic_qp_to_error() - go to ERR because of something that happened
 * @qp: queue pair
 *
 * Context: BHs off, send side owner, responder lock not held.
 */
void srnic_qp_to_error(struct srnic_qp *qp)
{
	spin_lock(&qp->recv.lock);
	srnic_qp_to_error_locked(qp);
	spin_unlock(&qp->recv.lock);
}

/**
 * srnic_qp_to_sq_error() - go to SQE because a send failed
 * @qp: queue pair, UC or UD
 *
 * Context: BHs off, send side owner, responder lock not held.
 */
void srnic_qp_to_sq_error(struct srnic_qp *qp)
{
	spin_lock(&qp->recv.lock);
	if (qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD)
		WRITE_ONCE(qp->state, IB_QPS_SQE);
	spin_unlock(&qp->recv.lock);
}

static void apply_send(struct srnic_qp *qp, const struct ib_qp_attr *attr,
		       int mask)
{
	struct srnic_send_side *send = &qp->send;
	struct srnic_req *req = &send->req;

	if (mask & IB_QP_PATH_MTU)
		req->mtu = ib_mtu_enum_to_int(attr->path_mtu);
	if (mask & IB_QP_SQ_PSN) {
		req->una = srnic_psn_mask(attr->sq_psn);
		req->send_psn = req->una;
		req->top_psn = req->una;
		req->next_psn = req->una;
		send->ud_psn = req->una;
	}
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		req->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_TIMEOUT)
		send->timeout_ns = attr->timeout ?
				   srnic_ack_timeout_ns(attr->timeout) : 0;
	if (mask & IB_QP_RETRY_CNT) {
		req->retry_cnt = attr->retry_cnt;
		req->retry_left = attr->retry_cnt;
	}
	if (mask & IB_QP_RNR_RETRY) {
		req->rnr_retry = attr->rnr_retry;
		req->rnr_left = attr->rnr_retry;
	}
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		send->drain_event = attr->en_sqd_async_notify;
}

static void apply_recv(struct srnic_qp *qp, const struct ib_qp_attr *attr,
		       int mask)
{
	struct srnic_recv_side *recv = &qp->recv;

	lockdep_assert_held(&recv->lock);

	if (mask & IB_QP_PATH_MTU)
		recv->rsp.mtu = ib_mtu_enum_to_int(attr->path_mtu);
	if (mask & IB_QP_RQ_PSN)
		recv->rsp.epsn = srnic_psn_mask(attr->rq_psn);
	if (mask & IB_QP_ACCESS_FLAGS)
		recv->rsp.access = attr->qp_access_flags;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		recv->rsp.max_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		recv->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_QKEY)
		recv->qkey = attr->qkey;
}

static void enter(struct srnic_qp *qp, enum ib_qp_state next)
{
	lockdep_assert_held(&qp->recv.lock);

	switch (next) {
	case IB_QPS_RESET:
		reset_locked(qp);
		break;
	case IB_QPS_RTR:
		qp->recv.comm_est = false;
		break;
	case IB_QPS_RTS:
		qp->send.req.draining = false;
		qp->send.drain_event = false;
		break;
	case IB_QPS_SQD:
		qp->send.req.draining = true;
		/* The last packet may not have asked for an acknowledgment. */
		srnic_req_go_back(&qp->send.req);
		break;
	default:
		break;
	}
	/* Pairs with the acquire in receive.c: the path is there before. */
	smp_store_release(&qp->state, next);
}

/* The state may have changed by itself since the caller looked. */
static bool still_possible(const struct srnic_qp *qp, enum ib_qp_state current_,
			   enum ib_qp_state next)
{
	return qp->state == current_ || next == IB_QPS_RESET ||
	       next == IB_QPS_ERR;
}

static int apply(struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask,
		 enum ib_qp_state from, enum ib_qp_state next,
		 struct srnic_path *path)
{
	struct srnic_events events = {};
	int ret = -EINVAL;

	srnic_send_lock(qp);
	/* What SQE was to flush must not be sent now. */
	if (READ_ONCE(qp->state) == IB_QPS_SQE && next == IB_QPS_RTS)
		srnic_send_flush_rest(qp, &events);
	spin_lock(&qp->recv.lock);
	if (still_possible(qp, from, next)) {
		apply_send(qp, attr, mask);
		apply_recv(qp, attr, mask);
		if (mask & IB_QP_DEST_QPN)
			qp->peer = attr->dest_qp_num;
		if (mask & IB_QP_AV)
			swap(qp->path, *path);
		enter(qp, next);
		ret = 0;
	}
	spin_unlock(&qp->recv.lock);
	srnic_send_unlock(qp);
	/* As after a run: handlers and counters rely on it. */
	local_bh_disable();
	rcu_read_lock();
	srnic_events_deliver(qp, &events);
	rcu_read_unlock();
	local_bh_enable();
	return ret;
}

/**
 * srnic_qp_modify() - change attributes and state
 * @qp: queue pair
 * @attr: attributes, checked by the caller
 * @mask: which of them are meant
 * @from: the state that the caller has found it in and checked against
 * @next: the state to go to; may be the present one
 *
 * Context: Process context, may sleep; &struct srnic_qp.attr_mutex held.
 * Return: 0, -EINVAL if the state has changed by itself meanwhile or the
 * address vector is bad, or -ENOMEM.
 */
int srnic_qp_modify(struct srnic_qp *qp, const struct ib_qp_attr *attr,
		    int mask, enum ib_qp_state from, enum ib_qp_state next)
{
	struct srnic_path path = {};
	u32 peer;
	int ret;

	lockdep_assert_held(&qp->attr_mutex);

	/* It was used up by an earlier reset. In RESET nothing is taken or returned. */
	ret = provide_returned(qp);
	if (ret)
		return ret;

	if (mask & IB_QP_AV) {
		peer = mask & IB_QP_DEST_QPN ? attr->dest_qp_num : qp->peer;
		ret = qp->dev->net_ops->path_init(qp->dev, &path,
						  &attr->ah_attr, qp->number,
						  peer, GFP_KERNEL_ACCOUNT);
		if (ret)
			return ret;
	}
	ret = apply(qp, attr, mask, from, next, &path);
	/* The old one, or the new one if it was not taken. */
	if (path.valid) {
		synchronize_rcu_expedited();
		qp->dev->net_ops->path_release(&path);
	}
	return ret;
}

/**
 * srnic_qp_stop() - end a QP
 * @qp: queue pair
 *
 * Who may still hold it, and when they are gone:
 *
 *  1. Nobody finds it any more: not packets, and not the engine by its
 *     doorbell, which the caller has given back.
 *  2. In RESET no run does anything, and none starts the timer.
 *  3. After a grace period: packets and doorbells that had found it.
 *  4. The timer, which is not started any more, is cancelled.
 *  5. What was left to the tasklet and to the workqueue is waited for; nothing is
 *     left to them again.
 *  6. An XRC target is not looked through any more when an SRQ goes: it holds no
 *     work request.
 *
 * Kicks and modifications are the core's to keep away.
 *
 * Context: Process context, sleeps.
 */
void srnic_qp_stop(struct srnic_qp *qp)
{
	srnic_qp_table_remove(qp);
	if (srnic_qp_is_gsi(qp))
		srnic_gsi_remove(qp);

	srnic_send_lock(qp);
	spin_lock(&qp->recv.lock);
	enter(qp, IB_QPS_RESET);
	spin_unlock(&qp->recv.lock);
	srnic_send_unlock(qp);

	synchronize_rcu_expedited();
	hrtimer_cancel(&qp->send.timer);
	srnic_engine_stop_qp(qp);
	if (qp->xrcd)
		srnic_xrcd_remove_target(qp);

	skb_queue_purge(&qp->send.responses);
	qp->dev->net_ops->path_release(&qp->path);
	kfree(qp->recv.returned);
	kvfree(qp->send.msgs);
}

/**
 * srnic_qp_kick() - the process has posted and found its doorbell line parked
 * @qp: queue pair
 *
 * Runs the send queue here and now.
 *
 * Context: Process context.
 * Return: 0.
 */
int srnic_qp_kick(struct srnic_qp *qp)
{
	int rounds = KICK_ROUNDS;

	/* A counter of its own may be taken from it and freed. Elsewhere BHs are off. */
	rcu_read_lock();
	srnic_count(qp->counters, SRNIC_COUNTER_KICKS);
	rcu_read_unlock();
	srnic_doorbell_clear(&qp->doorbell);
	while (srnic_send_run_once(qp))
		if (!--rounds) {
			srnic_engine_leave(qp);
			break;
		}
	srnic_engine_kicked(qp->dev->engine);
	return 0;
}
