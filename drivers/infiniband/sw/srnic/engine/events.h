/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completions and events of a run. CQEs are written at once; handlers are
 * called at the end of the run, when no lock of this driver is held.
 */
#ifndef SRNIC_ENGINE_EVENTS_H
#define SRNIC_ENGINE_EVENTS_H

#include <rdma/ib_verbs.h>
#include <rdma/srnic-abi.h>

struct srnic_cq;
struct srnic_qp;
struct srnic_srq;

/* What a completion tells of a datagram's network header (7.11). */
#define SRNIC_SL_IPV6	1
#define SRNIC_SL_IPV4	2

/**
 * enum srnic_qp_event - asynchronous events of a QP
 * @SRNIC_QP_EVENT_FATAL: something that no completion can tell
 * @SRNIC_QP_EVENT_REQ_ERR: invalid request from the peer
 * @SRNIC_QP_EVENT_ACCESS_ERR: the peer violated keys or permissions
 * @SRNIC_QP_EVENT_COMM_EST: first packet in RTR
 * @SRNIC_QP_EVENT_SQ_DRAINED: all that was started is complete
 * @SRNIC_QP_EVENT_LAST_WQE: in ERR, and done with the SRQ
 * @SRNIC_QP_EVENTS: number of events
 */
enum srnic_qp_event {
	SRNIC_QP_EVENT_FATAL,
	SRNIC_QP_EVENT_REQ_ERR,
	SRNIC_QP_EVENT_ACCESS_ERR,
	SRNIC_QP_EVENT_COMM_EST,
	SRNIC_QP_EVENT_SQ_DRAINED,
	SRNIC_QP_EVENT_LAST_WQE,
	SRNIC_QP_EVENTS,
};

/**
 * struct srnic_events - what a run has to tell at its end
 * @send_cq: the send CQ was armed and got a CQE
 * @recv_cq: the receive CQ was armed and got a CQE
 * @send_overrun: the send CQ has just overrun
 * @recv_overrun: the receive CQ has just overrun
 * @recv_on: with @recv_cq or @recv_overrun: that CQ
 * @srq: the SRQ that @srq_events is about
 * @srq_events: bits of SRNIC_SRQ_*
 * @qp: bits of enum srnic_qp_event
 *
 * One run has to do with one SRQ at most. It is in an RCU read section up to
 * its end, which keeps an SRQ of XRC and its CQ.
 */
struct srnic_events {
	bool send_cq;
	bool recv_cq;
	bool send_overrun;
	bool recv_overrun;
	struct ib_cq *recv_on;
	struct srnic_srq *srq;
	unsigned long srq_events;
	unsigned long qp;
};

bool srnic_complete_send(struct srnic_qp *qp, const struct srnic_cqe *cqe,
			 struct srnic_events *events);
bool srnic_complete_recv(struct srnic_qp *qp, const struct srnic_cqe *cqe,
			 bool solicited, struct srnic_events *events);
void srnic_events_deliver(struct srnic_qp *qp,
			  const struct srnic_events *events);

#endif /* SRNIC_ENGINE_EVENTS_H */
