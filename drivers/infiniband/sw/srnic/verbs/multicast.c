// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast: attaching QPs to groups.
 */
#include "../engine/multicast.h"

#include <rdma/ib_addr.h>

#include "verbs.h"

/**
 * srnic_attach_mcast() - attach a QP to a multicast group
 *			  (ib_device_ops.attach_mcast)
 * @ibqp: queue pair, UD, which the core has checked
 * @gid: address of the group, which the core has checked to be one
 * @lid: without meaning on Ethernet
 *
 * Context: Process context. May sleep.
 * Return: 0, also if it was attached already; what srnic_multicast_attach()
 * returns.
 */
int srnic_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return srnic_multicast_attach(to_srnic_qp(ibqp),
				      (struct in6_addr *)gid->raw);
}

/**
 * srnic_detach_mcast() - undo srnic_attach_mcast()
 *			  (ib_device_ops.detach_mcast)
 * @ibqp: queue pair
 * @gid: address of the group
 * @lid: without meaning on Ethernet
 *
 * Context: Process context. May sleep.
 * Return: 0, or -EINVAL if it is not attached.
 */
int srnic_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return srnic_multicast_detach(to_srnic_qp(ibqp),
				      (struct in6_addr *)gid->raw);
}
