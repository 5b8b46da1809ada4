// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Memory windows and invalidate: what goes into slots, by each of the three interfaces.
#include <cerrno>

#include "fake_kernel.hpp"

namespace {

using fake::Qp;
using fake::QpOptions;
using fake::send_wr;

constexpr std::uint64_t kSendOps = IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_LOCAL_INV |
				   IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND;

class Windows : public fake::Fixture {
protected:
	Windows()
	{
		mr.lkey = 0x11223344;
		for (ibv_mw *mw : {&one, &two})
			mw->rkey = 0xabcdefff;
		one.type = IBV_MW_TYPE_1;
		two.type = IBV_MW_TYPE_2;
	}

	ibv_send_wr bind_wr(std::uint32_t rkey)
	{
		ibv_send_wr wr = send_wr();

		wr.opcode = IBV_WR_BIND_MW;
		wr.bind_mw = {&two, rkey, info};
		return wr;
	}

	/** The slot's fields are those of @c info and this key. */
	static void expect_bind(const srnic_send_wqe &wqe, std::uint32_t rkey)
	{
		EXPECT_EQ(wqe.opcode, 8U);
		EXPECT_EQ(wqe.num_sge, 0U);
		EXPECT_EQ(wqe.imm, 0U);
		EXPECT_EQ(wqe.bind.addr, 0x7000000000001U);
		EXPECT_EQ(wqe.bind.length, 0x100000001U);
		EXPECT_EQ(wqe.bind.rkey, rkey);
		EXPECT_EQ(wqe.bind.lkey, 0x11223344U);
		EXPECT_EQ(wqe.bind.access, 6U);
		EXPECT_EQ(wqe.bind.reserved, 0U);
	}

	ibv_mr mr{};
	ibv_mw one{};
	ibv_mw two{};
	ibv_mw_bind_info info{&mr, 0x7000000000001, 0x100000001,
			      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
};

TEST_F(Windows, Type1GetsItsKeyFromTheProvider)
{
	Qp qp = make_qp();
	ibv_mw_bind bind{77, IBV_SEND_SIGNALED, info};

	ASSERT_EQ(srnic_bind_mw(qp.qp(), &one, &bind), 0);
	// The variant goes round; the other 24 bits stay.
	EXPECT_EQ(one.rkey, 0xabcdef00U);
	EXPECT_EQ(qp.sq.send(0).wr_id, 77U);
	EXPECT_EQ(qp.sq.send(0).flags, IBV_SEND_SIGNALED);
	expect_bind(qp.sq.send(0), 0xabcdef00);

	bind.bind_info = {};
	ASSERT_EQ(srnic_bind_mw(qp.qp(), &one, &bind), 0);
	EXPECT_EQ(qp.sq.send(1).bind.lkey, 0U);
	EXPECT_EQ(qp.sq.send(1).bind.length, 0U);
	EXPECT_EQ(qp.sq.send(1).bind.rkey, 0xabcdef01U);
}

TEST_F(Windows, AKeyIsNotChangedByWhatIsNotPosted)
{
	Qp qp = make_qp();
	ibv_mw_bind bind{77, IBV_SEND_INLINE, info};

	EXPECT_EQ(srnic_bind_mw(qp.qp(), &one, &bind), EINVAL);
	EXPECT_EQ(srnic_bind_mw(qp.qp(), &two, &bind), EINVAL);
	EXPECT_EQ(one.rkey, 0xabcdefffU);
	EXPECT_EQ(qp.sq.producer(), 0U);
}

TEST_F(Windows, Type2GetsItsKeyFromTheProgram)
{
	Qp qp = make_qp();

	for (std::uint32_t rkey : {0xabcdef00U, 0xabcdef77U, 0xabcdefffU}) {
		ibv_send_wr wr = bind_wr(rkey);

		ASSERT_EQ(qp.post(wr), 0);
		expect_bind(qp.sq.send(qp.sq.producer() - 1), rkey);
	}
	EXPECT_EQ(two.rkey, 0xabcdefffU);
	for (std::uint32_t rkey : {0xabcdeeffU, 0U, 0x2bcdefffU}) {
		ibv_send_wr wr = bind_wr(rkey);

		EXPECT_EQ(qp.post(wr), EINVAL);
	}
	for (ibv_mw *mw : {&one, static_cast<ibv_mw *>(nullptr)}) {
		ibv_send_wr wr = bind_wr(0xabcdef00);

		wr.bind_mw.mw = mw;
		EXPECT_EQ(qp.post(wr), EINVAL);
	}
}

TEST_F(Windows, KeysToInvalidate)
{
	Qp qp = make_qp();
	ibv_sge sge{0x1000, 8, 3};
	ibv_send_wr wr = send_wr();

	wr.invalidate_rkey = 0x01020304;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.opcode = IBV_WR_SEND_WITH_INV;
	ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.sq.send(0).opcode, 9U);
	EXPECT_EQ(qp.sq.send(0).imm, 0x01020304U);
	EXPECT_EQ(qp.sq.send(0).num_sge, 1U);
	EXPECT_EQ(qp.sq.send(0).rdma.remote_addr, 0U);
	// It has no payload: what the list says is nothing to it.
	wr.opcode = IBV_WR_LOCAL_INV;
	ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.sq.send(1).opcode, 7U);
	EXPECT_EQ(qp.sq.send(1).imm, 0x01020304U);
	EXPECT_EQ(qp.sq.send(1).num_sge, 0U);
	wr.send_flags = IBV_SEND_INLINE;
	EXPECT_EQ(qp.post(wr), EINVAL);
}

