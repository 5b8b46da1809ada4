/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Responder: what a request packet asks for, and what goes back.
 *
 * Pure. A request is decided by srnic_rsp_request(); the caller carries out what
 * the step says (take a receive WQE, check the key, place the payload) and then
 * commits with srnic_rsp_commit(), or says srnic_rsp_nak() if it cannot. What
 * goes back is asked for by srnic_rsp_next(), which keeps the order of the PSNs
 * (3.5.2), and committed by srnic_rsp_sent().
 */
#ifndef SRNIC_TRANSPORT_RESPONDER_H
#define SRNIC_TRANSPORT_RESPONDER_H

#include "../wire/aeth.h"
#include "../wire/packet.h"
#include "message.h"

/*
 * READs and atomics kept for replay, as many as rdma_rxe has; a power of two.
 * Programs (perftest) take the same number for granted on both sides.
 */
#define SRNIC_RSP_RESOURCES	128

/* Bits of &struct srnic_rsp.access. */
#define SRNIC_ACCESS_REMOTE_WRITE	BIT(1)
#define SRNIC_ACCESS_REMOTE_READ	BIT(2)
#define SRNIC_ACCESS_REMOTE_ATOMIC	BIT(3)

/* DMALen may not be longer (C9-94). */
#define SRNIC_RSP_MAX_BYTES		BIT(31)

/**
 * struct srnic_rsp_resource - a READ, atomic write or atomic, kept for as long as it may be
 *			       asked for again
 * @kind: what it is
 * @first_psn: PSN of the request, and of its first response
 * @packets: response packets
 * @va: READ: start of the memory
 * @rkey: READ: its key
 * @length: READ: bytes; an atomic write is answered like one of none
 * @srqn: XRC: SRQ whose protection domain it is about
 * @original: atomic: the value before
 */
struct srnic_rsp_resource {
	enum srnic_msg_kind kind;
	u32 first_psn;
	u32 packets;
	u64 va;
	u32 rkey;
	u32 length;
	u32 srqn;
	u64 original;
};

/**
 * struct srnic_rsp_cursor - place in the ring of resources
 * @index: resource; grows only
 * @start: packet that the reply starts with: not 0 if it is resumed
 * @packet: packet that goes out next
 */
struct srnic_rsp_cursor {
	u32 index;
	u32 start;
	u32 packet;
};

/**
 * struct srnic_rsp - state of a responder
 * @mtu: path MTU in bytes
 * @epsn: expected PSN
 * @msn: messages completed
 * @access: what the QP grants, SRNIC_ACCESS_*
 * @max_rd_atomic: READs and atomics that may be unanswered
 * @credits: receives that there are, or SRNIC_CREDITS_UNLIMITED: not told
 * @current_op: SRNIC_MSG_SEND or SRNIC_MSG_WRITE inside of such a message
 * @in_message: some packets of a message are done, some to come
 * @va: WRITE: where the next packet's payload goes
 * @rkey: WRITE: its key
 * @rest: WRITE: bytes still to come
 * @offset: SEND: bytes received so far
 * @srqn: XRC: SRQ that the message has named
 * @head: resources ever taken
 * @emit: what is being answered for the first time; done if index is @head
 * @replay: what is being answered again
 * @replay_end: resources before it are to be answered again; nothing to do if
 *		@replay.index is @replay_end
 * @nak: syndrome of a NAK that is due, or 0
 * @nak_psn: its PSN
 * @nak_sent: a NAK went out for @epsn: no more until that packet comes
 * @ack_due: an acknowledgment is to go out
 * @service: enum srnic_service: RC, UC or XRC
 * @resource: ring of resources
 */
struct srnic_rsp {
	u32 mtu;
	u32 epsn;
	u32 msn;
	u32 access;
	u32 max_rd_atomic;
	u32 credits;
	enum srnic_msg_kind current_op;
	bool in_message;
	u64 va;
	u32 rkey;
	u32 rest;
	u32 offset;
	u32 srqn;
	u32 head;
	struct srnic_rsp_cursor emit;
	struct srnic_rsp_cursor replay;
	u32 replay_end;
	u8 nak;
	u32 nak_psn;
	bool nak_sent;
	bool ack_due;
	u8 service;
	struct srnic_rsp_resource resource[SRNIC_RSP_RESOURCES];
};

