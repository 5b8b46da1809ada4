// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The opcode table against the table of the specification.
 */
#include <kunit/test.h>

#include "wire/format.h"
#include "wire/opcode.h"
#include "wire_rules.h"

static void every_opcode_is_known_or_not(struct kunit *test)
{
	u32 opcode, known = 0;

	for (opcode = 0; opcode < 256; opcode++) {
		bool want = rule_find(opcode) || opcode == RULE_CNP_OPCODE;
		const struct srnic_opcode_info *info = srnic_opcode_info(opcode);

		KUNIT_EXPECT_EQ_MSG(test, !!info, want, "opcode 0x%02x", opcode);
		known += !!info;
	}
	/* RC and XRC 25 each, UC 12, UD 2, CNP. */
	KUNIT_EXPECT_EQ(test, known, 65U);
}

static void reserved_opcodes_are_unknown(struct kunit *test)
{
	static const u8 reserved[] = {
		0x15, 0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f,	/* RC */
		0x2c, 0x31, 0x33, 0x36, 0x37, 0x3c, 0x3d,	/* UC: no READ, ACK, ... */
		0x40, 0x44, 0x55, 0x5f,				/* RD */
		0x60, 0x66, 0x6a, 0x6c, 0x71, 0x76, 0x77,	/* UD */
		0x80, 0x82, 0x9f,				/* CNP is 0x81 only */
		0xb5, 0xb8, 0xbe, 0xbf,				/* XRC */
		0xc0, 0xe0, 0xff,				/* vendors' */
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reserved); i++)
		KUNIT_EXPECT_TRUE_MSG(test, !srnic_opcode_info(reserved[i]),
				      "opcode 0x%02x", reserved[i]);
}

#define EXPECT_FLAG(test, opcode, flag, want) \
	KUNIT_EXPECT_EQ_MSG(test, (u32)(flag), (u32)(want), "opcode 0x%02x", opcode)

static void expect_role(struct kunit *test, u32 opcode, const struct rule_op *rule)
{
	const struct srnic_opcode_info *info = srnic_opcode_info(opcode);
	enum rule_kind kind = rule->kind;

	EXPECT_FLAG(test, opcode, info->response, rule_is_response(rule));
	EXPECT_FLAG(test, opcode, info->request, !rule_is_response(rule));
	EXPECT_FLAG(test, opcode, info->cnp, 0);
	EXPECT_FLAG(test, opcode, info->send, kind == RULE_SEND);
	EXPECT_FLAG(test, opcode, info->write, kind == RULE_WRITE);
	EXPECT_FLAG(test, opcode, info->read, kind == RULE_READ || kind == RULE_READ_RESP);
	EXPECT_FLAG(test, opcode, info->atomic,
		    kind == RULE_ATOMIC || kind == RULE_ATOMIC_ACK);
	EXPECT_FLAG(test, opcode, info->flush, kind == RULE_FLUSH);
	EXPECT_FLAG(test, opcode, info->atomic_write, kind == RULE_ATOMIC_WRITE);
	EXPECT_FLAG(test, opcode, info->ack, kind == RULE_ACK);
	EXPECT_FLAG(test, opcode, info->service, opcode & 0xe0);
}

static void expect_place(struct kunit *test, u32 opcode, const struct rule_op *rule)
{
	const struct srnic_opcode_info *info = srnic_opcode_info(opcode);
	enum rule_place place = rule->place;

	EXPECT_FLAG(test, opcode, info->first, place == RULE_FIRST);
	EXPECT_FLAG(test, opcode, info->middle, place == RULE_MIDDLE);
	EXPECT_FLAG(test, opcode, info->last, place == RULE_LAST);
	EXPECT_FLAG(test, opcode, info->only, place == RULE_ONLY);
	EXPECT_FLAG(test, opcode, info->starts, place == RULE_FIRST || place == RULE_ONLY);
	EXPECT_FLAG(test, opcode, info->ends, place == RULE_LAST || place == RULE_ONLY);
	EXPECT_FLAG(test, opcode, info->takes_recv_wqe, rule->takes);
	EXPECT_FLAG(test, opcode, info->completes_recv, rule->completes);
}

