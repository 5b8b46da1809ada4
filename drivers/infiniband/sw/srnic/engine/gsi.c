// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The general services interface: QP 1 of each device, by which the core's
 * connection manager talks to its peers.
 *
 * Numbers of QPs are unique among all devices but for this one, so packets to it
 * find it by their destination address. Under the number that it has among the
 * others, completions find it, and packets do not.
 */
#include "gsi.h"

#include <linux/mutex.h>
#include <linux/rculist.h>
#include <net/net_namespace.h>

#include "qp.h"

/* Of all devices: written under the mutex, read under RCU. */
static LIST_HEAD(gsi_qps);
static DEFINE_MUTEX(gsi_mutex);

static bool exists(const struct srnic_dev *dev)
{
	struct srnic_qp *qp;

	lockdep_assert_held(&gsi_mutex);

	list_for_each_entry(qp, &gsi_qps, gsi_entry)
		if (qp->dev == dev)
			return true;
	return false;
}

/**
 * srnic_gsi_add() - let packets find a GSI QP
 * @qp: queue pair, complete
 *
 * Context: Process context, may sleep.
 * Return: 0, or -EBUSY: the device has one already.
 */
int srnic_gsi_add(struct srnic_qp *qp)
{
	int err = -EBUSY;

	mutex_lock(&gsi_mutex);
	if (!exists(qp->dev)) {
		list_add_tail_rcu(&qp->gsi_entry, &gsi_qps);
		err = 0;
	}
	mutex_unlock(&gsi_mutex);
	return err;
}

/**
 * srnic_gsi_remove() - no packet finds the QP any more
 * @qp: queue pair, after srnic_gsi_add()
 *
 * Those that have found it go on until the end of an RCU grace period.
 *
 * Context: Process context, may sleep.
 */
void srnic_gsi_remove(struct srnic_qp *qp)
{
	mutex_lock(&gsi_mutex);
	list_del_rcu(&qp->gsi_entry);
	mutex_unlock(&gsi_mutex);
}

/**
 * srnic_gsi_find() - the GSI QP that a packet is for
 * @rx: packet to QP 1
 *
 * Two devices of a namespace may have one address; then it is the one's whose netdev
 * it came in on. A packet of this host to itself came in on none of them.
 *
 * Context: RCU read side.
 * Return: the QP, alive until the end of the read side section, or NULL.
 */
struct srnic_qp *srnic_gsi_find(const struct srnic_rx *rx)
{
	struct srnic_qp *found = NULL;
	struct srnic_qp *qp;

	list_for_each_entry_rcu(qp, &gsi_qps, gsi_entry) {
		if (!net_eq(dev_net(qp->dev->netdev), rx->net) ||
		    !srnic_gid_is_own(&qp->dev->gids, &rx->dgid))
			continue;
		if (qp->dev->netdev == rx->netdev)
			return qp;
		if (!found)
			found = qp;
	}
	return found;
}
