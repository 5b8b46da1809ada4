// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Memory windows of both types: what they open, to whom, and for how long.
#include <algorithm>

#include "window_link.h"

namespace conformance {
namespace {

std::string type_name(const testing::TestParamInfo<ibv_mw_type> &info)
{
	return info.param == IBV_MW_TYPE_1 ? "Type1" : "Type2";
}

class EitherWindowTest : public WindowTest, public testing::WithParamInterface<ibv_mw_type> {
protected:
	void SetUp() override { NEED_WINDOWS(GetParam()); }

	/// @spec is refused by a completion.
	void expect_no_bind(const BindSpec &spec)
	{
		EXPECT_EQ(bind(spec).status, IBV_WC_MW_BIND_ERR);
		EXPECT_TRUE(eventually([&] { return b().state() == IBV_QPS_ERR; }));
	}
};

TEST_P(EitherWindowTest, OpensAPartOfARegion)
{
	open_regions();
	window(GetParam(), 4000, 8192);
	expect_write(rkey_, 4000, 8192);
	expect_write(rkey_, 5001, 3);
	b().fill(far_.address + 6000, 3000, 7);
	complete(access(IBV_WR_RDMA_READ, rkey_, 6000, 3000));
	EXPECT_EQ(a().mismatch(near_.address, 3000, 7), -1);

	b().poke64(far_.address + 8000, 40);
	SendSpec add = access(IBV_WR_ATOMIC_FETCH_AND_ADD, rkey_, 8000, 8);
	add.compare_add = 2;
	complete(add);
	EXPECT_EQ(a().peek64(near_.address), 40u);
	EXPECT_EQ(b().peek64(far_.address + 8000), 42u);
}

TEST_P(EitherWindowTest, NoByteOutside)
{
	for (auto [offset, bytes] : {std::pair{3999, 2}, {12191, 2}, {12192, 1}, {3999, 8194}}) {
		open_regions();
		window(GetParam(), 4000, 8192);
		b().fill(far_.address, far_.length, 9);
		expect_refused(access(IBV_WR_RDMA_WRITE, rkey_, static_cast<uint64_t>(offset),
				      static_cast<uint32_t>(bytes)));
		EXPECT_EQ(b().mismatch(far_.address, far_.length, 9), -1);
	}
}

TEST_P(EitherWindowTest, NothingThatIsNotGranted)
{
	constexpr std::pair<unsigned, ibv_wr_opcode> kinds[] = {
		{IBV_ACCESS_REMOTE_WRITE, IBV_WR_RDMA_WRITE},
		{IBV_ACCESS_REMOTE_READ, IBV_WR_RDMA_READ},
		{IBV_ACCESS_REMOTE_ATOMIC, IBV_WR_ATOMIC_FETCH_AND_ADD},
	};
	for (auto [granted, first] : kinds) {
		for (auto [needed, opcode] : kinds) {
			open_regions();
			window(GetParam(), 0, 64, granted);
			complete(access(opcode, rkey_, 0, 8),
				 granted == needed ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR);
		}
	}
}

TEST_P(EitherWindowTest, NothingBeforeItIsBound)
{
	open_regions();
	Window window = b().alloc_window(GetParam());
	expect_refused(access(IBV_WR_RDMA_WRITE, window.rkey, 0, 8));
}

TEST_P(EitherWindowTest, NothingOnceItIsGone)
{
	open_regions();
	Window opened = window(GetParam(), 0, 64);
	expect_write(rkey_, 0, 64);
	EXPECT_EQ(b().dealloc_window(opened), 0);
	expect_refused(access(IBV_WR_RDMA_WRITE, rkey_, 0, 8));
}

TEST_P(EitherWindowTest, ItsKeyIsNoLocalKey)
{
	open_regions();
	window(GetParam(), 0, 64);
	SendSpec send{.sges = {{far_.address, 8, rkey_}}};
	ASSERT_EQ(b().post_send(send), 0);
	EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_LOC_PROT_ERR);
}

TEST_P(EitherWindowTest, TheRegionMustAllowIt)
{
	open_regions();
	far_ = b().reg(4096, IBV_ACCESS_LOCAL_WRITE);
	expect_no_bind(part(b().alloc_window(GetParam()), 0, 64));
}

TEST_P(EitherWindowTest, WritingNeedsLocalWrite)
{
	for (unsigned access : {IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_ATOMIC}) {
		open_regions();
		far_ = b().reg(4096, IBV_ACCESS_MW_BIND);
		expect_no_bind(part(b().alloc_window(GetParam()), 0, 64, access));
	}
	open_regions();
	far_ = b().reg(4096, IBV_ACCESS_MW_BIND);
	window(GetParam(), 0, 64, IBV_ACCESS_REMOTE_READ);
	complete(access(IBV_WR_RDMA_READ, rkey_, 0, 64));
}

TEST_P(EitherWindowTest, AllOfItInsideTheRegion)
{
	open_regions();
	for (auto [offset, bytes] :
	     {std::pair<uint64_t, uint64_t>{0, 16385}, {16384, 1}, {~0ull, 2}, {1, ~0ull}}) {
		open_regions();
		expect_no_bind(part(b().alloc_window(GetParam()), offset, bytes));
	}
}

TEST_P(EitherWindowTest, ARegionWithWindowsStays)
{
	open_regions();
	Window first = window(GetParam(), 0, 64);
	Window second = window(GetParam(), 32, 64);
	EXPECT_NE(b().dereg(far_), 0);
	EXPECT_EQ(b().dealloc_window(first), 0);
	EXPECT_NE(b().dereg(far_), 0);
	expect_write(rkey_, 32, 64);
	EXPECT_EQ(b().dealloc_window(second), 0);
	EXPECT_EQ(b().dereg(far_), 0);
}

TEST_P(EitherWindowTest, ConnectionWithoutAnswers)
{
	open_regions({.type = IBV_QPT_UC});
	window(GetParam(), 4000, 8192);
	a().fill(near_.address, 8192, 77);
	complete(access(IBV_WR_RDMA_WRITE, rkey_, 4000, 8192));
	EXPECT_TRUE(eventually(
		[&] { return b().mismatch(far_.address + 4000, 8192, 77) == -1; }));
}

TEST_P(EitherWindowTest, CompletesInOrderAmongOthers)
{
	open_regions();
	Region buffer = b().reg(100000);
	b().fill(buffer.address, buffer.length, 3);
	Region target = a().reg(100000);
	for (uint64_t i = 0; i < 8; i++) {
		SendSpec write{.wr_id = 2 * i, .opcode = IBV_WR_RDMA_WRITE, .sges = {buffer.sge()}};
		write.remote_address = target.address;
		write.rkey = target.rkey;
		ASSERT_EQ(b().post_send(write), 0);
		BindSpec spec = part(b().alloc_window(GetParam()), 64 * i, 64);
		spec.wr_id = 2 * i + 1;
		ASSERT_EQ(b().bind_window(spec).error, 0);
	}
	auto completions = b().poll(Queue::kSend, 16);
	ASSERT_EQ(completions.size(), 16u);
	for (uint64_t i = 0; i < 16; i++) {
		EXPECT_EQ(completions[i].wr_id, i);
		EXPECT_EQ(completions[i].status, IBV_WC_SUCCESS);
		EXPECT_EQ(completions[i].opcode, i % 2 ? IBV_WC_BIND_MW : IBV_WC_RDMA_WRITE);
	}
}

TEST_P(EitherWindowTest, FlushedAfterAnError)
{
	open_regions();
	far_ = b().reg(4096, IBV_ACCESS_LOCAL_WRITE);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(b().bind_window(part(b().alloc_window(GetParam()), 0, 64)).error, 0);
	auto completions = b().poll(Queue::kSend, 3);
	ASSERT_EQ(completions.size(), 3u);
	EXPECT_EQ(completions[0].status, IBV_WC_MW_BIND_ERR);
	EXPECT_EQ(completions[1].status, IBV_WC_WR_FLUSH_ERR);
	EXPECT_EQ(completions[2].status, IBV_WC_WR_FLUSH_ERR);
}

INSTANTIATE_TEST_SUITE_P(Windows, EitherWindowTest,
			 testing::Values(IBV_MW_TYPE_1, IBV_MW_TYPE_2), type_name);

class Window1Test : public WindowTest {
protected:
	void SetUp() override { NEED_WINDOWS(IBV_MW_TYPE_1); }
};

TEST_F(Window1Test, BoundAnewUnderAnotherKey)
{
	open_regions();
	Window opened = window(IBV_MW_TYPE_1, 0, 64);
	uint32_t old = rkey_;
	Region second = b().reg(4096, kBindable);
	BindSpec spec = part(opened, 0, 128);
	spec.region = second;
	spec.address = second.address;
	bind_well(spec);
	EXPECT_NE(rkey_, old);
	EXPECT_EQ(rkey_ >> 8, old >> 8);
	far_ = second;
	expect_write(rkey_, 0, 128);
	expect_refused(access(IBV_WR_RDMA_WRITE, old, 0, 8));
}

TEST_F(Window1Test, BoundToNothing)
{
	open_regions();
	Window opened = window(IBV_MW_TYPE_1, 0, 64);
	expect_write(rkey_, 0, 64);
	uint32_t old = rkey_;
	BindSpec spec = part(opened, 0, 0);
	spec.no_region = true;
	spec.address = 0;
	bind_well(spec);
	EXPECT_EQ(b().dereg(far_), 0) << "no window holds it any more";
	expect_refused(access(IBV_WR_RDMA_WRITE, old, 0, 8));
}

TEST_F(Window1Test, IsNotPostedLikeType2)
{
	open_regions();
	Window one = a().alloc_window(IBV_MW_TYPE_1);
	Region region = a().reg(4096, kBindable);
	ibv_send_wr wr{}, *bad = nullptr;
	wr.opcode = IBV_WR_BIND_MW;
	wr.bind_mw = {a().mw(one), ibv_inc_rkey(one.rkey),
		      {a().mr(region), region.address, 64, kAllRemote}};
	EXPECT_EQ(ibv_post_send(a().qp.get(), &wr, &bad), EINVAL);
	EXPECT_EQ(bad, &wr);
}

TEST_F(Window1Test, IsNotZeroBased)
{
	open_regions();
	Bound bound = b().bind_window(part(b().alloc_window(IBV_MW_TYPE_1), 0, 64,
					   kAllRemote | IBV_ACCESS_ZERO_BASED));
	if (!bound.error) {
		EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_MW_BIND_ERR);
	}
}

