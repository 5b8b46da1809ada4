// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Syndromes, credits, timers and MTUs; the numbers are those of rules 2.9 to 2.11,
 * 4.6 and the path MTU codes of the verbs.
 */
#include <kunit/test.h>

#include "wire/aeth.h"

static void syndromes_split(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_aeth_class(0x00), SRNIC_AETH_ACK);
	KUNIT_EXPECT_EQ(test, srnic_aeth_class(0x1f), SRNIC_AETH_ACK);
	KUNIT_EXPECT_EQ(test, srnic_aeth_class(0x2c), SRNIC_AETH_RNR);
	KUNIT_EXPECT_EQ(test, srnic_aeth_class(0x40), SRNIC_AETH_RSVD);
	KUNIT_EXPECT_EQ(test, srnic_aeth_class(0x5f), SRNIC_AETH_RSVD);
	KUNIT_EXPECT_EQ(test, srnic_aeth_class(0x60), SRNIC_AETH_NAK);
	KUNIT_EXPECT_EQ(test, srnic_aeth_class(0x64), SRNIC_AETH_NAK);
	KUNIT_EXPECT_EQ(test, srnic_aeth_value(0x2c), 12);
	KUNIT_EXPECT_EQ(test, srnic_aeth_value(0x63), 3);
}

/* Bit 7 must be 0: such a syndrome is none of the classes. */
static void bit_7_is_no_class(struct kunit *test)
{
	u32 s;

	for (s = 0x80; s < 0x100; s++) {
		KUNIT_EXPECT_NE(test, srnic_aeth_class(s), SRNIC_AETH_ACK);
		KUNIT_EXPECT_NE(test, srnic_aeth_class(s), SRNIC_AETH_RNR);
		KUNIT_EXPECT_NE(test, srnic_aeth_class(s), SRNIC_AETH_NAK);
	}
}

static void nak_codes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (u32)SRNIC_NAK_PSN_SEQ, 0x60U);
	KUNIT_EXPECT_EQ(test, (u32)SRNIC_NAK_INV_REQ, 0x61U);
	KUNIT_EXPECT_EQ(test, (u32)SRNIC_NAK_REM_ACCESS, 0x62U);
	KUNIT_EXPECT_EQ(test, (u32)SRNIC_NAK_REM_OP, 0x63U);
	KUNIT_EXPECT_EQ(test, SRNIC_AETH_ACK | SRNIC_AETH_CREDIT_UNLIMITED, 0x1f);
	KUNIT_EXPECT_EQ(test, srnic_aeth_rnr(0), 0x20);
	KUNIT_EXPECT_EQ(test, srnic_aeth_rnr(31), 0x3f);
	KUNIT_EXPECT_EQ(test, srnic_aeth_rnr(32), 0x20);
}

static const u32 credits[31] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
	1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
};

static void credit_codes_decode(struct kunit *test)
{
	u32 code;

	for (code = 0; code < ARRAY_SIZE(credits); code++)
		KUNIT_EXPECT_EQ_MSG(test, srnic_aeth_credits(code), credits[code],
				    "code %u", code);
	KUNIT_EXPECT_EQ(test, srnic_aeth_credits(0x1f), SRNIC_CREDITS_UNLIMITED);
	KUNIT_EXPECT_EQ(test, srnic_aeth_credits(0x23), 3U);
}

/* For every count: the largest code that does not promise more. */
static void credit_codes_encode_rounding_down(struct kunit *test)
{
	u32 n, want = 0;

	for (n = 0; n <= 40000; n++) {
		while (want < 30 && credits[want + 1] <= n)
			want++;
		KUNIT_ASSERT_EQ_MSG(test, (u32)srnic_aeth_credit_code(n), want, "n %u", n);
	}
	KUNIT_EXPECT_EQ(test, srnic_aeth_credit_code(0x7fffffff), 30);
	KUNIT_EXPECT_EQ(test, srnic_aeth_credit_code(SRNIC_CREDITS_UNLIMITED), 0x1f);
}

