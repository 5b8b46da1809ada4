// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Extended CQs: ibv_start_poll and its readers.
#include <cerrno>
#include <ctime>

#include "fake_kernel.hpp"

namespace {

using fake::Cq;
using fake::Qp;

class LazyPoll : public testing::Test, protected fake::Context {
protected:
	Qp make_qp(const fake::QpOptions &options = {})
	{
		return {kernel, core, cq.cq(), cq.cq(), doorbells, options};
	}

	int start()
	{
		ibv_poll_cq_attr attr{};

		return ibv_start_poll(cq.ex(), &attr);
	}

	Cq cq{kernel, core, 16, true, srnic_cq_supported_wc_flags()};
};

TEST_F(LazyPoll, EmptyLeavesItUnlocked)
{
	Qp qp = make_qp();

	EXPECT_EQ(start(), ENOENT);
	EXPECT_EQ(start(), ENOENT);
	cq.push(qp.send_cqe(0));
	ASSERT_EQ(start(), 0);
	EXPECT_EQ(ibv_next_poll(cq.ex()), ENOENT);
	ibv_end_poll(cq.ex());
	EXPECT_EQ(cq.header->consumer, 1U);
}

TEST_F(LazyPoll, UnknownAttributeIsRefused)
{
	ibv_poll_cq_attr attr{1};

	EXPECT_EQ(ibv_start_poll(cq.ex(), &attr), EINVAL);
	EXPECT_EQ(start(), ENOENT);
}

TEST_F(LazyPoll, Readers)
{
	Qp qp = make_qp();
	srnic_cqe cqe = qp.recv_cqe(0);

	cqe.wr_id = 123456789012345;
	cqe.byte_len = 77;
	cqe.imm = 0x01020304;
	cqe.src_qp = 0xabcdef;
	cqe.vendor_err = 9;
	cqe.status = IBV_WC_LOC_LEN_ERR;
	cqe.flags = SRNIC_WC_WITH_IMM;
	cqe.sl = 1;
	cqe.timestamp = 5'000'000'000;
	cq.push(cqe);
	ASSERT_EQ(start(), 0);
	EXPECT_EQ(cq.ex()->wr_id, 123456789012345U);
	EXPECT_EQ(cq.ex()->status, IBV_WC_LOC_LEN_ERR);
	EXPECT_EQ(ibv_wc_read_opcode(cq.ex()), IBV_WC_RECV);
	EXPECT_EQ(ibv_wc_read_vendor_err(cq.ex()), 9U);
	EXPECT_EQ(ibv_wc_read_byte_len(cq.ex()), 77U);
	EXPECT_EQ(ibv_wc_read_imm_data(cq.ex()), 0x01020304U);
	EXPECT_EQ(ibv_wc_read_qp_num(cq.ex()), 17U);
	EXPECT_EQ(ibv_wc_read_src_qp(cq.ex()), 0xabcdefU);
	EXPECT_EQ(ibv_wc_read_wc_flags(cq.ex()), unsigned{IBV_WC_WITH_IMM});
	EXPECT_EQ(ibv_wc_read_slid(cq.ex()), 0U);
	EXPECT_EQ(ibv_wc_read_sl(cq.ex()), 1U);
	EXPECT_EQ(ibv_wc_read_dlid_path_bits(cq.ex()), 0U);
	EXPECT_EQ(ibv_wc_read_completion_ts(cq.ex()), 5'000'000'000U);
	ibv_end_poll(cq.ex());
}

TEST_F(LazyPoll, WallclockOfAMomentAgo)
{
	Qp qp = make_qp();
	srnic_cqe cqe = qp.send_cqe(0);
	timespec mono{};
	timespec real{};

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	cqe.timestamp = static_cast<__u64>(mono.tv_sec * 1'000'000'000 + mono.tv_nsec);
	cq.push(cqe);
	ASSERT_EQ(start(), 0);

	const auto wall = static_cast<std::int64_t>(ibv_wc_read_completion_wallclock_ns(cq.ex()));
	const std::int64_t expected = real.tv_sec * 1'000'000'000 + real.tv_nsec;

	ibv_end_poll(cq.ex());
	// A scheduler may come in between; a wrong clock is years off.
	EXPECT_NEAR(static_cast<double>(wall - expected), 0.0, 1e9);
}

TEST_F(LazyPoll, OnlyWhatWasAskedFor)
{
	Cq plain(kernel, core, 4);
	Cq some(kernel, core, 4, true, IBV_WC_EX_WITH_BYTE_LEN);

	EXPECT_EQ(plain.ex()->start_poll, nullptr);
	EXPECT_NE(some.ex()->read_byte_len, nullptr);
	EXPECT_NE(some.ex()->read_opcode, nullptr);
	EXPECT_EQ(some.ex()->read_imm_data, nullptr);
	EXPECT_EQ(some.ex()->read_completion_ts, nullptr);
	EXPECT_EQ(srnic_cq_supported_wc_flags() & IBV_WC_EX_WITH_CVLAN, 0U);
}

TEST_F(LazyPoll, LongBatchGivesCqesBackButNotTheCurrentOne)
{
	Qp qp = make_qp();
	std::uint64_t pushed = 0;
	std::uint64_t seen = 0;
	const auto push = [&] {
		srnic_cqe cqe = qp.send_cqe(0);

		cqe.wr_id = pushed++;
		cq.push(cqe);
	};

	push();
	ASSERT_EQ(start(), 0);
	do {
		ASSERT_EQ(cq.ex()->wr_id, seen);
		ASSERT_EQ(ibv_wc_read_qp_num(cq.ex()), 17U);
		// The current CQE is never given back while it can be read.
		ASSERT_LE(cq.header->consumer, seen);
		++seen;
		// A kernel that has room writes more.
		while (pushed < 1000 && pushed - cq.header->consumer < 16)
			push();
	} while (ibv_next_poll(cq.ex()) == 0);
	ibv_end_poll(cq.ex());
	EXPECT_EQ(seen, 1000U);
	EXPECT_EQ(cq.header->consumer, 1000U);
}

TEST_F(LazyPoll, SkipsQpsThatAreGone)
{
	Qp keep = make_qp({.qpn = 1});
	Qp gone = make_qp({.qpn = 2});

	cq.push(gone.send_cqe(0));
	gone.destroy();
	EXPECT_EQ(start(), ENOENT);
	EXPECT_EQ(cq.header->consumer, 1U);
	cq.push(keep.send_cqe(0));
	EXPECT_EQ(start(), 0);
	ibv_end_poll(cq.ex());
}

TEST_F(LazyPoll, FreesSlotsAndArmsWhilePolling)
{
	Qp qp = make_qp();
	ibv_send_wr wr = fake::send_wr();

	for (int i = 0; i < 8; ++i)
		ASSERT_EQ(qp.post(wr), 0);
	cq.push(qp.send_cqe(2));
	ASSERT_EQ(start(), 0);
	ASSERT_EQ(srnic_req_notify_cq(cq.cq(), 0), 0);
	EXPECT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.post(wr), ENOMEM);
	ibv_end_poll(cq.ex());
}

TEST_F(LazyPoll, PlainPollingWorksToo)
{
	Qp qp = make_qp();
	ibv_wc wc{};

	cq.push(qp.send_cqe(0));
	EXPECT_EQ(cq.poll(&wc), 1);
	EXPECT_EQ(start(), ENOENT);
}

TEST_F(LazyPoll, SingleThreadedTakesNoLock)
{
	Cq single(kernel, core, 4, true, 0, true);
	Qp qp(kernel, core, single.cq(), single.cq(), doorbells, {.qpn = 5});
	ibv_poll_cq_attr attr{};
	ibv_wc wc{};

	single.push(qp.send_cqe(0));
	single.push(qp.send_cqe(0));
	ASSERT_EQ(ibv_start_poll(single.ex(), &attr), 0);
	// Would wait for itself with a lock.
	EXPECT_EQ(single.poll(&wc), 1);
	ibv_end_poll(single.ex());
}

} // namespace
