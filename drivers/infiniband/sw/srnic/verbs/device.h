/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Coming and going of devices.
 */
#ifndef SRNIC_VERBS_DEVICE_H
#define SRNIC_VERBS_DEVICE_H

struct ib_device;
struct net_device;

int srnic_device_add(const char *name, struct net_device *netdev);
void srnic_device_free(struct ib_device *ibdev);

#endif /* SRNIC_VERBS_DEVICE_H */
