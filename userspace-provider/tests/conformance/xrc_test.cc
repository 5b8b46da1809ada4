// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// XRC: a sender names the SRQ at the other end.
#include "link.h"

namespace conformance {
namespace {

class XrcTest : public LinkTest {
protected:
	void SetUp() override { NEED_XRC(); }

	void open_xrc(QpSpec spec = {}, const PathSpec &path = {})
	{
		spec.type = IBV_QPT_XRC_SEND;
		open(spec, path);
	}
	SendSpec message(uint64_t wr_id, std::vector<ibv_sge> sges = {})
	{
		SendSpec send{.wr_id = wr_id, .sges = std::move(sges)};
		send.to = b().address();
		return send;
	}
	SendSpec access(ibv_wr_opcode opcode, const Region &near, const Region &far)
	{
		SendSpec send = message(1, {near.sge()});
		send.opcode = opcode;
		send.remote_address = far.address;
		send.rkey = far.rkey;
		return send;
	}
	/// An SRQ number that is refused.
	void expect_refused(uint32_t srqn)
	{
		ASSERT_EQ(b().post_recv(1, {}), 0);
		SendSpec send = message(1);
		send.to.srqn = srqn;
		ASSERT_EQ(a().post_send(send), 0);
		ibv_wc wc = one(a(), Queue::kSend);
		// Which one it is the specification leaves open, as far as is known here.
		EXPECT_TRUE(wc.status == IBV_WC_REM_ACCESS_ERR ||
			    wc.status == IBV_WC_REM_INV_REQ_ERR ||
			    wc.status == IBV_WC_REM_INV_RD_REQ_ERR)
			<< ibv_wc_status_str(wc.status);
		EXPECT_EQ(b().wait_event(patience()), IBV_EVENT_QP_ACCESS_ERR);
		expect_quiet(b(), Queue::kReceive);
	}
};

TEST_F(XrcTest, Sends)
{
	open_xrc();
	for (uint32_t size : {0u, 1u, 1024u, 5001u}) {
		SCOPED_TRACE(size);
		Region near = a().reg(size + 1), far = b().reg(size + 1);
		a().fill(near.address, size, size);
		ASSERT_EQ(b().post_recv(100 + size, {far.sge(0, size)}), 0);
		SendSpec send = message(size, {near.sge(0, size)});
		send.opcode = IBV_WR_SEND_WITH_IMM;
		send.immediate = size;
		complete(send);
		ibv_wc wc = one(b(), Queue::kReceive);
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_EQ(wc.opcode, IBV_WC_RECV);
		EXPECT_EQ(wc.wr_id, 100 + size);
		EXPECT_EQ(wc.byte_len, size);
		EXPECT_EQ(wc.qp_num, b().address().target_qpn);
		EXPECT_EQ(wc.wc_flags, unsigned{IBV_WC_WITH_IMM});
		EXPECT_EQ(wc.imm_data, htobe32(size));
		EXPECT_EQ(b().mismatch(far.address, size, size), -1);
	}
}

TEST_F(XrcTest, BothWaysAtOnce)
{
	open_xrc();
	SendSpec back{.wr_id = 3};
	back.to = a().address();
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(a().post_recv(1, {}), 0);
		ASSERT_EQ(b().post_recv(2, {}), 0);
		ASSERT_EQ(b().post_send(back), 0);
		complete(message(4));
		EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
		EXPECT_EQ(one(a(), Queue::kReceive).wr_id, 1u);
		EXPECT_EQ(one(b(), Queue::kReceive).wr_id, 2u);
	}
}

TEST_F(XrcTest, WritesAndReads)
{
	open_xrc();
	constexpr uint32_t kSize = 10001;
	Region near = a().reg(kSize), far = b().reg(kSize);
	a().fill(near.address, kSize, 1);
	complete(access(IBV_WR_RDMA_WRITE, near, far));
	EXPECT_EQ(b().mismatch(far.address, kSize, 1), -1);

	b().fill(far.address, kSize, 2);
	complete(access(IBV_WR_RDMA_READ, near, far));
	EXPECT_EQ(a().mismatch(near.address, kSize, 2), -1);

	a().fill(near.address, kSize, 3);
	ASSERT_EQ(b().post_recv(5, {}), 0);
	SendSpec send = access(IBV_WR_RDMA_WRITE_WITH_IMM, near, far);
	send.immediate = 77;
	complete(send);
	ibv_wc wc = one(b(), Queue::kReceive);
	EXPECT_EQ(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT_EQ(wc.byte_len, kSize);
	EXPECT_EQ(wc.imm_data, htobe32(77));
	EXPECT_EQ(b().mismatch(far.address, kSize, 3), -1);
}

TEST_F(XrcTest, Atomics)
{
	open_xrc();
	Region near = a().reg(8), far = b().reg(8);
	b().poke64(far.address, 41);
	SendSpec add = access(IBV_WR_ATOMIC_FETCH_AND_ADD, near, far);
	add.compare_add = 1;
	complete(add);
	EXPECT_EQ(a().peek64(near.address), 41u);
	EXPECT_EQ(b().peek64(far.address), 42u);
	SendSpec swap = access(IBV_WR_ATOMIC_CMP_AND_SWP, near, far);
	swap.compare_add = 42;
	swap.swap = 1000;
	complete(swap);
	EXPECT_EQ(a().peek64(near.address), 42u);
	EXPECT_EQ(b().peek64(far.address), 1000u);
}

TEST_F(XrcTest, AtomicWrite)
{
	if (!local_device().has_atomic_write())
		GTEST_SKIP() << "the device has no atomic writes";
	open_xrc();
	Region near = a().reg(8), far = b().reg(8);
	a().poke64(near.address, 0x1122334455667788);
	complete(access(IBV_WR_ATOMIC_WRITE, near, far));
	EXPECT_EQ(b().peek64(far.address), 0x1122334455667788u);
}

TEST_F(XrcTest, NotReady)
{
	PathSpec path;
	path.rnr_retry = 1;
	path.min_rnr_timer = 1;
	open_xrc({}, path);
	complete(message(1), IBV_WC_RNR_RETRY_EXC_ERR);
	open_xrc();
	ASSERT_EQ(a().post_send(message(2)), 0);
	expect_quiet(a(), Queue::kSend);
	ASSERT_EQ(b().post_recv(9, {}), 0);
	EXPECT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	EXPECT_EQ(one(b(), Queue::kReceive).wr_id, 9u);
}

/// A window of type 1 is the domain's, and so of use to whom the target serves.
TEST_F(XrcTest, Windows)
{
	if (!(local_device().attr().device_cap_flags & IBV_DEVICE_MEM_WINDOW))
		GTEST_SKIP() << "no windows";
	open_xrc();
	Region near = a().reg(64), far = b().reg(4096, kAllAccess | IBV_ACCESS_MW_BIND);
	BindSpec bind;
	bind.window = b().alloc_window(IBV_MW_TYPE_1);
	bind.region = far;
	bind.address = far.address + 1024;
	bind.length = 64;
	bind.access = IBV_ACCESS_REMOTE_WRITE;
	Bound bound = b().bind_window(bind);
	ASSERT_EQ(bound.error, 0);
	EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);

	Region seen = far;
	seen.rkey = bound.rkey;
	seen.address += 1024;
	a().fill(near.address, 64, 21);
	complete(access(IBV_WR_RDMA_WRITE, near, seen));
	EXPECT_EQ(b().mismatch(far.address + 1024, 64, 21), -1);
	seen.address++;
	complete(access(IBV_WR_RDMA_WRITE, near, seen), IBV_WC_REM_ACCESS_ERR);
}

/// One of type 2 is bound to an initiator, which invalidates it. Its peers' requests
/// come to the target, which is another QP.
TEST_F(XrcTest, WindowsOfTheInitiator)
{
	if (!(local_device().attr().device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B))
		GTEST_SKIP() << "no windows of type 2";
	for (bool invalidate : {false, true}) {
		open_xrc();
		Region near = a().reg(64), far = b().reg(4096, kAllAccess | IBV_ACCESS_MW_BIND);
		BindSpec bind;
		bind.window = b().alloc_window(IBV_MW_TYPE_2);
		bind.region = far;
		bind.address = far.address;
		bind.length = 64;
		bind.access = IBV_ACCESS_REMOTE_WRITE;
		Bound bound = b().bind_window(bind);
		ASSERT_EQ(bound.error, 0);
		EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
		if (invalidate) {
			SendSpec local{.opcode = IBV_WR_LOCAL_INV};
			local.invalidate = bound.rkey;
			ASSERT_EQ(b().post_send(local), 0);
			ibv_wc wc = one(b(), Queue::kSend);
			EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
			EXPECT_EQ(wc.opcode, IBV_WC_LOCAL_INV);
			EXPECT_EQ(b().dereg(far), 0) << "no window holds it any more";
			ASSERT_EQ(b().post_send(local), 0);
			EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_MW_BIND_ERR);
		} else {
			Region seen = far;
			seen.rkey = bound.rkey;
			complete(access(IBV_WR_RDMA_WRITE, near, seen), IBV_WC_REM_ACCESS_ERR);
		}
	}
}

