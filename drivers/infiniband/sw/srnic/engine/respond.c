// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Respond: carry out what request packets ask for, RC, UC and XRC.
 */
#include "engine.h"
#include "recv.h"
#include "send.h"

/**
 * struct refusal - why a request cannot be carried out
 * @syndrome: NAK that says so
 * @status: how the receive work request in use fails, if there is one
 * @event: asynchronous event, if there is none
 */
struct refusal {
	u8 syndrome;
	enum ib_wc_status status;
	enum srnic_qp_event event;
};

static const struct refusal invalid_request = {
	SRNIC_NAK_INV_REQ, IB_WC_LOC_QP_OP_ERR, SRNIC_QP_EVENT_REQ_ERR
};

static const struct refusal too_long = {
	SRNIC_NAK_INV_REQ, IB_WC_LOC_LEN_ERR, SRNIC_QP_EVENT_REQ_ERR
};

static const struct refusal access_violation = {
	SRNIC_NAK_REM_ACCESS, IB_WC_LOC_ACCESS_ERR, SRNIC_QP_EVENT_ACCESS_ERR
};

/*
 * There is no such SRQ in the QP's XRC domain (3.1.9). The code for it was that of
 * reliable datagrams, which not every requester knows.
 */
static const struct refusal xrc_violation = {
	SRNIC_NAK_REM_ACCESS, IB_WC_LOC_ACCESS_ERR, SRNIC_QP_EVENT_ACCESS_ERR
};

static const struct refusal bad_buffer = {
	SRNIC_NAK_REM_OP, IB_WC_LOC_PROT_ERR, SRNIC_QP_EVENT_FATAL
};

static const struct refusal bad_recv_wr = {
	SRNIC_NAK_REM_OP, IB_WC_LOC_QP_OP_ERR, SRNIC_QP_EVENT_FATAL
};

/* RNR: no error, and nothing else to tell. */
static const struct refusal not_ready = {};

static int access_for(enum srnic_msg_kind kind)
{
	switch (kind) {
	case SRNIC_MSG_WRITE:
	case SRNIC_MSG_ATOMIC_WRITE:
		return IB_ACCESS_REMOTE_WRITE;
	case SRNIC_MSG_READ:
		return IB_ACCESS_REMOTE_READ;
	default:
		return IB_ACCESS_REMOTE_ATOMIC;
	}
}

static const struct refusal *place_send(struct srnic_qp *qp,
					const struct srnic_rx *rx,
					const struct srnic_rsp_step *step)
{
	struct srnic_recv_side *recv = &qp->recv;
	u32 bytes = rx->pkt.payload_bytes;

	/* The SRQ that it came from was destroyed, and another has its number. */
	if (!recv->wr_held)
		return &xrc_violation;
	if (step->message_bytes > recv->wr.length)
		return &too_long;
	if (recv->cursor_offset != step->offset)
		srnic_sg_seek(recv->wr.sge, recv->wr.num_sge, &recv->cursor,
			      step->offset);
	if (bytes && srnic_sg_write_skb(&qp->dev->keys, srnic_recv_pd(qp),
					recv->wr.sge, recv->wr.num_sge,
					&recv->cursor, rx->skb, rx->payload,
					bytes))
		return &bad_buffer;
	recv->cursor_offset = step->offset + bytes;
	return NULL;
}

static const struct refusal *place_write(struct srnic_qp *qp,
					 const struct ib_pd *pd,
					 const struct srnic_rx *rx,
					 const struct srnic_rsp_step *step)
{
	struct srnic_mem_ref ref;
	int err;

	/* Looked up for each packet: it may be gone since the first (3.3.3). */
	if (srnic_mem_find_remote(&qp->dev->keys, pd, &qp->windows, step->rkey,
				  step->va, rx->pkt.payload_bytes,
				  IB_ACCESS_REMOTE_WRITE, &ref) != SRNIC_MEM_OK)
		return &access_violation;
	err = srnic_mem_write_skb(ref.mr, ref.va, rx->skb, rx->payload,
				  rx->pkt.payload_bytes);
	srnic_mem_release(&ref);
	return err ? &access_violation : NULL;
}

static int atomic_write(const struct srnic_rx *rx,
			const struct srnic_mem_ref *ref)
{
	u64 value;

	if (skb_copy_bits(rx->skb, rx->payload, &value, sizeof(value)))
		return -EFAULT;
	return srnic_mem_atomic_write(ref->mr, ref->va, value);
}

/* A window may have led to an address that is not aligned. */
static const struct refusal *do_atomic(const struct srnic_rx *rx,
				       const struct srnic_rsp_step *step,
				       const struct srnic_mem_ref *ref,
				       u64 *original)
{
	const struct srnic_pkt *pkt = &rx->pkt;
	int ret;

	if (step->kind == SRNIC_MSG_ATOMIC_WRITE)
		ret = atomic_write(rx, ref);
	else if (step->kind == SRNIC_MSG_CMP_SWAP)
		ret = srnic_mem_cmp_swap(ref->mr, ref->va, pkt->compare,
					 pkt->swap_add, original);
	else
		ret = srnic_mem_fetch_add(ref->mr, ref->va, pkt->swap_add,
					  original);
	return ret ? &access_violation : NULL;
}

