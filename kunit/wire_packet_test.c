// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parse and build: golden headers field by field, every opcode there and back, every
 * length around the limits. What is expected comes from wire_rules.h and vectors.
 */
#include <kunit/test.h>

#include "wire/packet.h"
#include "wire_rules.h"
#include "wire_vectors.h"

#define MAX_PACKET	256

/* Parse a copy that is not a byte longer than what may be read. */
static enum srnic_parse_verdict parse_exact(struct kunit *test, const u8 *bth,
					    u32 readable, u32 total, struct srnic_pkt *pkt)
{
	u32 n = min(readable, total);
	u8 *exact = kunit_kzalloc(test, n ? n : 1, GFP_KERNEL);
	enum srnic_parse_verdict verdict;

	KUNIT_ASSERT_NOT_NULL(test, exact);
	memcpy(exact, bth, n);
	verdict = srnic_pkt_parse(exact, readable, total, pkt);
	kunit_kfree(test, exact);
	return verdict;
}

static u32 parse_vector(struct kunit *test, enum vector_id id, struct srnic_pkt *pkt)
{
	const struct vector *v = &vectors[id];
	u8 frame[VECTOR_MAX_BYTES], rebuilt[SRNIC_MAX_HEADER_BYTES];
	u32 bth = vector_bth_offset(v);
	u32 total = vector_decode(v->hex, frame) - bth;

	KUNIT_ASSERT_EQ_MSG(test, (u32)parse_exact(test, frame + bth, total, total, pkt),
			    (u32)SRNIC_PARSE_OK, "%s", v->what);
	KUNIT_ASSERT_EQ(test, srnic_pkt_build(pkt, rebuilt), (u32)pkt->header_bytes);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(rebuilt, frame + bth, pkt->header_bytes), 0, "%s",
			    v->what);
	return total;
}

static void vector_ud_send(struct kunit *test)
{
	struct srnic_pkt pkt;

	parse_vector(test, VECTOR_A, &pkt);
	KUNIT_EXPECT_EQ(test, pkt.opcode, 0x64);
	KUNIT_EXPECT_TRUE(test, pkt.migreq);
	KUNIT_EXPECT_FALSE(test, pkt.solicited);
	KUNIT_EXPECT_FALSE(test, pkt.ack_req);
	KUNIT_EXPECT_EQ(test, pkt.pkey, 0xffff);
	KUNIT_EXPECT_EQ(test, pkt.dest_qp, 0x12U);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0x123U);
	KUNIT_EXPECT_EQ(test, pkt.qkey, 0x11111111U);
	KUNIT_EXPECT_EQ(test, pkt.src_qp, 0x34U);
	KUNIT_EXPECT_EQ(test, pkt.payload_bytes, 16U);
	KUNIT_EXPECT_EQ(test, pkt.header_bytes, 20);
}

static void vector_rc_write(struct kunit *test)
{
	struct srnic_pkt pkt;

	parse_vector(test, VECTOR_B, &pkt);
	KUNIT_EXPECT_EQ(test, pkt.opcode, 0x0a);
	KUNIT_EXPECT_TRUE(test, pkt.ack_req);
	KUNIT_EXPECT_EQ(test, pkt.dest_qp, 0x789U);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0xfffffeU);
	KUNIT_EXPECT_EQ(test, pkt.va, 0x7f0011223344ULL);
	KUNIT_EXPECT_EQ(test, pkt.rkey, 0xabcd01U);
	KUNIT_EXPECT_EQ(test, pkt.dma_len, 5U);
	KUNIT_EXPECT_EQ(test, pkt.pad, 3);
	KUNIT_EXPECT_EQ(test, pkt.payload_bytes, 5U);
	KUNIT_EXPECT_EQ(test, pkt.header_bytes, 28);
}

static void vector_rc_ack(struct kunit *test)
{
	struct srnic_pkt pkt;

	parse_vector(test, VECTOR_C, &pkt);
	KUNIT_EXPECT_EQ(test, pkt.opcode, 0x11);
	KUNIT_EXPECT_EQ(test, pkt.dest_qp, 0x456U);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0xfffffeU);
	KUNIT_EXPECT_EQ(test, pkt.syndrome, 0x1f);
	KUNIT_EXPECT_EQ(test, pkt.msn, 1U);
	KUNIT_EXPECT_EQ(test, pkt.payload_bytes, 0U);
}

