// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// ibv_wr_*: batches that are posted as a whole or not at all.
#include <array>
#include <cerrno>

#include "fake_kernel.hpp"

namespace {

using fake::Qp;
using fake::QueueView;

constexpr std::uint64_t kAllOps = std::uint64_t{IBV_QP_EX_WITH_RDMA_WRITE} |
				  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND |
				  IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
				  IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_ATOMIC_WRITE;
constexpr std::uint64_t kUdOps = std::uint64_t{IBV_QP_EX_WITH_SEND} | IBV_QP_EX_WITH_SEND_WITH_IMM;

class WrApi : public fake::Fixture {
protected:
	WrApi() { start(); }

	/** Begins a batch on the QP. */
	void start()
	{
		ex->wr_id = 1;
		ex->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_start(ex);
	}

	/** Ends a batch that must fail with @p err, and leave no trace. */
	void expect_failure(int err)
	{
		const std::uint32_t before = qp.sq.producer();

		EXPECT_EQ(ibv_wr_complete(ex), err);
		EXPECT_EQ(qp.sq.producer(), before);
		EXPECT_FALSE(qp.rung());

		// The lock is free and the queue as it was.
		ibv_send_wr wr = fake::send_wr(4711);

		EXPECT_EQ(qp.post(wr), 0);
		EXPECT_EQ(qp.sq.producer(), before + 1);
		EXPECT_EQ(qp.sq.send(before).wr_id, 4711U);
	}

	Qp qp{kernel, core, cq.cq(), cq.cq(), doorbells, {.send_ops = kAllOps}};
	ibv_qp_ex *ex = qp.ex();
};

TEST_F(WrApi, BatchOfEveryOperation)
{
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 5, 0x1000, 16);
	ex->wr_id = 2;
	ibv_wr_send_imm(ex, 0x11);
	ex->wr_flags = IBV_SEND_FENCE;
	ibv_wr_rdma_write(ex, 6, 0x2000);
	ibv_wr_set_sge(ex, 5, 0x1000, 0);
	ibv_wr_rdma_write_imm(ex, 7, 0x3000, 0x22);
	ibv_wr_rdma_read(ex, 8, 0x4000);
	ibv_wr_set_sge(ex, 5, 0x1000, 1);
	ibv_wr_atomic_cmp_swp(ex, 9, 0x5000, 33, 44);
	ibv_wr_set_sge(ex, 5, 0x1000, 8);
	ibv_wr_atomic_fetch_add(ex, 10, 0x6000, 55);
	ibv_wr_set_sge(ex, 5, 0x1000, 8);
	// Nothing is to be seen before the end.
	EXPECT_EQ(qp.sq.producer(), 0U);
	EXPECT_FALSE(qp.rung());
	ASSERT_EQ(ibv_wr_complete(ex), 0);
	EXPECT_EQ(qp.sq.producer(), 7U);
	EXPECT_TRUE(qp.rung());

	const std::array<int, 7> opcodes = {2, 3, 0, 1, 4, 5, 6};

	for (std::uint32_t i = 0; i < 7; ++i)
		EXPECT_EQ(qp.sq.send(i).opcode, opcodes[i]);
	EXPECT_EQ(qp.sq.send(0).wr_id, 1U);
	EXPECT_EQ(qp.sq.send(0).num_sge, 1U);
	EXPECT_EQ(qp.sq.send(0).flags, SRNIC_SEND_SIGNALED);
	EXPECT_EQ(QueueView::sges(qp.sq.send(0))->addr, 0x1000U);
	EXPECT_EQ(QueueView::sges(qp.sq.send(0))->length, 16U);
	EXPECT_EQ(QueueView::sges(qp.sq.send(0))->lkey, 5U);
	EXPECT_EQ(qp.sq.send(1).wr_id, 2U);
	EXPECT_EQ(qp.sq.send(1).imm, 0x11U);
	EXPECT_EQ(qp.sq.send(1).num_sge, 0U);
	EXPECT_EQ(qp.sq.send(2).rdma.rkey, 6U);
	EXPECT_EQ(qp.sq.send(2).rdma.remote_addr, 0x2000U);
	EXPECT_EQ(qp.sq.send(2).flags, SRNIC_SEND_FENCE);
	EXPECT_EQ(qp.sq.send(3).imm, 0x22U);
	EXPECT_EQ(qp.sq.send(5).rdma.compare_add, 33U);
	EXPECT_EQ(qp.sq.send(5).rdma.swap, 44U);
	EXPECT_EQ(qp.sq.send(6).rdma.compare_add, 55U);
	EXPECT_EQ(qp.sq.send(6).rdma.swap, 0U);
}