/// What it names has to be the target's: a region that was registered by a verb, and a
/// window of an initiator, are not. The message has arrived all the same.
TEST_F(XrcTest, InvalidateOfNothing)
{
	if (!(local_device().attr().device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B))
		GTEST_SKIP() << "no invalidate";
	open_xrc();
	Region near = a().reg(3000), far = b().reg(3000);
	a().fill(near.address, 3000, 22);
	ASSERT_EQ(b().post_recv(4, {far.sge()}), 0);
	SendSpec send = message(3, {near.sge()});
	send.opcode = IBV_WR_SEND_WITH_INV;
	send.invalidate = far.rkey;
	complete(send);
	ibv_wc wc = one(b(), Queue::kReceive);
	EXPECT_EQ(wc.status, IBV_WC_MW_BIND_ERR);
	EXPECT_EQ(wc.wr_id, 4u);
	EXPECT_EQ(b().mismatch(far.address, 3000, 22), -1);
}

TEST_F(XrcTest, NoSuchSrq)
{
	for (uint32_t flip : {1u, 0x800000u, 0x555555u}) {
		SCOPED_TRACE(flip);
		open_xrc();
		expect_refused(b().address().srqn ^ flip);
	}
}

TEST_F(XrcTest, SrqOfAnotherDomain)
{
	// Of the same device if there is one only; else it does not exist, which is no better.
	open_xrc();
	expect_refused(a().address().srqn);
}

