// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The engine of a device: a thread that polls doorbells, the tasklets of QPs that
 * go on with what was more than a fair share, and their work items, for what would
 * never end in a softirq.
 *
 * The thread sleeps until kicks come so fast that polling is cheaper. It polls
 * with preemption off, so that it never loses the CPU while processes believe
 * that it looks at their doorbells; it stops as soon as somebody else wants the
 * CPU, or nothing comes for a while.
 */
#include "engine.h"

#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "qp_table.h"
#include "recv.h"
#include "send.h"

static unsigned int engine_poll_us = 50;
module_param(engine_poll_us, uint, 0644);
MODULE_PARM_DESC(engine_poll_us,
		 "microseconds that the engine polls idle doorbells before it parks; 0: never polls");

/*
 * How long a full netdev queue is given to drain: a few dozen packets' time at first,
 * and longer as it stays full, or all of the QPs that wait would take the CPU to ask.
 */
#define PAUSE_MIN_NS	(100 * NSEC_PER_USEC)
#define PAUSE_MAX_NS	(100 * PAUSE_MIN_NS)

/* Bits of &struct srnic_engine.flags. */
#define ENGINE_POLL	0

/**
 * struct srnic_engine - the engine of a device
 * @dev: device
 * @task: its thread
 * @workqueue: what has to share the processor fairly, see srnic_engine_later()
 * @flags: ENGINE_POLL: polling is expected to pay
 * @last_kick: when the last kick came, in ns; a guess among CPUs
 * @lock: serialises changes of @pages
 * @pages: RCU list of doorbell pages to poll
 */
struct srnic_engine {
	struct srnic_dev *dev;
	struct task_struct *task;
	struct workqueue_struct *workqueue;
	unsigned long flags;
	u64 last_kick;
	struct mutex lock; /* guards @pages */
	struct list_head pages;
};

/* Bits that were taken and are not served after all. */
static void leave_rung(struct srnic_doorbell_page *page, u32 line,
		       unsigned long rung)
{
	u32 index = line * SRNIC_DOORBELL_BITS;
	unsigned int bit;

	for_each_set_bit(bit, &rung, SRNIC_DOORBELL_BITS) {
		struct srnic_qp *qp;

		qp = rcu_dereference(page->owner[index + bit]);
		if (qp)
			srnic_engine_leave(qp);
	}
}

/*
 * Return: true if there was work. A bit alone is none: ringing must not keep the
 * engine busy.
 */
static bool run_line(struct srnic_engine *engine,
		     struct srnic_doorbell_page *page, u32 line)
{
	unsigned long rung = srnic_doorbell_take(page, line);
	u32 index = line * SRNIC_DOORBELL_BITS;
	bool found = false;
	unsigned int bit;

	for_each_set_bit(bit, &rung, SRNIC_DOORBELL_BITS) {
		struct srnic_qp *qp;

		if (need_resched()) {
			leave_rung(page, line, rung);
			return true;
		}
		rung &= ~BIT(bit);
		qp = rcu_dereference(page->owner[index + bit]);
		if (!qp)
			continue;
		srnic_count(engine->dev->counters,
			    SRNIC_COUNTER_ENGINE_DOORBELLS);
		found |= srnic_sq_has_work(&qp->sq);
		srnic_send_run(qp);
	}
	return found;
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

/* Whoever rang in the last moment before the engine parked is not left alone. */
static void leave_doorbells(struct srnic_engine *engine)
{
	struct srnic_doorbell_page *page;
	u32 line;

	rcu_read_lock();
	list_for_each_entry_rcu(page, &engine->pages, polled)
		for (line = 0; line < READ_ONCE(page->lines); line++)
			leave_rung(page, line, srnic_doorbell_take(page, line));
	rcu_read_unlock();
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
		if (run_doorbells(engine))
			busy = ktime_get_ns();
		if (ktime_get_ns() - busy >
		    (u64)READ_ONCE(engine_poll_us) * NSEC_PER_USEC)
			break;
		cpu_relax();
	}
	if (park(engine))
		leave_doorbells(engine);
	preempt_enable();
}

static int engine_thread(void *data)
{
	struct srnic_engine *engine = data;

	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!test_bit(ENGINE_POLL, &engine->flags) &&
		    !kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
		if (test_and_clear_bit(ENGINE_POLL, &engine->flags))
			poll(engine);
	}
	return 0;
}

static void run_tasklet(struct tasklet_struct *tasklet)
{
	struct srnic_qp *qp = container_of(tasklet, struct srnic_qp, tasklet);

	rcu_read_lock();
	srnic_recv_run(qp);
	srnic_send_run(qp);
	rcu_read_unlock();
}

static void run_later(struct work_struct *work)
{
	struct srnic_qp *qp = container_of(work, struct srnic_qp, later);

	if (srnic_send_run_once(qp))
		srnic_engine_later(qp);
}

static enum hrtimer_restart end_pause(struct hrtimer *timer)
{
	struct srnic_qp *qp = container_of(timer, struct srnic_qp, pause);

	tasklet_schedule(&qp->tasklet);
	return HRTIMER_NORESTART;
}

/**
 * srnic_engine_init_qp() - make it possible to leave a QP's work
 * @qp: queue pair
 *
 * Context: Process context.
 */
