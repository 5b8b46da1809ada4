// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transmit: from work requests to packets, RC, UC and XRC.
 */
#include "send.h"

/* Work requests that are taken from the ring ahead of the one being sent. */
#define LOOK_AHEAD	16

static void accept_wr(struct srnic_qp *qp, const struct srnic_send_wr *wr)
{
	struct srnic_send_side *send = &qp->send;
	struct srnic_req *req = &send->req;
	static const enum srnic_msg_kind kinds[] = {
		[SRNIC_WR_RDMA_WRITE] = SRNIC_MSG_WRITE,
		[SRNIC_WR_RDMA_WRITE_WITH_IMM] = SRNIC_MSG_WRITE,
		[SRNIC_WR_SEND] = SRNIC_MSG_SEND,
		[SRNIC_WR_SEND_WITH_IMM] = SRNIC_MSG_SEND,
		[SRNIC_WR_RDMA_READ] = SRNIC_MSG_READ,
		[SRNIC_WR_ATOMIC_CMP_AND_SWP] = SRNIC_MSG_CMP_SWAP,
		[SRNIC_WR_ATOMIC_FETCH_AND_ADD] = SRNIC_MSG_FETCH_ADD,
		[SRNIC_WR_LOCAL_INV] = SRNIC_MSG_LOCAL,
		[SRNIC_WR_BIND_MW] = SRNIC_MSG_LOCAL,
		[SRNIC_WR_SEND_WITH_INV] = SRNIC_MSG_SEND,
		[SRNIC_WR_ATOMIC_WRITE] = SRNIC_MSG_ATOMIC_WRITE,
		[SRNIC_WR_REG_MR] = SRNIC_MSG_LOCAL,
	};

	send->msgs[req->head & req->mask] = (struct srnic_msg){
		.length = wr->length,
		.kind = kinds[wr->opcode],
		.imm = wr->opcode == SRNIC_WR_RDMA_WRITE_WITH_IMM ||
		       wr->opcode == SRNIC_WR_SEND_WITH_IMM,
		.inv = wr->opcode == SRNIC_WR_SEND_WITH_INV,
		.solicited = wr->flags & SRNIC_SEND_SOLICITED,
		.fence = wr->flags & SRNIC_SEND_FENCE,
		/* What goes before may use the key (10.6.5.1). */
		.after_all = wr->opcode == SRNIC_WR_LOCAL_INV,
		.signaled = qp->sq_sig_all || wr->flags & SRNIC_SEND_SIGNALED,
	};
	req->head++;
}

/* Message @index is not to be sent: it fails when its turn comes. */
static void get_stuck(struct srnic_send_side *send, u32 index,
		      enum ib_wc_status status, u32 detail)
{
	if (send->stuck && (s32)(index - send->stuck_index) >= 0)
		return;
	send->stuck = true;
	send->nudged = false;
	send->stuck_index = index;
	send->stuck_status = status;
	send->stuck_detail = detail;
}

/* The work request at @index, which is the newest, makes no sense. */
static void refuse(struct srnic_send_side *send, u32 index,
		   enum srnic_wqe_verdict why)
{
	send->refused = true;
	send->refused_index = index;
	send->refused_status = srnic_wqe_status(why);
	send->refused_detail = SRNIC_WQE_VENDOR_ERR(why);
	get_stuck(send, index, send->refused_status, send->refused_detail);
}

/*
 * A message that could not be sent again, because its memory is gone, may turn out
 * to have arrived the first time. Then it is not in the way any more.
 */
static void get_unstuck(struct srnic_send_side *send)
{
	if (!send->stuck || (s32)(send->req.tail - send->stuck_index) <= 0)
		return;
	send->stuck = false;
	if (send->refused)
		get_stuck(send, send->refused_index, send->refused_status,
			  send->refused_detail);
}

