// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Scatter and gather: many elements, odd splits, empty elements, empty messages.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "link.h"

namespace conformance {
namespace {

class SgeTest : public LinkTest {
protected:
	void SetUp() override
	{
		QpSpec spec;
		spec.send_sge = spec.recv_sge = 32;
		open(spec);
	}

	/// Cuts @region into @count elements, some of them empty, in one of many ways.
	static std::vector<ibv_sge> cut(const Region &region, unsigned count, unsigned seed)
	{
		std::mt19937 random(seed);
		std::vector<uint32_t> edges{0, static_cast<uint32_t>(region.length)};
		while (edges.size() < count + 1)
			edges.push_back(static_cast<uint32_t>(random() % (region.length + 1)));
		if (count > 3)
			edges[3] = edges[2]; // an empty element
		std::sort(edges.begin(), edges.end());
		std::vector<ibv_sge> sges;
		for (unsigned i = 0; i < count; i++)
			sges.push_back(region.sge(edges[i], edges[i + 1] - edges[i]));
		return sges;
	}
	SendSpec to_far(ibv_wr_opcode opcode, const Region &far)
	{
		SendSpec send{.opcode = opcode};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		return send;
	}
};

TEST_F(SgeTest, GatherAndScatterOfSends)
{
	for (uint32_t size : {1u, 31u, 1023u, 1025u, 5000u}) {
		for (unsigned count : {1u, 2u, 7u, 31u, 32u}) {
			SCOPED_TRACE(std::to_string(count) + " elements, " + std::to_string(size) +
				     " bytes");
			Region near = a().reg(size, kAllAccess, 3),
			       far = b().reg(size, kAllAccess, 1);
			a().fill(near.address, size, size + count);
			ASSERT_EQ(b().post_recv(1, cut(far, 33 - count, size)), 0);
			complete({.sges = cut(near, count, size + 1)});
			EXPECT_EQ(one(b(), Queue::kReceive).byte_len, size);
			EXPECT_EQ(b().mismatch(far.address, size, size + count), -1);
		}
	}
}

TEST_F(SgeTest, GatherOfWritesAndScatterOfReads)
{
	for (unsigned count : {2u, 17u, 32u}) {
		Region near = a().reg(4099, kAllAccess, 5), far = b().reg(4099);
		a().fill(near.address, 4099, count);
		SendSpec send = to_far(IBV_WR_RDMA_WRITE, far);
		send.sges = cut(near, count, count);
		complete(send);
		EXPECT_EQ(b().mismatch(far.address, 4099, count), -1);
		a().fill(near.address, 4099, ~0u);
		send = to_far(IBV_WR_RDMA_READ, far);
		send.sges = cut(near, count, count + 1);
		complete(send);
		EXPECT_EQ(a().mismatch(near.address, 4099, count), -1);
	}
}

TEST_F(SgeTest, ElementsOfManyRegions)
{
	std::vector<ibv_sge> sges;
	for (unsigned i = 0; i < 32; i++) {
		Region part = a().reg(100, kAllAccess, i % 8);
		a().fill(part.address, 100, 4, 100 * i);
		sges.push_back(part.sge());
	}
	Region far = b().reg(3200);
	SendSpec send = to_far(IBV_WR_RDMA_WRITE, far);
	send.sges = sges;
	complete(send);
	EXPECT_EQ(b().mismatch(far.address, 3200, 4), -1);
}

TEST_F(SgeTest, ReceiveLargerThanTheMessage)
{
	Region near = a().reg(100), far = b().reg(300);
	a().fill(near.address, 100, 1);
	b().fill(far.address, 300, 2);
	ASSERT_EQ(b().post_recv(1, {far.sge(0, 60), far.sge(60, 240)}), 0);
	complete({.sges = {near.sge()}});
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, 100u);
	EXPECT_EQ(b().mismatch(far.address, 100, 1), -1);
	EXPECT_EQ(b().mismatch(far.address + 100, 200, 2, 100), -1) << "the rest is untouched";
}

TEST_F(SgeTest, EmptyMessagesNeedNoKeys)
{
	// C9-88: the R_Key of an access to 0 bytes is not validated; nor are empty elements.
	ibv_sge nowhere{0xdead0000, 0, 0xdeadbeef};
	for (auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ}) {
		SendSpec send{.opcode = opcode, .sges = {nowhere}};
		send.remote_address = 0xdead0000;
		send.rkey = 0xdeadbeef;
		complete(send);
		send.sges.clear();
		complete(send);
	}
	ASSERT_EQ(b().post_recv(1, {nowhere, nowhere}), 0);
	complete({.sges = {nowhere}});
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, 0u);
	ASSERT_EQ(b().post_recv(2, {}), 0);
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .immediate = 42};
	send.rkey = 0xdeadbeef;
	complete(send);
	ibv_wc wc = one(b(), Queue::kReceive);
	EXPECT_EQ(wc.wr_id, 2u);
	EXPECT_EQ(be32toh(wc.imm_data), 42u);
	EXPECT_EQ(wc.byte_len, 0u);
}

