/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The send side of a QP: who runs it, and what a run does.
 *
 * A run is bounded and has BHs off, so that its owner is never preempted and
 * who waits for ownership may spin. Whoever finds the side owned leaves a mark,
 * and the owner goes round once more.
 */
#ifndef SRNIC_ENGINE_SEND_H
#define SRNIC_ENGINE_SEND_H

#include "../transport/completer.h"
#include "events.h"
#include "qp.h"

/**
 * struct srnic_send_run - one run of a send side
 * @qp: queue pair
 * @tx: packets on their way down
 * @events: to be told at the end
 * @budget: packets and completions left
 * @now: time at the start, in ns
 * @busy: the netdev takes nothing more for now
 * @progress: the oldest unacknowledged PSN has moved, or was resent
 * @detail: vendor_err of the work request that fails next
 */
struct srnic_send_run {
	struct srnic_qp *qp;
	struct srnic_tx tx;
	struct srnic_events events;
	int budget;
	u64 now;
	bool busy;
	bool progress;
	u32 detail;
};

/**
 * srnic_send_active() - does the send side send, and take responses?
 * @qp: queue pair
 *
 * Context: Any; true a moment ago, unless a lock keeps the state.
 * Return: true in RTS and SQD.
 */
static inline bool srnic_send_active(const struct srnic_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	return state == IB_QPS_RTS || state == IB_QPS_SQD;
}

/* engine/send.c */
void srnic_send_init(struct srnic_qp *qp);
bool srnic_send_run_once(struct srnic_qp *qp);
void srnic_send_run(struct srnic_qp *qp);
void srnic_send_flush_rest(struct srnic_qp *qp, struct srnic_events *events);
void srnic_send_lock(struct srnic_qp *qp);
void srnic_send_unlock(struct srnic_qp *qp);
void srnic_send_response(struct srnic_qp *qp, struct srnic_rx *rx);

/* engine/transmit.c: run owner */
void srnic_transmit(struct srnic_send_run *run);

/* engine/local_work.c: run owner */
int srnic_do_local(struct srnic_qp *qp, const struct srnic_send_wr *wr);

/* engine/datagram_send.c: run owner */
void srnic_transmit_datagrams(struct srnic_send_run *run);

/* engine/complete.c: run owner */
void srnic_complete_wr(struct srnic_send_run *run, enum ib_wc_status status);
void srnic_send_step(struct srnic_send_run *run,
		     const struct srnic_cmp_step *step);
void srnic_send_received(struct srnic_send_run *run, const struct srnic_pkt *pkt,
			 const struct sk_buff *skb, u32 payload);
void srnic_send_fail(struct srnic_send_run *run, enum ib_wc_status status);
void srnic_send_fatal(struct srnic_send_run *run);
enum ib_wc_status srnic_wqe_status(enum srnic_wqe_verdict why);
void srnic_send_flush(struct srnic_send_run *run);

#endif /* SRNIC_ENGINE_SEND_H */
