// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The engine of a device.
 *
 * It sleeps until somebody leaves work to it, or until kicks come so fast that
 * polling the doorbells is cheaper. It polls with preemption off, so that it
 * never loses the CPU while processes believe that it looks at their doorbells;
 * it stops as soon as somebody else wants the CPU, or nothing comes for a while.
 */
#include "engine.h"

#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "qp_table.h"
#include "recv.h"
#include "send.h"

static unsigned int engine_poll_us = 50;
module_param(engine_poll_us, uint, 0644);
MODULE_PARM_DESC(engine_poll_us,
		 "microseconds that the engine polls idle doorbells before it parks; 0: never polls");

/* Bits of &struct srnic_engine.flags. */
#define ENGINE_POLL	0

/**
 * struct srnic_engine - the engine of a device
 * @dev: device
 * @task: its thread
 * @queue: QPs with work left over, each with a reference
 * @flags: ENGINE_POLL: polling is expected to pay
 * @last_kick: when the last kick came, in ns; a guess among CPUs
 * @lock: serialises changes of @pages
 * @pages: RCU list of doorbell pages to poll
 */
struct srnic_engine {
	struct srnic_dev *dev;
	struct task_struct *task;
	struct llist_head queue;
	unsigned long flags;
	u64 last_kick;
	struct mutex lock;
	struct list_head pages;
};

static void run_qp(struct srnic_qp *qp)
{
	local_bh_disable();
	rcu_read_lock();
	srnic_recv_run(qp);
	srnic_send_run(qp);
	rcu_read_unlock();
	local_bh_enable();
}

/* Go on with what was left over. Return: false if there was nothing. */
static bool run_queue(struct srnic_engine *engine)
{
	struct llist_node *list = llist_del_all(&engine->queue);
	struct srnic_qp *qp, *next;

	if (!list)
		return false;
	llist_for_each_entry_safe(qp, next, llist_reverse_order(list),
				  queue_node) {
		/* From here on it may be queued again. */
		clear_bit_unlock(0, &qp->queued);
		run_qp(qp);
		srnic_qp_put(qp);
	}
	return true;
}

static bool run_line(struct srnic_engine *engine,
		     struct srnic_doorbell_page *page, u32 line)
{
	unsigned long rung = srnic_doorbell_take(page, line);
	unsigned int bit;

	if (!rung)
		return false;
	for_each_set_bit(bit, &rung, SRNIC_DOORBELL_BITS) {
		struct srnic_qp *qp;

		qp = rcu_dereference(page->owner[line * SRNIC_DOORBELL_BITS +
						 bit]);
		if (!qp)
			continue;
		srnic_count(engine->dev->counters,
			    SRNIC_COUNTER_ENGINE_DOORBELLS);
		srnic_send_run(qp);
	}
	return true;
}

static bool run_doorbells(struct srnic_engine *engine)
{
	struct srnic_doorbell_page *page;
	bool found = false;
	u32 line;

	rcu_read_lock();
	list_for_each_entry_rcu(page, &engine->pages, polled)
		for (line = 0; line < READ_ONCE(page->lines); line++)
			found |= run_line(engine, page, line);
	rcu_read_unlock();
	return found;
}

static void unpark(struct srnic_engine *engine)
{
	struct srnic_doorbell_page *page;

	rcu_read_lock();
	list_for_each_entry_rcu(page, &engine->pages, polled)
		srnic_doorbell_unpark(page);
	rcu_read_unlock();
}

/* Return: true if somebody rang in the last moment. */
static bool park(struct srnic_engine *engine)
{
	struct srnic_doorbell_page *page;
	bool rung = false;

	rcu_read_lock();
	list_for_each_entry_rcu(page, &engine->pages, polled)
		rung |= srnic_doorbell_park(page);
	rcu_read_unlock();
	srnic_count(engine->dev->counters, SRNIC_COUNTER_ENGINE_PARKS);
	return rung;
}

/*
 * Poll until it does not pay. Whatever is rung after park() has looked finds
 * parked set and kicks, so nothing is left behind.
 */
static void poll(struct srnic_engine *engine)
{
	u64 busy = ktime_get_ns();

	preempt_disable();
	unpark(engine);
	while (!need_resched() && !kthread_should_stop()) {
		bool found = run_doorbells(engine);

		found |= run_queue(engine);
		if (found)
			busy = ktime_get_ns();
		else if (ktime_get_ns() - busy >
			 (u64)READ_ONCE(engine_poll_us) * NSEC_PER_USEC)
			break;
		else
			cpu_relax();
	}
	if (park(engine))
		run_doorbells(engine);
	preempt_enable();
}

