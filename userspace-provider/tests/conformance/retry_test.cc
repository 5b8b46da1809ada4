// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Receiver not ready, peers that do not answer, and how long it takes to say so.
#include <sched.h>

#include <chrono>

#include "link.h"

namespace conformance {
namespace {

using Clock = std::chrono::steady_clock;

class RetryTest : public LinkTest {};

TEST_F(RetryTest, NoReceiveAndNoRetry)
{
	PathSpec path;
	path.rnr_retry = 0;
	open({}, path);
	complete({}, IBV_WC_RNR_RETRY_EXC_ERR);
	EXPECT_EQ(a().state(), IBV_QPS_ERR);
	EXPECT_EQ(b().state(), IBV_QPS_RTS) << "nothing happened to the responder";
}

TEST_F(RetryTest, FiniteRnrRetries)
{
	PathSpec path;
	path.rnr_retry = 3;
	path.min_rnr_timer = 14; // 1.28 ms
	open({}, path);
	auto start = Clock::now();
	complete({}, IBV_WC_RNR_RETRY_EXC_ERR);
	EXPECT_GE(Clock::now() - start, std::chrono::microseconds(3 * 1280));
}

TEST_F(RetryTest, WaitingForAReceiveIsNoTimeout)
{
	// The transport timer stands still while the RNR timer runs, which takes 20 times
	// as long: not a retry of the one may be counted against the other.
	PathSpec path;
	path.timeout = 12; // 16.8 ms: the first answer must come in time on a slow machine
	path.retry_cnt = 1;
	path.rnr_retry = 7;
	path.min_rnr_timer = 30; // 327.68 ms
	if (quick())
		path.timeout = 17; // 0.5 s
	open({}, path);
	ASSERT_EQ(a().post_send({}), 0);
	EXPECT_TRUE(a().poll(Queue::kSend, 1, Milliseconds(500)).empty());
	ASSERT_EQ(b().post_recv(1, {}), 0);
	EXPECT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
}

TEST_F(RetryTest, RnrRetriesForEverLeaveTheProcessorToOthers)
{
	if (!options().connect.empty())
		GTEST_SKIP() << "both ends have to use one processor";
	// With a wait of 10 us a batch is resent as soon as it was refused. Who is on that
	// processor, here the process that asked for it, still gets on.
	cpu_set_t before, first;
	ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	ASSERT_EQ(sched_setaffinity(0, sizeof(first), &first), 0);
	auto turns = [] {
		uint64_t count = 0;
		for (auto start = Clock::now(); Clock::now() - start < Milliseconds(200);)
			count++;
		return count;
	};
	PathSpec path;
	path.min_rnr_timer = 1;
	std::vector<Link> links;
	for (int i = 0; i < 4; i++) {
		open({}, path);
		links.push_back(take());
	}
	uint64_t alone = turns();
	for (Link &link : links)
		for (uint32_t i = 0; i < 32; i++)
			ASSERT_EQ(link.a->post_send({.wr_id = i}), 0);
	uint64_t beside = turns();
	sched_setaffinity(0, sizeof(before), &before);
	EXPECT_GE(beside, alone / 20) << alone << " without them";
	for (Link &link : links) {
		link.a->move(IBV_QPS_ERR);
		EXPECT_EQ(link.a->poll(Queue::kSend, 32).size(), 32u);
	}
}

TEST_F(RetryTest, LateReceiveIsInTime)
{
	PathSpec path;
	path.rnr_retry = 7;
	open({}, path);
	Region near = a().reg(5000), far = b().reg(5000);
	for (auto opcode : {IBV_WR_SEND, IBV_WR_RDMA_WRITE_WITH_IMM}) {
		a().fill(near.address, 5000, 9);
		b().fill(far.address, 5000, 8);
		SendSpec send{.opcode = opcode, .sges = {near.sge()}};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		ASSERT_EQ(a().post_send(send), 0);
		expect_quiet(a(), Queue::kSend);
		std::vector<ibv_sge> sges;
		if (opcode == IBV_WR_SEND)
			sges = {far.sge()};
		ASSERT_EQ(b().post_recv(4, sges), 0);
		EXPECT_EQ(one(b(), Queue::kReceive).status, IBV_WC_SUCCESS);
		EXPECT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
		EXPECT_EQ(b().mismatch(far.address, 5000, 9), -1);
	}
}

TEST_F(RetryTest, RnrHoldsBackWhatIsBehind)
{
	open();
	Region near = a().reg(64), far = b().reg(64);
	b().fill(far.address, 64, 2);
	a().fill(near.address, 64, 1);
	ASSERT_EQ(a().post_send({.wr_id = 1}), 0);
	SendSpec write{.wr_id = 2, .opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	write.remote_address = far.address;
	write.rkey = far.rkey;
	ASSERT_EQ(a().post_send(write), 0);
	expect_quiet(a(), Queue::kSend);
	EXPECT_EQ(b().mismatch(far.address, 64, 2), -1) << "the WRITE overtook the SEND";
	ASSERT_EQ(b().post_recv(1, {}), 0);
	EXPECT_EQ(one(a(), Queue::kSend).wr_id, 1u);
	EXPECT_EQ(one(a(), Queue::kSend).wr_id, 2u);
	EXPECT_EQ(b().mismatch(far.address, 64, 1), -1);
}

TEST_F(RetryTest, ManyMessagesThroughAFewReceives)
{
	// The receiver is always late; every message arrives once and in order.
	PathSpec path;
	path.min_rnr_timer = 1;
	open({}, path);
	const uint32_t count = scaled(200u, 40u);
	Region near = a().reg(4), far = b().reg(64);
	uint32_t posted = 0;
	for (uint32_t i = 0; i < count; i++) {
		while (posted < count && posted < i + 40) {
			SendSpec send{.wr_id = posted,
				      .opcode = IBV_WR_SEND_WITH_IMM,
				      .sges = {near.sge()}};
			send.immediate = posted++;
			ASSERT_EQ(a().post_send(send), 0);
		}
		ASSERT_EQ(b().post_recv(i, {far.sge()}), 0);
		ibv_wc wc = one(b(), Queue::kReceive);
		ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
		ASSERT_EQ(be32toh(wc.imm_data), i);
		ASSERT_EQ(one(a(), Queue::kSend).wr_id, i);
	}
}

TEST_F(RetryTest, PeerThatIsGone)
{
	PathSpec path;
	path.timeout = 14; // 67 ms, and up to four times that
	path.retry_cnt = 2;
	open({}, path);
	Link link = take();
	link.b.reset();
	auto start = Clock::now();
	for (uint64_t i = 0; i < 3; i++)
		ASSERT_EQ(link.a->post_send({.wr_id = i}), 0);
	auto completions = link.a->poll(Queue::kSend, 3);
	auto took = Clock::now() - start;
	ASSERT_EQ(completions.size(), 3u);
	EXPECT_EQ(completions[0].status, IBV_WC_RETRY_EXC_ERR);
	EXPECT_EQ(completions[0].wr_id, 0u);
	EXPECT_EQ(completions[1].status, IBV_WC_WR_FLUSH_ERR);
	EXPECT_EQ(completions[2].status, IBV_WC_WR_FLUSH_ERR);
	EXPECT_EQ(link.a->state(), IBV_QPS_ERR);
	// One try and two retries, each T to 4 T, on clocks with ticks of 4 ms; a slow machine gets
	// more.
	EXPECT_GE(took, Milliseconds(3 * 63));
	EXPECT_LE(took, Milliseconds(3 * 4 * 68 + (quick() ? 5000 : 500)));
}

TEST_F(RetryTest, SevenRetriesAreSeven)
{
	PathSpec path;
	path.timeout = 10; // 4.2 ms
	path.retry_cnt = 7;
	open({}, path);
	Link link = take();
	link.b.reset();
	ASSERT_EQ(link.a->post_send({}), 0);
	auto completions = link.a->poll(Queue::kSend, 1, quick() ? patience() : Milliseconds(2000));
	ASSERT_EQ(completions.size(), 1u) << "7 means seven retries, not endless ones";
	EXPECT_EQ(completions[0].status, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(RetryTest, NoRetriesAtAll)
{
	PathSpec path;
	path.timeout = 12;
	path.retry_cnt = 0;
	open({}, path);
	Link link = take();
	link.b.reset();
	Region near = link.a->reg(8);
	SendSpec read{.opcode = IBV_WR_RDMA_READ, .sges = {near.sge()}};
	ASSERT_EQ(link.a->post_send(read), 0);
	auto completions = link.a->poll(Queue::kSend, 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].status, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(RetryTest, TimeoutZeroWaitsForEver)
{
	PathSpec path;
	path.timeout = 0;
	path.retry_cnt = 0;
	open({}, path);
	Link link = take();
	link.b.reset();
	ASSERT_EQ(link.a->post_send({}), 0);
	EXPECT_TRUE(link.a->poll(Queue::kSend, 1, Milliseconds(300)).empty());
	ASSERT_EQ(link.a->move(IBV_QPS_ERR), 0);
	EXPECT_EQ(link.a->poll(Queue::kSend, 1).size(), 1u);
}

TEST_F(RetryTest, PeerThatIsReadyLate)
{
	// The peer is in INIT, where it drops everything; what was sent is repeated until it
	// answers.
	PathSpec path;
	path.timeout = 13; // 34 ms
	QpSpec spec;
	auto near = std::make_unique<LocalEndpoint>(local_device(), spec);
	auto far = peer_endpoint(spec);
	near->connect(far->address(), path);
	ASSERT_EQ(near->post_send({.wr_id = 3}), 0);
	EXPECT_TRUE(near->poll(Queue::kSend, 1, Milliseconds(50)).empty());
	far->connect(near->address(), path);
	ASSERT_EQ(far->post_recv(4, {}), 0);
	auto sent = near->poll(Queue::kSend, 1);
	ASSERT_EQ(sent.size(), 1u);
	EXPECT_EQ(sent[0].status, IBV_WC_SUCCESS);
	auto received = far->poll(Queue::kReceive, 1);
	ASSERT_EQ(received.size(), 1u);
	EXPECT_EQ(received[0].wr_id, 4u);
}

} // namespace
} // namespace conformance
