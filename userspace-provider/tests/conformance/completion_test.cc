// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Which requests complete, in which order, and what is ordered with what.
#include "link.h"

namespace conformance {
namespace {

class CompletionTest : public LinkTest {
protected:
	void open_before_the_wrap(ibv_qp_type type)
	{
		PathSpec path;
		path.sq_psn = path.rq_psn = 0xfffff0;
		path.mtu = IBV_MTU_256;
		open({.type = type}, path);
	}
	/// All of @near arrives in @far.
	void send_whole(const Region &near, const Region &far, uint64_t seed)
	{
		a().fill(near.address, near.length, seed);
		ASSERT_EQ(b().post_recv(seed, {far.sge()}), 0);
		complete({.wr_id = seed, .sges = {near.sge()}});
		ASSERT_EQ(one(b(), Queue::kReceive).status, IBV_WC_SUCCESS);
		ASSERT_EQ(b().mismatch(far.address, far.length, seed), -1);
	}
	SendSpec write(const Region &near, const Region &far, uint64_t wr_id, unsigned flags)
	{
		SendSpec send{.wr_id = wr_id, .opcode = IBV_WR_RDMA_WRITE, .flags = flags};
		send.sges = {near.sge()};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		return send;
	}
};

TEST_F(CompletionTest, OnlySignaledRequestsComplete)
{
	open();
	Region near = a().reg(64), far = b().reg(64);
	for (uint64_t i = 0; i < 30; i++)
		ASSERT_EQ(a().post_send(write(near, far, i, i % 10 == 9 ? IBV_SEND_SIGNALED : 0)),
			  0);
	for (uint64_t i = 9; i < 30; i += 10)
		EXPECT_EQ(one(a(), Queue::kSend).wr_id, i);
	expect_quiet(a(), Queue::kSend);
}

TEST_F(CompletionTest, SignalAll)
{
	open({.signal_all = true});
	Region near = a().reg(64), far = b().reg(64);
	for (uint64_t i = 0; i < 10; i++)
		ASSERT_EQ(a().post_send(write(near, far, i, 0)), 0);
	for (uint64_t i = 0; i < 10; i++)
		EXPECT_EQ(one(a(), Queue::kSend).wr_id, i);
}

TEST_F(CompletionTest, UnsignaledRequestsFailAloud)
{
	open();
	Region near = a().reg(64), far = b().reg(64);
	SendSpec bad = write(near, far, 1, 0);
	bad.rkey ^= 1;
	ASSERT_EQ(a().post_send(bad), 0);
	ASSERT_EQ(a().post_send(write(near, far, 2, 0)), 0);
	ibv_wc wc = one(a(), Queue::kSend);
	EXPECT_EQ(wc.wr_id, 1u);
	EXPECT_EQ(wc.status, IBV_WC_REM_ACCESS_ERR);
	wc = one(a(), Queue::kSend);
	EXPECT_EQ(wc.wr_id, 2u);
	EXPECT_EQ(wc.status, IBV_WC_WR_FLUSH_ERR);
}

TEST_F(CompletionTest, SendQueueOrder)
{
	// A READ takes longer than the WRITE behind it, which must not overtake its completion.
	open();
	Region near = a().reg(65536), far = b().reg(65536);
	for (uint64_t i = 0; i < 40; i++) {
		SendSpec send = write(near, far, i, IBV_SEND_SIGNALED);
		send.opcode = i % 3 == 0 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
		send.sges = {near.sge(0, i % 3 == 0 ? scaled(65536u, 8192u) : 16u)};
		ASSERT_EQ(a().post_send(send), 0);
	}
	auto completions = a().poll(Queue::kSend, 40);
	ASSERT_EQ(completions.size(), 40u);
	for (uint64_t i = 0; i < 40; i++) {
		EXPECT_EQ(completions[i].wr_id, i);
		EXPECT_EQ(completions[i].status, IBV_WC_SUCCESS);
		EXPECT_EQ(completions[i].opcode, i % 3 == 0 ? IBV_WC_RDMA_READ : IBV_WC_RDMA_WRITE);
	}
}

TEST_F(CompletionTest, ReceivesAreUsedInOrder)
{
	open();
	Region near = a().reg(64), far = b().reg(64 * 50);
	for (uint32_t i = 0; i < 50; i++)
		ASSERT_EQ(b().post_recv(i, {far.sge(64 * i, 64)}), 0);
	for (uint32_t i = 0; i < 50; i++)
		ASSERT_EQ(a().post_send({.wr_id = i, .sges = {near.sge(0, i)}}), 0);
	auto completions = b().poll(Queue::kReceive, 50);
	ASSERT_EQ(completions.size(), 50u);
	for (uint32_t i = 0; i < 50; i++) {
		EXPECT_EQ(completions[i].wr_id, i);
		EXPECT_EQ(completions[i].byte_len, i);
	}
}

TEST_F(CompletionTest, WritesAreVisibleBeforeALaterSend)
{
	open();
	uint32_t size = scaled(40000u, 4000u);
	Region near = a().reg(size), far = b().reg(size);
	for (uint64_t round = 0; round < 20; round++) {
		a().fill(near.address, size, round);
		ASSERT_EQ(b().post_recv(round, {}), 0);
		ASSERT_EQ(a().post_send(write(near, far, round, 0)), 0);
		ASSERT_EQ(a().post_send({.wr_id = round}), 0);
		ASSERT_EQ(one(b(), Queue::kReceive).wr_id, round);
		ASSERT_EQ(b().mismatch(far.address, size, round), -1);
		ASSERT_EQ(one(a(), Queue::kSend).wr_id, round);
	}
}

TEST_F(CompletionTest, FencedWriteWaitsForTheRead)
{
	// READ far into near, then WRITE what was read elsewhere: only right with a fence.
	open();
	uint32_t size = scaled(30000u, 5000u);
	Region near = a().reg(size), far = b().reg(size), third = b().reg(size);
	for (uint64_t round = 0; round < scaled(20u, 5u); round++) {
		b().fill(far.address, size, 100 + round);
		SendSpec read = write(near, far, 1, 0);
		read.opcode = IBV_WR_RDMA_READ;
		ASSERT_EQ(a().post_send(read), 0);
		SendSpec copy = write(near, third, 2, IBV_SEND_SIGNALED | IBV_SEND_FENCE);
		ASSERT_EQ(a().post_send(copy), 0);
		ASSERT_EQ(one(a(), Queue::kSend).wr_id, 2u);
		ASSERT_EQ(b().mismatch(third.address, size, 100 + round), -1) << "round " << round;
	}
}

TEST_F(CompletionTest, MoreReadsThanResources)
{
	PathSpec path;
	path.max_rd_atomic = 1;
	path.max_dest_rd_atomic = 1;
	open({}, path);
	Region near = a().reg(3000 * 20), far = b().reg(3000 * 20);
	b().fill(far.address, 3000 * 20, 6);
	for (uint32_t i = 0; i < 20; i++) {
		SendSpec read{.wr_id = i, .opcode = IBV_WR_RDMA_READ};
		read.sges = {near.sge(3000 * i, 3000)};
		read.remote_address = far.address + 3000 * i;
		read.rkey = far.rkey;
		ASSERT_EQ(a().post_send(read), 0);
	}
	for (uint32_t i = 0; i < 20; i++)
		ASSERT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	EXPECT_EQ(a().mismatch(near.address, 3000 * 20, 6), -1);
}

TEST_F(CompletionTest, BothDirectionsAtOnce)
{
	open();
	uint32_t size = 5000;
	Region near = a().reg(2 * size), far = b().reg(2 * size);
	a().fill(near.address, size, 1);
	b().fill(far.address, size, 2);
	for (uint64_t i = 0; i < 30; i++) {
		SendSpec forth{
			.wr_id = i, .opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge(0, size)}};
		forth.remote_address = far.address + size;
		forth.rkey = far.rkey;
		SendSpec back{.wr_id = i, .opcode = IBV_WR_RDMA_WRITE, .sges = {far.sge(0, size)}};
		back.remote_address = near.address + size;
		back.rkey = near.rkey;
		ASSERT_EQ(a().post_send(forth), 0);
		ASSERT_EQ(b().post_send(back), 0);
	}
	for (Endpoint *end : {static_cast<Endpoint *>(&a()), &b()}) {
		auto completions = end->poll(Queue::kSend, 30);
		ASSERT_EQ(completions.size(), 30u);
		for (const ibv_wc &wc : completions)
			EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	}
	EXPECT_EQ(b().mismatch(far.address + size, size, 1), -1);
	EXPECT_EQ(a().mismatch(near.address + size, size, 2), -1);
}

TEST_F(CompletionTest, PsnWrapsAround)
{
	open_before_the_wrap(IBV_QPT_RC);
	Region near = a().reg(256 * 11), far = b().reg(256 * 11);
	for (uint64_t i = 0; i < 12; i++) {
		send_whole(near, far, i);
		SendSpec read = write(near, far, 100 + i, IBV_SEND_SIGNALED);
		read.opcode = IBV_WR_RDMA_READ;
		complete(read);
	}
}

TEST_F(CompletionTest, PsnOfUcWrapsAround)
{
	open_before_the_wrap(IBV_QPT_UC);
	Region near = a().reg(256 * 11), far = b().reg(256 * 11);
	for (uint64_t i = 0; i < 12; i++)
		send_whole(near, far, i);
}

TEST_F(CompletionTest, EndsWithDifferentPsns)
{
	PathSpec forth, back;
	forth.sq_psn = back.rq_psn = 1;
	back.sq_psn = forth.rq_psn = 0x800000;
	open({}, forth, {}, back);
	expect_alive();
	Region near = a().reg(8), far = b().reg(8);
	ASSERT_EQ(a().post_recv(1, {near.sge()}), 0);
	ASSERT_EQ(b().post_send({.sges = {far.sge()}}), 0);
	EXPECT_EQ(one(a(), Queue::kReceive).status, IBV_WC_SUCCESS);
}

} // namespace
} // namespace conformance
