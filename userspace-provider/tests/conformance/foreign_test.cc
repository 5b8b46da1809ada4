// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Verbs with an object of another context: EINVAL, IBA's "invalid handle", and nothing happens to
// either. Numbers that name objects count in each context, so a stranger's may be the number of
// one's own object: each case is tried with such a stranger and with one whose numbers are not
// known here.
#include <functional>

#include "link.h"
#include "objects.h"
#include "resources.h"

namespace conformance {
namespace {

struct Case {
	const char *verb;
	const char *argument;
	std::function<int(Objects &own, Objects &other)> attempt;
	bool (*offered)(const Objects &) = nullptr;
};

bool has_srq(const Objects &o)
{
	return o.srq != nullptr;
}
bool has_xrc(const Objects &o)
{
	return o.xrcd != nullptr;
}
bool has_domains(const Objects &o)
{
	return o.parent != nullptr;
}

int create_qp(Objects &own, const std::function<void(ibv_qp_init_attr &)> &change)
{
	ibv_qp_init_attr init = own.qp_attr(IBV_QPT_RC);
	change(init);
	return made<Qp>(ibv_create_qp(own.pd.get(), &init));
}

int create_qp_ex(Objects &own, ibv_qp_type type,
		 const std::function<void(ibv_qp_init_attr_ex &)> &change)
{
	ibv_qp_init_attr_ex init = own.qp_attr_ex(type);
	change(init);
	return made<Qp>(ibv_create_qp_ex(own.context.get(), &init));
}

int create_srq_ex(Objects &own, const std::function<void(ibv_srq_init_attr_ex &)> &change)
{
	ibv_srq_init_attr_ex init = own.xrc_srq_attr();
	change(init);
	return made<Srq>(ibv_create_srq_ex(own.context.get(), &init));
}

int create_cq_ex(Objects &own, ibv_comp_channel *channel, ibv_pd *parent)
{
	ibv_cq_init_attr_ex init{};
	init.cqe = 16;
	init.channel = channel;
	init.comp_mask = parent ? uint32_t{IBV_CQ_INIT_ATTR_MASK_PD} : 0;
	init.parent_domain = parent;
	ibv_cq_ex *cq = ibv_create_cq_ex(own.context.get(), &init);
	int error = errno;
	return cq ? made<Cq>(ibv_cq_ex_to_cq(cq)) : error;
}

int parent_domain(Objects &own, ibv_pd *pd, ibv_td *td)
{
	ibv_parent_domain_init_attr init{};
	init.pd = pd;
	init.td = td;
	return made<Pd>(ibv_alloc_parent_domain(own.context.get(), &init));
}

int rereg_mr(Objects &own, ibv_pd *pd)
{
	errno = 0;
	int result = ibv_rereg_mr(own.mr.get(), IBV_REREG_MR_CHANGE_PD, pd, nullptr, 0, 0);
	return result ? errno : 0;
}

int open_qp(Objects &own, Objects &other)
{
	ibv_qp_open_attr attr{};
	attr.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE;
	attr.qp_num = own.target->qp_num;
	attr.xrcd = other.xrcd.get();
	attr.qp_type = IBV_QPT_XRC_RECV;
	return made<Qp>(ibv_open_qp(own.context.get(), &attr));
}

std::vector<Case> cases()
{
	return {
		{"create_qp", "send_cq",
		 [](Objects &own, Objects &other) {
			 return create_qp(own, [&](auto &init) { init.send_cq = other.cq.get(); });
		 }},
		{"create_qp", "recv_cq",
		 [](Objects &own, Objects &other) {
			 return create_qp(own, [&](auto &init) { init.recv_cq = other.cq.get(); });
		 }},
		{"create_qp", "srq",
		 [](Objects &own, Objects &other) {
			 return create_qp(own, [&](auto &init) { init.srq = other.srq.get(); });
		 },
		 has_srq},
		{"create_qp_ex", "pd",
		 [](Objects &own, Objects &other) {
			 return create_qp_ex(own, IBV_QPT_UD,
					     [&](auto &init) { init.pd = other.pd.get(); });
		 }},
		{"create_qp_ex", "parent_domain",
		 [](Objects &own, Objects &other) {
			 return create_qp_ex(own, IBV_QPT_UD,
					     [&](auto &init) { init.pd = other.parent.get(); });
		 },
		 has_domains},
		{"create_qp_ex", "xrcd",
		 [](Objects &own, Objects &other) {
			 return create_qp_ex(own, IBV_QPT_XRC_RECV,
					     [&](auto &init) { init.xrcd = other.xrcd.get(); });
		 },
		 has_xrc},
		{"open_qp", "xrcd", open_qp, has_xrc},
		{"create_srq_ex", "pd",
		 [](Objects &own, Objects &other) {
			 return create_srq_ex(own, [&](auto &init) { init.pd = other.pd.get(); });
		 },
		 has_xrc},
		{"create_srq_ex", "cq",
		 [](Objects &own, Objects &other) {
			 return create_srq_ex(own, [&](auto &init) { init.cq = other.cq.get(); });
		 },
		 has_xrc},
		{"create_srq_ex", "xrcd",
		 [](Objects &own, Objects &other) {
			 return create_srq_ex(own,
					      [&](auto &init) { init.xrcd = other.xrcd.get(); });
		 },
		 has_xrc},
		{"create_cq_ex", "channel",
		 [](Objects &own, Objects &other) {
			 return create_cq_ex(own, other.channel.get(), nullptr);
		 }},
		{"create_cq_ex", "parent_domain",
		 [](Objects &own, Objects &other) {
			 return create_cq_ex(own, nullptr, other.parent.get());
		 },
		 has_domains},
		{"alloc_parent_domain", "pd",
		 [](Objects &own, Objects &other) {
			 return parent_domain(own, other.pd.get(), nullptr);
		 },
		 has_domains},
		{"alloc_parent_domain", "td",
		 [](Objects &own, Objects &other) {
			 return parent_domain(own, own.pd.get(), other.td.get());
		 },
		 has_domains},
		{"rereg_mr", "pd",
		 [](Objects &own, Objects &other) { return rereg_mr(own, other.pd.get()); }},
	};
}

class ForeignTest : public LocalTest, public testing::WithParamInterface<Case> {
protected:
	static void SetUpTestSuite()
	{
		own_ = std::make_unique<Objects>();
		alike_ = std::make_unique<Objects>();
		unlike_ = std::make_unique<Objects>(64);
	}
	static void TearDownTestSuite()
	{
		own_.reset();
		alike_.reset();
		unlike_.reset();
	}

