// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The opcode table.
 */
#include "opcode.h"
#include "format.h"

/* Bytes of each header. */
#define BTH	sizeof(struct srnic_bth)
#define XRCETH	sizeof(struct srnic_xrceth)
#define DETH	sizeof(struct srnic_deth)
#define FETH	sizeof(struct srnic_feth)
#define RETH	sizeof(struct srnic_reth)
#define ATOMIC	sizeof(struct srnic_atomic_eth)
#define AETH	sizeof(struct srnic_aeth)
#define AACK	sizeof(struct srnic_atomic_ack_eth)
#define IMM	sizeof(struct srnic_immdt)
#define IETH	sizeof(struct srnic_ieth)

/* Groups of fields that go together. */
#define IS_FIRST	.first = 1, .starts = 1
#define IS_MIDDLE	.middle = 1
#define IS_LAST		.last = 1, .ends = 1
#define IS_ONLY		.only = 1, .starts = 1, .ends = 1
#define SEND_OP		.send = 1, .has_payload = 1
#define WRITE_OP	.write = 1, .has_payload = 1
#define READ_OP		.read = 1
#define READ_DATA	.read = 1, .has_payload = 1
#define ATOMIC_OP	.atomic = 1
#define ATOMIC_WR	.atomic_write = 1, .has_payload = 1
#define FLUSH_OP	.flush = 1, .has_feth = 1
#define TAKES_RECV	.takes_recv_wqe = 1
#define ENDS_RECV	.completes_recv = 1
#define WHOLE_RECV	.takes_recv_wqe = 1, .completes_recv = 1
#define WITH_IMM	.has_imm = 1
#define WITH_INV	.has_ieth = 1
#define WITH_RETH	.has_reth = 1
#define WITH_AETH	.has_aeth = 1

#define ROW(svc, op, ext, ...)						\
	[SRNIC_SERVICE_##svc | SRNIC_OP_##op] = {			\
		.known = 1,						\
		.service = SRNIC_SERVICE_##svc,				\
		.header_bytes = BTH + (ext),				\
		__VA_ARGS__						\
	}

/* Requests name one more header in UD and XRC; responses do not. */
#define RC(op, ext, ...)	ROW(RC, op, ext, .request = 1, __VA_ARGS__)
#define UC(op, ext, ...)	ROW(UC, op, ext, .request = 1, __VA_ARGS__)
#define UD(op, ext, ...)						\
	ROW(UD, op, DETH + (ext), .request = 1, .has_deth = 1, __VA_ARGS__)
#define XRC(op, ext, ...)						\
	ROW(XRC, op, XRCETH + (ext), .request = 1, .has_xrceth = 1, __VA_ARGS__)
#define RC_RESP(op, ext, ...)	ROW(RC, op, ext, .response = 1, __VA_ARGS__)
#define XRC_RESP(op, ext, ...)	ROW(XRC, op, ext, .response = 1, __VA_ARGS__)

