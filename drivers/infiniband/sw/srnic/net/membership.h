/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Multicast groups that the netdevs of a device are in.
 */
#ifndef SRNIC_NET_MEMBERSHIP_H
#define SRNIC_NET_MEMBERSHIP_H

#include "../engine/net_ops.h"

struct net_device;

void srnic_membership_event(struct net_device *netdev, unsigned long event);
int srnic_net_join(struct srnic_dev *dev, const struct in6_addr *group,
		   struct srnic_membership *membership);
void srnic_net_leave(struct srnic_membership *membership);

#endif /* SRNIC_NET_MEMBERSHIP_H */
