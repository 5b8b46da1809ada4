// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The posting functions: what they refuse, with which errno, and what bad_wr says.
#include "link.h"
#include "states.h"

namespace conformance {
namespace {

class PostTest : public LinkTest {
protected:
	/// Posts @count linked receives; returns the errno and where it stopped.
	std::pair<int, int> post_receives(ibv_qp *qp, int count, ibv_sge *sges, int num_sge)
	{
		std::vector<ibv_recv_wr> list(static_cast<size_t>(count));
		for (size_t i = 0; i < list.size(); i++)
			list[i] = {i, i + 1 < list.size() ? &list[i + 1] : nullptr, sges, num_sge};
		ibv_recv_wr *bad = nullptr;
		int error = ibv_post_recv(qp, list.data(), &bad);
		return {error, bad ? static_cast<int>(bad - list.data()) : -1};
	}
};

TEST_F(PostTest, SendNeedsReadyToSend)
{
	LocalEndpoint end(local_device(), {});
	Region memory = end.reg(64);
	ibv_qp_attr attr = valid_attributes(local_device(), end.address().qpn);
	for (ibv_qp_state state : {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR}) {
		SCOPED_TRACE(state_name(state));
		ASSERT_EQ(end.move(IBV_QPS_RESET), 0);
		bring(end.qp.get(), state, attr);
		EXPECT_EQ(end.post_send({.sges = {memory.sge()}}), EINVAL);
		int receive = end.post_recv(1, {memory.sge()});
		EXPECT_EQ(receive, state == IBV_QPS_RESET ? EINVAL : 0);
	}
	ASSERT_EQ(end.move(IBV_QPS_RESET), 0);
	EXPECT_TRUE(end.poll(Queue::kReceive, 1, moment()).empty()) << "RESET drops without a CQE";
}

TEST_F(PostTest, ReceiveQueueHoldsExactlyItsMaximum)
{
	open({.recv_wr = 10});
	auto max = static_cast<int>(a().caps.max_recv_wr);
	EXPECT_GE(max, 10);
	auto [error, stopped] = post_receives(a().qp.get(), max + 1, nullptr, 0);
	EXPECT_EQ(error, ENOMEM);
	EXPECT_EQ(stopped, max);
}

TEST_F(PostTest, SendQueueHoldsExactlyItsMaximum)
{
	open({.send_wr = 10, .recv_wr = 256});
	auto max = static_cast<uint64_t>(a().caps.max_send_wr);
	ASSERT_LE(max, 200u);
	for (uint64_t i = 0; i < max; i++)
		ASSERT_EQ(b().post_recv(i, {}), 0);
	for (uint64_t i = 0; i < max; i++)
		ASSERT_EQ(a().post_send({.wr_id = i}), 0) << i;
	// Completed or not: until it is polled the slot is taken.
	EXPECT_EQ(a().post_send({.wr_id = max}), ENOMEM);
	EXPECT_EQ(one(b(), Queue::kReceive).status, IBV_WC_SUCCESS);
	EXPECT_EQ(a().post_send({.wr_id = max}), ENOMEM);
	EXPECT_EQ(one(a(), Queue::kSend).wr_id, 0u);
	ASSERT_EQ(b().post_recv(max, {}), 0);
	EXPECT_EQ(a().post_send({.wr_id = max}), 0);
	auto rest = a().poll(Queue::kSend, max);
	ASSERT_EQ(rest.size(), max);
	for (uint64_t i = 0; i < max; i++)
		EXPECT_EQ(rest[i].wr_id, i + 1);
}

TEST_F(PostTest, UnsignaledRequestsFreeTheirSlotsWithALaterCompletion)
{
	open({.send_wr = 8});
	Region near = a().reg(64), far = b().reg(64);
	auto max = static_cast<int>(a().caps.max_send_wr);
	SendSpec write{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	write.remote_address = far.address;
	write.rkey = far.rkey;
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < max; i++) {
			write.flags = i == max - 1 ? unsigned{IBV_SEND_SIGNALED} : 0u;
			ASSERT_EQ(a().post_send(write), 0) << "round " << round << ", " << i;
		}
		ASSERT_EQ(a().post_send(write), ENOMEM);
		ASSERT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	}
}

TEST_F(PostTest, TooManyElements)
{
	open({.send_sge = 3, .recv_sge = 2});
	Region memory = a().reg(64);
	std::vector<ibv_sge> sges(a().caps.max_send_sge + 1, memory.sge(0, 1));
	EXPECT_EQ(a().post_send({.sges = sges}), EINVAL);
	sges.assign(a().caps.max_recv_sge + 1, memory.sge(0, 1));
	EXPECT_EQ(a().post_recv(1, sges), EINVAL);
	ibv_recv_wr recv{.wr_id = 1, .next = nullptr, .sg_list = sges.data(), .num_sge = -1}, *bad;
	EXPECT_EQ(ibv_post_recv(a().qp.get(), &recv, &bad), EINVAL);
	expect_alive();
}

TEST_F(PostTest, InlineLimit)
{
	open({.inline_bytes = 100});
	uint32_t max = a().caps.max_inline_data;
	EXPECT_GE(max, 100u);
	std::vector<uint8_t> data(max + 1);
	Region far = b().reg(max + 1);
	fill(data, 77);
	ibv_sge sge{reinterpret_cast<uintptr_t>(data.data()), max, 0xbadbad}; // lkey is not used
	ASSERT_EQ(b().post_recv(1, {far.sge()}), 0);
	SendSpec send{.flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE, .sges = {sge}};
	ASSERT_EQ(a().post_send(send), 0);
	std::fill(data.begin(), data.end(), 0); // the buffer is the program's again
	EXPECT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, max);
	EXPECT_EQ(b().mismatch(far.address, max, 77), -1);
	send.sges[0].length = max + 1;
	EXPECT_EQ(a().post_send(send), EINVAL);
	expect_alive();
}

