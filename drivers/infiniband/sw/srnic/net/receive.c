// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The receive edge: from UDP datagram to packet with good ICRC.
 *
 * Everything about lengths is settled here; what comes behind may rely on it. Whether
 * the addresses are ours is for the engine to say.
 */
#include "receive.h"

#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <net/udp.h>
#include <rdma/srnic-abi.h>

#include "../engine/device.h"
#include "../engine/receive.h"
#include "../wire/icrc.h"

#define UDP_BYTES	sizeof(struct udphdr)
#define BTH_BYTES	sizeof(struct srnic_bth)
#define MIN_BYTES	(UDP_BYTES + BTH_BYTES + SRNIC_ICRC_BYTES)

/*
 * skb->data is at the UDP header, and the IP header right in front of it: no options,
 * no extension headers.
 */
static bool outer_ok(struct sk_buff *skb, bool ipv4)
{
	u32 ip_bytes = ipv4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	u32 udp_bytes;

	if (skb_network_offset(skb) != -(int)ip_bytes ||
	    !pskb_may_pull(skb, MIN_BYTES))
		return false;

	udp_bytes = ntohs(((struct udphdr *)skb->data)->len);
	if (udp_bytes < MIN_BYTES || udp_bytes > skb->len)
		return false;

	return pskb_may_pull(skb, min_t(u32, udp_bytes,
					UDP_BYTES + SRNIC_MAX_HEADER_BYTES));
}

static u32 update_over_skb(u32 crc, struct sk_buff *skb, u32 from, u32 to)
{
	struct skb_seq_state state;
	u32 consumed = 0;
	const u8 *data;
	u32 bytes;

	if (to <= skb_headlen(skb))
		return srnic_icrc_update(crc, skb->data + from, to - from);

	skb_prepare_seq_read(skb, from, to, &state);
	while ((bytes = skb_seq_read(consumed, &data, &state))) {
		crc = srnic_icrc_update(crc, data, bytes);
		consumed += bytes;
	}
	return crc;
}

/* The four bytes of the ICRC are part of what is summed up. */
static bool icrc_ok(struct sk_buff *skb, bool ipv4, u32 udp_bytes)
{
	const void *ip = skb_network_header(skb);
	const void *udp = skb->data;
	const void *bth = udp + UDP_BYTES;
	u32 crc;

	crc = ipv4 ? srnic_icrc_start_ipv4(ip, udp, bth) :
		     srnic_icrc_start_ipv6(ip, udp, bth);
	crc = update_over_skb(crc, skb, UDP_BYTES + BTH_BYTES, udp_bytes);
	return srnic_icrc_residue_ok(crc);
}

static void take_addresses(struct srnic_rx *rx)
{
	if (rx->ipv4) {
		const struct iphdr *ip = ip_hdr(rx->skb);

		ipv6_addr_set_v4mapped(ip->saddr, &rx->sgid);
		ipv6_addr_set_v4mapped(ip->daddr, &rx->dgid);
	} else {
		const struct ipv6hdr *ip = ipv6_hdr(rx->skb);

		rx->sgid = ip->saddr;
		rx->dgid = ip->daddr;
	}
}

static struct net_device *real_netdev(struct net_device *netdev)
{
	return is_vlan_dev(netdev) ? vlan_dev_real_dev(netdev) : netdev;
}

/* Of this host to itself by loopback, that of the destination address, if any. */
static struct net_device *receiving_netdev(const struct sk_buff *skb, bool ipv4)
{
	struct net_device *netdev = skb->dev;

	if (!(netdev->flags & IFF_LOOPBACK))
		return netdev;
	if (ipv4)
		return __ip_dev_find(dev_net(netdev), ip_hdr(skb)->daddr, false);
#if IS_ENABLED(CONFIG_IPV6)
	return ipv6_dev_find(dev_net(netdev), &ipv6_hdr(skb)->daddr, NULL);
#else
	return NULL;
#endif
}

/* The core finds the address that a management datagram was sent to by VLAN, too. */
static u16 vlan_of(const struct srnic_rx *rx)
{
	const struct net_device *netdev = receiving_netdev(rx->skb, rx->ipv4);

	return netdev && is_vlan_dev(netdev) ?
	       VLAN_CFI_MASK | vlan_dev_vlan_id(netdev) : 0;
}

/*
 * If it says no, *@why is what to count. Memory does not corrupt packets: those of
 * this host to itself have no ICRC.
 */
