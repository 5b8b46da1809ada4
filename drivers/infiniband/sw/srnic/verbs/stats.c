// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters, as `rdma statistic` and the hw_counters in sysfs show them.
 */
#include <rdma/ib_verbs.h>

#include "../engine/device.h"
#include "verbs.h"

/* In the order of enum srnic_counter, which comes from the same list. */
#define COUNTER_DESC(symbol, text) { .name = (text) },
static const struct rdma_stat_desc descs[] = {
	SRNIC_COUNTERS(COUNTER_DESC)
};

static_assert(ARRAY_SIZE(descs) == SRNIC_COUNTER_NUM);

/**
 * srnic_counter_sum() - value of a counter
 * @dev: device
 * @which: enum srnic_counter
 *
 * Context: Any. Others count on meanwhile.
 * Return: the sum over all CPUs.
 */
u64 srnic_counter_sum(const struct srnic_dev *dev, int which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(dev->counters, cpu)->value[which];
	return sum;
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

/**
 * srnic_get_hw_stats() - take the counters (ib_device_ops.get_hw_stats)
 * @ibdev: device
 * @stats: filled in, all of it
 * @port: 1; 0 asks for counters of the device, which there are none of
 * @index: not looked at
 *
 * Context: Process context.
 * Return: number of counters, or -EINVAL.
 */
int srnic_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		       u32 port, int index)
{
	const struct srnic_dev *dev = to_srnic_dev(ibdev);
	int i;

	if (!port || !stats)
		return -EINVAL;

	for (i = 0; i < SRNIC_COUNTER_NUM; i++)
		stats->value[i] = srnic_counter_sum(dev, i);
	return SRNIC_COUNTER_NUM;
}
