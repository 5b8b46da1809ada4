// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Thread domains, parent domains, and what no RoCE device of ours offers.
#include <infiniband/verbs.h>

#include "link.h"

namespace conformance {
namespace {

class DomainTest : public LocalTest {
protected:
	void SetUp() override
	{
		LocalTest::SetUp();
		if (IsSkipped())
			return;
		end_ = std::make_unique<LocalEndpoint>(local_device(), QpSpec{});
		ibv_td_init_attr attr{};
		td_ = ibv_alloc_td(end_->context.get(), &attr);
		if (!td_) {
			ASSERT_EQ(errno, EOPNOTSUPP);
			GTEST_SKIP() << "the device has no thread domains";
		}
		parent_ = parent_of(end_->pd.get(), td_);
		ASSERT_NE(parent_, nullptr) << strerror(errno);
	}
	void TearDown() override
	{
		if (!td_)
			return;
		if (parent_) {
			EXPECT_EQ(ibv_dealloc_pd(parent_), 0);
		}
		EXPECT_EQ(ibv_dealloc_td(td_), 0);
	}
	ibv_pd *parent_of(ibv_pd *pd, ibv_td *td, uint32_t comp_mask = 0)
	{
		ibv_parent_domain_init_attr attr{};
		attr.pd = pd;
		attr.td = td;
		attr.comp_mask = comp_mask;
		return ibv_alloc_parent_domain(end_->context.get(), &attr);
	}
	/// In place of the endpoint's QP, one in @pd.
	void recreate_in(ibv_pd *pd)
	{
		ibv_qp_init_attr init{};
		init.send_cq = end_->send_cq.get();
		init.recv_cq = end_->recv_cq.get();
		init.cap = {16, 16, 1, 1, 0};
		init.qp_type = IBV_QPT_RC;
		end_->qp.reset(must(ibv_create_qp(pd, &init), "ibv_create_qp"));
	}