static bool decode(struct srnic_rx *rx, bool local, enum srnic_counter *why)
{
	struct sk_buff *skb = rx->skb;
	u32 udp_bytes;

	*why = SRNIC_COUNTER_RX_MALFORMED;
	if (!outer_ok(skb, rx->ipv4))
		return false;

	udp_bytes = ntohs(((struct udphdr *)skb->data)->len);
	if (srnic_pkt_parse(skb->data + UDP_BYTES, skb_headlen(skb) - UDP_BYTES,
			    udp_bytes - UDP_BYTES, &rx->pkt) != SRNIC_PARSE_OK)
		return false;

	*why = SRNIC_COUNTER_RX_BAD_ICRC;
	if (!local && !icrc_ok(skb, rx->ipv4, udp_bytes))
		return false;

	rx->payload = UDP_BYTES + rx->pkt.header_bytes;
	rx->network_header = skb_network_offset(skb);
	rx->net = dev_net(skb->dev);
	rx->netdev = real_netdev(skb->dev);
	take_addresses(rx);
	rx->vlan = rx->pkt.dest_qp == SRNIC_GSI_QPN ? vlan_of(rx) : 0;
	return true;
}

static int take_device(struct net_device *netdev, struct netdev_nested_priv *priv)
{
	struct ib_device **ibdev = priv->data;

	*ibdev = ib_device_get_by_netdev(netdev, SRNIC_DRIVER_ID);
	return *ibdev ? 1 : 0;
}

/*
 * The device of a netdev or, if that is a bond or a bridge without one, that of one of
 * its parts.
 */
static struct ib_device *get_counting_device(struct net_device *netdev)
{
	struct ib_device *ibdev = NULL;
	struct netdev_nested_priv priv = { .data = &ibdev };

	if (!take_device(netdev, &priv))
		netdev_walk_all_lower_dev_rcu(netdev, take_device, &priv);
	return ibdev;
}

/* Only a packet without a QP needs its device here. */
static void drop(struct sk_buff *skb, bool ipv4, enum srnic_counter why)
{
	struct net_device *netdev = receiving_netdev(skb, ipv4);
	struct ib_device *ibdev = NULL;

	if (netdev)
		ibdev = get_counting_device(real_netdev(netdev));
	if (ibdev) {
		srnic_count(to_srnic_dev(ibdev)->counters, why);
		srnic_count_add(to_srnic_dev(ibdev)->counters,
				SRNIC_COUNTER_RX_WIRE_BYTES,
				ETH_HLEN + skb->len - skb_network_offset(skb));
		ib_device_put(ibdev);
	}
	kfree_skb(skb);
}

static void receive_packet(struct sk_buff *skb, bool ipv4, bool local)
{
	struct srnic_rx rx;
	enum srnic_counter why;

	rx.skb = skb;
	rx.ipv4 = ipv4;
	if (!decode(&rx, local, &why)) {
		drop(skb, ipv4, why);
		return;
	}
	if (srnic_engine_receive(&rx) || rx.pkt.info->cnp)
		consume_skb(skb);
	else
		drop(skb, ipv4, SRNIC_COUNTER_RX_NO_QP);
}

/*
 * The stack cuts batches before it hands them to us, but not those that claim to be
 * tunnelled.
 */
static void receive_batch(struct sock *sk, struct sk_buff *skb, bool ipv4)
{
	struct sk_buff *segments, *next;

	__skb_push(skb, -skb_mac_offset(skb));
	segments = udp_rcv_segment(sk, skb, ipv4);
	skb_list_walk_safe(segments, skb, next) {
		skb_mark_not_on_list(skb);
		__skb_pull(skb, skb_transport_offset(skb));
		receive_packet(skb, ipv4, false);
	}
}

/**
 * srnic_udp_receive() - a datagram has come in on one of our sockets
 * @sk: the socket
 * @skb: the datagram, from its UDP header on; consumed
 *
 * Context: Softirq, RCU read section.
 * Return: 0: nothing is left for UDP to do.
 */
int srnic_udp_receive(struct sock *sk, struct sk_buff *skb)
{
	bool ipv4 = sk->sk_family == AF_INET;

	if (unlikely(skb_is_gso(skb)))
		receive_batch(sk, skb, ipv4);
	else
		receive_packet(skb, ipv4, false);
	return 0;
}

/**
 * srnic_receive_local() - a packet of this host to itself arrives
 * @skb: from the IP header on, linear, without ICRC; consumed
 *
 * Context: BHs off, RCU read section.
 */
void srnic_receive_local(struct sk_buff *skb)
{
	bool ipv4 = skb->protocol == htons(ETH_P_IP);

	__skb_pull(skb, skb_transport_offset(skb));
	receive_packet(skb, ipv4, true);
}
