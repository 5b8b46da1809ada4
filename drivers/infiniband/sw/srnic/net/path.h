/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ways to peers: from address vector to route.
 */
#ifndef SRNIC_NET_PATH_H
#define SRNIC_NET_PATH_H

#include "../engine/net_ops.h"

struct dst_entry;

int srnic_path_init(struct srnic_dev *dev, struct srnic_path *path,
		    const struct rdma_ah_attr *attr, u32 lqpn, u32 rqpn,
		    gfp_t gfp);
void srnic_path_release(struct srnic_path *path);
struct dst_entry *srnic_path_route(struct srnic_path *path, struct net **net);

#endif /* SRNIC_NET_PATH_H */
