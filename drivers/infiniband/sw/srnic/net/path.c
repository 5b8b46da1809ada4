// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ways to peers.
 */
#include "path.h"

#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/dst.h>
#include <net/inet_dscp.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <rdma/ib_cache.h>

#include "../engine/device.h"
#include "../wire/udp_sport.h"

#define DEFAULT_HOP_LIMIT	64

static int take_addresses(struct srnic_path *path, const struct ib_global_route *grh)
{
	memcpy(&path->sgid, grh->sgid_attr->gid.raw, sizeof(path->sgid));
	memcpy(&path->dgid, grh->dgid.raw, sizeof(path->dgid));

	path->ipv4 = ipv6_addr_v4mapped(&path->sgid);
	if (path->ipv4 != ipv6_addr_v4mapped(&path->dgid))
		return -EINVAL;
	/* Without IPv6 in the kernel there are no tables to look a route up in. */
	if (!path->ipv4 && !ipv6_mod_enabled())
		return -EINVAL;
	if (ipv6_addr_any(&path->dgid) || (path->ipv4 && !path->dgid.s6_addr32[3]))
		return -EINVAL;
	return 0;
}

/*
 * The entry of the GID table is not kept: a connection survives that its address
 * is removed and comes back. Addresses of netdevs in other namespaces are in the
 * table, too, but what comes back to them is not received here.
 */
static int take_ifindex(struct srnic_path *path, const struct ib_gid_attr *attr)
{
	struct net_device *netdev;
	int err = -EINVAL;

	rcu_read_lock();
	netdev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR_OR_NULL(netdev) &&
	    net_eq(dev_net(netdev), dev_net(path->netdev))) {
		path->ifindex = netdev->ifindex;
		err = 0;
	}
	rcu_read_unlock();
	return err;
}

/**
 * srnic_path_init() - resolve an address vector; see &struct srnic_net_ops
 * @dev: device that sends
 * @path: where to put the result; zeroed
 * @attr: address vector, with its source GID resolved by the core
 * @lqpn: local QP, or 0
 * @rqpn: remote QP, or 0
 * @gfp: how to allocate
 *
 * The route itself is looked up when the first packet goes, and again when it has
 * changed.
 *
 * Context: Any, but as @gfp demands it.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int srnic_path_init(struct srnic_dev *dev, struct srnic_path *path,
		    const struct rdma_ah_attr *attr, u32 lqpn, u32 rqpn, gfp_t gfp)
{
	const struct ib_global_route *grh = &attr->grh;
	int err;

	if (!(attr->ah_flags & IB_AH_GRH) || !grh->sgid_attr ||
	    grh->sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EINVAL;

	err = take_addresses(path, grh);
	if (err)
		return err;
	path->traffic_class = grh->traffic_class;
	path->hop_limit = grh->hop_limit ?: DEFAULT_HOP_LIMIT;
	path->flow_label = grh->flow_label & SRNIC_FLOW_LABEL_MASK;
	path->udp_sport = srnic_udp_sport(path->flow_label, lqpn, rqpn);

	path->netdev = dev->netdev;
	err = take_ifindex(path, grh->sgid_attr);
	if (err)
		return err;

	err = dst_cache_init(&path->dst_cache, gfp);
	if (err)
		return err;
	path->valid = true;
	return 0;
}

/**
 * srnic_path_release() - undo srnic_path_init(); see &struct srnic_net_ops
 * @path: the path; nothing happens if it is not valid
 *
 * Context: Process context, may sleep. Nobody sends this way any more.
 */
void srnic_path_release(struct srnic_path *path)
{
	if (!path->valid)
		return;
	path->valid = false;
	dst_cache_destroy(&path->dst_cache);
}

static bool has_ipv4(const struct net_device *netdev, __be32 addr)
{
	const struct in_device *in_dev = __in_dev_get_rcu(netdev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev)
		if (ifa->ifa_local == addr)
			return true;
	return false;
}

static bool has_source(const struct net_device *netdev, const struct srnic_path *path)
{
	if (path->ipv4)
		return has_ipv4(netdev, path->sgid.s6_addr32[3]);
#if IS_ENABLED(CONFIG_IPV6)
	return ipv6_chk_addr_and_flags(dev_net(netdev), &path->sgid, netdev,
				       false, true, 0);
#else
	return false;
#endif
}

