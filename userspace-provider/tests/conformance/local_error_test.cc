// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Errors on the requester's own side, the flush that follows, and recovery.
#include "link.h"
#include "states.h"

namespace conformance {
namespace {

class LocalErrorTest : public LinkTest {};

TEST_F(LocalErrorTest, WrongMemoryOfTheRequester)
{
	for (auto opcode :
	     {IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
		for (int kind = 0; kind < 3; kind++) {
			SCOPED_TRACE(std::string(opcode_name(opcode)) + ", kind " +
				     std::to_string(kind));
			if (kind == 2 && (is_send(opcode) || is_write(opcode)))
				continue; // local read is always allowed
			open();
			Region near = a().reg(64), far = b().reg(64);
			Region constant = a().reg_part(near, 0, 64, 0);
			SendSpec send{.opcode = opcode, .sges = {near.sge(0, 8)}};
			if (kind == 0)
				send.sges[0].lkey ^= 0x100;
			else if (kind == 1)
				send.sges[0] = near.sge(60, 8);
			else
				send.sges[0] = constant.sge(0, 8);
			send.remote_address = far.address;
			send.rkey = far.rkey;
			ASSERT_EQ(b().post_recv(1, {far.sge()}), 0);
			complete(send, IBV_WC_LOC_PROT_ERR);
			EXPECT_EQ(a().state(), IBV_QPS_ERR);
		}
	}
}

/// Posts @specs as one list.
void post_list(LocalEndpoint &end, const std::vector<SendSpec> &specs)
{
	std::vector<ibv_send_wr> list;
	for (const SendSpec &spec : specs)
		list.push_back(end.work_request(spec));
	for (size_t i = 0; i + 1 < list.size(); i++)
		list[i].next = &list[i + 1];
	ibv_send_wr *bad = nullptr;
	ASSERT_EQ(ibv_post_send(end.qp.get(), list.data(), &bad), 0);
}

TEST_F(LocalErrorTest, TheFirstOfTwoBadRequestsFails)
{
	// The second one, a READ that may never start, is known to be bad before the first.
	PathSpec path;
	path.max_rd_atomic = 0;
	open({}, path);
	Region near = a().reg(64), far = b().reg(64);
	SendSpec write{.wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	write.sges[0].lkey ^= 0x100;
	SendSpec read{.wr_id = 2, .opcode = IBV_WR_RDMA_READ, .sges = {near.sge()}};
	write.remote_address = read.remote_address = far.address;
	write.rkey = read.rkey = far.rkey;
	ASSERT_NO_FATAL_FAILURE(post_list(a(), {write, read}));
	ibv_wc first = one(a(), Queue::kSend), second = one(a(), Queue::kSend);
	EXPECT_EQ(first.wr_id, 1u);
	EXPECT_EQ(first.status, IBV_WC_LOC_PROT_ERR);
	EXPECT_EQ(second.wr_id, 2u);
	EXPECT_EQ(second.status, IBV_WC_WR_FLUSH_ERR);
}

TEST_F(LocalErrorTest, ABadRequestBehindUnsignaledOnes)
{
	// What is before it is acknowledged, although nobody asked, and without a retry.
	PathSpec path;
	path.retry_cnt = 0;
	path.timeout = 0;
	open({}, path);
	Region near = a().reg(64), far = b().reg(64);
	std::vector<SendSpec> list;
	for (uint64_t i = 0; i < 4; i++) {
		SendSpec write{
			.wr_id = i, .opcode = IBV_WR_RDMA_WRITE, .flags = 0, .sges = {near.sge()}};
		write.remote_address = far.address;
		write.rkey = far.rkey;
		list.push_back(write);
	}
	list.back().sges[0].lkey ^= 0x100;
	a().fill(near.address, 64, 5);
	ASSERT_NO_FATAL_FAILURE(post_list(a(), list));
	ibv_wc wc = one(a(), Queue::kSend);
	EXPECT_EQ(wc.wr_id, 3u);
	EXPECT_EQ(wc.status, IBV_WC_LOC_PROT_ERR);
	EXPECT_EQ(b().mismatch(far.address, 64, 5), -1);
	expect_quiet(a(), Queue::kSend);
}

TEST_F(LocalErrorTest, EverythingPostedIsFlushedInOrder)
{
	open();
	Region near = a().reg(64), far = b().reg(64);
	for (uint64_t i = 0; i < 20; i++)
		ASSERT_EQ(a().post_recv(i, {near.sge()}), 0);
	for (uint64_t i = 0; i < 20; i++) {
		SendSpec send{
			.wr_id = i, .opcode = IBV_WR_RDMA_WRITE, .flags = 0, .sges = {near.sge()}};
		send.remote_address = far.address;
		send.rkey = i < 5 ? far.rkey : far.rkey ^ 0x100;
		ASSERT_EQ(a().post_send(send), 0);
	}
	auto sends = a().poll(Queue::kSend, 15);
	ASSERT_EQ(sends.size(), 15u) << "the five good ones were unsignaled";
	for (uint64_t i = 0; i < 15; i++) {
		EXPECT_EQ(sends[i].wr_id, i + 5);
		EXPECT_EQ(sends[i].status, i ? IBV_WC_WR_FLUSH_ERR : IBV_WC_REM_ACCESS_ERR);
	}
	auto receives = a().poll(Queue::kReceive, 20);
	ASSERT_EQ(receives.size(), 20u);
	for (uint64_t i = 0; i < 20; i++) {
		EXPECT_EQ(receives[i].wr_id, i);
		EXPECT_EQ(receives[i].status, IBV_WC_WR_FLUSH_ERR);
		EXPECT_EQ(receives[i].qp_num, a().address().qpn);
	}
}

TEST_F(LocalErrorTest, MovedToErrorByTheProgram)
{
	for (ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD}) {
		QpSpec spec;
		spec.type = type;
		open(spec);
		for (uint64_t i = 0; i < 30; i++)
			ASSERT_EQ(a().post_recv(i, {}), 0);
		ASSERT_EQ(a().move(IBV_QPS_ERR), 0);
		// And what is posted now is flushed too, behind the rest.
		ASSERT_EQ(a().post_recv(30, {}), 0);
		SendSpec send{.wr_id = 7, .flags = 0};
		send.to = b().address();
		ASSERT_EQ(a().post_send(send), 0);
		auto receives = a().poll(Queue::kReceive, 31);
		ASSERT_EQ(receives.size(), 31u);
		for (uint64_t i = 0; i < 31; i++) {
			EXPECT_EQ(receives[i].wr_id, i);
			EXPECT_EQ(receives[i].status, IBV_WC_WR_FLUSH_ERR);
		}
		ibv_wc wc = one(a(), Queue::kSend);
		EXPECT_EQ(wc.wr_id, 7u);
		EXPECT_EQ(wc.status, IBV_WC_WR_FLUSH_ERR);
		expect_quiet(a(), Queue::kSend);
		expect_quiet(a(), Queue::kReceive);
	}
}

TEST_F(LocalErrorTest, DrainInErrorIsLast)
{
	// ib_drain_qp: ERR, then one marker in each queue, which comes behind everything.
	open();
	Region near = a().reg(4096), far = b().reg(4096);
	for (int round = 0; round < 40; round++) {
		SendSpec send{.wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		ASSERT_EQ(a().post_send(send), 0);
	}
	ASSERT_EQ(a().move(IBV_QPS_ERR), 0);
	ASSERT_EQ(a().post_send({.wr_id = 99}), 0);
	auto completions = a().poll(Queue::kSend, 41);
	ASSERT_EQ(completions.size(), 41u);
	bool flushing = false;
	for (const ibv_wc &wc : completions) {
		flushing |= wc.status != IBV_WC_SUCCESS;
		EXPECT_EQ(wc.status, flushing ? IBV_WC_WR_FLUSH_ERR : IBV_WC_SUCCESS);
	}
	EXPECT_EQ(completions.back().wr_id, 99u);
}

TEST_F(LocalErrorTest, ReuseAfterReset)
{
	PathSpec path;
	open({}, path);
	for (int round = 0; round < 5; round++) {
		Region near = a().reg(3000), far = b().reg(3000);
		a().fill(near.address, 3000, 1);
		SendSpec bad{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
		bad.remote_address = far.address;
		bad.rkey = far.rkey ^ 0x100;
		ASSERT_EQ(b().post_recv(round, {far.sge()}), 0) << "dropped by RESET";
		complete(bad, IBV_WC_REM_ACCESS_ERR);
		ASSERT_EQ(a().post_send(bad), 0) << "flushed, not polled before RESET";
		ASSERT_TRUE(eventually([&] { return b().state() == IBV_QPS_ERR; }));
		ASSERT_EQ(a().move(IBV_QPS_RESET), 0);
		ASSERT_EQ(b().move(IBV_QPS_RESET), 0);
		a().poll(Queue::kSend, 200, moment());
		b().poll(Queue::kReceive, 200, moment());
		path.sq_psn = path.rq_psn = 1000u * static_cast<uint32_t>(round);
		b().connect(a().address(), path);
		a().connect(b().address(), path);
		ASSERT_EQ(b().post_recv(77, {far.sge()}), 0);
		complete({.sges = {near.sge()}});
		EXPECT_EQ(one(b(), Queue::kReceive).wr_id, 77u);
		EXPECT_EQ(b().mismatch(far.address, 3000, 1), -1);
	}
}

TEST_F(LocalErrorTest, ResetHasAllSlotsFree)
{
	open({.send_wr = 16, .recv_wr = 16});
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < a().caps.max_recv_wr; i++)
			ASSERT_EQ(a().post_recv(i, {}), 0);
		for (uint32_t i = 0; i < a().caps.max_send_wr; i++)
			ASSERT_EQ(a().post_send({.wr_id = i}), 0);
		ASSERT_EQ(a().move(IBV_QPS_RESET), 0);
		ASSERT_EQ(b().move(IBV_QPS_RESET), 0);
		b().connect(a().address(), {});
		a().connect(b().address(), {});
	}
	a().poll(Queue::kSend, 100, moment());
	expect_alive();
}

TEST_F(LocalErrorTest, SendsWaitInSqd)
{
	open();
	ASSERT_EQ(a().move(IBV_QPS_SQD), 0);
	ASSERT_EQ(b().post_recv(1, {}), 0);
	ASSERT_EQ(a().post_send({.wr_id = 5}), 0);
	expect_quiet(b(), Queue::kReceive);
	Region near = a().reg(8), far = b().reg(8);
	ASSERT_EQ(a().post_recv(1, {near.sge()}), 0);
	ASSERT_EQ(b().post_send({.sges = {far.sge()}}), 0);
	EXPECT_EQ(one(a(), Queue::kReceive).status, IBV_WC_SUCCESS) << "the responder goes on";
	ASSERT_EQ(a().move(IBV_QPS_RTS), 0);
	EXPECT_EQ(one(a(), Queue::kSend).wr_id, 5u);
	EXPECT_EQ(one(b(), Queue::kReceive).status, IBV_WC_SUCCESS);
}

TEST_F(LocalErrorTest, DestroyedWhileBusy)
{
	for (int round = 0; round < scaled(16, 4); round++) {
		open();
		Region near = a().reg(65536), far = b().reg(65536);
		for (int i = 0; i < 32; i++) {
			SendSpec send{.opcode = i % 2 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ};
			send.sges = {near.sge()};
			send.remote_address = far.address;
			send.rkey = far.rkey;
			ASSERT_EQ(a().post_send(send), 0);
		}
		Link link = take();
		if (round % 2)
			link.a.reset();
		else
			link.b.reset();
	}
}

} // namespace
} // namespace conformance