void srnic_engine_init_qp(struct srnic_qp *qp)
{
	qp->pause_ns = PAUSE_MIN_NS;
	tasklet_setup(&qp->tasklet, run_tasklet);
	INIT_WORK(&qp->later, run_later);
	hrtimer_setup(&qp->pause, end_pause, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
}

/**
 * srnic_engine_stop_qp() - wait until no work of a QP is left to do
 * @qp: queue pair in RESET that nobody finds any more
 *
 * Context: Process context, sleeps.
 */
void srnic_engine_stop_qp(struct srnic_qp *qp)
{
	hrtimer_cancel(&qp->pause);
	cancel_work_sync(&qp->later);
	tasklet_kill(&qp->tasklet);
}

/**
 * srnic_engine_leave() - leave what is left of a QP's work
 * @qp: queue pair, kept alive by the caller
 *
 * It is left to a tasklet, which runs on this CPU behind the packets that are
 * queued on it (loopback, veth), so that none overtakes another; in ksoftirqd, if
 * that goes on for long. Whoever comes by meanwhile leaves its work, too: see
 * srnic_engine_left().
 *
 * Context: Any but hard interrupt.
 */
void srnic_engine_leave(struct srnic_qp *qp)
{
	/* With BHs off nobody wakes ksoftirqd, who would want the CPU at once. */
	local_bh_disable();
	tasklet_schedule(&qp->tasklet);
	local_bh_enable();
}

/**
 * srnic_engine_post() - a consumer in the kernel has posted
 * @qp: queue pair, kept alive by the caller
 *
 * The tasklet runs when BHs are on again, which may be before this returns: then
 * it could have been an interrupt that brought it about.
 *
 * Context: Any.
 */
void srnic_engine_post(struct srnic_qp *qp)
{
	if (in_hardirq() || irqs_disabled())
		tasklet_schedule(&qp->tasklet);
	else
		srnic_engine_leave(qp);
}

/**
 * srnic_engine_later() - leave a QP's send side to a thread
 * @qp: queue pair, kept alive by the caller
 *
 * For what repeats itself without anybody asking for it: a batch that is refused by
 * an RNR NAK and sent again 10 us later would never let go of this CPU, if it were
 * done in softirqs, which come before all threads. A thread gets its share.
 *
 * Context: Any.
 */
void srnic_engine_later(struct srnic_qp *qp)
{
	queue_work(qp->dev->engine->workqueue, &qp->later);
}

/**
 * srnic_engine_pause() - a full queue stops a QP: go on a little later
 * @qp: queue pair
 *
 * Both sides may say so at once; what they make of the time is a guess anyway.
 *
 * Context: Any but hard interrupt.
 */
void srnic_engine_pause(struct srnic_qp *qp)
{
	u64 ns = READ_ONCE(qp->pause_ns);

	WRITE_ONCE(qp->pause_ns, min(2 * ns, (u64)PAUSE_MAX_NS));
	hrtimer_start(&qp->pause, ns_to_ktime(ns), HRTIMER_MODE_REL_SOFT);
}

/**
 * srnic_engine_went_on() - nothing stops a QP now
 * @qp: queue pair
 *
 * Context: Any.
 */
void srnic_engine_went_on(struct srnic_qp *qp)
{
	if (unlikely(READ_ONCE(qp->pause_ns) != PAUSE_MIN_NS))
		WRITE_ONCE(qp->pause_ns, PAUSE_MIN_NS);
}

/**
 * srnic_engine_left() - is somebody about to run the QP anyway?
 * @qp: queue pair
 *
 * Context: Any.
 * Return: true if its tasklet will run and see what the caller did before.
 */
bool srnic_engine_left(struct srnic_qp *qp)
{
	/* Pairs with the full barrier when the tasklet takes its mark off. */
	smp_mb();
	return test_bit(TASKLET_STATE_SCHED, &qp->tasklet.state);
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
 */
void srnic_engine_add_page(struct srnic_engine *engine,
			   struct srnic_doorbell_page *page)
{
	mutex_lock(&engine->lock);
	list_add_tail_rcu(&page->polled, &engine->pages);
	mutex_unlock(&engine->lock);
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
	/* The process may have the page for longer, and must come to kick. */
	srnic_doorbell_park(page);
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
	mutex_init(&engine->lock);
	INIT_LIST_HEAD(&engine->pages);

	/* Storage is reached through QPs, also when memory is short. */
	engine->workqueue = alloc_workqueue("srnic_engine",
					    WQ_MEM_RECLAIM | WQ_PERCPU, 0);
	if (!engine->workqueue)
		goto free_engine;
	engine->task = kthread_run(engine_thread, engine, "srnic_engine");
	if (IS_ERR(engine->task))
		goto destroy_workqueue;
	return engine;

destroy_workqueue:
	destroy_workqueue(engine->workqueue);
free_engine:
	kfree(engine);
	return ERR_PTR(-ENOMEM);
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
	destroy_workqueue(engine->workqueue);
	kfree(engine);
}

/**
 * srnic_engine_init() - what all engines share
 *
 * Context: Module init.
 */
void srnic_engine_init(void)
{
	srnic_qp_table_init();
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
