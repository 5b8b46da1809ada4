/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the engine asks of the network below it. The net room implements it;
 * KUnit puts a fake wire in its place.
 */
#ifndef SRNIC_ENGINE_NET_OPS_H
#define SRNIC_ENGINE_NET_OPS_H

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/dst_cache.h>
#include <rdma/ib_verbs.h>

#include "../wire/packet.h"
#include "counters.h"

struct srnic_dev;

/**
 * struct srnic_path - the way to a peer, resolved when a QP or AH gets its
 *		       address vector
 * @netdev: the device's, which outlives the path
 * @ifindex: of the netdev that had the source address then: that one, or one on top
 *	of it
 * @sgid: source address; IPv4 is mapped, ::ffff:a.b.c.d
 * @dgid: destination address, likewise
 * @ipv4: both are IPv4
 * @traffic_class: TOS or traffic class of the IP header
 * @hop_limit: TTL or hop limit
 * @flow_label: IPv6 flow label
 * @udp_sport: UDP source port; constant, so that a flow stays in order
 * @dst_cache: per-CPU route cache
 * @valid: srnic_net_ops.path_init() has succeeded
 * @refused: packets in a row that the netdev's queue had no room for; a guess if
 *	     several CPUs send
 */
struct srnic_path {
	struct net_device *netdev;
	int ifindex;
	struct in6_addr sgid;
	struct in6_addr dgid;
	bool ipv4;
	u8 traffic_class;
	u8 hop_limit;
	u32 flow_label;
	u16 udp_sport;
	struct dst_cache dst_cache;
	bool valid;
	u32 refused;
};

/**
 * srnic_wire_bytes() - size of a packet's Ethernet frame, without FCS and VLAN tag
 * @ipv4: IP version
 * @bytes: from BTH to ICRC, both included
 *
 * Context: Any.
 * Return: bytes.
 */
static inline u32 srnic_wire_bytes(bool ipv4, u32 bytes)
{
	return ETH_HLEN + (ipv4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)) +
	       sizeof(struct udphdr) + bytes;
}

/**
 * struct srnic_tx - packets on their way down, one owner, on the stack
 * @dev: device that sends
 * @counters: where to count
 * @path: where to; all packets between init and flush go the same way
 * @udp_sport: UDP source port of the packet that is ended next, in place of the
 *	path's; 0: that one
 * @skb: batch under construction, or NULL
 * @data: the packet begun and not yet ended
 * @bytes: its length from BTH to ICRC
 * @segments: packets in @skb
 */
struct srnic_tx {
	struct srnic_dev *dev;
	struct srnic_counters __percpu *counters;
	struct srnic_path *path;
	u16 udp_sport;
	struct sk_buff *skb;
	u8 *data;
	u32 bytes;
	u32 segments;
};

/**
 * struct srnic_rx - a packet that came in and whose ICRC is good
 * @pkt: its headers
 * @skb: its bytes; may be non-linear
 * @payload: offset of the payload in @skb, for skb_copy_bits()
 * @sgid: source address; IPv4 is mapped
 * @dgid: destination address
 * @net: network namespace it came in
 * @netdev: netdev that it came in on, for a multicast one; not a VLAN, but what
 *	that is on. The device's netdev may be a part of that
 * @vlan: of a packet to QP 1: 0x1000 + VLAN that its destination address is on; 0 if
 *	that is on none, and of other packets
 * @ipv4: IP version
 * @network_header: offset of the IP header in @skb, for the GRH of a UD receive
 */
struct srnic_rx {
	struct srnic_pkt pkt;
	struct sk_buff *skb;
	u32 payload;
	struct in6_addr sgid;
	struct in6_addr dgid;
	struct net *net;
	struct net_device *netdev;
	u16 vlan;
	bool ipv4;
	int network_header;
};

/**
 * struct srnic_membership - a device's netdevs are in a multicast group; RTNL
 * @node: in the list of all
 * @dev: device
 * @group: address of the group; IPv4 is mapped
 * @parts: what each netdev holds
 */
struct srnic_membership {
	struct list_head node;
	struct srnic_dev *dev;
	struct in6_addr group;
	struct hlist_head parts;
};

/**
 * struct srnic_net_ops - downward calls
 * @path_init: resolve @attr into @path, which is zeroed. @flow tells flows
 *	of one pair of hosts apart (local QPN, remote QPN) for the UDP source
 *	port. May sleep if @gfp allows it. 0, or -EINVAL, -ENOMEM
 * @path_release: undo path_init; no-op on a path that is not valid. May sleep
 * @begin: room for one packet of @bytes from BTH to ICRC, both included,
 *	contiguous and writable up to end(). NULL without memory: to be tried
 *	again later. Never sleeps; BHs are off
 * @end: the packet of begin() is complete but for its ICRC; it is sent now or
 *	with flush(). False if the netdev's queue is full: it was not sent and is
 *	to be sent again later. Other failures (no route, a firewall, a queue
 *	that stays full) are lost packets
 * @cancel: the packet of begin() is not to be sent after all
 * @flush: whatever end() kept back goes out
 * @deliver: packets that end() was given on this CPU and that are for this host
 *	arrive now, unless that is under way on this CPU already. BHs are off; no
 *	lock is held but send side ownership
 * @join: the netdev and those on top of it, also later ones, are in a multicast group
 *	from now on, which is told to the network. May sleep. 0 or a negative errno
 * @leave: undo join. May sleep
 */
struct srnic_net_ops {
	int (*path_init)(struct srnic_dev *dev, struct srnic_path *path,
			 const struct rdma_ah_attr *attr, u32 lqpn, u32 rqpn,
			 gfp_t gfp);
	void (*path_release)(struct srnic_path *path);
	u8 *(*begin)(struct srnic_tx *tx, u32 bytes);
	bool (*end)(struct srnic_tx *tx);
	void (*cancel)(struct srnic_tx *tx);
	void (*flush)(struct srnic_tx *tx);
	void (*deliver)(void);
	int (*join)(struct srnic_dev *dev, const struct in6_addr *group,
		    struct srnic_membership *membership);
	void (*leave)(struct srnic_membership *membership);
};

#endif /* SRNIC_ENGINE_NET_OPS_H */