/* Take work requests from the ring: a few, or all there are. */
static void fetch(struct srnic_send_run *run)
{
	struct srnic_qp *qp = run->qp;
	struct srnic_send_side *send = &qp->send;
	enum srnic_wqe_verdict why;

	while (!send->stuck && send->req.head - send->req.next < LOOK_AHEAD) {
		u32 index = qp->sq.head;

		switch (srnic_sq_fetch(&qp->sq, &why)) {
		case SRNIC_FETCH_EMPTY:
			return;
		case SRNIC_FETCH_BAD_INDEX:
			srnic_send_fatal(run);
			return;
		case SRNIC_FETCH_BAD_WR:
			srnic_count(qp->counters, SRNIC_COUNTER_BAD_WQE);
			refuse(send, index, why);
			break;
		case SRNIC_FETCH_OK:
			break;
		}
		srnic_count(qp->counters, SRNIC_COUNTER_SEND_WQES);
		accept_wr(qp, srnic_sq_wr(&qp->sq, index));
	}
}

static void fill_headers(struct srnic_qp *qp, const struct srnic_send_wr *wr,
			 const struct srnic_req_segment *seg,
			 struct srnic_pkt *pkt)
{
	*pkt = (struct srnic_pkt){
		.opcode = seg->opcode,
		.psn = seg->psn,
		.dest_qp = qp->peer,
		.pkey = IB_DEFAULT_PKEY_FULL,
		.payload_bytes = seg->bytes,
		.pad = srnic_pkt_pad_bytes(seg->bytes),
		.ack_req = seg->ack_req,
		.solicited = seg->solicited,
		.srqn = wr->srqn,
		.imm = wr->imm,
		.inv_rkey = wr->inv_rkey,
		.rkey = wr->rkey,
		.va = wr->remote_addr,
		.dma_len = wr->length,
		.swap_add = wr->opcode == SRNIC_WR_ATOMIC_CMP_AND_SWP ?
			    wr->swap : wr->compare_add,
		.compare = wr->opcode == SRNIC_WR_ATOMIC_CMP_AND_SWP ?
			   wr->compare_add : 0,
	};
	/* A READ that is resumed asks for the rest. */
	if (wr->opcode == SRNIC_WR_RDMA_READ) {
		pkt->va += seg->offset;
		pkt->dma_len -= seg->offset;
	}
}

static int gather(struct srnic_qp *qp, const struct srnic_send_wr *wr,
		  const struct srnic_req_segment *seg, u8 *to)
{
	struct srnic_send_side *send = &qp->send;
	int ret;

	if (wr->flags & SRNIC_SEND_INLINE) {
		memcpy(to, wr->inline_data + seg->offset, seg->bytes);
		return 0;
	}
	if (send->cursor_index != seg->index ||
	    send->cursor_offset != seg->offset || !seg->offset)
		srnic_sg_seek(wr->sge, wr->num_sge, &send->cursor, seg->offset);
	ret = srnic_sg_read(&qp->dev->keys, qp->ibqp.pd, wr->sge, wr->num_sge,
			    &send->cursor, to, seg->bytes);
	send->cursor_index = seg->index;
	send->cursor_offset = seg->offset + seg->bytes;
	srnic_count_add(qp->counters, SRNIC_COUNTER_COPY_BYTES, seg->bytes);
	return ret;
}

/*
 * Return: 0; -EBUSY: the netdev takes nothing more for now; -EFAULT, -EMSGSIZE:
 * the gather list is bad.
 */
static int send_segment(struct srnic_send_run *run,
			const struct srnic_req_segment *seg)
{
	struct srnic_qp *qp = run->qp;
	const struct srnic_send_wr *wr = srnic_sq_wr(&qp->sq, seg->index);
	struct srnic_pkt pkt;
	u32 header, bytes;
	int ret = 0;
	u8 *to;

	bytes = srnic_pkt_wire_bytes(seg->opcode, seg->bytes);
	to = qp->dev->net_ops->begin(&run->tx, bytes);
	if (unlikely(!to))
		return -EBUSY;
	fill_headers(qp, wr, seg, &pkt);
	header = srnic_pkt_build(&pkt, to);
	if (seg->bytes)
		ret = gather(qp, wr, seg, to + header);
	if (unlikely(ret)) {
		qp->dev->net_ops->cancel(&run->tx);
		return ret;
	}
	memset(to + header + seg->bytes, 0, pkt.pad);
	return qp->dev->net_ops->end(&run->tx) ? 0 : -EBUSY;
}

