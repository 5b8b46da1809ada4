// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Extended CQs: every field, the clock, and the flags of creation.
#include <arpa/inet.h>

#include <ctime>

#include "link.h"

namespace conformance {
namespace {

using ExtendedCq = std::unique_ptr<ibv_cq_ex, decltype([](ibv_cq_ex *cq) {
					   EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
				   })>;

class ExtendedCqTest : public LocalTest {
protected:
	/// A pair of which `far_` receives into an extended CQ, in @type.
	bool open(ibv_cq_init_attr_ex attr, ibv_qp_type type = IBV_QPT_RC)
	{
		QpSpec spec;
		spec.type = type;
		far_ = std::make_unique<LocalEndpoint>(local_device(), spec);
		near_ = std::make_unique<LocalEndpoint>(local_device(), spec);
		attr.cqe = attr.cqe ? attr.cqe : 64;
		cq_.reset(ibv_create_cq_ex(far_->context.get(), &attr));
		if (!cq_)
			return false;
		ibv_qp_init_attr init{};
		init.send_cq = init.recv_cq = ibv_cq_ex_to_cq(cq_.get());
		init.cap = {64, 64, 1, 1, 0};
		init.qp_type = type;
		far_->qp.reset(must(ibv_create_qp(far_->pd.get(), &init), "ibv_create_qp"));
		far_->connect(near_->address(), {});
		near_->connect(far_->address(), {});
		return true;
	}
	void TearDown() override
	{
		if (far_)
			far_->qp.reset();
		cq_.reset();
	}
	void send(uint32_t immediate, const std::vector<ibv_sge> &into = {})
	{
		ASSERT_EQ(far_->post_recv(immediate, into), 0);
		SendSpec spec{.opcode = IBV_WR_SEND_WITH_IMM};
		spec.immediate = immediate;
		spec.to = far_->address();
		ASSERT_EQ(near_->post_send(spec), 0);
		ASSERT_EQ(near_->poll(Queue::kSend, 1).size(), 1u);
	}
	bool start()
	{
		ibv_poll_cq_attr attr{};
		return eventually([&] { return ibv_start_poll(cq_.get(), &attr) == 0; });
	}
	uint64_t device_clock()
	{
		ibv_values_ex values{};
		values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
		must_be_zero(ibv_query_rt_values_ex(far_->context.get(), &values), "clock");
		return static_cast<uint64_t>(values.raw_clock.tv_sec) * 1'000'000'000 +
		       static_cast<uint64_t>(values.raw_clock.tv_nsec);
	}
	static uint64_t wall_clock()
	{
		timespec now{};
		clock_gettime(CLOCK_REALTIME, &now);
		return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
		       static_cast<uint64_t>(now.tv_nsec);
	}

