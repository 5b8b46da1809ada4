// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Shared receive queues: posting, limits, events, and many QPs at one of them.
#include <fcntl.h>

#include <algorithm>
#include <map>
#include <set>

#include "srq.h"

namespace conformance {
namespace {

/// One end that has an SRQ; a() sends to it.
class SrqTest : public LinkTest {
protected:
	void open_srq(QpSpec spec = {}, const PathSpec &path = {})
	{
		QpSpec sender = spec;
		sender.srq_wr = 0;
		if (!spec.srq_wr)
			spec.srq_wr = 32;
		open(sender, path, spec, path);
	}
	SendSpec message(uint64_t wr_id, std::vector<ibv_sge> sges = {})
	{
		SendSpec send{.wr_id = wr_id, .sges = std::move(sges)};
		send.to = b().address();
		return send;
	}
};

TEST_F(SrqTest, DataArrives)
{
	NEED_SRQ();
	for (ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UD}) {
		SCOPED_TRACE(type);
		QpSpec spec;
		spec.type = type;
		open_srq(spec);
		const uint32_t size = type == IBV_QPT_UD ? 1000 : 5000;
		const uint32_t header = type == IBV_QPT_UD ? 40 : 0;
		Region near = a().reg(size), far = b().reg(size + header, kAllAccess, 3);
		for (uint64_t i = 1; i <= 20; i++) {
			a().fill(near.address, size, i);
			ASSERT_EQ(b().post_recv(100 + i,
						{far.sge(0, 33), far.sge(33, size + header - 33)}),
				  0);
			complete(message(i, {near.sge()}));
			ibv_wc wc = one(b(), Queue::kReceive);
			EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
			EXPECT_EQ(wc.wr_id, 100 + i);
			EXPECT_EQ(wc.opcode, IBV_WC_RECV);
			EXPECT_EQ(wc.qp_num, b().address().qpn);
			EXPECT_EQ(wc.byte_len, size + header);
			EXPECT_EQ(b().mismatch(far.address + header, size, i), -1);
		}
	}
}

TEST_F(SrqTest, WriteWithImmediateTakesOne)
{
	NEED_SRQ();
	open_srq();
	Region near = a().reg(3000), far = b().reg(3000);
	a().fill(near.address, near.length, 7);
	SendSpec send = message(1, {near.sge()});
	send.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	send.remote_address = far.address;
	send.rkey = far.rkey;
	send.immediate = 0x1234567;
	ASSERT_EQ(b().post_recv(5, {}), 0);
	ASSERT_EQ(b().post_recv(6, {}), 0);
	complete(send);
	ibv_wc wc = one(b(), Queue::kReceive);
	EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(wc.wr_id, 5u);
	EXPECT_EQ(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT_EQ(wc.imm_data, htobe32(0x1234567));
	EXPECT_EQ(b().mismatch(far.address, far.length, 7), -1);
	complete(message(2));
	EXPECT_EQ(one(b(), Queue::kReceive).wr_id, 6u);
}

TEST_F(SrqTest, EmptyIsNotReady)
{
	NEED_SRQ();
	PathSpec path;
	path.rnr_retry = 1;
	path.min_rnr_timer = 1;
	open_srq({}, path);
	complete(message(1), IBV_WC_RNR_RETRY_EXC_ERR);

	path.rnr_retry = 7;
	path.min_rnr_timer = 12;
	open_srq({}, path);
	ASSERT_EQ(a().post_send(message(2)), 0);
	expect_quiet(a(), Queue::kSend);
	ASSERT_EQ(b().post_recv(9, {}), 0);
	EXPECT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	EXPECT_EQ(one(b(), Queue::kReceive).wr_id, 9u);
}

TEST_F(SrqTest, BadLocalKey)
{
	NEED_SRQ();
	open_srq();
	Region near = a().reg(100), far = b().reg(100);
	ibv_sge bad = far.sge();
	bad.lkey ^= 0x100;
	ASSERT_EQ(b().post_recv(1, {bad}), 0);
	complete(message(1, {near.sge()}), IBV_WC_REM_OP_ERR);
	ibv_wc wc = one(b(), Queue::kReceive);
	EXPECT_EQ(wc.status, IBV_WC_LOC_PROT_ERR);
	EXPECT_EQ(wc.wr_id, 1u);
}

TEST_F(SrqTest, MessageTooLong)
{
	NEED_SRQ();
	open_srq();
	Region near = a().reg(101), far = b().reg(100);
	ASSERT_EQ(b().post_recv(1, {far.sge()}), 0);
	complete(message(1, {near.sge()}), IBV_WC_REM_INV_REQ_ERR);
	ibv_wc wc = one(b(), Queue::kReceive);
	EXPECT_NE(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(wc.wr_id, 1u);
}

TEST_F(SrqTest, LastWorkRequestReached)
{
	NEED_SRQ();
	open_srq();
	for (uint64_t i = 0; i < 4; i++)
		ASSERT_EQ(b().post_recv(i, {}), 0);
	complete(message(1));
	EXPECT_EQ(one(b(), Queue::kReceive).status, IBV_WC_SUCCESS);
	ASSERT_EQ(b().move(IBV_QPS_ERR), 0);
	EXPECT_EQ(b().wait_event(patience()), IBV_EVENT_QP_LAST_WQE_REACHED);
	EXPECT_EQ(b().wait_event(moment()), -1) << "once";
	// The SRQ is not flushed: the others are still there for other QPs.
	expect_quiet(b(), Queue::kReceive);
}

/// An SRQ in this process with a few QPs, each connected to a sender of its own, which
/// may be another process.
class SharedTest : public LinkTest {
protected:
	struct Stream {
		std::unique_ptr<Endpoint> sender;
		Qp qp;
	};

	void SetUp() override
	{
		NEED_SRQ();
		context_ = local_device().open();
		fcntl(context_->async_fd, F_SETFL, O_NONBLOCK);
		pd_.reset(must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd"));
		cq_.reset(must(ibv_create_cq(context_.get(), 1024, nullptr, nullptr, 0), "cq"));
	}

	void make_srq(uint32_t max_wr, uint32_t max_sge = 2)
	{
		ibv_srq_init_attr init{};
		init.attr = {max_wr, max_sge, 0};
		srq_.reset(must(ibv_create_srq(pd_.get(), &init), "ibv_create_srq"));
		max_wr_ = init.attr.max_wr;
	}
	void add_stream(ibv_cq *cq = nullptr)
	{
		ibv_qp_init_attr init{};
		init.send_cq = cq ? cq : cq_.get();
		init.recv_cq = cq ? cq : cq_.get();
		init.srq = srq_.get();
		init.cap.max_send_wr = 1;
		init.qp_type = IBV_QPT_RC;
		Stream stream{peer_endpoint({.send_wr = 256, .send_cqe = 512}),
			      Qp(must(ibv_create_qp(pd_.get(), &init), "ibv_create_qp"))};
		connect(stream);
		streams_.push_back(std::move(stream));
	}
	void connect(Stream &stream)
	{
		Gid gid = *local_device().gid(Family::kIpv4);
		Address peer = stream.sender->address();
		connect_qp(stream.qp.get(), gid, peer, peer.qpn, {});
		stream.sender->connect({stream.qp->qp_num, gid.gid}, {});
	}
	void send(size_t stream, uint64_t wr_id)
	{
		ASSERT_EQ(streams_[stream].sender->post_send({.wr_id = wr_id}), 0);
	}
	/// Waits for @count completions at a sender.
	void sent(size_t stream, size_t count)
	{
		auto list = streams_[stream].sender->poll(Queue::kSend, count);
		ASSERT_EQ(list.size(), count);
		for (const ibv_wc &wc : list)
			EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	}
	std::vector<ibv_wc> received(size_t count) { return poll(cq_.get(), count); }
	void post_many(uint64_t first, uint32_t count)
	{
		for (uint32_t i = 0; i < count; i++)
			ASSERT_EQ(post(srq_.get(), first + i), 0) << i;
	}
	int arm(uint32_t limit)
	{
		ibv_srq_attr attr{};
		attr.srq_limit = limit;
		return ibv_modify_srq(srq_.get(), &attr, IBV_SRQ_LIMIT);
	}
	int resize(uint32_t max_wr)
	{
		ibv_srq_attr attr{};
		attr.max_wr = max_wr;
		return ibv_modify_srq(srq_.get(), &attr, IBV_SRQ_MAX_WR);
	}
	bool limit_event(Milliseconds timeout)
	{
		ibv_async_event event{};
		if (!eventually([&] { return !ibv_get_async_event(context_.get(), &event); },
				timeout))
			return false;
		EXPECT_EQ(event.event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
		EXPECT_EQ(event.element.srq, srq_.get());
		ibv_ack_async_event(&event);
		return true;
	}
	/// One message of each stream in turn; takes @count.
	void exchange(size_t count)
	{
		for (size_t i = 0; i < count; i++)
			send(i % streams_.size(), i);
		for (size_t s = 0; s < streams_.size(); s++)
			sent(s, count / streams_.size() + (s < count % streams_.size()));
		ASSERT_EQ(received(count).size(), count);
	}

	Context context_;
	Pd pd_;
	Cq cq_;
	Srq srq_;
	uint32_t max_wr_ = 0;
	std::vector<Stream> streams_;
};

TEST_F(SharedTest, ManyQueuePairs)
{
	make_srq(64);
	for (int i = 0; i < 4; i++)
		add_stream();
	post_many(1000, 64);
	for (size_t i = 0; i < 64; i++)
		send(i % 4, i);
	auto list = received(64);
	ASSERT_EQ(list.size(), 64u);
	std::set<uint64_t> ids;
	std::map<uint32_t, int> by_qp;
	for (const ibv_wc &wc : list) {
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
		ids.insert(wc.wr_id);
		by_qp[wc.qp_num]++;
	}
	EXPECT_EQ(ids.size(), 64u);
	EXPECT_EQ(*ids.begin(), 1000u);
	EXPECT_EQ(*ids.rbegin(), 1063u);
	for (Stream &stream : streams_)
		EXPECT_EQ(by_qp[stream.qp->qp_num], 16);
	for (size_t s = 0; s < 4; s++)
		sent(s, 16);
}

TEST_F(SharedTest, ExactlyTheSizeFits)
{
	make_srq(20);
	ASSERT_GE(max_wr_, 20u);
	EXPECT_EQ(query(srq_.get()).max_wr, max_wr_);
	add_stream();
	add_stream();
	post_many(0, max_wr_);
	EXPECT_EQ(post(srq_.get(), 1), ENOMEM);
	// Taken is not enough: what was not polled counts (7.3).
	for (uint32_t i = 0; i < 4; i++)
		send(i % 2, i);
	sent(0, 2);
	sent(1, 2);
	EXPECT_EQ(post(srq_.get(), 1), ENOMEM);
	ASSERT_EQ(received(4).size(), 4u);
	post_many(500, 4);
	EXPECT_EQ(post(srq_.get(), 1), ENOMEM);
}

TEST_F(SharedTest, RoundAndRound)
{
	make_srq(8);
	for (int i = 0; i < 3; i++)
		add_stream();
	post_many(0, max_wr_);
	const size_t rounds = scaled(100u, 20u);
	for (size_t i = 0; i < rounds; i++) {
		exchange(max_wr_);
		post_many(i, max_wr_);
	}
	EXPECT_EQ(post(srq_.get(), 1), ENOMEM);
}

TEST_F(SharedTest, CompletionsOfADestroyedQueuePairFreeTheirPlaces)
{
	make_srq(16);
	add_stream();
	add_stream();
	post_many(0, max_wr_);
	for (uint32_t i = 0; i < max_wr_; i++)
		send(0, i);
	sent(0, max_wr_);
	streams_[0].qp.reset();
	post_many(100, max_wr_);
	EXPECT_EQ(post(srq_.get(), 1), ENOMEM);
	send(1, 1);
	sent(1, 1);
	auto list = received(1);
	ASSERT_EQ(list.size(), 1u);
	EXPECT_EQ(list[0].wr_id, 100u);
	EXPECT_EQ(list[0].qp_num, streams_[1].qp->qp_num);
}

TEST_F(SharedTest, CompletionsOfAResetQueuePairFreeTheirPlaces)
{
	make_srq(16);
	add_stream();
	post_many(0, max_wr_);
	for (uint32_t i = 0; i < max_wr_; i++)
		send(0, i);
	sent(0, max_wr_);
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_RESET;
	ASSERT_EQ(ibv_modify_qp(streams_[0].qp.get(), &attr, IBV_QP_STATE), 0);
	post_many(100, max_wr_);
	EXPECT_TRUE(poll(cq_.get(), 1, moment()).empty());
}

/// A message whose first packets arrive, and no more.
void send_half(Endpoint &sender)
{
	Region region = sender.reg(4096);
	ibv_sge bad = region.sge();
	bad.lkey ^= 0x100;
	ASSERT_EQ(sender.post_send({.wr_id = 1, .sges = {region.sge(), bad}}), 0);
	auto list = sender.poll(Queue::kSend, 1);
	ASSERT_EQ(list.size(), 1u);
	EXPECT_NE(list[0].status, IBV_WC_SUCCESS);
}

TEST_F(SharedTest, WorkRequestInUseIsGivenBack)
{
	for (bool destroy : {false, true}) {
		SCOPED_TRACE(destroy);
		streams_.clear();
		make_srq(4);
		add_stream();
		add_stream();
		Memory memory(8192);
		Mr mr(must(ibv_reg_mr(pd_.get(), memory.data(), 8192, IBV_ACCESS_LOCAL_WRITE),
			   "ibv_reg_mr"));
		ibv_sge sge{memory.address(), 8192, mr->lkey};
		ASSERT_EQ(post(srq_.get(), 77, {sge}), 0);
		send_half(*streams_[0].sender);
		ibv_qp_attr attr{};
		attr.qp_state = IBV_QPS_RESET;
		if (destroy)
			streams_[0].qp.reset();
		else
			ASSERT_EQ(ibv_modify_qp(streams_[0].qp.get(), &attr, IBV_QP_STATE), 0);
		EXPECT_TRUE(poll(cq_.get(), 1, moment()).empty());
		send(1, 5);
		sent(1, 1);
		auto list = received(1);
		ASSERT_EQ(list.size(), 1u);
		EXPECT_EQ(list[0].wr_id, 77u);
		EXPECT_EQ(list[0].status, IBV_WC_SUCCESS);
		EXPECT_EQ(list[0].qp_num, streams_[1].qp->qp_num);
		streams_.clear();
		srq_.reset();
	}
}

TEST_F(SharedTest, WorkRequestInUseIsFlushed)
{
	make_srq(4);
	add_stream();
	Memory memory(8192);
	Mr mr(must(ibv_reg_mr(pd_.get(), memory.data(), 8192, IBV_ACCESS_LOCAL_WRITE), "reg_mr"));
	for (uint64_t i = 77; i < 79; i++)
		ASSERT_EQ(post(srq_.get(), i, {{memory.address(), 8192, mr->lkey}}), 0);
	send_half(*streams_[0].sender);
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_ERR;
	ASSERT_EQ(ibv_modify_qp(streams_[0].qp.get(), &attr, IBV_QP_STATE), 0);
	auto list = received(1);
	ASSERT_EQ(list.size(), 1u);
	EXPECT_EQ(list[0].wr_id, 77u);
	EXPECT_EQ(list[0].status, IBV_WC_WR_FLUSH_ERR);
	EXPECT_TRUE(poll(cq_.get(), 1, moment()).empty()) << "the other one was not taken";
	streams_.clear();
	srq_.reset();
}

TEST_F(SharedTest, LimitEventOncePerArming)
{
	make_srq(32);
	add_stream();
	add_stream();
	post_many(0, 8);
	ASSERT_EQ(arm(5), 0);
	EXPECT_EQ(query(srq_.get()).srq_limit, 5u);
	exchange(3);
	EXPECT_FALSE(limit_event(moment())) << "5 are left, which is not less";
	exchange(1);
	EXPECT_TRUE(limit_event(patience()));
	EXPECT_EQ(query(srq_.get()).srq_limit, 0u);
	exchange(2);
	EXPECT_FALSE(limit_event(moment())) << "it was not armed again";
	post_many(0, 8); // 10
	ASSERT_EQ(arm(10), 0);
	exchange(1);
	EXPECT_TRUE(limit_event(patience()));
	ASSERT_EQ(arm(9), 0);
	ASSERT_EQ(arm(0), 0);
	exchange(1);
	EXPECT_FALSE(limit_event(moment())) << "it was disarmed";
}

TEST_F(SharedTest, LimitAboveTheSize)
{
	make_srq(16);
	EXPECT_EQ(arm(max_wr_), 0);
	EXPECT_EQ(arm(max_wr_ + 1), EINVAL);
	EXPECT_EQ(query(srq_.get()).srq_limit, max_wr_) << "nothing was modified";
}

TEST_F(SharedTest, LargerKeepsOrderAndWork)
{
	NEED_SRQ_RESIZE();
	make_srq(8);
	add_stream();
	post_many(0, 8);
	exchange(3);
	ASSERT_EQ(resize(64), 0);
	const uint32_t larger = query(srq_.get()).max_wr;
	ASSERT_GE(larger, 64u);
	// 5 from before, and as many as there is room for.
	post_many(8, larger - 5);
	EXPECT_EQ(post(srq_.get(), 1), ENOMEM);
	for (uint32_t i = 0; i < larger; i++)
		send(0, i);
	auto list = received(larger);
	ASSERT_EQ(list.size(), larger);
	for (uint32_t i = 0; i < larger; i++)
		EXPECT_EQ(list[i].wr_id, 3 + i);
	sent(0, larger);
}

TEST_F(SharedTest, ResizedAgainAndAgain)
{
	NEED_SRQ_RESIZE();
	make_srq(16);
	add_stream();
	uint64_t posted = 0, taken = 0;
	for (uint32_t size : {32u, 64u, 16u, 32u, 16u, 128u, 32u}) {
		// Some of it waits in each ring.
		post_many(posted, 5);
		posted += 5;
		ASSERT_EQ(resize(size), 0) << size;
		post_many(posted, 2);
		posted += 2;
		for (uint64_t i = 0; i < 5; i++)
			send(0, i);
		auto list = received(5);
		ASSERT_EQ(list.size(), 5u);
		for (const ibv_wc &wc : list)
			EXPECT_EQ(wc.wr_id, taken++);
		sent(0, 5);
	}
	const auto rest = static_cast<size_t>(posted - taken);
	for (size_t i = 0; i < rest; i++)
		send(0, i);
	for (const ibv_wc &wc : received(rest))
		EXPECT_EQ(wc.wr_id, taken++);
	EXPECT_EQ(taken, posted);
	sent(0, rest);
}

TEST_F(SharedTest, ResizeThatCannotBe)
{
	NEED_SRQ_RESIZE();
	make_srq(64);
	add_stream();
	post_many(0, 40);
	EXPECT_EQ(resize(16), EINVAL) << "40 are queued";
	auto too_much = static_cast<uint32_t>(local_device().attr().max_srq_wr) + 1;
	EXPECT_NE(resize(too_much), 0);
	EXPECT_EQ(query(srq_.get()).max_wr, max_wr_);
	ASSERT_EQ(arm(33), 0);
	exchange(36); // now it is disarmed
	ASSERT_EQ(arm(33), 0);
	EXPECT_EQ(resize(16), EINVAL) << "the limit is 33";
	EXPECT_EQ(query(srq_.get()).srq_limit, 33u);
	ibv_srq_attr both{};
	both.max_wr = 16;
	both.srq_limit = 17;
	EXPECT_EQ(ibv_modify_srq(srq_.get(), &both, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), EINVAL);
	EXPECT_EQ(query(srq_.get()).max_wr, max_wr_);
	EXPECT_EQ(query(srq_.get()).srq_limit, 33u);
	post_many(0, 10);
	exchange(14);
	EXPECT_TRUE(limit_event(patience()));
}

TEST_F(SharedTest, ListStopsAtTheBadOne)
{
	make_srq(16, 1);
	add_stream();
	ibv_sge sges[2]{};
	ibv_recv_wr list[3]{}, *bad = nullptr;
	for (int i = 0; i < 3; i++) {
		list[i].wr_id = static_cast<uint64_t>(i);
		list[i].next = i < 2 ? &list[i + 1] : nullptr;
	}
	list[1].num_sge = static_cast<int>(query(srq_.get()).max_sge) + 1;
	std::vector<ibv_sge> many(static_cast<size_t>(list[1].num_sge));
	list[1].sg_list = many.data();
	list[0].sg_list = sges;
	EXPECT_EQ(ibv_post_srq_recv(srq_.get(), list, &bad), EINVAL);
	EXPECT_EQ(bad, &list[1]);
	send(0, 1);
	auto got = received(1);
	ASSERT_EQ(got.size(), 1u);
	EXPECT_EQ(got[0].wr_id, 0u);
	send(0, 2);
	EXPECT_TRUE(poll(cq_.get(), 1, moment()).empty()) << "the third was not posted";
	EXPECT_EQ(post(srq_.get(), 9), 0);
	EXPECT_EQ(received(1).size(), 1u);
}

} // namespace
} // namespace conformance
