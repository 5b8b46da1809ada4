// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <rdma/ib_verbs.h>

enum ib_port_state probe(struct ib_device *ibdev, struct net_device *netdev)
{
	ib_dispatch_port_state_event(ibdev, netdev);
	return ib_get_curr_port_state(netdev);
}
