// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Compare-and-swap and fetch-and-add.
#include <thread>

#include "link.h"

namespace conformance {
namespace {

class AtomicTest : public LinkTest {
protected:
	void SetUp() override
	{
		open();
		near_ = a().reg(64);
		far_ = b().reg(64);
	}
	/// Executes @opcode on the word at @offset and returns what it found there.
	uint64_t execute(ibv_wr_opcode opcode, uint64_t compare_add, uint64_t swap = 0,
			 uint64_t offset = 8)
	{
		SendSpec send{.opcode = opcode, .sges = {near_.sge(8, 8)}};
		send.remote_address = far_.address + offset;
		send.rkey = far_.rkey;
		send.compare_add = compare_add;
		send.swap = swap;
		ibv_wc wc = complete(send);
		EXPECT_EQ(wc.opcode, opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? IBV_WC_COMP_SWAP
									 : IBV_WC_FETCH_ADD);
		EXPECT_EQ(wc.byte_len, 8u);
		return a().peek64(near_.address + 8);
	}

	Region near_, far_;
};

TEST_F(AtomicTest, FetchAndAdd)
{
	b().poke64(far_.address + 8, 100);
	EXPECT_EQ(execute(IBV_WR_ATOMIC_FETCH_AND_ADD, 5), 100u);
	EXPECT_EQ(execute(IBV_WR_ATOMIC_FETCH_AND_ADD, UINT64_MAX), 105u) << "adds modulo 2^64";
	EXPECT_EQ(b().peek64(far_.address + 8), 104u);
}

TEST_F(AtomicTest, FetchAndAddCarriesThroughAllBytes)
{
	b().poke64(far_.address + 8, 0x00ffffffffffffff);
	EXPECT_EQ(execute(IBV_WR_ATOMIC_FETCH_AND_ADD, 1), 0x00ffffffffffffffu);
	EXPECT_EQ(b().peek64(far_.address + 8), 0x0100000000000000u);
	EXPECT_EQ(execute(IBV_WR_ATOMIC_FETCH_AND_ADD, 0xff00000000000000), 0x0100000000000000u);
	EXPECT_EQ(b().peek64(far_.address + 8), 0u);
}

TEST_F(AtomicTest, CompareAndSwap)
{
	b().poke64(far_.address + 8, 0x1122334455667788);
	uint64_t found = execute(IBV_WR_ATOMIC_CMP_AND_SWP, 0x1122334455667788, 0xa1b2c3d4e5f60718);
	EXPECT_EQ(found, 0x1122334455667788u);
	EXPECT_EQ(b().peek64(far_.address + 8), 0xa1b2c3d4e5f60718u);
}

TEST_F(AtomicTest, CompareAndSwapThatFails)
{
	b().poke64(far_.address + 8, 7);
	EXPECT_EQ(execute(IBV_WR_ATOMIC_CMP_AND_SWP, 8, 9), 7u);
	EXPECT_EQ(b().peek64(far_.address + 8), 7u);
}

TEST_F(AtomicTest, NeighboursStay)
{
	b().fill(far_.address, 64, 1);
	a().fill(near_.address, 64, 2);
	execute(IBV_WR_ATOMIC_FETCH_AND_ADD, 1);
	EXPECT_EQ(b().mismatch(far_.address, 8, 1), -1);
	EXPECT_EQ(b().mismatch(far_.address + 16, 48, 1, 16), -1);
	EXPECT_EQ(a().mismatch(near_.address, 8, 2), -1);
	EXPECT_EQ(a().mismatch(near_.address + 16, 48, 2, 16), -1);
}

TEST_F(AtomicTest, ManyInFlightAddUp)
{
	b().poke64(far_.address, 0);
	SendSpec send{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD};
	send.remote_address = far_.address;
	send.rkey = far_.rkey;
	send.compare_add = 3;
	Region results = a().reg(8 * 60);
	for (uint64_t i = 0; i < 60; i++) {
		send.wr_id = i;
		send.sges = {results.sge(8 * i, 8)};
		ASSERT_EQ(a().post_send(send), 0);
	}
	auto completions = a().poll(Queue::kSend, 60);
	ASSERT_EQ(completions.size(), 60u);
	for (uint64_t i = 0; i < 60; i++) {
		EXPECT_EQ(completions[i].wr_id, i);
		EXPECT_EQ(completions[i].status, IBV_WC_SUCCESS);
		EXPECT_EQ(a().peek64(results.address + 8 * i), 3 * i) << "executed in order, once";
	}
	EXPECT_EQ(b().peek64(far_.address), 180u);
}

TEST_F(AtomicTest, BetweenWrites)
{
	// An atomic sees the WRITE before it, and a READ behind it sees the atomic.
	Region values = a().reg(24);
	a().poke64(values.address, 50);
	SendSpec write{.wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .sges = {values.sge(0, 8)}};
	SendSpec add{.wr_id = 2, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .sges = {values.sge(8, 8)}};
	SendSpec read{.wr_id = 3, .opcode = IBV_WR_RDMA_READ, .sges = {values.sge(16, 8)}};
	read.flags |= IBV_SEND_FENCE;
	add.compare_add = 7;
	for (SendSpec *send : {&write, &add, &read}) {
		send->remote_address = far_.address;
		send->rkey = far_.rkey;
		ASSERT_EQ(a().post_send(*send), 0);
	}
	for (const ibv_wc &wc : a().poll(Queue::kSend, 3))
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(a().peek64(values.address + 8), 50u);
	EXPECT_EQ(a().peek64(values.address + 16), 57u);
}

TEST_F(AtomicTest, ResultBufferTooShort)
{
	SendSpec send{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .sges = {near_.sge(0, 4)}};
	send.remote_address = far_.address;
	send.rkey = far_.rkey;
	// Refused at once or in error later; never a result of less than 8 bytes.
	int error = a().post_send(send);
	if (error) {
		EXPECT_EQ(error, EINVAL);
	} else {
		EXPECT_NE(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	}
}

TEST_F(AtomicTest, WithoutPermissionInTheRegion)
{
	Region plain = b().reg_part(far_, 0, 8, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	b().poke64(plain.address, 1);
	SendSpec send{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .sges = {near_.sge(0, 8)}};
	send.remote_address = plain.address;
	send.rkey = plain.rkey;
	send.compare_add = 1;
	complete(send, IBV_WC_REM_ACCESS_ERR);
	EXPECT_EQ(b().peek64(plain.address), 1u);
}

TEST(AtomicLocalTest, AtomicAgainstTheProcessor)
{
	// IB_ATOMIC_GLOB: atomic against ordinary atomic instructions on the same word.
	if (!options().connect.empty() || local_device().attr().atomic_cap != IBV_ATOMIC_GLOB)
		GTEST_SKIP() << "atomic within the device only";
	LocalEndpoint a(local_device(), {}), b(peer_device(), {});
	b.connect(a.address(), {});
	a.connect(b.address(), {});
	Region near = a.reg(8), far = b.reg(8);
	b.poke64(far.address, 0);
	std::atomic_ref<uint64_t> word(*reinterpret_cast<uint64_t *>(far.address));
	std::atomic<bool> stop = false;
	uint64_t added = 0;
	std::thread adder([&] {
		while (!stop) {
			word.fetch_add(1);
			added++;
		}
	});
	SendSpec send{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .sges = {near.sge()}};
	send.remote_address = far.address;
	send.rkey = far.rkey;
	send.compare_add = 1ull << 40;
	int rounds = scaled(500, 50);
	for (int i = 0; i < rounds; i++) {
		EXPECT_EQ(a.post_send(send), 0);
		EXPECT_EQ(a.poll(Queue::kSend, 1).size(), 1u);
	}
	stop = true;
	adder.join();
	EXPECT_EQ(word.load(), (static_cast<uint64_t>(rounds) << 40) + added);
}

} // namespace
} // namespace conformance