/**
 * enum srnic_rsp_verdict - what becomes of a request packet
 * @SRNIC_RSP_EXECUTE: carry out the step, then commit
 * @SRNIC_RSP_NAK: refuse it with &struct srnic_rsp_step.syndrome
 * @SRNIC_RSP_GAP: a packet is missing: NAK, once
 * @SRNIC_RSP_DUPLICATE: seen before; commit arranges what goes back
 * @SRNIC_RSP_DROP: to be ignored
 */
enum srnic_rsp_verdict {
	SRNIC_RSP_EXECUTE,
	SRNIC_RSP_NAK,
	SRNIC_RSP_GAP,
	SRNIC_RSP_DUPLICATE,
	SRNIC_RSP_DROP,
};

/**
 * struct srnic_rsp_step - what a request packet asks for
 * @verdict: what becomes of it
 * @syndrome: SRNIC_RSP_NAK: why
 * @kind: operation
 * @take_recv: needs a new receive WQE first: none is RNR
 * @complete_recv: completes the receive WQE
 * @place_send: payload goes to the receive WQE, at @offset
 * @place_write: payload goes to @va of @rkey
 * @check_key: the whole range [@va, @va + @length) of @rkey must be good
 * @offset: SEND: offset of the payload in the message
 * @va: start of payload or range
 * @rkey: key
 * @length: bytes of the range
 * @message_bytes: with @complete_recv: length of the message
 * @psns: PSNs that the request takes
 */
struct srnic_rsp_step {
	enum srnic_rsp_verdict verdict;
	u8 syndrome;
	enum srnic_msg_kind kind;
	bool take_recv;
	bool complete_recv;
	bool place_send;
	bool place_write;
	bool check_key;
	u32 offset;
	u64 va;
	u32 rkey;
	u32 length;
	u32 message_bytes;
	u32 psns;
};

/**
 * enum srnic_rsp_reply_kind - what goes back next
 * @SRNIC_REPLY_NONE: nothing
 * @SRNIC_REPLY_READ: a READ response packet
 * @SRNIC_REPLY_ATOMIC: an atomic acknowledge
 * @SRNIC_REPLY_NAK: a NAK
 * @SRNIC_REPLY_ACK: an acknowledgment
 */
enum srnic_rsp_reply_kind {
	SRNIC_REPLY_NONE,
	SRNIC_REPLY_READ,
	SRNIC_REPLY_ATOMIC,
	SRNIC_REPLY_NAK,
	SRNIC_REPLY_ACK,
};

/**
 * struct srnic_rsp_reply - a packet that goes back
 * @kind: what it is
 * @again: it was sent before
 * @opcode: service | operation
 * @syndrome: of the AETH, if it has one
 * @psn: its PSN
 * @msn: of the AETH
 * @va: READ: where its payload lies
 * @rkey: READ: key of that
 * @bytes: READ: payload
 * @srqn: READ of XRC: SRQ whose protection domain it is about
 * @original: atomic: value before
 */
struct srnic_rsp_reply {
	enum srnic_rsp_reply_kind kind;
	bool again;
	u8 opcode;
	u8 syndrome;
	u32 psn;
	u32 msn;
	u64 va;
	u32 rkey;
	u32 bytes;
	u32 srqn;
	u64 original;
};

void srnic_rsp_init(struct srnic_rsp *rsp, u8 service);
void srnic_rsp_request(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		       struct srnic_rsp_step *step);
void srnic_rsp_commit(struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		      const struct srnic_rsp_step *step, u64 original);
void srnic_rsp_nak(struct srnic_rsp *rsp, u8 syndrome);
bool srnic_rsp_replay(struct srnic_rsp *rsp, const struct srnic_pkt *pkt);
void srnic_rsp_next(const struct srnic_rsp *rsp, struct srnic_rsp_reply *reply);
void srnic_rsp_sent(struct srnic_rsp *rsp, const struct srnic_rsp_reply *reply);
void srnic_rsp_refuse(struct srnic_rsp *rsp, const struct srnic_rsp_reply *reply,
		      u8 syndrome);

#endif /* SRNIC_TRANSPORT_RESPONDER_H */