static void rnr_timers(struct kunit *test)
{
	/* In units of 10 us: IBA Table 45 in hundredths of a millisecond. */
	static const u32 hundredths[32] = {
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
		16384, 24576, 32768, 49152,
	};
	u32 code;

	for (code = 0; code < 32; code++)
		KUNIT_EXPECT_EQ_MSG(test, srnic_rnr_timer_ns(code),
				    (u64)hundredths[code] * 10000, "code %u", code);
	KUNIT_EXPECT_EQ(test, srnic_rnr_timer_ns(0), 655360000ULL);	/* 655.36 ms */
	KUNIT_EXPECT_EQ(test, srnic_rnr_timer_ns(1), 10000ULL);		/* 0.01 ms */
	KUNIT_EXPECT_EQ(test, srnic_rnr_timer_ns(25), 61440000ULL);	/* 61.44 ms */
	KUNIT_EXPECT_EQ(test, srnic_rnr_timer_ns(31), 491520000ULL);	/* 491.52 ms */
	KUNIT_EXPECT_EQ(test, srnic_rnr_timer_ns(0x21), 10000ULL);
}

static void ack_timeouts(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_ack_timeout_ns(0), 0ULL);
	KUNIT_EXPECT_EQ(test, srnic_ack_timeout_ns(1), 8192ULL);
	KUNIT_EXPECT_EQ(test, srnic_ack_timeout_ns(8), 1048576ULL);	/* 1.05 ms */
	KUNIT_EXPECT_EQ(test, srnic_ack_timeout_ns(14), 67108864ULL);	/* 67 ms */
	KUNIT_EXPECT_EQ(test, srnic_ack_timeout_ns(18), 1073741824ULL);	/* 1.07 s */
	KUNIT_EXPECT_EQ(test, srnic_ack_timeout_ns(20), 4294967296ULL);	/* 4.3 s */
	KUNIT_EXPECT_EQ(test, srnic_ack_timeout_ns(31), 8796093022208ULL);
	KUNIT_EXPECT_EQ(test, srnic_ack_timeout_ns(32), 0ULL);
}

static void mtu_codes(struct kunit *test)
{
	static const u32 bytes[8] = { 0, 256, 512, 1024, 2048, 4096, 0, 0 };
	u32 code;

	for (code = 0; code < ARRAY_SIZE(bytes); code++)
		KUNIT_EXPECT_EQ_MSG(test, srnic_mtu_bytes(code), bytes[code], "%u", code);
	KUNIT_EXPECT_EQ(test, srnic_mtu_bytes(0xffffffff), 0U);

	KUNIT_EXPECT_EQ(test, srnic_mtu_code(0), 0U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_code(255), 0U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_code(256), 1U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_code(1023), 2U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_code(1024), 3U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_code(1404), 3U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_code(4095), 4U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_code(4096), 5U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_code(65535), 5U);
}

static void packets_of_a_message(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_mtu_packets(0, 1024), 1U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_packets(1, 1024), 1U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_packets(1024, 1024), 1U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_packets(1025, 1024), 2U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_packets(0x80000000, 256), 0x800000U);
	KUNIT_EXPECT_EQ(test, srnic_mtu_packets(0xffffffff, 256), 0x1000000U);
}

static struct kunit_case aeth_cases[] = {
	KUNIT_CASE(syndromes_split),
	KUNIT_CASE(bit_7_is_no_class),
	KUNIT_CASE(nak_codes),
	KUNIT_CASE(credit_codes_decode),
	KUNIT_CASE(credit_codes_encode_rounding_down),
	KUNIT_CASE(rnr_timers),
	KUNIT_CASE(ack_timeouts),
	KUNIT_CASE(mtu_codes),
	KUNIT_CASE(packets_of_a_message),
	{}
};

static struct kunit_suite aeth_suite = {
	.name = "srnic_wire_aeth",
	.test_cases = aeth_cases,
};

kunit_test_suite(aeth_suite);
