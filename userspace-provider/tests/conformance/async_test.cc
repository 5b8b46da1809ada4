// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Asynchronous events.
#include "link.h"
#include "states.h"

namespace conformance {
namespace {

class AsyncTest : public LinkTest {
protected:
	/// The next event of @end is @type.
	void expect_event(Endpoint &end, ibv_event_type type)
	{
		int got = end.wait_event(patience());
		EXPECT_EQ(got, type) << "got " << event_name(got) << ", not " << event_name(type);
	}
	void expect_no_event(Endpoint &end)
	{
		int got = end.wait_event(moment());
		EXPECT_EQ(got, -1) << event_name(got);
	}
	static std::string event_name(int type)
	{
		return type < 0 ? "none" : ibv_event_type_str(static_cast<ibv_event_type>(type));
	}
	SendSpec access(ibv_wr_opcode opcode, const Region &near, const Region &far)
	{
		SendSpec send{.opcode = opcode, .sges = {near.sge(0, 8)}};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		return send;
	}
};

TEST_F(AsyncTest, QuietWhenAllIsWell)
{
	open();
	expect_alive();
	expect_no_event(a());
	expect_no_event(b());
}

TEST_F(AsyncTest, FirstMessageInReadyToReceive)
{
	for (ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UC}) {
		SCOPED_TRACE(type);
		QpSpec spec;
		spec.type = type;
		PathSpec path, path_b;
		path_b.stop_at_rtr = true;
		open(spec, path, spec, path_b);
		expect_alive();
		expect_event(b(), IBV_EVENT_COMM_EST);
		expect_alive();
		expect_no_event(b());
		EXPECT_EQ(b().state(), IBV_QPS_RTR) << "an event, not a transition";
		ASSERT_EQ(b().ready_to_send(path), 0);
		expect_alive();
		expect_no_event(b());
	}
}

TEST_F(AsyncTest, AccessViolationAtTheResponder)
{
	for (auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
		SCOPED_TRACE(opcode_name(opcode));
		open();
		Region near = a().reg(8), far = b().reg(8);
		SendSpec send = access(opcode, near, far);
		send.rkey ^= 1;
		complete(send, IBV_WC_REM_ACCESS_ERR);
		expect_event(b(), IBV_EVENT_QP_ACCESS_ERR);
		expect_no_event(b());
		expect_no_event(a());
	}
}

TEST_F(AsyncTest, InvalidRequestAtTheResponder)
{
	PathSpec path;
	path.access = IBV_ACCESS_REMOTE_READ;
	open({}, path);
	Region near = a().reg(8), far = b().reg(8);
	complete(access(IBV_WR_RDMA_WRITE, near, far), IBV_WC_REM_INV_REQ_ERR);
	expect_event(b(), IBV_EVENT_QP_REQ_ERR);
}

TEST_F(AsyncTest, ErrorWithACompletionNeedsNoEvent)
{
	open();
	Region near = a().reg(8);
	SendSpec send{.sges = {near.sge()}};
	send.sges[0].lkey ^= 0x100;
	ASSERT_EQ(a().post_send(send), 0);
	EXPECT_NE(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	expect_no_event(a());
}

TEST_F(AsyncTest, SendQueueDrained)
{
	open();
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_SQD;
	attr.en_sqd_async_notify = 1;
	ASSERT_EQ(ibv_modify_qp(a().qp.get(), &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	expect_event(a(), IBV_EVENT_SQ_DRAINED);
	ibv_qp_init_attr init{};
	ASSERT_EQ(ibv_query_qp(a().qp.get(), &attr, IBV_QP_STATE, &init), 0);
	EXPECT_EQ(attr.qp_state, IBV_QPS_SQD);
	EXPECT_FALSE(attr.sq_draining);
}

TEST_F(AsyncTest, DrainedWithoutBeingAsked)
{
	open();
	ASSERT_EQ(a().move(IBV_QPS_SQD), 0);
	expect_no_event(a());
}

TEST_F(AsyncTest, CompletionQueueOverflow)
{
	open({.send_wr = 60, .send_cqe = 4});
	Region near = a().reg(8), far = b().reg(8);
	auto fits = static_cast<uint32_t>(a().send_cq->cqe);
	for (uint32_t i = 0; i < fits + 3 && i < 60; i++)
		ASSERT_EQ(a().post_send(access(IBV_WR_RDMA_WRITE, near, far)), 0);
	if (fits + 3 > 60)
		GTEST_SKIP() << "the CQ is larger than the SQ";
	int cq_errors = 0;
	for (int type; (type = a().wait_event(cq_errors ? moment() : patience())) >= 0;) {
		cq_errors += type == IBV_EVENT_CQ_ERR;
		EXPECT_TRUE(type == IBV_EVENT_CQ_ERR || type == IBV_EVENT_QP_FATAL)
			<< event_name(type);
	}
	EXPECT_GE(cq_errors, 1);
	EXPECT_TRUE(eventually([&] { return a().state() == IBV_QPS_ERR; }));
}

TEST_F(AsyncTest, OverflowLeavesOthersAlone)
{
	open();
	Link innocent = take();
	open({.send_wr = 60, .send_cqe = 4});
	Region near = a().reg(8), far = b().reg(8);
	for (int i = 0; i < 60; i++)
		ASSERT_EQ(a().post_send(access(IBV_WR_RDMA_WRITE, near, far)), 0);
	for (int round = 0; round < 20; round++) {
		ASSERT_EQ(innocent.b->post_recv(1, {}), 0);
		ASSERT_EQ(innocent.a->post_send({}), 0);
		ASSERT_EQ(innocent.b->poll(Queue::kReceive, 1).size(), 1u);
		ASSERT_EQ(innocent.a->poll(Queue::kSend, 1).size(), 1u);
	}
}

TEST_F(AsyncTest, DestroyWaitsForTheAcknowledgement)
{
	// The event names the QP; whoever holds it unacknowledged still may use the pointer.
	PathSpec path, path_b;
	path_b.stop_at_rtr = true;
	open({}, path_b, {}, path);
	ASSERT_EQ(a().post_recv(1, {}), 0);
	ASSERT_EQ(b().post_send({}), 0);
	ASSERT_EQ(one(a(), Queue::kReceive).status, IBV_WC_SUCCESS);
	ibv_async_event event{};
	ASSERT_TRUE(eventually([&] { return !ibv_get_async_event(a().context.get(), &event); }));
	EXPECT_EQ(event.event_type, IBV_EVENT_COMM_EST);
	EXPECT_EQ(event.element.qp, a().qp.get());
	ibv_ack_async_event(&event);
}

} // namespace
} // namespace conformance
