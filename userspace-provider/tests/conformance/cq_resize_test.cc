// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Completion queues change their size: nothing is lost, doubled or out of order.
#include <poll.h>

#include <atomic>
#include <random>
#include <thread>

#include "link.h"

namespace conformance {
namespace {

class CqResizeTest : public LinkTest {
protected:
	void SetUp() override
	{
		open({.send_wr = 512, .send_cqe = 512, .recv_cqe = 64, .channel = true});
		near_ = a().reg(64);
		far_ = b().reg(64);
		int error = resize(512);
		if (error == EOPNOTSUPP || error == ENOSYS)
			GTEST_SKIP() << "the device does not resize CQs";
		ASSERT_EQ(error, 0);
	}
	int resize(int cqe)
	{
		int error = ibv_resize_cq(a().send_cq.get(), cqe);
		return error < 0 ? errno : error;
	}
	/// WRITEs with consecutive wr_ids.
	void post(unsigned count)
	{
		SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near_.sge(0, 8)}};
		send.remote_address = far_.address;
		send.rkey = far_.rkey;
		for (unsigned i = 0; i < count; i++) {
			send.wr_id = posted_++;
			must_be_zero(a().post_send(send), "post_send");
		}
	}
	/// All that was posted is complete at the device, though nobody has polled.
	void settle()
	{
		b().poke(far_.address + 8, {0});
		SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .flags = 0, .sges = {near_.sge(0, 1)}};
		a().poke(near_.address, {1});
		send.remote_address = far_.address + 8;
		send.rkey = far_.rkey;
		must_be_zero(a().post_send(send), "post_send");
		ASSERT_TRUE(eventually([&] { return b().peek(far_.address + 8, 1)[0] == 1; }));
		std::this_thread::sleep_for(moment());
	}
	void expect(size_t count)
	{
		auto got = a().poll(Queue::kSend, count);
		ASSERT_EQ(got.size(), count);
		for (const ibv_wc &wc : got) {
			ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
			ASSERT_EQ(wc.wr_id, polled_++);
		}
	}
	void arm() { must_be_zero(ibv_req_notify_cq(a().send_cq.get(), 0), "arming"); }
	bool event(Milliseconds timeout)
	{
		pollfd fd{a().channel->fd, POLLIN, 0};
		if (::poll(&fd, 1, static_cast<int>(timeout.count())) <= 0)
			return false;
		ibv_cq *cq = nullptr;
		void *context = nullptr;
		must_be_zero(ibv_get_cq_event(a().channel.get(), &cq, &context), "event");
		ibv_ack_cq_events(cq, 1);
		EXPECT_EQ(cq, a().send_cq.get());
		return true;
	}

	Region near_, far_;
	uint64_t posted_ = 0, polled_ = 0;
};

TEST_F(CqResizeTest, SizesGranted)
{
	for (int cqe : {1, 2, 3, 100, 4096, 5000, 64}) {
		ASSERT_EQ(resize(cqe), 0) << cqe;
		EXPECT_GE(a().send_cq->cqe, cqe);
		post(1);
		expect(1);
	}
	int max = local_device().attr().max_cqe;
	EXPECT_EQ(resize(max), 0);
	EXPECT_EQ(a().send_cq->cqe, max);
	post(100);
	expect(100);
}

TEST_F(CqResizeTest, SizesRefused)
{
	int before = a().send_cq->cqe;
	for (int cqe : {0, -1, INT32_MIN, local_device().attr().max_cqe + 1, INT32_MAX})
		EXPECT_EQ(resize(cqe), EINVAL) << cqe;
	EXPECT_EQ(a().send_cq->cqe, before);
	post(5);
	expect(5);
}

TEST_F(CqResizeTest, WhatIsOutstandingStays)
{
	for (int cqe : {1024, 128, 64, 2048}) {
		post(60);
		settle();
		ASSERT_EQ(resize(cqe), 0);
		expect(20);
		ASSERT_EQ(resize(cqe * 2), 0);
		post(3);
		expect(43);
	}
	expect_quiet(a(), Queue::kSend);
}

TEST_F(CqResizeTest, ARingThatIsFull)
{
	ASSERT_EQ(resize(64), 0);
	auto size = static_cast<unsigned>(a().send_cq->cqe);
	ASSERT_LE(size, 500u);
	// Not from the start of the ring.
	post(7);
	expect(7);
	post(size);
	settle();
	ASSERT_EQ(resize(static_cast<int>(size)), 0) << "of the same size";
	ASSERT_EQ(resize(static_cast<int>(2 * size)), 0);
	post(size);
	settle();
	expect(2 * size);
	EXPECT_EQ(a().state(), IBV_QPS_RTS);
}