TEST_F(WrApi, EmptyBatch)
{
	EXPECT_EQ(ibv_wr_complete(ex), 0);
	EXPECT_FALSE(qp.rung());
}

TEST_F(WrApi, AbortLeavesNoTrace)
{
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 1, 2, 3);
	ibv_wr_abort(ex);
	EXPECT_EQ(qp.sq.producer(), 0U);
	EXPECT_FALSE(qp.rung());
	start();
	ibv_wr_send_imm(ex, 9);
	ASSERT_EQ(ibv_wr_complete(ex), 0);
	EXPECT_EQ(qp.sq.producer(), 1U);
	EXPECT_EQ(qp.sq.send(0).opcode, SRNIC_WR_SEND_WITH_IMM);
	EXPECT_EQ(qp.sq.send(0).num_sge, 0U);
}

TEST_F(WrApi, FullQueueFailsTheWholeBatch)
{
	for (int i = 0; i < 9; ++i) {
		ibv_wr_send(ex);
		ibv_wr_set_sge(ex, 1, 2, 3);
	}
	expect_failure(ENOMEM);
}

TEST_F(WrApi, ExactlyFullBatchFits)
{
	for (int i = 0; i < 8; ++i)
		ibv_wr_send(ex);
	EXPECT_EQ(ibv_wr_complete(ex), 0);
	start();
	ibv_wr_send(ex);
	EXPECT_EQ(ibv_wr_complete(ex), ENOMEM);
}

TEST_F(WrApi, FirstErrorSticks)
{
	std::array<ibv_sge, 5> list{};

	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, 5, list.data());
	for (int i = 0; i < 20; ++i)
		ibv_wr_send(ex);
	expect_failure(EINVAL);
}

TEST_F(WrApi, SgeList)
{
	std::array<ibv_sge, 4> list = {ibv_sge{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};

	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, 4, list.data());
	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, 0, nullptr);
	ASSERT_EQ(ibv_wr_complete(ex), 0);
	EXPECT_EQ(qp.sq.send(0).num_sge, 4U);
	EXPECT_EQ(QueueView::sges(qp.sq.send(0))[3].lkey, 12U);
	EXPECT_EQ(qp.sq.send(1).num_sge, 0U);
}

TEST_F(WrApi, AtomicWriteHasItsWordInTheSlot)
{
	std::uint64_t word = 0x1122334455667788;

	ibv_wr_atomic_write(ex, 6, 0x2008, &word);
	word = 0;
	ASSERT_EQ(ibv_wr_complete(ex), 0);

	const srnic_send_wqe &wqe = qp.sq.send(0);

	word = 0x1122334455667788;
	EXPECT_EQ(wqe.opcode, SRNIC_WR_ATOMIC_WRITE);
	EXPECT_EQ(wqe.rdma.rkey, 6U);
	EXPECT_EQ(wqe.rdma.remote_addr, 0x2008U);
	EXPECT_EQ(wqe.flags, SRNIC_SEND_SIGNALED | SRNIC_SEND_INLINE);
	EXPECT_EQ(wqe.num_sge, 0U);
	EXPECT_EQ(wqe.inline_length, 8U);
	EXPECT_EQ(std::memcmp(&wqe + 1, &word, 8), 0);
}

TEST_F(WrApi, AtomicWriteIsOfEightBytes)
{
	std::uint64_t word = 1;

	ibv_wr_atomic_write(ex, 6, 0x2000, &word);
	ibv_wr_set_inline_data(ex, &word, 4);
	expect_failure(EINVAL);
}