static void vector_rc_send_imm(struct kunit *test)
{
	struct srnic_pkt pkt;

	parse_vector(test, VECTOR_D, &pkt);
	KUNIT_EXPECT_EQ(test, pkt.opcode, 0x05);
	KUNIT_EXPECT_TRUE(test, pkt.solicited);
	KUNIT_EXPECT_TRUE(test, pkt.ack_req);
	KUNIT_EXPECT_EQ(test, pkt.pad, 2);
	KUNIT_EXPECT_EQ(test, pkt.psn, 1U);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(pkt.imm), 0xdeadbeefU);
	KUNIT_EXPECT_EQ(test, pkt.payload_bytes, 6U);
}

static void vector_cnp(struct kunit *test)
{
	struct srnic_pkt pkt;

	parse_vector(test, VECTOR_E, &pkt);
	KUNIT_EXPECT_TRUE(test, pkt.info->cnp);
	KUNIT_EXPECT_TRUE(test, pkt.becn);
	KUNIT_EXPECT_FALSE(test, pkt.fecn);
	KUNIT_EXPECT_EQ(test, pkt.dest_qp, 0x456U);
	KUNIT_EXPECT_EQ(test, pkt.payload_bytes, 16U);
	parse_vector(test, VECTOR_H, &pkt);
	KUNIT_EXPECT_EQ(test, pkt.dest_qp, 0x118U);
}

/* Rule 1.3: where each field is, byte by byte, in the fullest headers. */
static void field_offsets_xrc_write_imm(struct kunit *test)
{
	static const struct srnic_pkt pkt = {
		.opcode = 0xab, .solicited = true, .pad = 1, .pkey = 0x1234,
		.fecn = true, .dest_qp = 0x56789a, .ack_req = true, .psn = 0xbcdef0,
		.srqn = 0x010203, .va = 0x1122334455667788ULL, .rkey = 0x99aabbcc,
		.dma_len = 0xddeeff00, .imm = (__force __be32)0,
	};
	static const u8 want[36] = {
		0xab, 0x90, 0x12, 0x34, 0x80, 0x56, 0x78, 0x9a, 0x80, 0xbc, 0xde, 0xf0,
		0x00, 0x01, 0x02, 0x03,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00,
		0x00, 0x00, 0x00, 0x00,
	};
	u8 buf[SRNIC_MAX_HEADER_BYTES];

	KUNIT_EXPECT_EQ(test, srnic_pkt_build(&pkt, buf), 36U);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
}

static void field_offsets_atomics(struct kunit *test)
{
	static const struct srnic_pkt cas = {
		.opcode = 0x13, .pkey = 0xffff, .dest_qp = 0x11, .psn = 0x22,
		.migreq = true, .va = 0x0102030405060708ULL, .rkey = 0x090a0b0c,
		.swap_add = 0x1112131415161718ULL, .compare = 0x2122232425262728ULL,
	};
	static const u8 want_cas[40] = {
		0x13, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00, 0x22,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c,
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
	};
	static const struct srnic_pkt ack = {
		.opcode = 0x12, .pkey = 0xffff, .dest_qp = 0x11, .psn = 0x22, .becn = true,
		.syndrome = 0x1f, .msn = 0x33, .atomic_orig = 0x3132333435363738ULL,
	};
	static const u8 want_ack[24] = {
		0x12, 0x00, 0xff, 0xff, 0x40, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00, 0x22,
		0x1f, 0x00, 0x00, 0x33, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,
	};
	u8 buf[SRNIC_MAX_HEADER_BYTES];

	KUNIT_EXPECT_EQ(test, srnic_pkt_build(&cas, buf), 40U);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want_cas, sizeof(want_cas)), 0);
	KUNIT_EXPECT_EQ(test, srnic_pkt_build(&ack, buf), 24U);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want_ack, sizeof(want_ack)), 0);
}