	static inline std::unique_ptr<Objects> own_, alike_, unlike_;
};

TEST_P(ForeignTest, IsRefused)
{
	const Case &c = GetParam();
	if (c.offered && !c.offered(*own_))
		GTEST_SKIP() << "the device does not have it";
	auto before = resources(local_device().name());
	for (Objects *other : {alike_.get(), unlike_.get()}) {
		errno = 0;
		int got = c.attempt(*own_, *other);
		if (got == EOPNOTSUPP)
			GTEST_SKIP() << "the device does not have it";
		// A channel is a file of another context: uverbs finds none.
		EXPECT_TRUE(got == EINVAL || (got == EBADF && c.argument == std::string("channel")))
			<< "ibv_" << c.verb << " with a stranger's " << c.argument << ", number "
			<< (other == unlike_.get() ? "un" : "") << "known here: " << got << " ("
			<< strerror(got) << ")";
	}
	auto after = resources(local_device().name());
	EXPECT_EQ(before, after) << resources_text(before) << "became " << resources_text(after);
	for (Objects *each : {own_.get(), alike_.get(), unlike_.get()})
		each->expect_untouched();
	if (HasFailure())
		SetUpTestSuite();
}

std::string case_name(const testing::TestParamInfo<Case> &info)
{
	return std::string(info.param.verb) + "_" + info.param.argument;
}

INSTANTIATE_TEST_SUITE_P(Verb, ForeignTest, testing::ValuesIn(cases()), case_name);

/// What is posted names memory and address handles; a stranger's are refused at the latest when
/// the work request is executed.
class ForeignPostTest : public LocalTest {
protected:
	void SetUp() override
	{
		LocalTest::SetUp();
		if (IsSkipped())
			return;
		stranger_ = std::make_unique<Objects>();
	}
	/// Brings @end to RTS with itself as its peer, if connected.
	void open(ibv_qp_type type)
	{
		QpSpec spec;
		spec.type = type;
		end_ = std::make_unique<LocalEndpoint>(local_device(), spec);
		peer_ = std::make_unique<LocalEndpoint>(local_device(), spec);
		peer_->connect(end_->address(), {});
		end_->connect(peer_->address(), {});
	}
	/// The post fails with EINVAL, or the work request does, with @status.
	void expect_refused(ibv_send_wr wr, ibv_wc_status status)
	{
		ibv_send_wr *bad = nullptr;
		wr.wr_id = 5;
		wr.send_flags = IBV_SEND_SIGNALED;
		int error = ibv_post_send(end_->qp.get(), &wr, &bad);
		if (error) {
			EXPECT_EQ(error, EINVAL);
			EXPECT_EQ(bad, &wr);
			return;
		}
		auto completions = end_->poll(Queue::kSend, 1);
		ASSERT_EQ(completions.size(), 1u);
		EXPECT_EQ(completions[0].wr_id, 5u);
		EXPECT_EQ(completions[0].status, status);
	}

