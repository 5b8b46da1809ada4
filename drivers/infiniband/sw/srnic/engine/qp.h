/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A queue pair: its life and the locks of its two sides.
 */
#ifndef SRNIC_ENGINE_QP_H
#define SRNIC_ENGINE_QP_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "../queue/cq.h"
#include "../queue/doorbell.h"
#include "../queue/rq.h"
#include "../queue/sq.h"
#include "../transport/requester.h"
#include "../transport/responder.h"
#include "device.h"

/*
 * Fields that only engine/ looks at are in struct srnic_send_side and
 * struct srnic_recv_side; verbs/ fills in sq, rq, doorbell and attr.
 */
#include "sides.h"
#include "xrcd.h"

/**
 * struct srnic_qp - a queue pair
 * @ibqp: what the core knows of it
 * @dev: its device
 * @counters: the device's, or those of a &struct srnic_qp_counter; RCU
 * @number: QP number; of a GSI QP not the one that the wire knows it by
 * @attr_mutex: serialises modify and query
 * @attr: attributes as modify has set them; query gives them back
 * @cap: capabilities as granted
 * @sq_sig_all: every send work request makes a CQE
 * @kernel: of a consumer in the kernel, who posts by srnic_sq_slot() and
 *	    srnic_rq_slot()
 * @sq_post_lock: of such a one: serialises posting to @sq; a leaf, taken with
 *		  interrupts off
 * @rq_post_lock: likewise, to @rq
 * @blocks_own_multicast: it does not receive what it has sent itself
 * @state: enum ib_qp_state; written under both sides' locks, read anywhere
 * @path: the way to the peer; not of UD, whose work requests name it
 * @peer: its QP number
 * @sq: send queue, the send side owner's
 * @rq: receive queue, guarded by &struct srnic_recv_side.lock
 * @doorbell: where the process rings; of no page if it has no send queue
 * @srq: SRQ in place of a receive queue, or NULL
 * @xrcd: domain of the SRQs that the peer may name: an XRC target; or NULL
 * @xrcd_entry: in &struct srnic_xrcd.targets
 * @gsi_entry: of a GSI QP: in the list of all of them
 * @windows: memory windows of type 2 that are bound to it
 * @send: send side
 * @recv: receive side
 * @tasklet: goes on with work left over
 * @later: goes on when a thread has its turn
 * @pause: runs while the netdev's queue is full
 * @pause_ns: for how long next time
 */
struct srnic_qp {
	struct ib_qp ibqp;
	struct srnic_dev *dev;
	struct srnic_counters __percpu *counters;
	u32 number;
	struct mutex attr_mutex; /* modify and query */
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	bool sq_sig_all;
	bool kernel;
	spinlock_t sq_post_lock; /* posting to @sq */
	spinlock_t rq_post_lock; /* posting to @rq */
	bool blocks_own_multicast;
	enum ib_qp_state state;
	struct srnic_path path;
	u32 peer;
	struct srnic_sq sq;
	struct srnic_rq rq;
	struct srnic_doorbell doorbell;
	struct srnic_srq *srq;
	struct srnic_xrcd *xrcd;
	struct list_head xrcd_entry;
	struct list_head gsi_entry;
	struct srnic_mw_set windows;
	struct srnic_send_side send;
	struct srnic_recv_side recv;
	struct tasklet_struct tasklet;
	struct work_struct later;
	struct hrtimer pause;
	u64 pause_ns;
};

static inline struct srnic_qp *to_srnic_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct srnic_qp, ibqp);
}

/**
 * srnic_qp_service() - transport service of a QP
 * @qp: queue pair
 *
 * Context: Any.
 * Return: SRNIC_SERVICE_*, as it is in the opcodes of the QP's packets.
 */
static inline u8 srnic_qp_service(const struct srnic_qp *qp)
{
	switch (qp->ibqp.qp_type) {
	case IB_QPT_RC:
		return SRNIC_SERVICE_RC;
	case IB_QPT_UC:
		return SRNIC_SERVICE_UC;
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
		return SRNIC_SERVICE_XRC;
	default:
		return SRNIC_SERVICE_UD;
	}
}

static inline bool srnic_qp_is_gsi(const struct srnic_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_GSI;
}

/**
 * srnic_qp_is_datagram() - are messages of a QP single packets, to anybody?
 * @qp: queue pair
 *
 * Context: Any.
 * Return: true for UD, and for the GSI, which is one with a well-known number.
 */
static inline bool srnic_qp_is_datagram(const struct srnic_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_UD || srnic_qp_is_gsi(qp);
}

/**
 * srnic_qp_shares_receives() - does a QP take work requests from SRQs?
 * @qp: queue pair
 *
 * Context: Any.
 * Return: true if it has an SRQ, or is an XRC target.
 */
static inline bool srnic_qp_shares_receives(const struct srnic_qp *qp)
{
	return qp->srq || qp->xrcd;
}

void srnic_qp_to_error(struct srnic_qp *qp);
void srnic_qp_to_error_locked(struct srnic_qp *qp);
void srnic_qp_to_sq_error(struct srnic_qp *qp);

/* engine/qp.c: called by verbs, process context, may sleep. */
int srnic_qp_start(struct srnic_qp *qp);
int srnic_qp_modify(struct srnic_qp *qp, const struct ib_qp_attr *attr,
		    int mask, enum ib_qp_state from, enum ib_qp_state next);
void srnic_qp_stop(struct srnic_qp *qp);
int srnic_qp_kick(struct srnic_qp *qp);

#endif /* SRNIC_ENGINE_QP_H */
