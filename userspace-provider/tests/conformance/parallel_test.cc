// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Many threads on one QP, many QPs at once, one CQ for many.
#include <atomic>
#include <set>
#include <thread>

#include "link.h"

namespace conformance {
namespace {

class ParallelTest : public LocalTest {
protected:
	/// Two connected local endpoints.
	static Link local_link(const QpSpec &spec = {})
	{
		Link link{std::make_unique<LocalEndpoint>(local_device(), spec),
			  std::make_unique<LocalEndpoint>(peer_device(), spec)};
		link.b->connect(link.a->address(), {});
		link.a->connect(link.b->address(), {});
		return link;
	}
};

TEST_F(ParallelTest, ThreadsPostOnOneQp)
{
	Link link = local_link({.send_wr = 128, .send_cqe = 1024});
	constexpr unsigned kThreads = 4;
	const unsigned each = scaled(500u, 50u);
	Region near = link.a->reg(8 * kThreads), far = link.b->reg(8 * kThreads * 1000);
	std::atomic<unsigned> completed = 0;
	auto drain = [&] {
		for (const ibv_wc &wc : link.a->poll(Queue::kSend, 16, Milliseconds(0))) {
			EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
			completed++;
		}
	};
	std::vector<std::thread> threads;
	for (unsigned t = 0; t < kThreads; t++) {
		threads.emplace_back([&, t] {
			link.a->poke64(near.address + 8 * t, t + 1);
			for (unsigned i = 0; i < each; i++) {
				SendSpec send{.opcode = IBV_WR_RDMA_WRITE,
					      .sges = {near.sge(8 * t, 8)}};
				send.remote_address = far.address + 8 * (t * each + i);
				send.rkey = far.rkey;
				int error;
				while ((error = link.a->post_send(send)) == ENOMEM)
					drain();
				EXPECT_EQ(error, 0);
			}
		});
	}
	for (auto &thread : threads)
		thread.join();
	EXPECT_TRUE(eventually([&] {
		drain();
		return completed == kThreads * each;
	}));
	for (unsigned i = 0; i < kThreads * each; i++)
		ASSERT_EQ(link.b->peek64(far.address + 8 * i), i / each + 1) << "request " << i;
}

TEST_F(ParallelTest, ThreadsPostReceives)
{
	Link link = local_link({.recv_wr = 512, .recv_cqe = 512});
	std::vector<std::thread> threads;
	for (uint64_t t = 0; t < 4; t++) {
		threads.emplace_back([&, t] {
			for (uint64_t i = 0; i < 100; i++)
				EXPECT_EQ(link.b->post_recv(100 * t + i, {}), 0);
		});
	}
	for (auto &thread : threads)
		thread.join();
	std::set<uint64_t> seen;
	for (int i = 0; i < 400; i++) {
		ASSERT_EQ(link.a->post_send({}), 0);
		ASSERT_EQ(link.a->poll(Queue::kSend, 1).size(), 1u);
		auto got = link.b->poll(Queue::kReceive, 1);
		ASSERT_EQ(got.size(), 1u);
		EXPECT_TRUE(seen.insert(got[0].wr_id).second) << "completed twice";
	}
}

TEST_F(ParallelTest, ThreadsPollOneCq)
{
	Link link = local_link({.send_wr = 256, .send_cqe = 512});
	const unsigned count = scaled(2000u, 200u);
	Region near = link.a->reg(8), far = link.b->reg(8);
	std::atomic<unsigned> polled = 0;
	std::vector<std::atomic<unsigned>> seen(count);
	std::vector<std::thread> threads;
	for (int t = 0; t < 2; t++) {
		threads.emplace_back([&] {
			while (polled < count) {
				for (const ibv_wc &wc :
				     link.a->poll(Queue::kSend, 8, Milliseconds(0))) {
					seen.at(wc.wr_id)++;
					polled++;
				}
			}
		});
	}
	for (unsigned i = 0; i < count; i++) {
		SendSpec send{.wr_id = i, .opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		while (link.a->post_send(send) == ENOMEM)
			std::this_thread::yield();
	}
	for (auto &thread : threads)
		thread.join();
	for (auto &times : seen)
		EXPECT_EQ(times, 1u);
}

TEST_F(ParallelTest, ManyQpsAtOnce)
{
	const size_t count = scaled(200u, 40u);
	QpSpec spec{.send_wr = 4, .recv_wr = 4, .send_cqe = 8, .recv_cqe = 8};
	std::vector<Link> links;
	std::vector<std::pair<Region, Region>> regions;
	for (size_t i = 0; i < count / 2; i++) {
		links.push_back(local_link(spec));
		regions.emplace_back(links[i].a->reg(2048), links[i].b->reg(2048));
		links[i].a->fill(regions[i].first.address, 2048, i);
	}
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < links.size(); i++) {
			ASSERT_EQ(links[i].b->post_recv(i, {regions[i].second.sge()}), 0);
			ASSERT_EQ(links[i].a->post_send(
					  {.wr_id = i, .sges = {regions[i].first.sge()}}),
				  0);
		}
		for (size_t i = 0; i < links.size(); i++) {
			auto got = links[i].b->poll(Queue::kReceive, 1);
			ASSERT_EQ(got.size(), 1u);
			EXPECT_EQ(got[0].wr_id, i);
			EXPECT_EQ(links[i].b->mismatch(regions[i].second.address, 2048, i), -1);
			ASSERT_EQ(links[i].a->poll(Queue::kSend, 1).size(), 1u);
		}
	}
}

TEST_F(ParallelTest, OneContextWithManyQpsAndOneCq)
{
	// Several QPs share a doorbell page, one CQ takes the completions of all.
	Context context = local_device().open();
	Gid gid = *local_device().gid(Family::kIpv4);
	Pd pd(must(ibv_alloc_pd(context.get()), "ibv_alloc_pd"));
	Cq cq(must(ibv_create_cq(context.get(), 1024, nullptr, nullptr, 0), "ibv_create_cq"));
	Memory memory(4096);
	Mr mr(must(ibv_reg_mr(pd.get(), memory.data(), 4096, kAllAccess), "ibv_reg_mr"));
	const size_t count = scaled(150u, 70u);
	std::vector<Qp> qps;
	std::vector<Ah> handles;
	for (size_t i = 0; i < count; i++) {
		ibv_qp_init_attr init{};
		init.send_cq = init.recv_cq = cq.get();
		init.cap = {4, 4, 1, 1, 0};
		init.qp_type = IBV_QPT_UD;
		qps.emplace_back(must(ibv_create_qp(pd.get(), &init), "ibv_create_qp"));
		for (ibv_qp_state state : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS}) {
			ibv_qp_attr attr{};
			attr.qp_state = state;
			attr.port_num = kPort;
			attr.qkey = 1;
			int mask = state == IBV_QPS_INIT
					   ? IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY
				   : state == IBV_QPS_RTS ? int{IBV_QP_SQ_PSN}
							  : 0;
			ASSERT_EQ(ibv_modify_qp(qps[i].get(), &attr, IBV_QP_STATE | mask), 0);
		}
	}
	ibv_ah_attr attr{};
	attr.is_global = 1;
	attr.port_num = kPort;
	attr.grh = {gid.gid, 0, gid.index, 64, 0};
	Ah ah(must(ibv_create_ah(pd.get(), &attr), "ibv_create_ah"));
	for (size_t i = 0; i < count; i++) {
		ibv_sge sge{memory.address(), 64, mr->lkey};
		ibv_recv_wr recv{i, nullptr, &sge, 1}, *bad_recv;
		ASSERT_EQ(ibv_post_recv(qps[i].get(), &recv, &bad_recv), 0);
	}
	for (size_t i = 0; i < count; i++) {
		ibv_send_wr send{}, *bad;
		send.wr_id = 1000 + i;
		send.opcode = IBV_WR_SEND;
		send.send_flags = IBV_SEND_SIGNALED;
		send.wr.ud = {ah.get(), qps[(i + 1) % count]->qp_num, 1};
		ASSERT_EQ(ibv_post_send(qps[i].get(), &send, &bad), 0);
	}
	auto completions = poll(cq.get(), 2 * count);
	ASSERT_EQ(completions.size(), 2 * count);
	std::set<uint64_t> seen;
	for (const ibv_wc &wc : completions) {
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_TRUE(seen.insert(wc.wr_id).second);
		EXPECT_EQ(wc.qp_num, qps[wc.wr_id % 1000]->qp_num);
	}
}

} // namespace
} // namespace conformance
