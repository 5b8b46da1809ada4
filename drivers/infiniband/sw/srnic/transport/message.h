/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A message as the transport sees it: a length, a kind and a run of PSNs.
 *
 * In comments of this room atomics are all three of them, atomic writes as well, if
 * it is not said otherwise.
 */
#ifndef SRNIC_TRANSPORT_MESSAGE_H
#define SRNIC_TRANSPORT_MESSAGE_H

#include "../env.h"

/**
 * enum srnic_msg_kind - operation of a message
 * @SRNIC_MSG_SEND: SEND
 * @SRNIC_MSG_WRITE: RDMA WRITE
 * @SRNIC_MSG_LOCAL: no packets: something that the sender does to itself (bind of a
 *	memory window, local invalidate)
 * @SRNIC_MSG_READ: RDMA READ
 * @SRNIC_MSG_ATOMIC_WRITE: atomic write of 8 bytes, answered like a READ of nothing
 * @SRNIC_MSG_CMP_SWAP: atomic compare-and-swap
 * @SRNIC_MSG_FETCH_ADD: atomic fetch-and-add
 */
enum srnic_msg_kind {
	SRNIC_MSG_SEND,
	SRNIC_MSG_WRITE,
	SRNIC_MSG_LOCAL,
	SRNIC_MSG_READ,
	SRNIC_MSG_ATOMIC_WRITE,
	SRNIC_MSG_CMP_SWAP,
	SRNIC_MSG_FETCH_ADD,
};

/**
 * struct srnic_msg - a message of a send queue
 * @length: bytes
 * @first_psn: PSN of its first packet, once it is started
 * @packets: PSNs that it takes: packets sent, or for a READ packets expected
 * @kind: operation
 * @imm: carries immediate data
 * @inv: carries a key to invalidate
 * @solicited: asks for a solicited event
 * @fence: waits for all READs and atomics before it
 * @after_all: SRNIC_MSG_LOCAL: waits for all messages before it
 * @signaled: somebody waits for its completion
 */
struct srnic_msg {
	u32 length;
	u32 first_psn;
	u32 packets;
	enum srnic_msg_kind kind;
	bool imm;
	bool inv;
	bool solicited;
	bool fence;
	bool after_all;
	bool signaled;
};

/**
 * srnic_msg_has_response() - does the message complete by a response of its own?
 * @msg: message
 *
 * Context: Any.
 * Return: true for a READ, atomic write or atomic, false if an acknowledgment completes it.
 */
static inline bool srnic_msg_has_response(const struct srnic_msg *msg)
{
	return msg->kind >= SRNIC_MSG_READ;
}

/**
 * srnic_msg_takes_recv() - does the message use up a receive of the peer's?
 * @msg: message
 *
 * Context: Any.
 * Return: true for a SEND, or a WRITE with immediate data.
 */
static inline bool srnic_msg_takes_recv(const struct srnic_msg *msg)
{
	return msg->kind == SRNIC_MSG_SEND || msg->imm;
}

#endif /* SRNIC_TRANSPORT_MESSAGE_H */
