// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: which packet of a send queue goes out next.
 */
#include "requester.h"

#include "../wire/mtu.h"
#include "../wire/opcode.h"
#include "../wire/psn.h"

/*
 * Unacknowledged PSNs before sending pauses. Packets in flight have to fit the
 * queues on the way (qdisc, NIC rings, the per-CPU backlog of veth: about 1000
 * each), or a sender without loss would make its own.
 */
#define WINDOW_PSNS		256

/* A message this long is acknowledged on the way, so that the window moves. */
#define ACK_EVERY_PSNS		64

/**
 * srnic_req_init() - requester in its initial state
 * @req: requester
 * @ring_entries: size of the ring of messages, a power of two
 * @service: RC, UC or XRC
 *
 * Path MTU, PSN and retry attributes follow when the QP is modified.
 *
 * Context: Send side owner.
 */
void srnic_req_init(struct srnic_req *req, u32 ring_entries, u8 service)
{
	*req = (struct srnic_req){
		.mtu = SRNIC_MTU_MIN_BYTES,
		.mask = ring_entries - 1,
		.window = WINDOW_PSNS,
		.service = service,
	};
}

static u8 send_operation(const struct srnic_msg *msg, bool first, bool last)
{
	if (first && last)
		return msg->imm ? SRNIC_OP_SEND_ONLY_IMM :
		       msg->inv ? SRNIC_OP_SEND_ONLY_INV : SRNIC_OP_SEND_ONLY;
	if (first)
		return SRNIC_OP_SEND_FIRST;
	if (!last)
		return SRNIC_OP_SEND_MIDDLE;
	return msg->imm ? SRNIC_OP_SEND_LAST_IMM :
	       msg->inv ? SRNIC_OP_SEND_LAST_INV : SRNIC_OP_SEND_LAST;
}

static u8 write_operation(const struct srnic_msg *msg, bool first, bool last)
{
	if (first && last)
		return msg->imm ? SRNIC_OP_WRITE_ONLY_IMM : SRNIC_OP_WRITE_ONLY;
	if (first)
		return SRNIC_OP_WRITE_FIRST;
	if (!last)
		return SRNIC_OP_WRITE_MIDDLE;
	return msg->imm ? SRNIC_OP_WRITE_LAST_IMM : SRNIC_OP_WRITE_LAST;
}

/* The operation, and for what has no payload the size of the packet, too. */
static u8 operation(const struct srnic_msg *msg, struct srnic_req_segment *seg)
{
	bool first = !seg->offset;

	switch (msg->kind) {
	case SRNIC_MSG_SEND:
		return send_operation(msg, first, seg->last);
	case SRNIC_MSG_WRITE:
		return write_operation(msg, first, seg->last);
	case SRNIC_MSG_READ:
		return SRNIC_OP_READ_REQUEST;
	case SRNIC_MSG_ATOMIC_WRITE:
		return SRNIC_OP_ATOMIC_WRITE;
	case SRNIC_MSG_CMP_SWAP:
		return SRNIC_OP_CMP_SWAP;
	case SRNIC_MSG_FETCH_ADD:
	case SRNIC_MSG_LOCAL:
		break;
	}
	return SRNIC_OP_FETCH_ADD;
}

/* May a message start, and take the PSNs from @next_psn on? */
static enum srnic_req_verdict may_start(const struct srnic_req *req,
					const struct srnic_msg *msg,
					u32 next_psn)
{
	if (req->draining)
		return SRNIC_REQ_DRAINED;
	if (msg->fence && req->rd_atomic)
		return SRNIC_REQ_FENCE;
	if (msg->kind == SRNIC_MSG_LOCAL)
		return msg->after_all && req->tail != req->started ?
		       SRNIC_REQ_FENCE : SRNIC_REQ_LOCAL;
	if (srnic_msg_has_response(msg) && req->rd_atomic >= req->max_rd_atomic)
		return SRNIC_REQ_RD_LIMIT;
	/* A message's PSNs are its own from the start: never more than half. */
	if (srnic_psn_sub(next_psn, req->una) +
	    srnic_mtu_packets(msg->length, req->mtu) > SRNIC_REQ_MAX_PSNS)
		return SRNIC_REQ_WINDOW;
	return SRNIC_REQ_SEND;
}

/*
 * Has the peer got a receive for a message, number @ssn? One may go beyond what we know
 * of (4.14), for its acknowledgment tells more.
 */
static bool has_credit(const struct srnic_req *req, const struct srnic_msg *msg,
		       u32 ssn)
{
	return !req->limited || !srnic_msg_takes_recv(msg) ||
	       !srnic_psn_after(ssn, srnic_psn_add(req->lsn, 1));
}

/* Does a message follow at once, and is acknowledged itself? */
static bool has_successor(const struct srnic_req *req,
			  const struct srnic_msg *msgs,
			  const struct srnic_req_segment *seg)
{
	u32 next = seg->index + 1;
	const struct srnic_msg *msg = &msgs[next & req->mask];
	u32 ssn = srnic_psn_add(req->ssn, seg->index == req->started ? 2 : 1);

	return next != req->head && has_credit(req, msg, ssn) &&
	       may_start(req, msg, srnic_psn_add(seg->psn, 1)) == SRNIC_REQ_SEND;
}

/*
 * Is the message, which has a successor, a single packet as that is? Then the wait
 * for the successor's acknowledgment is that for one more packet.
 */
static bool is_short_as_successor(const struct srnic_req *req,
				  const struct srnic_msg *msgs,
				  const struct srnic_req_segment *seg)
{
	return !seg->offset &&
	       msgs[(seg->index + 1) & req->mask].length <= req->mtu;
}

/*
 * Every message ends up acknowledged (rule 4.5), but not every one asks for it:
 * one that has a successor is acknowledged with that, if nobody waits for it or
 * not for long.
 */
