// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Credit and RNR timer codes.
 */
#include "aeth.h"

#define MAX_CREDIT_CODE		0x1e
#define RNR_UNIT_NS		10000
#define RNR_CODE_0_UNITS	65536

/* What the codes stand for: receive WQEs (0..30), or units of 10 us (1..31). */
static const u16 code_values[32] = {
	0, 1, 2, 3, 4, 6, 8, 12,
	16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072,
	4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

/**
 * srnic_aeth_credits() - decode a credit code
 * @code: value of an ACK syndrome; only 5 bits are used
 *
 * Context: Any.
 * Return: number of receive WQEs, or SRNIC_CREDITS_UNLIMITED.
 */
u32 srnic_aeth_credits(u8 code)
{
	code &= SRNIC_AETH_VALUE_MASK;
	if (code == SRNIC_AETH_CREDIT_UNLIMITED)
		return SRNIC_CREDITS_UNLIMITED;
	return code_values[code];
}

/**
 * srnic_aeth_credit_code() - encode a number of receive WQEs, rounding down
 * @credits: number, or SRNIC_CREDITS_UNLIMITED
 *
 * Context: Any.
 * Return: the credit code.
 */
u8 srnic_aeth_credit_code(u32 credits)
{
	u32 log;

	if (credits == SRNIC_CREDITS_UNLIMITED)
		return SRNIC_AETH_CREDIT_UNLIMITED;
	if (credits >= code_values[MAX_CREDIT_CODE])
		return MAX_CREDIT_CODE;
	if (credits < 2)
		return credits;

	/* Two codes for each power of two: 2^n and 3 * 2^(n - 1). */
	log = ilog2(credits);
	return 2 * log + ((credits >> (log - 1)) & 1);
}

/**
 * srnic_rnr_timer_ns() - decode an RNR timer code
 * @code: value of an RNR NAK syndrome, min_rnr_timer; only 5 bits are used
 *
 * Context: Any.
 * Return: nanoseconds to wait at least.
 */
u64 srnic_rnr_timer_ns(u8 code)
{
	u32 units;

	code &= SRNIC_AETH_VALUE_MASK;
	units = code ? code_values[code] : RNR_CODE_0_UNITS;
	return (u64)units * RNR_UNIT_NS;
}
