/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * UDP and IP headers of a packet to be sent.
 */
#ifndef SRNIC_NET_HEADERS_H
#define SRNIC_NET_HEADERS_H

#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>

struct srnic_path;

/* Room for either IP header and UDP, in front of the BTH. */
#define SRNIC_OUTER_BYTES	(sizeof(struct ipv6hdr) + sizeof(struct udphdr))

void srnic_push_headers(struct sk_buff *skb, const struct srnic_path *path,
			u16 udp_sport);
void srnic_put_icrc(struct sk_buff *skb, const struct srnic_path *path);

#endif /* SRNIC_NET_HEADERS_H */
