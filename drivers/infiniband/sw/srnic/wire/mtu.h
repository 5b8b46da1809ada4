/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Path MTU: the coded values 1..5 (enum ib_mtu) stand for 256..4096 bytes.
 */
#ifndef SRNIC_WIRE_MTU_H
#define SRNIC_WIRE_MTU_H

#include "../env.h"

#define SRNIC_MTU_MIN_CODE	1
#define SRNIC_MTU_MAX_CODE	5
#define SRNIC_MTU_MIN_BYTES	256
#define SRNIC_MTU_MAX_BYTES	4096

/**
 * srnic_mtu_bytes() - decode a path MTU
 * @code: value of enum ib_mtu
 *
 * Context: Any.
 * Return: 256..4096, or 0 if @code is none of 1..5.
 */
static inline u32 srnic_mtu_bytes(u32 code)
{
	if (code < SRNIC_MTU_MIN_CODE || code > SRNIC_MTU_MAX_CODE)
		return 0;
	return 128U << code;
}

/**
 * srnic_mtu_code() - encode a path MTU, rounding down
 * @bytes: payload bytes that fit
 *
 * Context: Any.
 * Return: value of enum ib_mtu, or 0 if @bytes is below 256.
 */
static inline u32 srnic_mtu_code(u32 bytes)
{
	if (bytes < SRNIC_MTU_MIN_BYTES)
		return 0;
	if (bytes >= SRNIC_MTU_MAX_BYTES)
		return SRNIC_MTU_MAX_CODE;
	return ilog2(bytes) - 7;
}

/**
 * srnic_mtu_packets() - packets (and so PSNs) of a message
 * @bytes: length of the message
 * @mtu: path MTU in bytes, a power of two
 *
 * Context: Any.
 * Return: max(1, bytes / mtu rounded up).
 */
static inline u32 srnic_mtu_packets(u32 bytes, u32 mtu)
{
	if (!bytes)
		return 1;
	return ((bytes - 1) >> ilog2(mtu)) + 1;
}

#endif /* SRNIC_WIRE_MTU_H */
