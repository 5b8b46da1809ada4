// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Where packets enter the engine: the header checks of rule 3.1. A failure is a
 * dropped packet and a counter, never an answer.
 */
#include "receive.h"

#include <rdma/ib_addr.h>

#include "../wire/format.h"
#include "gsi.h"
#include "multicast.h"
#include "qp.h"
#include "qp_table.h"
#include "recv.h"
#include "send.h"

#define PKEY_FULL_MEMBER	0x8000
#define PKEY_BASE		0x7fff

/* XRC is one-way: an initiator only sends requests, a target only receives them. */
static bool direction_ok(const struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	switch (qp->ibqp.qp_type) {
	case IB_QPT_XRC_INI:
		return pkt->info->response;
	case IB_QPT_XRC_TGT:
		return pkt->info->request;
	default:
		return true;
	}
}

/* Our only P_Key is the default one, full member. */
static bool pkey_ok(u16 pkey)
{
	return (pkey & PKEY_BASE) == (IB_DEFAULT_PKEY_FULL & PKEY_BASE);
}

static bool state_ok(const struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	/* Pairs with the release when the QP gets its path. */
	enum ib_qp_state state = smp_load_acquire(&qp->state);

	if (pkt->info->response)
		return state == IB_QPS_RTS || state == IB_QPS_SQD;
	return state >= IB_QPS_RTR && state <= IB_QPS_SQE;
}

static bool same_net(const struct srnic_qp *qp, const struct srnic_rx *rx)
{
	return net_eq(dev_net(qp->dev->netdev), rx->net);
}

/* A connected QP listens to its peer, on its own address (9.6.1.5). */
static bool connected_address_ok(const struct srnic_qp *qp,
				 const struct srnic_rx *rx)
{
	return qp->path.valid && ipv6_addr_equal(&qp->path.sgid, &rx->dgid) &&
	       ipv6_addr_equal(&qp->path.dgid, &rx->sgid) && same_net(qp, rx);
}

/*
 * A datagram QP listens to everybody, on any address of its device and on those of
 * the groups it is attached to. No QP has the number of multicast packets, so these
 * come here by their group only.
 */
static bool datagram_address_ok(struct srnic_qp *qp, const struct srnic_rx *rx)
{
	return (rx->pkt.dest_qp == SRNIC_MULTICAST_QPN ||
		srnic_gid_is_own(&qp->dev->gids, &rx->dgid)) &&
	       same_net(qp, rx);
}

static void count_packet(struct srnic_counters __percpu *counters,
			 const struct srnic_rx *rx)
{
	const struct srnic_pkt *pkt = &rx->pkt;

	srnic_count(counters, SRNIC_COUNTER_RX_PACKETS);
	srnic_count_add(counters, SRNIC_COUNTER_RX_BYTES, pkt->payload_bytes);
	srnic_count_add(counters, SRNIC_COUNTER_RX_WIRE_BYTES,
			srnic_wire_bytes(rx->ipv4, pkt->header_bytes +
					 pkt->payload_bytes + pkt->pad +
					 SRNIC_ICRC_BYTES));
}

static bool acceptable(struct srnic_qp *qp, const struct srnic_rx *rx,
		       enum srnic_counter *why)
{
	const struct srnic_pkt *pkt = &rx->pkt;

	if (pkt->info->service != srnic_qp_service(qp) || !direction_ok(qp, pkt)) {
		*why = SRNIC_COUNTER_RX_BAD_SERVICE;
		return false;
	}
	if (!state_ok(qp, pkt)) {
		*why = SRNIC_COUNTER_RX_BAD_QP_STATE;
		return false;
	}
	if (!(srnic_qp_is_datagram(qp) ? datagram_address_ok(qp, rx) :
					      connected_address_ok(qp, rx))) {
		*why = SRNIC_COUNTER_RX_BAD_ADDRESS;
		return false;
	}
	if (!pkey_ok(pkt->pkey)) {
		*why = SRNIC_COUNTER_RX_BAD_PKEY;
		return false;
	}
	return true;
}

static void receive_for(struct srnic_qp *qp, struct srnic_rx *rx)
{
	enum srnic_counter why;

	if (!acceptable(qp, rx, &why))
		srnic_count(qp->counters, why);
	else if (srnic_qp_is_datagram(qp))
		srnic_recv_datagram(qp, rx);
	else if (rx->pkt.info->response)
		srnic_send_response(qp, rx);
	else
		srnic_recv_request(qp, rx);
}

static struct srnic_qp *find_qp(const struct srnic_rx *rx)
{
	struct srnic_qp *qp;

	if (rx->pkt.dest_qp == SRNIC_GSI_QPN)
		return srnic_gsi_find(rx);
	qp = srnic_qp_table_find(rx->pkt.dest_qp);
	return qp && !srnic_qp_is_gsi(qp) ? qp : NULL;
}

static struct srnic_dev *receive_multicast(struct srnic_rx *rx)
{
	struct srnic_dev *dev;

	if (!rdma_is_multicast_addr(&rx->dgid))
		return NULL;
	dev = srnic_multicast_receive(rx, receive_for);
	if (dev)
		count_packet(dev->counters, rx);
	return dev;
}

/**
 * srnic_engine_receive() - a packet with a good ICRC has come
 * @rx: the packet; the caller keeps it
 *
 * Runs to completion: checks, places, completes and answers.
 *
 * Context: Softirq, RCU read side.
 * Return: the device of the QPs that it is for, for counting, or NULL if there are
 * none.
 */
struct srnic_dev *srnic_engine_receive(struct srnic_rx *rx)
{
	struct srnic_qp *qp;

	if (rx->pkt.info->cnp)
		return NULL;
	if (rx->pkt.dest_qp == SRNIC_MULTICAST_QPN)
		return receive_multicast(rx);
	qp = find_qp(rx);
	if (!qp)
		return NULL;
	count_packet(qp->counters, rx);
	receive_for(qp, rx);
	return qp->dev;
}