class Window2Test : public WindowTest {
protected:
	void SetUp() override { NEED_WINDOWS(IBV_MW_TYPE_2); }
};

TEST_F(Window2Test, IsNotBoundTwice)
{
	open_regions();
	Window opened = window(IBV_MW_TYPE_2, 0, 64);
	EXPECT_EQ(bind(part(opened, 0, 128)).status, IBV_WC_MW_BIND_ERR);
}

TEST_F(Window2Test, IsNotBoundToNothing)
{
	open_regions();
	BindSpec spec = part(b().alloc_window(IBV_MW_TYPE_2), 0, 0);
	EXPECT_EQ(bind(spec).status, IBV_WC_MW_BIND_ERR);
}

TEST_F(Window2Test, MayBeZeroBased)
{
	open_regions();
	window(IBV_MW_TYPE_2, 4000, 100, kAllRemote | IBV_ACCESS_ZERO_BASED);
	a().fill(near_.address, 100, 5);
	SendSpec send = access(IBV_WR_RDMA_WRITE, rkey_, 0, 90);
	send.remote_address = 10;
	complete(send);
	EXPECT_EQ(b().mismatch(far_.address + 4010, 90, 5), -1);
	send.remote_address = 11;
	expect_refused(send);
}

/// Aligned in the window is not aligned in memory: no atomic can be done there.
TEST_F(Window2Test, AtomicsOfAWindowThatIsNotAligned)
{
	std::vector<ibv_wr_opcode> opcodes = {IBV_WR_ATOMIC_FETCH_AND_ADD};
	if (local_device().has_atomic_write())
		opcodes.push_back(IBV_WR_ATOMIC_WRITE);
	for (ibv_wr_opcode opcode : opcodes) {
		open_regions();
		window(IBV_MW_TYPE_2, 4, 64, kAllRemote | IBV_ACCESS_ZERO_BASED);
		b().fill(far_.address, 64, 9);
		SendSpec send = access(opcode, rkey_, 0, 8);
		send.remote_address = 8;
		expect_refused(send);
		EXPECT_EQ(b().mismatch(far_.address, 64, 9), -1);
	}
}

