/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The two sides of a QP, which run independently of each other.
 */
#ifndef SRNIC_ENGINE_SIDES_H
#define SRNIC_ENGINE_SIDES_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "../mem/mw.h"
#include "../mem/sg.h"
#include "../queue/srq.h"
#include "../queue/wqe.h"
#include "../transport/requester.h"
#include "../transport/responder.h"

/* Bits of &struct srnic_send_side.owner. */
#define SRNIC_SEND_OWNED	1
#define SRNIC_SEND_AGAIN	2

/* Bits of &struct srnic_send_side.flags. */
#define SRNIC_SEND_TIMER	0

/* Responses that may wait for the owner; more are lost packets. */
#define SRNIC_MAX_RESPONSES	1024

/**
 * struct srnic_send_side - requester and completer of a QP
 * @owner: SRNIC_SEND_OWNED while somebody runs it; SRNIC_SEND_AGAIN if
 *	   somebody else came by meanwhile. The owner has BHs off
 * @flags: SRNIC_SEND_TIMER: the timer has fired
 * @responses: packets that came while it was owned, with their own lock
 * @timer: for @deadline, @rnr_deadline or, in ERR, receives to flush
 *
 * The rest is the owner's:
 *
 * @req: state machine
 * @msgs: ring of messages, as large as the SQ
 * @timeout_ns: transport timer, 0 for none
 * @deadline: when the transport timer expires, 0 if it does not run
 * @rnr_deadline: when an RNR wait ends
 * @cursor: place in the gather list of message @cursor_index
 * @cursor_index: message that @cursor is in
 * @cursor_offset: offset in that message that @cursor stands at
 * @stuck: message @stuck_index cannot be sent; it fails with @stuck_status as
 *	   soon as all before it are complete
 * @stuck_index: see @stuck
 * @stuck_status: see @stuck
 * @stuck_detail: vendor_err that goes with @stuck_status
 * @nudged: what is before the stuck message was sent again for that
 * @refused: message @refused_index, the newest, must never be sent; it fails with
 *	     @refused_status. It is stuck as well, if none before it is
 * @refused_index: see @refused
 * @refused_status: see @refused
 * @refused_detail: vendor_err that goes with @refused_status
 * @ud_psn: UD: next PSN
 * @watch_ns: in ERR: how long until receives to flush are looked for next
 * @drain_event: SQ_DRAINED is to be raised when the SQ is drained
 */
struct srnic_send_side {
	atomic_t owner;
	unsigned long flags;
	struct sk_buff_head responses;
	struct hrtimer timer;
	struct srnic_req req;
	struct srnic_msg *msgs;
	u64 timeout_ns;
	u64 deadline;
	u64 rnr_deadline;
	struct srnic_sg_cursor cursor;
	u32 cursor_index;
	u32 cursor_offset;
	bool stuck;
	bool nudged;
	u32 stuck_index;
	enum ib_wc_status stuck_status;
	u32 stuck_detail;
	bool refused;
	u32 refused_index;
	enum ib_wc_status refused_status;
	u32 refused_detail;
	u32 ud_psn;
	u64 watch_ns;
	bool drain_event;
};

/**
 * struct srnic_recv_side - responder of a QP
 * @lock: guards all of it, the RQ, and writing of the QP's state; taken with
 *	  BHs off, inside of send side ownership, outside of CQ locks
 * @rsp: state machine
 * @wr: receive work request in use
 * @wr_held: @wr was taken and is not complete
 * @srq: with @wr_held: the SRQ that @wr came from, or NULL: the QP's own queue
 * @returned: memory to give @wr back to an SRQ with; NULL if the QP has none to do
 *	      with
 * @cursor: place in the scatter list of @wr
 * @cursor_offset: offset in the message that @cursor stands at
 * @min_rnr_timer: timer code for RNR NAKs
 * @qkey: UD: Q_Key
 * @comm_est: COMM_EST was raised since the QP is in RTR
 * @failed: a request was refused for good; ERR follows when the NAK is out
 * @last_wqe: LAST_WQE_REACHED was raised since the QP was last in RESET
 */
struct srnic_recv_side {
	spinlock_t lock; /* guards all of it, see above */
	struct srnic_rsp rsp;
	struct srnic_recv_wr wr;
	bool wr_held;
	struct srnic_srq *srq;
	struct srnic_returned_wr *returned;
	struct srnic_sg_cursor cursor;
	u32 cursor_offset;
	u8 min_rnr_timer;
	u32 qkey;
	bool comm_est;
	bool failed;
	bool last_wqe;
};

#endif /* SRNIC_ENGINE_SIDES_H */