TEST_F(CqResizeTest, NoRoomForWhatIsOutstanding)
{
	post(100);
	settle();
	int before = a().send_cq->cqe;
	EXPECT_EQ(resize(16), EINVAL);
	EXPECT_EQ(a().send_cq->cqe, before);
	post(1);
	expect(101);
	EXPECT_EQ(resize(16), 0);
	post(10);
	expect(10);
}

TEST_F(CqResizeTest, AnArmStaysArmed)
{
	arm();
	ASSERT_EQ(resize(100), 0);
	EXPECT_FALSE(event(moment())) << "nothing has come";
	post(1);
	EXPECT_TRUE(event(patience()));
	ASSERT_EQ(resize(200), 0);
	post(1);
	EXPECT_FALSE(event(moment())) << "one arm, one event";
	arm();
	post(1);
	EXPECT_TRUE(event(patience()));
	expect(3);
}

TEST_F(CqResizeTest, UnderTraffic)
{
	std::atomic<bool> stop{false};
	std::atomic<int> resized{0}, error{0};
	std::thread resizer([&] {
		std::minstd_rand random(1);
		while (!stop && !error) {
			error = resize(static_cast<int>(512 + random() % 4000));
			resized++;
		}
	});
	const int rounds = scaled(400, 50);
	for (int i = 0; i < rounds; i++) {
		post(static_cast<unsigned>(1 + i % 100));
		expect(static_cast<size_t>(1 + i % 100));
	}
	stop = true;
	resizer.join();
	EXPECT_EQ(error, 0);
	EXPECT_GT(resized, 2);
	expect_quiet(a(), Queue::kSend);
}

TEST_F(CqResizeTest, EventsUnderTraffic)
{
	std::atomic<bool> stop{false};
	std::atomic<int> error{0};
	std::thread resizer([&] {
		for (int i = 0; !stop && !error; i++)
			error = resize(512 << i % 3);
	});
	const int rounds = scaled(1000, 50);
	for (int i = 0; i < rounds; i++) {
		arm();
		post(1);
		ASSERT_TRUE(event(patience())) << "an event got lost in round " << i;
		expect(1);
	}
	stop = true;
	resizer.join();
	EXPECT_EQ(error, 0);
}

/// Moderation, where the device has it.
class CqModerationTest : public CqResizeTest {
protected:
	void SetUp() override
	{
		CqResizeTest::SetUp();
		ibv_device_attr_ex attr{};
		must_be_zero(ibv_query_device_ex(a().context.get(), nullptr, &attr), "query");
		if (attr.cq_mod_caps.max_cq_count < 100 || attr.cq_mod_caps.max_cq_period < 50'000)
			GTEST_SKIP() << "the device does not moderate events";
	}
	int moderate(uint16_t count, uint16_t period)
	{
		ibv_modify_cq_attr attr{};
		attr.attr_mask = IBV_CQ_ATTR_MODERATE;
		attr.moderate = {count, period};
		return ibv_modify_cq(a().send_cq.get(), &attr);
	}
	/// How long it takes from arming until an event comes, with @count completions.
	Milliseconds time_to_event(unsigned count)
	{
		auto start = std::chrono::steady_clock::now();
		arm();
		post(count);
		EXPECT_TRUE(event(patience()));
		auto time = std::chrono::steady_clock::now() - start;
		expect(count);
		return std::chrono::duration_cast<Milliseconds>(time);
	}
};

TEST_F(CqModerationTest, TimeEndsTheWaiting)
{
	ASSERT_EQ(moderate(100, 50'000), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_GE(time_to_event(5).count(), 49);
	ASSERT_EQ(moderate(0, 0), 0);
	EXPECT_TRUE(eventually([&] { return time_to_event(1).count() < 49; })) << "off again";
}

TEST_F(CqModerationTest, SoDoCompletions)
{
	ASSERT_EQ(moderate(10, 50'000), 0);
	EXPECT_TRUE(eventually([&] { return time_to_event(10).count() < 49; }));
	EXPECT_GE(time_to_event(9).count(), 49);
}

TEST_F(CqModerationTest, ACqGoesWhileAnEventIsHeldBack)
{
	for (int i = 0; i < 20; i++) {
		open({.send_cqe = 16, .channel = true});
		near_ = a().reg(64);
		far_ = b().reg(64);
		ASSERT_EQ(moderate(100, 1000), 0);
		arm();
		post(1);
		a().poll(Queue::kSend, 1);
	}
}

} // namespace
} // namespace conformance