/**
 * struct source - the search for the netdev that has a path's source address
 * @path: the path
 * @ifindex: what has been found, or 0
 */
struct source {
	const struct srnic_path *path;
	int ifindex;
};

/* Of several, the path's own is taken. Return: 1: the search is over. */
static int look_for_source(struct net_device *netdev, struct netdev_nested_priv *priv)
{
	struct source *source = priv->data;
	const struct srnic_path *path = source->path;
	bool own = netdev->ifindex == path->ifindex;

	/* Of a link-local address, which netdev has it is a part. */
	if (!own && ipv6_addr_type(&path->sgid) & IPV6_ADDR_LINKLOCAL)
		return 0;
	if (!net_eq(dev_net(netdev), dev_net(path->netdev)) ||
	    !has_source(netdev, path))
		return 0;
	if (own || !source->ifindex)
		source->ifindex = netdev->ifindex;
	return own;
}

/*
 * The netdev that has the source address now: the device's or one on top of it.
 * While a connection stands the address may go and come back, and also to another
 * one of them: a bridge that the interface was made part of, or a VLAN that was made
 * anew. If somebody else's netdev has got it, nothing is sent from it.
 *
 * Routes that are kept are looked up anew whenever an address goes.
 *
 * Return: its index, or 0.
 */
static int source_ifindex(const struct srnic_path *path)
{
	struct source source = { .path = path };
	struct netdev_nested_priv priv = { .data = &source };

	if (!look_for_source(path->netdev, &priv))
		netdev_walk_all_upper_dev_rcu(path->netdev, look_for_source, &priv);
	return source.ifindex;
}

static struct dst_entry *route_ipv4(struct srnic_path *path, struct net *net, int oif)
{
	struct flowi4 flow = {
		.flowi4_oif = oif,
		.flowi4_dscp = inet_dsfield_to_dscp(path->traffic_class),
		.flowi4_proto = IPPROTO_UDP,
		.saddr = path->sgid.s6_addr32[3],
		.daddr = path->dgid.s6_addr32[3],
		.fl4_sport = htons(path->udp_sport),
		.fl4_dport = htons(SRNIC_UDP_PORT),
	};
	struct rtable *rt;

	rt = ip_route_output_flow(net, &flow, NULL);
	if (IS_ERR(rt))
		return NULL;
	dst_cache_set_ip4(&path->dst_cache, &rt->dst, flow.saddr);
	return &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *route_ipv6(struct srnic_path *path, struct net *net, int oif)
{
	struct flowi6 flow = {
		.flowi6_oif = oif,
		.flowlabel = ip6_make_flowinfo(path->traffic_class,
					       htonl(path->flow_label)),
		.flowi6_proto = IPPROTO_UDP,
		.saddr = path->sgid,
		.daddr = path->dgid,
		.fl6_sport = htons(path->udp_sport),
		.fl6_dport = htons(SRNIC_UDP_PORT),
	};
	struct dst_entry *dst;

	dst = ip6_dst_lookup_flow(net, NULL, &flow, NULL);
	if (IS_ERR(dst))
		return NULL;
	dst_cache_set_ip6(&path->dst_cache, dst, &flow.saddr);
	return dst;
}
#else
static struct dst_entry *route_ipv6(struct srnic_path *path, struct net *net, int oif)
{
	return NULL;
}
#endif

/**
 * srnic_path_route() - route of a path at this moment
 * @path: the path, valid
 * @net: namespace in which the route is
 *
 * A port's packets leave by the netdev that has their source address, or by loopback
 * if they are for an address of that netdev; other interfaces may have better routes,
 * which are not taken. That is also how the core finds the destination's MAC address.
 *
 * Context: BHs off, RCU read section.
 * Return: the route with a reference, or NULL if there is none (any more).
 */
struct dst_entry *srnic_path_route(struct srnic_path *path, struct net **net)
{
	struct dst_entry *dst;
	int oif;

	*net = dev_net(path->netdev);

	dst = dst_cache_get(&path->dst_cache);
	if (dst)
		return dst;
	oif = source_ifindex(path);
	if (!oif)
		return NULL;
	return path->ipv4 ? route_ipv4(path, *net, oif) :
			    route_ipv6(path, *net, oif);
}