TEST_F(Window2Test, ItsKeyIsTheConsumersChoice)
{
	open_regions();
	Window opened = a().alloc_window(IBV_MW_TYPE_2);
	Region region = a().reg(4096, kBindable);
	for (uint32_t flip : {0x100u, 0x80000000u}) {
		ibv_send_wr wr{}, *bad = nullptr;
		wr.opcode = IBV_WR_BIND_MW;
		wr.bind_mw = {a().mw(opened), opened.rkey ^ flip,
			      {a().mr(region), region.address, 64, kAllRemote}};
		int error = ibv_post_send(a().qp.get(), &wr, &bad);
		if (!error)
			GTEST_SKIP() << "the other 24 bits are not looked at";
		EXPECT_EQ(error, EINVAL);
	}
	ibv_send_wr wr{}, *bad = nullptr;
	wr.opcode = IBV_WR_BIND_MW;
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.bind_mw = {a().mw(opened), opened.rkey ^ 0xa5,
		      {a().mr(region), region.address, 64, kAllRemote}};
	ASSERT_EQ(ibv_post_send(a().qp.get(), &wr, &bad), 0);
	EXPECT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	Region source = b().reg(64);
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {source.sge()}};
	send.remote_address = region.address;
	send.rkey = opened.rkey ^ 0xa5;
	ASSERT_EQ(b().post_send(send), 0);
	EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
}

