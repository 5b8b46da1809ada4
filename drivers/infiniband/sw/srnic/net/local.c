// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets of this host to itself.
 *
 * They do not go through the stack and the loopback device: each CPU keeps what it
 * sends to the host, and the sender delivers that before it lets go of the send
 * side. So packets of a QP arrive in the order in which they were sent, also when
 * its next ones are sent by another CPU, which loopback does not promise.
 */
#include "local.h"

#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <net/dst.h>

#include "receive.h"

/* Packets delivered in a row with BHs off. */
#define DELIVER_BUDGET	256

static bool local_delivery = true;
module_param(local_delivery, bool, 0644);
MODULE_PARM_DESC(local_delivery,
		 "deliver packets to the host itself without the network stack; off: they can be captured and filtered on lo");

/**
 * struct local - packets that a CPU sends to its own host
 * @queue: packets from the IP header on, each with its route
 * @tasklet: goes on when the budget was not enough
 * @running: they are being delivered; who is called from there adds to the queue
 *
 * The CPU's own, with BHs off.
 */
struct local {
	struct sk_buff_head queue;
	struct tasklet_struct tasklet;
	bool running;
};

static DEFINE_PER_CPU(struct local, locals);

static void deliver(struct local *local)
{
	int budget = DELIVER_BUDGET;
	struct sk_buff *skb;

	local->running = true;
	while (budget-- && (skb = __skb_dequeue(&local->queue))) {
		/*
		 * Only now: the netdev may have gone, with its namespace, since the
		 * packet was sent. Its route stays, and has another netdev then,
		 * which is in a namespace where the packet is nobody's.
		 */
		skb->dev = READ_ONCE(skb_dst(skb)->dev);
		if (unlikely(skb->dev == blackhole_netdev))
			kfree_skb(skb);
		else
			srnic_receive_local(skb);
	}
	local->running = false;
	if (!skb_queue_empty(&local->queue))
		tasklet_schedule(&local->tasklet);
}

static void run_tasklet(struct tasklet_struct *tasklet)
{
	struct local *local = container_of(tasklet, struct local, tasklet);

	rcu_read_lock();
	deliver(local);
	rcu_read_unlock();
}

/**
 * srnic_local_wanted() - is a packet one of this host to itself?
 * @dst: its route
 *
 * Context: Any.
 * Return: true if srnic_local_send() is to have it.
 */
bool srnic_local_wanted(const struct dst_entry *dst)
{
	const struct net_device *netdev = READ_ONCE(dst->dev);

	/* What stands in for a netdev that has gone calls itself a loopback, too. */
	return netdev->flags & IFF_LOOPBACK && netdev != blackhole_netdev &&
	       READ_ONCE(local_delivery);
}

/**
 * srnic_local_send() - send a packet to this host
 * @skb: from the IP header on, with its route
 *
 * Context: BHs off.
 */
void srnic_local_send(struct sk_buff *skb)
{
	__skb_queue_tail(&this_cpu_ptr(&locals)->queue, skb);
}

/**
 * srnic_local_deliver() - packets of this CPU to the host arrive; see
 *			   &struct srnic_net_ops
 *
 * Context: BHs off, RCU read section.
 */
void srnic_local_deliver(void)
{
	struct local *local = this_cpu_ptr(&locals);

	if (!local->running && !skb_queue_empty(&local->queue))
		deliver(local);
}

/**
 * srnic_local_init() - before there are devices
 *
 * Context: Process context.
 */
void srnic_local_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct local *local = per_cpu_ptr(&locals, cpu);

		skb_queue_head_init(&local->queue);
		tasklet_setup(&local->tasklet, run_tasklet);
	}
}

/**
 * srnic_local_exit() - after the last device
 *
 * Context: Process context, sleeps.
 */
void srnic_local_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct local *local = per_cpu_ptr(&locals, cpu);

		tasklet_kill(&local->tasklet);
		skb_queue_purge(&local->queue);
	}
}
