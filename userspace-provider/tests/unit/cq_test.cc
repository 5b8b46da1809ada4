// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// ibv_poll_cq: the ring, its phases, QPs that come and go, and nonsense in CQEs.
#include <cerrno>
#include <thread>

#include "fake_kernel.hpp"

namespace {

using fake::Cq;
using fake::Qp;
using fake::send_wr;

class PollCq : public fake::Fixture {};

TEST_F(PollCq, EveryField)
{
	Qp qp = make_qp();
	srnic_cqe cqe{};
	ibv_wc wc;

	std::memset(&wc, 0xee, sizeof(wc));
	cqe.wr_id = 0x1122334455667788;
	cqe.byte_len = 1000;
	cqe.imm = 0xaabbccdd;
	cqe.qp_num = 17;
	cqe.src_qp = 0x654321;
	cqe.vendor_err = 42;
	cqe.status = IBV_WC_SUCCESS;
	cqe.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
	cqe.flags = SRNIC_WC_WITH_IMM | SRNIC_WC_GRH;
	cqe.sl = 2;
	cqe.pkey_index = 7;
	cq.push(cqe);
	ASSERT_EQ(cq.poll(&wc), 1);
	EXPECT_EQ(wc.wr_id, 0x1122334455667788U);
	EXPECT_EQ(wc.byte_len, 1000U);
	EXPECT_EQ(wc.imm_data, 0xaabbccddU);
	EXPECT_EQ(wc.qp_num, 17U);
	EXPECT_EQ(wc.src_qp, 0x654321U);
	EXPECT_EQ(wc.vendor_err, 42U);
	EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT_EQ(wc.wc_flags, unsigned{IBV_WC_WITH_IMM} | IBV_WC_GRH);
	EXPECT_EQ(wc.sl, 2);
	EXPECT_EQ(wc.pkey_index, 7);
	EXPECT_EQ(wc.slid, 0);
	EXPECT_EQ(wc.dlid_path_bits, 0);
}

TEST_F(PollCq, EmptyAndCounts)
{
	Qp qp = make_qp();
	ibv_wc wc[8];

	EXPECT_EQ(cq.poll(wc, 8), 0);
	EXPECT_EQ(cq.header->consumer, 0U);
	for (int i = 0; i < 5; ++i)
		cq.push(qp.send_cqe(0));
	EXPECT_EQ(cq.poll(wc, 0), 0);
	EXPECT_EQ(cq.poll(wc, -1), 0);
	EXPECT_EQ(cq.poll(wc, 3), 3);
	EXPECT_EQ(cq.header->consumer, 3U);
	EXPECT_EQ(cq.poll(wc, 8), 2);
	EXPECT_EQ(cq.header->consumer, 5U);
	EXPECT_EQ(cq.poll(wc, 8), 0);
}

TEST_F(PollCq, OrderOverManyRounds)
{
	Qp qp = make_qp();
	std::uint64_t pushed = 0;
	std::uint64_t polled = 0;
	ibv_wc wc[16];

	// Steps of 1 to 16, so that batches end everywhere in the ring.
	for (unsigned step = 0; step < 200; ++step) {
		for (unsigned i = 0; i <= step % 16; ++i) {
			srnic_cqe cqe = qp.send_cqe(0);

			cqe.wr_id = pushed++;
			cq.push(cqe);
		}
		const int count = cq.poll(wc, 16);

		ASSERT_EQ(count, static_cast<int>(step % 16 + 1));
		for (int i = 0; i < count; ++i)
			ASSERT_EQ(wc[i].wr_id, polled++);
		ASSERT_EQ(cq.poll(wc, 16), 0);
	}
	EXPECT_EQ(cq.header->consumer, pushed);
}

TEST_F(PollCq, PhaseDecides)
{
	Qp qp = make_qp();
	ibv_wc wc;

	cq.push(qp.send_cqe(0));
	for (auto phase : {0, 2, 0x8001, 0xffff}) {
		cq.ring[0].phase = static_cast<__u16>(phase);
		EXPECT_EQ(cq.poll(&wc), 0) << phase;
	}
	cq.ring[0].phase = 1;
	EXPECT_EQ(cq.poll(&wc), 1);
}

TEST_F(PollCq, UnknownQpIsSkippedAndItsCqeFreed)
{
	Qp qp = make_qp();
	ibv_wc wc[4];

	for (auto qpn : {17U, 18U, 0xffffffffU, 17U, 0U}) {
		srnic_cqe cqe = qp.send_cqe(0);

		cqe.qp_num = qpn;
		cq.push(cqe);
	}
	EXPECT_EQ(cq.poll(wc, 4), 2);
	EXPECT_EQ(cq.header->consumer, 5U);
}

TEST_F(PollCq, IndexOutsideOfWhatIsInFlightFreesNothing)
{
	Qp qp = make_qp();
	ibv_send_wr wr = send_wr();
	ibv_wc wc;

	for (int i = 0; i < 8; ++i)
		ASSERT_EQ(qp.post(wr), 0);
	for (auto index : {9U, 100U, 0x80000000U, 0xffffffffU}) {
		cq.push(qp.send_cqe(index));
		ASSERT_EQ(cq.poll(&wc), 1);
		EXPECT_EQ(qp.post(wr), ENOMEM) << index;
	}
	cq.push(qp.send_cqe(8));
	ASSERT_EQ(cq.poll(&wc), 1);
	// One that comes again frees nothing more.
	cq.push(qp.send_cqe(3));
	ASSERT_EQ(cq.poll(&wc), 1);
	for (int i = 0; i < 8; ++i)
		ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.post(wr), ENOMEM);
}

