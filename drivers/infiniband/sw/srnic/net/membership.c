// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups that the netdevs of a device are in: its own, and those on top of
 * it, VLANs and the bond or bridge that it is part of, which come and go.
 *
 * The netdev's own memberships are used, as the RDMA core does for rdma_cm, and not
 * those of a socket, whose number is limited. They count their users, so both can be
 * in a group. IGMP and MLD are the stack's, and so is the netdev's filter.
 *
 * If the netdev's IPv4 or IPv6 side is taken down, as by an MTU that is too small
 * for it, its groups go with it. One that was made anew knows nothing of us: it is
 * joined, and not left in the name of the one before.
 */
#include "membership.h"

#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/ipv6.h>

#include "../engine/device.h"

/**
 * struct part - a netdev is in a group
 * @node: in &struct srnic_membership.parts
 * @netdev: the netdev, which drops out when it is unregistered
 * @ipv4: its IPv4 side, if that has joined; with a reference
 * @ipv6: its IPv6 side, if that has joined; with a reference
 */
struct part {
	struct hlist_node node;
	struct net_device *netdev;
	struct in_device *ipv4;
	struct inet6_dev *ipv6;
};

/* Every &struct srnic_membership. It and all that hangs from it: RTNL. */
static LIST_HEAD(memberships);

static int join_ipv4(struct net_device *netdev, __be32 group, struct part *part)
{
	struct in_device *in_dev = __in_dev_get_rtnl(netdev);

	ASSERT_RTNL();

	if (!in_dev)
		return -ENODEV;
	ip_mc_inc_group(in_dev, group);
	in_dev_hold(in_dev);
	part->ipv4 = in_dev;
	return 0;
}

static void leave_ipv4(struct part *part, __be32 group)
{
	ASSERT_RTNL();

	if (__in_dev_get_rtnl(part->netdev) == part->ipv4)
		ip_mc_dec_group(part->ipv4, group);
	in_dev_put(part->ipv4);
}

#if IS_ENABLED(CONFIG_IPV6)
static int join_ipv6(struct net_device *netdev, const struct in6_addr *group,
		     struct part *part)
{
	struct inet6_dev *in6_dev = __in6_dev_get(netdev);
	int err;

	ASSERT_RTNL();

	if (!in6_dev)
		return -ENODEV;
	err = ipv6_dev_mc_inc(netdev, group);
	if (err)
		return err;
	in6_dev_hold(in6_dev);
	part->ipv6 = in6_dev;
	return 0;
}

static void leave_ipv6(struct part *part, const struct in6_addr *group)
{
	ASSERT_RTNL();

	if (__in6_dev_get(part->netdev) == part->ipv6)
		ipv6_dev_mc_dec(part->netdev, group);
	in6_dev_put(part->ipv6);
}

static bool lost_ipv6(const struct part *part)
{
	ASSERT_RTNL();

	return part->ipv6 && __in6_dev_get(part->netdev) != part->ipv6;
}
#else
static int join_ipv6(struct net_device *netdev, const struct in6_addr *group,
		     struct part *part)
{
	return -EAFNOSUPPORT;
}

static void leave_ipv6(struct part *part, const struct in6_addr *group)
{
}

static bool lost_ipv6(const struct part *part)
{
	return false;
}
#endif

/* Return: true if the side that had joined is no more. */
static bool lost(const struct part *part)
{
	ASSERT_RTNL();

	return lost_ipv6(part) ||
	       (part->ipv4 && __in_dev_get_rtnl(part->netdev) != part->ipv4);
}

static struct part *find_part(const struct srnic_membership *membership,
			      const struct net_device *netdev)
{
	struct part *part;

	ASSERT_RTNL();

	hlist_for_each_entry(part, &membership->parts, node)
		if (part->netdev == netdev)
			return part;
	return NULL;
}

static int join(struct srnic_membership *membership, struct net_device *netdev)
{
	const struct in6_addr *group = &membership->group;
	struct part *part;
	int err;

	ASSERT_RTNL();

	if (find_part(membership, netdev))
		return 0;
	part = kzalloc(sizeof(*part), GFP_KERNEL);
	if (!part)
		return -ENOMEM;
	part->netdev = netdev;
	if (ipv6_addr_v4mapped(group))
		err = join_ipv4(netdev, group->s6_addr32[3], part);
	else
		err = join_ipv6(netdev, group, part);
	if (err) {
		kfree(part);
		return err;
	}
	hlist_add_head(&part->node, &membership->parts);
	return 0;
}

