/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requester: which packet of a send queue goes out next.
 *
 * Pure: srnic_req_next() decides, srnic_req_sent() commits. Responses are the
 * completer's, which works on the same state. RC, UC and XRC; a UD message is one
 * packet and needs no state but its PSN.
 *
 * Messages have indices that only grow; the array that holds them is a ring:
 *
 *	tail		next		started		head
 *	 | unacknowledged | being resent  | not started   |
 *
 * and so have PSNs:
 *
 *	una		send_psn	top_psn		next_psn
 *	 | sent		  | sent, again	  | of started	  | free
 *	 |		  | to be sent	  | messages	  |
 *
 * Going back is always going back to una, which lies in message tail: whatever
 * a NAK or ACK says has arrived has moved una already.
 *
 * A message of no packets (SRNIC_MSG_LOCAL) is done once, when it is started, and is
 * complete with what is before it. Neither tail nor next ever stays at one that was
 * started, so going back does not do it again.
 */
#ifndef SRNIC_TRANSPORT_REQUESTER_H
#define SRNIC_TRANSPORT_REQUESTER_H

#include "message.h"

/* PSNs that may be outstanding at the most (C9-9, half the PSN space). */
#define SRNIC_REQ_MAX_PSNS	BIT(23)

/* rnr_retry of this value never runs out. */
#define SRNIC_RNR_RETRY_ENDLESS	7

/**
 * struct srnic_req - state of a requester
 * @mtu: path MTU in bytes
 * @mask: size of the ring of messages, less one
 * @tail: oldest message that is not complete
 * @next: message that the next packet belongs to
 * @started: messages that have got PSNs so far
 * @head: messages accepted so far
 * @una: oldest unacknowledged PSN
 * @send_psn: PSN of the next packet
 * @top_psn: PSN behind the newest that was ever sent
 * @next_psn: PSN behind the newest started message
 * @window: PSNs that may be unacknowledged before sending pauses
 * @rd_atomic: READs and atomics outstanding
 * @max_rd_atomic: how many may be
 * @ssn: messages that have got PSNs so far, modulo 2^24, as the peer's MSN counts them
 * @lsn: @limited: the peer has receives for messages up to this @ssn
 * @retry_cnt: attribute: retries after time-out or loss
 * @retry_left: what is left of them
 * @rnr_retry: attribute: retries after RNR NAK
 * @rnr_left: what is left of them
 * @rnr_wait: an RNR NAK told us to wait
 * @retried: it has gone back to @una already and waits to see the effect
 * @resumed: of the oldest message, a READ, the rest was asked for: an answer may start
 *	     in the middle
 * @draining: no new message may start (SQD)
 * @limited: the peer tells how many receives it has (4.14)
 * @unlimited: it has said that it does not count them, and never will
 * @service: enum srnic_service: RC, UC or XRC
 */
struct srnic_req {
	u32 mtu;
	u32 mask;
	u32 tail;
	u32 next;
	u32 started;
	u32 head;
	u32 una;
	u32 send_psn;
	u32 top_psn;
	u32 next_psn;
	u32 window;
	u32 rd_atomic;
	u32 max_rd_atomic;
	u32 ssn;
	u32 lsn;
	u8 retry_cnt;
	u8 retry_left;
	u8 rnr_retry;
	u8 rnr_left;
	bool rnr_wait;
	bool retried;
	bool resumed;
	bool draining;
	bool limited;
	bool unlimited;
	u8 service;
};

/**
 * enum srnic_req_verdict - may a packet go out?
 * @SRNIC_REQ_SEND: yes, this one
 * @SRNIC_REQ_LOCAL: no packet, but a message to be done here and now
 * @SRNIC_REQ_IDLE: there is nothing to send
 * @SRNIC_REQ_WINDOW: too much is unacknowledged
 * @SRNIC_REQ_FENCE: READs or atomics, or all before it, must complete first
 * @SRNIC_REQ_RD_LIMIT: too many READs and atomics are outstanding
 * @SRNIC_REQ_CREDIT: the peer has no receive for it that we know of
 * @SRNIC_REQ_RNR: the receiver is not ready; the RNR timer runs
 * @SRNIC_REQ_DRAINED: the queue is to be drained and all started is sent
 */
enum srnic_req_verdict {
	SRNIC_REQ_SEND,
	SRNIC_REQ_LOCAL,
	SRNIC_REQ_IDLE,
	SRNIC_REQ_WINDOW,
	SRNIC_REQ_FENCE,
	SRNIC_REQ_RD_LIMIT,
	SRNIC_REQ_CREDIT,
	SRNIC_REQ_RNR,
	SRNIC_REQ_DRAINED,
};

/**
 * struct srnic_req_segment - a packet to send
 * @index: message it belongs to
 * @psn: its PSN
 * @offset: bytes of the message before it
 * @bytes: payload
 * @psns: PSNs it takes: 1, or what a READ expects back
 * @opcode: service | operation
 * @last: it is the last packet of its message
 * @ack_req: AckReq
 * @solicited: SE
 */
struct srnic_req_segment {
	u32 index;
	u32 psn;
	u32 offset;
	u32 bytes;
	u32 psns;
	u8 opcode;
	bool last;
	bool ack_req;
	bool solicited;
};

void srnic_req_init(struct srnic_req *req, u32 ring_entries, u8 service);
enum srnic_req_verdict srnic_req_next(const struct srnic_req *req,
				      const struct srnic_msg *msgs,
				      struct srnic_req_segment *seg);
void srnic_req_sent(struct srnic_req *req, struct srnic_msg *msgs,
		    const struct srnic_req_segment *seg);
void srnic_req_local_done(struct srnic_req *req, struct srnic_msg *msgs);
void srnic_req_go_back(struct srnic_req *req);

/**
 * srnic_req_outstanding() - does the requester wait for a response?
 * @req: requester
 *
 * Context: Any.
 * Return: true if something was sent and is not acknowledged.
 */
static inline bool srnic_req_outstanding(const struct srnic_req *req)
{
	return req->una != req->top_psn;
}

#endif /* SRNIC_TRANSPORT_REQUESTER_H */
