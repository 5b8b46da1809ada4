// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The doorbell protocol: who kicks, when, and that no post is ever missed.
#include <cerrno>
#include <fstream>
#include <string>
#include <thread>

#include "doorbell.hpp"
#include "fake_kernel.hpp"

namespace {

using fake::Qp;
using fake::send_wr;

class Doorbell : public fake::Fixture {
protected:
	/** How often the fake kernel's file is mapped at @p offset. */
	static int mappings(std::uint64_t offset)
	{
		std::ifstream maps("/proc/self/maps");
		std::string line;
		char wanted[32];
		int count = 0;

		std::snprintf(wanted, sizeof(wanted), " %08llx ",
			      static_cast<unsigned long long>(offset));
		while (std::getline(maps, line)) {
			count += line.find("srnic-fake-kernel") != std::string::npos &&
				 line.find(wanted) != std::string::npos;
		}
		return count;
	}
};

TEST_F(Doorbell, NoKickWhileTheEnginePolls)
{
	Qp qp = make_qp({.line = 3, .bit = 63});
	ibv_send_wr wr = send_wr();

	ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.kicks, 0);
	EXPECT_EQ(qp.line->pending, std::uint64_t{1} << 63);
	EXPECT_EQ(kernel.at<srnic_doorbell_line>(doorbells)[3].pending, std::uint64_t{1} << 63);
}

TEST_F(Doorbell, KickWhenParked)
{
	Qp qp = make_qp();
	ibv_send_wr wr = send_wr();

	qp.line->parked = 1;
	for (int i = 1; i <= 3; ++i) {
		ASSERT_EQ(qp.post(wr), 0);
		EXPECT_EQ(qp.kicks, i);
	}
}

TEST_F(Doorbell, WhoFindsTheBitSetDoesNotKick)
{
	Qp qp = make_qp();
	ibv_send_wr wr = send_wr();

	qp.line->parked = 1;
	qp.line->pending = qp.mask;
	ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.kicks, 0);
	EXPECT_EQ(qp.line->pending, qp.mask);
}

TEST_F(Doorbell, OtherBitsAreLeftAlone)
{
	Qp one = make_qp({.qpn = 1, .bit = 0});
	Qp two = make_qp({.qpn = 2, .bit = 1});
	ibv_send_wr wr = send_wr();

	one.line->pending = 0xf0;
	one.line->parked = 1;
	ASSERT_EQ(one.post(wr), 0);
	// The other QP's bit being set says nothing about this one's.
	EXPECT_EQ(one.kicks, 1);
	EXPECT_EQ(two.kicks, 0);
	EXPECT_EQ(one.line->pending, 0xf0U);
	one.line->parked = 0;
	ASSERT_EQ(two.post(wr), 0);
	EXPECT_EQ(one.line->pending, 0xf2U);
}

TEST_F(Doorbell, OnceForAList)
{
	Qp qp = make_qp();
	ibv_send_wr wrs[4] = {send_wr(), send_wr(), send_wr(), send_wr()};

	for (int i = 0; i < 3; ++i)
		wrs[i].next = &wrs[i + 1];
	qp.line->parked = 1;
	ASSERT_EQ(qp.post(wrs[0]), 0);
	EXPECT_EQ(qp.kicks, 1);
	EXPECT_EQ(qp.sq.producer(), 4U);
}

TEST_F(Doorbell, AnEmptyListDoesNothing)
{
	Qp qp = make_qp();
	ibv_send_wr *bad = nullptr;

	EXPECT_EQ(srnic_post_send(qp.qp(), nullptr, &bad), 0);
	EXPECT_FALSE(qp.rung());
}

