// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The core's GID table, followed for the receive path.
 */
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "../engine/device.h"
#include "verbs.h"

/**
 * srnic_add_gid() - the device has got an address (ib_device_ops.add_gid)
 * @attr: entry of the core's table
 * @context: result: what srnic_del_gid() is given
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int srnic_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct srnic_gid *gid = kzalloc(sizeof(*gid), GFP_KERNEL);

	if (!gid)
		return -ENOMEM;
	memcpy(&gid->addr, attr->gid.raw, sizeof(gid->addr));
	srnic_gid_add(&to_srnic_dev(attr->device)->gids, gid);
	*context = gid;
	return 0;
}

/**
 * srnic_del_gid() - the device has lost an address (ib_device_ops.del_gid)
 * @attr: entry of the core's table
 * @context: from srnic_add_gid()
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
int srnic_del_gid(const struct ib_gid_attr *attr, void **context)
{
	srnic_gid_remove(&to_srnic_dev(attr->device)->gids, *context);
	*context = NULL;
	return 0;
}