static void field_offsets_flush_and_invalidate(struct kunit *test)
{
	static const struct srnic_pkt flush = {
		.opcode = 0xbc, .pkey = 0x8001, .dest_qp = 1, .psn = 2, .srqn = 3,
		.feth = 0x13, .va = 4, .rkey = 5, .dma_len = 6,
	};
	static const u8 want_flush[36] = {
		0xbc, 0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02,
		0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x13,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04,
		0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x06,
	};
	static const struct srnic_pkt inv = {
		.opcode = 0x17, .pkey = 0x8001, .dest_qp = 1, .psn = 2,
		.inv_rkey = 0x0a0b0c0d,
	};
	static const u8 want_inv[16] = {
		0x17, 0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02,
		0x0a, 0x0b, 0x0c, 0x0d,
	};
	u8 buf[SRNIC_MAX_HEADER_BYTES];

	KUNIT_EXPECT_EQ(test, srnic_pkt_build(&flush, buf), 36U);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want_flush, sizeof(want_flush)), 0);
	KUNIT_EXPECT_EQ(test, srnic_pkt_build(&inv, buf), 16U);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want_inv, sizeof(want_inv)), 0);
}

/* Give every field that the opcode has on the wire bits of @seed. */
static void fill_bth(struct srnic_pkt *pkt, u8 opcode, u64 seed)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->opcode = opcode;
	pkt->pkey = seed >> 3;
	pkt->dest_qp = (seed >> 5) & 0xffffff;
	pkt->psn = (seed >> 7) & 0xffffff;
	pkt->solicited = seed & BIT(0);
	pkt->migreq = seed & BIT(1);
	pkt->ack_req = seed & BIT(2);
	pkt->fecn = seed & BIT(3);
	pkt->becn = seed & BIT(4);
	pkt->resv6 = (seed >> 11) & 0x3f;
	pkt->resv7 = (seed >> 13) & 0x7f;
}

static void fill_ext(struct srnic_pkt *pkt, u8 opcode, const struct rule_op *rule, u64 seed)
{
	if (rule_has_xrceth(opcode, rule))
		pkt->srqn = (seed >> 9) & 0xffffff;
	if (rule_has_deth(opcode)) {
		pkt->qkey = seed >> 17;
		pkt->src_qp = (seed >> 19) & 0xffffff;
	}
	if (rule_has_deth(opcode) || rule_has_xrceth(opcode, rule))
		pkt->resv8 = seed >> 23;
	if (rule->feth)
		pkt->feth = seed >> 2;
	if (rule->reth || rule->atomic_eth) {
		pkt->va = seed * 3;
		pkt->rkey = seed >> 21;
	}
	if (rule->reth)
		pkt->dma_len = seed >> 25;
	if (rule->atomic_eth) {
		pkt->swap_add = seed * 5;
		pkt->compare = seed * 7;
	}
	if (rule->aeth) {
		pkt->syndrome = seed >> 27;
		pkt->msn = (seed >> 29) & 0xffffff;
	}
	if (rule->atomic_ack)
		pkt->atomic_orig = seed * 11;
	if (rule->imm)
		pkt->imm = cpu_to_be32((u32)(seed >> 31));
	if (rule->ieth)
		pkt->inv_rkey = seed >> 15;
}

static void round_trip_one(struct kunit *test, u8 opcode, u64 seed)
{
	const struct rule_op *rule = rule_find(opcode);
	struct srnic_pkt in, out;
	u8 buf[MAX_PACKET];
	u32 header, payload, total;

	memset(buf, 0, sizeof(buf));
	fill_bth(&in, opcode, seed);
	fill_ext(&in, opcode, rule, seed);
	payload = rule->payload ? seed % 64 : 0;
	in.pad = (4 - payload % 4) % 4;
	header = rule_header_bytes(opcode, rule);
	total = header + payload + in.pad + 4;

	KUNIT_ASSERT_EQ(test, srnic_pkt_build(&in, buf), header);
	KUNIT_ASSERT_EQ(test, srnic_pkt_header_bytes(opcode), header);
	KUNIT_ASSERT_EQ(test, srnic_pkt_wire_bytes(opcode, payload), total);
	KUNIT_ASSERT_EQ_MSG(test, (u32)parse_exact(test, buf, header, total, &out),
			    (u32)SRNIC_PARSE_OK, "opcode 0x%02x", opcode);

	/* What parse adds; then the two have to be the same byte for byte. */
	in.info = srnic_opcode_info(opcode);
	in.header_bytes = header;
	in.payload_bytes = payload;
	KUNIT_EXPECT_EQ_MSG(test, memcmp(&in, &out, sizeof(in)), 0, "opcode 0x%02x", opcode);
}

