// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Garbage at random and all at once, changed while it is in use.
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

#include "hostile.h"

namespace conformance {
namespace {

using Random = std::mt19937_64;

/// A number that programs like to get wrong, or any.
uint64_t interesting(Random &random)
{
	static const uint64_t values[] = {
		0,    1,	  2,	      31,	  32,	      33,	 63,
		64,   65,	  127,	      128,	  255,	      256,	 4095,
		4096, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, UINT64_MAX};
	uint64_t pick = random();
	return pick % 3 ? values[pick % std::size(values)] : random();
}

/// Writes a value of a random width to a random place.
void scribble(std::span<uint8_t> bytes, Random &random)
{
	size_t width = size_t{1} << random() % 4;
	// Headers and the first slots more often than the rest.
	size_t range = random() % 2 ? std::min<size_t>(bytes.size(), 512) : bytes.size();
	size_t at = random() % (range / width) * width;
	uint64_t value = interesting(random);
	memcpy(bytes.data() + at, &value, width);
}

uint64_t seed_of_this_run()
{
	const char *given = getenv("SRNIC_TEST_SEED");
	uint64_t seed = given ? strtoull(given, nullptr, 0) : std::random_device{}();
	printf("# SRNIC_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
	return seed;
}

class HostileFuzzTest : public HostileTest {
protected:
	/// One request of many kinds, through the provider.
	void honest_request(Random &random, const Region &near, const Region &far)
	{
		static const ibv_wr_opcode opcodes[] = {IBV_WR_SEND, IBV_WR_RDMA_WRITE,
							IBV_WR_RDMA_READ,
							IBV_WR_ATOMIC_FETCH_AND_ADD};
		SendSpec send{.opcode = opcodes[random() % std::size(opcodes)]};
		send.sges = {near.sge(0, send.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : 4096)};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		send.to = victim().address();
		attacker().post_send(send);
	}
	void random_step(Random &random, const Region &near, const Region &far)
	{
		switch (random() % 8) {
		case 0:
		case 1:
		case 2:
			return scribble(queues().mapping(static_cast<unsigned>(random() % 4)),
					random);
		case 3:
			return honest_request(random, near, far);
		case 4:
			queues().kick();
			return;
		case 5:
			attacker().post_recv(random(), {near.sge()});
			victim().post_recv(random(), {far.sge()});
			return;
		case 6:
			victim().post_send({.wr_id = random(),
					    .sges = {far.sge(0, 100)},
					    .to = attacker().address()});
			return;
		default:
			poll_whatever(attacker(), Queue::kSend);
			poll_whatever(victim(), Queue::kSend);
			poll_whatever(victim(), Queue::kReceive);
		}
	}
	/// Destroying takes no longer than it should, in whatever state the queues are.
	void close()
	{
		auto start = std::chrono::steady_clock::now();
		HostileTest::TearDown();
		auto took = std::chrono::steady_clock::now() - start;
		EXPECT_LT(took, patience());
	}
	void TearDown() override { close(); }
};

TEST_F(HostileFuzzTest, RandomSteps)
{
	uint64_t seed = seed_of_this_run();
	for (int round = 0; round < scaled(60, 12); round++) {
		SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
		Random random(seed + static_cast<uint64_t>(round));
		open(round % 3 == 0 ? IBV_QPT_UD : round % 3 == 1 ? IBV_QPT_UC : IBV_QPT_RC);
		Region near = attacker().reg(4096), far = victim().reg(4096);
		for (int step = 0; step < 300; step++)
			random_step(random, near, far);
		if (round % 2) {
			attacker().move(IBV_QPS_ERR);
			attacker().move(IBV_QPS_RESET);
		}
	}
}

TEST_F(HostileFuzzTest, ChangedWhileInUse)
{
	// One thread posts honestly, another one changes the same memory under the kernel's eyes.
	uint64_t seed = seed_of_this_run();
	for (int round = 0; round < scaled(8, 3); round++) {
		SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
		open();
		Region near = attacker().reg(4096), far = victim().reg(4096);
		std::atomic<bool> stop = false;
		std::thread scribbler([&] {
			Random random(seed + static_cast<uint64_t>(round));
			while (!stop) {
				// Only the slots: the indices would end the QP at once.
				auto slots = queues().mapping(static_cast<unsigned>(random() % 2));
				scribble(slots.subspan(SRNIC_QUEUE_HEADER_BYTES), random);
			}
		});
		Random random(seed ^ static_cast<uint64_t>(round));
		auto end = std::chrono::steady_clock::now() +
			   scaled(Milliseconds(200), Milliseconds(500));
		while (std::chrono::steady_clock::now() < end) {
			honest_request(random, near, far);
			poll_whatever(attacker(), Queue::kSend);
			victim().post_recv(1, {far.sge()});
			poll_whatever(victim(), Queue::kReceive);
		}
		stop = true;
		scribbler.join();
	}
}

TEST_F(HostileFuzzTest, IndicesInMotion)
{
	open();
	std::atomic<bool> stop = false;
	std::thread mover([&] {
		Random random(1);
		while (!stop) {
			auto value = static_cast<uint32_t>(interesting(random));
			std::atomic_ref(queues().sq().producer).store(value);
			std::atomic_ref(queues().rq().producer).store(value);
			std::atomic_ref(queues().cq().consumer).store(value);
			std::atomic_ref(queues().cq().arm).store(value);
			std::atomic_ref(queues().doorbells()->pending).store(random());
		}
	});
	for (int i = 0; i < scaled(3000, 300); i++) {
		queues().kick();
		victim().post_send({.flags = 0});
	}
	stop = true;
	mover.join();
	expect_error_state("indices in motion");
}

TEST_F(HostileFuzzTest, ManyKicksFromManyThreads)
{
	open();
	std::vector<std::thread> threads;
	for (int t = 0; t < 4; t++) {
		threads.emplace_back([&] {
			for (int i = 0; i < scaled(2000, 200); i++)
				EXPECT_EQ(queues().kick(), 0);
		});
	}
	for (auto &thread : threads)
		thread.join();
	EXPECT_EQ(attacker().state(), IBV_QPS_RTS) << "kicking is not forbidden";
}

} // namespace
} // namespace conformance
