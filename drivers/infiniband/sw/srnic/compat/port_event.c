// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Port events, where the core does not see to them.
 */
#include "../engine/device.h"

#ifndef HAVE_IB_PORT_STATE_EVENT
/**
 * ib_dispatch_port_state_event() - tell the clients if the port has come or gone
 * @ibdev: device
 * @netdev: what the port is a view of
 *
 * Context: RTNL held.
 */
void ib_dispatch_port_state_event(struct ib_device *ibdev,
				  struct net_device *netdev)
{
	struct srnic_dev *dev = to_srnic_dev(ibdev);
	bool active = ib_get_curr_port_state(netdev) == IB_PORT_ACTIVE;
	struct ib_event event = {
		.device = ibdev,
		.event = active ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
		.element.port_num = SRNIC_PORT,
	};

	ASSERT_RTNL();
	if (dev->port_active == active)
		return;
	dev->port_active = active;
	ib_dispatch_event(&event);
}
#endif