static void leave(struct srnic_membership *membership, struct part *part)
{
	ASSERT_RTNL();

	hlist_del(&part->node);
	if (part->ipv4)
		leave_ipv4(part, membership->group.s6_addr32[3]);
	if (part->ipv6)
		leave_ipv6(part, &membership->group);
	kfree(part);
}

static bool is_above(struct net_device *netdev, struct net_device *lower)
{
	bool above;

	rcu_read_lock();
	above = net_eq(dev_net(netdev), dev_net(lower)) &&
		netdev_has_upper_dev_all_rcu(lower, netdev);
	rcu_read_unlock();
	return above;
}

/*
 * The netdevs on top of the device's are those that there are now. What one of them
 * cannot join is not heard on it, as on one that does not do that version of IP; it
 * is tried again when something changes.
 */
static void follow(struct srnic_membership *membership)
{
	struct net_device *own = membership->dev->netdev;
	struct net_device *netdev;
	struct hlist_node *next;
	struct part *part;

	ASSERT_RTNL();

	hlist_for_each_entry_safe(part, next, &membership->parts, node)
		if (lost(part) ||
		    (part->netdev != own && !is_above(part->netdev, own)))
			leave(membership, part);
	join(membership, own);
	for_each_netdev(dev_net(own), netdev)
		if (is_above(netdev, own))
			join(membership, netdev);
}

/**
 * srnic_net_join() - see &struct srnic_net_ops
 * @dev: device
 * @group: multicast address; IPv4 is mapped
 * @membership: zeroed; for srnic_net_leave()
 *
 * Context: Process context, without RTNL. May sleep.
 * Return: 0 or a negative errno.
 */
int srnic_net_join(struct srnic_dev *dev, const struct in6_addr *group,
		   struct srnic_membership *membership)
{
	int err = -ENODEV;

	membership->dev = dev;
	membership->group = *group;
	rtnl_lock();
	if (dev->netdev->reg_state == NETREG_REGISTERED)
		err = join(membership, dev->netdev);
	if (!err) {
		follow(membership);
		list_add_tail(&membership->node, &memberships);
	}
	rtnl_unlock();
	return err;
}

/**
 * srnic_net_leave() - undo srnic_net_join(); see &struct srnic_net_ops
 * @membership: of the group
 *
 * Context: Process context, without RTNL. May sleep.
 */
void srnic_net_leave(struct srnic_membership *membership)
{
	struct hlist_node *next;
	struct part *part;

	rtnl_lock();
	list_del(&membership->node);
	hlist_for_each_entry_safe(part, next, &membership->parts, node)
		leave(membership, part);
	rtnl_unlock();
}

/* Its references are waited for. */
static void netdev_goes(struct net_device *netdev)
{
	struct srnic_membership *membership;
	struct part *part;

	ASSERT_RTNL();

	list_for_each_entry(membership, &memberships, node) {
		part = find_part(membership, netdev);
		if (part)
			leave(membership, part);
	}
}

static void netdev_changes(struct net_device *netdev)
{
	struct srnic_membership *membership;

	ASSERT_RTNL();

	list_for_each_entry(membership, &memberships, node) {
		struct net_device *own = membership->dev->netdev;

		if (own->reg_state == NETREG_REGISTERED &&
		    (netdev == own || is_above(netdev, own)))
			follow(membership);
	}
}

/**
 * srnic_membership_event() - a netdev changes
 * @netdev: any
 * @event: of the chain of netdev notifiers
 *
 * Context: RTNL held. May sleep.
 */
void srnic_membership_event(struct net_device *netdev, unsigned long event)
{
	switch (event) {
	case NETDEV_UNREGISTER:
		netdev_goes(netdev);
		break;
	case NETDEV_CHANGEMTU:
	case NETDEV_CHANGEUPPER:
	case NETDEV_UP:
		netdev_changes(netdev);
		break;
	}
}