static void expect_headers(struct kunit *test, u32 opcode, const struct rule_op *rule)
{
	const struct srnic_opcode_info *info = srnic_opcode_info(opcode);

	EXPECT_FLAG(test, opcode, info->has_xrceth, rule_has_xrceth(opcode, rule));
	EXPECT_FLAG(test, opcode, info->has_deth, rule_has_deth(opcode));
	EXPECT_FLAG(test, opcode, info->has_feth, rule->feth);
	EXPECT_FLAG(test, opcode, info->has_reth, rule->reth);
	EXPECT_FLAG(test, opcode, info->has_atomic_eth, rule->atomic_eth);
	EXPECT_FLAG(test, opcode, info->has_aeth, rule->aeth);
	EXPECT_FLAG(test, opcode, info->has_atomic_ack, rule->atomic_ack);
	EXPECT_FLAG(test, opcode, info->has_imm, rule->imm);
	EXPECT_FLAG(test, opcode, info->has_ieth, rule->ieth);
	EXPECT_FLAG(test, opcode, info->has_payload, rule->payload);
	EXPECT_FLAG(test, opcode, info->header_bytes, rule_header_bytes(opcode, rule));
	KUNIT_EXPECT_LE(test, (size_t)info->header_bytes, SRNIC_MAX_HEADER_BYTES);
}

static void descriptors_match_the_rules(struct kunit *test)
{
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct rule_op *rule = rule_find(opcode);

		if (!rule || !srnic_opcode_info(opcode))
			continue;
		expect_role(test, opcode, rule);
		expect_place(test, opcode, rule);
		expect_headers(test, opcode, rule);
	}
}

static void cnp_is_neither_request_nor_response(struct kunit *test)
{
	const struct srnic_opcode_info *info = srnic_opcode_info(0x81);

	KUNIT_ASSERT_NOT_NULL(test, info);
	KUNIT_EXPECT_TRUE(test, info->cnp);
	KUNIT_EXPECT_FALSE(test, info->request);
	KUNIT_EXPECT_FALSE(test, info->response);
	KUNIT_EXPECT_TRUE(test, info->has_payload);
	KUNIT_EXPECT_EQ(test, info->header_bytes, 12);
}

static void names_are_the_operations(struct kunit *test)
{
	u32 opcode;

	KUNIT_EXPECT_STREQ(test, srnic_opcode_name(0x00), "SEND_FIRST");
	KUNIT_EXPECT_STREQ(test, srnic_opcode_name(0x64), "SEND_ONLY");
	KUNIT_EXPECT_STREQ(test, srnic_opcode_name(0xab), "WRITE_ONLY_IMM");
	KUNIT_EXPECT_STREQ(test, srnic_opcode_name(0x11), "ACK");
	KUNIT_EXPECT_STREQ(test, srnic_opcode_name(0x81), "CNP");
	KUNIT_EXPECT_STREQ(test, srnic_opcode_name(0x18), "UNKNOWN");
	for (opcode = 0; opcode < 256; opcode++)
		KUNIT_EXPECT_NOT_NULL(test, srnic_opcode_name(opcode));
}

static struct kunit_case opcode_cases[] = {
	KUNIT_CASE(every_opcode_is_known_or_not),
	KUNIT_CASE(reserved_opcodes_are_unknown),
	KUNIT_CASE(descriptors_match_the_rules),
	KUNIT_CASE(cnp_is_neither_request_nor_response),
	KUNIT_CASE(names_are_the_operations),
	{}
};

static struct kunit_suite opcode_suite = {
	.name = "srnic_wire_opcode",
	.test_cases = opcode_cases,
};

kunit_test_suite(opcode_suite);
