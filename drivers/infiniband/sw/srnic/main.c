// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic: a soft-RoCE NIC.
 *
 * Rooms in the order in which they are set up, `rdma link`, and the notifier that
 * lets devices follow their netdevs.
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/srnic-abi.h>

#include "engine/engine.h"
#include "net/net.h"
#include "verbs/ah.h"
#include "verbs/device.h"

#define MAX_NETDEVS	32

static char *netdev[MAX_NETDEVS];
static int num_netdevs;
module_param_array(netdev, charp, &num_netdevs, 0444);
MODULE_PARM_DESC(netdev,
		 "Interfaces to make RDMA devices on, in the namespace of who loads the module; all or none");

static struct rdma_link_ops link_ops = {
	.type = "srnic",
	.newlink = srnic_device_add,
};

/* RTNL is held, so a device must not be unregistered here but queued for it. */
static int netdev_event(struct notifier_block *nb, unsigned long event,
			void *info)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(info);
	struct ib_device *ibdev;

	ibdev = ib_device_get_by_netdev(ndev, SRNIC_DRIVER_ID);
	if (!ibdev)
		return NOTIFY_DONE;

	switch (event) {
	case NETDEV_UNREGISTER:
		ib_unregister_device_queued(ibdev);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		ib_dispatch_port_state_event(ibdev, ndev);
		break;
	default:
		/* MTU and addresses are looked at when they are needed. */
		break;
	}
	ib_device_put(ibdev);
	return NOTIFY_OK;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = netdev_event,
};

static int add_by_name(struct net *net, const char *name)
{
	struct net_device *ndev;
	int err;

	ndev = dev_get_by_name(net, name);
	if (!ndev) {
		pr_err(KBUILD_MODNAME ": there is no interface %s\n", name);
		return -ENODEV;
	}
	err = srnic_device_add("srnic%d", ndev);
	dev_put(ndev);
	return err;
}

static int add_initial_devices(void)
{
	struct net *net = current->nsproxy->net_ns;
	int i, err;

	for (i = 0; i < num_netdevs; i++) {
		err = add_by_name(net, netdev[i]);
		if (err)
			goto err_remove_all;
	}
	return 0;

err_remove_all:
	ib_unregister_driver(SRNIC_DRIVER_ID);
	return err;
}

static int __init srnic_init(void)
{
	int err;

	err = srnic_ah_init();
	if (err)
		return err;
	srnic_engine_init();
	err = srnic_net_init();
	if (err)
		goto err_engine_exit;
	err = register_netdevice_notifier(&netdev_notifier);
	if (err)
		goto err_net_exit;
	err = add_initial_devices();
	if (err)
		goto err_unregister_notifier;
	rdma_link_register(&link_ops);
	return 0;

err_unregister_notifier:
	unregister_netdevice_notifier(&netdev_notifier);
err_net_exit:
	srnic_net_exit();
err_engine_exit:
	srnic_engine_exit();
	srnic_ah_exit();
	return err;
}

/*
 * What keeps code of this module running, and what ends it:
 *
 *  1. `rdma link add`: no more devices are made.
 *  2. Devices, also those that are queued to be unregistered, and with them
 *     processes, engine threads, sockets, timers: ib_unregister_driver() returns
 *     when all are gone.
 *  3. The notifier, then what each room has for all devices.
 */
static void __exit srnic_exit(void)
{
	rdma_link_unregister(&link_ops);
	ib_unregister_driver(SRNIC_DRIVER_ID);
	unregister_netdevice_notifier(&netdev_notifier);
	srnic_net_exit();
	srnic_engine_exit();
	srnic_ah_exit();
}

/* Built in: after the RDMA core. */
late_initcall(srnic_init);
module_exit(srnic_exit);

MODULE_ALIAS_RDMA_LINK("srnic");
MODULE_AUTHOR("The srnic developers");
MODULE_DESCRIPTION("Soft-RoCE NIC");
MODULE_LICENSE("Dual BSD/GPL");
