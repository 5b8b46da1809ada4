/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Golden packets (transport rules 1.6): whole Ethernet frames without FCS. A to E are
 * made and agreed on by independent programs, H is from a ConnectX-4 Lx.
 */
#ifndef SRNIC_KUNIT_WIRE_VECTORS_H
#define SRNIC_KUNIT_WIRE_VECTORS_H

#include "env.h"

#define VECTOR_ETH_BYTES	14
#define VECTOR_UDP_BYTES	8
#define VECTOR_MAX_BYTES	128

/* What the CRC of vector C takes in, as the rules spell it out. */
#define VECTOR_C_CRC_INPUT "ffffffffffffffff45ff003000004000ff11ffffc0a80002c0a80001d3a512b7001cffff1140ffffff00045600fffffe1f000001"

enum vector_id {
	VECTOR_A,
	VECTOR_B,
	VECTOR_C,
	VECTOR_D,
	VECTOR_E,
	VECTOR_H,
	VECTORS,
};

/**
 * struct vector - one frame
 * @what: in words
 * @hex: its bytes
 * @icrc: last four bytes, as read from the wire in order
 * @ipv6: else IPv4
 */
struct vector {
	const char *what;
	const char *hex;
	u32 icrc;
	bool ipv6;
};

static const struct vector vectors[VECTORS] = {
	[VECTOR_A] = {
		"UD SEND ONLY, IPv4",
		"020000000002020000000001080045020044123440004011a71fc0a80001c0a80002c00112b7003000006440ffff00000012000001231111111100000034000102030405060708090a0b0c0d0e0f85ac53f5",
		0x85ac53f5, false,
	},
	[VECTOR_B] = {
		"RC WRITE ONLY, 3 bytes of pad",
		"0200000000020200000000010800456a0044000040004011b8ebc0a80001c0a80002d3a512b7003000000a70ffff0000078980fffffe00007f001122334400abcd010000000568656c6c6f000000c0afa327",
		0xc0afa327, false,
	},
	[VECTOR_C] = {
		"RC ACK",
		"0200000000010200000000020800456a0030000040004011b8ffc0a80002c0a80001d3a512b7001c00001140ffff0000045600fffffe1f000001921d619e",
		0x921d619e, false,
	},
	[VECTOR_D] = {
		"RC SEND ONLY IMM, IPv6",
		"02000000000202000000000186dd66a1234500241140fd000000000000000000000000000001fd000000000000000000000000000002c0de12b70024000005e0ffff0000078980000001deadbeefaabbccddeeff0000163c95aa",
		0x163c95aa, true,
	},
	[VECTOR_E] = {
		"CNP",
		"020000000001020000000002080045c2003c000040004011b89bc0a80002c0a80001d3a512b7002800008100ffff400004560000000000000000000000000000000000000000586e0169",
		0x586e0169, false,
	},
	[VECTOR_H] = {
		"CNP of a ConnectX-4 Lx",
		"e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b7002800008100ffff40000118000000000000000000000000000000000000000082fd002a",
		0x82fd002a, false,
	},
};

static inline u8 vector_nibble(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Hexadecimal text to bytes; returns how many. */
static inline u32 vector_decode(const char *hex, u8 *out)
{
	u32 n = 0;

	while (hex[2 * n]) {
		out[n] = vector_nibble(hex[2 * n]) << 4 | vector_nibble(hex[2 * n + 1]);
		n++;
	}
	return n;
}

static inline u32 vector_ip_bytes(const struct vector *v)
{
	return v->ipv6 ? 40 : 20;
}

/* Bytes in front of the BTH. */
static inline u32 vector_bth_offset(const struct vector *v)
{
	return VECTOR_ETH_BYTES + vector_ip_bytes(v) + VECTOR_UDP_BYTES;
}

#endif /* SRNIC_KUNIT_WIRE_VECTORS_H */
