/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet and message sequence numbers: arithmetic modulo 2^24.
 *
 * Arguments may have rubbish above bit 23; results never do.
 */
#ifndef SRNIC_WIRE_PSN_H
#define SRNIC_WIRE_PSN_H

#include "../env.h"

#define SRNIC_PSN_MASK		0xffffff

/**
 * srnic_psn_mask() - bring a number into range
 * @psn: any number
 *
 * Context: Any.
 * Return: @psn modulo 2^24.
 */
static inline u32 srnic_psn_mask(u32 psn)
{
	return psn & SRNIC_PSN_MASK;
}

/**
 * srnic_psn_add() - step forward
 * @psn: where to start
 * @n: steps; a negative number cast to u32 steps back
 *
 * Context: Any.
 * Return: @psn + @n modulo 2^24.
 */
static inline u32 srnic_psn_add(u32 psn, u32 n)
{
	return (psn + n) & SRNIC_PSN_MASK;
}

/**
 * srnic_psn_sub() - forward distance
 * @a: end
 * @b: start
 *
 * Context: Any.
 * Return: steps from @b forward to @a, 0..2^24-1.
 */
static inline u32 srnic_psn_sub(u32 a, u32 b)
{
	return (a - b) & SRNIC_PSN_MASK;
}

/**
 * srnic_psn_cmp() - which is newer
 * @a: one PSN
 * @b: the other
 *
 * A distance of exactly 2^23 counts as older.
 *
 * Context: Any.
 * Return: the signed distance from @b to @a, -2^23..2^23-1: negative if @a is older,
 * 0 if equal, positive if @a is newer.
 */
static inline s32 srnic_psn_cmp(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/**
 * srnic_psn_before() - is one PSN older than another
 * @a: one PSN
 * @b: the other
 *
 * Context: Any.
 * Return: true if @a is older than @b.
 */
static inline bool srnic_psn_before(u32 a, u32 b)
{
	return srnic_psn_cmp(a, b) < 0;
}

/**
 * srnic_psn_after() - is one PSN newer than another
 * @a: one PSN
 * @b: the other
 *
 * Context: Any.
 * Return: true if @a is newer than @b.
 */
static inline bool srnic_psn_after(u32 a, u32 b)
{
	return srnic_psn_cmp(a, b) > 0;
}

/**
 * srnic_psn_in_range() - is a PSN in a half-open range
 * @psn: PSN to look for
 * @start: first of the range
 * @n: length of the range, 0..2^24-1
 *
 * Context: Any.
 * Return: true if @psn is one of @start .. @start + @n - 1.
 */
static inline bool srnic_psn_in_range(u32 psn, u32 start, u32 n)
{
	return srnic_psn_sub(psn, start) < n;
}

#endif /* SRNIC_WIRE_PSN_H */
