// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// ibv_post_send: what goes into slots, what is refused, and how.
#include <array>
#include <cerrno>
#include <vector>

#include "fake_kernel.hpp"

namespace {

using fake::Qp;
using fake::QpOptions;
using fake::send_wr;

class PostSend : public fake::Fixture {
protected:
	/** Posts a chain of @p wrs. */
	static int post(Qp &qp, std::vector<ibv_send_wr> &wrs, ibv_send_wr **bad)
	{
		for (std::size_t i = 0; i + 1 < wrs.size(); ++i)
			wrs[i].next = &wrs[i + 1];
		return qp.post(wrs[0], bad);
	}

	ibv_sge sge{0x1122334455667788, 8, 0x01020304};
};

TEST_F(PostSend, SendIsWrittenByteForByte)
{
	Qp qp = make_qp();
	ibv_send_wr wr = send_wr(0x0807060504030201);

	wr.opcode = IBV_WR_SEND_WITH_IMM;
	wr.imm_data = 0x0d0c0b0a;
	wr.send_flags = IBV_SEND_FENCE | IBV_SEND_SOLICITED;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	ASSERT_EQ(qp.post(wr), 0);

	// From the description in srnic-abi.h; little-endian.
	const std::array<unsigned char, 80> expected = {
		1,    2,    3,	  4,	5,    6,    7,	  8,	3, 5, 1, 0, 0x0a, 0x0b, 0x0c, 0x0d,
		0,    0,    0,	  0,	0,    0,    0,	  0,	0, 0, 0, 0, 0,	  0,	0,    0,
		0,    0,    0,	  0,	0,    0,    0,	  0,	0, 0, 0, 0, 0,	  0,	0,    0,
		0,    0,    0,	  0,	0,    0,    0,	  0,	0, 0, 0, 0, 0,	  0,	0,    0,
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 8, 0, 0, 0, 4,	  3,	2,    1};
	EXPECT_EQ(std::memcmp(qp.sq.slot(0), expected.data(), expected.size()), 0);
	EXPECT_EQ(qp.sq.producer(), 1U);
}

TEST_F(PostSend, RdmaAndAtomicFields)
{
	Qp qp = make_qp();
	ibv_send_wr wr = send_wr();

	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.imm_data = 0xdeadbeef;
	wr.wr.rdma.remote_addr = 0x1001;
	wr.wr.rdma.rkey = 77;
	for (auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ}) {
		wr.opcode = opcode;
		ASSERT_EQ(qp.post(wr), 0);

		const srnic_send_wqe &wqe = qp.sq.send(qp.sq.producer() - 1);

		EXPECT_EQ(wqe.opcode, opcode);
		EXPECT_EQ(wqe.rdma.remote_addr, 0x1001U);
		EXPECT_EQ(wqe.rdma.rkey, 77U);
		EXPECT_EQ(wqe.rdma.reserved, 0U);
		EXPECT_EQ(wqe.rdma.compare_add, 0U);
		EXPECT_EQ(wqe.rdma.swap, 0U);
		EXPECT_EQ(wqe.imm, opcode == IBV_WR_RDMA_WRITE_WITH_IMM ? 0xdeadbeefU : 0U);
	}
	wr.wr.atomic.remote_addr = 0x2000;
	wr.wr.atomic.compare_add = 11;
	wr.wr.atomic.swap = 22;
	wr.wr.atomic.rkey = 78;
	for (auto opcode : {IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
		wr.opcode = opcode;
		ASSERT_EQ(qp.post(wr), 0);

		const srnic_send_wqe &wqe = qp.sq.send(qp.sq.producer() - 1);

		EXPECT_EQ(wqe.rdma.remote_addr, 0x2000U);
		EXPECT_EQ(wqe.rdma.rkey, 78U);
		EXPECT_EQ(wqe.rdma.compare_add, 11U);
		EXPECT_EQ(wqe.rdma.swap, opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? 22U : 0U);
		EXPECT_EQ(wqe.num_sge, 1U);
	}
}

TEST_F(PostSend, UdAddress)
{
	Qp qp = make_qp({.type = IBV_QPT_UD});
	srnic_ah ah{};
	ibv_send_wr wr = send_wr();

	ah.handle = 99;
	wr.wr.ud.ah = &ah.verbs;
	wr.wr.ud.remote_qpn = 0x123456;
	wr.wr.ud.remote_qkey = 0x11111111;
	ASSERT_EQ(qp.post(wr), 0);

	const srnic_send_wqe &wqe = qp.sq.send(0);

	EXPECT_EQ(wqe.ud.ah, 99U);
	EXPECT_EQ(wqe.ud.remote_qpn, 0x123456U);
	EXPECT_EQ(wqe.ud.remote_qkey, 0x11111111U);
	for (auto word : wqe.ud.reserved)
		EXPECT_EQ(word, 0U);
	wr.wr.ud.ah = nullptr;
	EXPECT_EQ(qp.post(wr), EINVAL);
}

TEST_F(PostSend, ExactlyAllSlotsFitUntilCompletionsArePolled)
{
	Qp qp = make_qp();
	ibv_send_wr wr = send_wr();
	ibv_wc wc{};

	for (int i = 0; i < 8; ++i)
		ASSERT_EQ(qp.post(wr), 0);
	// Many times around, so that slots and phases come again.
	for (std::uint32_t done = 1; done < 100; ++done) {
		ASSERT_EQ(qp.post(wr), ENOMEM);
		cq.push(qp.send_cqe(done));
		// Not polled yet: still counts.
		ASSERT_EQ(qp.post(wr), ENOMEM);
		ASSERT_EQ(cq.poll(&wc), 1);
		wr.wr_id = done;
		ASSERT_EQ(qp.post(wr), 0);
		ASSERT_EQ(qp.sq.producer(), done + 8);
		ASSERT_EQ(qp.sq.send(done + 7).wr_id, done);
	}
}

TEST_F(PostSend, OneCompletionFreesTheUnsignaledBeforeIt)
{
	Qp qp = make_qp();
	ibv_send_wr wr = send_wr();
	ibv_wc wc{};

	for (int i = 0; i < 8; ++i)
		ASSERT_EQ(qp.post(wr), 0);
	cq.push(qp.send_cqe(6));
	ASSERT_EQ(cq.poll(&wc), 1);
	for (int i = 0; i < 6; ++i)
		ASSERT_EQ(qp.post(wr), 0) << i;
	EXPECT_EQ(qp.post(wr), ENOMEM);
}

TEST_F(PostSend, BadRequestInAListLeavesTheGoodOnesBeforeIt)
{
	Qp qp = make_qp();
	std::vector<ibv_send_wr> wrs = {send_wr(1), send_wr(2), send_wr(3), send_wr(4)};
	ibv_send_wr *bad = nullptr;

	wrs[2].num_sge = 5;
	EXPECT_EQ(post(qp, wrs, &bad), EINVAL);
	EXPECT_EQ(bad, &wrs[2]);
	EXPECT_EQ(qp.sq.producer(), 2U);
	EXPECT_EQ(qp.sq.send(1).wr_id, 2U);
	EXPECT_TRUE(qp.rung());

	// The first one is bad: nothing happens at all.
	wrs[0].opcode = IBV_WR_TSO;
	EXPECT_EQ(post(qp, wrs, &bad), EINVAL);
	EXPECT_EQ(bad, &wrs[0]);
	EXPECT_EQ(qp.sq.producer(), 2U);
	EXPECT_FALSE(qp.rung());
}

TEST_F(PostSend, ListThatFillsTheQueueStopsThere)
{
	Qp qp = make_qp();
	std::vector<ibv_send_wr> wrs(10, send_wr());
	ibv_send_wr *bad = nullptr;

	EXPECT_EQ(post(qp, wrs, &bad), ENOMEM);
	EXPECT_EQ(bad, &wrs[8]);
	EXPECT_EQ(qp.sq.producer(), 8U);
	EXPECT_TRUE(qp.rung());
}

TEST_F(PostSend, InlineDataIsCopied)
{
	Qp qp = make_qp();
	std::array<unsigned char, 65> data{};
	ibv_send_wr wr = send_wr();

	for (std::size_t i = 0; i < data.size(); ++i)
		data[i] = static_cast<unsigned char>(i + 1);

	const auto address = reinterpret_cast<std::uintptr_t>(data.data());
	std::array<ibv_sge, 3> list = {ibv_sge{address, 60, 1}, ibv_sge{0, 0, 1},
				       ibv_sge{address + 60, 4, 1}};

	wr.sg_list = list.data();
	wr.num_sge = 3;
	wr.send_flags |= IBV_SEND_INLINE;
	ASSERT_EQ(qp.post(wr), 0);
	data.fill(0xff);

	const srnic_send_wqe &wqe = qp.sq.send(0);
	const auto *payload = reinterpret_cast<const unsigned char *>(&wqe + 1);

	EXPECT_EQ(wqe.inline_length, 64U);
	EXPECT_EQ(wqe.num_sge, 0U);
	EXPECT_EQ(wqe.flags, SRNIC_SEND_SIGNALED | SRNIC_SEND_INLINE);
	for (unsigned i = 0; i < 64; ++i)
		ASSERT_EQ(payload[i], i + 1);

	list[2].length = 5;
	EXPECT_EQ(qp.post(wr), EINVAL);
	EXPECT_EQ(qp.sq.producer(), 1U);
	// A sum that wraps in 32 bits.
	list[0].length = list[2].length = 0x80000000;
	EXPECT_EQ(qp.post(wr), EINVAL);
	// Nothing at all.
	wr.num_sge = 0;
	ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.sq.send(1).inline_length, 0U);
	EXPECT_EQ(qp.sq.send(1).flags, SRNIC_SEND_SIGNALED | SRNIC_SEND_INLINE);
}

