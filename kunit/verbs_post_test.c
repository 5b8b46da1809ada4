// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting by a consumer in the kernel: from where, when, and what is refused.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#include "verbs_rig.h"

static void refused_before_its_time(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_RC);

	KUNIT_EXPECT_EQ(test, rig_post_recv(rig, qp, 1, rig->to, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, rig_post_send(rig, qp, 1, rig->from, 8), -EINVAL);
	rig_modify(rig, qp, IB_QPS_INIT);
	KUNIT_EXPECT_EQ(test, rig_post_recv(rig, qp, 1, rig->to, 8), 0);
	KUNIT_EXPECT_EQ(test, rig_post_send(rig, qp, 1, rig->from, 8), -EINVAL);
	rig_modify(rig, qp, IB_QPS_RTR);
	KUNIT_EXPECT_EQ(test, rig_post_send(rig, qp, 1, rig->from, 8), -EINVAL);
	ib_destroy_qp(qp);
}

/* Each of them alone, in a QP that stays as it is. */
static void refuse(struct rig *rig, struct ib_qp *qp, struct ib_send_wr *wr)
{
	const struct ib_send_wr *bad = NULL;

	KUNIT_EXPECT_EQ(rig->test, ib_post_send(qp, wr, &bad), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(rig->test, bad, (const struct ib_send_wr *)wr);
}

static void bad_work_requests(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_UC);
	struct ib_sge sge[RIG_SGES + 1];
	/* Fields of RDMA are looked at only where there are any. */
	struct ib_rdma_wr rdma = { .wr = { .opcode = IB_WR_RDMA_READ } };
	struct ib_send_wr many = {
		.opcode = IB_WR_SEND, .sg_list = sge, .num_sge = RIG_SGES + 1,
	};
	struct ib_send_wr unknown = { .opcode = IB_WR_LSO };
	struct ib_send_wr flags = {
		.opcode = IB_WR_SEND, .send_flags = IB_SEND_IP_CSUM,
	};
	struct ib_send_wr large = {
		.opcode = IB_WR_SEND, .send_flags = IB_SEND_INLINE,
		.sg_list = sge, .num_sge = 2,
	};
	struct ib_recv_wr recv = { .sg_list = sge, .num_sge = RIG_SGES + 1 };
	int i;

	for (i = 0; i < ARRAY_SIZE(sge); i++)
		sge[i] = rig_sge(rig, rig->from, 4000);
	rig_connect(rig, qp);
	refuse(rig, qp, &rdma.wr);
	refuse(rig, qp, &many);
	refuse(rig, qp, &unknown);
	refuse(rig, qp, &flags);
	refuse(rig, qp, &large);
	KUNIT_EXPECT_EQ(test, ib_post_recv(qp, &recv, NULL), -EINVAL);

	KUNIT_EXPECT_EQ(test, rig_post_send(rig, qp, 5, rig->from, 8), 0);
	KUNIT_EXPECT_EQ(test, rig_wait_for(rig, 5).status, IB_WC_SUCCESS);
	ib_destroy_qp(qp);
}

static void datagram_without_address(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_UD);
	struct ib_ud_wr wr = { .wr = { .opcode = IB_WR_SEND } };

	rig_connect(rig, qp);
	refuse(rig, qp, &wr.wr);
	ib_destroy_qp(qp);
}

/* What comes before a bad one is executed. */
static void good_before_bad(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_UC);
	struct ib_send_wr last = { .wr_id = 3, .opcode = IB_WR_SEND };
	struct ib_send_wr bad = { .next = &last, .wr_id = 2,
				  .opcode = IB_WR_LSO };
	struct ib_send_wr good = { .next = &bad, .wr_id = 1,
				   .opcode = IB_WR_SEND,
				   .send_flags = IB_SEND_SIGNALED };
	const struct ib_send_wr *bad_wr = NULL;

	rig_connect(rig, qp);
	KUNIT_EXPECT_EQ(test, ib_post_send(qp, &good, &bad_wr), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, bad_wr, (const struct ib_send_wr *)&bad);
	KUNIT_EXPECT_EQ(test, rig_wait_for(rig, 1).status, IB_WC_SUCCESS);
	ib_destroy_qp(qp);
}

