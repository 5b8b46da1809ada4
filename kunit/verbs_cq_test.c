// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues of consumers in the kernel: each way in which the core polls
 * them, handlers, events, draining.
 */
#include <linux/completion.h>

#include "verbs_rig.h"

#define ROUNDS	200

/**
 * struct pong - a message that is sent again and again
 * @rig: objects of the test
 * @qp: queue pair, connected to itself
 * @cq: its completion queue
 * @send: completion of a send
 * @recv: completion of a receive
 * @left: messages to go
 * @failed: completions with an error, or posts
 * @flushed: completions with a flush error
 * @in_softirq: a completion came in softirq
 * @done: no message is left to go
 */
struct pong {
	struct rig *rig;
	struct ib_qp *qp;
	struct ib_cq *cq;
	struct ib_cqe send;
	struct ib_cqe recv;
	int left;
	int failed;
	int flushed;
	bool in_softirq;
	struct completion done;
};

static void count(struct pong *pong, const struct ib_wc *wc)
{
	if (wc->status == IB_WC_WR_FLUSH_ERR)
		pong->flushed++;
	else if (wc->status != IB_WC_SUCCESS)
		pong->failed++;
}

static void on_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	count(container_of(wc->wr_cqe, struct pong, send), wc);
}

static int post_receive(struct pong *pong)
{
	return rig_post_recv(pong->rig, pong->qp, (uintptr_t)&pong->recv,
			     pong->rig->to, RIG_BYTES);
}

static int post_message(struct pong *pong)
{
	return rig_post_send(pong->rig, pong->qp, (uintptr_t)&pong->send,
			     pong->rig->from, 1500);
}

/* Posts again from within the handler. */
static void on_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct pong *pong = container_of(wc->wr_cqe, struct pong, recv);

	count(pong, wc);
	pong->in_softirq = in_serving_softirq();
	if (wc->status != IB_WC_SUCCESS)
		return;
	if (!--pong->left)
		complete(&pong->done);
	else if (post_receive(pong) || post_message(pong))
		pong->failed++;
}

static struct pong *pong_new(struct kunit *test, enum ib_poll_context context)
{
	struct pong *pong = kunit_kzalloc(test, sizeof(*pong), GFP_KERNEL);
	struct rig *rig = test->priv;
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_REQ_WR,
	};

	KUNIT_ASSERT_NOT_NULL(test, pong);
	pong->rig = rig;
	pong->send.done = on_sent;
	pong->recv.done = on_received;
	pong->left = ROUNDS;
	init_completion(&pong->done);
	pong->cq = ib_alloc_cq(rig->dev, NULL, 4 * RIG_DEPTH, 0, context);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pong->cq));
	init.send_cq = pong->cq;
	init.recv_cq = pong->cq;
	pong->qp = rig_qp(rig, &init);
	rig_connect(rig, pong->qp);
	return pong;
}

/* It may be slow, but must go on. */
static bool one_less(struct pong *pong, int *left)
{
	int before = *left;

	if (pong->cq->poll_ctx == IB_POLL_DIRECT)
		ib_process_cq_direct(pong->cq, -1);
	*left = READ_ONCE(pong->left);
	return *left < before;
}

static void play(struct kunit *test, struct pong *pong)
{
	int left = ROUNDS;
	int i;

	/* One receive more than messages, for draining. */
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, post_receive(pong), 0);
	KUNIT_ASSERT_EQ(test, post_message(pong), 0);
	while (READ_ONCE(pong->left))
		KUNIT_ASSERT_TRUE(test, rig_until(one_less(pong, &left)));
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&pong->done, HZ), 0UL);
}

/* When the core has drained a QP all its completions have been handled. */
static void end(struct kunit *test, struct pong *pong)
{
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, post_receive(pong), 0);
	ib_drain_qp(pong->qp);
	KUNIT_EXPECT_EQ(test, pong->left, 0);
	KUNIT_EXPECT_EQ(test, pong->failed, 0);
	/* What is posted in play() but for what was received, and 3 more. */
	KUNIT_EXPECT_EQ(test, pong->flushed, 4);
	ib_destroy_qp(pong->qp);
	ib_free_cq(pong->cq);
}

static void poll_direct(struct kunit *test)
{
	struct pong *pong = pong_new(test, IB_POLL_DIRECT);

	play(test, pong);
	KUNIT_EXPECT_FALSE(test, pong->in_softirq);
	end(test, pong);
}

static void poll_softirq(struct kunit *test)
{
	struct pong *pong = pong_new(test, IB_POLL_SOFTIRQ);

	play(test, pong);
	KUNIT_EXPECT_TRUE(test, pong->in_softirq);
	end(test, pong);
}

static void poll_workqueue(struct kunit *test)
{
	struct pong *pong = pong_new(test, IB_POLL_WORKQUEUE);

	play(test, pong);
	KUNIT_EXPECT_FALSE(test, pong->in_softirq);
	end(test, pong);
}

