// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The send side of a QP: who runs it, and what a run does.
 */
#include "send.h"

#include "engine.h"
#include "recv.h"

/* Packets and completions of one run: some 100 us of work. */
#define RUN_BUDGET	64

/* From how often to how seldom a QP in ERR looks for receives. */
#define WATCH_MIN_NS	(1ULL * NSEC_PER_MSEC)
#define WATCH_MAX_NS	(2048ULL * NSEC_PER_MSEC)

/* skb->cb of a response that waits for the owner. */
struct waiting_response {
	u32 bth;
	u32 bytes;
};

#define WAITING(skb)	((struct waiting_response *)(skb)->cb)

static bool claim(struct srnic_send_side *send)
{
	return !(atomic_fetch_or(SRNIC_SEND_OWNED | SRNIC_SEND_AGAIN,
				 &send->owner) & SRNIC_SEND_OWNED);
}

/* Fully ordered: what was seen of marks left before is not missed. */
static bool release(struct srnic_send_side *send)
{
	return atomic_cmpxchg(&send->owner, SRNIC_SEND_OWNED, 0) ==
	       SRNIC_SEND_OWNED;
}

static void handle_waiting(struct srnic_send_run *run, struct sk_buff *skb)
{
	struct waiting_response at = *WAITING(skb);
	struct srnic_pkt pkt;

	/* It was parsed before, so this cannot fail; the headers are linear. */
	if (srnic_send_active(run->qp) &&
	    srnic_pkt_parse(skb->data + at.bth, skb_headlen(skb) - at.bth,
			    at.bytes, &pkt) == SRNIC_PARSE_OK)
		srnic_send_received(run, &pkt, skb, at.bth + pkt.header_bytes);
	kfree_skb(skb);
}

static void handle_timer(struct srnic_send_run *run)
{
	struct srnic_send_side *send = &run->qp->send;
	struct srnic_cmp_step step;

	if (!srnic_send_active(run->qp))
		return;
	if (send->req.rnr_wait && run->now >= send->rnr_deadline) {
		send->req.rnr_wait = false;
		run->progress = true;
	}
	if (send->deadline && run->now >= send->deadline) {
		srnic_cmp_timeout(&send->req, &step);
		run->detail = 0;
		if (step.action != SRNIC_CMP_NONE)
			srnic_count(run->qp->counters,
				    SRNIC_COUNTER_RETRY_TIMEOUT);
		srnic_send_step(run, &step);
		run->progress = true;
	}
}

/* Return: when something that is waited for is overdue, or 0. */
static u64 retry_time(struct srnic_send_run *run)
{
	struct srnic_send_side *send = &run->qp->send;

	/* It stands still during an RNR wait (4.6), and starts afresh after. */
	if (!srnic_req_outstanding(&send->req) || send->req.rnr_wait ||
	    !send->timeout_ns)
		send->deadline = 0;
	else if (run->progress || !send->deadline)
		send->deadline = run->now + send->timeout_ns;

	return send->req.rnr_wait ? send->rnr_deadline : send->deadline;
}

/*
 * Posting a receive rings no doorbell and makes no system call, in ERR neither;
 * but there it has to be flushed. So look now and then, the less often the longer
 * nothing comes. An SRQ is not flushed; and who posts in the kernel sees to it.
 *
 * Return: when to look, or 0.
 */
static u64 watch_time(struct srnic_send_run *run)
{
	struct srnic_send_side *send = &run->qp->send;

	if (READ_ONCE(run->qp->state) != IB_QPS_ERR || !run->qp->rq.map ||
	    run->qp->kernel)
		return 0;
	if (run->budget < RUN_BUDGET - 1)
		send->watch_ns = WATCH_MIN_NS;
	else
		send->watch_ns = min(2 * send->watch_ns, WATCH_MAX_NS);
	return run->now + send->watch_ns;
}

/*
 * The timer is started when something has to be waited for and left alone when
 * the time is put off: it then fires early, finds that, and starts again.
 */
