/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * UDP source port: entropy for the network, constant for a QP.
 */
#ifndef SRNIC_WIRE_UDP_SPORT_H
#define SRNIC_WIRE_UDP_SPORT_H

#include "../env.h"

#define SRNIC_FLOW_LABEL_MASK	0xfffff
#define SRNIC_UDP_SPORT_BASE	0xc000

/**
 * srnic_flow_label() - flow label of two QPs, the same in both directions
 * @lqpn: own QP number
 * @rqpn: peer's QP number
 *
 * Context: Any.
 * Return: a 20-bit label; may be 0.
 */
static inline u32 srnic_flow_label(u32 lqpn, u32 rqpn)
{
	u64 v = (u64)lqpn * rqpn;

	v ^= v >> 20;
	v ^= v >> 40;
	return v & SRNIC_FLOW_LABEL_MASK;
}

/**
 * srnic_udp_sport() - source port of a path
 * @flow_label: of the address handle, or 0
 * @lqpn: own QP number, used if there is no label
 * @rqpn: peer's QP number, used if there is no label
 *
 * Context: Any.
 * Return: 0xc000..0xffff, host order.
 */
static inline u16 srnic_udp_sport(u32 flow_label, u32 lqpn, u32 rqpn)
{
	u32 fl = flow_label & SRNIC_FLOW_LABEL_MASK;

	if (!fl)
		fl = srnic_flow_label(lqpn, rqpn);
	return SRNIC_UDP_SPORT_BASE | ((fl & 0x3fff) ^ (fl >> 14));
}

#endif /* SRNIC_WIRE_UDP_SPORT_H */