/* With no receive posted, sends stay in their queue. */
static void full_queues(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_RC);
	u64 i;

	rig_connect(rig, qp);
	for (i = 0; i < RIG_DEPTH; i++)
		KUNIT_ASSERT_EQ(test, rig_post_send(rig, qp, 100 + i, rig->from,
						    8), 0);
	KUNIT_EXPECT_EQ(test, rig_post_send(rig, qp, 1, rig->from, 8), -ENOMEM);

	rig_modify(rig, qp, IB_QPS_ERR);
	for (i = 0; i < RIG_DEPTH; i++)
		rig_expect_flushed(rig, 100 + i);
	/* In ERR, too, one may post, and it is flushed: sends and receives. */
	KUNIT_EXPECT_EQ(test, rig_post_send(rig, qp, 7, rig->from, 8), 0);
	rig_expect_flushed(rig, 7);
	KUNIT_EXPECT_EQ(test, rig_post_recv(rig, qp, 8, rig->from, 8), 0);
	rig_expect_flushed(rig, 8);

	/* And a QP that was reset is as new. */
	rig_modify(rig, qp, IB_QPS_RESET);
	rig_modify(rig, qp, IB_QPS_INIT);
	for (i = 0; i < RIG_DEPTH; i++)
		KUNIT_ASSERT_EQ(test, rig_post_recv(rig, qp, 200 + i, rig->to,
						    8), 0);
	KUNIT_EXPECT_EQ(test, rig_post_recv(rig, qp, 1, rig->to, 8), -ENOMEM);
	ib_destroy_qp(qp);
}

/* Posts a receive and a send, polls and arms, wherever it is called. */
struct somewhere {
	struct rig *rig;
	struct ib_qp *qp;
	struct timer_list timer;
	struct hrtimer hrtimer;
	struct completion done;
	int err;
	spinlock_t lock; /* of the consumer, held while it posts */
};

static void post_there(struct somewhere *there)
{
	struct rig *rig = there->rig;
	struct ib_wc wc;

	there->err = rig_post_recv(rig, there->qp, 1, rig->to, 100);
	if (!there->err)
		there->err = rig_post_send(rig, there->qp, 2, rig->from, 100);
	if (!there->err && ib_req_notify_cq(rig->cq, IB_CQ_NEXT_COMP) < 0)
		there->err = -EIO;
	if (!there->err && ib_poll_cq(rig->cq, 0, &wc))
		there->err = -EIO;
	complete(&there->done);
}

static void expect_arrival(struct somewhere *there)
{
	struct rig *rig = there->rig;
	struct ib_wc wc[2] = {};
	int count = 0;

	KUNIT_EXPECT_EQ(rig->test, there->err, 0);
	rig_until((count += ib_poll_cq(rig->cq, 2 - count, wc + count)) == 2);
	KUNIT_EXPECT_EQ(rig->test, count, 2);
	KUNIT_EXPECT_EQ(rig->test, wc[0].status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(rig->test, wc[1].status, IB_WC_SUCCESS);
}

static void timer_fired(struct timer_list *timer)
{
	post_there(container_of(timer, struct somewhere, timer));
}

static enum hrtimer_restart hrtimer_fired(struct hrtimer *timer)
{
	post_there(container_of(timer, struct somewhere, hrtimer));
	return HRTIMER_NORESTART;
}

static void from_anywhere(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct somewhere *there = kunit_kzalloc(test, sizeof(*there), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, there);
	there->rig = rig;
	there->qp = rig_plain_qp(rig, IB_QPT_RC);
	init_completion(&there->done);
	spin_lock_init(&there->lock);
	rig_connect(rig, there->qp);

	/* A soft interrupt. */
	timer_setup(&there->timer, timer_fired, 0);
	mod_timer(&there->timer, jiffies + 1);
	wait_for_completion(&there->done);
	timer_delete_sync(&there->timer);
	expect_arrival(there);

	/* A hard one. */
	hrtimer_setup(&there->hrtimer, hrtimer_fired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_start(&there->hrtimer, ms_to_ktime(1), HRTIMER_MODE_REL_HARD);
	wait_for_completion(&there->done);
	hrtimer_cancel(&there->hrtimer);
	expect_arrival(there);

	/* A process that holds a lock of its own. */
	spin_lock_irq(&there->lock);
	post_there(there);
	spin_unlock_irq(&there->lock);
	expect_arrival(there);
	spin_lock_bh(&there->lock);
	post_there(there);
	spin_unlock_bh(&there->lock);
	expect_arrival(there);
	ib_destroy_qp(there->qp);
}

static struct kunit_case post_cases[] = {
	KUNIT_CASE(refused_before_its_time),
	KUNIT_CASE(bad_work_requests),
	KUNIT_CASE(datagram_without_address),
	KUNIT_CASE(good_before_bad),
	KUNIT_CASE(full_queues),
	KUNIT_CASE(from_anywhere),
	{}
};

static struct kunit_suite post_suite = {
	.name = "srnic_verbs_post",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = post_cases,
};

kunit_test_suite(post_suite);
