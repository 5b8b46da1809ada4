// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The device's limits on objects are reached, and not exceeded.
#include <vector>

#include "link.h"

namespace conformance {
namespace {

/// Makes objects until it cannot; they live as long as this.
template <typename Owner> class Heap {
public:
	/// @make returns an object or nullptr with errno. Gives up behind @limit.
	template <typename Make> Heap(int limit, Make make)
	{
		objects_.reserve(static_cast<size_t>(limit) + 1);
		while (objects_.size() <= static_cast<size_t>(limit)) {
			Owner object(make());
			error_ = errno;
			if (!object)
				return;
			objects_.push_back(std::move(object));
		}
		error_ = 0;
	}
	int count() const { return static_cast<int>(objects_.size()); }
	/// errno of the one that could not be made; 0 if all could.
	int error() const { return error_; }

private:
	std::vector<Owner> objects_;
	int error_ = 0;
};

class LimitsTest : public LocalTest {
protected:
	void SetUp() override
	{
		LocalTest::SetUp();
		if (!getenv("SRNIC_TEST_HUGE"))
			GTEST_SKIP() << "set SRNIC_TEST_HUGE=1; needs 6 GiB of memory";
		alarm(1800);
	}
	/// @own: objects of the kind that the test holds besides.
	template <typename Owner, typename Make> void reach(int limit, int own, Make make)
	{
		{
			Heap<Owner> heap(limit, make);
			EXPECT_EQ(heap.count() + own, limit);
			EXPECT_EQ(heap.error(), ENOMEM) << strerror(heap.error());
		}
		Owner again(make());
		EXPECT_TRUE(again) << "there is room again: " << strerror(errno);
	}

	const ibv_device_attr &attr_ = local_device().attr();
	Context context_ = local_device().open();
	Pd pd_{must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd")};
	Cq cq_{must(ibv_create_cq(context_.get(), 1, nullptr, nullptr, 0), "ibv_create_cq")};
};

TEST_F(LimitsTest, ProtectionDomains)
{
	reach<Pd>(attr_.max_pd, 1, [&] { return ibv_alloc_pd(context_.get()); });
}

TEST_F(LimitsTest, CompletionQueues)
{
	reach<Cq>(attr_.max_cq, 1,
		  [&] { return ibv_create_cq(context_.get(), 1, nullptr, nullptr, 0); });
}

TEST_F(LimitsTest, QueuePairs)
{
	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = cq_.get();
	init.cap = {1, 1, 1, 1, 0};
	init.qp_type = IBV_QPT_RC;
	reach<Qp>(attr_.max_qp, 0, [&] {
		ibv_qp_init_attr copy = init;
		return ibv_create_qp(pd_.get(), &copy);
	});
}

TEST_F(LimitsTest, AddressHandles)
{
	Gid gid = *local_device().gid(Family::kIpv4);
	ibv_ah_attr ah{};
	ah.is_global = 1;
	ah.port_num = kPort;
	ah.grh.dgid = gid.gid;
	ah.grh.sgid_index = static_cast<uint8_t>(gid.index);
	reach<Ah>(attr_.max_ah, 0, [&] { return ibv_create_ah(pd_.get(), &ah); });
}

TEST_F(LimitsTest, MemoryRegions)
{
	static uint8_t byte;
	reach<Mr>(attr_.max_mr, 0, [&] { return ibv_reg_mr(pd_.get(), &byte, 1, 0); });
}

TEST_F(LimitsTest, SharedReceiveQueues)
{
	ibv_srq_init_attr init{};
	init.attr = {1, 1, 0};
	reach<Srq>(attr_.max_srq, 0, [&] {
		ibv_srq_init_attr copy = init;
		return ibv_create_srq(pd_.get(), &copy);
	});
}

TEST_F(LimitsTest, MemoryWindows)
{
	reach<Mw>(attr_.max_mw, 0, [&] { return ibv_alloc_mw(pd_.get(), IBV_MW_TYPE_1); });
}

TEST_F(LimitsTest, LargestQueues)
{
	Cq cq(ibv_create_cq(context_.get(), attr_.max_cqe, nullptr, nullptr, 0));
	ASSERT_TRUE(cq) << strerror(errno);
	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = cq.get();
	auto wr = static_cast<uint32_t>(attr_.max_qp_wr);
	auto sge = static_cast<uint32_t>(attr_.max_sge);
	init.cap = {wr, wr, sge, sge, 0};
	init.qp_type = IBV_QPT_RC;
	Qp qp(ibv_create_qp(pd_.get(), &init));
	EXPECT_TRUE(qp) << strerror(errno);
}

} // namespace
} // namespace conformance
