// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Complete: what responses, time-outs and errors do to a send queue.
 */
#include "recv.h"
#include "send.h"

static const u8 wc_opcodes[] = {
	[SRNIC_WR_RDMA_WRITE] = IB_UVERBS_WC_RDMA_WRITE,
	[SRNIC_WR_RDMA_WRITE_WITH_IMM] = IB_UVERBS_WC_RDMA_WRITE,
	[SRNIC_WR_SEND] = IB_UVERBS_WC_SEND,
	[SRNIC_WR_SEND_WITH_IMM] = IB_UVERBS_WC_SEND,
	[SRNIC_WR_RDMA_READ] = IB_UVERBS_WC_RDMA_READ,
	[SRNIC_WR_ATOMIC_CMP_AND_SWP] = IB_UVERBS_WC_COMP_SWAP,
	[SRNIC_WR_ATOMIC_FETCH_AND_ADD] = IB_UVERBS_WC_FETCH_ADD,
	[SRNIC_WR_LOCAL_INV] = IB_UVERBS_WC_LOCAL_INV,
	[SRNIC_WR_BIND_MW] = IB_UVERBS_WC_BIND_MW,
	[SRNIC_WR_SEND_WITH_INV] = IB_UVERBS_WC_SEND,
	[SRNIC_WR_ATOMIC_WRITE] = IB_UVERBS_WC_ATOMIC_WRITE,
	[SRNIC_WR_REG_MR] = IB_WC_REG_MR,
};

static const enum ib_wc_status wc_errors[] = {
	[SRNIC_CMP_ERR_NONE] = IB_WC_GENERAL_ERR,
	[SRNIC_CMP_ERR_RETRY] = IB_WC_RETRY_EXC_ERR,
	[SRNIC_CMP_ERR_RNR] = IB_WC_RNR_RETRY_EXC_ERR,
	[SRNIC_CMP_ERR_REM_INV_REQ] = IB_WC_REM_INV_REQ_ERR,
	[SRNIC_CMP_ERR_REM_ACCESS] = IB_WC_REM_ACCESS_ERR,
	[SRNIC_CMP_ERR_REM_OP] = IB_WC_REM_OP_ERR,
	[SRNIC_CMP_ERR_REM_INV_SRQ] = IB_WC_REM_INV_RD_REQ_ERR,
	[SRNIC_CMP_ERR_BAD_RESP] = IB_WC_BAD_RESP_ERR,
	[SRNIC_CMP_ERR_LENGTH] = IB_WC_LOC_LEN_ERR,
};

static bool returns_data(u8 opcode)
{
	return opcode == SRNIC_WR_RDMA_READ ||
	       opcode == SRNIC_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == SRNIC_WR_ATOMIC_FETCH_AND_ADD;
}

/**
 * srnic_complete_wr() - the oldest work request is complete
 * @run: run
 * @status: with success, or how it failed
 *
 * Its slot is the process's again as soon as that has polled the CQE, or a
 * later one.
 *
 * Context: Run owner.
 */
void srnic_complete_wr(struct srnic_send_run *run, enum ib_wc_status status)
{
	struct srnic_qp *qp = run->qp;
	const struct srnic_send_wr *wr = srnic_sq_wr(&qp->sq, qp->sq.tail);
	bool signaled = status != IB_WC_SUCCESS || qp->sq_sig_all ||
			wr->flags & SRNIC_SEND_SIGNALED;
	struct srnic_cqe cqe = {
		.wr_id = wr->wr_id,
		.byte_len = returns_data(wr->opcode) ? wr->length : 0,
		.qp_num = qp->number,
		.wqe_index = qp->sq.tail + 1,
		.status = status,
		.opcode = wc_opcodes[wr->opcode],
	};

	if (status != IB_WC_SUCCESS && status != IB_WC_WR_FLUSH_ERR)
		cqe.vendor_err = run->detail;
	/* Pairs with the acquire in srnic_sq_slot(): its copy is not used any more. */
	smp_store_release(&qp->sq.tail, qp->sq.tail + 1);
	run->budget--;
	if (signaled && !srnic_complete_send(qp, &cqe, &run->events) &&
	    READ_ONCE(qp->state) != IB_QPS_ERR) {
		run->events.qp |= BIT(SRNIC_QP_EVENT_FATAL);
		srnic_qp_to_error(qp);
	}
}