TEST_F(Windows, ByType)
{
	for (auto type : {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD}) {
		Qp qp = make_qp({.type = type});
		ibv_send_wr invalidate = send_wr();

		invalidate.opcode = IBV_WR_LOCAL_INV;
		EXPECT_EQ(qp.post(invalidate), type == IBV_QPT_UD ? EINVAL : 0);
		ibv_send_wr bind = bind_wr(two.rkey);

		EXPECT_EQ(qp.post(bind), type == IBV_QPT_UD ? EINVAL : 0);
		invalidate.opcode = IBV_WR_SEND_WITH_INV;
		EXPECT_EQ(qp.post(invalidate), type == IBV_QPT_RC ? 0 : EINVAL);
		EXPECT_EQ(srnic_qp_supports_send_ops(type, kSendOps), type == IBV_QPT_RC);
	}
}

TEST_F(Windows, ByTheWorkRequestInterface)
{
	Qp qp = make_qp({.send_ops = kSendOps});
	ibv_qp_ex *ex = qp.ex();

	ibv_wr_start(ex);
	ibv_wr_bind_mw(ex, &two, 0xabcdef01, &info);
	ibv_wr_local_inv(ex, 5);
	ibv_wr_send_inv(ex, 6);
	ibv_wr_set_sge(ex, 3, 0x1000, 8);
	ASSERT_EQ(ibv_wr_complete(ex), 0);
	expect_bind(qp.sq.send(0), 0xabcdef01);
	EXPECT_EQ(qp.sq.send(1).opcode, 7U);
	EXPECT_EQ(qp.sq.send(1).imm, 5U);
	EXPECT_EQ(qp.sq.send(2).opcode, 9U);
	EXPECT_EQ(qp.sq.send(2).imm, 6U);
	EXPECT_EQ(qp.sq.send(2).num_sge, 1U);

	// Of type 1, of another index, with a list: nothing of the batch is posted.
	for (int kind = 0; kind < 3; ++kind) {
		ibv_wr_start(ex);
		ibv_wr_bind_mw(ex, kind == 0 ? &one : &two, kind == 1 ? 5 : 0xabcdef01, &info);
		if (kind == 2)
			ibv_wr_set_sge(ex, 3, 0x1000, 8);
		EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	}
	EXPECT_EQ(qp.sq.producer(), 3U);
}

} // namespace