/// A second connection whose far end shares the protection domain of b().
class SharedDomainTest : public WindowTest {
protected:
	void open_second()
	{
		auto &peer = static_cast<LocalEndpoint &>(b());
		second_ = std::make_unique<LocalEndpoint>(local_device(), QpSpec{});
		beside_ = std::make_unique<LocalEndpoint>(peer_device(), QpSpec{});
		ibv_qp_init_attr init{};
		init.send_cq = peer.send_cq.get();
		init.recv_cq = peer.recv_cq.get();
		init.cap = {16, 16, 1, 1, 0};
		init.qp_type = IBV_QPT_RC;
		beside_->qp.reset(must(ibv_create_qp(peer.pd.get(), &init), "ibv_create_qp"));
		beside_->connect(second_->address(), {});
		second_->connect(beside_->address(), {});
	}

	/// A WRITE by the second connection.
	ibv_wc write_beside(uint32_t rkey)
	{
		Region source = second_->reg(64);
		SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {source.sge()}};
		send.remote_address = far_.address;
		send.rkey = rkey;
		must_be_zero(second_->post_send(send), "post_send");
		return one(*second_, Queue::kSend);
	}

	void TearDown() override
	{
		// Before what they share with b().
		if (beside_)
			beside_->qp.reset();
		second_.reset();
	}

	std::unique_ptr<LocalEndpoint> second_;
	std::unique_ptr<LocalEndpoint> beside_;
};

#define NEED_LOCAL_PEER()                                                  \
	do {                                                               \
		if (!options().connect.empty())                            \
			GTEST_SKIP() << "needs the peer's verbs objects";  \
	} while (0)