static void keep_time(struct srnic_send_run *run)
{
	struct srnic_send_side *send = &run->qp->send;
	u64 when;

	if (srnic_send_active(run->qp)) {
		when = retry_time(run);
	} else {
		/* Of what was sent nothing is waited for any more. */
		send->deadline = 0;
		when = watch_time(run);
	}
	if (!when)
		return;
	if (hrtimer_is_queued(&send->timer) &&
	    ktime_to_ns(hrtimer_get_expires(&send->timer)) <= when)
		return;
	hrtimer_start(&send->timer, ns_to_ktime(when), HRTIMER_MODE_ABS_SOFT);
}

static void work(struct srnic_send_run *run)
{
	struct srnic_qp *qp = run->qp;
	struct srnic_send_side *send = &qp->send;
	enum ib_qp_state state;
	struct sk_buff *skb;

	run->busy = false;
	/* As a rule none waits; who adds one leaves a mark behind that. */
	while (run->budget > 0 && !skb_queue_empty_lockless(&send->responses) &&
	       (skb = skb_dequeue(&send->responses))) {
		handle_waiting(run, skb);
		run->budget--;
	}
	if (test_and_clear_bit(SRNIC_SEND_TIMER, &send->flags))
		handle_timer(run);

	if (srnic_send_active(qp)) {
		if (srnic_qp_is_datagram(qp))
			srnic_transmit_datagrams(run);
		else
			srnic_transmit(run);
	}
	/* That may have ended it. */
	state = READ_ONCE(qp->state);
	if (state == IB_QPS_SQE || state == IB_QPS_ERR)
		srnic_send_flush(run);
	if (state == IB_QPS_ERR)
		srnic_recv_flush(run);
}

static void begin_run(struct srnic_send_run *run, struct srnic_qp *qp)
{
	memset(run, 0, sizeof(*run));
	run->qp = qp;
	run->tx.dev = qp->dev;
	run->tx.counters = qp->counters;
	run->tx.path = &qp->path;
	run->budget = RUN_BUDGET;
	run->now = ktime_get_ns();
	srnic_count(qp->counters, SRNIC_COUNTER_ENGINE_RUNS);
}

/*
 * Own the side, which has been claimed, until there is nothing left to do, or
 * the budget is used up.
 *
 * Return: true if there is more to do.
 */
static bool own(struct srnic_send_run *run)
{
	struct srnic_qp *qp = run->qp;
	bool more;

	do {
		/* Marks left from here on bring us round again. */
		atomic_andnot(SRNIC_SEND_AGAIN, &qp->send.owner);
		/* Pairs with claim(): who left a mark has done so behind its work. */
		smp_mb__after_atomic();
		work(run);
		keep_time(run);
		qp->dev->net_ops->flush(&run->tx);
		/* Before anybody else can send for the QP: order is kept. */
		qp->dev->net_ops->deliver();
		/* A round is not free: others could keep us going round. */
		run->budget--;
		more = run->busy || run->budget <= 0;
	} while (!more && !release(&qp->send));
	if (more)
		atomic_set_release(&qp->send.owner, 0);
	if (run->busy)
		srnic_engine_pause(qp);
	else
		srnic_engine_went_on(qp);
	srnic_events_deliver(qp, &run->events);
	return more && !run->busy;
}

/**
 * srnic_send_run_once() - run the send side, or see to it that its owner does
 * @qp: queue pair, kept alive by the caller
 *
 * Context: Any but hard interrupt; no lock of this driver held.
 * Return: true if the budget was used up and there is more to do. The caller
 * sees to that, once BHs have been on: packets that are queued on this CPU
 * (loopback, veth) must not be overtaken by those of another one.
 */
bool srnic_send_run_once(struct srnic_qp *qp)
{
	struct srnic_send_run run;
	bool more = false;

	if (srnic_engine_left(qp))
		return false;
	local_bh_disable();
	rcu_read_lock();
	if (claim(&qp->send)) {
		begin_run(&run, qp);
		more = own(&run);
	}
	rcu_read_unlock();
	local_bh_enable();
	return more;
}

/**
 * srnic_send_run() - run the send side, and leave what is too much
 * @qp: queue pair, kept alive by the caller
 *
 * Context: Any but hard interrupt; no lock of this driver held.
 */
