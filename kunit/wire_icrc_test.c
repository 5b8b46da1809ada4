// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ICRC against golden packets (rules 1.5 and 1.6).
 */
#include <kunit/test.h>

#include "wire/format.h"
#include "wire/icrc.h"
#include "wire_vectors.h"

struct frame {
	u8 bytes[VECTOR_MAX_BYTES];
	u32 len;
	const struct vector *v;
	u8 *ip;
	u8 *udp;
	u8 *bth;
};

static void load(struct frame *f, enum vector_id id)
{
	memset(f, 0, sizeof(*f));
	f->v = &vectors[id];
	f->len = vector_decode(f->v->hex, f->bytes);
	f->ip = f->bytes + VECTOR_ETH_BYTES;
	f->udp = f->ip + vector_ip_bytes(f->v);
	f->bth = f->bytes + vector_bth_offset(f->v);
}

static u32 start(const struct frame *f)
{
	if (f->v->ipv6)
		return srnic_icrc_start_ipv6(f->ip, f->udp, f->bth);
	return srnic_icrc_start_ipv4(f->ip, f->udp, f->bth);
}

/* Bytes after the BTH, without ICRC. */
static u32 rest(const struct frame *f)
{
	return f->bytes + f->len - (f->bth + 12) - 4;
}

static void seed_is_the_masked_lrh(struct kunit *test)
{
	static const u8 lrh[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	KUNIT_EXPECT_EQ(test, crc32_le(0xffffffff, lrh, 8), 0xdebb20e3U);
	KUNIT_EXPECT_EQ(test, SRNIC_ICRC_SEED, 0xdebb20e3U);
}

/* The usual check value of CRC-32: tells a wrong polynomial or bit order. */
static void crc32_is_the_ethernet_one(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ~crc32_le(0xffffffff, (const u8 *)"123456789", 9),
			0xcbf43926U);
}

static void vectors_match(struct kunit *test)
{
	struct frame *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u8 trailer[4];
	u32 id, crc;

	KUNIT_ASSERT_NOT_NULL(test, f);
	for (id = 0; id < VECTORS; id++) {
		load(f, id);
		crc = srnic_icrc_update(start(f), f->bth + 12, rest(f));
		put_unaligned_le32(srnic_icrc_finish(crc), trailer);
		KUNIT_EXPECT_EQ_MSG(test, get_unaligned_be32(trailer), f->v->icrc, "%s",
				    f->v->what);

		crc = srnic_icrc_update(crc, f->bth + 12 + rest(f), 4);
		KUNIT_EXPECT_TRUE_MSG(test, srnic_icrc_residue_ok(crc), "%s", f->v->what);
		KUNIT_EXPECT_TRUE_MSG(test, srnic_icrc_ok(f->ip, f->len - VECTOR_ETH_BYTES),
				      "%s", f->v->what);
	}
}

/* Rule 1.5.4: the number whose low byte goes first. */
static void ack_value_is_little_endian(struct kunit *test)
{
	struct frame *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 crc;

	KUNIT_ASSERT_NOT_NULL(test, f);
	load(f, VECTOR_C);
	crc = srnic_icrc_update(start(f), f->bth + 12, rest(f));
	KUNIT_EXPECT_EQ(test, srnic_icrc_finish(crc), 0x9e611d92U);
}

/* Rule 1.6 spells the CRC input of the ACK out. */
static void ack_input_is_as_published(struct kunit *test)
{
	u8 bytes[VECTOR_MAX_BYTES];
	u32 n = vector_decode(VECTOR_C_CRC_INPUT, bytes);

	KUNIT_EXPECT_EQ(test, ~crc32_le(0xffffffff, bytes, n), 0x9e611d92U);
}

static void split_updates_agree(struct kunit *test)
{
	struct frame *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 n, cut, whole, parts;

	KUNIT_ASSERT_NOT_NULL(test, f);
	load(f, VECTOR_B);
	n = rest(f);
	whole = srnic_icrc_update(start(f), f->bth + 12, n);
	for (cut = 0; cut <= n; cut++) {
		parts = srnic_icrc_update(start(f), f->bth + 12, cut);
		parts = srnic_icrc_update(parts, f->bth + 12 + cut, n - cut);
		KUNIT_EXPECT_EQ(test, parts, whole);
	}
	KUNIT_EXPECT_EQ(test, srnic_icrc_update(whole, NULL, 0), whole);
	KUNIT_EXPECT_EQ(test, srnic_icrc_copy(whole, NULL, NULL, 0), whole);
}

