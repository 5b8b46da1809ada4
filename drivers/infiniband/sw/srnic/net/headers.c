// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UDP and IP headers, and the ICRC over them.
 */
#include "headers.h"

#include <linux/in.h>
#include <linux/ip.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "../engine/net_ops.h"
#include "../wire/icrc.h"

static void push_udp(struct sk_buff *skb, u16 udp_sport)
{
	struct udphdr *udp = __skb_push(skb, sizeof(*udp));

	skb_reset_transport_header(skb);
	udp->source = htons(udp_sport);
	udp->dest = htons(SRNIC_UDP_PORT);
	udp->len = htons(skb->len);
	udp->check = 0;		/* the ICRC is better */
}

static void push_ipv4(struct sk_buff *skb, const struct srnic_path *path)
{
	struct iphdr *ip = __skb_push(skb, sizeof(*ip));

	skb_reset_network_header(skb);
	ip->version = IPVERSION;
	ip->ihl = sizeof(*ip) / 4;
	ip->tos = path->traffic_class;
	ip->tot_len = htons(skb->len);
	ip->id = 0;		/* never fragmented */
	ip->frag_off = htons(IP_DF);
	ip->ttl = path->hop_limit;
	ip->protocol = IPPROTO_UDP;
	ip->saddr = path->sgid.s6_addr32[3];
	ip->daddr = path->dgid.s6_addr32[3];
	ip_send_check(ip);
	skb->protocol = htons(ETH_P_IP);
}

static void push_ipv6(struct sk_buff *skb, const struct srnic_path *path)
{
	u16 payload_bytes = skb->len;
	struct ipv6hdr *ip = __skb_push(skb, sizeof(*ip));

	skb_reset_network_header(skb);
	ip6_flow_hdr(ip, path->traffic_class, htonl(path->flow_label));
	ip->payload_len = htons(payload_bytes);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = path->hop_limit;
	ip->saddr = path->sgid;
	ip->daddr = path->dgid;
	skb->protocol = htons(ETH_P_IPV6);
}

/**
 * srnic_push_headers() - put UDP and IP headers in front of a packet
 * @skb: the packet, from BTH to ICRC, with SRNIC_OUTER_BYTES of headroom
 * @path: where it goes
 * @udp_sport: UDP source port
 *
 * Context: Any.
 */
void srnic_push_headers(struct sk_buff *skb, const struct srnic_path *path,
			u16 udp_sport)
{
	push_udp(skb, udp_sport);
	if (path->ipv4)
		push_ipv4(skb, path);
	else
		push_ipv6(skb, path);
	skb->priority = rt_tos2priority(path->traffic_class);
}

/**
 * srnic_put_icrc() - complete a packet
 * @skb: the packet with all its headers, linear
 * @path: where it goes
 *
 * Context: Any.
 */
void srnic_put_icrc(struct sk_buff *skb, const struct srnic_path *path)
{
	const void *ip = skb_network_header(skb);
	const void *udp = skb_transport_header(skb);
	const void *bth = udp + sizeof(struct udphdr);
	const void *rest = bth + sizeof(struct srnic_bth);
	u8 *icrc = skb_tail_pointer(skb) - SRNIC_ICRC_BYTES;
	u32 crc;

	crc = path->ipv4 ? srnic_icrc_start_ipv4(ip, udp, bth) :
			   srnic_icrc_start_ipv6(ip, udp, bth);
	crc = srnic_icrc_update(crc, rest, icrc - (const u8 *)rest);
	put_unaligned_le32(srnic_icrc_finish(crc), icrc);
}
