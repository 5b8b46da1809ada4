/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The receive side of a QP: responder and datagrams.
 */
#ifndef SRNIC_ENGINE_RECV_H
#define SRNIC_ENGINE_RECV_H

#include "events.h"
#include "qp.h"

struct srnic_send_run;

/* engine/respond.c */
void srnic_recv_init(struct srnic_qp *qp);
void srnic_recv_request(struct srnic_qp *qp, struct srnic_rx *rx);
void srnic_recv_run(struct srnic_qp *qp);

/* engine/recv_queue.c: responder lock held */
enum srnic_fetch srnic_recv_take(struct srnic_qp *qp, struct srnic_srq *srq,
				 struct srnic_events *events);
void srnic_recv_give_back(struct srnic_qp *qp);
bool srnic_recv_complete(struct srnic_qp *qp, struct srnic_cqe *cqe,
			 bool solicited, struct srnic_events *events);
void srnic_recv_fail(struct srnic_qp *qp, enum ib_wc_status status,
		     struct srnic_events *events);

/**
 * srnic_recv_pd() - whose memory the work request in use is about
 * @qp: queue pair that holds a work request
 *
 * Context: Responder lock.
 * Return: the protection domain of the SRQ that it came from, or the QP's.
 */
static inline const struct ib_pd *srnic_recv_pd(const struct srnic_qp *qp)
{
	return qp->recv.srq ? qp->recv.srq->ibsrq.pd : qp->ibqp.pd;
}

/* engine/recv_queue.c: run owner */
void srnic_recv_flush(struct srnic_send_run *run);

/* engine/reply.c: responder lock held */
bool srnic_reply(struct srnic_qp *qp, struct srnic_events *events);

/* engine/datagram.c: softirq */
void srnic_recv_datagram(struct srnic_qp *qp, struct srnic_rx *rx);

#endif /* SRNIC_ENGINE_RECV_H */
