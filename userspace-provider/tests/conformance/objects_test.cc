// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Creation and destruction of PDs, CQs, QPs and AHs: limits and errnos.
#include <set>

#include "link.h"

namespace conformance {
namespace {

class ObjectsTest : public LocalTest {
protected:
	ibv_qp_init_attr init(ibv_qp_type type = IBV_QPT_RC) const
	{
		ibv_qp_init_attr init{};
		init.send_cq = cq_.get();
		init.recv_cq = cq_.get();
		init.cap = {16, 16, 1, 1, 0};
		init.qp_type = type;
		return init;
	}
	/// errno of creating a QP; 0 if that worked.
	int try_qp(ibv_qp_init_attr init) const
	{
		Qp qp(ibv_create_qp(pd_.get(), &init));
		return qp ? 0 : errno;
	}
	int try_cq(int cqe, int vector = 0) const
	{
		Cq cq(ibv_create_cq(context_.get(), cqe, nullptr, nullptr, vector));
		return cq ? 0 : errno;
	}
	int try_ah(ibv_ah_attr attr) const
	{
		Ah ah(ibv_create_ah(pd_.get(), &attr));
		return ah ? 0 : errno;
	}
	ibv_ah_attr ah_attr() const
	{
		Gid gid = *device_.gid(Family::kIpv4);
		ibv_ah_attr attr{};
		attr.is_global = 1;
		attr.port_num = kPort;
		attr.grh.dgid = gid.gid;
		attr.grh.sgid_index = gid.index;
		attr.grh.hop_limit = 64;
		return attr;
	}