const struct srnic_opcode_info srnic_opcode_table[256] = {
	RC(SEND_FIRST, 0, SEND_OP, IS_FIRST, TAKES_RECV),
	RC(SEND_MIDDLE, 0, SEND_OP, IS_MIDDLE),
	RC(SEND_LAST, 0, SEND_OP, IS_LAST, ENDS_RECV),
	RC(SEND_LAST_IMM, IMM, SEND_OP, IS_LAST, ENDS_RECV, WITH_IMM),
	RC(SEND_ONLY, 0, SEND_OP, IS_ONLY, WHOLE_RECV),
	RC(SEND_ONLY_IMM, IMM, SEND_OP, IS_ONLY, WHOLE_RECV, WITH_IMM),
	RC(SEND_LAST_INV, IETH, SEND_OP, IS_LAST, ENDS_RECV, WITH_INV),
	RC(SEND_ONLY_INV, IETH, SEND_OP, IS_ONLY, WHOLE_RECV, WITH_INV),
	RC(WRITE_FIRST, RETH, WRITE_OP, IS_FIRST, WITH_RETH),
	RC(WRITE_MIDDLE, 0, WRITE_OP, IS_MIDDLE),
	RC(WRITE_LAST, 0, WRITE_OP, IS_LAST),
	RC(WRITE_LAST_IMM, IMM, WRITE_OP, IS_LAST, WHOLE_RECV, WITH_IMM),
	RC(WRITE_ONLY, RETH, WRITE_OP, IS_ONLY, WITH_RETH),
	RC(WRITE_ONLY_IMM, RETH + IMM, WRITE_OP, IS_ONLY, WHOLE_RECV, WITH_RETH, WITH_IMM),
	RC(READ_REQUEST, RETH, READ_OP, IS_ONLY, WITH_RETH),
	RC(CMP_SWAP, ATOMIC, ATOMIC_OP, IS_ONLY, .has_atomic_eth = 1),
	RC(FETCH_ADD, ATOMIC, ATOMIC_OP, IS_ONLY, .has_atomic_eth = 1),
	RC(FLUSH, FETH + RETH, FLUSH_OP, IS_ONLY, WITH_RETH),
	RC(ATOMIC_WRITE, RETH, ATOMIC_WR, IS_ONLY, WITH_RETH),
	RC_RESP(READ_RESP_FIRST, AETH, READ_DATA, IS_FIRST, WITH_AETH),
	RC_RESP(READ_RESP_MIDDLE, 0, READ_DATA, IS_MIDDLE),
	RC_RESP(READ_RESP_LAST, AETH, READ_DATA, IS_LAST, WITH_AETH),
	RC_RESP(READ_RESP_ONLY, AETH, READ_DATA, IS_ONLY, WITH_AETH),
	RC_RESP(ACK, AETH, IS_ONLY, .ack = 1, WITH_AETH),
	RC_RESP(ATOMIC_ACK, AETH + AACK, ATOMIC_OP, IS_ONLY, WITH_AETH, .has_atomic_ack = 1),

	UC(SEND_FIRST, 0, SEND_OP, IS_FIRST, TAKES_RECV),
	UC(SEND_MIDDLE, 0, SEND_OP, IS_MIDDLE),
	UC(SEND_LAST, 0, SEND_OP, IS_LAST, ENDS_RECV),
	UC(SEND_LAST_IMM, IMM, SEND_OP, IS_LAST, ENDS_RECV, WITH_IMM),
	UC(SEND_ONLY, 0, SEND_OP, IS_ONLY, WHOLE_RECV),
	UC(SEND_ONLY_IMM, IMM, SEND_OP, IS_ONLY, WHOLE_RECV, WITH_IMM),
	UC(WRITE_FIRST, RETH, WRITE_OP, IS_FIRST, WITH_RETH),
	UC(WRITE_MIDDLE, 0, WRITE_OP, IS_MIDDLE),
	UC(WRITE_LAST, 0, WRITE_OP, IS_LAST),
	UC(WRITE_LAST_IMM, IMM, WRITE_OP, IS_LAST, WHOLE_RECV, WITH_IMM),
	UC(WRITE_ONLY, RETH, WRITE_OP, IS_ONLY, WITH_RETH),
	UC(WRITE_ONLY_IMM, RETH + IMM, WRITE_OP, IS_ONLY, WHOLE_RECV, WITH_RETH, WITH_IMM),

	UD(SEND_ONLY, 0, SEND_OP, IS_ONLY, WHOLE_RECV),
	UD(SEND_ONLY_IMM, IMM, SEND_OP, IS_ONLY, WHOLE_RECV, WITH_IMM),

	XRC(SEND_FIRST, 0, SEND_OP, IS_FIRST, TAKES_RECV),
	XRC(SEND_MIDDLE, 0, SEND_OP, IS_MIDDLE),
	XRC(SEND_LAST, 0, SEND_OP, IS_LAST, ENDS_RECV),
	XRC(SEND_LAST_IMM, IMM, SEND_OP, IS_LAST, ENDS_RECV, WITH_IMM),
	XRC(SEND_ONLY, 0, SEND_OP, IS_ONLY, WHOLE_RECV),
	XRC(SEND_ONLY_IMM, IMM, SEND_OP, IS_ONLY, WHOLE_RECV, WITH_IMM),
	XRC(SEND_LAST_INV, IETH, SEND_OP, IS_LAST, ENDS_RECV, WITH_INV),
	XRC(SEND_ONLY_INV, IETH, SEND_OP, IS_ONLY, WHOLE_RECV, WITH_INV),
	XRC(WRITE_FIRST, RETH, WRITE_OP, IS_FIRST, WITH_RETH),
	XRC(WRITE_MIDDLE, 0, WRITE_OP, IS_MIDDLE),
	XRC(WRITE_LAST, 0, WRITE_OP, IS_LAST),
	XRC(WRITE_LAST_IMM, IMM, WRITE_OP, IS_LAST, WHOLE_RECV, WITH_IMM),
	XRC(WRITE_ONLY, RETH, WRITE_OP, IS_ONLY, WITH_RETH),
	XRC(WRITE_ONLY_IMM, RETH + IMM, WRITE_OP, IS_ONLY, WHOLE_RECV, WITH_RETH, WITH_IMM),
	XRC(READ_REQUEST, RETH, READ_OP, IS_ONLY, WITH_RETH),
	XRC(CMP_SWAP, ATOMIC, ATOMIC_OP, IS_ONLY, .has_atomic_eth = 1),
	XRC(FETCH_ADD, ATOMIC, ATOMIC_OP, IS_ONLY, .has_atomic_eth = 1),
	XRC(FLUSH, FETH + RETH, FLUSH_OP, IS_ONLY, WITH_RETH),
	XRC(ATOMIC_WRITE, RETH, ATOMIC_WR, IS_ONLY, WITH_RETH),
	XRC_RESP(READ_RESP_FIRST, AETH, READ_DATA, IS_FIRST, WITH_AETH),
	XRC_RESP(READ_RESP_MIDDLE, 0, READ_DATA, IS_MIDDLE),
	XRC_RESP(READ_RESP_LAST, AETH, READ_DATA, IS_LAST, WITH_AETH),
	XRC_RESP(READ_RESP_ONLY, AETH, READ_DATA, IS_ONLY, WITH_AETH),
	XRC_RESP(ACK, AETH, IS_ONLY, .ack = 1, WITH_AETH),
	XRC_RESP(ATOMIC_ACK, AETH + AACK, ATOMIC_OP, IS_ONLY, WITH_AETH, .has_atomic_ack = 1),

	[SRNIC_OPCODE_CNP] = {
		.known = 1,
		.service = SRNIC_SERVICE_CNP,
		.header_bytes = BTH,
		.cnp = 1,
		.has_payload = 1,
		IS_ONLY,
	},
};

