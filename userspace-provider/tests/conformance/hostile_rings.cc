// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Garbage in the queues of the way back: receives, completions, doorbells.
#include <functional>

#include "hostile.h"

namespace conformance {
namespace {

class HostileRingTest : public HostileTest {};

TEST_F(HostileRingTest, ReceiveProducerIndex)
{
	for (uint32_t jump : {0u, 0x7fffffffu, 0x80000000u, 0xfffffff0u}) {
		SCOPED_TRACE(jump);
		open();
		if (jump == 0)
			jump = attacker().caps.max_recv_wr + 1;
		queues().rq().producer += jump;
		// The kernel looks when a message needs a receive.
		for (uint64_t i = 0; i < 4; i++)
			victim().post_send({.wr_id = i});
		auto completions = victim().poll(Queue::kSend, 4);
		EXPECT_EQ(completions.size(), 4u) << "the peer must not hang";
		expect_error_state("RQ producer + " + std::to_string(jump));
	}
}

TEST_F(HostileRingTest, ReceiveSlots)
{
	using SpoilRecv = std::function<void(srnic_recv_wqe &)>;
	const std::vector<SpoilRecv> spoils = {
		[](auto &wqe) { wqe.num_sge = 33; },
		[](auto &wqe) { wqe.num_sge = 255; },
		[](auto &wqe) { wqe.num_sge = 0xffffffff; },
		[](auto &wqe) { wqe.reserved = 1; },
		[](auto &wqe) {
			wqe.num_sge = 1;
			*SharedQueues::elements(wqe) = {UINT64_MAX, 0xffffffff, 0};
		},
		[](auto &wqe) {
			wqe.num_sge = 2;
			SharedQueues::elements(wqe)[0] = {0x1000, 0xffffffff, 0xffffffff};
			SharedQueues::elements(wqe)[1] = {0x1000, 0xffffffff, 0xffffffff};
		},
	};
	for (size_t i = 0; i < spoils.size(); i++) {
		SCOPED_TRACE(i);
		open();
		Region data = victim().reg(100);
		spoils[i](queues().next_recv());
		queues().submit_recv();
		// Two good receives were posted before.
		for (uint64_t n = 0; n < 2; n++)
			EXPECT_EQ(victim().post_send({.wr_id = n}), 0);
		EXPECT_EQ(victim().post_send({.wr_id = 2, .sges = {data.sge()}}), 0);
		auto completions = victim().poll(Queue::kSend, 3);
		ASSERT_EQ(completions.size(), 3u);
		EXPECT_EQ(completions[1].status, IBV_WC_SUCCESS);
		EXPECT_NE(completions[2].status, IBV_WC_SUCCESS);
		expect_error_state("receive");
	}
}

TEST_F(HostileRingTest, CompletionQueue)
{
	for (uint32_t garbage : {0xffffffffu, 0x80000000u, 1000000u, 0u}) {
		SCOPED_TRACE(garbage);
		open();
		Region near = attacker().reg(8), far = victim().reg(8);
		queues().cq().consumer = garbage;
		queues().cq().arm = ~garbage;
		queues().cq().notified = garbage;
		SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		for (int i = 0; i < 60; i++)
			attacker().post_send(send);
		// Whatever becomes of its completions is its own matter.
		poll_whatever(attacker(), Queue::kSend, moment());
	}
}

TEST_F(HostileRingTest, CompletionsOverwritten)
{
	open();
	Region near = attacker().reg(8), far = victim().reg(8);
	auto bytes = queues().mapping(2);
	memset(bytes.data() + sizeof(srnic_cq_header), 0xff,
	       bytes.size() - sizeof(srnic_cq_header));
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	send.remote_address = far.address;
	send.rkey = far.rkey;
	for (int i = 0; i < 40; i++)
		attacker().post_send(send);
	// The process sees what it wrote itself; the provider must survive that too.
	poll_whatever(attacker(), Queue::kSend, moment());
}

TEST_F(HostileRingTest, Doorbells)
{
	open();
	for (int round = 0; round < 50; round++) {
		auto bytes = queues().mapping(3);
		memset(bytes.data(), round % 2 ? 0xff : 0, bytes.size());
		EXPECT_EQ(queues().kick(), 0);
	}
	// Parked garbage only costs this process its own kicks.
	memset(queues().mapping(3).data(), 0, queues().mapping(3).size());
	attacker().post_send({.wr_id = 5});
	queues().kick();
	poll_whatever(attacker(), Queue::kSend, moment());
}

} // namespace
} // namespace conformance