TEST_F(SharedDomainTest, Type1IsForAllQps)
{
	NEED_LOCAL_PEER();
	NEED_WINDOWS(IBV_MW_TYPE_1);
	open_regions();
	open_second();
	window(IBV_MW_TYPE_1, 0, 64);
	EXPECT_EQ(write_beside(rkey_).status, IBV_WC_SUCCESS);
	expect_write(rkey_, 0, 64);
}

TEST_F(SharedDomainTest, Type2IsForItsQpOnly)
{
	NEED_LOCAL_PEER();
	NEED_WINDOWS(IBV_MW_TYPE_2);
	open_regions();
	open_second();
	window(IBV_MW_TYPE_2, 0, 64);
	EXPECT_EQ(write_beside(rkey_).status, IBV_WC_REM_ACCESS_ERR);
	expect_write(rkey_, 0, 64);
}

TEST_F(SharedDomainTest, AQpThatGoesClosesItsWindows)
{
	NEED_LOCAL_PEER();
	NEED_WINDOWS(IBV_MW_TYPE_2);
	open_regions();
	auto &peer = static_cast<LocalEndpoint &>(b());
	Window opened = window(IBV_MW_TYPE_2, 0, 64);
	peer.qp.reset();
	EXPECT_EQ(b().dealloc_window(opened), 0);
	EXPECT_EQ(b().dereg(far_), 0);
}

TEST_F(SharedDomainTest, AllOfOneDomain)
{
	NEED_LOCAL_PEER();
	for (ibv_mw_type type : {IBV_MW_TYPE_1, IBV_MW_TYPE_2}) {
		if (!has(type))
			continue;
		// The window's, then the region's.
		for (int which : {0, 1}) {
			open_regions();
			auto &peer = static_cast<LocalEndpoint &>(b());
			Pd other(must(ibv_alloc_pd(peer.context.get()), "ibv_alloc_pd"));
			Memory memory(4096);
			Mr mr(must(ibv_reg_mr((which ? other : peer.pd).get(), memory.data(), 4096,
					      kBindable),
				   "ibv_reg_mr"));
			Mw mw(must(ibv_alloc_mw((which ? peer.pd : other).get(), type),
				   "ibv_alloc_mw"));
			ibv_mw_bind_info info{mr.get(), memory.address(), 64, kAllRemote};
			int error;
			if (type == IBV_MW_TYPE_1) {
				ibv_mw_bind bind{1, IBV_SEND_SIGNALED, info};
				error = ibv_bind_mw(peer.qp.get(), mw.get(), &bind);
			} else {
				ibv_send_wr wr{}, *bad = nullptr;
				wr.opcode = IBV_WR_BIND_MW;
				wr.send_flags = IBV_SEND_SIGNALED;
				wr.bind_mw = {mw.get(), ibv_inc_rkey(mw->rkey), info};
				error = ibv_post_send(peer.qp.get(), &wr, &bad);
			}
			if (!error) {
				EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_MW_BIND_ERR);
			}
			peer.qp.reset();
		}
	}
}

class WindowObjectTest : public LocalTest {};

TEST_F(WindowObjectTest, KindsAndKeys)
{
	if (!(local_device().attr().device_cap_flags & IBV_DEVICE_MEM_WINDOW))
		GTEST_SKIP() << "no windows";
	Context context = local_device().open();
	Pd pd(must(ibv_alloc_pd(context.get()), "ibv_alloc_pd"));
	EXPECT_GT(local_device().attr().max_mw, 0);
	std::vector<Mw> windows;
	std::vector<uint32_t> keys;
	for (int i = 0; i < 100; i++) {
		windows.emplace_back(must(ibv_alloc_mw(pd.get(), IBV_MW_TYPE_1), "ibv_alloc_mw"));
		keys.push_back(windows.back()->rkey >> 8);
	}
	std::sort(keys.begin(), keys.end());
	EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
	EXPECT_EQ(ibv_alloc_mw(pd.get(), static_cast<ibv_mw_type>(3)), nullptr);
	EXPECT_NE(ibv_dealloc_pd(pd.get()), 0) << "windows are left in it";
}

} // namespace
} // namespace conformance