TEST_F(SgeTest, EmptyRegion)
{
	Region near = a().reg(0), far = b().reg(0);
	for (auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ}) {
		SendSpec send = to_far(opcode, far);
		send.sges = {near.sge()};
		complete(send);
	}
	SendSpec send = to_far(IBV_WR_RDMA_WRITE, far);
	Region byte = a().reg(1);
	send.sges = {byte.sge()};
	complete(send, IBV_WC_REM_ACCESS_ERR);
}

TEST_F(SgeTest, OneMebibyte)
{
	uint32_t size = scaled(1u << 20, 1u << 16) + 13;
	Region near = a().reg(size, kAllAccess, 1), far = b().reg(size, kAllAccess, 2);
	a().fill(near.address, size, 11);
	SendSpec send = to_far(IBV_WR_RDMA_WRITE, far);
	send.sges = cut(near, 32, 8);
	complete(send);
	EXPECT_EQ(b().mismatch(far.address, size, 11), -1);
	a().fill(near.address, size, 12);
	send = to_far(IBV_WR_RDMA_READ, far);
	send.sges = {near.sge()};
	complete(send);
	EXPECT_EQ(a().mismatch(near.address, size, 11), -1);
	b().fill(far.address, size, 13);
	ASSERT_EQ(b().post_recv(1, cut(far, 32, 9)), 0);
	complete({.sges = {near.sge()}});
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, size);
	EXPECT_EQ(b().mismatch(far.address, size, 11), -1);
}

TEST_F(SgeTest, TwoGibibytes)
{
	if (!getenv("SRNIC_TEST_HUGE") || !options().connect.empty())
		GTEST_SKIP() << "set SRNIC_TEST_HUGE=1; needs 4 GiB of memory";
	alarm(3600);
	constexpr uint64_t kSize = 1ull << 31;
	Region near = a().reg(kSize), far = b().reg(kSize);
	a().fill(near.address, kSize, 1);
	SendSpec send = to_far(IBV_WR_RDMA_WRITE, far);
	send.sges = {near.sge()};
	ASSERT_EQ(a().post_send(send), 0);
	auto completions = a().poll(Queue::kSend, 1, Milliseconds(1'800'000));
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].status, IBV_WC_SUCCESS);
	EXPECT_EQ(b().mismatch(far.address, kSize, 1), -1);
}

TEST_F(SgeTest, LongerThanTheLongestMessage)
{
	// Elements that all lie in the same memory.
	uint64_t limit = local_device().port().max_msg_sz;
	constexpr uint32_t kPart = 1u << 27;
	void *map = mmap(nullptr, kPart, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	Mr mr(ibv_reg_mr(a().pd.get(), map, kPart, 0));
	if (!mr)
		GTEST_SKIP() << "not enough memory";
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE};
	for (uint64_t left = limit + 1; left;) {
		auto part = static_cast<uint32_t>(std::min<uint64_t>(left, kPart));
		ASSERT_LT(send.sges.size(), 32u);
		send.sges.push_back({reinterpret_cast<uintptr_t>(map), part, mr->lkey});
		left -= part;
	}
	int error = a().post_send(send);
	if (error) {
		EXPECT_EQ(error, EINVAL);
	} else {
		EXPECT_EQ(one(a(), Queue::kSend).status, IBV_WC_LOC_LEN_ERR);
	}
	mr.reset();
	munmap(map, kPart);
}

} // namespace
} // namespace conformance