/* Work requests before @tail are complete. */
static void complete_until(struct srnic_send_run *run, u32 tail)
{
	while (run->qp->sq.tail != tail)
		srnic_complete_wr(run, IB_WC_SUCCESS);
}

static void count_step(struct srnic_send_run *run,
		       const struct srnic_cmp_step *step)
{
	struct srnic_counters __percpu *counters = run->qp->counters;

	if (step->action == SRNIC_CMP_GHOST)
		srnic_count(counters, SRNIC_COUNTER_RX_GHOST_ACK);
	else if (step->error == SRNIC_CMP_ERR_RETRY)
		srnic_count(counters, SRNIC_COUNTER_RETRY_EXCEEDED);
	else if (step->error == SRNIC_CMP_ERR_RNR)
		srnic_count(counters, SRNIC_COUNTER_RNR_RETRY_EXCEEDED);
}

/**
 * srnic_send_step() - carry out a decision of the completer
 * @run: run
 * @step: decision
 *
 * Data of a READ or atomic has been placed already.
 *
 * Context: Run owner.
 */
void srnic_send_step(struct srnic_send_run *run,
		     const struct srnic_cmp_step *step)
{
	struct srnic_send_side *send = &run->qp->send;

	count_step(run, step);
	if (step->una != send->req.una || step->action == SRNIC_CMP_GO_BACK)
		run->progress = true;
	srnic_cmp_commit(&send->req, step);
	complete_until(run, step->tail);
	if (step->action == SRNIC_CMP_RNR)
		send->rnr_deadline = run->now + step->wait_ns;
	else if (step->action == SRNIC_CMP_FAIL)
		srnic_send_fail(run, wc_errors[step->error]);
}

static int place(struct srnic_qp *qp, const struct srnic_cmp_step *step,
		 const struct srnic_pkt *pkt, const struct sk_buff *skb,
		 u32 payload)
{
	const struct srnic_send_wr *wr = srnic_sq_wr(&qp->sq, step->index);
	struct srnic_send_side *send = &qp->send;
	int ret;

	if (send->cursor_index != step->index ||
	    send->cursor_offset != step->offset || !step->offset)
		srnic_sg_seek(wr->sge, wr->num_sge, &send->cursor,
			      step->offset);
	send->cursor_index = step->index;
	if (pkt->info->atomic) {
		send->cursor_offset = sizeof(u64);
		return srnic_sg_write(&qp->dev->keys, qp->ibqp.pd, wr->sge,
				      wr->num_sge, &send->cursor,
				      &pkt->atomic_orig, sizeof(u64));
	}
	ret = srnic_sg_write_skb(&qp->dev->keys, qp->ibqp.pd, wr->sge,
				 wr->num_sge, &send->cursor, skb, payload,
				 pkt->payload_bytes);
	send->cursor_offset = step->offset + pkt->payload_bytes;
	srnic_count_add(qp->counters, SRNIC_COUNTER_COPY_BYTES,
			pkt->payload_bytes);
	return ret;
}

static void count_response(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_counters __percpu *counters = qp->counters;

	if (!pkt->info->ack)
		return;
	if (srnic_aeth_class(pkt->syndrome) == SRNIC_AETH_RNR)
		srnic_count(counters, SRNIC_COUNTER_RX_NAK_RNR);
	else if (pkt->syndrome == SRNIC_NAK_PSN_SEQ)
		srnic_count(counters, SRNIC_COUNTER_RX_NAK_SEQ);
	else if (srnic_aeth_class(pkt->syndrome) == SRNIC_AETH_NAK)
		srnic_count(counters, SRNIC_COUNTER_RX_NAK_ERROR);
}

/**
 * srnic_send_received() - handle a response packet
 * @run: run
 * @pkt: headers
 * @skb: packet
 * @payload: offset of its payload
 *
 * Context: Run owner, QP in RTS or SQD.
 */
