// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fast registration as consumers and peers must not use it.
 */
#include "verbs_fast_reg.h"

/* What no peer may access is no peer's to invalidate; nor what is not registered. */
static void remote_invalidate_refused(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp = connected(rig);
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	KUNIT_ASSERT_EQ(test, reg(rig, qp, mr, IB_ACCESS_LOCAL_WRITE), IB_WC_SUCCESS);
	send_inv(rig, qp, mr->rkey, &wc);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_MW_BIND_ERR);
	ib_destroy_qp(qp);

	qp = connected(rig);
	KUNIT_EXPECT_EQ(test, inv(rig, qp, mr->rkey), IB_WC_SUCCESS);
	send_inv(rig, qp, mr->rkey, &wc);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_MW_BIND_ERR);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* Each on a QP of its own, as the first error ends it. */
static void expect_reg(struct rig *rig, struct ib_mr *mr, int access,
		       enum ib_wc_status status)
{
	struct ib_qp *qp = connected(rig);

	KUNIT_EXPECT_EQ(rig->test, reg(rig, qp, mr, access), status);
	ib_destroy_qp(qp);
}

static void expect_inv(struct rig *rig, u32 key, enum ib_wc_status status)
{
	struct ib_qp *qp = connected(rig);

	KUNIT_EXPECT_EQ(rig->test, inv(rig, qp, key), status);
	ib_destroy_qp(qp);
}

static void misuse(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	u32 old = mr->rkey;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	expect_inv(rig, mr->rkey, IB_WC_MW_BIND_ERR);
	/* Peers write what the host may not (10.6.3.1). */
	expect_reg(rig, mr, IB_ACCESS_REMOTE_WRITE, IB_WC_MW_BIND_ERR);
	expect_reg(rig, mr, IB_ACCESS_REMOTE_ATOMIC, IB_WC_MW_BIND_ERR);
	expect_reg(rig, mr, IB_ACCESS_ON_DEMAND, IB_WC_MW_BIND_ERR);
	bump(mr);
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_SUCCESS);
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_MW_BIND_ERR);
	bump(mr);
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_MW_BIND_ERR);
	expect_inv(rig, old, IB_WC_MW_BIND_ERR);
	expect_inv(rig, mr->rkey, IB_WC_MW_BIND_ERR);
	expect_inv(rig, ib_inc_rkey(old), IB_WC_SUCCESS);
	expect_inv(rig, ib_inc_rkey(old), IB_WC_MW_BIND_ERR);
	/* All of memory is not registered by work request; 0 is no key. */
	expect_inv(rig, rig->mr->lkey, IB_WC_MW_BIND_ERR);
	expect_inv(rig, 0, IB_WC_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, map(rig, rig->mr, rig->to, 64, PAGE_SIZE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

static void rights_and_keys(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp = connected(rig);
	u32 old = mr->rkey;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	bump(mr);
	KUNIT_ASSERT_EQ(test, reg(rig, qp, mr, IB_ACCESS_REMOTE_READ), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, read(rig, qp, mr->rkey, mr->iova, rig->to + 100, 64),
			IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, refused(write(rig, qp, mr->rkey, mr->iova, rig->from, 8)));
	KUNIT_EXPECT_EQ(test, rig->to[0], 0);
	ib_destroy_qp(qp);

	qp = connected(rig);
	KUNIT_EXPECT_TRUE(test, refused(read(rig, qp, old, mr->iova, rig->to + 100, 8)));
	ib_destroy_qp(qp);

	qp = connected(rig);
	KUNIT_EXPECT_TRUE(test, refused(read(rig, qp, mr->rkey, mr->iova - 1, rig->to + 100, 8)));
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

static void other_protection_domain(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_pd *own = rig->pd, *pd = ib_alloc_pd(rig->dev, 0);
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp;

	KUNIT_ASSERT_FALSE(test, IS_ERR(pd));
	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	rig->pd = pd;
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_MW_BIND_ERR);
	rig->pd = own;
	expect_reg(rig, mr, ALL_ACCESS, IB_WC_SUCCESS);
	rig->pd = pd;
	expect_inv(rig, mr->rkey, IB_WC_MW_BIND_ERR);
	qp = connected(rig);
	KUNIT_EXPECT_TRUE(test, refused(read(rig, qp, mr->rkey, mr->iova, rig->to + 100, 8)));
	ib_destroy_qp(qp);
	rig->pd = own;
	ib_dealloc_pd(pd);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* It may be valid, and a work request may be on its way to it. */
static void deregister_in_use(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp = connected(rig);
	struct ib_reg_wr wr;
	u32 rkey = mr->rkey;
	u64 iova;

	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	iova = mr->iova;
	KUNIT_ASSERT_EQ(test, reg(rig, qp, mr, ALL_ACCESS), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	KUNIT_EXPECT_TRUE(test, refused(read(rig, qp, rkey, iova, rig->to + 100, 8)));
	ib_destroy_qp(qp);

	qp = connected(rig);
	mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	KUNIT_ASSERT_EQ(test, map(rig, mr, rig->to, 64, PAGE_SIZE), 1);
	wr = reg_of(mr, 1, ALL_ACCESS);
	KUNIT_ASSERT_EQ(test, ib_post_send(qp, &wr.wr, NULL), 0);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	/* Before or after: it completes in any case. */
	rig_wait_for(rig, 1);
	ib_destroy_qp(qp);
}

static void not_of_a_datagram_qp(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_mr *mr = new_mr(rig, IB_MR_TYPE_MEM_REG, 2);
	struct ib_qp *qp = rig_plain_qp(rig, IB_QPT_UD);
	struct ib_reg_wr wr = reg_of(mr, 1, ALL_ACCESS);

	rig_connect(rig, qp);
	KUNIT_EXPECT_EQ(test, ib_post_send(qp, &wr.wr, NULL), -EINVAL);
	ib_destroy_qp(qp);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(remote_invalidate_refused),
	KUNIT_CASE(misuse),
	KUNIT_CASE(rights_and_keys),
	KUNIT_CASE(other_protection_domain),
	KUNIT_CASE(deregister_in_use),
	KUNIT_CASE(not_of_a_datagram_qp),
	{}
};

static struct kunit_suite suite = {
	.name = "srnic_verbs_fast_reg_misuse",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
