// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Shared receive queues: slots, what is outstanding, resizing, and which SRQ a
// completion is of.
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "fake_kernel.hpp"
#include "shared_recv_queue.hpp"

namespace {

using fake::Cq;
using fake::Kernel;
using fake::Qp;
using fake::QpOptions;
using fake::QueueView;
using fake::recv_wr;

constexpr std::uint32_t kSges = 4;

/** A good ring, and the kernel's view of it. */
srnic_create_srq_resp make_ring(Kernel &kernel, std::uint32_t entries)
{
	srnic_create_srq_resp ring{};

	ring.entries = entries;
	ring.stride = 128;
	ring.mmap_bytes = SRNIC_QUEUE_HEADER_BYTES + std::uint64_t{entries} * ring.stride;
	ring.mmap_offset = kernel.allocate(ring.mmap_bytes);
	return ring;
}

QueueView view_of(const Kernel &kernel, const srnic_create_srq_resp &ring)
{
	auto *header = kernel.at<srnic_queue_header>(ring.mmap_offset);

	return {header, reinterpret_cast<std::byte *>(header + 1), ring.entries, ring.stride};
}

class Srq {
public:
	/** With a CQ it is one of XRC. */
	Srq(Kernel &kernel, srnic_core *core, std::uint32_t entries, Cq *cq = nullptr,
	    std::uint32_t number = 0, ibv_pd *domain = nullptr)
		: object(srnic_srq_new())
	{
		const srnic_srq_config config{make_ring(kernel, entries), entries, kSges, domain};

		view = view_of(kernel, config.ring);
		object->srq_type = cq ? IBV_SRQT_XRC : IBV_SRQT_BASIC;
		object->cq = cq ? cq->cq() : nullptr;
		object->srq_num = number;
		EXPECT_EQ(srnic_srq_attach(core, object, &config), 0);
	}
	~Srq() { free(); }
	Srq(const Srq &) = delete;
	Srq &operator=(const Srq &) = delete;

	void free()
	{
		if (object)
			srnic_srq_free(object);
		object = nullptr;
	}
	ibv_srq *srq() { return &object->srq; }
	int post(ibv_recv_wr &wr, ibv_recv_wr **bad = nullptr)
	{
		ibv_recv_wr *ignored = nullptr;

		return srnic_post_srq_recv(srq(), &wr, bad ? bad : &ignored);
	}
	int post(std::uint64_t wr_id)
	{
		ibv_recv_wr wr = recv_wr(wr_id);

		return post(wr);
	}
	/** As many as fit. */
	std::uint32_t post_all()
	{
		std::uint32_t count = 0;

		while (post(count) == 0)
			++count;
		return count;
	}
	int resize(Kernel &kernel, std::uint32_t entries)
	{
		const srnic_create_srq_resp ring = make_ring(kernel, entries);

		view = view_of(kernel, ring);
		srnic_srq_begin_resize(srq());
		return srnic_srq_end_resize(srq(), &ring);
	}

	srnic_verbs_srq *object;
	QueueView view{};
};

/** A QP that has an SRQ. */
class SharingQp {
public:
	SharingQp(Kernel &kernel, srnic_core *core, Cq &cq, std::uint64_t doorbells, Srq &srq,
		  std::uint32_t qpn)
	{
		QpOptions options;

		options.qpn = qpn;
		options.recv_wr = 0;
		object = Qp::make_object(options, cq.cq(), cq.cq());
		object->qp.srq = srq.srq();

		srnic_qp_config config = Qp::make_config(kernel, doorbells, options);

		config.cap.max_recv_sge = 0;
		EXPECT_EQ(srnic_qp_attach(core, object, &config), 0);
		EXPECT_EQ(config.cap.max_recv_wr, 0U);
		srnic_qp_set_state(&object->qp, IBV_QPS_RTS);
	}
	~SharingQp() { free(); }
	SharingQp(const SharingQp &) = delete;
	SharingQp &operator=(const SharingQp &) = delete;

	void free()
	{
		if (object)
			srnic_qp_free(object);
		object = nullptr;
	}
	srnic_cqe recv_cqe() const
	{
		srnic_cqe cqe{};

		cqe.qp_num = object->qp.qp_num;
		cqe.opcode = SRNIC_WC_OPCODE_RECV;
		return cqe;
	}

	srnic_verbs_qp *object;
};

class SrqTest : public fake::Fixture {
protected:
	Srq srq{kernel, core, 8};