TEST_F(WrApi, AtomicWriteNeedsAnAlignedAddress)
{
	const std::uint64_t word = 1;

	ibv_wr_atomic_write(ex, 6, 0x2004, &word);
	expect_failure(EINVAL);
}

TEST_F(WrApi, InlineData)
{
	std::array<char, 65> data{};
	const std::array<ibv_data_buf, 3> bufs = {
		ibv_data_buf{data.data(), 60}, {nullptr, 0}, {data.data() + 60, 4}};

	for (std::size_t i = 0; i < data.size(); ++i)
		data[i] = static_cast<char>(i);
	// The flag of ibv_post_send has no meaning here.
	ex->wr_flags = IBV_SEND_INLINE;
	ibv_wr_send(ex);
	ibv_wr_set_inline_data(ex, data.data(), 64);
	ibv_wr_rdma_write(ex, 1, 2);
	ibv_wr_set_inline_data_list(ex, 3, bufs.data());
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 1, 2, 3);
	ASSERT_EQ(ibv_wr_complete(ex), 0);
	for (std::uint32_t i = 0; i < 2; ++i) {
		const srnic_send_wqe &wqe = qp.sq.send(i);

		EXPECT_EQ(wqe.inline_length, 64U);
		EXPECT_EQ(wqe.flags, SRNIC_SEND_INLINE);
		EXPECT_EQ(wqe.num_sge, 0U);
		EXPECT_EQ(std::memcmp(&wqe + 1, data.data(), 64), 0);
	}
	EXPECT_EQ(qp.sq.send(2).flags, 0U);
	EXPECT_EQ(qp.sq.send(2).num_sge, 1U);
}

TEST_F(WrApi, LastSetterWins)
{
	char data[8] = "payload";

	ibv_wr_send(ex);
	ibv_wr_set_inline_data(ex, data, 8);
	ibv_wr_set_sge(ex, 1, 2, 3);
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 1, 2, 3);
	ibv_wr_set_inline_data(ex, data, 8);
	ASSERT_EQ(ibv_wr_complete(ex), 0);
	EXPECT_EQ(qp.sq.send(0).inline_length, 0U);
	EXPECT_EQ(qp.sq.send(0).flags, SRNIC_SEND_SIGNALED);
	EXPECT_EQ(qp.sq.send(1).num_sge, 0U);
	EXPECT_EQ(qp.sq.send(1).inline_length, 8U);
}

TEST_F(WrApi, TooMuchInlineData)
{
	std::array<char, 65> data{};

	ibv_wr_send(ex);
	ibv_wr_set_inline_data(ex, data.data(), 65);
	expect_failure(EINVAL);
}

TEST_F(WrApi, TooMuchInlineDataInAList)
{
	std::array<char, 64> data{};
	const std::array<ibv_data_buf, 2> bufs = {ibv_data_buf{data.data(), 33}, {data.data(), 32}};

	ibv_wr_send(ex);
	ibv_wr_set_inline_data_list(ex, 2, bufs.data());
	expect_failure(EINVAL);
}

TEST_F(WrApi, InlineDataWhoseLengthWraps)
{
	std::array<char, 64> data{};
	const std::array<ibv_data_buf, 2> bufs = {ibv_data_buf{data.data(), 32},
						  {data.data(), ~std::size_t{0}}};

	ibv_wr_send(ex);
	ibv_wr_set_inline_data_list(ex, 2, bufs.data());
	expect_failure(EINVAL);
}

TEST_F(WrApi, InlineReadIsRefused)
{
	char data[8] = {};

	ibv_wr_rdma_read(ex, 1, 2);
	ibv_wr_set_inline_data(ex, data, 8);
	expect_failure(EINVAL);
}

TEST_F(WrApi, MisalignedAtomic)
{
	ibv_wr_atomic_fetch_add(ex, 1, 0x1004, 1);
	ibv_wr_set_sge(ex, 1, 0x1000, 8);
	expect_failure(EINVAL);
}

TEST_F(WrApi, AtomicOfAWrongLength)
{
	ibv_wr_atomic_fetch_add(ex, 1, 0x1000, 1);
	ibv_wr_set_sge(ex, 1, 0x1000, 4);
	expect_failure(EINVAL);
}

