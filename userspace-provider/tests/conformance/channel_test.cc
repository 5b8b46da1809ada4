// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Completion channels: one event per arm, none lost, solicited and not.
#include <fcntl.h>
#include <poll.h>

#include <thread>

#include "link.h"

namespace conformance {
namespace {

/// a() receives and has the channel; b() may be anywhere.
class ChannelTest : public LinkTest {
protected:
	void SetUp() override
	{
		QpSpec spec_a;
		spec_a.channel = true;
		open(spec_a, {}, {}, {});
		int fd = a().channel->fd;
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		for (uint64_t i = 0; i < 60; i++)
			ASSERT_EQ(a().post_recv(i, {}), 0);
	}
	void arm(bool solicited = false)
	{
		ASSERT_EQ(ibv_req_notify_cq(a().recv_cq.get(), solicited), 0);
	}
	/// b() sends an empty message; returns when a() has its completion in the CQ.
	void arrive(bool solicited = false)
	{
		SendSpec send;
		if (solicited)
			send.flags |= IBV_SEND_SOLICITED;
		ASSERT_EQ(b().post_send(send), 0);
		ASSERT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
	}
	/// Takes the next event if one comes in @timeout.
	bool event(Milliseconds timeout = patience())
	{
		pollfd fd{a().channel->fd, POLLIN, 0};
		if (::poll(&fd, 1, static_cast<int>(timeout.count())) <= 0)
			return false;
		ibv_cq *cq = nullptr;
		void *context = nullptr;
		must_be_zero(ibv_get_cq_event(a().channel.get(), &cq, &context),
			     "ibv_get_cq_event");
		EXPECT_EQ(cq, a().recv_cq.get());
		EXPECT_EQ(context, &a()) << "the cq_context of the creation";
		ibv_ack_cq_events(cq, 1);
		return true;
	}
	bool no_event() { return !event(moment()); }
};

TEST_F(ChannelTest, NoEventUnlessArmed)
{
	arrive();
	EXPECT_TRUE(no_event());
}

TEST_F(ChannelTest, OneEventPerArm)
{
	for (int round = 0; round < 3; round++) {
		arm();
		arrive();
		EXPECT_TRUE(event());
		arrive();
		EXPECT_TRUE(no_event());
	}
}

TEST_F(ChannelTest, ArmingTwiceIsArmingOnce)
{
	arm();
	arm();
	arrive();
	EXPECT_TRUE(event());
	arrive();
	EXPECT_TRUE(no_event());
}

TEST_F(ChannelTest, EmptyChannelWouldBlock)
{
	ibv_cq *cq = nullptr;
	void *context = nullptr;
	EXPECT_NE(ibv_get_cq_event(a().channel.get(), &cq, &context), 0);
	EXPECT_EQ(errno, EAGAIN);
}

TEST_F(ChannelTest, SolicitedArmIgnoresOrdinaryMessages)
{
	arm(true);
	arrive(false);
	EXPECT_TRUE(no_event());
	arrive(true);
	EXPECT_TRUE(event());
}

TEST_F(ChannelTest, OrdinaryArmTakesSolicitedMessages)
{
	arm(false);
	arrive(true);
	EXPECT_TRUE(event());
}

TEST_F(ChannelTest, SolicitedDoesNotWeakenAPendingArm)
{
	arm(false);
	arm(true);
	arrive(false);
	EXPECT_TRUE(event()) << "C11-31: the stronger request holds";
}

TEST_F(ChannelTest, OrdinaryStrengthensAPendingArm)
{
	arm(true);
	arm(false);
	arrive(false);
	EXPECT_TRUE(event());
}

TEST_F(ChannelTest, SolicitedWriteWithImmediate)
{
	Region near = b().reg(8), far = a().reg(8);
	arm(true);
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		      .flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
		      .sges = {near.sge()}};
	send.remote_address = far.address;
	send.rkey = far.rkey;
	ASSERT_EQ(b().post_send(send), 0);
	EXPECT_TRUE(event());
}

TEST_F(ChannelTest, ErrorsAreSolicited)
{
	arm(true);
	ASSERT_EQ(a().move(IBV_QPS_ERR), 0);
	EXPECT_TRUE(event()) << "a flushed receive wakes a CQ armed for solicited ones";
	EXPECT_EQ(a().poll(Queue::kReceive, 60).size(), 60u);
}

TEST_F(ChannelTest, SendCompletionsRaiseEvents)
{
	Region near = a().reg(8), far = b().reg(8);
	ASSERT_EQ(ibv_req_notify_cq(a().send_cq.get(), 0), 0);
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	send.remote_address = far.address;
	send.rkey = far.rkey;
	ASSERT_EQ(a().post_send(send), 0);
	pollfd fd{a().channel->fd, POLLIN, 0};
	ASSERT_EQ(::poll(&fd, 1, static_cast<int>(patience().count())), 1);
	ibv_cq *cq = nullptr;
	void *context = nullptr;
	ASSERT_EQ(ibv_get_cq_event(a().channel.get(), &cq, &context), 0);
	EXPECT_EQ(cq, a().send_cq.get());
	ibv_ack_cq_events(cq, 1);
	EXPECT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
}

TEST_F(ChannelTest, NoEventIsLost)
{
	// The loop of every program that sleeps: event, arm, poll until empty. b() sends at its
	// pace.
	if (!options().connect.empty())
		GTEST_SKIP() << "one side channel for two threads";
	const uint64_t count = scaled(2000u, 100u);
	std::thread sender([&] {
		for (uint64_t i = 0; i < count; i++) {
			while (b().post_send({.wr_id = i}) == ENOMEM)
				b().poll(Queue::kSend, 1, Milliseconds(0));
			b().poll(Queue::kSend, 16, Milliseconds(0));
			if (i % 7 == 0)
				std::this_thread::sleep_for(std::chrono::microseconds(i % 300));
		}
	});
	uint64_t received = 0;
	auto drain = [&] {
		for (;;) {
			auto batch = a().poll(Queue::kReceive, 16, Milliseconds(0));
			if (batch.empty())
				return;
			for (const ibv_wc &wc : batch) {
				EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
				EXPECT_EQ(a().post_recv(wc.wr_id, {}), 0);
			}
			received += batch.size();
		}
	};
	arm();
	drain();
	while (received < count) {
		if (!event()) {
			ADD_FAILURE() << "asleep with " << count - received << " messages to come";
			break;
		}
		arm();
		drain();
	}
	sender.join();
	EXPECT_EQ(received, count);
}

TEST_F(ChannelTest, BusyChannelStays)
{
	EXPECT_EQ(ibv_destroy_comp_channel(a().channel.get()), EBUSY);
}

TEST_F(ChannelTest, DestroyedWithUnreadEvents)
{
	arm();
	arrive();
	pollfd fd{a().channel->fd, POLLIN, 0};
	ASSERT_EQ(::poll(&fd, 1, static_cast<int>(patience().count())), 1);
	// The fixture destroys QP, CQ and channel now; nobody has read the event.
}

} // namespace
} // namespace conformance
