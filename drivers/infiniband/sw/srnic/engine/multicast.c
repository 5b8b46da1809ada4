// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups and the UD QPs that are attached to them.
 *
 * Packets find a group by their destination address and the netdev they came in
 * on, the device's or one on top of it, under RCU. Who may still hold a member or a
 * group that is taken away: such packets, until a grace period has gone by. Members
 * and groups are freed after one, and a QP that was detached is not destroyed before
 * one.
 */
#include "multicast.h"

#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#define GROUP_HASH_BITS	8

/**
 * struct group - a multicast group of a device
 * @node: in groups
 * @dev: device
 * @mgid: destination address; IPv4 is mapped
 * @members: &struct member
 * @count: number of members; groups_mutex
 * @membership: of the netdevs, while there are members
 * @rcu: frees it
 */
struct group {
	struct hlist_node node;
	struct srnic_dev *dev;
	struct in6_addr mgid;
	struct hlist_head members;
	u32 count;
	struct srnic_membership membership;
	struct rcu_head rcu;
};

/**
 * struct member - a QP that is attached to a group
 * @node: in &struct group.members
 * @qp: queue pair
 * @rcu: frees it
 */
struct member {
	struct hlist_node node;
	struct srnic_qp *qp;
	struct rcu_head rcu;
};

/* Groups of all devices: written under the mutex, read under RCU. */
static DEFINE_HASHTABLE(groups, GROUP_HASH_BITS);
static DEFINE_MUTEX(groups_mutex);

static u32 hash_of(const struct in6_addr *mgid)
{
	return jhash2((const __force u32 *)mgid->s6_addr32, 4, 0);
}

static struct group *find_group(const struct srnic_dev *dev,
				const struct in6_addr *mgid)
{
	struct group *group;

	lockdep_assert_held(&groups_mutex);

	hash_for_each_possible(groups, group, node, hash_of(mgid))
		if (group->dev == dev && ipv6_addr_equal(&group->mgid, mgid))
			return group;
	return NULL;
}

static struct member *find_member(const struct group *group,
				  const struct srnic_qp *qp)
{
	struct member *member;

	lockdep_assert_held(&groups_mutex);

	hlist_for_each_entry(member, &group->members, node)
		if (member->qp == qp)
			return member;
	return NULL;
}

/* Nobody finds it before the netdev has joined. */
static struct group *make_group(struct srnic_dev *dev,
				const struct in6_addr *mgid)
{
	struct group *group;
	int err;

	lockdep_assert_held(&groups_mutex);

	if (dev->mcast_groups >= SRNIC_MAX_MCAST_GROUPS)
		return ERR_PTR(-ENOMEM);
	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return ERR_PTR(-ENOMEM);
	group->dev = dev;
	group->mgid = *mgid;
	err = dev->net_ops->join(dev, mgid, &group->membership);
	if (err) {
		kfree(group);
		return ERR_PTR(err);
	}
	dev->mcast_groups++;
	hash_add_rcu(groups, &group->node, hash_of(mgid));
	return group;
}

static void drop_if_empty(struct group *group)
{
	struct srnic_dev *dev = group->dev;

	lockdep_assert_held(&groups_mutex);

	if (group->count)
		return;
	hash_del_rcu(&group->node);
	dev->mcast_groups--;
	dev->net_ops->leave(&group->membership);
	kfree_rcu(group, rcu);
}

static int add_member(struct group *group, struct srnic_qp *qp)
{
	struct srnic_dev *dev = group->dev;
	struct member *member;

	lockdep_assert_held(&groups_mutex);

	if (find_member(group, qp))
		return 0;
	if (group->count >= SRNIC_MAX_MCAST_QP_ATTACH ||
	    dev->mcast_members >= SRNIC_MAX_MCAST_TOTAL_ATTACH)
		return -ENOMEM;
	member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return -ENOMEM;
	member->qp = qp;
	group->count++;
	dev->mcast_members++;
	hlist_add_head_rcu(&member->node, &group->members);
	return 0;
}