	std::unique_ptr<Objects> stranger_;
	std::unique_ptr<LocalEndpoint> end_, peer_;
};

TEST_F(ForeignPostTest, AddressHandle)
{
	open(IBV_QPT_UD);
	ASSERT_EQ(peer_->post_recv(1, {peer_->reg(4096).sge()}), 0);
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_SEND;
	wr.wr.ud = {stranger_->ah.get(), peer_->address().qpn, 0x11111111};
	// IBA 10.2.2.2: an address handle is of its protection domain.
	expect_refused(wr, IBV_WC_LOC_QP_OP_ERR);
	EXPECT_TRUE(peer_->poll(Queue::kReceive, 1, moment()).empty());
}

TEST_F(ForeignPostTest, MemoryRegion)
{
	open(IBV_QPT_RC);
	ASSERT_EQ(peer_->post_recv(1, {peer_->reg(4096).sge()}), 0);
	ibv_sge sge{stranger_->memory.address(), 64, stranger_->mr->lkey};
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_SEND;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	expect_refused(wr, IBV_WC_LOC_PROT_ERR);
}

TEST_F(ForeignPostTest, MemoryWindow)
{
	if (!stranger_->window2)
		GTEST_SKIP() << "no windows";
	open(IBV_QPT_RC);
	Region region = end_->reg(4096, kAllAccess | IBV_ACCESS_MW_BIND);
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_BIND_MW;
	wr.bind_mw.mw = stranger_->window2.get();
	wr.bind_mw.rkey = ibv_inc_rkey(stranger_->window2->rkey);
	wr.bind_mw.bind_info = {end_->mr(region), region.address, 64, IBV_ACCESS_REMOTE_READ};
	expect_refused(wr, IBV_WC_MW_BIND_ERR);
}

TEST_F(ForeignPostTest, MemoryRegionUnderAWindow)
{
	if (!stranger_->window1)
		GTEST_SKIP() << "no windows";
	open(IBV_QPT_RC);
	Window window = end_->alloc_window(IBV_MW_TYPE_1);
	ibv_mw_bind bind{
		5,
		IBV_SEND_SIGNALED,
		{stranger_->mr.get(), stranger_->memory.address(), 64, IBV_ACCESS_REMOTE_READ}};
	int error = ibv_bind_mw(end_->qp.get(), end_->mw(window), &bind);
	if (error) {
		EXPECT_TRUE(error == EINVAL || error == EPERM) << error;
		return;
	}
	auto completions = end_->poll(Queue::kSend, 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].status, IBV_WC_MW_BIND_ERR);
}

} // namespace
} // namespace conformance
