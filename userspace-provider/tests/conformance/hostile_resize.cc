// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The steps of resizing a CQ, out of order, at once, and with garbage in the header.
#include <sys/mman.h>

#include <random>
#include <thread>

#include "hostile.h"
#include "uverbs_file.h"

namespace conformance {
namespace {

class HostileResizeTest : public HostileTest {
protected:
	int step(uint32_t cqe, const srnic_resize_cq_cmd &udata, size_t room = 32,
		 srnic_resize_cq_resp *answer = nullptr)
	{
		uint64_t response[8]{};
		Command command(IB_USER_VERBS_CMD_RESIZE_CQ);
		ib_uverbs_resize_cq core{};
		core.response = reinterpret_cast<uintptr_t>(response);
		core.cq_handle = attacker().send_cq->handle;
		core.cqe = cqe;
		command.put(core).put(bytes_of(udata));
		int error = command.send(attacker().context->cmd_fd,
					 sizeof(ib_uverbs_resize_cq_resp) + room);
		if (answer)
			memcpy(answer, response + 1, sizeof(*answer));
		return error;
	}
	int prepare(uint32_t cqe) { return step(cqe, {0, SRNIC_RESIZE_CQ_PREPARE}); }
	int switch_to(uint32_t cqe) { return step(cqe, {0, SRNIC_RESIZE_CQ_SWITCH}); }
};

TEST_F(HostileResizeTest, OutOfOrder)
{
	open();
	EXPECT_NE(switch_to(64), 0) << "nothing is prepared";
	for (int i = 0; i < 50; i++)
		ASSERT_EQ(prepare(64u << i % 5), 0);
	EXPECT_NE(switch_to(4096), 0) << "another size";
	EXPECT_EQ(switch_to(64u << 49 % 5), 0);
	EXPECT_NE(switch_to(64u << 49 % 5), 0) << "used up";
	EXPECT_EQ(prepare(32), 0);
	// It goes with the CQ.
}

TEST_F(HostileResizeTest, Garbage)
{
	open();
	for (uint32_t garbage : {1u, 0x80000000u})
		EXPECT_NE(step(64, {garbage, SRNIC_RESIZE_CQ_PREPARE}), 0);
	for (uint32_t garbage : {2u, 0x80000000u})
		EXPECT_NE(step(64, {0, garbage}), 0);
	for (uint32_t cqe : {0u, 0x80000000u, 0xffffffffu})
		EXPECT_NE(prepare(cqe), 0);
	// Too little room for the answer: no harm.
	step(64, {0, SRNIC_RESIZE_CQ_PREPARE}, 0);
	step(64, {0, SRNIC_RESIZE_CQ_SWITCH}, 8);
}

TEST_F(HostileResizeTest, AConsumerThatMakesNoSense)
{
	open();
	int fd = attacker().context->cmd_fd;
	std::mt19937 random(11);
	for (int i = 0; i < 50; i++) {
		srnic_resize_cq_resp answer{};
		uint32_t cqe = 1u << random() % 8;
		ASSERT_EQ(step(cqe, {0, SRNIC_RESIZE_CQ_PREPARE}, 32, &answer), 0);
		void *map = mmap(nullptr, answer.mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				 static_cast<off_t>(answer.mmap_offset));
		ASSERT_NE(map, MAP_FAILED);
		memset(map, static_cast<int>(random()), answer.mmap_bytes);
		step(cqe, {0, SRNIC_RESIZE_CQ_SWITCH}, 32, &answer);
		EXPECT_LE(answer.outstanding, cqe);
		// Into the new ring's header, for the next round.
		for (size_t word = 0; word < 32; word++)
			static_cast<uint32_t *>(map)[word] = static_cast<uint32_t>(random());
		attacker().post_send({.wr_id = 1});
		munmap(map, answer.mmap_bytes);
	}
}

TEST_F(HostileResizeTest, AllAtOnce)
{
	open();
	std::vector<std::thread> threads;
	for (unsigned n = 0; n < 4; n++) {
		threads.emplace_back([&, n] {
			for (int i = 0; i < scaled(300, 30); i++) {
				prepare(16u << n);
				switch_to(16u << n);
			}
		});
	}
	for (int i = 0; i < 100; i++)
		attacker().post_send({.wr_id = 1});
	for (std::thread &thread : threads)
		thread.join();
}

} // namespace
} // namespace conformance
