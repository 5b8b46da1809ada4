/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One packet's headers: bytes to host-endian struct and back.
 *
 * Parsing is the edge: what srnic_pkt_parse() has accepted is consistent in
 * itself (lengths, pad, headers present), and later code trusts it. Whether the
 * packet fits the state of its QP is for transport/ to say.
 */
#ifndef SRNIC_WIRE_PACKET_H
#define SRNIC_WIRE_PACKET_H

#include "format.h"
#include "opcode.h"

/**
 * struct srnic_pkt - decoded headers of one packet
 * @info: descriptor of @opcode; set by parse, not needed by build
 * @va: RETH or AtomicETH: remote address
 * @swap_add: AtomicETH: swap or add operand
 * @compare: AtomicETH: compare operand
 * @atomic_orig: AtomicAckETH: original value
 * @dest_qp: destination QP number, 24 bits
 * @psn: packet sequence number, 24 bits
 * @rkey: RETH or AtomicETH: remote key
 * @dma_len: RETH: length of the message
 * @msn: AETH: message sequence number, 24 bits
 * @qkey: DETH: queue key
 * @src_qp: DETH: source QP number, 24 bits
 * @inv_rkey: IETH: key to invalidate
 * @srqn: XRCETH: XRC SRQ number, 24 bits
 * @feth: FETH: selectivity and placement; reserved bits as received
 * @imm: ImmDt: immediate data, opaque
 * @payload_bytes: payload without pad; it starts at @header_bytes
 * @pkey: partition key
 * @header_bytes: BTH and extended headers; set by parse, not needed by build
 * @opcode: service | operation
 * @pad: pad bytes after the payload, 0..3
 * @syndrome: AETH: see aeth.h
 * @resv6: reserved bits beside FECN and BECN as received; send 0
 * @resv7: reserved bits beside AckReq as received; send 0
 * @resv8: reserved byte of DETH or XRCETH as received; send 0
 * @solicited: solicited event
 * @migreq: MigReq
 * @ack_req: AckReq
 * @fecn: forward congestion mark
 * @becn: backward congestion mark
 */
struct srnic_pkt {
	const struct srnic_opcode_info *info;
	u64 va;
	u64 swap_add;
	u64 compare;
	u64 atomic_orig;
	u32 dest_qp;
	u32 psn;
	u32 rkey;
	u32 dma_len;
	u32 msn;
	u32 qkey;
	u32 src_qp;
	u32 inv_rkey;
	u32 srqn;
	u32 feth;
	__be32 imm;
	u32 payload_bytes;
	u16 pkey;
	u16 header_bytes;
	u8 opcode;
	u8 pad;
	u8 syndrome;
	u8 resv6;
	u8 resv7;
	u8 resv8;
	bool solicited;
	bool migreq;
	bool ack_req;
	bool fecn;
	bool becn;
};

/**
 * enum srnic_parse_verdict - what srnic_pkt_parse() says of a packet
 * @SRNIC_PARSE_OK: consistent
 * @SRNIC_PARSE_TRUNCATED: shorter than its headers and ICRC
 * @SRNIC_PARSE_BAD_VERSION: transport version is not 0
 * @SRNIC_PARSE_UNKNOWN_OPCODE: reserved, vendor's, or not valid for its service
 * @SRNIC_PARSE_BAD_PAD: more pad than payload
 * @SRNIC_PARSE_BAD_LENGTH: not a multiple of four, or a payload in a response or
 *	CNP that has none
 * @SRNIC_PARSE_VERDICTS: number of verdicts
 */
enum srnic_parse_verdict {
	SRNIC_PARSE_OK,
	SRNIC_PARSE_TRUNCATED,
	SRNIC_PARSE_BAD_VERSION,
	SRNIC_PARSE_UNKNOWN_OPCODE,
	SRNIC_PARSE_BAD_PAD,
	SRNIC_PARSE_BAD_LENGTH,
	SRNIC_PARSE_VERDICTS,
};

enum srnic_parse_verdict __must_check
srnic_pkt_parse(const u8 *hdr, u32 readable, u32 total, struct srnic_pkt *out);
const char *srnic_parse_verdict_name(enum srnic_parse_verdict verdict);
u32 srnic_pkt_build(const struct srnic_pkt *pkt, u8 *buf);

/**
 * srnic_pkt_header_bytes() - size of BTH and extended headers
 * @opcode: service | operation
 *
 * Context: Any.
 * Return: bytes, at most SRNIC_MAX_HEADER_BYTES; 0 if the opcode is unknown.
 */
static inline u32 srnic_pkt_header_bytes(u8 opcode)
{
	return srnic_opcode_table[opcode].header_bytes;
}

/**
 * srnic_pkt_pad_bytes() - pad that a payload needs
 * @payload_bytes: bytes of payload
 *
 * Context: Any.
 * Return: 0..3.
 */
static inline u32 srnic_pkt_pad_bytes(u32 payload_bytes)
{
	return -payload_bytes & 3;
}

/**
 * srnic_pkt_wire_bytes() - UDP payload of a packet
 * @opcode: service | operation, known
 * @payload_bytes: bytes of payload
 *
 * Context: Any.
 * Return: bytes from BTH to ICRC, both included.
 */
static inline u32 srnic_pkt_wire_bytes(u8 opcode, u32 payload_bytes)
{
	return srnic_pkt_header_bytes(opcode) + payload_bytes +
	       srnic_pkt_pad_bytes(payload_bytes) + SRNIC_ICRC_BYTES;
}

#endif /* SRNIC_WIRE_PACKET_H */