static const char * const op_names[SRNIC_OP_MASK + 1] = {
	[SRNIC_OP_SEND_FIRST] = "SEND_FIRST",
	[SRNIC_OP_SEND_MIDDLE] = "SEND_MIDDLE",
	[SRNIC_OP_SEND_LAST] = "SEND_LAST",
	[SRNIC_OP_SEND_LAST_IMM] = "SEND_LAST_IMM",
	[SRNIC_OP_SEND_ONLY] = "SEND_ONLY",
	[SRNIC_OP_SEND_ONLY_IMM] = "SEND_ONLY_IMM",
	[SRNIC_OP_WRITE_FIRST] = "WRITE_FIRST",
	[SRNIC_OP_WRITE_MIDDLE] = "WRITE_MIDDLE",
	[SRNIC_OP_WRITE_LAST] = "WRITE_LAST",
	[SRNIC_OP_WRITE_LAST_IMM] = "WRITE_LAST_IMM",
	[SRNIC_OP_WRITE_ONLY] = "WRITE_ONLY",
	[SRNIC_OP_WRITE_ONLY_IMM] = "WRITE_ONLY_IMM",
	[SRNIC_OP_READ_REQUEST] = "READ_REQUEST",
	[SRNIC_OP_READ_RESP_FIRST] = "READ_RESP_FIRST",
	[SRNIC_OP_READ_RESP_MIDDLE] = "READ_RESP_MIDDLE",
	[SRNIC_OP_READ_RESP_LAST] = "READ_RESP_LAST",
	[SRNIC_OP_READ_RESP_ONLY] = "READ_RESP_ONLY",
	[SRNIC_OP_ACK] = "ACK",
	[SRNIC_OP_ATOMIC_ACK] = "ATOMIC_ACK",
	[SRNIC_OP_CMP_SWAP] = "CMP_SWAP",
	[SRNIC_OP_FETCH_ADD] = "FETCH_ADD",
	[SRNIC_OP_SEND_LAST_INV] = "SEND_LAST_INV",
	[SRNIC_OP_SEND_ONLY_INV] = "SEND_ONLY_INV",
	[SRNIC_OP_FLUSH] = "FLUSH",
	[SRNIC_OP_ATOMIC_WRITE] = "ATOMIC_WRITE",
};

/**
 * srnic_opcode_name() - operation of an opcode in words
 * @opcode: first byte of the BTH
 *
 * Context: Any.
 * Return: a constant string, the same for every service; "UNKNOWN" if
 * srnic_opcode_info() does not know the opcode.
 */
const char *srnic_opcode_name(u8 opcode)
{
	const struct srnic_opcode_info *info = srnic_opcode_info(opcode);

	if (!info)
		return "UNKNOWN";
	if (info->cnp)
		return "CNP";
	return op_names[srnic_opcode_op(opcode)];
}