	std::unique_ptr<LocalEndpoint> near_, far_;
	ExtendedCq cq_;
};

TEST_F(ExtendedCqTest, StandardFields)
{
	ibv_cq_init_attr_ex attr{};
	attr.wc_flags = IBV_WC_STANDARD_FLAGS;
	for (ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UD}) {
		TearDown();
		ASSERT_TRUE(open(attr, type)) << strerror(errno);
		Region region = far_->reg(64);
		send(77, {region.sge()});
		ASSERT_TRUE(start());
		ibv_cq_ex *cq = cq_.get();
		EXPECT_EQ(cq->wr_id, 77u);
		EXPECT_EQ(ibv_wc_read_byte_len(cq), type == IBV_QPT_UD ? 40u : 0u);
		EXPECT_EQ(ntohl(ibv_wc_read_imm_data(cq)), 77u);
		EXPECT_EQ(ibv_wc_read_qp_num(cq), far_->qp->qp_num);
		if (type == IBV_QPT_UD) {
			EXPECT_EQ(ibv_wc_read_src_qp(cq), near_->qp->qp_num);
			EXPECT_TRUE(ibv_wc_read_wc_flags(cq) & IBV_WC_GRH);
		}
		EXPECT_EQ(ibv_wc_read_slid(cq), 0u);
		EXPECT_EQ(ibv_wc_read_dlid_path_bits(cq), 0);
		EXPECT_EQ(ibv_wc_read_vendor_err(cq), 0u);
		(void)ibv_wc_read_sl(cq);
		EXPECT_EQ(ibv_next_poll(cq), ENOENT);
		ibv_end_poll(cq);
	}
}

TEST_F(ExtendedCqTest, TimestampsAreOfTheDevicesClock)
{
	ibv_device_attr_ex device{};
	Context context = local_device().open();
	must_be_zero(ibv_query_device_ex(context.get(), nullptr, &device), "query");
	if (!device.completion_timestamp_mask)
		GTEST_SKIP() << "the device has no timestamps";
	EXPECT_EQ(device.hca_core_clock, 1'000'000u) << "kHz: what follows is in nanoseconds";
	ibv_cq_init_attr_ex attr{};
	attr.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
	ASSERT_TRUE(open(attr)) << strerror(errno);
	uint64_t last = 0;
	for (uint32_t i = 0; i < 10; i++) {
		uint64_t before = device_clock(), wall_before = wall_clock();
		send(i);
		ASSERT_TRUE(start());
		uint64_t stamp = ibv_wc_read_completion_ts(cq_.get());
		uint64_t wall = ibv_wc_read_completion_wallclock_ns(cq_.get());
		ibv_end_poll(cq_.get());
		EXPECT_GT(stamp, before);
		EXPECT_LT(stamp, device_clock());
		EXPECT_GT(stamp, last);
		// The clocks are read one after the other.
		EXPECT_GT(wall + 50'000'000, wall_before);
		EXPECT_LT(wall, wall_clock() + 50'000'000);
		last = stamp;
	}
}

TEST_F(ExtendedCqTest, PollingGoesOnWhereItEnded)
{
	ibv_cq_init_attr_ex attr{};
	ASSERT_TRUE(open(attr));
	for (uint32_t i = 0; i < 6; i++)
		send(i);
	for (uint64_t i = 0; i < 6; i += 2) {
		ASSERT_TRUE(start());
		EXPECT_EQ(cq_->wr_id, i);
		ASSERT_EQ(ibv_next_poll(cq_.get()), 0);
		EXPECT_EQ(cq_->wr_id, i + 1);
		ibv_end_poll(cq_.get());
	}
	ibv_poll_cq_attr poll{};
	EXPECT_EQ(ibv_start_poll(cq_.get(), &poll), ENOENT);
	poll.comp_mask = 1;
	EXPECT_EQ(ibv_start_poll(cq_.get(), &poll), EINVAL);
	// Both ways of polling the same CQ.
	send(9);
	EXPECT_EQ(conformance::poll(ibv_cq_ex_to_cq(cq_.get()), 1).size(), 1u);
}

TEST_F(ExtendedCqTest, WhatIsRefused)
{
	ibv_cq_init_attr_ex attr{};
	for (uint64_t flag : {uint64_t{IBV_WC_EX_WITH_TM_INFO}, uint64_t{1} << 40}) {
		attr.wc_flags = flag;
		EXPECT_FALSE(open(attr)) << flag;
		EXPECT_TRUE(errno == EOPNOTSUPP || errno == EINVAL) << strerror(errno);
	}
	attr.wc_flags = 0;
	attr.comp_mask = 1u << 31;
	EXPECT_FALSE(open(attr));
	EXPECT_TRUE(errno == EOPNOTSUPP || errno == EINVAL) << strerror(errno);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = 1u << 31;
	EXPECT_FALSE(open(attr));
	EXPECT_TRUE(errno == EOPNOTSUPP || errno == EINVAL) << strerror(errno);
}

TEST_F(ExtendedCqTest, SingleThreaded)
{
	ibv_cq_init_attr_ex attr{};
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	if (!open(attr))
		GTEST_SKIP() << strerror(errno);
	for (uint32_t i = 0; i < 200; i++) {
		send(i);
		ASSERT_TRUE(start());
		ASSERT_EQ(cq_->wr_id, i);
		ibv_end_poll(cq_.get());
	}
}

TEST_F(ExtendedCqTest, IgnoredOverrun)
{
	ibv_cq_init_attr_ex attr{};
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	attr.cqe = 8;
	if (!open(attr))
		GTEST_SKIP() << strerror(errno);
	int size = ibv_cq_ex_to_cq(cq_.get())->cqe;
	ASSERT_LT(size, 60);
	for (int i = 0; i < size + 5; i++)
		send(static_cast<uint32_t>(i));
	EXPECT_EQ(far_->wait_event(moment()), -1) << "no event";
	EXPECT_EQ(far_->state(), IBV_QPS_RTS) << "and no error";
	auto got = conformance::poll(ibv_cq_ex_to_cq(cq_.get()), static_cast<size_t>(size));
	EXPECT_EQ(got.size(), static_cast<size_t>(size));
	EXPECT_TRUE(conformance::poll(ibv_cq_ex_to_cq(cq_.get()), 1, moment()).empty());
	send(1000);
	got = conformance::poll(ibv_cq_ex_to_cq(cq_.get()), 1);
	ASSERT_EQ(got.size(), 1u);
	EXPECT_EQ(got[0].wr_id, 1000u) << "it goes on";
}

TEST_F(ExtendedCqTest, CompletionVectors)
{
	Context context = local_device().open();
	ASSERT_GE(context->num_comp_vectors, 1);
	for (int vector = 0; vector < context->num_comp_vectors; vector++)
		Cq(must(ibv_create_cq(context.get(), 4, nullptr, nullptr, vector), "CQ"));
	for (int vector : {-1, context->num_comp_vectors, INT32_MAX}) {
		EXPECT_EQ(ibv_create_cq(context.get(), 4, nullptr, nullptr, vector), nullptr);
		EXPECT_EQ(errno, EINVAL) << vector;
	}
}

TEST_F(ExtendedCqTest, ValuesThatAreNotThere)
{
	Context context = local_device().open();
	ibv_values_ex values{};
	values.comp_mask = 1u << 31;
	EXPECT_NE(ibv_query_rt_values_ex(context.get(), &values), 0);
}

} // namespace
} // namespace conformance