static const struct refusal *take_recv(struct srnic_qp *qp,
				       struct srnic_srq *srq,
				       struct srnic_events *events)
{
	switch (srnic_recv_take(qp, srq, events)) {
	case SRNIC_FETCH_OK:
		return NULL;
	case SRNIC_FETCH_EMPTY:
		return &not_ready;
	case SRNIC_FETCH_BAD_INDEX:
		srnic_count(qp->counters, SRNIC_COUNTER_BAD_INDEX);
		return &bad_recv_wr;
	case SRNIC_FETCH_BAD_WR:
		break;
	}
	srnic_count(qp->counters, SRNIC_COUNTER_BAD_WQE);
	return &bad_recv_wr;
}

/* Carry out what the step says. Nothing is placed before all is checked. */
static const struct refusal *execute(struct srnic_qp *qp,
				     const struct srnic_rx *rx,
				     const struct srnic_rsp_step *step,
				     struct srnic_events *events, u64 *original)
{
	const struct ib_pd *pd = qp->ibqp.pd;
	const struct refusal *refusal = NULL;
	struct srnic_srq *srq = qp->srq;
	struct srnic_mem_ref ref;

	if (qp->xrcd) {
		srq = srnic_xrcd_find_srq(qp->dev, qp->xrcd, rx->pkt.srqn);
		if (!srq)
			return &xrc_violation;
		pd = srq->ibsrq.pd;
	}
	if (step->take_recv) {
		refusal = take_recv(qp, srq, events);
		if (refusal)
			return refusal;
	}
	if (step->check_key) {
		if (srnic_mem_find_remote(&qp->dev->keys, pd, &qp->windows,
					  step->rkey, step->va, step->length,
					  access_for(step->kind),
					  &ref) != SRNIC_MEM_OK)
			return &access_violation;
		if (step->kind >= SRNIC_MSG_ATOMIC_WRITE)
			refusal = do_atomic(rx, step, &ref, original);
		srnic_mem_release(&ref);
	}
	srnic_count_add(qp->counters, SRNIC_COUNTER_COPY_BYTES,
			rx->pkt.payload_bytes);
	if (step->place_send)
		return place_send(qp, rx, step);
	if (step->place_write)
		return place_write(qp, pd, rx, step);
	return refusal;
}

static void complete_message(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			     const struct srnic_rsp_step *step,
			     struct srnic_events *events)
{
	struct srnic_cqe cqe = {
		.status = IB_WC_SUCCESS,
		.opcode = step->kind == SRNIC_MSG_WRITE ?
			  IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV,
		.byte_len = step->message_bytes,
		.src_qp = qp->peer,
	};

	if (pkt->info->has_imm) {
		cqe.flags |= SRNIC_WC_WITH_IMM;
		cqe.imm = (__force u32)pkt->imm;
	} else if (pkt->info->has_ieth) {
		cqe.flags |= SRNIC_WC_WITH_INV;
		cqe.imm = pkt->inv_rkey;
	}
	if (!srnic_recv_complete(qp, &cqe, pkt->solicited, events)) {
		events->qp |= BIT(SRNIC_QP_EVENT_FATAL);
		srnic_qp_to_error_locked(qp);
	}
}

/* A request is refused for good: NAK, tell, and then the QP goes to ERR. */
static void refuse(struct srnic_qp *qp, const struct refusal *refusal,
		   struct srnic_events *events)
{
	srnic_rsp_nak(&qp->recv.rsp, refusal->syndrome);
	if (qp->recv.wr_held)
		srnic_recv_fail(qp, refusal->status, events);
	else
		events->qp |= BIT(refusal->event);
	qp->recv.failed = true;
}

/*
 * The message is executed and acknowledged; that its key cannot be invalidated is
 * the receiver's error (3.6.3). The QP goes to ERR when the acknowledgment is out.
 */
static void fail_invalidate(struct srnic_qp *qp, struct srnic_events *events)
{
	srnic_recv_fail(qp, IB_WC_MW_BIND_ERR, events);
	qp->recv.failed = true;
}

/* An XRC target has no domain: that of the SRQ whose receive is in use serves. */
static bool invalidate(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	const struct ib_pd *pd;

	if (!pkt->info->has_ieth)
		return true;
	pd = qp->xrcd ? qp->recv.srq->ibsrq.pd : qp->ibqp.pd;
	return !srnic_mem_invalidate(&qp->dev->keys, pd, &qp->windows,
				     pkt->inv_rkey, true);
}

static void execute_and_commit(struct srnic_qp *qp, struct srnic_rx *rx,
			       struct srnic_rsp_step *step,
			       struct srnic_events *events)
{
	struct srnic_recv_side *recv = &qp->recv;
	const struct refusal *refusal;
	u64 original = 0;

