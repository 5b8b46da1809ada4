// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sending packets.
 *
 * What goes wrong here is, to the transport, a packet lost on the wire. It is counted
 * and not reported.
 */
#include "transmit.h"

#include <linux/ip.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>

#include "../engine/device.h"
#include "headers.h"
#include "local.h"
#include "net.h"
#include "path.h"

/* Times that a packet is offered to a full queue, in some 60 ms: srnic_engine_pause(). */
#define MAX_REFUSED	12

/* Link layer headers, and whatever a tunnel underneath may want to add. */
#define HEADROOM	(MAX_HEADER + SRNIC_OUTER_BYTES)

/**
 * srnic_tx_begin() - room for a packet; see &struct srnic_net_ops
 * @tx: the packets on their way
 * @bytes: from BTH to ICRC
 *
 * Context: BHs off.
 * Return: where to write the packet, or NULL.
 */
u8 *srnic_tx_begin(struct srnic_tx *tx, u32 bytes)
{
	struct sk_buff *skb = alloc_skb(HEADROOM + bytes, GFP_ATOMIC | __GFP_NOWARN);

	if (!skb) {
		srnic_count(tx->counters, SRNIC_COUNTER_TX_NO_MEMORY);
		return NULL;
	}
	skb_reserve(skb, HEADROOM);
	tx->skb = skb;
	tx->bytes = bytes;
	tx->data = skb_put(skb, bytes);
	return tx->data;
}

/*
 * The socket is there for what it wants to know of a path's MTU: nothing. Groups have
 * no such paths; and a tunnel's socket keeps what it sends to them from its own host.
 */
static struct sock *socket_for(struct net *net, const struct sk_buff *skb)
{
	return ipv4_is_multicast(ip_hdr(skb)->daddr) ? NULL :
		srnic_net_ipv4_socket(net);
}

static int send(struct net *net, struct sk_buff *skb, bool ipv4)
{
	int err;

#if IS_ENABLED(CONFIG_IPV6)
	if (!ipv4)
		err = ip6_local_out(net, NULL, skb);
	else
#endif
		err = ip_local_out(net, socket_for(net, skb), skb);
	return net_xmit_eval(err);
}

/*
 * A full queue drains. But a policer, too, says that it had no room, and goes on
 * saying so: then the packet is a lost one.
 */
static bool may_try_again(struct srnic_path *path)
{
	u32 refused = READ_ONCE(path->refused);

	WRITE_ONCE(path->refused, refused + 1);
	return refused < MAX_REFUSED;
}

/* Consumes @skb. Return: false if the queue was full. */
static bool route_and_send(struct srnic_tx *tx, struct sk_buff *skb)
{
	struct srnic_counters __percpu *counters = tx->counters;
	struct dst_entry *dst;
	struct net *net;
	int err;

	dst = srnic_path_route(tx->path, &net);
	if (!dst) {
		srnic_count(counters, SRNIC_COUNTER_TX_NO_ROUTE);
		kfree_skb(skb);
		return true;
	}
	skb_dst_set(skb, dst);

	/*
	 * RoCEv2 has no fragments: rule 1.1.2. What the path is said to carry is not
	 * looked at, for anybody may have said it.
	 */
	if (skb->len > READ_ONCE(dst->dev->mtu)) {
		srnic_count(counters, SRNIC_COUNTER_TX_DROPPED);
		kfree_skb(skb);
		return true;
	}
	if (srnic_local_wanted(dst)) {
		srnic_local_send(skb);
		err = 0;
	} else {
		srnic_put_icrc(skb, tx->path);
		err = send(net, skb, tx->path->ipv4);
	}
	if (err == NET_XMIT_DROP && may_try_again(tx->path)) {
		srnic_count(counters, SRNIC_COUNTER_TX_QUEUE_FULL);
		return false;
	}
	/* Several CPUs may send this way: its line is not to be written for nothing. */
	if (unlikely(READ_ONCE(tx->path->refused)))
		WRITE_ONCE(tx->path->refused, 0);
	if (err) {
		srnic_count(counters, SRNIC_COUNTER_TX_DROPPED);
		return true;
	}
	srnic_count(counters, SRNIC_COUNTER_TX_PACKETS);
	srnic_count_add(counters, SRNIC_COUNTER_TX_BYTES, tx->bytes);
	srnic_count_add(counters, SRNIC_COUNTER_TX_WIRE_BYTES,
			srnic_wire_bytes(tx->path->ipv4, tx->bytes));
	if (rdma_is_multicast_addr(&tx->path->dgid))
		srnic_count(counters, SRNIC_COUNTER_TX_MULTICAST);
	return true;
}

/**
 * srnic_tx_end() - a packet is complete; see &struct srnic_net_ops
 * @tx: the packets on their way
 *
 * Context: BHs off.
 * Return: false if the netdev's queue is full and the packet was not sent.
 */
bool srnic_tx_end(struct srnic_tx *tx)
{
	struct sk_buff *skb = tx->skb;
	bool sent;

	tx->skb = NULL;
	tx->data = NULL;
	srnic_push_headers(skb, tx->path, tx->udp_sport ?: tx->path->udp_sport);

	rcu_read_lock();
	sent = route_and_send(tx, skb);
	rcu_read_unlock();
	return sent;
}

/**
 * srnic_tx_cancel() - a packet is not sent after all; see &struct srnic_net_ops
 * @tx: the packets on their way
 *
 * Context: BHs off.
 */
void srnic_tx_cancel(struct srnic_tx *tx)
{
	kfree_skb(tx->skb);
	tx->skb = NULL;
	tx->data = NULL;
}

/**
 * srnic_tx_flush() - send what has been kept back; see &struct srnic_net_ops
 * @tx: the packets on their way
 *
 * Nothing is kept back so far.
 *
 * Context: BHs off.
 */
void srnic_tx_flush(struct srnic_tx *tx)
{
}
