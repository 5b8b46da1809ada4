// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams: receive side of UD.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "recv.h"
#include "send.h"

/*
 * The first 40 bytes of a receive buffer: the IPv6 header, or an IPv4 header
 * at their end (7.9). What is before that is zeroed, lest its first byte look
 * like IPv6.
 */
static int global_route_header(const struct srnic_rx *rx, u8 *grh)
{
	u32 bytes = rx->ipv4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);

	memset(grh, 0, SRNIC_GRH_BYTES);
	return skb_copy_bits(rx->skb, rx->network_header,
			     grh + SRNIC_GRH_BYTES - bytes, bytes);
}

static int place(struct srnic_qp *qp, struct srnic_rx *rx)
{
	struct srnic_recv_side *recv = &qp->recv;
	const struct ib_pd *pd = srnic_recv_pd(qp);
	u8 grh[SRNIC_GRH_BYTES];
	int ret;

	ret = global_route_header(rx, grh);
	if (!ret)
		ret = srnic_sg_write(&qp->dev->keys, pd, recv->wr.sge,
				     recv->wr.num_sge, &recv->cursor, grh,
				     sizeof(grh));
	if (!ret && rx->pkt.payload_bytes)
		ret = srnic_sg_write_skb(&qp->dev->keys, pd,
					 recv->wr.sge, recv->wr.num_sge,
					 &recv->cursor, rx->skb, rx->payload,
					 rx->pkt.payload_bytes);
	srnic_count_add(qp->counters, SRNIC_COUNTER_COPY_BYTES,
			rx->pkt.payload_bytes);
	return ret;
}

static void complete_datagram(struct srnic_qp *qp, struct srnic_rx *rx,
			      struct srnic_events *events)
{
	struct srnic_cqe cqe = {
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.byte_len = SRNIC_GRH_BYTES + rx->pkt.payload_bytes,
		.src_qp = rx->pkt.src_qp,
		.flags = SRNIC_WC_GRH,
		.sl = rx->ipv4 ? SRNIC_SL_IPV4 : SRNIC_SL_IPV6,
	};

	if (rx->pkt.info->has_imm) {
		cqe.flags |= SRNIC_WC_WITH_IMM;
		cqe.imm = (__force u32)rx->pkt.imm;
	}
	if (!srnic_recv_complete(qp, &cqe, rx->pkt.solicited, events)) {
		events->qp |= BIT(SRNIC_QP_EVENT_FATAL);
		srnic_qp_to_error_locked(qp);
	}
}

static void fail(struct srnic_qp *qp, enum ib_wc_status status,
		 struct srnic_events *events)
{
	if (qp->recv.wr_held)
		srnic_recv_fail(qp, status, events);
	events->qp |= BIT(SRNIC_QP_EVENT_FATAL);
	srnic_qp_to_error_locked(qp);
}

/* Nobody is told of a datagram that finds no buffer, or too small a one (3.9). */
static void receive(struct srnic_qp *qp, struct srnic_rx *rx,
		    struct srnic_events *events)
{
	struct srnic_recv_side *recv = &qp->recv;

	if (rx->pkt.qkey != recv->qkey) {
		srnic_count(qp->counters, SRNIC_COUNTER_RX_BAD_QKEY);
		return;
	}
	switch (srnic_recv_take(qp, qp->srq, events)) {
	case SRNIC_FETCH_OK:
		break;
	case SRNIC_FETCH_EMPTY:
		srnic_count(qp->counters, SRNIC_COUNTER_RX_UD_DROPPED);
		return;
	case SRNIC_FETCH_BAD_WR:
		srnic_count(qp->counters, SRNIC_COUNTER_BAD_WQE);
		fail(qp, IB_WC_LOC_QP_OP_ERR, events);
		return;
	case SRNIC_FETCH_BAD_INDEX:
		srnic_count(qp->counters, SRNIC_COUNTER_BAD_INDEX);
		fail(qp, IB_WC_LOC_QP_OP_ERR, events);
		return;
	}
	/* The work request stays in use, for the next one. */
	if (recv->wr.length < SRNIC_GRH_BYTES + rx->pkt.payload_bytes) {
		srnic_count(qp->counters, SRNIC_COUNTER_RX_UD_DROPPED);
		return;
	}
	if (place(qp, rx))
		fail(qp, IB_WC_LOC_PROT_ERR, events);
	else
		complete_datagram(qp, rx, events);
}

/**
 * srnic_recv_datagram() - a datagram has come
 * @qp: UD queue pair
 * @rx: the packet
 *
 * Context: Softirq, RCU read side.
 */
void srnic_recv_datagram(struct srnic_qp *qp, struct srnic_rx *rx)
{
	struct srnic_events events = {};

	spin_lock(&qp->recv.lock);
	if (qp->state >= IB_QPS_RTR && qp->state <= IB_QPS_SQE)
		receive(qp, rx, &events);
	else
		srnic_count(qp->counters, SRNIC_COUNTER_RX_BAD_QP_STATE);
	spin_unlock(&qp->recv.lock);
	srnic_events_deliver(qp, &events);
	/* In ERR both queues are flushed, which is the send side's work. */
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		srnic_send_run(qp);
}