/* UC: what is sent is done (4.16). */
static void complete_sent(struct srnic_send_run *run)
{
	struct srnic_req *req = &run->qp->send.req;

	while (run->qp->sq.tail != req->next)
		srnic_complete_wr(run, IB_WC_SUCCESS);
	req->tail = req->next;
	req->una = req->send_psn;
	req->top_psn = req->send_psn;
}

/* What has no packets is done by us, in its turn, and complete with those before. */
static void do_local(struct srnic_send_run *run,
		     const struct srnic_req_segment *seg)
{
	struct srnic_qp *qp = run->qp;
	struct srnic_req *req = &qp->send.req;
	int err;

	err = srnic_do_local(qp, srnic_sq_wr(&qp->sq, seg->index));
	if (err) {
		get_stuck(&qp->send, seg->index, IB_WC_MW_BIND_ERR, 0);
		return;
	}
	srnic_req_local_done(req, qp->send.msgs);
	if (req->service == SRNIC_SERVICE_UC)
		complete_sent(run);
	while (qp->sq.tail != req->tail)
		srnic_complete_wr(run, IB_WC_SUCCESS);
	run->budget--;
}

static bool drained(const struct srnic_req *req)
{
	return req->draining && req->next == req->started &&
	       req->tail == req->started;
}

/*
 * The message in the way fails when all before it are complete. The last of these
 * may not have asked for an acknowledgment, as it had a successor: so they are
 * sent once more.
 */
static bool stopped(struct srnic_send_run *run)
{
	struct srnic_send_side *send = &run->qp->send;

	if (!send->stuck || send->req.next != send->stuck_index)
		return false;
	/* In SQD nothing that was not started fails. */
	if (send->req.draining && send->req.next == send->req.started)
		return false;
	if (send->req.tail == send->stuck_index) {
		run->detail = send->stuck_detail;
		srnic_send_fail(run, send->stuck_status);
		return true;
	}
	if (send->nudged)
		return true;
	send->nudged = true;
	srnic_req_go_back(&send->req);
	return false;
}

/**
 * srnic_transmit() - send what may be sent
 * @run: run of an RC or UC QP or an XRC initiator, in RTS or SQD
 *
 * Context: Run owner.
 */
void srnic_transmit(struct srnic_send_run *run)
{
	struct srnic_qp *qp = run->qp;
	struct srnic_send_side *send = &qp->send;
	enum srnic_req_verdict verdict;
	struct srnic_req_segment seg;
	int ret;

	while (run->budget > 0 && srnic_send_active(qp)) {
		get_unstuck(send);
		if (!send->req.draining)
			fetch(run);
		if (stopped(run))
			return;
		verdict = srnic_req_next(&send->req, send->msgs, &seg);
		if (verdict == SRNIC_REQ_RD_LIMIT && !send->req.max_rd_atomic) {
			get_stuck(send, send->req.next, IB_WC_LOC_QP_OP_ERR, 0);
			continue;
		}
		if (verdict == SRNIC_REQ_LOCAL) {
			do_local(run, &seg);
			continue;
		}
		if (verdict != SRNIC_REQ_SEND)
			break;
		ret = send_segment(run, &seg);
		if (ret == -EBUSY) {
			run->busy = true;
			break;
		}
		if (ret) {
			get_stuck(send, seg.index, IB_WC_LOC_PROT_ERR, 0);
			continue;
		}
		srnic_req_sent(&send->req, send->msgs, &seg);
		if (send->req.service == SRNIC_SERVICE_UC)
			complete_sent(run);
		run->budget--;
	}
	if (drained(&send->req) && send->drain_event) {
		send->drain_event = false;
		run->events.qp |= BIT(SRNIC_QP_EVENT_SQ_DRAINED);
	}
}
