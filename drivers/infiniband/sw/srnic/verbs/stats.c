// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters, as `rdma statistic` and the hw_counters in sysfs show them.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "../engine/device.h"
#include "../engine/qp.h"
#include "verbs.h"

/* In the order of enum srnic_counter, which comes from the same list. */
#define COUNTER_DESC(symbol, text) { .name = (text) },
static const struct rdma_stat_desc descs[] = {
	SRNIC_COUNTERS(COUNTER_DESC)
};

static_assert(ARRAY_SIZE(descs) == SRNIC_COUNTER_NUM);

static u64 sum(const struct srnic_counters __percpu *counters, int which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(counters, cpu)->value[which];
	return sum;
}

/**
 * srnic_counter_sum() - value of a counter
 * @dev: device
 * @which: enum srnic_counter
 *
 * Context: Process context. Others count on meanwhile.
 * Return: the sum over all CPUs and QPs.
 */
u64 srnic_counter_sum(struct srnic_dev *dev, int which)
{
	struct srnic_qp_counter *counter;
	unsigned long number;
	u64 value;

	xa_lock(&dev->qp_counters);
	value = sum(dev->counters, which) + dev->past.value[which];
	xa_for_each(&dev->qp_counters, number, counter)
		value += sum(counter->counters, which);
	xa_unlock(&dev->qp_counters);
	return value;
}

/**
 * srnic_alloc_hw_port_stats() - what there is to count
 *				 (ib_device_ops.alloc_hw_port_stats)
 * @ibdev: device
 * @port: 1
 *
 * Context: Process context. May sleep.
 * Return: a description that the core frees, or NULL without memory.
 */
struct rdma_hw_stats *srnic_alloc_hw_port_stats(struct ib_device *ibdev,
						u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static void take(struct rdma_hw_stats *stats,
		 const struct srnic_counters __percpu *counters)
{
	int i;

	for (i = 0; i < SRNIC_COUNTER_NUM; i++)
		stats->value[i] = sum(counters, i);
}

/**
 * srnic_get_hw_stats() - take the counters (ib_device_ops.get_hw_stats)
 * @ibdev: device
 * @stats: filled in, all of it
 * @port: 1; 0 asks for counters of the device, which there are none of
 * @index: not looked at
 *
 * Without those of QPs that have their own: the core adds these.
 *
 * Context: Process context.
 * Return: number of counters, or -EINVAL.
 */
int srnic_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		       u32 port, int index)
{
	if (!port || !stats)
		return -EINVAL;

	take(stats, to_srnic_dev(ibdev)->counters);
	return SRNIC_COUNTER_NUM;
}

static struct srnic_qp_counter *find(const struct rdma_counter *counter)
{
	struct srnic_dev *dev = to_srnic_dev(counter->device);

	/* Its number is given when it gets its first QP. */
	return counter->id ? xa_load(&dev->qp_counters, counter->id) : NULL;
}

/**
 * srnic_counter_alloc_stats() - what there is to count of a QP, the same as of a
 *				 port (ib_device_ops.counter_alloc_stats)
 * @counter: counter that is new
 *
 * Context: Process context. May sleep.
 * Return: a description that the core frees, or NULL without memory.
 */
struct rdma_hw_stats *srnic_counter_alloc_stats(struct rdma_counter *counter)
{
	return srnic_alloc_hw_port_stats(counter->device, counter->port);
}

/**
 * srnic_counter_update_stats() - take a counter
 *				  (ib_device_ops.counter_update_stats)
 * @counter: counter
 *
 * Context: Process context, with the counter's mutex.
 * Return: 0.
 */
int srnic_counter_update_stats(struct rdma_counter *counter)
{
	struct srnic_qp_counter *own = find(counter);

	if (own)
		take(counter->stats, own->counters);
	return 0;
}

static struct srnic_qp_counter *make(struct rdma_counter *counter)
{
	struct srnic_dev *dev = to_srnic_dev(counter->device);
	struct srnic_qp_counter *own;
	int err = -ENOMEM;

	own = kzalloc(sizeof(*own), GFP_KERNEL);
	if (!own)
		return ERR_PTR(err);
	own->counters = alloc_percpu(struct srnic_counters);
	if (!own->counters)
		goto err_free;
	err = xa_alloc(&dev->qp_counters, &counter->id, own, xa_limit_31b,
		       GFP_KERNEL);
	if (err)
		goto err_free_counters;
	return own;

err_free_counters:
	free_percpu(own->counters);
err_free:
	kfree(own);
	return ERR_PTR(err);
}

/**
 * srnic_counter_bind_qp() - let a QP count for itself, or together with others
 *			     (ib_device_ops.counter_bind_qp)
 * @counter: where to count
 * @ibqp: queue pair
 * @port: 1
 *
 * Context: Process context, with the counter's mutex. May sleep.
 * Return: 0, -ENOMEM or -EBUSY.
 */
int srnic_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp,
			  u32 port)
{
	struct srnic_qp_counter *own = find(counter);

	if (!own)
		own = make(counter);
	if (IS_ERR(own))
		return PTR_ERR(own);
	WRITE_ONCE(to_srnic_qp(ibqp)->counters, own->counters);
	ibqp->counter = counter;
	return 0;
}

/**
 * srnic_counter_unbind_qp() - let a QP count with the port
 *			       (ib_device_ops.counter_unbind_qp)
 * @ibqp: queue pair
 * @port: 1
 *
 * Context: Process context, with the counter's mutex. May sleep.
 * Return: 0. Whoever counts for the QP does so with the port from then on.
 */
int srnic_counter_unbind_qp(struct ib_qp *ibqp, u32 port)
{
	struct srnic_qp *qp = to_srnic_qp(ibqp);

	WRITE_ONCE(qp->counters, qp->dev->counters);
	ibqp->counter = NULL;
	/* The core takes the sum next, and it is to be the last. */
	synchronize_rcu_expedited();
	return 0;
}

/**
 * srnic_counter_dealloc() - end of a counter (ib_device_ops.counter_dealloc)
 * @counter: counter without QPs
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
int srnic_counter_dealloc(struct rdma_counter *counter)
{
	struct srnic_dev *dev = to_srnic_dev(counter->device);
	struct srnic_qp_counter *own = find(counter);
	int i;

	if (!own)
		return 0;
	xa_lock(&dev->qp_counters);
	__xa_erase(&dev->qp_counters, counter->id);
	for (i = 0; i < SRNIC_COUNTER_NUM; i++)
		dev->past.value[i] += sum(own->counters, i);
	xa_unlock(&dev->qp_counters);
	free_percpu(own->counters);
	kfree(own);
	return 0;
}
