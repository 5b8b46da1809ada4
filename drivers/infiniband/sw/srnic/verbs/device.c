// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Coming and going of devices.
 */
#include "device.h"

#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_verbs.h>
#include <rdma/srnic-abi.h>

#include "../engine/device.h"
#include "../engine/engine.h"
#include "../net/net.h"
#include "ah.h"
#include "verbs.h"

/* From the look for a device on a netdev to there being one. */
static DEFINE_MUTEX(add_mutex);

static int check_netdev(struct net_device *netdev)
{
	struct ib_device *ibdev;

	if (netdev->flags & IFF_LOOPBACK) {
		netdev_err(netdev,
			   "srnic: loopback has no Ethernet address; use a dummy or veth interface\n");
		return -EINVAL;
	}
	if (netdev->type != ARPHRD_ETHER) {
		netdev_err(netdev, "srnic: not an Ethernet interface\n");
		return -EINVAL;
	}
	if (is_vlan_dev(netdev)) {
		netdev_err(netdev,
			   "srnic: use %s: its device has the addresses of its VLANs, too\n",
			   vlan_dev_real_dev(netdev)->name);
		return -EINVAL;
	}

	ibdev = ib_device_get_by_netdev(netdev, SRNIC_DRIVER_ID);
	if (ibdev) {
		netdev_err(netdev, "srnic: already has the RDMA device %s\n",
			   dev_name(&ibdev->dev));
		ib_device_put(ibdev);
		return -EEXIST;
	}
	return 0;
}

static void describe(struct srnic_dev *dev)
{
	struct ib_device *ibdev = &dev->ibdev;

	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_online_cpus();
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND);
	strscpy(ibdev->node_desc, "srnic", sizeof(ibdev->node_desc));
	addrconf_addr_eui48((u8 *)&ibdev->node_guid, dev->netdev->dev_addr);
}

static int acquire(struct srnic_dev *dev)
{
	int err;

	dev->counters = alloc_percpu(struct srnic_counters);
	if (!dev->counters)
		return -ENOMEM;
	xa_init_flags(&dev->qp_counters, XA_FLAGS_ALLOC1);
	srnic_pma_init(dev);
	srnic_key_table_init(&dev->keys);
	xa_init_flags(&dev->ahs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	srnic_gid_table_init(&dev->gids);
	xa_init_flags(&dev->xrc_srqs, XA_FLAGS_ALLOC1);
	dev->srq_next = 1 + get_random_u32() % (1U << 23);

	dev->net_ops = &srnic_net_ops;
	dev->listener = srnic_net_get(dev_net(dev->netdev));
	if (IS_ERR(dev->listener)) {
		err = PTR_ERR(dev->listener);
		goto err_free_tables;
	}

	dev->engine = srnic_engine_create(dev);
	if (IS_ERR(dev->engine)) {
		err = PTR_ERR(dev->engine);
		goto err_net_put;
	}
	return 0;

err_net_put:
	srnic_net_put(dev->listener);
err_free_tables:
	xa_destroy(&dev->xrc_srqs);
	xa_destroy(&dev->ahs);
	srnic_key_table_destroy(&dev->keys);
	free_percpu(dev->counters);
	return err;
}

/**
 * srnic_device_free() - release what a device has
 *			 (ib_device_ops.dealloc_driver)
 * @ibdev: device that is not registered any more; the core frees it after an RCU
 *	   grace period
 *
 * Who may still refer to the device, and what is done about it:
 *
 *  1. Processes: the core has destroyed all of their objects, so no QP, and thus
 *     no timer and no queued run, is left.
 *  2. The engine's thread: it ends.
 *  3. Address handles that were destroyed but not yet released.
 *  4. Packets on their way in: the socket goes with its last device, and those
 *     that have found something of this device end with a grace period.
 *  5. The netdev: it goes last.
 *
 * Context: Process context, without RTNL. May sleep.
 */
void srnic_device_free(struct ib_device *ibdev)
{
	struct srnic_dev *dev = to_srnic_dev(ibdev);

	srnic_engine_destroy(dev->engine);
	srnic_ah_flush();
	srnic_net_put(dev->listener);
	synchronize_net();
	xa_destroy(&dev->xrc_srqs);
	xa_destroy(&dev->ahs);
	srnic_key_table_destroy(&dev->keys);
	free_percpu(dev->counters);
	netdev_put(dev->netdev, &dev->netdev_tracker);
}

static struct srnic_dev *make(struct net_device *netdev)
{
	struct srnic_dev *dev;
	int err;

	dev = ib_alloc_device_with_net(srnic_dev, ibdev, dev_net(netdev));
	if (!dev)
		return ERR_PTR(-ENOMEM);
	dev->netdev = netdev;
	netdev_hold(netdev, &dev->netdev_tracker, GFP_KERNEL);
	dev->port_active = ib_get_curr_port_state(netdev) == IB_PORT_ACTIVE;
	describe(dev);

	err = acquire(dev);
	if (err)
		goto err_dealloc;

	/* From here on ib_dealloc_device() undoes it all. */
	ib_set_device_ops(&dev->ibdev, &srnic_device_ops);
	err = ib_device_set_netdev(&dev->ibdev, netdev, SRNIC_PORT);
	if (err) {
		ib_dealloc_device(&dev->ibdev);
		return ERR_PTR(err);
	}
	return dev;

err_dealloc:
	netdev_put(netdev, &dev->netdev_tracker);
	ib_dealloc_device(&dev->ibdev);
	return ERR_PTR(err);
}

/*
 * Events of the netdev find the device only once it is registered. What they
 * would have said before is made up for here. The device may be gone already.
 */
static int catch_up(struct net_device *netdev, const struct net *net)
{
	struct ib_device *ibdev;
	int err = 0;

	rtnl_lock();
	ibdev = ib_device_get_by_netdev(netdev, SRNIC_DRIVER_ID);
	if (!ibdev) {
		err = -ENODEV;
	} else if (netdev->reg_state != NETREG_REGISTERED ||
		   !net_eq(dev_net(netdev), net)) {
		ib_unregister_device_queued(ibdev);
		err = -ENODEV;
	} else {
		ib_dispatch_port_state_event(ibdev, netdev);
	}
	if (ibdev)
		ib_device_put(ibdev);
	rtnl_unlock();
	return err;
}

static int add(const char *name, struct net_device *netdev)
{
	struct net *net = dev_net(netdev);
	struct srnic_dev *dev;
	int err;

	lockdep_assert_held(&add_mutex);

	err = check_netdev(netdev);
	if (err)
		return err;
	dev = make(netdev);
	if (IS_ERR(dev))
		return PTR_ERR(dev);

	err = ib_register_device(&dev->ibdev, name, NULL);
	if (err) {
		netdev_err(netdev, "srnic: cannot register %s: error %d\n",
			   name, err);
		ib_dealloc_device(&dev->ibdev);
		return err;
	}
	return catch_up(netdev, net);
}

/**
 * srnic_device_add() - make an RDMA device
 * @name: its name; may have a %d in it
 * @netdev: what it is to send and receive through; the caller holds it
 *
 * Context: Process context, without RTNL. May sleep.
 * Return: 0; -EINVAL: not an Ethernet netdev, or a VLAN; -EEXIST: it has one
 * already; -ENFILE or -EEXIST: the name is taken; -EADDRINUSE: the UDP port is in
 * use; -ENODEV: the netdev has just left; -ENOMEM.
 */
int srnic_device_add(const char *name, struct net_device *netdev)
{
	int err;

	mutex_lock(&add_mutex);
	err = add(name, netdev);
	mutex_unlock(&add_mutex);
	return err;
}