	const Device &device_ = local_device();
	Context context_ = device_.open();
	Pd pd_{must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd")};
	Cq cq_{must(ibv_create_cq(context_.get(), 64, nullptr, nullptr, 0), "ibv_create_cq")};
};

TEST_F(ObjectsTest, BusyPdStays)
{
	Cq cq(must(ibv_create_cq(context_.get(), 16, nullptr, nullptr, 0), "ibv_create_cq"));
	Pd pd(must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd"));
	Memory memory(4096);
	{
		Mr mr(must(ibv_reg_mr(pd.get(), memory.data(), 4096, 0), "ibv_reg_mr"));
		EXPECT_EQ(ibv_dealloc_pd(pd.get()), EBUSY);
	}
	ibv_qp_init_attr attr = init();
	Qp qp(must(ibv_create_qp(pd.get(), &attr), "ibv_create_qp"));
	EXPECT_EQ(ibv_dealloc_pd(pd.get()), EBUSY);
}

TEST_F(ObjectsTest, BusyCqStays)
{
	ibv_qp_init_attr attr = init();
	Qp qp(must(ibv_create_qp(pd_.get(), &attr), "ibv_create_qp"));
	EXPECT_EQ(ibv_destroy_cq(cq_.get()), EBUSY);
	ibv_wc wc;
	EXPECT_EQ(ibv_poll_cq(cq_.get(), 1, &wc), 0) << "it still works";
}

TEST_F(ObjectsTest, CqSizes)
{
	int max = device_.attr().max_cqe;
	EXPECT_EQ(try_cq(0), EINVAL);
	EXPECT_EQ(try_cq(-1), EINVAL);
	EXPECT_EQ(try_cq(1), 0);
	EXPECT_EQ(try_cq(max), 0);
	EXPECT_EQ(try_cq(max + 1), EINVAL);
	EXPECT_EQ(try_cq(INT32_MAX), EINVAL);
	for (int cqe : {1, 2, 3, 63, 64, 65, 1000}) {
		Cq cq(must(ibv_create_cq(context_.get(), cqe, nullptr, nullptr, 0),
			   "ibv_create_cq"));
		EXPECT_GE(cq->cqe, cqe);
	}
}

TEST_F(ObjectsTest, CqVectors)
{
	EXPECT_EQ(try_cq(16, context_->num_comp_vectors - 1), 0);
	EXPECT_EQ(try_cq(16, context_->num_comp_vectors), EINVAL);
	EXPECT_EQ(try_cq(16, -1), EINVAL);
}

TEST_F(ObjectsTest, QpWorkRequestLimits)
{
	auto max = static_cast<uint32_t>(device_.attr().max_qp_wr);
	for (auto member : {&ibv_qp_cap::max_send_wr, &ibv_qp_cap::max_recv_wr}) {
		ibv_qp_init_attr attr = init();
		attr.cap.*member = max;
		EXPECT_EQ(try_qp(attr), 0);
		attr.cap.*member = max + 1;
		EXPECT_EQ(try_qp(attr), EINVAL);
		attr.cap.*member = UINT32_MAX;
		EXPECT_EQ(try_qp(attr), EINVAL);
	}
}

TEST_F(ObjectsTest, QpScatterGatherLimits)
{
	auto max = static_cast<uint32_t>(device_.attr().max_sge);
	for (auto member : {&ibv_qp_cap::max_send_sge, &ibv_qp_cap::max_recv_sge}) {
		ibv_qp_init_attr attr = init();
		attr.cap.*member = max;
		EXPECT_EQ(try_qp(attr), 0);
		attr.cap.*member = max + 1;
		EXPECT_EQ(try_qp(attr), EINVAL);
		attr.cap.*member = UINT32_MAX;
		EXPECT_EQ(try_qp(attr), EINVAL);
	}
}

TEST_F(ObjectsTest, QpWithEveryMaximumAtOnce)
{
	ibv_qp_init_attr attr = init();
	attr.cap.max_send_wr = static_cast<uint32_t>(device_.attr().max_qp_wr);
	attr.cap.max_recv_wr = static_cast<uint32_t>(device_.attr().max_qp_wr);
	attr.cap.max_send_sge = static_cast<uint32_t>(device_.attr().max_sge);
	attr.cap.max_recv_sge = static_cast<uint32_t>(device_.attr().max_sge);
	int error = try_qp(attr);
	EXPECT_TRUE(error == 0 || error == ENOMEM) << "only memory may be short: " << error;
}

TEST_F(ObjectsTest, QpInlineLimit)
{
	// The largest is not advertised; each power of two works, or is refused and so are larger
	// ones.
	uint32_t largest = 0;
	for (uint32_t bytes = 16; bytes <= 65536; bytes *= 2) {
		ibv_qp_init_attr attr = init();
		attr.cap.max_inline_data = bytes;
		int error = try_qp(attr);
		if (error == 0) {
			EXPECT_EQ(largest, bytes == 16 ? 0 : bytes / 2);
			largest = bytes;
		} else {
			EXPECT_EQ(error, EINVAL);
		}
	}
	EXPECT_GE(largest, 64u);
	EXPECT_LT(largest, 65536u);
}

TEST_F(ObjectsTest, QpCapsAreAtLeastWhatWasAsked)
{
	for (uint32_t n : {0u, 1u, 3u, 17u, 100u}) {
		ibv_qp_init_attr attr = init();
		attr.cap = {n, n, n ? 5u : 0u, n ? 3u : 0u, n};
		Qp qp(must(ibv_create_qp(pd_.get(), &attr), "ibv_create_qp"));
		EXPECT_GE(attr.cap.max_send_wr, n);
		EXPECT_GE(attr.cap.max_recv_wr, n);
		EXPECT_GE(attr.cap.max_send_sge, n ? 5u : 0u);
		EXPECT_GE(attr.cap.max_recv_sge, n ? 3u : 0u);
		EXPECT_GE(attr.cap.max_inline_data, n);
		ibv_qp_attr got{};
		ibv_qp_init_attr got_init{};
		ASSERT_EQ(ibv_query_qp(qp.get(), &got, IBV_QP_CAP, &got_init), 0);
		EXPECT_EQ(memcmp(&got_init.cap, &attr.cap, sizeof(attr.cap)), 0);
	}
}

TEST_F(ObjectsTest, QpTypesThatDoNotExist)
{
	for (auto type : {static_cast<ibv_qp_type>(0), static_cast<ibv_qp_type>(1),
			  static_cast<ibv_qp_type>(77), static_cast<ibv_qp_type>(0x1000)})
		EXPECT_NE(try_qp(init(type)), 0) << type;
	EXPECT_NE(try_qp(init(IBV_QPT_RAW_PACKET)), 0);
}

TEST_F(ObjectsTest, QpNumbersAreDistinct)
{
	std::set<uint32_t> numbers;
	std::vector<Qp> qps;
	for (int i = 0; i < 200; i++) {
		ibv_qp_init_attr attr = init(i % 3 == 0	  ? IBV_QPT_RC
					     : i % 3 == 1 ? IBV_QPT_UC
							  : IBV_QPT_UD);
		qps.emplace_back(must(ibv_create_qp(pd_.get(), &attr), "ibv_create_qp"));
		uint32_t number = qps.back()->qp_num;
		EXPECT_GE(number, 2u);
		EXPECT_LT(number, 0xffffffu);
		EXPECT_TRUE(numbers.insert(number).second) << number << " twice";
	}
}

TEST_F(ObjectsTest, AhNeedsAGlobalRoute)
{
	EXPECT_EQ(try_ah(ah_attr()), 0);
	ibv_ah_attr attr = ah_attr();
	attr.is_global = 0;
	EXPECT_NE(try_ah(attr), 0);
	attr = ah_attr();
	attr.port_num = 2;
	EXPECT_EQ(try_ah(attr), EINVAL);
	attr.port_num = 0;
	EXPECT_EQ(try_ah(attr), EINVAL);
	attr = ah_attr();
	attr.grh.sgid_index = 255; // no address lives there
	EXPECT_NE(try_ah(attr), 0);
}

TEST_F(ObjectsTest, ManyAddressHandles)
{
	ibv_ah_attr attr = ah_attr();
	std::vector<Ah> handles;
	for (int i = 0; i < scaled(1000, 100); i++)
		handles.emplace_back(must(ibv_create_ah(pd_.get(), &attr), "ibv_create_ah"));
}

TEST_F(ObjectsTest, CreationsAndDestructionsDoNotUseThingsUp)
{
	for (int i = 0; i < scaled(500, 50); i++) {
		Cq cq(must(ibv_create_cq(context_.get(), 100, nullptr, nullptr, 0),
			   "ibv_create_cq"));
		ibv_qp_init_attr attr = init();
		attr.send_cq = attr.recv_cq = cq.get();
		Qp qp(must(ibv_create_qp(pd_.get(), &attr), "ibv_create_qp"));
	}
}

} // namespace
} // namespace conformance