static bool wants_ack(const struct srnic_req *req, const struct srnic_msg *msgs,
		      const struct srnic_req_segment *seg)
{
	bool again = seg->psn != req->top_psn;

	if (srnic_psn_sub(seg->psn, req->una) + 1 >= req->window)
		return true;
	if (!(seg->psn % ACK_EVERY_PSNS))
		return true;
	if (!seg->last)
		return false;
	if (again || !has_successor(req, msgs, seg))
		return true;
	return msgs[seg->index & req->mask].signaled &&
	       !is_short_as_successor(req, msgs, seg);
}

/**
 * srnic_req_next() - the next packet
 * @req: requester
 * @msgs: ring of messages
 * @seg: the packet, if there is one
 *
 * Context: Send side owner.
 * Return: SRNIC_REQ_SEND if @seg is to be sent and then committed by
 * srnic_req_sent(); SRNIC_REQ_LOCAL if message @seg.index is to be done and then
 * committed by srnic_req_local_done(); otherwise what it waits for.
 */
enum srnic_req_verdict srnic_req_next(const struct srnic_req *req,
				      const struct srnic_msg *msgs,
				      struct srnic_req_segment *seg)
{
	const struct srnic_msg *msg = &msgs[req->next & req->mask];
	enum srnic_req_verdict verdict;
	u32 first_psn, packets;

	if (req->rnr_wait)
		return SRNIC_REQ_RNR;
	if (req->next == req->head)
		return SRNIC_REQ_IDLE;
	if (req->next == req->started) {
		verdict = may_start(req, msg, req->next_psn);
		if (verdict == SRNIC_REQ_LOCAL)
			*seg = (struct srnic_req_segment){ .index = req->next };
		if (verdict != SRNIC_REQ_SEND)
			return verdict;
		/* If nothing is under way, nothing would tell us of more. */
		if (req->una != req->next_psn &&
		    !has_credit(req, msg, srnic_psn_add(req->ssn, 1)))
			return SRNIC_REQ_CREDIT;
		first_psn = req->next_psn;
		packets = srnic_mtu_packets(msg->length, req->mtu);
	} else {
		first_psn = msg->first_psn;
		packets = msg->packets;
	}
	if (srnic_psn_sub(req->send_psn, req->una) >= req->window)
		return SRNIC_REQ_WINDOW;

	seg->index = req->next;
	seg->psn = req->send_psn;
	seg->offset = srnic_psn_sub(req->send_psn, first_psn) * req->mtu;
	if (srnic_msg_has_response(msg)) {
		seg->bytes = msg->kind == SRNIC_MSG_ATOMIC_WRITE ?
			     msg->length : 0;
		seg->psns = packets - srnic_psn_sub(req->send_psn, first_psn);
		seg->last = true;
	} else {
		seg->bytes = min(msg->length - seg->offset, req->mtu);
		seg->psns = 1;
		seg->last = seg->offset + seg->bytes == msg->length;
	}
	seg->opcode = req->service | operation(msg, seg);
	seg->ack_req = req->service != SRNIC_SERVICE_UC &&
		       wants_ack(req, msgs, seg);
	seg->solicited = seg->last && msg->solicited &&
			 (msg->kind == SRNIC_MSG_SEND || msg->imm);
	return SRNIC_REQ_SEND;
}

/**
 * srnic_req_sent() - a packet has been sent
 * @req: requester
 * @msgs: ring of messages
 * @seg: what srnic_req_next() gave
 *
 * Context: Send side owner.
 */
void srnic_req_sent(struct srnic_req *req, struct srnic_msg *msgs,
		    const struct srnic_req_segment *seg)
{
	struct srnic_msg *msg = &msgs[seg->index & req->mask];
	bool again = seg->psn != req->top_psn;

	if (seg->index == req->started) {
		msg->first_psn = req->next_psn;
		msg->packets = srnic_mtu_packets(msg->length, req->mtu);
		req->next_psn = srnic_psn_add(req->next_psn, msg->packets);
		req->started++;
		req->ssn = srnic_psn_add(req->ssn, 1);
		if (srnic_msg_has_response(msg))
			req->rd_atomic++;
	}
	/* It is the oldest message: the packets before these have been answered. */
	if (msg->kind == SRNIC_MSG_READ && seg->offset)
		req->resumed = true;
	req->send_psn = srnic_psn_add(req->send_psn, seg->psns);
	/* Resent PSNs lie below top_psn, if not a READ's that was cut short. */
	if (!again || srnic_psn_sub(req->send_psn, req->una) >
		      srnic_psn_sub(req->top_psn, req->una))
		req->top_psn = req->send_psn;
	if (!seg->last)
		return;
	req->next++;
	/* What has no packets is not done again when others are sent again. */
	while (req->next != req->started &&
	       msgs[req->next & req->mask].kind == SRNIC_MSG_LOCAL)
		req->next++;
}

/**
 * srnic_req_local_done() - the next message, which has no packets, has been done
 * @req: requester
 * @msgs: ring of messages
 *
 * It is complete at once if all before it is: then @req->tail has moved behind it.
 *
 * Context: Send side owner.
 */
void srnic_req_local_done(struct srnic_req *req, struct srnic_msg *msgs)
{
	struct srnic_msg *msg = &msgs[req->next & req->mask];

	msg->first_psn = req->next_psn;
	msg->packets = 0;
	if (req->tail == req->next)
		req->tail++;
	req->started++;
	req->next++;
}

/**
 * srnic_req_go_back() - send again all that is not acknowledged
 * @req: requester
 *
 * Context: Send side owner.
 */
void srnic_req_go_back(struct srnic_req *req)
{
	req->next = req->tail;
	req->send_psn = req->una;
}
