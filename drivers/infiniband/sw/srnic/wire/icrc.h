/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The invariant CRC of RoCEv2, incrementally.
 *
 *	crc = srnic_icrc_start_ipv4(ip, udp, bth);
 *	crc = srnic_icrc_update(crc, ext_headers_payload_and_pad, bytes);
 *	put_unaligned_le32(srnic_icrc_finish(crc), trailer);
 *
 * or, on receive, update over the four trailing bytes as well and ask
 * srnic_icrc_residue_ok(). The running value is a raw CRC-32 state.
 */
#ifndef SRNIC_WIRE_ICRC_H
#define SRNIC_WIRE_ICRC_H

#include "../env.h"

/*
 * CRC state after eight bytes of 0xff, which stand for the masked LRH; also what
 * is left after a good packet and its ICRC.
 */
#define SRNIC_ICRC_SEED		0xdebb20e3U

/**
 * srnic_icrc_finish() - the ICRC of everything fed so far
 * @crc: running value
 *
 * Context: Any.
 * Return: the ICRC; it goes to the wire with put_unaligned_le32().
 */
static inline u32 srnic_icrc_finish(u32 crc)
{
	return ~crc;
}

/**
 * srnic_icrc_residue_ok() - judge a received packet
 * @crc: running value over the packet and its four ICRC bytes
 *
 * Context: Any.
 * Return: true if the ICRC was right.
 */
static inline bool srnic_icrc_residue_ok(u32 crc)
{
	return crc == SRNIC_ICRC_SEED;
}

u32 srnic_icrc_update(u32 crc, const void *data, size_t bytes);
u32 srnic_icrc_copy(u32 crc, void *dst, const void *src, size_t bytes);
u32 srnic_icrc_start_ipv4(const void *ip20, const void *udp8, const void *bth12);
u32 srnic_icrc_start_ipv6(const void *ip40, const void *udp8, const void *bth12);
bool srnic_icrc_ok(const u8 *ip, u32 bytes);

#endif /* SRNIC_WIRE_ICRC_H */