static void every_opcode_round_trips(struct kunit *test)
{
	static const u64 seeds[] = { 0, ~0ULL, 0x5555555555555555ULL, 0xaaaaaaaaaaaaaaaaULL };
	u64 x = 0x9e3779b97f4a7c15ULL;
	u32 opcode, i;

	for (opcode = 0; opcode < 256; opcode++) {
		if (!rule_find(opcode))
			continue;
		for (i = 0; i < ARRAY_SIZE(seeds); i++)
			round_trip_one(test, opcode, seeds[i]);
		for (i = 0; i < 50; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			round_trip_one(test, opcode, x);
		}
	}
}

/* What parse has to say to a packet of @total bytes, from the rules alone. */
static enum srnic_parse_verdict expected_verdict(const struct rule_op *rule, u32 header,
						 u32 total, u32 pad)
{
	u32 rest;

	if (total < header + 4)
		return SRNIC_PARSE_TRUNCATED;
	rest = total - header - 4;
	if (rest % 4)
		return SRNIC_PARSE_BAD_LENGTH;
	if (pad > rest)
		return SRNIC_PARSE_BAD_PAD;
	if (rest && !rule->payload && rule_is_response(rule))
		return SRNIC_PARSE_BAD_LENGTH;
	return SRNIC_PARSE_OK;
}

static void check_lengths(struct kunit *test, u8 opcode, u32 pad)
{
	const struct rule_op *rule = rule_find(opcode);
	u32 header = rule_header_bytes(opcode, rule);
	struct srnic_pkt pkt = { .opcode = opcode, .pad = pad, .pkey = 0xffff };
	enum srnic_parse_verdict verdict, want;
	u8 buf[MAX_PACKET];
	u32 total;

	memset(buf, 0, sizeof(buf));
	KUNIT_ASSERT_EQ(test, srnic_pkt_build(&pkt, buf), header);
	for (total = 0; total <= header + 4 + 13; total++) {
		want = expected_verdict(rule, header, total, pad);
		verdict = parse_exact(test, buf, total, total, &pkt);
		KUNIT_EXPECT_EQ_MSG(test, (u32)verdict, (u32)want,
				    "opcode 0x%02x total %u pad %u", opcode, total, pad);
		if (verdict == SRNIC_PARSE_OK)
			KUNIT_EXPECT_EQ(test, pkt.payload_bytes, total - header - 4 - pad);
	}
}

static void every_length_around_the_limits(struct kunit *test)
{
	u32 opcode, pad;

	for (opcode = 0; opcode < 256; opcode++)
		for (pad = 0; rule_find(opcode) && pad < 4; pad++)
			check_lengths(test, opcode, pad);
}

/* The readable part may be shorter than the packet, but not than the headers. */
static void every_readable_length(struct kunit *test)
{
	struct srnic_pkt pkt;
	u8 buf[MAX_PACKET];
	u32 opcode, n;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct rule_op *rule = rule_find(opcode);
		u32 header = rule ? rule_header_bytes(opcode, rule) : 0;

		if (!rule || !rule->payload)
			continue;
		memset(buf, 0, sizeof(buf));
		buf[0] = opcode;
		for (n = 0; n <= SRNIC_MAX_HEADER_BYTES; n++)
			KUNIT_EXPECT_EQ_MSG(test,
					    (u32)parse_exact(test, buf, n, 4200, &pkt),
					    (u32)(n < header ? SRNIC_PARSE_TRUNCATED :
							       SRNIC_PARSE_OK),
					    "opcode 0x%02x readable %u", opcode, n);
	}
}