TEST_F(PostSend, InlineOnlyForSendAndWrite)
{
	Qp qp = make_qp();
	ibv_send_wr wr = send_wr();

	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.send_flags |= IBV_SEND_INLINE;
	for (auto opcode :
	     {IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
		wr.opcode = opcode;
		EXPECT_EQ(qp.post(wr), EINVAL) << opcode;
	}
}

TEST_F(PostSend, OpcodesByTypeOfQp)
{
	// RC: all of them. UC: writes, sends, LOCAL_INV and BIND_MW. UD: sends. "RDMA READ with
	// immediate" has no number of its own; whoever makes one up is refused.
	const struct {
		ibv_qp_type type;
		std::uint32_t allowed;
	} cases[] = {{IBV_QPT_RC, 0x83ff}, {IBV_QPT_UC, 0x18f}, {IBV_QPT_UD, 0x0c}};
	srnic_ah ah{};
	ibv_mw mw{};

	mw.type = IBV_MW_TYPE_2;

	for (const auto &each : cases) {
		for (unsigned opcode :
		     {0U,  1U,	2U,  3U,  4U,  5U,  6U,	  7U,	8U,	     9U, 10U,
		      11U, 12U, 15U, 31U, 32U, 34U, 255U, 258U, 0x80000002U, ~0U}) {
			Qp qp = make_qp({.type = each.type});
			ibv_send_wr wr = send_wr();

			std::memcpy(&wr.opcode, &opcode, sizeof(opcode));
			wr.sg_list = &sge;
			wr.num_sge = 1;
			if (each.type == IBV_QPT_UD)
				wr.wr.ud.ah = &ah.verbs;
			else if (opcode == IBV_WR_BIND_MW)
				wr.bind_mw.mw = &mw;

			const bool allowed = opcode < 32 && (each.allowed >> opcode & 1);

			EXPECT_EQ(qp.post(wr), allowed ? 0 : EINVAL)
				<< "type " << each.type << " opcode " << opcode;
		}
	}
}

TEST_F(PostSend, NumberOfElements)
{
	Qp qp = make_qp();
	std::array<ibv_sge, 5> list{};
	ibv_send_wr wr = send_wr();

	wr.sg_list = list.data();
	for (auto [count, result] : {std::pair{0, 0}, {4, 0}, {5, EINVAL}, {-1, EINVAL}}) {
		wr.num_sge = count;
		EXPECT_EQ(qp.post(wr), result) << count;
	}
	EXPECT_EQ(qp.sq.send(1).num_sge, 4U);
}

TEST_F(PostSend, AtomicOperand)
{
	Qp qp = make_qp();
	std::array<ibv_sge, 2> list = {sge, sge};
	const auto attempt = [&](std::uint64_t remote, std::uint32_t length, int count) {
		ibv_send_wr wr = send_wr();

		list[0].length = length;
		wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
		wr.sg_list = list.data();
		wr.num_sge = count;
		wr.wr.atomic.remote_addr = remote;
		return qp.post(wr);
	};

	EXPECT_EQ(attempt(64, 8, 1), 0);
	EXPECT_EQ(attempt(64, 7, 1), EINVAL);
	EXPECT_EQ(attempt(64, 16, 1), EINVAL);
	EXPECT_EQ(attempt(64, 8, 2), EINVAL);
	EXPECT_EQ(attempt(64, 8, 0), EINVAL);
	EXPECT_EQ(attempt(65, 8, 1), EINVAL);
	EXPECT_EQ(attempt(68, 8, 1), EINVAL);
}

TEST_F(PostSend, States)
{
	const struct {
		ibv_qp_state state;
		int result;
	} cases[] = {{IBV_QPS_RESET, EINVAL}, {IBV_QPS_INIT, EINVAL}, {IBV_QPS_RTR, EINVAL},
		     {IBV_QPS_RTS, 0},	      {IBV_QPS_SQD, 0},	      {IBV_QPS_SQE, 0},
		     {IBV_QPS_ERR, 0}};

	for (const auto &each : cases) {
		Qp qp = make_qp({.state = each.state});
		ibv_send_wr wr = send_wr();
		ibv_send_wr *bad = nullptr;

		EXPECT_EQ(qp.post(wr, &bad), each.result) << each.state;
		EXPECT_EQ(bad, each.result ? &wr : nullptr);
		// In ERR too: the kernel has to flush it.
		EXPECT_EQ(qp.rung(), each.result == 0) << each.state;
	}
}

TEST_F(PostSend, Flags)
{
	ibv_send_wr wr = send_wr();
	Qp rc = make_qp({.sq_sig_all = true});

	wr.send_flags = IBV_SEND_FENCE;
	ASSERT_EQ(rc.post(wr), 0);
	EXPECT_EQ(rc.sq.send(0).flags, SRNIC_SEND_FENCE | SRNIC_SEND_SIGNALED);
	// Checksums of IP are not ours.
	wr.send_flags = IBV_SEND_IP_CSUM;
	EXPECT_EQ(rc.post(wr), EINVAL);

	// A fence has a meaning for RC only.
	Qp uc = make_qp({.type = IBV_QPT_UC, .qpn = 18});

	wr.send_flags = IBV_SEND_FENCE | IBV_SEND_SOLICITED;
	ASSERT_EQ(uc.post(wr), 0);
	EXPECT_EQ(uc.sq.send(0).flags, SRNIC_SEND_SOLICITED);
}

TEST_F(PostSend, QueueOfNothingIsFull)
{
	Qp qp = make_qp({.send_wr = 0, .recv_wr = 0});
	ibv_send_wr wr = send_wr();
	ibv_recv_wr rwr = fake::recv_wr();

	EXPECT_EQ(qp.post(wr), ENOMEM);
	EXPECT_EQ(qp.post(rwr), ENOMEM);
}

} // namespace