static bool has_work(struct srnic_engine *engine)
{
	return !llist_empty(&engine->queue) ||
	       test_bit(ENGINE_POLL, &engine->flags);
}

static int engine_thread(void *data)
{
	struct srnic_engine *engine = data;

	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!has_work(engine) && !kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);

		while (run_queue(engine))
			cond_resched();
		if (test_and_clear_bit(ENGINE_POLL, &engine->flags))
			poll(engine);
	}
	run_queue(engine);
	return 0;
}

/**
 * srnic_engine_queue() - leave a QP's work to the engine
 * @qp: queue pair, kept alive by the caller
 *
 * Context: Any.
 */
void srnic_engine_queue(struct srnic_qp *qp)
{
	struct srnic_engine *engine = qp->dev->engine;

	if (test_and_set_bit_lock(0, &qp->queued))
		return;
	/* A QP whose last reference is gone has nothing left to do. */
	if (!refcount_inc_not_zero(&qp->refs))
		return;
	if (llist_add(&qp->queue_node, &engine->queue))
		wake_up_process(engine->task);
}

/**
 * srnic_engine_kicked() - a process had to make a system call to post
 * @engine: engine
 *
 * If that happens often, the engine had better look by itself.
 *
 * Context: Process context.
 */
void srnic_engine_kicked(struct srnic_engine *engine)
{
	u64 now = ktime_get_ns();
	u64 before = READ_ONCE(engine->last_kick);
	u64 limit = (u64)READ_ONCE(engine_poll_us) * NSEC_PER_USEC;

	WRITE_ONCE(engine->last_kick, now);
	if (now - before >= limit)
		return;
	if (!test_and_set_bit(ENGINE_POLL, &engine->flags))
		wake_up_process(engine->task);
}

/**
 * srnic_engine_add_page() - poll a doorbell page
 * @engine: engine
 * @page: page, parked
 *
 * Context: Process context.
 * Return: 0.
 */
int srnic_engine_add_page(struct srnic_engine *engine,
			  struct srnic_doorbell_page *page)
{
	mutex_lock(&engine->lock);
	list_add_tail_rcu(&page->polled, &engine->pages);
	mutex_unlock(&engine->lock);
	return 0;
}

/**
 * srnic_engine_remove_page() - do not poll a doorbell page any more
 * @engine: engine
 * @page: page that nobody uses
 *
 * Context: Process context, sleeps for a grace period.
 */
void srnic_engine_remove_page(struct srnic_engine *engine,
			      struct srnic_doorbell_page *page)
{
	mutex_lock(&engine->lock);
	list_del_rcu(&page->polled);
	mutex_unlock(&engine->lock);
	synchronize_rcu_expedited();
}

/**
 * srnic_engine_create() - make the engine of a device
 * @dev: device
 *
 * Context: Process context, may sleep.
 * Return: the engine, or ERR_PTR(-ENOMEM).
 */
struct srnic_engine *srnic_engine_create(struct srnic_dev *dev)
{
	struct srnic_engine *engine;

	engine = kzalloc(sizeof(*engine), GFP_KERNEL);
	if (!engine)
		return ERR_PTR(-ENOMEM);
	engine->dev = dev;
	init_llist_head(&engine->queue);
	mutex_init(&engine->lock);
	INIT_LIST_HEAD(&engine->pages);

	engine->task = kthread_run(engine_thread, engine, "srnic_engine");
	if (IS_ERR(engine->task)) {
		kfree(engine);
		return ERR_PTR(-ENOMEM);
	}
	return engine;
}

/**
 * srnic_engine_destroy() - end the engine of a device
 * @engine: engine of a device that has no QPs left
 *
 * Context: Process context, sleeps.
 */
void srnic_engine_destroy(struct srnic_engine *engine)
{
	kthread_stop(engine->task);
	WARN_ON(!llist_empty(&engine->queue));
	kfree(engine);
}

/**
 * srnic_engine_init() - what all engines share
 *
 * Context: Module init.
 * Return: 0.
 */
int srnic_engine_init(void)
{
	srnic_qp_table_init();
	return 0;
}

/**
 * srnic_engine_exit() - undo srnic_engine_init()
 *
 * Context: Module exit; all devices are gone.
 */
void srnic_engine_exit(void)
{
	srnic_qp_table_exit();
}