	static srnic_cqe xrc_cqe(std::uint32_t srqn, std::uint32_t qpn = 4711)
	{
		srnic_cqe cqe{};

		cqe.qp_num = qpn;
		cqe.opcode = SRNIC_WC_OPCODE_RECV;
		cqe.flags = SRNIC_WC_XRC_SRQ | SRNIC_WC_WITH_IMM;
		cqe.srqn = srqn;
		return cqe;
	}
};

TEST_F(SrqTest, SlotIsWritten)
{
	std::array<ibv_sge, 2> list{ibv_sge{0x1000, 10, 100}, ibv_sge{0x2000, 11, 101}};
	ibv_recv_wr wr = recv_wr(0x1234567890abcdef);

	wr.sg_list = list.data();
	wr.num_sge = 2;
	ASSERT_EQ(srq.post(wr), 0);

	const srnic_recv_wqe &wqe = srq.view.recv(0);

	EXPECT_EQ(srq.view.producer(), 1U);
	EXPECT_EQ(wqe.wr_id, 0x1234567890abcdefU);
	EXPECT_EQ(wqe.num_sge, 2U);
	EXPECT_EQ(QueueView::sges(wqe)[1].addr, 0x2000U);
}

TEST_F(SrqTest, AnyCompletionFreesOne)
{
	SharingQp one(kernel, core, cq, doorbells, srq, 17);
	SharingQp two(kernel, core, cq, doorbells, srq, 18);
	ibv_wc wc{};

	EXPECT_EQ(srq.post_all(), 8U);
	EXPECT_EQ(srq.post(9), ENOMEM);
	cq.push(two.recv_cqe());
	EXPECT_EQ(srq.post(9), ENOMEM) << "not polled";
	ASSERT_EQ(cq.poll(&wc), 1);
	EXPECT_EQ(wc.qp_num, 18U);
	EXPECT_EQ(srq.post(9), 0);
	EXPECT_EQ(srq.view.recv(8).wr_id, 9U);
	EXPECT_EQ(srq.post(9), ENOMEM);
	cq.push(one.recv_cqe());
	cq.push(one.recv_cqe());
	ASSERT_EQ(cq.poll_all(), 2);
	EXPECT_EQ(srq.post_all(), 2U);
	// A send is none of it.
	srnic_cqe send = one.recv_cqe();

	send.opcode = 0;
	cq.push(send);
	ASSERT_EQ(cq.poll(&wc), 1);
	EXPECT_EQ(srq.post(9), ENOMEM);
}

TEST_F(SrqTest, DroppedCompletionsFreeTheirs)
{
	SharingQp one(kernel, core, cq, doorbells, srq, 17);
	SharingQp two(kernel, core, cq, doorbells, srq, 18);

	srq.post_all();
	for (int i = 0; i < 3; ++i)
		cq.push(one.recv_cqe());
	cq.push(two.recv_cqe());
	srnic_qp_set_state(&one.object->qp, IBV_QPS_RESET);
	EXPECT_EQ(srq.post_all(), 3U);
	cq.push(one.recv_cqe());
	one.free();
	EXPECT_EQ(srq.post_all(), 1U);
	EXPECT_EQ(cq.poll_all(), 1);
	EXPECT_EQ(srq.post_all(), 1U);
}

TEST_F(SrqTest, ListStopsAtTheBadOne)
{
	std::array<ibv_recv_wr, 3> wrs{recv_wr(1), recv_wr(2), recv_wr(3)};
	ibv_recv_wr *bad = nullptr;

	wrs[0].next = &wrs[1];
	wrs[1].next = &wrs[2];
	for (const int count : {5, -1}) {
		wrs[1].num_sge = count;
		EXPECT_EQ(srq.post(wrs[0], &bad), EINVAL);
		EXPECT_EQ(bad, &wrs[1]);
	}
	EXPECT_EQ(srq.view.producer(), 2U);
}

TEST_F(SrqTest, LargerRing)
{
	SharingQp qp(kernel, core, cq, doorbells, srq, 17);

	srq.post_all();
	ASSERT_EQ(srq.resize(kernel, 32), 0);
	EXPECT_EQ(srq.post_all(), 24U) << "8 are in the old one";
	EXPECT_EQ(srq.view.producer(), 24U);
	EXPECT_EQ(srq.view.recv(23).wr_id, 23U);
	for (int i = 0; i < 8; ++i)
		cq.push(qp.recv_cqe());
	cq.poll_all();
	EXPECT_EQ(srq.post_all(), 8U);
	EXPECT_EQ(srq.view.producer(), 32U);
}

TEST_F(SrqTest, SmallerRing)
{
	SharingQp qp(kernel, core, cq, doorbells, srq, 17);

	srq.post_all();
	ASSERT_EQ(srq.resize(kernel, 4), 0);
	// More are outstanding than there are slots: those that were taken but not polled.
	for (int i = 0; i < 4; ++i) {
		EXPECT_EQ(srq.post(1), ENOMEM);
		cq.push(qp.recv_cqe());
		cq.poll_all();
	}
	EXPECT_EQ(srq.post(1), ENOMEM);
	cq.push(qp.recv_cqe());
	cq.poll_all();
	EXPECT_EQ(srq.post_all(), 1U);
}

TEST_F(SrqTest, RefusedResizeChangesNothing)
{
	srq.post(1);
	srnic_srq_begin_resize(srq.srq());
	EXPECT_EQ(srnic_srq_end_resize(srq.srq(), nullptr), 0);
	EXPECT_EQ(srq.post_all(), 7U);
	EXPECT_EQ(srq.view.producer(), 8U);
}

/// Who posts while the ring changes waits for the new one.
TEST_F(SrqTest, PostWaitsForTheResize)
{
	const srnic_create_srq_resp ring = make_ring(kernel, 32);
	std::atomic<int> result = -1;

	srnic_srq_begin_resize(srq.srq());
	std::thread poster([&] { result = srq.post(5); });
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	EXPECT_EQ(result, -1);
	EXPECT_EQ(srq.view.producer(), 0U) << "the old ring is left alone";
	ASSERT_EQ(srnic_srq_end_resize(srq.srq(), &ring), 0);
	poster.join();
	EXPECT_EQ(result, 0);
	EXPECT_EQ(view_of(kernel, ring).producer(), 1U);
}

/// Its users are counted, and no lock is taken in a thread domain.
TEST_F(SrqTest, InAThreadDomain)
{
	srnic_pd *pd = srnic_pd_new();
	ibv_td_init_attr td_attr{};
	ibv_td *td = srnic_alloc_td(nullptr, &td_attr);
	ibv_parent_domain_init_attr attr{};
	attr.pd = &pd->verbs;
	attr.td = td;
	ibv_pd *parent = srnic_alloc_parent_domain(nullptr, &attr);
	ASSERT_NE(parent, nullptr);
	{
		Srq own(kernel, core, 8, nullptr, 0, parent);

		EXPECT_TRUE(srnic_pd_in_use(parent));
		EXPECT_EQ(own.post_all(), 8U);
		EXPECT_EQ(own.resize(kernel, 16), 0);
		EXPECT_EQ(own.post_all(), 8U);
		EXPECT_TRUE(srnic::SharedRecvQueue::of(own.srq()).lock.off);
	}
	EXPECT_FALSE(srnic_pd_in_use(parent));
	EXPECT_FALSE(srnic::SharedRecvQueue::of(srq.srq()).lock.off);
	srnic_pd_free(reinterpret_cast<srnic_pd *>(parent));
	EXPECT_EQ(srnic_dealloc_td(td), 0);
	srnic_pd_free(pd);
}

TEST_F(SrqTest, BadAnswers)
{
	const srnic_create_srq_resp good = make_ring(kernel, 8);
	std::vector<srnic_srq_config> bad(7, {good, 8, kSges, nullptr});

	bad[0].ring.comp_mask = 1;
	bad[1].ring.entries = 0;
	bad[2].ring.entries = 12;
	bad[3].ring.stride = 60;
	bad[4].ring.mmap_bytes = 128;
	bad[5].max_wr = 9;
	bad[6].max_sge = 8;
	for (const srnic_srq_config &config : bad) {
		srnic_verbs_srq *object = srnic_srq_new();

		EXPECT_EQ(srnic_srq_attach(core, object, &config), EPROTO);
		srnic_srq_free(object);
	}
}

TEST_F(SrqTest, NoReceivesOfItsOwn)
{
	SharingQp qp(kernel, core, cq, doorbells, srq, 17);
	ibv_recv_wr wr = recv_wr();
	ibv_recv_wr *bad = nullptr;

	EXPECT_EQ(srnic_post_recv(&qp.object->qp, &wr, &bad), EINVAL);
	EXPECT_EQ(bad, &wr);
}

TEST_F(SrqTest, XrcIsFoundByNumber)
{
	Srq one(kernel, core, 4, &cq, 100);
	Srq two(kernel, core, 4, &cq, 200);
	ibv_wc wc{};

	one.post_all();
	two.post_all();
	cq.push(xrc_cqe(200));
	ASSERT_EQ(cq.poll(&wc), 1);
	EXPECT_EQ(wc.qp_num, 4711U) << "of another process";
	EXPECT_EQ(wc.wc_flags, unsigned{IBV_WC_WITH_IMM}) << "the flag is not the program's";
	EXPECT_EQ(one.post(1), ENOMEM);
	EXPECT_EQ(two.post_all(), 1U);
}

TEST_F(SrqTest, XrcCompletionsAreNotThoseOfAQpWithTheNumber)
{
	Srq xrc(kernel, core, 4, &cq, 100);

	xrc.post_all();
	cq.push(xrc_cqe(100, 17));
	{
		// A target's number may be given to another QP when it is gone.
		const Qp qp = make_qp({.qpn = 17});
	}
	EXPECT_EQ(cq.poll_all(), 1);
	EXPECT_EQ(xrc.post_all(), 1U);
}

TEST_F(SrqTest, XrcCompletionsGoWithTheSrq)
{
	Srq one(kernel, core, 4, &cq, 100);
	Srq two(kernel, core, 4, &cq, 200);

	cq.push(xrc_cqe(100));
	cq.push(xrc_cqe(200));
	cq.push(xrc_cqe(300));
	one.free();
	EXPECT_EQ(cq.poll_all(), 1);
}

class XrcPosting : public fake::Fixture {};

TEST_F(XrcPosting, SrqNumberIsInTheSlot)
{
	Qp qp = make_qp({.type = IBV_QPT_XRC_SEND, .recv_wr = 0, .send_ops = IBV_QP_EX_WITH_SEND});
	ibv_send_wr wr = fake::send_wr();

	wr.qp_type.xrc.remote_srqn = 0xabcdef;
	ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.sq.send(0).srqn, 0xabcdefU);
	wr.qp_type.xrc.remote_srqn = 0x1000000;
	EXPECT_EQ(qp.post(wr), EINVAL);