TEST_F(PollCq, UnknownStatusIsAnError)
{
	Qp qp = make_qp();
	srnic_cqe cqe = qp.send_cqe(0);
	ibv_wc wc;

	for (auto status : {24, 32, 255}) {
		cqe.status = static_cast<__u8>(status);
		cqe.opcode = 0x7f;
		cq.push(cqe);
		ASSERT_EQ(cq.poll(&wc), 1);
		EXPECT_EQ(wc.status, IBV_WC_GENERAL_ERR);
	}
}

TEST_F(PollCq, CompletionsOfADestroyedQpAreDropped)
{
	Qp keep = make_qp({.qpn = 1});
	Qp gone = make_qp({.qpn = 2});
	ibv_wc wc[8];

	cq.push(gone.send_cqe(0));
	cq.push(keep.send_cqe(0));
	cq.push(gone.recv_cqe(0));
	gone.destroy();
	ASSERT_EQ(cq.poll(wc, 8), 1);
	EXPECT_EQ(wc[0].qp_num, 1U);
	EXPECT_EQ(cq.header->consumer, 3U);

	// And what a broken kernel adds later touches no freed memory.
	srnic_cqe late = keep.send_cqe(0);

	late.qp_num = 2;
	cq.push(late);
	EXPECT_EQ(cq.poll(wc, 8), 0);
}

TEST_F(PollCq, NewQpOfTheSameNumberDoesNotGetThem)
{
	Qp old = make_qp();
	ibv_send_wr wr = send_wr();
	ibv_wc wc[8];

	// Full ring, in the second round, so that the marking wraps too.
	for (int i = 0; i < 10; ++i)
		cq.push(old.send_cqe(0));
	ASSERT_EQ(cq.poll_all(), 10);
	for (int i = 0; i < 16; ++i)
		cq.push(old.send_cqe(3));
	old.destroy();

	Qp fresh = make_qp();

	for (int i = 0; i < 8; ++i)
		ASSERT_EQ(fresh.post(wr), 0);
	EXPECT_EQ(cq.poll(wc, 8), 0);
	EXPECT_EQ(fresh.post(wr), ENOMEM);
	cq.push(fresh.send_cqe(1));
	EXPECT_EQ(cq.poll(wc, 8), 1);
}

