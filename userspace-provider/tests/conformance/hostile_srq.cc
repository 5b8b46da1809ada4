// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Garbage in the rings of SRQs, and commands about them that a provider would not give.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "hostile.h"
#include "uverbs_file.h"

namespace conformance {
namespace {

class HostileSrqTest : public HostileTest {
protected:
	struct Stream {
		std::unique_ptr<LocalEndpoint> victim;
		Qp qp;
	};

	/// An SRQ whose ring is at hand, and two QPs that share it, each with a peer.
	void make(uint32_t max_wr = 16, uint32_t max_sge = 4)
	{
		streams_.clear();
		srq_.reset();
		cq_.reset();
		pd_.reset();
		context_ = local_device().open();
		fcntl(context_->async_fd, F_SETFL, O_NONBLOCK);
		pd_.reset(must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd"));
		cq_.reset(must(ibv_create_cq(context_.get(), 256, nullptr, nullptr, 0), "cq"));
		ibv_srq_init_attr init{};
		init.attr = {max_wr, max_sge, 0};
		srq_.reset(must(ibv_create_srq(pd_.get(), &init), "ibv_create_srq"));
		ring_ = uverbs_mappings().back();
		entries_ = init.attr.max_wr;
		stride_ = (sizeof(srnic_recv_wqe) + max_sge * sizeof(srnic_sge) + 63) / 64 * 64;
		ASSERT_EQ(ring_.fd, context_->cmd_fd);
		ASSERT_GE(ring_.length, SRNIC_QUEUE_HEADER_BYTES + entries_ * stride_);
		for (int i = 0; i < 2; i++)
			add_stream();
	}
	void TearDown() override
	{
		streams_.clear();
		srq_.reset();
		cq_.reset();
		pd_.reset();
		context_.reset();
		HostileTest::TearDown();
	}
	void add_stream()
	{
		PathSpec path;
		path.retry_cnt = 1;
		path.rnr_retry = 1;
		path.min_rnr_timer = 1;
		ibv_qp_init_attr init{};
		init.send_cq = init.recv_cq = cq_.get();
		init.srq = srq_.get();
		init.cap.max_send_wr = 1;
		init.qp_type = IBV_QPT_RC;
		Stream stream{std::make_unique<LocalEndpoint>(peer_device(), QpSpec{}),
			      Qp(must(ibv_create_qp(pd_.get(), &init), "ibv_create_qp"))};
		Gid gid = *local_device().gid(Family::kIpv4);
		Address peer = stream.victim->address();
		connect_qp(stream.qp.get(), gid, peer, peer.qpn, path);
		stream.victim->connect({.qpn = stream.qp->qp_num, .gid = gid.gid}, path);
		streams_.push_back(std::move(stream));
	}
	srnic_queue_header &header() const
	{
		return *reinterpret_cast<srnic_queue_header *>(ring_.start);
	}
	srnic_recv_wqe &slot(uint32_t index) const
	{
		return *reinterpret_cast<srnic_recv_wqe *>(
			ring_.start + SRNIC_QUEUE_HEADER_BYTES + index % entries_ * stride_);
	}
	/// One more work request, as the provider would post it, then spoilt.
	void post(const std::function<void(srnic_recv_wqe &)> &spoil = {})
	{
		srnic_recv_wqe &wqe = slot(header().producer);
		memset(static_cast<void *>(&wqe), 0, stride_);
		if (spoil)
			spoil(wqe);
		std::atomic_ref(header().producer).store(header().producer + 1);
	}
	/// A message to a stream; its status at the sender.
	ibv_wc_status send(size_t stream, std::vector<ibv_sge> sges = {})
	{
		LocalEndpoint &victim = *streams_[stream].victim;
		must_be_zero(victim.post_send({.wr_id = 1, .sges = std::move(sges)}), "post_send");
		auto list = victim.poll(Queue::kSend, 1);
		EXPECT_EQ(list.size(), 1u) << "the peer must not hang";
		return list.empty() ? IBV_WC_GENERAL_ERR : list[0].status;
	}
	ibv_qp_state state(size_t stream)
	{
		ibv_qp_attr attr{};
		ibv_qp_init_attr init{};
		must_be_zero(ibv_query_qp(streams_[stream].qp.get(), &attr, IBV_QP_STATE, &init),
			     "ibv_query_qp");
		return attr.qp_state;
	}
	/// Events until none comes for a moment.
	std::vector<int> events()
	{
		std::vector<int> types;
		ibv_async_event event{};
		while (eventually([&] { return !ibv_get_async_event(context_.get(), &event); },
				  moment())) {
			types.push_back(event.event_type);
			ibv_ack_async_event(&event);
		}
		return types;
	}
	/// MODIFY_SRQ by hand; 0 or errno.
	int modify(uint32_t mask, uint32_t max_wr, uint32_t limit, const std::vector<uint8_t> &driver)
	{
		ib_uverbs_modify_srq command{};
		command.srq_handle = srq_->handle;
		command.attr_mask = mask;
		command.max_wr = max_wr;
		command.srq_limit = limit;
		return Command(IB_USER_VERBS_CMD_MODIFY_SRQ)
			.put(command)
			.put(driver)
			.send(context_->cmd_fd, 0);
	}
	uint32_t max_wr()
	{
		ibv_srq_attr attr{};
		must_be_zero(ibv_query_srq(srq_.get(), &attr), "ibv_query_srq");
		return attr.max_wr;
	}

	Context context_;
	Pd pd_;
	Cq cq_;
	Srq srq_;
	UverbsMapping ring_{};
	uint32_t entries_ = 0;
	size_t stride_ = 0;
	std::vector<Stream> streams_;
};

TEST_F(HostileSrqTest, ProducerIndex)
{
	for (uint32_t jump : {17u, 0x7fffffffu, 0x80000000u, 0xfffffff0u}) {
		SCOPED_TRACE(jump);
		make();
		post();
		EXPECT_EQ(send(0), IBV_WC_SUCCESS);
		header().producer += jump;
		// Each QP that wants a work request goes to ERR; the event comes once.
		EXPECT_NE(send(0), IBV_WC_SUCCESS);
		EXPECT_NE(send(1), IBV_WC_SUCCESS);
		EXPECT_TRUE(eventually([&] { return state(0) == IBV_QPS_ERR; }));
		EXPECT_TRUE(eventually([&] { return state(1) == IBV_QPS_ERR; }));
		auto list = events();
		EXPECT_EQ(std::ranges::count(list, IBV_EVENT_SRQ_ERR), 1);
		EXPECT_EQ(std::ranges::count(list, IBV_EVENT_QP_LAST_WQE_REACHED), 2);
		ibv_srq_attr attr{};
		attr.max_wr = 64;
		EXPECT_EQ(ibv_modify_srq(srq_.get(), &attr, IBV_SRQ_MAX_WR), EINVAL);
	}
}

TEST_F(HostileSrqTest, Slots)
{
	auto elements = [](srnic_recv_wqe &wqe) { return reinterpret_cast<srnic_sge *>(&wqe + 1); };
	const std::vector<std::function<void(srnic_recv_wqe &)>> spoils = {
		[](auto &wqe) { wqe.num_sge = 5; },
		[](auto &wqe) { wqe.num_sge = 33; },
		[](auto &wqe) { wqe.num_sge = 0xffffffff; },
		[](auto &wqe) { wqe.reserved = 1; },
		[&](auto &wqe) {
			wqe.num_sge = 1;
			elements(wqe)[0] = {UINT64_MAX, 0xffffffff, 0};
		},
		[&](auto &wqe) {
			wqe.num_sge = 2;
			elements(wqe)[0] = {0x1000, 0xffffffff, 0xffffffff};
			elements(wqe)[1] = {0x1000, 0xffffffff, 0xffffffff};
		},
	};
	for (size_t i = 0; i < spoils.size(); i++) {
		SCOPED_TRACE(i);
		make();
		Region data = streams_[0].victim->reg(100);
		post(spoils[i]);
		post();
		EXPECT_NE(send(0, {data.sge()}), IBV_WC_SUCCESS);
		EXPECT_TRUE(eventually([&] { return state(0) == IBV_QPS_ERR; }));
		// A bad work request is one QP's bad luck.
		EXPECT_EQ(send(1), IBV_WC_SUCCESS);
		auto list = events();
		EXPECT_EQ(std::ranges::count(list, IBV_EVENT_SRQ_ERR), 0);
	}
}

TEST_F(HostileSrqTest, SlotsThatChangeWhileTheyAreTaken)
{
	make(16, 32);
	std::atomic<bool> stop = false;
	std::thread writer([&] {
		for (uint32_t n = 0; !stop; n++) {
			for (uint32_t i = 0; i < entries_; i++) {
				srnic_recv_wqe &wqe = slot(i);
				std::atomic_ref(wqe.num_sge).store(n % 3 ? n % 33 : ~n);
				auto *sge = reinterpret_cast<srnic_sge *>(&wqe + 1);
				std::atomic_ref(sge->length).store(n * 77);
				std::atomic_ref(sge->lkey).store(n);
			}
			if (n % 16 == 0)
				std::this_thread::yield();
		}
	});
	const int rounds = scaled(60, 10);
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < 8; i++)
			std::atomic_ref(header().producer).fetch_add(1);
		for (size_t s = 0; s < 2; s++) {
			for (int i = 0; i < 4; i++)
				streams_[s].victim->post_send({});
			poll_whatever(*streams_[s].victim, Queue::kSend, Milliseconds(20));
		}
		streams_.clear();
		add_stream();
		add_stream();
	}
	stop = true;
	writer.join();
}

TEST_F(HostileSrqTest, ResizeByHand)
{
	make();
	srnic_create_srq_resp response{};
	srnic_modify_srq_cmd command{};
	const auto with = [&](uint64_t address) {
		command.response = address;
		return bytes_of(command);
	};
	for (uint64_t address : {uint64_t{0}, uint64_t{8}, 0xffff888000000000u, ~uint64_t{0}}) {
		EXPECT_EQ(modify(IBV_SRQ_MAX_WR, 64, 0, with(address)), EFAULT) << address;
		EXPECT_EQ(max_wr(), entries_);
	}
	command.reserved = 1;
	EXPECT_EQ(modify(IBV_SRQ_MAX_WR, 64, 0, with(0)), EINVAL);
	command.reserved = 0;
	command.comp_mask = 1;
	EXPECT_NE(modify(IBV_SRQ_MAX_WR, 64, 0, with(0)), 0);
	command.comp_mask = 0;
	EXPECT_EQ(modify(IBV_SRQ_MAX_WR, 64, 0, {}), EINVAL) << "no driver's part";
	for (uint32_t size : {0u, 0xffffffffu, 0x80000001u})
		EXPECT_EQ(modify(IBV_SRQ_MAX_WR, size, 0,
				 with(reinterpret_cast<uintptr_t>(&response))),
			  EINVAL)
			<< size;
	EXPECT_EQ(max_wr(), entries_);

	// What is written to the old ring from now on is nobody's business.
	post();
	post();
	EXPECT_EQ(modify(IBV_SRQ_MAX_WR, 64, 0, with(reinterpret_cast<uintptr_t>(&response))),
		  0);
	EXPECT_EQ(response.entries, 64u);
	header().producer += 0x12345678;
	EXPECT_EQ(send(0), IBV_WC_SUCCESS);
	EXPECT_EQ(send(1), IBV_WC_SUCCESS);
	EXPECT_EQ(send(1), IBV_WC_RNR_RETRY_EXC_ERR);
	EXPECT_EQ(state(1), IBV_QPS_RTS);
}

TEST_F(HostileSrqTest, ManyRings)
{
	make();
	// One work request waits in each, so that none of them can go.
	for (int i = 0; i < 15; i++) {
		srnic_create_srq_resp response{};
		srnic_modify_srq_cmd command{};
		command.response = reinterpret_cast<uintptr_t>(&response);
		ASSERT_EQ(modify(IBV_SRQ_MAX_WR, 16, 0, bytes_of(command)), 0);
		void *start = mmap(nullptr, response.mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				   context_->cmd_fd, static_cast<off_t>(response.mmap_offset));
		ASSERT_NE(start, MAP_FAILED);
		std::atomic_ref(*static_cast<uint32_t *>(start)).store(1);
		munmap(start, response.mmap_bytes);
	}
	for (int i = 0; i < 15; i++)
		EXPECT_EQ(send(0), IBV_WC_SUCCESS) << i;
	EXPECT_EQ(send(1), IBV_WC_RNR_RETRY_EXC_ERR);
}

TEST_F(HostileSrqTest, KickOfATargetQueuePair)
{
	make();
	ibv_xrcd_init_attr domain{};
	domain.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	domain.fd = -1;
	domain.oflags = O_CREAT;
	Xrcd xrcd(must(ibv_open_xrcd(context_.get(), &domain), "ibv_open_xrcd"));
	ibv_qp_init_attr_ex init{};
	init.qp_type = IBV_QPT_XRC_RECV;
	init.xrcd = xrcd.get();
	init.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	Qp target(must(ibv_create_qp_ex(context_.get(), &init), "ibv_create_qp_ex"));
	uint32_t response[4]{};
	struct {
		uint64_t response;
		uint32_t qp_handle, wr_count, sge_count, wqe_size;
	} kick{reinterpret_cast<uintptr_t>(response), target->handle, 0, 0,
	       sizeof(ib_uverbs_send_wr)};
	EXPECT_EQ(Command(IB_USER_VERBS_CMD_POST_SEND).put(kick).send(context_->cmd_fd, 4), EINVAL);
}

} // namespace
} // namespace conformance