TEST_F(Doorbell, FailingKickIsReported)
{
	Qp qp = make_qp();
	ibv_send_wr wrs[2] = {send_wr(), send_wr()};
	ibv_send_wr *bad = nullptr;

	wrs[0].next = &wrs[1];
	qp.line->parked = 1;
	qp.kick_result = EIO;
	EXPECT_EQ(qp.post(wrs[0], &bad), EIO);
	EXPECT_EQ(bad, &wrs[0]);
	// The error of a request counts more than that of the kick.
	wrs[1].num_sge = -1;
	EXPECT_EQ(qp.post(wrs[0], &bad), EINVAL);
	EXPECT_EQ(bad, &wrs[1]);
}

TEST_F(Doorbell, PageIsMappedOnceAndUnmappedWithItsLastUser)
{
	const int before = mappings(doorbells);
	const std::uint64_t other = kernel.allocate(fake::kPage);
	{
		Qp one = make_qp({.qpn = 1});

		EXPECT_EQ(mappings(doorbells), before + 1);
		{
			Qp two = make_qp({.qpn = 2});
			Qp three(kernel, core, cq.cq(), cq.cq(), other, {.qpn = 3});

			EXPECT_EQ(mappings(doorbells), before + 1);
			EXPECT_EQ(mappings(other), 1);
		}
		EXPECT_EQ(mappings(other), 0);
		EXPECT_EQ(mappings(doorbells), before + 1);
	}
	EXPECT_EQ(mappings(doorbells), before);
}

TEST_F(Doorbell, QueuesAreUnmappedWithTheQp)
{
	std::uint64_t sq = 0;
	{
		Qp qp = make_qp();

		sq = qp.config.queues.sq_mmap_offset;
		EXPECT_EQ(mappings(sq), 1);
		EXPECT_EQ(mappings(qp.config.queues.rq_mmap_offset), 1);
	}
	EXPECT_EQ(mappings(sq), 0);
}

/*
 * An engine that parks whenever it finds nothing, against two threads that post to
 * the same QP. Kicks are counted, not served: the engine is woken by them alone, so
 * one that is missing leaves requests behind, and the test fails at its deadline.
 */
TEST_F(Doorbell, NothingIsMissedByAnEngineThatParks)
{
	constexpr std::uint32_t kPosts = 20000;
	Qp qp = make_qp({.send_wr = 16});
	std::atomic<bool> stop = false;
	std::uint32_t done = 0;
	std::atomic_ref<__u64> pending(*reinterpret_cast<__u64 *>(&qp.line->pending));
	std::atomic_ref<__u32> parked(qp.line->parked);

	const auto run = [&] {
		pending.exchange(0);
		for (const std::uint32_t producer = qp.sq.producer(); done != producer; ++done) {
			cq.push(qp.send_cqe(done + 1));
			while (cq.producer - std::atomic_ref(cq.header->consumer).load() > 8)
				std::this_thread::yield();
		}
	};
	std::thread engine([&] {
		int seen = 0;

		while (!stop) {
			run();
			parked.store(1);
			if (pending.load() == 0) {
				while (qp.kicks == seen && !stop)
					std::this_thread::yield();
			}
			seen = qp.kicks;
			parked.store(0);
		}
	});
	const auto post = [&] {
		for (std::uint32_t i = 0; i < kPosts && !stop;) {
			ibv_send_wr wr = send_wr(i);
			const int err = qp.post(wr);

			ASSERT_TRUE(err == 0 || err == ENOMEM);
			i += err == 0;
			if (err)
				std::this_thread::yield();
		}
	};
	std::thread posters[] = {std::thread(post), std::thread(post)};
	const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
	std::uint32_t polled = 0;
	ibv_wc wc[4];

	while (polled < 2 * kPosts && std::chrono::steady_clock::now() < deadline) {
		const int count = cq.poll(wc, 4);

		polled += static_cast<std::uint32_t>(count);
		if (count == 0)
			std::this_thread::yield();
	}
	stop = true;
	for (std::thread &poster : posters)
		poster.join();
	engine.join();
	EXPECT_EQ(polled, 2 * kPosts);
	EXPECT_GT(qp.kicks, 0);
}

} // namespace
