// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The port: a view of the netdev as it is at this moment. Nothing is kept, so
 * nothing has to be kept up to date.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "../engine/device.h"
#include "../queue/wqe.h"
#include "verbs.h"

/* The core fills it with the addresses of the netdev and of its VLANs. */
#define GID_TABLE_ENTRIES	256

/**
 * srnic_active_mtu() - largest path MTU that the netdev carries
 * @dev: device
 *
 * Context: Any.
 * Return: the MTU, or 0 if not even a packet of 256 bytes fits.
 */
enum ib_mtu srnic_active_mtu(const struct srnic_dev *dev)
{
	return iboe_get_mtu(READ_ONCE(dev->netdev->mtu));
}

static enum ib_port_state port_state(const struct srnic_dev *dev)
{
	return ib_get_curr_port_state(dev->netdev);
}

static u8 phys_state(const struct srnic_dev *dev, enum ib_port_state state)
{
	if (state == IB_PORT_ACTIVE)
		return IB_PORT_PHYS_STATE_LINK_UP;
	if (netif_running(dev->netdev))
		return IB_PORT_PHYS_STATE_POLLING;
	return IB_PORT_PHYS_STATE_DISABLED;
}

/* Many a virtual netdev has no speed, which ib_get_eth_speed() warns of each time. */
static bool speed_is_known(struct net_device *netdev)
{
	struct ethtool_link_ksettings settings;
	bool known;

	rtnl_lock();
	known = netdev->reg_state == NETREG_REGISTERED &&
		!__ethtool_get_link_ksettings(netdev, &settings) &&
		settings.base.speed != (u32)SPEED_UNKNOWN;
	rtnl_unlock();
	return known;
}

static void query_speed(struct srnic_dev *dev, struct ib_port_attr *attr)
{
	if (speed_is_known(dev->netdev) &&
	    !ib_get_eth_speed(&dev->ibdev, SRNIC_PORT, &attr->active_speed,
			      &attr->active_width))
		return;
	attr->active_speed = IB_SPEED_SDR;
	attr->active_width = IB_WIDTH_1X;
}

/**
 * srnic_query_port() - attributes of the port (ib_device_ops.query_port)
 * @ibdev: device
 * @port: 1
 * @attr: zeroed by the core
 *
 * Context: Process context, without RTNL, which is taken. May sleep.
 * Return: 0, or -EINVAL if there is no such port.
 */
int srnic_query_port(struct ib_device *ibdev, u32 port,
		     struct ib_port_attr *attr)
{
	struct srnic_dev *dev = to_srnic_dev(ibdev);

	if (port != SRNIC_PORT)
		return -EINVAL;

	attr->state = port_state(dev);
	attr->phys_state = phys_state(dev, attr->state);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = srnic_active_mtu(dev) ?: IB_MTU_256;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->gid_tbl_len = GID_TABLE_ENTRIES;
	attr->ip_gids = true;
	attr->max_msg_sz = SRNIC_MAX_MESSAGE_BYTES;
	attr->pkey_tbl_len = 1;
	attr->bad_pkey_cntr = srnic_counter_sum(dev, SRNIC_COUNTER_RX_BAD_PKEY);
	attr->qkey_viol_cntr = srnic_counter_sum(dev,
						 SRNIC_COUNTER_RX_BAD_QKEY);
	attr->max_vl_num = 1;
	query_speed(dev, attr);
	return 0;
}

/**
 * srnic_get_port_immutable() - what never changes about the port
 *				(ib_device_ops.get_port_immutable)
 * @ibdev: device
 * @port: 1
 * @immutable: zeroed by the core
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
int srnic_get_port_immutable(struct ib_device *ibdev, u32 port,
			     struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	immutable->gid_tbl_len = GID_TABLE_ENTRIES;
	immutable->pkey_tbl_len = 1;
	return 0;
}

/**
 * srnic_get_link_layer() - what is below (ib_device_ops.get_link_layer)
 * @ibdev: device
 * @port: 1
 *
 * Context: Any.
 * Return: IB_LINK_LAYER_ETHERNET.
 */
enum rdma_link_layer srnic_get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/**
 * srnic_query_pkey() - the P_Key table (ib_device_ops.query_pkey)
 * @ibdev: device
 * @port: 1
 * @index: place in the table, which has one entry
 * @pkey: result: the default partition, full member
 *
 * Context: Any.
 * Return: 0, or -EINVAL if there is no such entry.
 */
int srnic_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}