static int attach(struct srnic_qp *qp, const struct in6_addr *mgid)
{
	struct group *group;
	int err;

	lockdep_assert_held(&groups_mutex);

	group = find_group(qp->dev, mgid);
	if (!group)
		group = make_group(qp->dev, mgid);
	if (IS_ERR(group))
		return PTR_ERR(group);
	err = add_member(group, qp);
	drop_if_empty(group);
	return err;
}

/**
 * srnic_multicast_attach() - let a QP receive what is sent to a group
 * @qp: UD queue pair
 * @mgid: multicast address; IPv4 is mapped
 *
 * Nothing happens if it is attached already.
 *
 * Context: Process context, without RTNL. May sleep.
 * Return: 0; -ENOMEM: a limit reached, or no memory; -ENODEV: the netdev is on its
 * way out or does not do that version of IP; what joining a group returns.
 */
int srnic_multicast_attach(struct srnic_qp *qp, const struct in6_addr *mgid)
{
	int err;

	mutex_lock(&groups_mutex);
	err = attach(qp, mgid);
	mutex_unlock(&groups_mutex);
	return err;
}

static int detach(struct srnic_qp *qp, const struct in6_addr *mgid)
{
	struct member *member;
	struct group *group;

	lockdep_assert_held(&groups_mutex);

	group = find_group(qp->dev, mgid);
	member = group ? find_member(group, qp) : NULL;
	if (!member)
		return -EINVAL;
	hlist_del_rcu(&member->node);
	group->count--;
	qp->dev->mcast_members--;
	kfree_rcu(member, rcu);
	drop_if_empty(group);
	return 0;
}

/**
 * srnic_multicast_detach() - undo srnic_multicast_attach()
 * @qp: queue pair
 * @mgid: multicast address
 *
 * Packets that have found the QP go on until the end of an RCU grace period.
 *
 * Context: Process context, without RTNL. May sleep.
 * Return: 0, or -EINVAL if it is not attached.
 */
int srnic_multicast_detach(struct srnic_qp *qp, const struct in6_addr *mgid)
{
	int err;

	mutex_lock(&groups_mutex);
	err = detach(qp, mgid);
	mutex_unlock(&groups_mutex);
	return err;
}

/* QP numbers are a host's: its address makes it the one that has sent this. */
static bool is_own_and_blocked(const struct srnic_qp *qp, const struct srnic_rx *rx)
{
	return qp->blocks_own_multicast && rx->pkt.src_qp == qp->number &&
	       srnic_gid_is_own(&qp->dev->gids, &rx->sgid);
}

/* Packets to a part of a bond or bridge come in on the whole. */
static bool came_in_on(const struct srnic_rx *rx, struct net_device *netdev)
{
	return rx->netdev == netdev ||
	       netdev_has_upper_dev_all_rcu(netdev, rx->netdev);
}

/**
 * srnic_multicast_receive() - a packet to a multicast address has come
 * @rx: the packet
 * @receive: called for each QP that is attached to the group
 *
 * Context: Softirq, RCU read side.
 * Return: a device that is in the group, or NULL if there is none.
 */
struct srnic_dev *
srnic_multicast_receive(struct srnic_rx *rx,
			void (*receive)(struct srnic_qp *qp,
					struct srnic_rx *rx))
{
	struct srnic_dev *dev = NULL;
	struct member *member;
	struct group *group;

	hash_for_each_possible_rcu(groups, group, node, hash_of(&rx->dgid)) {
		if (!ipv6_addr_equal(&group->mgid, &rx->dgid) ||
		    !came_in_on(rx, group->dev->netdev))
			continue;
		dev = group->dev;
		srnic_count(dev->counters, SRNIC_COUNTER_RX_MULTICAST);
		hlist_for_each_entry_rcu(member, &group->members, node)
			if (!is_own_and_blocked(member->qp, rx))
				receive(member->qp, rx);
	}
	return dev;
}
