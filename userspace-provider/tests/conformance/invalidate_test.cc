// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Local invalidate, and SEND with invalidate: what becomes of the key, and of whom
// else uses it.
#include <thread>

#include "window_link.h"

namespace conformance {
namespace {

class InvalidateTest : public WindowTest {
protected:
	void SetUp() override { NEED_WINDOWS(IBV_MW_TYPE_2); }

	static SendSpec local_invalidate(uint32_t rkey)
	{
		SendSpec send{.wr_id = 0x14a, .opcode = IBV_WR_LOCAL_INV};
		send.invalidate = rkey;
		return send;
	}

	static SendSpec send_invalidate(uint32_t rkey, std::vector<ibv_sge> sges = {})
	{
		SendSpec send{.opcode = IBV_WR_SEND_WITH_INV, .sges = std::move(sges)};
		send.invalidate = rkey;
		return send;
	}

	/// Keys that are no bound window of type 2 of b()'s QP.
	std::vector<uint32_t> bad_keys()
	{
		std::vector<uint32_t> keys = {far_.rkey, far_.rkey ^ 1, 0, 0xffffffff,
					      b().alloc_window(IBV_MW_TYPE_2).rkey};
		window(IBV_MW_TYPE_2, 64, 64);
		keys.push_back(rkey_ ^ 1);
		if (has(IBV_MW_TYPE_1)) {
			window(IBV_MW_TYPE_1, 0, 64);
			keys.push_back(rkey_);
		}
		return keys;
	}
	static constexpr size_t kBadKeys = 7;
};

TEST_F(InvalidateTest, ByItsOwner)
{
	open_regions();
	Window opened = window(IBV_MW_TYPE_2, 0, 64);
	uint32_t first = rkey_;
	expect_write(first, 0, 64);
	ASSERT_EQ(b().post_send(local_invalidate(first)), 0);
	ibv_wc wc = one(b(), Queue::kSend);
	EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(wc.opcode, IBV_WC_LOCAL_INV);
	EXPECT_EQ(wc.wr_id, 0x14au);

	bind_well(part(opened, 64, 64));
	EXPECT_NE(rkey_, first);
	expect_write(rkey_, 64, 64);
	expect_refused(access(IBV_WR_RDMA_WRITE, first, 0, 8));
}

TEST_F(InvalidateTest, NoAccessAfterwards)
{
	open_regions();
	window(IBV_MW_TYPE_2, 0, 64);
	ASSERT_EQ(b().post_send(local_invalidate(rkey_)), 0);
	EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
	EXPECT_EQ(b().dereg(far_), 0) << "no window holds it any more";
	far_ = b().reg(64);
	expect_refused(access(IBV_WR_RDMA_WRITE, rkey_, 0, 8));
}

TEST_F(InvalidateTest, ByThePeer)
{
	for (uint32_t bytes : {0u, 1u, 1024u, 3 * 1024u + 5}) {
		open_regions();
		Region buffer = b().reg(8192);
		Window opened = window(IBV_MW_TYPE_2, 0, 64);
		uint32_t first = rkey_;
		expect_write(first, 0, 64);
		ASSERT_EQ(b().post_recv(5, {buffer.sge()}), 0);
		a().fill(near_.address, bytes, 11);
		EXPECT_EQ(complete(send_invalidate(first, {near_.sge(0, bytes)})).opcode,
			  IBV_WC_SEND);
		ibv_wc wc = one(b(), Queue::kReceive);
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_EQ(wc.opcode, IBV_WC_RECV);
		EXPECT_EQ(wc.byte_len, bytes);
		EXPECT_TRUE(wc.wc_flags & IBV_WC_WITH_INV);
		EXPECT_FALSE(wc.wc_flags & IBV_WC_WITH_IMM);
		EXPECT_EQ(wc.invalidated_rkey, first);
		EXPECT_EQ(b().mismatch(buffer.address, bytes, 11), -1);

		bind_well(part(opened, 64, 64));
		expect_write(rkey_, 64, 64);
		expect_refused(access(IBV_WR_RDMA_WRITE, first, 0, 8));
	}
}

TEST_F(InvalidateTest, OnceThoughTheReceiverWasNotReady)
{
	open_regions();
	Window opened = window(IBV_MW_TYPE_2, 0, 64);
	uint32_t first = rkey_;
	ASSERT_EQ(a().post_send(send_invalidate(first)), 0);
	std::this_thread::sleep_for(Milliseconds(20));
	EXPECT_TRUE(a().poll(Queue::kSend, 1, Milliseconds(0)).empty());
	ASSERT_EQ(b().post_recv(5, {}), 0);
	EXPECT_EQ(one(b(), Queue::kReceive).invalidated_rkey, first);
	EXPECT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	bind_well(part(opened, 0, 64));
	expect_write(rkey_, 0, 64);
}

TEST_F(InvalidateTest, BadKeysOfThePeer)
{
	for (size_t i = 0; i < kBadKeys; i++) {
		open_regions();
		auto keys = bad_keys();
		if (i >= keys.size())
			continue;
		ASSERT_EQ(b().post_recv(5, {}), 0);
		ASSERT_EQ(a().post_send(send_invalidate(keys[i])), 0);
		ibv_wc wc = one(b(), Queue::kReceive);
		EXPECT_NE(wc.status, IBV_WC_SUCCESS) << "key " << i;
		EXPECT_NE(wc.status, IBV_WC_WR_FLUSH_ERR) << "key " << i;
		EXPECT_EQ(wc.wr_id, 5u);
		EXPECT_TRUE(eventually([&] { return b().state() == IBV_QPS_ERR; }));
	}
}

TEST_F(InvalidateTest, BadKeysOfTheOwner)
{
	for (size_t i = 0; i < kBadKeys; i++) {
		open_regions();
		auto keys = bad_keys();
		if (i >= keys.size())
			continue;
		ASSERT_EQ(b().post_send(local_invalidate(keys[i])), 0);
		ibv_wc wc = one(b(), Queue::kSend);
		EXPECT_TRUE(wc.status == IBV_WC_MW_BIND_ERR || wc.status == IBV_WC_LOC_QP_OP_ERR)
			<< "key " << i << ": " << ibv_wc_status_str(wc.status);
		EXPECT_TRUE(eventually([&] { return b().state() == IBV_QPS_ERR; }));
	}
}

TEST_F(InvalidateTest, WaitsForWhatIsBefore)
{
	open_regions({}, {}, 200000);
	Region source = a().reg(200000), target = b().reg(200000);
	a().fill(source.address, source.length, 21);
	window(IBV_MW_TYPE_2, 0, 64);
	SendSpec read{.wr_id = 1, .opcode = IBV_WR_RDMA_READ, .sges = {target.sge()}};
	read.remote_address = source.address;
	read.rkey = source.rkey;
	ASSERT_EQ(b().post_send(read), 0);
	ASSERT_EQ(b().post_send(local_invalidate(rkey_)), 0);
	auto completions = b().poll(Queue::kSend, 2);
	ASSERT_EQ(completions.size(), 2u);
	EXPECT_EQ(completions[0].opcode, IBV_WC_RDMA_READ);
	EXPECT_EQ(completions[1].opcode, IBV_WC_LOCAL_INV);
	for (const ibv_wc &wc : completions)
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(b().mismatch(target.address, target.length, 21), -1);
}

/// Slots of what sends nothing are given back, too.
TEST_F(InvalidateTest, ManyWithoutCompletions)
{
	open_regions();
	Window opened = b().alloc_window(IBV_MW_TYPE_2);
	for (int round = 0; round < scaled(200, 20); round++) {
		BindSpec spec = part(opened, 0, 64);
		spec.flags = 0;
		Bound bound = b().bind_window(spec);
		ASSERT_EQ(bound.error, 0);
		SendSpec invalidate = local_invalidate(bound.rkey);
		if (round % 8 != 7)
			invalidate.flags = 0;
		ASSERT_EQ(b().post_send(invalidate), 0);
		if (round % 8 != 7)
			continue;
		ASSERT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
	}
	bind_well(part(opened, 0, 64));
	expect_write(rkey_, 0, 64);
}

/// A window that is closed while its peer writes: then nothing changes any more.
TEST_F(InvalidateTest, UnderTraffic)
{
	for (int round = 0; round < scaled(20, 3); round++) {
		open_regions({}, {}, 65536);
		window(IBV_MW_TYPE_2, 0, 65536);
		for (int i = 0; i < 16; i++)
			ASSERT_EQ(a().post_send(access(IBV_WR_RDMA_WRITE, rkey_, 0, 65536)), 0);
		ASSERT_EQ(b().post_send(local_invalidate(rkey_)), 0);
		ASSERT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
		b().fill(far_.address, far_.length, 1000);
		auto completions = a().poll(Queue::kSend, 16);
		ASSERT_EQ(completions.size(), 16u);
		EXPECT_EQ(b().mismatch(far_.address, far_.length, 1000), -1);
	}
}

TEST_F(InvalidateTest, UnreliableQpsInvalidateLocallyOnly)
{
	open_regions({.type = IBV_QPT_UC});
	window(IBV_MW_TYPE_2, 0, 64);
	ASSERT_EQ(b().post_send(local_invalidate(rkey_)), 0);
	EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
	EXPECT_EQ(a().post_send(send_invalidate(rkey_)), EINVAL);
}

TEST_F(InvalidateTest, DatagramsHaveNone)
{
	open({.type = IBV_QPT_UD});
	SendSpec invalidate = send_invalidate(1);
	invalidate.to = b().address();
	EXPECT_EQ(a().post_send(invalidate), EINVAL);
	invalidate.opcode = IBV_WR_LOCAL_INV;
	EXPECT_EQ(a().post_send(invalidate), EINVAL);
}

TEST_F(InvalidateTest, ByTheOtherInterface)
{
	QpSpec spec;
	spec.extended = true;
	open(spec);
	ibv_qp_ex *qp = ibv_qp_to_qp_ex(a().qp.get());
	if (!qp->wr_bind_mw)
		GTEST_SKIP() << "not offered by ibv_wr_*";
	Region region = a().reg(4096, kBindable);
	Window opened = a().alloc_window(IBV_MW_TYPE_2);
	ibv_mw_bind_info info{a().mr(region), region.address, 64, kAllRemote};
	uint32_t rkey = ibv_inc_rkey(opened.rkey);
	ASSERT_EQ(b().post_recv(1, {}), 0);

	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_bind_mw(qp, a().mw(opened), rkey, &info);
	qp->wr_id = 2;
	ibv_wr_local_inv(qp, rkey);
	qp->wr_id = 3;
	ibv_wr_send_inv(qp, 12345);
	ASSERT_EQ(ibv_wr_complete(qp), 0);
	auto completions = a().poll(Queue::kSend, 2);
	ASSERT_EQ(completions.size(), 2u);
	EXPECT_EQ(completions[0].opcode, IBV_WC_BIND_MW);
	EXPECT_EQ(completions[1].opcode, IBV_WC_LOCAL_INV);
	for (uint64_t i = 0; i < 2; i++) {
		EXPECT_EQ(completions[i].status, IBV_WC_SUCCESS);
		EXPECT_EQ(completions[i].wr_id, i + 1);
	}
	EXPECT_NE(one(b(), Queue::kReceive).status, IBV_WC_SUCCESS) << "12345 is no key";

	ibv_wr_start(qp);
	ibv_wr_bind_mw(qp, a().mw(opened), rkey ^ 0x100, &info);
	EXPECT_EQ(ibv_wr_complete(qp), EINVAL);
}

} // namespace
} // namespace conformance
