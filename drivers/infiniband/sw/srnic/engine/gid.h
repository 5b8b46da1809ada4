/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The addresses of a device, for the receive path. The core has them, too, but to
 * look there takes a lock of the whole table.
 */
#ifndef SRNIC_ENGINE_GID_H
#define SRNIC_ENGINE_GID_H

#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <net/ipv6.h>

#define SRNIC_GID_HASH_BITS	6

/**
 * struct srnic_gid - an address; those of several netdevs may be equal
 * @node: in &struct srnic_gid_table.gids
 * @addr: IPv4 is mapped
 * @rcu: frees it
 */
struct srnic_gid {
	struct hlist_node node;
	struct in6_addr addr;
	struct rcu_head rcu;
};

/**
 * struct srnic_gid_table - addresses of a device
 * @gids: &struct srnic_gid by address; read under RCU
 * @lock: guards writing
 */
struct srnic_gid_table {
	DECLARE_HASHTABLE(gids, SRNIC_GID_HASH_BITS);
	spinlock_t lock; /* guards writing */
};

static inline void srnic_gid_table_init(struct srnic_gid_table *table)
{
	hash_init(table->gids);
	spin_lock_init(&table->lock);
}

static inline void srnic_gid_add(struct srnic_gid_table *table,
				 struct srnic_gid *gid)
{
	spin_lock(&table->lock);
	hash_add_rcu(table->gids, &gid->node, ipv6_addr_hash(&gid->addr));
	spin_unlock(&table->lock);
}

static inline void srnic_gid_remove(struct srnic_gid_table *table,
				    struct srnic_gid *gid)
{
	spin_lock(&table->lock);
	hash_del_rcu(&gid->node);
	spin_unlock(&table->lock);
	kfree_rcu(gid, rcu);
}

/**
 * srnic_gid_is_own() - is an address one of the device's?
 * @table: its addresses
 * @addr: IPv4 is mapped
 *
 * Context: RCU read side.
 * Return: true if so.
 */
static inline bool srnic_gid_is_own(const struct srnic_gid_table *table,
				    const struct in6_addr *addr)
{
	const struct srnic_gid *gid;

	hash_for_each_possible_rcu(table->gids, gid, node, ipv6_addr_hash(addr))
		if (ipv6_addr_equal(&gid->addr, addr))
			return true;
	return false;
}

#endif /* SRNIC_ENGINE_GID_H */