static void poll_unbound_workqueue(struct kunit *test)
{
	struct pong *pong = pong_new(test, IB_POLL_UNBOUND_WORKQUEUE);

	play(test, pong);
	end(test, pong);
}

/* Events that moderation holds back do not come when the CQ is gone. */
static void moderated(struct kunit *test)
{
	struct pong *pong = pong_new(test, IB_POLL_WORKQUEUE);

	KUNIT_ASSERT_EQ(test, rdma_set_cq_moderation(pong->cq, 10, 1000), 0);
	play(test, pong);
	end(test, pong);
}

static void message(struct rig *rig, struct ib_qp *qp, int flags)
{
	struct ib_send_wr wr = {
		.wr_id = 1,
		.opcode = IB_WR_SEND,
		.send_flags = flags,
	};

	KUNIT_ASSERT_EQ(rig->test, rig_post_recv(rig, qp, 2, rig->to, 8), 0);
	KUNIT_ASSERT_EQ(rig->test, ib_post_send(qp, &wr, NULL), 0);
}

static bool missed(struct rig *rig, enum ib_cq_notify_flags flags)
{
	return ib_req_notify_cq(rig->cq, flags | IB_CQ_REPORT_MISSED_EVENTS) == 1;
}

static bool posted(struct rig *rig, struct ib_qp *qp)
{
	return !rig_post_send(rig, qp, 1, rig->from, 8);
}

static void events(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_RC);

	rig_connect(rig, qp);
	/* Not armed. */
	message(rig, qp, 0);
	rig_wait_for(rig, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig->events), 0);

	/* One arm, one event. */
	KUNIT_EXPECT_EQ(test, ib_req_notify_cq(rig->cq, IB_CQ_NEXT_COMP |
					       IB_CQ_REPORT_MISSED_EVENTS), 0);
	message(rig, qp, 0);
	message(rig, qp, 0);
	KUNIT_EXPECT_TRUE(test, rig_until(atomic_read(&rig->events) == 1));
	rig_wait_for(rig, 2);
	rig_wait_for(rig, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig->events), 1);

	/* What is there already raises none, but one is told. */
	message(rig, qp, IB_SEND_SIGNALED);
	KUNIT_EXPECT_TRUE(test, rig_until(missed(rig, IB_CQ_SOLICITED)));
	KUNIT_EXPECT_EQ(test, ib_req_notify_cq(rig->cq, IB_CQ_SOLICITED), 0);
	rig_until(({ struct ib_wc wc;
		     ib_poll_cq(rig->cq, 1, &wc) == 1 && wc.wr_id == 1; }));

	/* Only a solicited one. */
	KUNIT_EXPECT_EQ(test, ib_req_notify_cq(rig->cq, IB_CQ_SOLICITED), 0);
	message(rig, qp, 0);
	message(rig, qp, IB_SEND_SOLICITED);
	KUNIT_EXPECT_TRUE(test, rig_until(atomic_read(&rig->events) == 2));
	ib_destroy_qp(qp);
}

/* They name a QP, so they go with it. */
static void completions_of_the_dead(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_RC);
	struct ib_wc wc;

	rig_connect(rig, qp);
	message(rig, qp, IB_SEND_SIGNALED);
	ib_req_notify_cq(rig->cq, IB_CQ_NEXT_COMP);
	KUNIT_EXPECT_TRUE(test, rig_until(missed(rig, IB_CQ_NEXT_COMP)));
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_poll_cq(rig->cq, 1, &wc), 0);
}

static void overrun(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_UC);
	struct ib_qp_attr attr;
	struct ib_qp_init_attr init;
	int i;

	rig_connect(rig, qp);
	/* Nobody receives these, which is not an error with UC. */
	for (i = 0; i < 4 * RIG_DEPTH; i++)
		KUNIT_ASSERT_TRUE(test, rig_until(posted(rig, qp)));
	KUNIT_EXPECT_EQ(test, atomic_read(&rig->cq_errors), 0);
	KUNIT_ASSERT_TRUE(test, rig_until(posted(rig, qp)));
	KUNIT_EXPECT_TRUE(test, rig_until(atomic_read(&rig->cq_errors) == 1));
	KUNIT_ASSERT_EQ(test, ib_query_qp(qp, &attr, IB_QP_STATE, &init), 0);
	KUNIT_EXPECT_EQ(test, attr.qp_state, IB_QPS_ERR);
	ib_destroy_qp(qp);
}

static struct kunit_case cq_cases[] = {
	KUNIT_CASE(poll_direct),
	KUNIT_CASE(poll_softirq),
	KUNIT_CASE(poll_workqueue),
	KUNIT_CASE(poll_unbound_workqueue),
	KUNIT_CASE(moderated),
	KUNIT_CASE(events),
	KUNIT_CASE(completions_of_the_dead),
	KUNIT_CASE(overrun),
	{}
};

static struct kunit_suite cq_suite = {
	.name = "srnic_verbs_cq",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = cq_cases,
};

kunit_test_suite(cq_suite);
