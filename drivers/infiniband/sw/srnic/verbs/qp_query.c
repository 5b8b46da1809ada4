// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What is known of a queue pair.
 */
#include "../engine/qp.h"
#include "verbs.h"

/**
 * srnic_qp_draining() - does a QP in SQD wait for what it had started?
 * @qp: queue pair
 *
 * A glance at what the send side owner may be changing: true a moment ago. Once
 * false it stays so, because nothing is started in SQD.
 *
 * Context: Any.
 * Return: true if it is in SQD and something is outstanding.
 */
bool srnic_qp_draining(const struct srnic_qp *qp)
{
	const struct srnic_req *req = &qp->send.req;

	return READ_ONCE(qp->state) == IB_QPS_SQD &&
	       READ_ONCE(req->tail) != READ_ONCE(req->started);
}

/*
 * PSNs are those of the next packet to be sent and to be expected: a glance, too.
 */
static void query_psns(const struct srnic_qp *qp, struct ib_qp_attr *attr)
{
	if (qp->ibqp.qp_type == IB_QPT_UD) {
		if (attr->qp_state >= IB_QPS_RTS)
			attr->sq_psn = READ_ONCE(qp->send.ud_psn);
		return;
	}
	if (qp->ibqp.qp_type == IB_QPT_GSI)
		return;
	if (attr->qp_state >= IB_QPS_RTS)
		attr->sq_psn = READ_ONCE(qp->send.req.next_psn);
	if (attr->qp_state >= IB_QPS_RTR)
		attr->rq_psn = READ_ONCE(qp->recv.rsp.epsn);
}

/**
 * srnic_query_qp() - give attributes back (ib_device_ops.query_qp)
 * @ibqp: queue pair
 * @attr: result: what modify has set, the state and PSNs as they are now
 * @mask: not looked at: all of them are given
 * @init: result: what it was created with
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
int srnic_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init)
{
	struct srnic_qp *qp = to_srnic_qp(ibqp);
	enum ib_qp_state state;

	mutex_lock(&qp->attr_mutex);
	state = READ_ONCE(qp->state);
	*attr = qp->attr;
	mutex_unlock(&qp->attr_mutex);

	attr->qp_state = state;
	attr->cur_qp_state = state;
	attr->sq_draining = srnic_qp_draining(qp);
	attr->cap = qp->cap;
	query_psns(qp, attr);

	*init = (struct ib_qp_init_attr) {
		.event_handler = ibqp->event_handler,
		.qp_context = ibqp->qp_context,
		.send_cq = ibqp->send_cq,
		.recv_cq = ibqp->recv_cq,
		.srq = ibqp->srq,
		.cap = qp->cap,
		.sq_sig_type = qp->sq_sig_all ? IB_SIGNAL_ALL_WR :
						IB_SIGNAL_REQ_WR,
		.qp_type = ibqp->qp_type,
		.port_num = ibqp->port,
	};
	return 0;
}
