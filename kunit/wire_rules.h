/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The opcode table of the specification (transport rules 1.4), typed from its text
 * and not from the code: what the suites judge the code by.
 */
#ifndef SRNIC_KUNIT_WIRE_RULES_H
#define SRNIC_KUNIT_WIRE_RULES_H

#include "env.h"

/* Services that an operation exists in. */
#define RULE_RC		0x1
#define RULE_UC		0x2
#define RULE_UD		0x4
#define RULE_XRC	0x8

enum rule_kind {
	RULE_SEND,
	RULE_WRITE,
	RULE_READ,
	RULE_READ_RESP,
	RULE_ACK,
	RULE_ATOMIC_ACK,
	RULE_ATOMIC,
	RULE_FLUSH,
	RULE_ATOMIC_WRITE,
};

enum rule_place {
	RULE_FIRST,
	RULE_MIDDLE,
	RULE_LAST,
	RULE_ONLY,
};

/**
 * struct rule_op - one row of the table
 * @op: operation
 * @services: RULE_RC and others
 * @kind: what it does
 * @place: position in the message
 * @reth: RETH present (16 bytes)
 * @atomic_eth: AtomicETH present (28)
 * @aeth: AETH present (4)
 * @atomic_ack: AtomicAckETH present (8)
 * @imm: ImmDt present (4)
 * @ieth: IETH present (4)
 * @feth: FETH present (4)
 * @payload: payload is allowed
 * @takes: takes a receive WQE
 * @completes: makes a receive CQE
 */
struct rule_op {
	u8 op;
	u8 services;
	enum rule_kind kind;
	enum rule_place place;
	bool reth;
	bool atomic_eth;
	bool aeth;
	bool atomic_ack;
	bool imm;
	bool ieth;
	bool feth;
	bool payload;
	bool takes;
	bool completes;
};

#define RULE_RC_UC_XRC	(RULE_RC | RULE_UC | RULE_XRC)
#define RULE_RC_XRC	(RULE_RC | RULE_XRC)

static const struct rule_op rule_ops[] = {
	{ 0x00, RULE_RC_UC_XRC, RULE_SEND, RULE_FIRST, .payload = 1, .takes = 1 },
	{ 0x01, RULE_RC_UC_XRC, RULE_SEND, RULE_MIDDLE, .payload = 1 },
	{ 0x02, RULE_RC_UC_XRC, RULE_SEND, RULE_LAST, .payload = 1, .completes = 1 },
	{ 0x03, RULE_RC_UC_XRC, RULE_SEND, RULE_LAST, .imm = 1, .payload = 1,
	  .completes = 1 },
	{ 0x04, RULE_RC_UC_XRC | RULE_UD, RULE_SEND, RULE_ONLY, .payload = 1, .takes = 1,
	  .completes = 1 },
	{ 0x05, RULE_RC_UC_XRC | RULE_UD, RULE_SEND, RULE_ONLY, .imm = 1, .payload = 1,
	  .takes = 1, .completes = 1 },
	{ 0x06, RULE_RC_UC_XRC, RULE_WRITE, RULE_FIRST, .reth = 1, .payload = 1 },
	{ 0x07, RULE_RC_UC_XRC, RULE_WRITE, RULE_MIDDLE, .payload = 1 },
	{ 0x08, RULE_RC_UC_XRC, RULE_WRITE, RULE_LAST, .payload = 1 },
	{ 0x09, RULE_RC_UC_XRC, RULE_WRITE, RULE_LAST, .imm = 1, .payload = 1,
	  .takes = 1, .completes = 1 },
	{ 0x0a, RULE_RC_UC_XRC, RULE_WRITE, RULE_ONLY, .reth = 1, .payload = 1 },
	{ 0x0b, RULE_RC_UC_XRC, RULE_WRITE, RULE_ONLY, .reth = 1, .imm = 1, .payload = 1,
	  .takes = 1, .completes = 1 },
	{ 0x0c, RULE_RC_XRC, RULE_READ, RULE_ONLY, .reth = 1 },
	{ 0x0d, RULE_RC_XRC, RULE_READ_RESP, RULE_FIRST, .aeth = 1, .payload = 1 },
	{ 0x0e, RULE_RC_XRC, RULE_READ_RESP, RULE_MIDDLE, .payload = 1 },
	{ 0x0f, RULE_RC_XRC, RULE_READ_RESP, RULE_LAST, .aeth = 1, .payload = 1 },
	{ 0x10, RULE_RC_XRC, RULE_READ_RESP, RULE_ONLY, .aeth = 1, .payload = 1 },
	{ 0x11, RULE_RC_XRC, RULE_ACK, RULE_ONLY, .aeth = 1 },
	{ 0x12, RULE_RC_XRC, RULE_ATOMIC_ACK, RULE_ONLY, .aeth = 1, .atomic_ack = 1 },
	{ 0x13, RULE_RC_XRC, RULE_ATOMIC, RULE_ONLY, .atomic_eth = 1 },
	{ 0x14, RULE_RC_XRC, RULE_ATOMIC, RULE_ONLY, .atomic_eth = 1 },
	{ 0x16, RULE_RC_XRC, RULE_SEND, RULE_LAST, .ieth = 1, .payload = 1,
	  .completes = 1 },
	{ 0x17, RULE_RC_XRC, RULE_SEND, RULE_ONLY, .ieth = 1, .payload = 1, .takes = 1,
	  .completes = 1 },
	{ 0x1c, RULE_RC_XRC, RULE_FLUSH, RULE_ONLY, .feth = 1, .reth = 1 },
	{ 0x1d, RULE_RC_XRC, RULE_ATOMIC_WRITE, RULE_ONLY, .reth = 1, .payload = 1 },
};

#define RULE_CNP_OPCODE		0x81
#define RULE_BTH_BYTES		12

static inline const struct rule_op *rule_find(u8 opcode)
{
	static const u8 service_bit[8] = {
		[0] = RULE_RC, [1] = RULE_UC, [3] = RULE_UD, [5] = RULE_XRC,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rule_ops); i++)
		if (rule_ops[i].op == (opcode & 0x1f) &&
		    (rule_ops[i].services & service_bit[opcode >> 5]))
			return &rule_ops[i];
	return NULL;
}

static inline bool rule_is_response(const struct rule_op *rule)
{
	return rule->kind == RULE_READ_RESP || rule->kind == RULE_ACK ||
	       rule->kind == RULE_ATOMIC_ACK;
}

static inline bool rule_has_xrceth(u8 opcode, const struct rule_op *rule)
{
	return opcode >> 5 == 5 && !rule_is_response(rule);
}

static inline bool rule_has_deth(u8 opcode)
{
	return opcode >> 5 == 3;
}

/* BTH and extended headers, from the sizes of rule 1.3. */
static inline u32 rule_header_bytes(u8 opcode, const struct rule_op *rule)
{
	u32 bytes = RULE_BTH_BYTES;

	bytes += rule_has_xrceth(opcode, rule) ? 4 : 0;
	bytes += rule_has_deth(opcode) ? 8 : 0;
	bytes += rule->feth ? 4 : 0;
	bytes += rule->reth ? 16 : 0;
	bytes += rule->atomic_eth ? 28 : 0;
	bytes += rule->aeth ? 4 : 0;
	bytes += rule->atomic_ack ? 8 : 0;
	bytes += rule->imm ? 4 : 0;
	bytes += rule->ieth ? 4 : 0;
	return bytes;
}

#endif /* SRNIC_KUNIT_WIRE_RULES_H */
