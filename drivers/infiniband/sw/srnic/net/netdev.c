// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What changes of netdevs mean for groups and routes.
 */
#include "netdev.h"

#include <linux/netdevice.h>
#include <net/net_namespace.h>

#include "membership.h"
#include "net.h"

static int netdev_event(struct notifier_block *nb, unsigned long event,
			void *info)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(info);

	srnic_membership_event(netdev, event);
	/*
	 * Into a bond or bridge, or out of it, be it the netdev of a device or one
	 * above: addresses are elsewhere now, and what routes are kept were made
	 * with those of before.
	 */
	if (event == NETDEV_CHANGEUPPER && srnic_net_listens(dev_net(netdev)))
		rt_genid_bump_all(dev_net(netdev));
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = netdev_event,
};

/**
 * srnic_netdev_init() - before there are devices
 *
 * Context: Process context, may sleep.
 * Return: 0 or a negative errno.
 */
int srnic_netdev_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

/**
 * srnic_netdev_exit() - after the last device
 *
 * Context: Process context, may sleep.
 */
void srnic_netdev_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
}