static void longest_packets(struct kunit *test)
{
	u8 buf[SRNIC_MAX_HEADER_BYTES] = { 0x04 };
	struct srnic_pkt pkt;

	KUNIT_EXPECT_EQ(test, (u32)srnic_pkt_parse(buf, sizeof(buf), 12 + 4096 + 4, &pkt),
			(u32)SRNIC_PARSE_OK);
	KUNIT_EXPECT_EQ(test, pkt.payload_bytes, 4096U);
	KUNIT_EXPECT_EQ(test, (u32)srnic_pkt_parse(buf, sizeof(buf), 0xfffffffc, &pkt),
			(u32)SRNIC_PARSE_OK);
	KUNIT_EXPECT_EQ(test, pkt.payload_bytes, 0xffffffecU);
	KUNIT_EXPECT_EQ(test, (u32)srnic_pkt_parse(buf, sizeof(buf), 0xffffffff, &pkt),
			(u32)SRNIC_PARSE_BAD_LENGTH);
	/* Nothing at all, and nothing to read. */
	KUNIT_EXPECT_EQ(test, (u32)srnic_pkt_parse(NULL, 0, 0, &pkt),
			(u32)SRNIC_PARSE_TRUNCATED);
	KUNIT_EXPECT_EQ(test, (u32)srnic_pkt_parse(NULL, 0, 4096, &pkt),
			(u32)SRNIC_PARSE_TRUNCATED);
}

/* Too short for any packet: that is said first, whatever the BTH has. */
static void short_comes_first(struct kunit *test)
{
	u8 buf[16] = { 0xff, 0x0f };
	struct srnic_pkt pkt;
	u32 total;

	for (total = 0; total < 16; total++)
		KUNIT_EXPECT_EQ_MSG(test, (u32)parse_exact(test, buf, total, total, &pkt),
				    (u32)SRNIC_PARSE_TRUNCATED, "total %u", total);
	KUNIT_EXPECT_EQ(test, (u32)parse_exact(test, buf, 16, 16, &pkt),
			(u32)SRNIC_PARSE_BAD_VERSION);
	/* More readable than the packet has: its length counts. */
	buf[1] = 0;
	buf[0] = 0x0a;
	KUNIT_EXPECT_EQ(test, (u32)parse_exact(test, buf, 44, 16, &pkt),
			(u32)SRNIC_PARSE_TRUNCATED);
}

static void cnp_lengths(struct kunit *test)
{
	u8 buf[MAX_PACKET] = { 0x81, 0x00, 0xff, 0xff, 0x40 };
	struct srnic_pkt pkt;
	u32 total;

	for (total = 0; total < 64; total++) {
		enum srnic_parse_verdict want = SRNIC_PARSE_BAD_LENGTH;

		if (total < 16)
			want = SRNIC_PARSE_TRUNCATED;
		else if (total == 32)
			want = SRNIC_PARSE_OK;
		KUNIT_EXPECT_EQ_MSG(test, (u32)parse_exact(test, buf, total, total, &pkt),
				    (u32)want, "total %u", total);
	}
	buf[1] = 0x10;		/* a pad makes the 16 bytes 15 */
	KUNIT_EXPECT_EQ(test, (u32)parse_exact(test, buf, 32, 32, &pkt),
			(u32)SRNIC_PARSE_BAD_LENGTH);
}

static void version_must_be_0(struct kunit *test)
{
	u8 buf[16] = { 0x04 };
	struct srnic_pkt pkt;
	u32 version;

	for (version = 0; version < 16; version++) {
		buf[1] = version;
		KUNIT_EXPECT_EQ(test, (u32)parse_exact(test, buf, 16, 16, &pkt),
				(u32)(version ? SRNIC_PARSE_BAD_VERSION : SRNIC_PARSE_OK));
	}
}