TEST_F(PostTest, InlineFromSeveralElements)
{
	open({.send_sge = 4, .inline_bytes = 64});
	std::vector<uint8_t> data(64);
	fill(data, 3);
	Region far = b().reg(64);
	auto at = reinterpret_cast<uintptr_t>(data.data());
	SendSpec write{.opcode = IBV_WR_RDMA_WRITE,
		       .flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		       .sges = {{at, 1, 0}, {at + 1, 0, 0}, {at + 1, 30, 0}, {at + 31, 33, 0}}};
	write.remote_address = far.address;
	write.rkey = far.rkey;
	complete(write);
	EXPECT_EQ(b().mismatch(far.address, 64, 3), -1);
}

TEST_F(PostTest, InlineReadAndAtomicsDoNotExist)
{
	open({.inline_bytes = 64});
	Region near = a().reg(64), far = b().reg(64);
	for (auto opcode : {IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
		SendSpec send{.opcode = opcode, .flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE};
		send.sges = {near.sge(0, 8)};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		EXPECT_EQ(a().post_send(send), EINVAL) << opcode_name(opcode);
	}
}

TEST_F(PostTest, OpcodesThatDoNotExist)
{
	open();
	Region near = a().reg(64);
	for (int opcode : {IBV_WR_LOCAL_INV + 100, 77, 0x7fffffff, -1}) {
		SendSpec send{.opcode = static_cast<ibv_wr_opcode>(opcode), .sges = {near.sge()}};
		EXPECT_EQ(a().post_send(send), EINVAL) << opcode;
	}
	expect_alive();
}

TEST_F(PostTest, ReadWithImmediateDoesNotExist)
{
	// What the tutorials compose: READ and a bit for the immediate.
	open();
	Region near = a().reg(64), far = b().reg(64);
	SendSpec read{.opcode = static_cast<ibv_wr_opcode>(0x10 | IBV_WR_RDMA_READ)};
	read.sges = {near.sge()};
	read.remote_address = far.address;
	read.rkey = far.rkey;
	read.immediate = 1;
	EXPECT_EQ(a().post_send(read), EINVAL);
	expect_alive();
}

TEST_F(PostTest, OpcodesThatTheTypeLacks)
{
	for (ibv_qp_type type : {IBV_QPT_UC, IBV_QPT_UD}) {
		QpSpec spec;
		spec.type = type;
		open(spec);
		Region near = a().reg(64), far = b().reg(64);
		for (auto opcode : {IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP,
				    IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_RDMA_WRITE}) {
			if (type == IBV_QPT_UC && opcode == IBV_WR_RDMA_WRITE)
				continue;
			SendSpec send{.opcode = opcode, .sges = {near.sge(0, 8)}};
			send.remote_address = far.address;
			send.rkey = far.rkey;
			send.to = b().address();
			EXPECT_EQ(a().post_send(send), EINVAL)
				<< opcode_name(opcode) << " on " << type;
		}
	}
}

TEST_F(PostTest, MisalignedAtomic)
{
	open();
	Region near = a().reg(16), far = b().reg(64);
	SendSpec send{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .sges = {near.sge(0, 8)}};
	send.rkey = far.rkey;
	for (uint64_t off : {1, 2, 4, 7}) {
		send.remote_address = far.address + off;
		EXPECT_EQ(a().post_send(send), EINVAL) << off;
	}
}

TEST_F(PostTest, GoodRequestsBeforeABadOneAreExecuted)
{
	open();
	Region near = a().reg(64), far = b().reg(64);
	a().fill(near.address, 64, 9);
	std::vector<SendSpec> specs(4);
	std::vector<ibv_send_wr> list;
	for (size_t i = 0; i < specs.size(); i++) {
		auto offset = static_cast<uint32_t>(16 * i);
		specs[i] = {
			.wr_id = i, .opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge(offset, 16)}};
		specs[i].remote_address = far.address + offset;
		specs[i].rkey = far.rkey;
		list.push_back(a().work_request(specs[i]));
	}
	for (size_t i = 0; i + 1 < list.size(); i++)
		list[i].next = &list[i + 1];
	list[2].num_sge = static_cast<int>(a().caps.max_send_sge + 1);
	ibv_send_wr *bad = nullptr;
	EXPECT_EQ(ibv_post_send(a().qp.get(), list.data(), &bad), EINVAL);
	EXPECT_EQ(bad, &list[2]);
	for (uint64_t i = 0; i < 2; i++)
		EXPECT_EQ(one(a(), Queue::kSend).wr_id, i);
	expect_quiet(a(), Queue::kSend);
	EXPECT_EQ(b().mismatch(far.address, 32, 9), -1);
	EXPECT_NE(b().mismatch(far.address + 32, 32, 9, 32), -1)
		<< "the bad one and those behind it";
	EXPECT_EQ(a().state(), IBV_QPS_RTS) << "an immediate error does not change the state";
	expect_alive();
}

TEST_F(PostTest, GoodReceivesBeforeABadOneAreQueued)
{
	open({.recv_sge = 1});
	Region near = a().reg(16), far = b().reg(16);
	ibv_sge sge = near.sge();
	std::vector<ibv_recv_wr> list(3);
	for (size_t i = 0; i < 3; i++)
		list[i] = {i, i < 2 ? &list[i + 1] : nullptr, &sge, 1};
	list[1].num_sge = static_cast<int>(a().caps.max_recv_sge + 1);
	ibv_recv_wr *bad = nullptr;
	EXPECT_EQ(ibv_post_recv(a().qp.get(), list.data(), &bad), EINVAL);
	EXPECT_EQ(bad, &list[1]);
	ASSERT_EQ(b().post_send({.sges = {far.sge()}}), 0);
	EXPECT_EQ(one(a(), Queue::kReceive).wr_id, 0u);
}

} // namespace
} // namespace conformance