TEST_F(XrcTest, AccessErrors)
{
	for (auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
		SCOPED_TRACE(opcode_name(opcode));
		open_xrc();
		Region near = a().reg(8), far = b().reg(8);
		SendSpec send = access(opcode, near, far);
		send.rkey ^= 1;
		complete(send, IBV_WC_REM_ACCESS_ERR);
		EXPECT_EQ(b().wait_event(patience()), IBV_EVENT_QP_ACCESS_ERR);
	}
}

TEST_F(XrcTest, BadLocalKeyAtTheReceiver)
{
	open_xrc();
	Region near = a().reg(8), far = b().reg(8);
	ibv_sge bad = far.sge();
	bad.lkey ^= 0x100;
	ASSERT_EQ(b().post_recv(1, {bad}), 0);
	complete(message(1, {near.sge()}), IBV_WC_REM_OP_ERR);
	ibv_wc wc = one(b(), Queue::kReceive);
	EXPECT_EQ(wc.status, IBV_WC_LOC_PROT_ERR);
	EXPECT_EQ(wc.wr_id, 1u);
}

TEST_F(XrcTest, ExtendedPosting)
{
	open_xrc({.inline_bytes = 64, .extended = true});
	ibv_qp_ex *ex = ibv_qp_to_qp_ex(a().qp.get());
	ASSERT_NE(ex, nullptr);
	const uint32_t srqn = b().address().srqn;
	Region far = b().reg(64);
	char text[] = "extended";
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(b().post_recv(1, {far.sge()}), 0);
	ibv_wr_start(ex);
	for (uint64_t i = 0; i < 3; i++) {
		ex->wr_id = i;
		ex->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_send(ex);
		ibv_wr_set_xrc_srqn(ex, srqn);
		ibv_wr_set_inline_data(ex, text, sizeof(text));
	}
	ASSERT_EQ(ibv_wr_complete(ex), 0);
	for (uint64_t i = 0; i < 3; i++) {
		ibv_wc wc = one(a(), Queue::kSend);
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_EQ(wc.wr_id, i);
		EXPECT_EQ(one(b(), Queue::kReceive).byte_len, sizeof(text));
	}
	EXPECT_EQ(memcmp(b().peek(far.address, sizeof(text)).data(), text, sizeof(text)), 0);
}

} // namespace
} // namespace conformance
