// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues of consumers in the kernel.
 */
#include "verbs_rig.h"

struct srq_rig {
	struct ib_srq *srq;
	atomic_t limits;
	atomic_t last_wqes;
};

static void on_srq_event(struct ib_event *event, void *context)
{
	struct srq_rig *shared = context;

	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		atomic_inc(&shared->limits);
}

static void on_qp_event(struct ib_event *event, void *context)
{
	struct srq_rig *shared = context;

	if (event->event == IB_EVENT_QP_LAST_WQE_REACHED)
		atomic_inc(&shared->last_wqes);
}

static struct srq_rig *shared_new(struct kunit *test)
{
	struct srq_rig *shared = kunit_kzalloc(test, sizeof(*shared), GFP_KERNEL);
	struct ib_srq_init_attr init = {
		.event_handler = on_srq_event,
		.srq_context = shared,
		.attr = { .max_wr = RIG_DEPTH, .max_sge = RIG_SGES },
		.srq_type = IB_SRQT_BASIC,
	};
	struct rig *rig = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, shared);
	shared->srq = ib_create_srq(rig->pd, &init);
	KUNIT_ASSERT_FALSE(test, IS_ERR(shared->srq));
	return shared;
}

static struct ib_qp *qp_with(struct rig *rig, struct srq_rig *shared)
{
	struct ib_qp_init_attr init = {
		.event_handler = on_qp_event,
		.qp_context = shared,
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.srq = shared->srq,
	};
	struct ib_qp *qp = rig_qp(rig, &init);

	rig_connect(rig, qp);
	return qp;
}

static int post(struct rig *rig, struct srq_rig *shared, u64 wr_id)
{
	struct ib_sge sge = rig_sge(rig, rig->to, 100);
	struct ib_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 };

	return ib_post_srq_recv(shared->srq, &wr, NULL);
}

static void message(struct rig *rig, struct ib_qp *qp)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND };

	KUNIT_ASSERT_EQ(rig->test, ib_post_send(qp, &wr, NULL), 0);
}

static void two_qps(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct srq_rig *shared = shared_new(test);
	struct ib_qp *one = qp_with(rig, shared);
	struct ib_qp *two = qp_with(rig, shared);
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(test, post(rig, shared, 1), 0);
	KUNIT_ASSERT_EQ(test, post(rig, shared, 2), 0);
	/* Its own queue it does not have. */
	KUNIT_EXPECT_EQ(test, rig_post_recv(rig, one, 9, rig->to, 8), -EINVAL);
	message(rig, two);
	wc = rig_wait_for(rig, 1);
	KUNIT_EXPECT_PTR_EQ(test, wc.qp, two);
	message(rig, one);
	wc = rig_wait_for(rig, 2);
	KUNIT_EXPECT_PTR_EQ(test, wc.qp, one);
	ib_destroy_qp(two);
	ib_destroy_qp(one);
	ib_destroy_srq(shared->srq);
}

static void full_and_resized(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct srq_rig *shared = shared_new(test);
	struct ib_qp *qp = qp_with(rig, shared);
	struct ib_srq_attr attr = { .max_wr = 2 * RIG_DEPTH };
	u64 i;

	for (i = 1; i <= RIG_DEPTH; i++)
		KUNIT_ASSERT_EQ(test, post(rig, shared, i), 0);
	KUNIT_EXPECT_EQ(test, post(rig, shared, i), -ENOMEM);
	KUNIT_ASSERT_EQ(test, ib_modify_srq(shared->srq, &attr, IB_SRQ_MAX_WR),
			0);
	KUNIT_EXPECT_EQ(test, post(rig, shared, i), 0);
	KUNIT_ASSERT_EQ(test, ib_query_srq(shared->srq, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.max_wr, 2U * RIG_DEPTH);
	for (i = 1; i <= RIG_DEPTH + 1; i++) {
		message(rig, qp);
		rig_wait_for(rig, i);
	}
	ib_destroy_qp(qp);
	ib_destroy_srq(shared->srq);
}

static void limit(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct srq_rig *shared = shared_new(test);
	struct ib_qp *qp = qp_with(rig, shared);
	struct ib_srq_attr attr = { .srq_limit = 2 };
	u64 i;

	for (i = 1; i <= 3; i++)
		KUNIT_ASSERT_EQ(test, post(rig, shared, i), 0);
	KUNIT_ASSERT_EQ(test, ib_modify_srq(shared->srq, &attr, IB_SRQ_LIMIT), 0);
	message(rig, qp);
	rig_wait_for(rig, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&shared->limits), 0);
	message(rig, qp);
	rig_wait_for(rig, 2);
	KUNIT_EXPECT_TRUE(test, rig_until(atomic_read(&shared->limits) == 1));

	/* In ERR it takes none any more, and says so. */
	rig_modify(rig, qp, IB_QPS_ERR);
	KUNIT_EXPECT_TRUE(test, rig_until(atomic_read(&shared->last_wqes) == 1));
	ib_destroy_qp(qp);
	ib_destroy_srq(shared->srq);
}

static struct kunit_case srq_cases[] = {
	KUNIT_CASE(two_qps),
	KUNIT_CASE(full_and_resized),
	KUNIT_CASE(limit),
	{}
};

static struct kunit_suite srq_suite = {
	.name = "srnic_verbs_srq",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = srq_cases,
};

kunit_test_suite(srq_suite);
