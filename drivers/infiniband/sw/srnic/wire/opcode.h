/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What each opcode means: one descriptor with named fields per valid opcode.
 */
#ifndef SRNIC_WIRE_OPCODE_H
#define SRNIC_WIRE_OPCODE_H

#include "../env.h"

/**
 * enum srnic_service - bits 7:5 of the opcode: the transport service
 * @SRNIC_SERVICE_RC: reliable connection
 * @SRNIC_SERVICE_UC: unreliable connection
 * @SRNIC_SERVICE_UD: unreliable datagram
 * @SRNIC_SERVICE_CNP: congestion notification, one opcode only
 * @SRNIC_SERVICE_XRC: extended reliable connection
 * @SRNIC_SERVICE_MASK: the bits that name the service
 */
enum srnic_service {
	SRNIC_SERVICE_RC	= 0x00,
	SRNIC_SERVICE_UC	= 0x20,
	SRNIC_SERVICE_UD	= 0x60,
	SRNIC_SERVICE_CNP	= 0x80,
	SRNIC_SERVICE_XRC	= 0xa0,
	SRNIC_SERVICE_MASK	= 0xe0,
};

/* Operation, bits 4:0 of the opcode: opcode = service | operation. */
enum srnic_op {
	SRNIC_OP_SEND_FIRST		= 0x00,
	SRNIC_OP_SEND_MIDDLE		= 0x01,
	SRNIC_OP_SEND_LAST		= 0x02,
	SRNIC_OP_SEND_LAST_IMM		= 0x03,
	SRNIC_OP_SEND_ONLY		= 0x04,
	SRNIC_OP_SEND_ONLY_IMM		= 0x05,
	SRNIC_OP_WRITE_FIRST		= 0x06,
	SRNIC_OP_WRITE_MIDDLE		= 0x07,
	SRNIC_OP_WRITE_LAST		= 0x08,
	SRNIC_OP_WRITE_LAST_IMM		= 0x09,
	SRNIC_OP_WRITE_ONLY		= 0x0a,
	SRNIC_OP_WRITE_ONLY_IMM		= 0x0b,
	SRNIC_OP_READ_REQUEST		= 0x0c,
	SRNIC_OP_READ_RESP_FIRST	= 0x0d,
	SRNIC_OP_READ_RESP_MIDDLE	= 0x0e,
	SRNIC_OP_READ_RESP_LAST		= 0x0f,
	SRNIC_OP_READ_RESP_ONLY		= 0x10,
	SRNIC_OP_ACK			= 0x11,
	SRNIC_OP_ATOMIC_ACK		= 0x12,
	SRNIC_OP_CMP_SWAP		= 0x13,
	SRNIC_OP_FETCH_ADD		= 0x14,
	SRNIC_OP_SEND_LAST_INV		= 0x16,
	SRNIC_OP_SEND_ONLY_INV		= 0x17,
	SRNIC_OP_FLUSH			= 0x1c,
	SRNIC_OP_ATOMIC_WRITE		= 0x1d,
	SRNIC_OP_MASK			= 0x1f,
};

#define SRNIC_OPCODE_CNP	0x81

/**
 * struct srnic_opcode_info - descriptor of one opcode
 * @known: always set in what srnic_opcode_info() returns
 * @request: processed by the responder
 * @response: processed by the completer
 * @cnp: congestion notification; neither request nor response
 * @first: first of several packets
 * @middle: neither first nor last
 * @last: last of several packets
 * @only: the message is this packet
 * @starts: @first or @only
 * @ends: @last or @only
 * @send: SEND of any kind
 * @write: RDMA WRITE of any kind (not ATOMIC WRITE)
 * @read: READ REQUEST, or with @response one of its responses
 * @atomic: CMP_SWAP or FETCH_ADD, or with @response their result
 * @flush: FLUSH
 * @atomic_write: ATOMIC WRITE
 * @ack: ACKNOWLEDGE, which carries NAKs too
 * @has_xrceth: XRC SRQ number follows the BTH
 * @has_deth: Q_Key and source QP
 * @has_feth: FLUSH kind
 * @has_reth: address, key, length
 * @has_atomic_eth: address, key, operands
 * @has_aeth: syndrome and MSN
 * @has_atomic_ack: original value
 * @has_imm: immediate data
 * @has_ieth: key to invalidate
 * @has_payload: payload is legal; without it a payload is an error
 * @takes_recv_wqe: this packet takes a receive WQE
 * @completes_recv: this packet completes a receive WQE
 * @header_bytes: BTH and extended headers
 * @service: enum srnic_service
 */
struct srnic_opcode_info {
	u32 known : 1;
	u32 request : 1;
	u32 response : 1;
	u32 cnp : 1;
	u32 first : 1;
	u32 middle : 1;
	u32 last : 1;
	u32 only : 1;
	u32 starts : 1;
	u32 ends : 1;
	u32 send : 1;
	u32 write : 1;
	u32 read : 1;
	u32 atomic : 1;
	u32 flush : 1;
	u32 atomic_write : 1;
	u32 ack : 1;
	u32 has_xrceth : 1;
	u32 has_deth : 1;
	u32 has_feth : 1;
	u32 has_reth : 1;
	u32 has_atomic_eth : 1;
	u32 has_aeth : 1;
	u32 has_atomic_ack : 1;
	u32 has_imm : 1;
	u32 has_ieth : 1;
	u32 has_payload : 1;
	u32 takes_recv_wqe : 1;
	u32 completes_recv : 1;
	u8 header_bytes;
	u8 service;
};

/* Indexed by opcode; rows of invalid opcodes are zero. Use srnic_opcode_info(). */
extern const struct srnic_opcode_info srnic_opcode_table[256];

/**
 * srnic_opcode_info() - descriptor of an opcode
 * @opcode: first byte of the BTH
 *
 * Context: Any.
 * Return: the descriptor, or NULL if the opcode is unknown or not valid for its
 * service.
 */
static inline const struct srnic_opcode_info *srnic_opcode_info(u8 opcode)
{
	const struct srnic_opcode_info *info = &srnic_opcode_table[opcode];

	return info->known ? info : NULL;
}

/**
 * srnic_opcode_op() - operation of an opcode
 * @opcode: first byte of the BTH
 *
 * Context: Any.
 * Return: a value of enum srnic_op, or a reserved one.
 */
static inline u8 srnic_opcode_op(u8 opcode)
{
	return opcode & SRNIC_OP_MASK;
}

const char *srnic_opcode_name(u8 opcode);

#endif /* SRNIC_WIRE_OPCODE_H */
