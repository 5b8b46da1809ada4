// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// XRC domains: one target QP serves many SRQs, and many processes.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "link.h"
#include "states.h"

namespace conformance {
namespace {

/// A domain of this process's own device and what belongs to it, made by hand. Processes
/// that share a domain do so through a file.
struct Member {
	explicit Member(int fd) : context(local_device().open())
	{
		fcntl(context->async_fd, F_SETFL, O_NONBLOCK);
		pd.reset(must(ibv_alloc_pd(context.get()), "ibv_alloc_pd"));
		cq.reset(must(ibv_create_cq(context.get(), 64, nullptr, nullptr, 0), "cq"));
		ibv_xrcd_init_attr init{};
		init.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
		init.fd = fd;
		init.oflags = O_CREAT;
		xrcd.reset(must(ibv_open_xrcd(context.get(), &init), "ibv_open_xrcd"));
	}
	Srq create_srq(ibv_cq *on = nullptr)
	{
		ibv_srq_init_attr_ex init{};
		init.attr = {16, 1, 0};
		init.srq_type = IBV_SRQT_XRC;
		init.pd = pd.get();
		init.xrcd = xrcd.get();
		init.cq = on ? on : cq.get();
		init.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
				 IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
		return Srq(must(ibv_create_srq_ex(context.get(), &init), "ibv_create_srq_ex"));
	}
	Qp create_target()
	{
		ibv_qp_init_attr_ex init{};
		init.qp_type = IBV_QPT_XRC_RECV;
		init.xrcd = xrcd.get();
		init.comp_mask = IBV_QP_INIT_ATTR_XRCD;
		return Qp(must(ibv_create_qp_ex(context.get(), &init), "ibv_create_qp_ex"));
	}
	Qp open_target(uint32_t qpn)
	{
		ibv_qp_open_attr attr{};
		attr.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
				 IBV_QP_OPEN_ATTR_TYPE;
		attr.qp_num = qpn;
		attr.xrcd = xrcd.get();
		attr.qp_type = IBV_QPT_XRC_RECV;
		return Qp(ibv_open_qp(context.get(), &attr));
	}
	int next_event()
	{
		ibv_async_event event{};
		if (!eventually([&] { return !ibv_get_async_event(context.get(), &event); }))
			return -1;
		ibv_ack_async_event(&event);
		return event.event_type;
	}

	Context context;
	Pd pd;
	Cq cq;
	Xrcd xrcd;
};

uint32_t number_of(const Srq &srq)
{
	uint32_t number = 0;
	must_be_zero(ibv_get_srq_num(srq.get(), &number), "ibv_get_srq_num");
	return number;
}

void post(const Srq &srq, uint64_t wr_id, std::vector<ibv_sge> sges = {})
{
	ibv_recv_wr wr{}, *bad = nullptr;
	wr.wr_id = wr_id;
	wr.sg_list = sges.data();
	wr.num_sge = static_cast<int>(sges.size());
	must_be_zero(ibv_post_srq_recv(srq.get(), &wr, &bad), "ibv_post_srq_recv");
}

/// A sender, which may be elsewhere, and a domain with members here.
class XrcDomainTest : public LinkTest {
protected:
	void SetUp() override
	{
		NEED_XRC();
		file_ = tmpfile();
		ASSERT_NE(file_, nullptr);
	}
	void TearDown() override
	{
		sender_.reset();
		target_.reset();
		if (file_)
			fclose(file_);
	}
	int fd() const { return fileno(file_); }

	/// A sender and a target of @member, connected to each other.
	void connect(Member &member)
	{
		QpSpec spec;
		spec.type = IBV_QPT_XRC_SEND;
		sender_ = peer_endpoint(spec);
		target_ = member.create_target();
		Gid gid = *local_device().gid(Family::kIpv4);
		Address peer = sender_->address();
		connect_qp(target_.get(), gid, peer, peer.qpn, {});
		Address here{.gid = gid.gid, .target_qpn = target_->qp_num};
		// Its own target is left without use: it gets this peer, too.
		here.qpn = target_->qp_num;
		sender_->connect(here, {});
	}
	ibv_wc_status send(uint32_t srqn, std::vector<ibv_sge> sges = {})
	{
		SendSpec spec{.wr_id = 1, .sges = std::move(sges)};
		spec.to.srqn = srqn;
		must_be_zero(sender_->post_send(spec), "post_send");
		return one(*sender_, Queue::kSend).status;
	}