void srnic_send_run(struct srnic_qp *qp)
{
	if (srnic_send_run_once(qp))
		srnic_engine_leave(qp);
}

static bool wait_for_owner(struct srnic_qp *qp, const struct srnic_rx *rx)
{
	struct sk_buff *skb;

	if (skb_queue_len_lockless(&qp->send.responses) >= SRNIC_MAX_RESPONSES) {
		srnic_count(qp->counters, SRNIC_COUNTER_RX_QUEUE_FULL);
		return false;
	}
	/* A clone: skb->cb and the list pointers must be ours. */
	skb = skb_clone(rx->skb, GFP_ATOMIC);
	if (!skb)
		return false;
	WAITING(skb)->bth = rx->payload - rx->pkt.header_bytes;
	WAITING(skb)->bytes = rx->pkt.header_bytes + rx->pkt.payload_bytes +
			      rx->pkt.pad + SRNIC_ICRC_BYTES;
	skb_queue_tail(&qp->send.responses, skb);
	return true;
}

/**
 * srnic_send_response() - a response packet for the send side has come
 * @qp: queue pair
 * @rx: the packet
 *
 * Handles it at once, unless somebody else owns the side: then it waits.
 *
 * Context: Softirq, RCU read side.
 */
void srnic_send_response(struct srnic_qp *qp, struct srnic_rx *rx)
{
	struct srnic_send_run run;

	if (srnic_engine_left(qp) || !claim(&qp->send)) {
		if (wait_for_owner(qp, rx))
			srnic_send_run(qp);
		return;
	}
	begin_run(&run, qp);
	/* What waits came before. */
	if (!skb_queue_empty_lockless(&qp->send.responses))
		work(&run);
	if (srnic_send_active(qp))
		srnic_send_received(&run, &rx->pkt, rx->skb, rx->payload);
	if (own(&run))
		srnic_engine_leave(qp);
}

/**
 * srnic_send_flush_rest() - complete all that is to be flushed, at once
 * @qp: queue pair in SQE, about to leave it
 * @events: what is to be told when the side is given up
 *
 * Context: Send side owner without a run, responder lock not held.
 */
void srnic_send_flush_rest(struct srnic_qp *qp, struct srnic_events *events)
{
	struct srnic_send_run run;

	begin_run(&run, qp);
	/* What is posted meanwhile may be flushed or not. */
	run.budget = 2 * qp->sq.entries;
	srnic_send_flush(&run);
	*events = run.events;
}

/**
 * srnic_send_lock() - own the send side without running it
 * @qp: queue pair
 *
 * Context: Process context; BHs are off until srnic_send_unlock().
 */
void srnic_send_lock(struct srnic_qp *qp)
{
	local_bh_disable();
	/*
	 * An owner has BHs off and is done soon. No mark is left, which would
	 * bring it round once more.
	 */
	while (atomic_fetch_or_acquire(SRNIC_SEND_OWNED, &qp->send.owner) &
	       SRNIC_SEND_OWNED)
		cpu_relax();
}

/**
 * srnic_send_unlock() - give up ownership, and make up for what was missed
 * @qp: queue pair
 *
 * Context: After srnic_send_lock().
 */
void srnic_send_unlock(struct srnic_qp *qp)
{
	atomic_set_release(&qp->send.owner, 0);
	srnic_send_run(qp);
	local_bh_enable();
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct srnic_qp *qp = container_of(timer, struct srnic_qp, send.timer);

	set_bit(SRNIC_SEND_TIMER, &qp->send.flags);
	srnic_engine_later(qp);
	return HRTIMER_NORESTART;
}

/**
 * srnic_send_init() - send side of a QP that nobody knows yet
 * @qp: queue pair, with its SQ
 *
 * Context: Process context.
 */
void srnic_send_init(struct srnic_qp *qp)
{
	struct srnic_send_side *send = &qp->send;

	atomic_set(&send->owner, 0);
	skb_queue_head_init(&send->responses);
	hrtimer_setup(&send->timer, timer_fired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}
