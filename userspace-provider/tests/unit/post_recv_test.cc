// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// ibv_post_recv: slots and errors, and that it rings no doorbell.
#include <array>
#include <cerrno>

#include "fake_kernel.hpp"

namespace {

using fake::Qp;
using fake::QueueView;
using fake::recv_wr;

class PostRecv : public fake::Fixture {};

TEST_F(PostRecv, SlotIsWritten)
{
	Qp qp = make_qp();
	std::array<ibv_sge, 4> list{};
	ibv_recv_wr wr = recv_wr(0x1234567890abcdef);

	for (std::uint32_t i = 0; i < 4; ++i)
		list[i] = ibv_sge{0x1000 * (i + 1), 10 + i, 100 + i};
	wr.sg_list = list.data();
	wr.num_sge = 4;
	ASSERT_EQ(qp.post(wr), 0);

	const srnic_recv_wqe &wqe = qp.rq.recv(0);

	EXPECT_EQ(qp.rq.producer(), 1U);
	EXPECT_EQ(wqe.wr_id, 0x1234567890abcdefU);
	EXPECT_EQ(wqe.num_sge, 4U);
	EXPECT_EQ(wqe.reserved, 0U);
	for (std::uint32_t i = 0; i < 4; ++i) {
		EXPECT_EQ(QueueView::sges(wqe)[i].addr, 0x1000 * (i + 1));
		EXPECT_EQ(QueueView::sges(wqe)[i].length, 10 + i);
		EXPECT_EQ(QueueView::sges(wqe)[i].lkey, 100 + i);
	}
}

TEST_F(PostRecv, FullAndBadWr)
{
	Qp qp = make_qp();
	std::array<ibv_recv_wr, 10> wrs{};
	ibv_recv_wr *bad = nullptr;
	ibv_wc wc{};

	for (std::size_t i = 0; i < 9; ++i)
		wrs[i].next = &wrs[i + 1];
	EXPECT_EQ(qp.post(wrs[0], &bad), ENOMEM);
	EXPECT_EQ(bad, &wrs[8]);
	EXPECT_EQ(qp.rq.producer(), 8U);
	// A send's completion frees no receive.
	cq.push(qp.send_cqe(1));
	ASSERT_EQ(cq.poll(&wc), 1);
	EXPECT_EQ(qp.post(wrs[9]), ENOMEM);
	cq.push(qp.recv_cqe(2));
	ASSERT_EQ(cq.poll(&wc), 1);
	EXPECT_EQ(qp.post(wrs[8], &bad), 0);
	EXPECT_EQ(qp.post(wrs[9], &bad), ENOMEM);
	EXPECT_EQ(bad, &wrs[9]);
}

TEST_F(PostRecv, GoodOnesBeforeTheBadOneArePosted)
{
	Qp qp = make_qp();
	std::array<ibv_recv_wr, 3> wrs{};
	ibv_recv_wr *bad = nullptr;

	for (auto count : {5, -1}) {
		wrs[0].next = &wrs[1];
		wrs[1].next = &wrs[2];
		wrs[1].num_sge = count;
		const std::uint32_t before = qp.rq.producer();

		EXPECT_EQ(qp.post(wrs[0], &bad), EINVAL);
		EXPECT_EQ(bad, &wrs[1]);
		EXPECT_EQ(qp.rq.producer(), before + 1);
	}
}

TEST_F(PostRecv, RefusedInResetOnly)
{
	for (auto state : {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD,
			   IBV_QPS_SQE, IBV_QPS_ERR}) {
		Qp qp = make_qp({.state = state});
		ibv_recv_wr wr = recv_wr();

		EXPECT_EQ(qp.post(wr), state == IBV_QPS_RESET ? EINVAL : 0) << state;
	}
}

TEST_F(PostRecv, NoDoorbellWhileTheQpWorks)
{
	Qp qp = make_qp();
	ibv_recv_wr wr = recv_wr();

	qp.line->parked = 1;
	ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.kicks, 0);
	EXPECT_FALSE(qp.rung());
}

TEST_F(PostRecv, MakesNoSystemCallInErrEither)
{
	Qp qp = make_qp();
	ibv_recv_wr wr = recv_wr();
	srnic_cqe cqe = qp.send_cqe(0);
	ibv_wc wc{};

	qp.line->parked = 1;
	cqe.status = IBV_WC_RETRY_EXC_ERR;
	cq.push(cqe);
	ASSERT_EQ(cq.poll(&wc), 1);
	srnic_qp_set_state(qp.qp(), IBV_QPS_ERR);
	ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.kicks, 0);
	EXPECT_FALSE(qp.rung());
}

} // namespace