void srnic_send_received(struct srnic_send_run *run, const struct srnic_pkt *pkt,
			 const struct sk_buff *skb, u32 payload)
{
	struct srnic_qp *qp = run->qp;
	struct srnic_send_side *send = &qp->send;
	struct srnic_cmp_step step;

	count_response(qp, pkt);
	run->detail = pkt->info->ack && srnic_aeth_class(pkt->syndrome) != SRNIC_AETH_ACK ?
		      pkt->syndrome : 0;
	srnic_cmp_response(&send->req, send->msgs, pkt, &step);
	if (step.action == SRNIC_CMP_PLACE &&
	    place(qp, &step, pkt, skb, payload)) {
		/* Those before it are complete; it is not. */
		complete_until(run, step.index);
		srnic_send_fail(run, IB_WC_LOC_PROT_ERR);
		return;
	}
	if (!pkt->info->ack && step.action == SRNIC_CMP_GO_BACK)
		srnic_count(qp->counters, SRNIC_COUNTER_RETRY_IMPLIED);
	srnic_send_step(run, &step);
}

/* Nothing of what was sent matters any more. */
static void forget_sent(struct srnic_qp *qp)
{
	struct srnic_send_side *send = &qp->send;
	struct srnic_req *req = &send->req;

	req->tail = qp->sq.tail;
	req->next = qp->sq.tail;
	req->started = qp->sq.tail;
	req->head = qp->sq.head;
	req->una = req->next_psn;
	req->send_psn = req->next_psn;
	req->top_psn = req->next_psn;
	req->rd_atomic = 0;
	req->rnr_wait = false;
	req->retried = false;
	send->deadline = 0;
	send->stuck = false;
	send->refused = false;
}

/**
 * srnic_send_fail() - the oldest work request fails, the QP with it
 * @run: run
 * @status: how it failed
 *
 * RC and XRC go to ERR; UC and UD go to SQE, where the receive queue works on
 * (4.19).
 *
 * Context: Run owner.
 */
void srnic_send_fail(struct srnic_send_run *run, enum ib_wc_status status)
{
	struct srnic_qp *qp = run->qp;

	if (qp->ibqp.qp_type == IB_QPT_UC || srnic_qp_is_datagram(qp))
		srnic_qp_to_sq_error(qp);
	else
		srnic_qp_to_error(qp);
	srnic_complete_wr(run, status);
	srnic_send_flush(run);
}

/**
 * srnic_wqe_status() - how a work request completes that was refused when taken
 * @why: reason
 *
 * Context: Any.
 * Return: status of its completion.
 */
enum ib_wc_status srnic_wqe_status(enum srnic_wqe_verdict why)
{
	return why == SRNIC_WQE_BAD_LENGTH ? IB_WC_LOC_LEN_ERR :
					     IB_WC_LOC_QP_OP_ERR;
}

/**
 * srnic_send_fatal() - the process has written garbage
 * @run: run
 *
 * Context: Run owner.
 */
void srnic_send_fatal(struct srnic_send_run *run)
{
	struct srnic_qp *qp = run->qp;

	srnic_count(qp->counters, SRNIC_COUNTER_BAD_INDEX);
	run->events.qp |= BIT(SRNIC_QP_EVENT_FATAL);
	srnic_qp_to_error(qp);
	srnic_send_flush(run);
}

/* Take the next posted work request onto the ring, only to flush it. */
static bool fetch_to_flush(struct srnic_qp *qp)
{
	enum srnic_wqe_verdict why;

	switch (srnic_sq_fetch(&qp->sq, &why)) {
	case SRNIC_FETCH_OK:
	case SRNIC_FETCH_BAD_WR:
		return true;
	case SRNIC_FETCH_EMPTY:
	case SRNIC_FETCH_BAD_INDEX:
		break;
	}
	return false;
}

/**
 * srnic_send_flush() - complete everything with a flush error
 * @run: run of a QP in SQE or ERR
 *
 * Also what was posted after the error (C10-96).
 *
 * Context: Run owner.
 */
void srnic_send_flush(struct srnic_send_run *run)
{
	struct srnic_qp *qp = run->qp;

	forget_sent(qp);
	while (run->budget > 0) {
		if (qp->sq.tail == qp->sq.head && !fetch_to_flush(qp))
			break;
		srnic_complete_wr(run, IB_WC_WR_FLUSH_ERR);
	}
	forget_sent(qp);
}