#define RUN_BYTES	1300

/* A run of bytes that repeats nowhere. */
static u8 *make_run(struct kunit *test)
{
	u8 *run = kunit_kzalloc(test, RUN_BYTES, GFP_KERNEL);
	u32 i, x = 1;

	KUNIT_ASSERT_NOT_NULL(test, run);
	for (i = 0; i < RUN_BYTES; i++) {
		x = x * 1103515245 + 12345;
		run[i] = x >> 16;
	}
	return run;
}

/* One bit at a time, from rule 1.5.1: what every faster way is judged by. */
static u32 crc_by_the_rule(u32 crc, const u8 *p, u32 n)
{
	u32 bit;

	while (n--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

static void every_length_agrees_with_the_rule(struct kunit *test)
{
	u8 *run = make_run(test), *exact, *copy;
	u32 n, want;

	for (n = 0; n <= 400; n++) {
		exact = kunit_kzalloc(test, n ? n : 1, GFP_KERNEL);
		copy = kunit_kzalloc(test, n ? n : 1, GFP_KERNEL);
		KUNIT_ASSERT_TRUE(test, exact && copy);
		memcpy(exact, run, n);
		want = crc_by_the_rule(SRNIC_ICRC_SEED, run, n);
		KUNIT_EXPECT_EQ_MSG(test, srnic_icrc_update(SRNIC_ICRC_SEED, exact, n), want,
				    "%u bytes", n);
		KUNIT_EXPECT_EQ_MSG(test, srnic_icrc_copy(SRNIC_ICRC_SEED, copy, exact, n),
				    want, "%u bytes", n);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(copy, run, n), 0, "%u bytes", n);
		kunit_kfree(test, copy);
		kunit_kfree(test, exact);
	}
}

static void every_alignment_agrees_with_the_rule(struct kunit *test)
{
	u8 *run = make_run(test);
	u8 *copy = kunit_kzalloc(test, RUN_BYTES, GFP_KERNEL);
	u32 from, to, n = 1024;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	for (from = 0; from < 16; from++) {
		u32 want = crc_by_the_rule(~from, run + from, n);

		KUNIT_EXPECT_EQ(test, srnic_icrc_update(~from, run + from, n), want);
		for (to = 0; to < 16; to++) {
			memset(copy, 0, RUN_BYTES);
			KUNIT_EXPECT_EQ(test,
					srnic_icrc_copy(~from, copy + to, run + from, n),
					want);
			KUNIT_EXPECT_EQ(test, memcmp(copy + to, run + from, n), 0);
			KUNIT_EXPECT_EQ(test, copy[to + n], 0);
		}
	}
}

/* The remainder is linear: each single bit on its own, in every word's place. */
static void every_bit_agrees_with_the_rule(struct kunit *test)
{
	u8 *run = kunit_kzalloc(test, 160, GFP_KERNEL);
	u32 bit;

	KUNIT_ASSERT_NOT_NULL(test, run);
	for (bit = 0; bit < 8 * 160; bit++) {
		run[bit / 8] = 1 << (bit % 8);
		KUNIT_EXPECT_EQ_MSG(test, srnic_icrc_update(0, run, 160),
				    crc_by_the_rule(0, run, 160), "bit %u", bit);
		run[bit / 8] = 0;
	}
}

/* Rule 1.5.3: is this bit of the packet, counted from the IP header, left out? */
static bool bit_is_masked(const struct frame *f, u32 bit)
{
	u32 byte = bit / 8;
	u32 udp = vector_ip_bytes(f->v);

	if (byte == udp + 6 || byte == udp + 7)		/* UDP checksum */
		return true;
	if (byte == udp + 8 + 4)			/* FECN, BECN, reserved */
		return true;
	if (!f->v->ipv6)
		return byte == 1 || byte == 8 || byte == 10 || byte == 11;
	/* Low nibble of byte 0: in a byte the bits count from the least significant. */
	return (byte == 0 && bit % 8 < 4) || (byte >= 1 && byte <= 3) || byte == 7;
}

/* Flip each bit of each vector: the ICRC has to notice, except where it must not. */
static void flips_are_noticed_unless_masked(struct kunit *test)
{
	struct frame *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 id, bit;

	KUNIT_ASSERT_NOT_NULL(test, f);
	for (id = 0; id < VECTORS; id++) {
		load(f, id);
		for (bit = 0; bit < 8 * (f->len - VECTOR_ETH_BYTES); bit++) {
			u32 crc;

			f->ip[bit / 8] ^= 1 << (bit % 8);
			crc = srnic_icrc_update(start(f), f->bth + 12, rest(f) + 4);
			KUNIT_EXPECT_EQ_MSG(test, srnic_icrc_residue_ok(crc),
					    bit_is_masked(f, bit), "%s bit %u", f->v->what,
					    bit);
			f->ip[bit / 8] ^= 1 << (bit % 8);
		}
	}
}

/* Ethernet padding does no harm, every missing byte does; nothing is over-read. */
static void whole_packet_lengths(struct kunit *test)
{
	struct frame *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 id, n, len;
	u8 *exact;

	KUNIT_ASSERT_NOT_NULL(test, f);
	for (id = 0; id < VECTORS; id++) {
		load(f, id);
		len = f->len - VECTOR_ETH_BYTES;
		for (n = 0; n <= len + 8; n++) {
			exact = kunit_kzalloc(test, n ? n : 1, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, exact);
			memcpy(exact, f->ip, n);
			KUNIT_EXPECT_EQ_MSG(test, srnic_icrc_ok(exact, n), n >= len,
					    "%s %u of %u", f->v->what, n, len);
			kunit_kfree(test, exact);
		}
	}
}

/* A zero-length SEND: nothing between BTH and ICRC. */
static void shortest_packet(struct kunit *test)
{
	struct frame *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 len = 20 + 8 + 12 + 4;

	KUNIT_ASSERT_NOT_NULL(test, f);
	load(f, VECTOR_C);
	f->bth[0] = 0x04;
	put_unaligned_be16(len, f->ip + 2);
	put_unaligned_be16(len - 20, f->udp + 4);
	put_unaligned_le32(srnic_icrc_finish(start(f)), f->bth + 12);
	KUNIT_EXPECT_TRUE(test, srnic_icrc_ok(f->ip, len));
	KUNIT_EXPECT_FALSE(test, srnic_icrc_ok(f->ip, len - 1));
	f->bth[15] ^= 1;
	KUNIT_EXPECT_FALSE(test, srnic_icrc_ok(f->ip, len));
}

static void odd_outer_headers_fail(struct kunit *test)
{
	struct frame *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 len;

	KUNIT_ASSERT_NOT_NULL(test, f);
	load(f, VECTOR_A);
	len = f->len - VECTOR_ETH_BYTES;
	f->ip[0] = 0x46;			/* IPv4 options */
	KUNIT_EXPECT_FALSE(test, srnic_icrc_ok(f->ip, len));
	f->ip[0] = 0x55;
	KUNIT_EXPECT_FALSE(test, srnic_icrc_ok(f->ip, len));
	f->ip[0] = 0x45;
	KUNIT_EXPECT_TRUE(test, srnic_icrc_ok(f->ip, len));
	put_unaligned_be16(0, f->udp + 4);	/* UDP length: too short, too long */
	KUNIT_EXPECT_FALSE(test, srnic_icrc_ok(f->ip, len));
	put_unaligned_be16(23, f->udp + 4);
	KUNIT_EXPECT_FALSE(test, srnic_icrc_ok(f->ip, len));
	put_unaligned_be16(0xffff, f->udp + 4);
	KUNIT_EXPECT_FALSE(test, srnic_icrc_ok(f->ip, len));
}

static struct kunit_case icrc_cases[] = {
	KUNIT_CASE(seed_is_the_masked_lrh),
	KUNIT_CASE(crc32_is_the_ethernet_one),
	KUNIT_CASE(vectors_match),
	KUNIT_CASE(ack_value_is_little_endian),
	KUNIT_CASE(ack_input_is_as_published),
	KUNIT_CASE(split_updates_agree),
	KUNIT_CASE(every_length_agrees_with_the_rule),
	KUNIT_CASE(every_alignment_agrees_with_the_rule),
	KUNIT_CASE(every_bit_agrees_with_the_rule),
	KUNIT_CASE(flips_are_noticed_unless_masked),
	KUNIT_CASE(whole_packet_lengths),
	KUNIT_CASE(shortest_packet),
	KUNIT_CASE(odd_outer_headers_fail),
	{}
};

static struct kunit_suite icrc_suite = {
	.name = "srnic_wire_icrc",
	.test_cases = icrc_cases,
};

kunit_test_suite(icrc_suite);