/* Dropped or NAKed, as the caller likes: it gets the BTH for that. */
static void unknown_opcodes_keep_the_bth(struct kunit *test)
{
	u8 buf[16] = { 0x18, 0x40, 0xff, 0xfe, 0x10, 1, 2, 3, 0x80, 4, 5, 6 };
	struct srnic_pkt pkt;
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		if (rule_find(opcode) || opcode == RULE_CNP_OPCODE)
			continue;
		buf[0] = opcode;
		KUNIT_EXPECT_EQ_MSG(test, (u32)parse_exact(test, buf, 16, 16, &pkt),
				    (u32)SRNIC_PARSE_UNKNOWN_OPCODE, "0x%02x", opcode);
		KUNIT_EXPECT_NULL(test, pkt.info);
		KUNIT_EXPECT_EQ(test, (u32)pkt.opcode, opcode);
		KUNIT_EXPECT_EQ(test, pkt.pkey, 0xfffe);
		KUNIT_EXPECT_EQ(test, pkt.resv6, 0x10);
		KUNIT_EXPECT_EQ(test, pkt.dest_qp, 0x010203U);
		KUNIT_EXPECT_EQ(test, pkt.psn, 0x040506U);
		KUNIT_EXPECT_TRUE(test, pkt.ack_req);
		KUNIT_EXPECT_EQ(test, srnic_pkt_build(&pkt, buf), 0U);
		KUNIT_EXPECT_EQ(test, srnic_pkt_header_bytes(opcode), 0U);
	}
}

/* Values wider than their field must not reach the neighbours. */
static void build_cuts_to_width(struct kunit *test)
{
	static const struct srnic_pkt wide = {
		.opcode = 0x64, .pad = 0xfc, .pkey = 0xffff, .dest_qp = 0xff000001,
		.psn = 0xff000002, .resv6 = 0xc0, .resv7 = 0x80, .qkey = 0,
		.src_qp = 0xff000003,
	};
	static const u8 want[20] = {
		0x64, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03,
	};
	u8 buf[SRNIC_MAX_HEADER_BYTES];

	KUNIT_EXPECT_EQ(test, srnic_pkt_build(&wide, buf), 20U);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
}

static void pad_bytes(struct kunit *test)
{
	static const u32 want[9] = { 0, 3, 2, 1, 0, 3, 2, 1, 0 };
	u32 n;

	for (n = 0; n < ARRAY_SIZE(want); n++)
		KUNIT_EXPECT_EQ(test, srnic_pkt_pad_bytes(n), want[n]);
}

static void verdicts_have_names(struct kunit *test)
{
	u32 v;

	for (v = 0; v < SRNIC_PARSE_VERDICTS; v++)
		KUNIT_EXPECT_NOT_NULL(test, srnic_parse_verdict_name(v));
	KUNIT_EXPECT_STREQ(test, srnic_parse_verdict_name(SRNIC_PARSE_BAD_PAD), "bad_pad");
	KUNIT_EXPECT_STREQ(test, srnic_parse_verdict_name(SRNIC_PARSE_VERDICTS), "invalid");
}

static struct kunit_case packet_cases[] = {
	KUNIT_CASE(vector_ud_send),
	KUNIT_CASE(vector_rc_write),
	KUNIT_CASE(vector_rc_ack),
	KUNIT_CASE(vector_rc_send_imm),
	KUNIT_CASE(vector_cnp),
	KUNIT_CASE(field_offsets_xrc_write_imm),
	KUNIT_CASE(field_offsets_atomics),
	KUNIT_CASE(field_offsets_flush_and_invalidate),
	KUNIT_CASE(every_opcode_round_trips),
	KUNIT_CASE(every_length_around_the_limits),
	KUNIT_CASE(every_readable_length),
	KUNIT_CASE(longest_packets),
	KUNIT_CASE(short_comes_first),
	KUNIT_CASE(cnp_lengths),
	KUNIT_CASE(version_must_be_0),
	KUNIT_CASE(unknown_opcodes_keep_the_bth),
	KUNIT_CASE(build_cuts_to_width),
	KUNIT_CASE(pad_bytes),
	KUNIT_CASE(verdicts_have_names),
	{}
};

static struct kunit_suite packet_suite = {
	.name = "srnic_wire_packet",
	.test_cases = packet_cases,
};

kunit_test_suite(packet_suite);
