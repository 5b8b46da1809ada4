// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Atomic writes: 8 bytes that nobody sees in part.
#include <atomic>
#include <cstring>

#include "link.h"

namespace conformance {
namespace {

class AtomicWriteTest : public LinkTest {
protected:
	void SetUp() override
	{
		if (!local_device().has_atomic_write())
			GTEST_SKIP() << "the device has no atomic writes";
		connect({});
	}
	void connect(const QpSpec &spec)
	{
		open(spec);
		near_ = a().reg(64);
		far_ = b().reg(64);
	}
	/// Of the word at @from of near_ to @to of far_.
	SendSpec work(uint64_t from, uint64_t to, uint64_t wr_id = 1)
	{
		SendSpec send{.wr_id = wr_id, .opcode = IBV_WR_ATOMIC_WRITE};
		send.sges = {near_.sge(from, 8)};
		send.remote_address = far_.address + to;
		send.rkey = far_.rkey;
		return send;
	}

	Region near_, far_;
};

TEST_F(AtomicWriteTest, WritesAWord)
{
	a().poke64(near_.address + 16, 0x1122334455667788);
	b().fill(far_.address, 64, 1);
	ibv_wc wc = complete(work(16, 8));
	EXPECT_EQ(wc.opcode, IBV_WC_ATOMIC_WRITE);
	EXPECT_EQ(b().peek64(far_.address + 8), 0x1122334455667788u);
	EXPECT_EQ(b().mismatch(far_.address, 8, 1), -1) << "its neighbours stay";
	EXPECT_EQ(b().mismatch(far_.address + 16, 48, 1, 16), -1) << "its neighbours stay";
	EXPECT_EQ(a().peek64(near_.address + 16), 0x1122334455667788u) << "nothing comes back";
}

TEST_F(AtomicWriteTest, InTheSlot)
{
	connect({.inline_bytes = 16});
	a().poke64(near_.address, 0xfedcba9876543210);
	SendSpec send = work(0, 0);
	send.flags |= IBV_SEND_INLINE;
	send.sges[0].lkey = 0;
	complete(send);
	EXPECT_EQ(b().peek64(far_.address), 0xfedcba9876543210u);
}

/// What the QP was created for has room for the word, though nobody asked for it.
TEST_F(AtomicWriteTest, WorkRequestApi)
{
	connect({.extended = true});
	EXPECT_GE(a().caps.max_inline_data, 8u);
	ibv_qp_ex *ex = ibv_qp_to_qp_ex(a().qp.get());
	const uint64_t value = 0x0123456789abcdef;
	ibv_wr_start(ex);
	for (uint64_t i = 0; i < 3; i++) {
		const uint64_t word = value + i;
		ex->wr_id = i;
		ex->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_atomic_write(ex, far_.rkey, far_.address + 8 * i, &word);
	}
	ASSERT_EQ(ibv_wr_complete(ex), 0);
	for (uint64_t i = 0; i < 3; i++) {
		ibv_wc wc = one(a(), Queue::kSend);
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_EQ(wc.opcode, IBV_WC_ATOMIC_WRITE);
		EXPECT_EQ(wc.wr_id, i);
		EXPECT_EQ(b().peek64(far_.address + 8 * i), value + i);
	}
	ibv_wr_start(ex);
	ibv_wr_atomic_write(ex, far_.rkey, far_.address + 4, &value);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL) << "not aligned";
	expect_alive();
}

/// More than may be outstanding, in order, each once.
TEST_F(AtomicWriteTest, ManyInFlight)
{
	Region words = a().reg(8 * 100);
	for (uint64_t i = 0; i < 100; i++)
		a().poke64(words.address + 8 * i, i + 1);
	SendSpec send{.opcode = IBV_WR_ATOMIC_WRITE};
	send.remote_address = far_.address;
	send.rkey = far_.rkey;
	for (uint64_t i = 0; i < 60; i++) {
		send.wr_id = i;
		send.sges = {words.sge(8 * i, 8)};
		ASSERT_EQ(a().post_send(send), 0);
	}
	auto completions = a().poll(Queue::kSend, 60);
	ASSERT_EQ(completions.size(), 60u);
	for (uint64_t i = 0; i < 60; i++) {
		EXPECT_EQ(completions[i].wr_id, i);
		EXPECT_EQ(completions[i].status, IBV_WC_SUCCESS);
	}
	EXPECT_EQ(b().peek64(far_.address), 60u);
}

/// It sees the WRITE before it, an atomic sees it, and a READ sees both.
TEST_F(AtomicWriteTest, AmongOthers)
{
	Region values = a().reg(40);
	a().poke64(values.address, 50);
	a().poke64(values.address + 8, 70);
	SendSpec write{.wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .sges = {values.sge(0, 8)}};
	SendSpec word{.wr_id = 2, .opcode = IBV_WR_ATOMIC_WRITE, .sges = {values.sge(8, 8)}};
	SendSpec add{.wr_id = 3, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD};
	add.sges = {values.sge(16, 8)};
	add.compare_add = 7;
	SendSpec read{.wr_id = 4, .opcode = IBV_WR_RDMA_READ, .sges = {values.sge(24, 8)}};
	read.flags |= IBV_SEND_FENCE;
	for (SendSpec *send : {&write, &word, &add, &read}) {
		send->remote_address = far_.address;
		send->rkey = far_.rkey;
		ASSERT_EQ(a().post_send(*send), 0);
	}
	for (const ibv_wc &wc : a().poll(Queue::kSend, 4))
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(a().peek64(values.address + 16), 70u);
	EXPECT_EQ(a().peek64(values.address + 24), 77u);
}

TEST_F(AtomicWriteTest, PermissionIsThatOfAWrite)
{
	b().poke64(far_.address, 1);
	a().poke64(near_.address, 2);
	Region writable = b().reg_part(far_, 0, 8, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	SendSpec send = work(0, 0);
	send.remote_address = writable.address;
	send.rkey = writable.rkey;
	complete(send);
	EXPECT_EQ(b().peek64(far_.address), 2u);

	Region atomic = b().reg_part(far_, 0, 8, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	a().poke64(near_.address, 3);
	send.remote_address = atomic.address;
	send.rkey = atomic.rkey;
	complete(send, IBV_WC_REM_ACCESS_ERR);
	EXPECT_EQ(b().peek64(far_.address), 2u);
}

TEST_F(AtomicWriteTest, BeyondTheRegion)
{
	SendSpec send = work(0, 64);
	complete(send, IBV_WC_REM_ACCESS_ERR);
}

TEST_F(AtomicWriteTest, OnlyWholeAlignedWords)
{
	for (uint32_t bytes : {0u, 1u, 4u, 7u, 9u, 16u}) {
		SendSpec send = work(0, 0);
		send.sges[0].length = bytes;
		EXPECT_EQ(a().post_send(send), EINVAL) << bytes << " bytes";
	}
	for (uint64_t off : {1, 2, 4, 7})
		EXPECT_EQ(a().post_send(work(0, off)), EINVAL) << "offset " << off;
	expect_alive();
}

TEST_F(AtomicWriteTest, ReliableServicesOnly)
{
	for (ibv_qp_type type : {IBV_QPT_UC, IBV_QPT_UD}) {
		connect({.type = type});
		SendSpec send = work(0, 0);
		send.to = b().address();
		EXPECT_EQ(a().post_send(send), EINVAL) << type;
	}
}

/// Somebody who looks while words of equal halves are written never sees two halves.
TEST_F(AtomicWriteTest, NobodySeesHalfOfIt)
{
	if (!options().connect.empty())
		GTEST_SKIP() << "the other end's memory is not here";
	const int rounds = scaled(300, 30);
	std::atomic_ref<uint64_t> word(*reinterpret_cast<uint64_t *>(far_.address));
	b().poke64(far_.address, 0);
	for (int i = 1; i <= rounds; i++) {
		const auto half = static_cast<uint64_t>(i);
		a().poke64(near_.address, half << 32 | half);
		ASSERT_EQ(a().post_send(work(0, 0)), 0);
		uint64_t seen;
		do {
			seen = word.load();
			ASSERT_EQ(seen >> 32, seen & 0xffffffff);
		} while (a().poll(Queue::kSend, 1, Milliseconds(0)).empty());
	}
	EXPECT_EQ(word.load() & 0xffffffff, static_cast<uint64_t>(rounds));
}

} // namespace
} // namespace conformance
