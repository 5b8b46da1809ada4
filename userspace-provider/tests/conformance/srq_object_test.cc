// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Creation and destruction of shared receive queues: limits and errnos.
#include "srq.h"

namespace conformance {
namespace {

class SrqObjectTest : public LocalTest {
protected:
	void SetUp() override
	{
		LocalTest::SetUp();
		NEED_SRQ();
		context_ = local_device().open();
		pd_.reset(must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd"));
		cq_.reset(must(ibv_create_cq(context_.get(), 16, nullptr, nullptr, 0), "cq"));
	}
	Srq create(uint32_t max_wr, uint32_t max_sge, ibv_srq_attr *granted = nullptr)
	{
		ibv_srq_init_attr init{};
		init.attr = {max_wr, max_sge, 0};
		Srq srq(ibv_create_srq(pd_.get(), &init));
		if (srq && granted)
			*granted = init.attr;
		return srq;
	}
	Qp create_qp(ibv_srq *srq, ibv_qp_type type = IBV_QPT_RC)
	{
		ibv_qp_init_attr init{};
		init.send_cq = init.recv_cq = cq_.get();
		init.srq = srq;
		init.cap = {4, 0, 1, 0, 0};
		init.qp_type = type;
		return Qp(must(ibv_create_qp(pd_.get(), &init), "ibv_create_qp"));
	}

	Context context_;
	Pd pd_;
	Cq cq_;
};

TEST_F(SrqObjectTest, Limits)
{
	const ibv_device_attr &device = local_device().attr();
	auto max_wr = static_cast<uint32_t>(device.max_srq_wr);
	auto max_sge = static_cast<uint32_t>(device.max_srq_sge);
	ibv_srq_attr granted{};
	{
		Srq srq = create(16, max_sge, &granted);
		ASSERT_TRUE(srq) << strerror(errno);
		EXPECT_GE(granted.max_sge, max_sge);
		EXPECT_EQ(query(srq.get()).max_sge, granted.max_sge);
		EXPECT_EQ(query(srq.get()).srq_limit, 0u);
	}
	if (!quick()) {
		Srq srq = create(max_wr, 1, &granted);
		ASSERT_TRUE(srq) << strerror(errno);
		EXPECT_GE(granted.max_wr, max_wr);
	}
	EXPECT_FALSE(create(max_wr + 1, 1));
	EXPECT_EQ(errno, EINVAL);
	EXPECT_FALSE(create(16, max_sge + 1));
	EXPECT_EQ(errno, EINVAL);
}

TEST_F(SrqObjectTest, OrderOfDestruction)
{
	Srq srq = create(16, 1);
	ASSERT_TRUE(srq);
	Qp qp = create_qp(srq.get());
	EXPECT_EQ(ibv_destroy_srq(srq.get()), EBUSY);
	EXPECT_EQ(ibv_dealloc_pd(pd_.get()), EBUSY);
	ASSERT_EQ(post(srq.get(), 1), 0) << "it is as it was";
	qp.reset();
	srq.reset();
	EXPECT_EQ(ibv_dealloc_pd(pd_.release()), 0);
}

TEST_F(SrqObjectTest, NoReceivesOfItsOwn)
{
	Srq srq = create(16, 1);
	ASSERT_TRUE(srq);
	Qp qp = create_qp(srq.get());
	ibv_recv_wr wr{}, *bad = nullptr;
	EXPECT_EQ(ibv_post_recv(qp.get(), &wr, &bad), EINVAL);
	EXPECT_EQ(bad, &wr);
}

TEST_F(SrqObjectTest, WhatAQueuePairAsksOfReceivesIsIgnored)
{
	Srq srq = create(16, 1);
	ASSERT_TRUE(srq);
	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = cq_.get();
	init.srq = srq.get();
	init.cap = {4, 16, 1, 1, 0};
	init.qp_type = IBV_QPT_UD;
	Qp qp(ibv_create_qp(pd_.get(), &init));
	EXPECT_TRUE(qp) << strerror(errno);
}

TEST_F(SrqObjectTest, UnknownAttribute)
{
	Srq srq = create(16, 1);
	ASSERT_TRUE(srq);
	ibv_srq_attr attr{};
	EXPECT_EQ(ibv_modify_srq(srq.get(), &attr, 0), 0) << "nothing is asked for";
	EXPECT_NE(ibv_modify_srq(srq.get(), &attr, 1 << 5), 0);
}

} // namespace
} // namespace conformance