/* The kernel has given the number away before the provider was done with the old QP. */
TEST_F(PollCq, NumberIsReusedBeforeTheOldQpIsGone)
{
	Qp old = make_qp();
	ibv_wc wc[8];

	cq.push(old.send_cqe(1));

	Qp fresh = make_qp();

	EXPECT_EQ(cq.poll(wc, 8), 0);
	cq.push(fresh.send_cqe(0));
	old.destroy();
	EXPECT_EQ(cq.poll(wc, 8), 1);
}

TEST_F(PollCq, ResetDropsCompletionsAndCountsFromZero)
{
	Qp qp = make_qp();
	ibv_send_wr wr = send_wr();
	ibv_recv_wr rwr = fake::recv_wr();
	ibv_wc wc[8];

	for (int i = 0; i < 5; ++i) {
		ASSERT_EQ(qp.post(wr), 0);
		ASSERT_EQ(qp.post(rwr), 0);
	}
	cq.push(qp.send_cqe(4));
	cq.push(qp.recv_cqe(4));
	srnic_qp_set_state(qp.qp(), IBV_QPS_RESET);
	EXPECT_EQ(qp.sq.producer(), 0U);
	EXPECT_EQ(qp.rq.producer(), 0U);
	EXPECT_EQ(cq.poll(wc, 8), 0);
	srnic_qp_set_state(qp.qp(), IBV_QPS_RTS);
	for (std::uint32_t i = 0; i < 8; ++i) {
		wr.wr_id = rwr.wr_id = 100 + i;
		ASSERT_EQ(qp.post(wr), 0);
		ASSERT_EQ(qp.post(rwr), 0);
		EXPECT_EQ(qp.sq.send(i).wr_id, 100 + i);
		EXPECT_EQ(qp.rq.recv(i).wr_id, 100 + i);
	}
	// What was completed before frees nothing of this.
	EXPECT_EQ(cq.poll(wc, 8), 0);
	EXPECT_EQ(qp.post(wr), ENOMEM);
	EXPECT_EQ(qp.post(rwr), ENOMEM);
	EXPECT_EQ(qp.sq.producer(), 8U);
	EXPECT_EQ(qp.rq.producer(), 8U);
}

TEST_F(PollCq, TwoCqsOfOneQp)
{
	Cq other(kernel, core, 16);
	ibv_wc wc[4];
	{
		Qp qp(kernel, core, cq.cq(), other.cq(), doorbells, {});

		cq.push(qp.send_cqe(0));
		other.push(qp.recv_cqe(0));
		EXPECT_EQ(cq.poll(wc, 4), 1);
		EXPECT_EQ(other.poll(wc, 4), 1);
		cq.push(qp.send_cqe(0));
		other.push(qp.recv_cqe(0));
	}
	EXPECT_EQ(cq.poll(wc, 4), 0);
	EXPECT_EQ(other.poll(wc, 4), 0);
}

TEST_F(PollCq, ThreadsShareIt)
{
	constexpr int kCqes = 50000;
	Qp qp = make_qp();
	std::atomic<int> polled = 0;
	std::atomic<std::uint64_t> sum = 0;
	const auto poll = [&] {
		ibv_wc wc[3];

		while (polled < kCqes) {
			const int count = cq.poll(wc, 3);

			for (int i = 0; i < count; ++i)
				sum += wc[i].wr_id;
			polled += count;
			if (count == 0)
				std::this_thread::yield();
		}
	};
	std::thread pollers[] = {std::thread(poll), std::thread(poll)};

	for (int i = 0; i < kCqes; ++i) {
		srnic_cqe cqe = qp.send_cqe(0);

		cqe.wr_id = static_cast<std::uint64_t>(i);
		while (cq.producer - std::atomic_ref(cq.header->consumer).load() >= 16)
			std::this_thread::yield();
		cq.push(cqe);
	}
	for (std::thread &poller : pollers)
		poller.join();
	EXPECT_EQ(polled, kCqes);
	EXPECT_EQ(sum, std::uint64_t{kCqes} * (kCqes - 1) / 2);
}

} // namespace
