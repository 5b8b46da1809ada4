/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A device as the engine and the rooms above it know it.
 */
#ifndef SRNIC_ENGINE_DEVICE_H
#define SRNIC_ENGINE_DEVICE_H

#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

#include "../mem/key.h"
#include "../transport/responder.h"
#include "counters.h"
#include "gid.h"
#include "net_ops.h"

struct srnic_engine;
struct srnic_listener;

/* Advertised by query_device, enforced where objects are made. */
#define SRNIC_MAX_QP		65536
#define SRNIC_MAX_QP_WR		32768
#define SRNIC_MAX_CQ		65536
#define SRNIC_MAX_CQE		1048576
#define SRNIC_MAX_MR		1048576
#define SRNIC_MAX_MW		1048576
#define SRNIC_MAX_PD		65536
#define SRNIC_MAX_AH		65536
#define SRNIC_MAX_MCAST_GROUPS	1024
#define SRNIC_MAX_MCAST_QP_ATTACH	256
#define SRNIC_MAX_MCAST_TOTAL_ATTACH	16384
#define SRNIC_MAX_RD_ATOMIC	SRNIC_RSP_RESOURCES
#define SRNIC_MAX_SRQ		65536
#define SRNIC_MAX_SRQ_WR	32768
#define SRNIC_MAX_XRCD		65536
#define SRNIC_PORT		1

/**
 * struct srnic_dev - one RDMA device on one netdev
 * @ibdev: what the core knows of it
 * @netdev: the netdev below; a reference is held to the very end
 * @netdev_tracker: of that reference
 * @listener: what net/ has opened for it
 * @port_active: state of the port as last told to the clients; RTNL
 * @net_ops: the network below
 * @keys: memory regions and windows by key
 * @ahs: &struct srnic_ah_entry by number; entries are freed by RCU
 * @ah_next: where the search for a free number goes on
 * @counters: per CPU
 * @qp_counters: &struct srnic_qp_counter by number; its lock guards @past as well
 * @past: what those have counted that are gone
 * @port_base: what the counters of the port are reckoned from
 * @engine: the thread that polls doorbells and takes over long work
 * @qps: number of QPs
 * @cqs: number of CQs
 * @mrs: number of MRs
 * @mws: number of memory windows
 * @pds: number of PDs
 * @ah_count: number of AHs
 * @gids: addresses, as in the core's GID table
 * @mcast_groups: number of multicast groups; guarded with @mcast_members in
 *	multicast.c
 * @mcast_members: number of QPs in all of them
 * @xrc_srqs: SRQs of XRC by number; RCU
 * @srq_next: where the search for a free number goes on
 * @srqs: number of SRQs
 * @xrcds: number of XRC domains
 */
struct srnic_dev {
	struct ib_device ibdev;
	struct net_device *netdev;
	netdevice_tracker netdev_tracker;
	struct srnic_listener *listener;
	bool port_active;
	const struct srnic_net_ops *net_ops;
	struct srnic_key_table keys;
	struct xarray ahs;
	u32 ah_next;
	struct srnic_counters __percpu *counters;
	struct xarray qp_counters;
	struct srnic_counters past;
	struct srnic_port_base port_base;
	struct srnic_engine *engine;
	atomic_t qps;
	atomic_t cqs;
	atomic_t mrs;
	atomic_t mws;
	atomic_t pds;
	atomic_t ah_count;
	struct srnic_gid_table gids;
	u32 mcast_groups;
	u32 mcast_members;
	struct xarray xrc_srqs;
	u32 srq_next;
	atomic_t srqs;
	atomic_t xrcds;
};

static inline struct srnic_dev *to_srnic_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct srnic_dev, ibdev);
}

/**
 * srnic_dev_mtu() - largest payload of a packet that the netdev carries now
 * @dev: device
 *
 * Context: Any.
 * Return: 256 to 4096 bytes; 0 if it carries no packet at all.
 */
static inline u32 srnic_dev_mtu(const struct srnic_dev *dev)
{
	int bytes = ib_mtu_enum_to_int(iboe_get_mtu(READ_ONCE(dev->netdev->mtu)));

	/* It is -1 for no MTU at all. */
	return max(bytes, 0);
}

/**
 * struct srnic_ah_entry - what a UD send finds under an address handle's number
 * @release: frees it, in process context, after a grace period
 * @dev: its device
 * @pd: protection domain; a QP of another one may not use it
 * @number: what a process puts into a UD send
 * @path: the way there
 *
 * Constant while it is in &struct srnic_dev.ahs. The core frees &struct srnic_ah
 * as soon as it is destroyed, so what RCU readers look at lives here.
 */
struct srnic_ah_entry {
	struct rcu_work release;
	struct srnic_dev *dev;
	const struct ib_pd *pd;
	u32 number;
	struct srnic_path path;
};

/**
 * struct srnic_ah - an address handle
 * @ibah: what the core knows of it
 * @attr: what it was made from, for query
 * @entry: what the data path sees of it
 */
struct srnic_ah {
	struct ib_ah ibah;
	struct rdma_ah_attr attr;
	struct srnic_ah_entry *entry;
};

/**
 * srnic_ah_find() - look up an address handle by number
 * @dev: device
 * @pd: protection domain of the QP that wants to use it
 * @number: as found in a work request
 *
 * Context: RCU read section, which has to last as long as the result is used.
 * Return: the entry, or NULL if there is none or it is of another PD.
 */
static inline struct srnic_ah_entry *
srnic_ah_find(struct srnic_dev *dev, const struct ib_pd *pd, u32 number)
{
	struct srnic_ah_entry *entry = xa_load(&dev->ahs, number);

	return entry && entry->pd == pd ? entry : NULL;
}

static inline struct srnic_ah *to_srnic_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct srnic_ah, ibah);
}

/**
 * struct srnic_ucontext - a process that has opened the device
 * @ibucontext: what the core knows of it
 * @lock: guards @doorbells
 * @doorbells: list of &struct srnic_doorbell_page
 */
struct srnic_ucontext {
	struct ib_ucontext ibucontext;
	struct mutex lock; /* guards @doorbells */
	struct list_head doorbells;
};

static inline struct srnic_ucontext *
to_srnic_ucontext(struct ib_ucontext *ibucontext)
{
	return container_of(ibucontext, struct srnic_ucontext, ibucontext);
}

#endif /* SRNIC_ENGINE_DEVICE_H */