	ibv_wr_start(qp.ex());
	ibv_wr_send(qp.ex());
	ibv_wr_set_xrc_srqn(qp.ex(), 0x123456);
	ASSERT_EQ(ibv_wr_complete(qp.ex()), 0);
	EXPECT_EQ(qp.sq.send(1).srqn, 0x123456U);
	// Without a number it is no request.
	ibv_wr_start(qp.ex());
	ibv_wr_send(qp.ex());
	EXPECT_EQ(ibv_wr_complete(qp.ex()), EINVAL);
}

TEST_F(XrcPosting, NumberIsForXrcOnly)
{
	Qp qp = make_qp({.send_ops = IBV_QP_EX_WITH_SEND});
	ibv_send_wr wr = fake::send_wr();

	wr.qp_type.xrc.remote_srqn = 7;
	ASSERT_EQ(qp.post(wr), 0);
	EXPECT_EQ(qp.sq.send(0).srqn, 0U);
	ibv_wr_start(qp.ex());
	ibv_wr_send(qp.ex());
	ibv_wr_set_xrc_srqn(qp.ex(), 7);
	EXPECT_EQ(ibv_wr_complete(qp.ex()), EINVAL);
}

TEST_F(XrcPosting, TargetHasNoQueues)
{
	srnic_verbs_qp *target = srnic_qp_new();
	srnic_qp_config config{};
	ibv_recv_wr receive = recv_wr();
	ibv_recv_wr *bad_receive = nullptr;
	ibv_send_wr send = fake::send_wr();
	ibv_send_wr *bad_send = nullptr;

	target->qp.qp_type = IBV_QPT_XRC_RECV;
	ASSERT_EQ(srnic_qp_attach(core, target, &config), 0);
	srnic_qp_set_state(&target->qp, IBV_QPS_RTS);
	EXPECT_EQ(srnic_post_recv(&target->qp, &receive, &bad_receive), EINVAL);
	EXPECT_EQ(srnic_post_send(&target->qp, &send, &bad_send), EINVAL);
	srnic_qp_set_state(&target->qp, IBV_QPS_RESET);
	srnic_qp_free(target);
}

} // namespace
