// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive work requests: taken, completed, flushed.
 */
#include "recv.h"
#include "send.h"

static enum srnic_fetch take_shared(struct srnic_srq *srq,
				    struct srnic_recv_wr *wr,
				    struct srnic_events *events)
{
	events->srq = srq;
	return srnic_srq_take(srq, wr, &events->srq_events);
}

/**
 * srnic_recv_take() - see to it that a receive work request is in use
 * @qp: queue pair
 * @srq: SRQ to take it from, or NULL: the QP's own queue
 * @events: what is to be told at the end of the run
 *
 * One that was taken for a message that came to nothing is used again.
 *
 * Context: Responder lock.
 * Return: SRNIC_FETCH_OK if there is one.
 */
enum srnic_fetch srnic_recv_take(struct srnic_qp *qp, struct srnic_srq *srq,
				 struct srnic_events *events)
{
	struct srnic_recv_side *recv = &qp->recv;
	enum srnic_fetch found;

	lockdep_assert_held(&recv->lock);

	if (!recv->wr_held) {
		found = srq ? take_shared(srq, &recv->wr, events) :
			      srnic_rq_take(&qp->rq, &recv->wr);
		if (found == SRNIC_FETCH_EMPTY ||
		    found == SRNIC_FETCH_BAD_INDEX)
			return found;
		srnic_count(qp->counters, SRNIC_COUNTER_RECV_WQES);
		recv->wr_held = true;
		recv->srq = srq;
		if (found != SRNIC_FETCH_OK)
			return found;
	}
	recv->cursor = (struct srnic_sg_cursor){};
	recv->cursor_offset = 0;
	return SRNIC_FETCH_OK;
}

/**
 * srnic_recv_give_back() - a work request of an SRQ is not used after all
 * @qp: queue pair that is reset
 *
 * Work requests of the QP's own queue are dropped with that.
 *
 * Context: BHs off; responder lock.
 */
void srnic_recv_give_back(struct srnic_qp *qp)
{
	struct srnic_recv_side *recv = &qp->recv;

	lockdep_assert_held(&recv->lock);

	if (recv->wr_held && recv->srq) {
		srnic_srq_give_back(recv->srq, recv->returned, &recv->wr);
		recv->returned = NULL;
	}
	recv->wr_held = false;
	recv->srq = NULL;
}

/**
 * srnic_recv_complete() - complete the receive work request in use
 * @qp: queue pair
 * @cqe: completion; what the work request determines is filled in
 * @solicited: the sender asked for a solicited event
 * @events: what is to be told at the end of the run
 *
 * Context: Responder lock.
 * Return: false if the CQ is dead.
 */
bool srnic_recv_complete(struct srnic_qp *qp, struct srnic_cqe *cqe,
			 bool solicited, struct srnic_events *events)
{
	struct srnic_recv_side *recv = &qp->recv;
	bool alive;

	lockdep_assert_held(&recv->lock);

	cqe->wr_id = recv->wr.wr_id;
	cqe->wqe_index = recv->wr.wqe_index;
	cqe->qp_num = qp->number;
	if (qp->xrcd) {
		cqe->flags |= SRNIC_WC_XRC_SRQ;
		cqe->srqn = recv->srq->number;
	}
	alive = srnic_complete_recv(qp, cqe, solicited, events);
	recv->wr_held = false;
	recv->srq = NULL;
	return alive;
}

/**
 * srnic_recv_fail() - the receive work request in use fails
 * @qp: queue pair
 * @status: how
 * @events: what is to be told at the end of the run
 *
 * Context: Responder lock.
 */
void srnic_recv_fail(struct srnic_qp *qp, enum ib_wc_status status,
		     struct srnic_events *events)
{
	struct srnic_cqe cqe = {
		.status = status,
		.opcode = IB_WC_RECV,
	};

	srnic_recv_complete(qp, &cqe, false, events);
}

/*
 * An SRQ is not flushed, only the work request that the QP holds (6.9). It takes no
 * other one in ERR.
 */
static void flush_shared(struct srnic_qp *qp, struct srnic_events *events)
{
	struct srnic_recv_side *recv = &qp->recv;

	lockdep_assert_held(&recv->lock);

	if (recv->wr_held)
		srnic_recv_fail(qp, IB_WC_WR_FLUSH_ERR, events);
	if (!recv->last_wqe)
		events->qp |= BIT(SRNIC_QP_EVENT_LAST_WQE);
	recv->last_wqe = true;
}

/**
 * srnic_recv_flush_locked() - complete receive work requests with a flush error
 * @qp: queue pair in ERR
 * @events: what is to be told at the end of the run
 * @budget: completions left
 *
 * Context: Responder lock.
 * Return: true if the receive queue is empty.
 */
bool srnic_recv_flush_locked(struct srnic_qp *qp, struct srnic_events *events,
			     int *budget)
{
	struct srnic_recv_side *recv = &qp->recv;

	lockdep_assert_held(&recv->lock);

	if (srnic_qp_shares_receives(qp)) {
		flush_shared(qp, events);
		return true;
	}
	/* An XRC initiator receives nothing. */
	if (!qp->rq.map)
		return true;
	while (recv->wr_held || *budget > 0) {
		if (!recv->wr_held) {
			enum srnic_fetch found;

			found = srnic_rq_take(&qp->rq, &recv->wr);
			if (found == SRNIC_FETCH_EMPTY ||
			    found == SRNIC_FETCH_BAD_INDEX)
				return true;
		}
		srnic_recv_fail(qp, IB_WC_WR_FLUSH_ERR, events);
		--*budget;
	}
	return false;
}

/**
 * srnic_recv_flush() - flush the receive queue in a send side's run
 * @run: run of a QP in ERR
 *
 * Context: Run owner.
 */
void srnic_recv_flush(struct srnic_send_run *run)
{
	struct srnic_qp *qp = run->qp;

	spin_lock(&qp->recv.lock);
	/* Somebody may have reset it meanwhile. */
	if (qp->state == IB_QPS_ERR)
		srnic_recv_flush_locked(qp, &run->events, &run->budget);
	spin_unlock(&qp->recv.lock);
}
