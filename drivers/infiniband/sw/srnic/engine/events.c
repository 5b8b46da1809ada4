// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions and events of a run.
 */
#include "events.h"

#include "qp.h"

static const enum ib_event_type qp_event_types[SRNIC_QP_EVENTS] = {
	[SRNIC_QP_EVENT_FATAL] = IB_EVENT_QP_FATAL,
	[SRNIC_QP_EVENT_REQ_ERR] = IB_EVENT_QP_REQ_ERR,
	[SRNIC_QP_EVENT_ACCESS_ERR] = IB_EVENT_QP_ACCESS_ERR,
	[SRNIC_QP_EVENT_COMM_EST] = IB_EVENT_COMM_EST,
	[SRNIC_QP_EVENT_SQ_DRAINED] = IB_EVENT_SQ_DRAINED,
	[SRNIC_QP_EVENT_LAST_WQE] = IB_EVENT_QP_LAST_WQE_REACHED,
};

static const enum ib_event_type srq_event_types[SRNIC_SRQ_EVENTS] = {
	[SRNIC_SRQ_LIMIT] = IB_EVENT_SRQ_LIMIT_REACHED,
	[SRNIC_SRQ_FAILED] = IB_EVENT_SRQ_ERR,
};

static bool write_cqe(struct srnic_qp *qp, struct srnic_cq *cq,
		      const struct srnic_cqe *cqe, bool solicited, bool *event,
		      bool *overrun)
{
	int ret = srnic_cq_post(cq, cqe, solicited);

	if (likely(ret >= 0)) {
		*event |= ret == SRNIC_CQ_EVENT;
		srnic_count(qp->counters, SRNIC_COUNTER_CQES);
		return true;
	}
	if (ret == -ENOSPC) {
		srnic_count(qp->counters, SRNIC_COUNTER_CQ_OVERRUNS);
		return true;
	}
	if (ret == -EOVERFLOW) {
		*overrun = true;
		srnic_count(qp->counters, SRNIC_COUNTER_CQ_OVERRUNS);
	}
	return false;
}

/**
 * srnic_complete_send() - write a CQE to the send CQ
 * @qp: queue pair
 * @cqe: completion; the QP number is filled in
 * @events: what is to be told at the end of the run
 *
 * Context: Send side owner.
 * Return: false if the CQ is dead, and so the QP must go to ERR.
 */
bool srnic_complete_send(struct srnic_qp *qp, const struct srnic_cqe *cqe,
			 struct srnic_events *events)
{
	return write_cqe(qp, to_srnic_cq(qp->ibqp.send_cq), cqe, false,
			 &events->send_cq, &events->send_overrun);
}

/* Where the work request in use completes: XRC: where its SRQ says. */
static struct ib_cq *recv_cq(const struct srnic_qp *qp)
{
	return qp->xrcd ? qp->recv.srq->ibsrq.ext.cq : qp->ibqp.recv_cq;
}

/**
 * srnic_complete_recv() - write a CQE to the receive CQ
 * @qp: queue pair, with the work request still in use
 * @cqe: completion
 * @solicited: the sender asked for a solicited event
 * @events: what is to be told at the end of the run
 *
 * Context: Responder lock.
 * Return: false if the CQ is dead, and so the QP must go to ERR.
 */
bool srnic_complete_recv(struct srnic_qp *qp, const struct srnic_cqe *cqe,
			 bool solicited, struct srnic_events *events)
{
	struct ib_cq *cq = recv_cq(qp);

	lockdep_assert_held(&qp->recv.lock);

	events->recv_on = cq;
	return write_cqe(qp, to_srnic_cq(cq), cqe, solicited, &events->recv_cq,
			 &events->recv_overrun);
}

static void raise_srq(const struct srnic_events *events)
{
	struct ib_srq *srq;
	unsigned int which;

	for_each_set_bit(which, &events->srq_events, SRNIC_SRQ_EVENTS) {
		struct ib_event event = {
			.event = srq_event_types[which],
		};

		srq = &events->srq->ibsrq;
		event.device = srq->device;
		event.element.srq = srq;
		if (srq->event_handler)
			srq->event_handler(&event, srq->srq_context);
	}
}

static void raise_cq(struct srnic_qp *qp, struct ib_cq *cq, bool event,
		     bool overrun)
{
	if (event) {
		srnic_count(qp->counters, SRNIC_COUNTER_CQ_EVENTS);
		srnic_cq_raise(to_srnic_cq(cq));
	}
	if (overrun && cq->event_handler) {
		struct ib_event event = {
			.device = cq->device,
			.element.cq = cq,
			.event = IB_EVENT_CQ_ERR,
		};

		cq->event_handler(&event, cq->cq_context);
	}
}

/**
 * srnic_events_deliver() - call the handlers
 * @qp: queue pair
 * @events: what happened in the run
 *
 * Context: The caller keeps the QP alive and holds no lock of this driver.
 */
void srnic_events_deliver(struct srnic_qp *qp, const struct srnic_events *events)
{
	unsigned int which;

	raise_cq(qp, qp->ibqp.send_cq, events->send_cq, events->send_overrun);
	raise_cq(qp, events->recv_on, events->recv_cq, events->recv_overrun);
	raise_srq(events);
	if (!qp->ibqp.event_handler)
		return;
	for_each_set_bit(which, &events->qp, SRNIC_QP_EVENTS) {
		struct ib_event event = {
			.device = qp->ibqp.device,
			.element.qp = &qp->ibqp,
			.event = qp_event_types[which],
		};

		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
	}
}