	std::unique_ptr<LocalEndpoint> end_;
	ibv_td *td_ = nullptr;
	ibv_pd *parent_ = nullptr;
};

TEST_F(DomainTest, AQpInAParentDomainWorks)
{
	recreate_in(parent_);
	EXPECT_EQ(end_->qp->pd, parent_);
	LocalEndpoint peer(local_device(), {});
	peer.connect(end_->address(), {});
	end_->connect(peer.address(), {});
	// Memory of the protection domain inside and of the parent domain are the same.
	Region near = end_->reg(4096), far = peer.reg(4096);
	end_->fill(near.address, 4096, 1);
	for (uint64_t i = 0; i < 100; i++) {
		ASSERT_EQ(peer.post_recv(i, {far.sge()}), 0);
		ASSERT_EQ(end_->post_send({.wr_id = i, .sges = {near.sge()}}), 0);
		auto sent = end_->poll(Queue::kSend, 1), got = peer.poll(Queue::kReceive, 1);
		ASSERT_EQ(sent.size() + got.size(), 2u);
		ASSERT_EQ(sent[0].status, IBV_WC_SUCCESS);
		ASSERT_EQ(sent[0].wr_id, i);
	}
	EXPECT_EQ(peer.mismatch(far.address, 4096, 1), -1);
	EXPECT_EQ(ibv_dealloc_pd(parent_), EBUSY) << "a QP is in it";
	end_->qp.reset();
}

TEST_F(DomainTest, WhatIsInUseStays)
{
	EXPECT_EQ(ibv_dealloc_td(td_), EBUSY);
	EXPECT_EQ(ibv_dealloc_pd(end_->pd.get()), EBUSY);
	ibv_pd *second = parent_of(end_->pd.get(), td_);
	ASSERT_NE(second, nullptr);
	EXPECT_EQ(ibv_dealloc_pd(second), 0);
	EXPECT_EQ(ibv_dealloc_td(td_), EBUSY);
}

TEST_F(DomainTest, WithoutAThreadDomain)
{
	ibv_pd *plain = parent_of(end_->pd.get(), nullptr);
	ASSERT_NE(plain, nullptr);
	recreate_in(plain);
	end_->qp.reset();
	EXPECT_EQ(ibv_dealloc_pd(plain), 0);
}

TEST_F(DomainTest, WhatIsRefused)
{
	EXPECT_EQ(parent_of(nullptr, td_), nullptr);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(parent_of(parent_, td_), nullptr) << "not of a parent domain";
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(parent_of(end_->pd.get(), td_, 1u << 31), nullptr);
	EXPECT_TRUE(errno == EINVAL || errno == EOPNOTSUPP) << strerror(errno);
	ibv_td_init_attr attr{.comp_mask = 1};
	EXPECT_EQ(ibv_alloc_td(end_->context.get(), &attr), nullptr);
	EXPECT_TRUE(errno == EINVAL || errno == EOPNOTSUPP) << strerror(errno);
}

TEST_F(DomainTest, ACqInAParentDomain)
{
	ibv_cq_init_attr_ex attr{};
	attr.cqe = 64;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	attr.parent_domain = end_->pd.get();
	EXPECT_EQ(ibv_create_cq_ex(end_->context.get(), &attr), nullptr) << "no parent domain";
	EXPECT_EQ(errno, EINVAL);
	attr.parent_domain = parent_;
	ibv_cq_ex *cq = ibv_create_cq_ex(end_->context.get(), &attr);
	ASSERT_NE(cq, nullptr) << strerror(errno);
	EXPECT_EQ(ibv_dealloc_pd(parent_), EBUSY) << "a CQ is in it";
	ibv_poll_cq_attr poll{};
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(ibv_start_poll(cq, &poll), ENOENT);
	EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

TEST_F(DomainTest, AnSrqInAParentDomain)
{
	ibv_srq_init_attr init{};
	init.attr.max_wr = 8;
	init.attr.max_sge = 1;
	ibv_srq *srq = ibv_create_srq(parent_, &init);
	ASSERT_NE(srq, nullptr) << strerror(errno);
	EXPECT_EQ(ibv_dealloc_pd(parent_), EBUSY);
	ibv_recv_wr wr{}, *bad;
	for (uint32_t i = 0; i < init.attr.max_wr; i++)
		ASSERT_EQ(ibv_post_srq_recv(srq, &wr, &bad), 0);
	EXPECT_EQ(ibv_post_srq_recv(srq, &wr, &bad), ENOMEM);
	ibv_srq_attr attr{};
	attr.max_wr = 64;
	if (local_device().attr().device_cap_flags & IBV_DEVICE_SRQ_RESIZE) {
		ASSERT_EQ(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), 0);
		EXPECT_EQ(ibv_post_srq_recv(srq, &wr, &bad), 0);
	}
	EXPECT_EQ(ibv_destroy_srq(srq), 0);
}

class RefusalTest : public LocalTest {};

TEST_F(RefusalTest, WhatADeviceDoesNotOffer)
{
	LocalEndpoint end(local_device(), {});
	ibv_device_attr_ex attr{};
	must_be_zero(ibv_query_device_ex(end.context.get(), nullptr, &attr), "query");
	if (attr.max_wq_type_rq == 0) {
		ibv_wq_init_attr wq{};
		wq.wq_type = IBV_WQT_RQ;
		wq.max_wr = wq.max_sge = 1;
		wq.pd = end.pd.get();
		wq.cq = end.recv_cq.get();
		EXPECT_EQ(ibv_create_wq(end.context.get(), &wq), nullptr);
		EXPECT_EQ(errno, EOPNOTSUPP);
		ibv_rwq_ind_table_init_attr table{};
		EXPECT_EQ(ibv_create_rwq_ind_table(end.context.get(), &table), nullptr);
		EXPECT_EQ(errno, EOPNOTSUPP);
	}
	ibv_flow_attr flow{};
	flow.type = IBV_FLOW_ATTR_NORMAL;
	flow.size = sizeof(flow);
	flow.port = kPort;
	errno = 0;
	EXPECT_EQ(ibv_create_flow(end.qp.get(), &flow), nullptr);
	EXPECT_EQ(errno, EOPNOTSUPP);
	ibv_ece ece{};
	int error = ibv_query_ece(end.qp.get(), &ece);
	if (error) {
		EXPECT_EQ(error, EOPNOTSUPP);
		EXPECT_EQ(ibv_set_ece(end.qp.get(), &ece), EOPNOTSUPP);
	}
	EXPECT_EQ(ibv_qp_to_qp_ex(end.qp.get()), nullptr) << "made without send operations";
}

TEST_F(RefusalTest, GidsByIndex)
{
	Context context = local_device().open();
	int length = local_device().port().gid_tbl_len;
	auto table = local_device().gid_table();
	ASSERT_FALSE(table.empty());
	for (const ibv_gid_entry &entry : table) {
		ibv_gid_entry one{};
		ibv_gid gid{};
		ASSERT_EQ(ibv_query_gid_ex(context.get(), entry.port_num, entry.gid_index, &one, 0), 0);
		EXPECT_EQ(memcmp(one.gid.raw, entry.gid.raw, 16), 0);
		EXPECT_EQ(one.gid_type, entry.gid_type);
		EXPECT_EQ(one.ndev_ifindex, entry.ndev_ifindex);
		EXPECT_EQ(ibv_query_gid(context.get(), kPort, static_cast<int>(entry.gid_index), &gid), 0);
		EXPECT_EQ(memcmp(gid.raw, entry.gid.raw, 16), 0);
	}
	ibv_gid_entry one{};
	EXPECT_NE(ibv_query_gid_ex(context.get(), kPort, static_cast<uint32_t>(length), &one, 0), 0);
	EXPECT_NE(ibv_query_gid_ex(context.get(), kPort + 1, 0, &one, 0), 0);
	EXPECT_NE(ibv_query_gid_ex(context.get(), kPort, 0, &one, 1), 0) << "unknown flags";
}

} // namespace
} // namespace conformance
