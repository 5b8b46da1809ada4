// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups that a netdev is in.
 *
 * The netdev's own memberships are used, as the RDMA core does for rdma_cm, and not
 * those of a socket, whose number is limited. They count their users, so both can be
 * in a group. IGMP and MLD are the stack's, and so is the netdev's filter.
 *
 * If the netdev's IPv4 or IPv6 side is taken down, its groups go with it; that of
 * another life is not left in our name.
 */
#include "membership.h"

#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/ipv6.h>

#include "../engine/device.h"

static int join_ipv4(struct net_device *netdev, __be32 group,
		     struct srnic_membership *membership)
{
	struct in_device *in_dev = __in_dev_get_rtnl(netdev);

	ASSERT_RTNL();

	if (!in_dev)
		return -ENODEV;
	ip_mc_inc_group(in_dev, group);
	in_dev_hold(in_dev);
	membership->ipv4 = in_dev;
	return 0;
}

static void leave_ipv4(struct net_device *netdev, __be32 group,
		       struct srnic_membership *membership)
{
	ASSERT_RTNL();

	if (__in_dev_get_rtnl(netdev) == membership->ipv4)
		ip_mc_dec_group(membership->ipv4, group);
	in_dev_put(membership->ipv4);
	membership->ipv4 = NULL;
}

#if IS_ENABLED(CONFIG_IPV6)
static int join_ipv6(struct net_device *netdev, const struct in6_addr *group,
		     struct srnic_membership *membership)
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
	membership->ipv6 = in6_dev;
	return 0;
}

static void leave_ipv6(struct net_device *netdev, const struct in6_addr *group,
		       struct srnic_membership *membership)
{
	ASSERT_RTNL();

	if (__in6_dev_get(netdev) == membership->ipv6)
		ipv6_dev_mc_dec(netdev, group);
	in6_dev_put(membership->ipv6);
	membership->ipv6 = NULL;
}
#else
static int join_ipv6(struct net_device *netdev, const struct in6_addr *group,
		     struct srnic_membership *membership)
{
	return -EAFNOSUPPORT;
}

static void leave_ipv6(struct net_device *netdev, const struct in6_addr *group,
		       struct srnic_membership *membership)
{
}
#endif

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
	struct net_device *netdev = dev->netdev;
	int err;

	rtnl_lock();
	if (netdev->reg_state != NETREG_REGISTERED)
		err = -ENODEV;
	else if (ipv6_addr_v4mapped(group))
		err = join_ipv4(netdev, group->s6_addr32[3], membership);
	else
		err = join_ipv6(netdev, group, membership);
	rtnl_unlock();
	return err;
}

/**
 * srnic_net_leave() - undo srnic_net_join(); see &struct srnic_net_ops
 * @dev: device
 * @group: multicast address
 * @membership: of that group
 *
 * Context: Process context, without RTNL. May sleep.
 */
void srnic_net_leave(struct srnic_dev *dev, const struct in6_addr *group,
		     struct srnic_membership *membership)
{
	rtnl_lock();
	if (membership->ipv4)
		leave_ipv4(dev->netdev, group->s6_addr32[3], membership);
	if (membership->ipv6)
		leave_ipv6(dev->netdev, group, membership);
	rtnl_unlock();
}