	refusal = execute(qp, rx, step, events, &original);
	if (!refusal) {
		srnic_rsp_commit(&recv->rsp, &rx->pkt, step, original);
		if (!step->complete_recv)
			return;
		if (invalidate(qp, &rx->pkt))
			complete_message(qp, &rx->pkt, step, events);
		else
			fail_invalidate(qp, events);
	} else if (recv->rsp.service == SRNIC_SERVICE_UC &&
		   refusal->syndrome != SRNIC_NAK_REM_OP) {
		/* The peer's fault, or bad luck: the message is lost (3.8). */
		step->verdict = SRNIC_RSP_DROP;
		srnic_rsp_commit(&recv->rsp, &rx->pkt, step, 0);
		srnic_count(qp->counters, SRNIC_COUNTER_RX_UC_DROPPED);
	} else if (refusal == &not_ready) {
		srnic_rsp_nak(&recv->rsp, srnic_aeth_rnr(recv->min_rnr_timer));
	} else {
		refuse(qp, refusal, events);
	}
}

static void respond(struct srnic_qp *qp, struct srnic_rx *rx,
		    struct srnic_events *events)
{
	struct srnic_recv_side *recv = &qp->recv;
	struct srnic_counters __percpu *counters = qp->counters;
	struct srnic_rsp_step step;

	if (qp->state == IB_QPS_RTR && !recv->comm_est) {
		recv->comm_est = true;
		events->qp |= BIT(SRNIC_QP_EVENT_COMM_EST);
	}
	srnic_rsp_request(&recv->rsp, &rx->pkt, &step);
	switch (step.verdict) {
	case SRNIC_RSP_EXECUTE:
		execute_and_commit(qp, rx, &step, events);
		return;
	case SRNIC_RSP_NAK:
		refuse(qp, &invalid_request, events);
		return;
	case SRNIC_RSP_GAP:
		srnic_count(counters, SRNIC_COUNTER_RX_OUT_OF_SEQUENCE);
		break;
	case SRNIC_RSP_DUPLICATE:
		srnic_count(counters, SRNIC_COUNTER_RX_DUPLICATE);
		break;
	case SRNIC_RSP_DROP:
		srnic_count(counters, recv->rsp.service == SRNIC_SERVICE_UC ?
				      SRNIC_COUNTER_RX_UC_DROPPED :
				      SRNIC_COUNTER_RX_OUT_OF_SEQUENCE);
		break;
	}
	srnic_rsp_commit(&recv->rsp, &rx->pkt, &step, 0);
}

static bool takes_requests(const struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->recv.lock);

	return qp->state >= IB_QPS_RTR && qp->state <= IB_QPS_SQE &&
	       !qp->recv.failed;
}

/* What is left of a run: replies, and what the other side has to know. */
static void finish(struct srnic_qp *qp, struct srnic_events *events, bool more)
{
	if (more)
		srnic_engine_leave(qp);
	/* The cause is told before what comes of it. */
	srnic_events_deliver(qp, events);
	/* In ERR both queues are flushed, which is the send side's work. */
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		srnic_send_run(qp);
}

/**
 * srnic_recv_request() - a request packet has come
 * @qp: queue pair, RC, UC or XRC target
 * @rx: the packet
 *
 * Context: Softirq, RCU read side.
 */
void srnic_recv_request(struct srnic_qp *qp, struct srnic_rx *rx)
{
	struct srnic_events events = {};
	bool more = false;

	spin_lock(&qp->recv.lock);
	if (takes_requests(qp)) {
		respond(qp, rx, &events);
		more = srnic_reply(qp, &events);
	} else {
		srnic_count(qp->counters, SRNIC_COUNTER_RX_BAD_QP_STATE);
	}
	spin_unlock(&qp->recv.lock);
	qp->dev->net_ops->deliver();
	finish(qp, &events, more);
}

/**
 * srnic_recv_run() - go on with replies
 * @qp: queue pair
 *
 * The caller runs the send side next, which does what ERR may demand.
 *
 * Context: BHs off, RCU read side.
 */
void srnic_recv_run(struct srnic_qp *qp)
{
	struct srnic_events events = {};
	bool more = false;

	spin_lock(&qp->recv.lock);
	if (qp->state >= IB_QPS_RTR && qp->state <= IB_QPS_SQE &&
	    !srnic_qp_is_datagram(qp))
		more = srnic_reply(qp, &events);
	spin_unlock(&qp->recv.lock);
	qp->dev->net_ops->deliver();
	if (more)
		srnic_engine_leave(qp);
	srnic_events_deliver(qp, &events);
}

/**
 * srnic_recv_init() - receive side of a QP that nobody knows yet
 * @qp: queue pair
 *
 * Context: Process context.
 */
void srnic_recv_init(struct srnic_qp *qp)
{
	spin_lock_init(&qp->recv.lock);
}