TEST_F(WrApi, AtomicWithoutOperand)
{
	ibv_wr_atomic_cmp_swp(ex, 1, 0x1000, 1, 2);
	ibv_wr_send(ex);
	expect_failure(EINVAL);
}

TEST_F(WrApi, SetterWithoutRequest)
{
	ibv_wr_set_sge(ex, 1, 2, 3);
	expect_failure(EINVAL);
}

TEST_F(WrApi, UdAddressOnRc)
{
	srnic_ah ah{};

	ibv_wr_send(ex);
	ibv_wr_set_ud_addr(ex, &ah.verbs, 1, 2);
	expect_failure(EINVAL);
}

TEST_F(WrApi, WrongState)
{
	ibv_wr_abort(ex);
	srnic_qp_set_state(qp.qp(), IBV_QPS_RTR);
	start();
	ibv_wr_send(ex);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	EXPECT_EQ(qp.sq.producer(), 0U);
}

TEST_F(WrApi, KickAndItsError)
{
	qp.line->parked = 1;
	ibv_wr_send(ex);
	EXPECT_EQ(ibv_wr_complete(ex), 0);
	EXPECT_EQ(qp.kicks, 1);
	qp.kick_result = EIO;
	start();
	ibv_wr_send(ex);
	EXPECT_EQ(ibv_wr_complete(ex), EIO);
}

TEST_F(WrApi, Ud)
{
	Qp ud = make_qp({.type = IBV_QPT_UD, .qpn = 20, .send_ops = kUdOps});
	srnic_ah ah{};

	ah.handle = 31;
	ud.ex()->wr_flags = IBV_SEND_SOLICITED;
	ibv_wr_start(ud.ex());
	ibv_wr_send(ud.ex());
	ibv_wr_set_sge(ud.ex(), 1, 2, 3);
	ibv_wr_set_ud_addr(ud.ex(), &ah.verbs, 0x777, 0x888);
	ASSERT_EQ(ibv_wr_complete(ud.ex()), 0);
	EXPECT_EQ(ud.sq.send(0).ud.ah, 31U);
	EXPECT_EQ(ud.sq.send(0).ud.remote_qpn, 0x777U);
	EXPECT_EQ(ud.sq.send(0).ud.remote_qkey, 0x888U);
	EXPECT_EQ(ud.sq.send(0).num_sge, 1U);
	// A send to nowhere.
	ibv_wr_start(ud.ex());
	ibv_wr_send(ud.ex());
	EXPECT_EQ(ibv_wr_complete(ud.ex()), EINVAL);
	ibv_wr_abort(ex);
}

TEST_F(WrApi, OperationsByTypeOfQp)
{
	ibv_wr_abort(ex);
	EXPECT_TRUE(srnic_qp_supports_send_ops(IBV_QPT_RC, kAllOps));
	EXPECT_TRUE(srnic_qp_supports_send_ops(IBV_QPT_UD, kUdOps));
	EXPECT_TRUE(srnic_qp_supports_send_ops(IBV_QPT_UC, kUdOps | IBV_QP_EX_WITH_RDMA_WRITE));
	EXPECT_FALSE(srnic_qp_supports_send_ops(IBV_QPT_UC, IBV_QP_EX_WITH_RDMA_READ));
	EXPECT_FALSE(srnic_qp_supports_send_ops(IBV_QPT_UD, IBV_QP_EX_WITH_RDMA_WRITE));
	EXPECT_FALSE(srnic_qp_supports_send_ops(IBV_QPT_RC, IBV_QP_EX_WITH_TSO));
	EXPECT_FALSE(srnic_qp_supports_send_ops(IBV_QPT_RAW_PACKET, IBV_QP_EX_WITH_SEND));

	Qp some = make_qp({.qpn = 21, .send_ops = IBV_QP_EX_WITH_SEND});
	Qp none = make_qp({.qpn = 22});

	EXPECT_NE(some.ex()->wr_send, nullptr);
	EXPECT_EQ(some.ex()->wr_rdma_read, nullptr);
	EXPECT_EQ(none.ex()->wr_start, nullptr);
}

} // namespace
