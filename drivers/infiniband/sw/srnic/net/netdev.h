/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What changes of netdevs mean for groups and routes.
 */
#ifndef SRNIC_NET_NETDEV_H
#define SRNIC_NET_NETDEV_H

int srnic_netdev_init(void);
void srnic_netdev_exit(void);

#endif /* SRNIC_NET_NETDEV_H */
