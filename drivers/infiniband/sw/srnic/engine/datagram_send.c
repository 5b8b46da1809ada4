// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams: send side of UD. A message is a packet, and done when it is sent.
 */
#include "../wire/psn.h"
#include "send.h"

/* A Q_Key with this bit set stands for the QP's own (10.2.5). */
#define QKEY_OWN	BIT(31)

static void fill_headers(struct srnic_qp *qp, const struct srnic_send_wr *wr,
			 struct srnic_pkt *pkt)
{
	*pkt = (struct srnic_pkt){
		.opcode = SRNIC_SERVICE_UD |
			  (wr->opcode == SRNIC_WR_SEND_WITH_IMM ?
			   SRNIC_OP_SEND_ONLY_IMM : SRNIC_OP_SEND_ONLY),
		.psn = qp->send.ud_psn,
		.dest_qp = wr->remote_qpn,
		.pkey = IB_DEFAULT_PKEY_FULL,
		.payload_bytes = wr->length,
		.pad = srnic_pkt_pad_bytes(wr->length),
		.solicited = wr->flags & SRNIC_SEND_SOLICITED,
		.qkey = wr->remote_qkey & QKEY_OWN ? qp->recv.qkey :
						     wr->remote_qkey,
		.src_qp = qp->ibqp.qp_num,
		.imm = wr->imm,
	};
}

static int gather(struct srnic_qp *qp, const struct srnic_send_wr *wr, u8 *to)
{
	struct srnic_sg_cursor cursor = {};

	if (wr->flags & SRNIC_SEND_INLINE) {
		memcpy(to, wr->inline_data, wr->length);
		return 0;
	}
	if (!wr->length)
		return 0;
	srnic_count_add(qp->counters, SRNIC_COUNTER_COPY_BYTES,
			wr->length);
	return srnic_sg_read(&qp->dev->keys, qp->ibqp.pd, wr->sge, wr->num_sge,
			     &cursor, to, wr->length);
}

/* Packets of one way go down together. */
static void set_path(struct srnic_send_run *run, struct srnic_path *path)
{
	if (run->tx.path == path)
		return;
	run->qp->dev->net_ops->flush(&run->tx);
	run->tx.path = path;
}

/* Sets @run->busy, and does nothing, if the netdev takes nothing more for now. */
static enum ib_wc_status send_datagram(struct srnic_send_run *run,
				       const struct srnic_send_wr *wr)
{
	struct srnic_qp *qp = run->qp;
	const struct srnic_net_ops *ops = qp->dev->net_ops;
	struct srnic_ah_entry *ah;
	struct srnic_pkt pkt;
	u32 header;
	u8 *to;

	ah = srnic_ah_find(qp->dev, qp->ibqp.pd, wr->ah);
	if (!ah)
		return IB_WC_LOC_QP_OP_ERR;
	/* Longer than a packet: nothing is sent, with success (C10-93.1.1). */
	if (wr->length > srnic_dev_mtu(qp->dev))
		return IB_WC_SUCCESS;
	set_path(run, &ah->path);
	fill_headers(qp, wr, &pkt);
	to = ops->begin(&run->tx,
			srnic_pkt_wire_bytes(pkt.opcode, wr->length));
	if (unlikely(!to)) {
		run->busy = true;
		return IB_WC_SUCCESS;
	}
	header = srnic_pkt_build(&pkt, to);
	if (gather(qp, wr, to + header)) {
		ops->cancel(&run->tx);
		return IB_WC_LOC_PROT_ERR;
	}
	memset(to + header + wr->length, 0, pkt.pad);
	if (!ops->end(&run->tx)) {
		run->busy = true;
		return IB_WC_SUCCESS;
	}
	qp->send.ud_psn = srnic_psn_add(qp->send.ud_psn, 1);
	return IB_WC_SUCCESS;
}

/* Take a work request. Return: false if there is none. */
static bool fetch(struct srnic_send_run *run, enum ib_wc_status *status)
{
	struct srnic_qp *qp = run->qp;
	enum srnic_wqe_verdict why;

	*status = IB_WC_SUCCESS;
	switch (srnic_sq_fetch(&qp->sq, &why)) {
	case SRNIC_FETCH_EMPTY:
		return false;
	case SRNIC_FETCH_BAD_INDEX:
		srnic_send_fatal(run);
		return false;
	case SRNIC_FETCH_BAD_WR:
		srnic_count(qp->counters, SRNIC_COUNTER_BAD_WQE);
		*status = why == SRNIC_WQE_BAD_LENGTH ? IB_WC_LOC_LEN_ERR :
							IB_WC_LOC_QP_OP_ERR;
		break;
	case SRNIC_FETCH_OK:
		break;
	}
	srnic_count(qp->counters, SRNIC_COUNTER_SEND_WQES);
	return true;
}

/*
 * Take one, unless one is left that the netdev would not take, and send it.
 *
 * Return: false if there is none, or none can be sent.
 */
static bool send_next(struct srnic_send_run *run)
{
	enum ib_wc_status status = IB_WC_SUCCESS;
	struct srnic_qp *qp = run->qp;

	if (qp->sq.tail == qp->sq.head && !fetch(run, &status))
		return false;
	if (status == IB_WC_SUCCESS)
		status = send_datagram(run, srnic_sq_wr(&qp->sq, qp->sq.tail));
	if (run->busy)
		return false;
	if (status != IB_WC_SUCCESS) {
		srnic_send_fail(run, status);
		return false;
	}
	srnic_complete_wr(run, IB_WC_SUCCESS);
	return true;
}

/**
 * srnic_transmit_datagrams() - send what may be sent
 * @run: run of a UD QP in RTS or SQD
 *
 * Context: Run owner.
 */
void srnic_transmit_datagrams(struct srnic_send_run *run)
{
	struct srnic_send_side *send = &run->qp->send;

	if (send->req.draining) {
		/* A datagram is never half done. */
		if (send->drain_event)
			run->events.qp |= BIT(SRNIC_QP_EVENT_SQ_DRAINED);
		send->drain_event = false;
		return;
	}
	while (run->budget > 0 && READ_ONCE(run->qp->state) == IB_QPS_RTS &&
	       send_next(run))
		;
}