	FILE *file_ = nullptr;
	std::unique_ptr<Endpoint> sender_;
	Qp target_;
};

TEST_F(XrcDomainTest, TheSenderChooses)
{
	Member member(fd());
	Cq other(must(ibv_create_cq(member.context.get(), 64, nullptr, nullptr, 0), "cq"));
	connect(member);
	Srq first = member.create_srq(), second = member.create_srq(other.get()),
	    third = member.create_srq(other.get());
	for (uint64_t round = 0; round < 8; round++) {
		post(first, 10 + round);
		post(second, 20 + round);
		post(third, 30 + round);
		EXPECT_EQ(send(number_of(third)), IBV_WC_SUCCESS);
		EXPECT_EQ(send(number_of(first)), IBV_WC_SUCCESS);
		EXPECT_EQ(send(number_of(second)), IBV_WC_SUCCESS);
		auto here = poll(member.cq.get(), 1), there = poll(other.get(), 2);
		ASSERT_EQ(here.size(), 1u);
		EXPECT_EQ(here[0].wr_id, 10 + round);
		ASSERT_EQ(there.size(), 2u);
		EXPECT_EQ(there[0].wr_id, 30 + round);
		EXPECT_EQ(there[1].wr_id, 20 + round);
		EXPECT_EQ(there[0].qp_num, target_->qp_num);
	}
	EXPECT_TRUE(poll(member.cq.get(), 1, moment()).empty());
	target_.reset();
}

TEST_F(XrcDomainTest, PlacesAreFreedThroughTheSrqsNumber)
{
	Member member(fd());
	connect(member);
	Srq srq = member.create_srq();
	for (int round = 0; round < 5; round++) {
		for (uint64_t i = 0; i < 16; i++)
			post(srq, i);
		ibv_recv_wr wr{}, *bad = nullptr;
		EXPECT_EQ(ibv_post_srq_recv(srq.get(), &wr, &bad), ENOMEM);
		for (int i = 0; i < 16; i++)
			EXPECT_EQ(send(number_of(srq)), IBV_WC_SUCCESS);
		EXPECT_EQ(poll(member.cq.get(), 16).size(), 16u);
	}
	target_.reset();
}

TEST_F(XrcDomainTest, TheTargetOutlivesItsCreator)
{
	auto creator = std::make_unique<Member>(fd());
	Member other(fd());
	connect(*creator);
	Srq srq = other.create_srq();
	Qp opened = other.open_target(target_->qp_num);
	ASSERT_TRUE(opened) << strerror(errno);
	EXPECT_EQ(opened->qp_num, target_->qp_num);
	post(srq, 1);
	EXPECT_EQ(send(number_of(srq)), IBV_WC_SUCCESS);
	target_.reset();
	creator.reset();
	post(srq, 2);
	EXPECT_EQ(send(number_of(srq)), IBV_WC_SUCCESS);
	auto list = poll(other.cq.get(), 2);
	ASSERT_EQ(list.size(), 2u);
	EXPECT_EQ(list[1].wr_id, 2u);
	EXPECT_EQ(list[1].qp_num, opened->qp_num);

	// The state is everybody's.
	ibv_qp_attr attr{};
	ibv_qp_init_attr init{};
	ASSERT_EQ(ibv_query_qp(opened.get(), &attr, IBV_QP_STATE, &init), 0);
	EXPECT_EQ(attr.qp_state, IBV_QPS_RTS);
	attr.qp_state = IBV_QPS_ERR;
	ASSERT_EQ(ibv_modify_qp(opened.get(), &attr, IBV_QP_STATE), 0);
	EXPECT_NE(send(number_of(srq)), IBV_WC_SUCCESS);
}

// Events go to all who have opened the QP, but uverbs of Linux 6.1 to 7.2 has no place to
// put those of whoever did so by ibv_open_qp().
TEST_F(XrcDomainTest, EventsOfTheTarget)
{
	Member creator(fd()), other(fd());
	connect(creator);
	Qp opened = other.open_target(target_->qp_num);
	ASSERT_TRUE(opened);
	EXPECT_NE(send(1), IBV_WC_SUCCESS);
	EXPECT_EQ(creator.next_event(), IBV_EVENT_QP_ACCESS_ERR);
	EXPECT_EQ(creator.next_event(), IBV_EVENT_QP_LAST_WQE_REACHED);
	target_.reset();
	opened.reset();
}

TEST_F(XrcDomainTest, OpeningWhatIsNotThere)
{
	Member member(fd());
	connect(member);
	EXPECT_FALSE(member.open_target(target_->qp_num ^ 1));
	EXPECT_EQ(errno, EINVAL);
	FILE *file = tmpfile();
	{
		Member stranger(fileno(file));
		EXPECT_FALSE(stranger.open_target(target_->qp_num)) << "another domain";
		EXPECT_EQ(errno, EINVAL);
	}
	fclose(file);
	target_.reset();
}

TEST_F(XrcDomainTest, SrqGoes)
{
	Member member(fd());
	connect(member);
	Srq srq = member.create_srq(), stays = member.create_srq();
	const uint32_t number = number_of(srq);
	post(srq, 1);
	EXPECT_EQ(send(number), IBV_WC_SUCCESS);
	srq.reset();
	EXPECT_TRUE(poll(member.cq.get(), 1, moment()).empty()) << "its completion went with it";
	EXPECT_NE(send(number), IBV_WC_SUCCESS);
	target_.reset();
}

TEST_F(XrcDomainTest, SrqGoesInTheMiddleOfAMessage)
{
	Member member(fd());
	connect(member);
	Srq srq = member.create_srq();
	Memory memory(8192);
	Mr mr(must(ibv_reg_mr(member.pd.get(), memory.data(), 8192, IBV_ACCESS_LOCAL_WRITE),
		   "ibv_reg_mr"));
	post(srq, 1, {{memory.address(), 8192, mr->lkey}});
	Region region = sender_->reg(4096);
	ibv_sge bad = region.sge();
	bad.lkey ^= 0x100;
	// The first packets arrive; then there is an error at the sender.
	EXPECT_NE(send(number_of(srq), {region.sge(), bad}), IBV_WC_SUCCESS);
	srq.reset();
	mr.reset();
	target_.reset();
	EXPECT_TRUE(poll(member.cq.get(), 1, moment()).empty());
}

TEST_F(XrcDomainTest, WorkRequestInUseIsGivenBack)
{
	Member member(fd());
	Srq srq = member.create_srq();
	Memory memory(8192);
	Mr mr(must(ibv_reg_mr(member.pd.get(), memory.data(), 8192, IBV_ACCESS_LOCAL_WRITE),
		   "ibv_reg_mr"));
	post(srq, 1, {{memory.address(), 8192, mr->lkey}});
	for (int i = 0; i < 2; i++) {
		connect(member);
		Region region = sender_->reg(4096);
		ibv_sge bad = region.sge();
		bad.lkey ^= 0x100;
		EXPECT_NE(send(number_of(srq), {region.sge(), bad}), IBV_WC_SUCCESS);
		target_.reset();
	}
	connect(member);
	EXPECT_EQ(send(number_of(srq)), IBV_WC_SUCCESS);
	auto list = poll(member.cq.get(), 1);
	ASSERT_EQ(list.size(), 1u);
	EXPECT_EQ(list[0].wr_id, 1u);
	EXPECT_EQ(list[0].status, IBV_WC_SUCCESS);
	target_.reset();
}

TEST_F(XrcDomainTest, SrqGoesUnderTraffic)
{
	Member member(fd());
	Memory memory(4096);
	Mr mr(must(ibv_reg_mr(member.pd.get(), memory.data(), 4096, IBV_ACCESS_LOCAL_WRITE),
		   "ibv_reg_mr"));
	const int rounds = scaled(40, 10);
	for (int round = 0; round < rounds; round++) {
		connect(member);
		Srq srq = member.create_srq();
		for (uint64_t i = 0; i < 16; i++)
			post(srq, i, {{memory.address(), 4096, mr->lkey}});
		Region region = sender_->reg(4096);
		SendSpec spec{.wr_id = 1, .sges = {region.sge()}};
		spec.to.srqn = number_of(srq);
		for (int i = 0; i < 16; i++)
			must_be_zero(sender_->post_send(spec), "post_send");
		poll(member.cq.get(), static_cast<size_t>(round % 16), Milliseconds(20));
		srq.reset();
		// Each one is complete, one way or the other.
		EXPECT_EQ(sender_->poll(Queue::kSend, 16).size(), 16u);
		EXPECT_TRUE(poll(member.cq.get(), 1, Milliseconds(0)).empty());
		target_.reset();
	}
}

/// The process that has the SRQ: posts to it, tells its number, waits to be killed.
[[noreturn]] void be_a_receiver(int fd, int pipe)
{
	Member member(fd);
	Srq srq = member.create_srq();
	for (uint64_t i = 0; i < 8; i++)
		post(srq, i);
	uint32_t number = number_of(srq);
	if (write(pipe, &number, sizeof(number)) != sizeof(number))
		_exit(1);
	for (;;)
		pause();
}

TEST_F(XrcDomainTest, SrqOfAnotherProcess)
{
	int ends[2];
	ASSERT_EQ(pipe(ends), 0);
	pid_t child = fork();
	ASSERT_GE(child, 0);
	if (child == 0)
		be_a_receiver(fd(), ends[1]);
	Member member(fd());
	connect(member);
	uint32_t number = 0;
	EXPECT_EQ(read(ends[0], &number, sizeof(number)), ssize_t{sizeof(number)});
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(send(number), IBV_WC_SUCCESS);
	kill(child, SIGKILL);
	waitpid(child, nullptr, 0);
	EXPECT_NE(send(number), IBV_WC_SUCCESS);
	close(ends[0]);
	close(ends[1]);
	target_.reset();
}

class XrcObjectTest : public LocalTest {
protected:
	void SetUp() override
	{
		LocalTest::SetUp();
		NEED_XRC();
	}
};

TEST_F(XrcObjectTest, OrderOfDestruction)
{
	Member member(-1);
	Srq srq = member.create_srq();
	EXPECT_EQ(ibv_destroy_cq(member.cq.get()), EBUSY);
	EXPECT_EQ(ibv_close_xrcd(member.xrcd.get()), EBUSY);
	EXPECT_EQ(ibv_dealloc_pd(member.pd.get()), EBUSY);
	srq.reset();
	Qp target = member.create_target();
	EXPECT_EQ(ibv_close_xrcd(member.xrcd.get()), EBUSY);
}

TEST_F(XrcObjectTest, TargetHasNoQueues)
{
	Member member(-1);
	Qp target = member.create_target();
	ibv_qp_attr attr = valid_attributes(local_device(), target->qp_num);
	bring(target.get(), IBV_QPS_INIT, attr);
	ibv_recv_wr receive{}, *bad_receive = nullptr;
	EXPECT_EQ(ibv_post_recv(target.get(), &receive, &bad_receive), EINVAL);
	ibv_send_wr send{}, *bad_send = nullptr;
	EXPECT_EQ(ibv_post_send(target.get(), &send, &bad_send), EINVAL);
	ibv_qp_init_attr init{};
	ASSERT_EQ(ibv_query_qp(target.get(), &attr, IBV_QP_STATE | IBV_QP_CAP, &init), 0);
	EXPECT_EQ(attr.cap.max_send_wr, 0u);
	EXPECT_EQ(attr.cap.max_recv_wr, 0u);
}

TEST_F(XrcObjectTest, InitiatorReceivesNothing)
{
	Member member(-1);
	ibv_qp_init_attr init{};
	init.send_cq = member.cq.get();
	init.qp_type = IBV_QPT_XRC_SEND;
	init.cap = {4, 0, 1, 0, 0};
	Qp qp(ibv_create_qp(member.pd.get(), &init));
	ASSERT_TRUE(qp) << strerror(errno);
	ibv_recv_wr receive{}, *bad = nullptr;
	EXPECT_EQ(ibv_post_recv(qp.get(), &receive, &bad), EINVAL);
}

TEST_F(XrcObjectTest, AnSrqOfXrcIsNotForOtherQueuePairs)
{
	Member member(-1);
	Srq srq = member.create_srq();
	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = member.cq.get();
	init.srq = srq.get();
	init.qp_type = IBV_QPT_RC;
	init.cap = {4, 0, 1, 0, 0};
	EXPECT_FALSE(Qp(ibv_create_qp(member.pd.get(), &init)));
	EXPECT_EQ(errno, EINVAL);
}

TEST_F(XrcObjectTest, ManyDomainsAndNumbers)
{
	uint32_t last = 0;
	for (int i = 0; i < 20; i++) {
		Member member(-1);
		Srq srq = member.create_srq();
		uint32_t number = number_of(srq);
		EXPECT_EQ(number >> 24, 0u);
		EXPECT_NE(number, last) << "a stale packet would find it";
		last = number;
	}
}

} // namespace
} // namespace conformance
