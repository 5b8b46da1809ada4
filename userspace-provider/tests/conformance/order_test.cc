// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Objects destroyed in the wrong order, and while they are in use: EBUSY where another object
// holds them, and then they are as they were; otherwise they go, and whoever used them is told.
#include <functional>

#include "link.h"
#include "objects.h"
#include "resources.h"

namespace conformance {
namespace {

/// Whatever is destroyed when it goes.
using Holder = std::shared_ptr<void>;

struct Case {
	const char *what;
	const char *holder;
	/// Makes the object that holds @what of @o; null if the device does not have it.
	std::function<Holder(Objects &o)> make;
	/// 0 or the errno.
	std::function<int(Objects &o)> destroy;
};

template <typename Owner, typename T> Holder hold(T *object, const char *verb)
{
	must(object, verb);
	return std::make_shared<Owner>(object);
}

/// As @hold(), for what a device need not have.
template <typename Owner, typename T> Holder hold_if(T *object)
{
	return object ? std::make_shared<Owner>(object) : nullptr;
}

/// The object of @o that an Owner owns is gone: destroyed by hand if that worked.
template <typename Owner> int destroy(Owner &owner, auto verb)
{
	int error = verb(owner.get());
	if (!error)
		owner.release();
	return error;
}

int dealloc_pd(Objects &o)
{
	return destroy(o.pd, ibv_dealloc_pd);
}
int destroy_cq(Objects &o)
{
	return destroy(o.cq, ibv_destroy_cq);
}
int destroy_srq(Objects &o)
{
	return destroy(o.srq, ibv_destroy_srq);
}
int close_xrcd(Objects &o)
{
	return destroy(o.xrcd, conformance::close_xrcd);
}
int destroy_channel(Objects &o)
{
	return destroy(o.channel, ibv_destroy_comp_channel);
}
int destroy_td(Objects &o)
{
	return destroy(o.td, dealloc_td);
}
int dealloc_parent(Objects &o)
{
	return destroy(o.parent, ibv_dealloc_pd);
}

Holder make_qp(Objects &o, ibv_qp_type type, ibv_cq *send, ibv_cq *receive, ibv_srq *srq = nullptr,
	       ibv_pd *pd = nullptr)
{
	ibv_qp_init_attr init = o.qp_attr(type);
	init.send_cq = send;
	init.recv_cq = receive;
	init.srq = srq;
	return hold<Qp>(ibv_create_qp(pd ? pd : o.pd.get(), &init), "ibv_create_qp");
}

Holder make_srq(Objects &o)
{
	ibv_srq_init_attr init{nullptr, {16, 1, 0}};
	return o.srq ? hold<Srq>(ibv_create_srq(o.pd.get(), &init), "ibv_create_srq") : nullptr;
}

Holder make_xrc_srq(Objects &o)
{
	ibv_srq_init_attr_ex init = o.xrc_srq_attr();
	return o.xrcd ? hold<Srq>(ibv_create_srq_ex(o.context.get(), &init), "ibv_create_srq_ex")
		      : nullptr;
}

Holder make_mw(Objects &o, ibv_mw_type type)
{
	return o.window1 ? hold<Mw>(ibv_alloc_mw(o.pd.get(), type), "ibv_alloc_mw") : nullptr;
}

Holder make_parent(Objects &o)
{
	ibv_parent_domain_init_attr init{};
	init.pd = o.pd.get();
	init.td = o.td.get();
	return o.td ? hold<Pd>(ibv_alloc_parent_domain(o.context.get(), &init), "parent domain")
		    : nullptr;
}

Holder make_cq(Objects &o, ibv_comp_channel *channel, ibv_pd *parent)
{
	if (!parent)
		return hold<Cq>(ibv_create_cq(o.context.get(), 16, nullptr, channel, 0),
				"ibv_create_cq");
	ibv_cq_init_attr_ex init{};
	init.cqe = 16;
	init.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	init.parent_domain = parent;
	return hold<Cq>(
		ibv_cq_ex_to_cq(must(ibv_create_cq_ex(o.context.get(), &init), "ibv_create_cq_ex")),
		"ibv_create_cq_ex");
}

std::vector<Case> cases()
{
	return {
		{"Pd", "Mr",
		 [](Objects &o) {
			 return hold<Mr>(ibv_reg_mr(o.pd.get(), o.memory.data(), 64, 0),
					 "ibv_reg_mr");
		 },
		 dealloc_pd},
		{"Pd", "EmptyMr",
		 [](Objects &o) {
			 return hold<Mr>(ibv_reg_mr(o.pd.get(), o.memory.data(), 0, 0),
					 "ibv_reg_mr");
		 },
		 dealloc_pd},
		{"Pd", "Window1", [](Objects &o) { return make_mw(o, IBV_MW_TYPE_1); }, dealloc_pd},
		{"Pd", "Window2", [](Objects &o) { return make_mw(o, IBV_MW_TYPE_2); }, dealloc_pd},
		{"Pd", "Ah",
		 [](Objects &o) {
			 ibv_ah_attr attr = o.ah_attr();
			 return hold<Ah>(ibv_create_ah(o.pd.get(), &attr), "ibv_create_ah");
		 },
		 dealloc_pd},
		{"Pd", "Rc",
		 [](Objects &o) { return make_qp(o, IBV_QPT_RC, o.cq.get(), o.cq.get()); },
		 dealloc_pd},
		{"Pd", "Uc",
		 [](Objects &o) { return make_qp(o, IBV_QPT_UC, o.cq.get(), o.cq.get()); },
		 dealloc_pd},
		{"Pd", "Ud",
		 [](Objects &o) { return make_qp(o, IBV_QPT_UD, o.cq.get(), o.cq.get()); },
		 dealloc_pd},
		{"Pd", "Initiator",
		 [](Objects &o) {
			 return o.xrcd ? make_qp(o, IBV_QPT_XRC_SEND, o.cq.get(), nullptr)
				       : nullptr;
		 },
		 dealloc_pd},
		{"Pd", "Srq", make_srq, dealloc_pd},
		{"Pd", "XrcSrq", make_xrc_srq, dealloc_pd},
		{"Pd", "ParentDomain", make_parent, dealloc_pd},
		{"ParentDomain", "Qp",
		 [](Objects &o) {
			 return o.parent ? make_qp(o, IBV_QPT_RC, o.cq.get(), o.cq.get(), nullptr,
						   o.parent.get())
					 : nullptr;
		 },
		 dealloc_parent},
		{"ParentDomain", "Cq",
		 [](Objects &o) {
			 return o.parent ? make_cq(o, nullptr, o.parent.get()) : nullptr;
		 },
		 dealloc_parent},
		{"ParentDomain", "Mr",
		 [](Objects &o) {
			 return o.parent ? hold<Mr>(ibv_reg_mr(o.parent.get(), o.memory.data(), 64,
							       0),
						    "ibv_reg_mr")
					 : nullptr;
		 },
		 dealloc_parent},
		{"ParentDomain", "Ah",
		 [](Objects &o) {
			 ibv_ah_attr attr = o.ah_attr();
			 return o.parent ? hold<Ah>(ibv_create_ah(o.parent.get(), &attr),
						    "ibv_create_ah")
					 : nullptr;
		 },
		 dealloc_parent},
		{"ParentDomain", "Srq",
		 [](Objects &o) {
			 ibv_srq_init_attr init{nullptr, {16, 1, 0}};
			 return o.parent && o.srq ? hold<Srq>(ibv_create_srq(o.parent.get(), &init),
							      "ibv_create_srq")
						  : nullptr;
		 },
		 dealloc_parent},
		{"ParentDomain", "Window",
		 [](Objects &o) {
			 return o.parent && o.window1
					? hold<Mw>(ibv_alloc_mw(o.parent.get(), IBV_MW_TYPE_1),
						   "ibv_alloc_mw")
					: nullptr;
		 },
		 dealloc_parent},
		{"ThreadDomain", "ParentDomain", make_parent, destroy_td},
		{"Cq", "SendQueue",
		 [](Objects &o) {
			 auto cq = make_cq(o, nullptr, nullptr);
			 auto qp = make_qp(o, IBV_QPT_RC, o.cq.get(),
					   static_cast<Cq *>(cq.get())->get());
			 return Holder(qp.get(), [cq, qp](void *) mutable {
				 qp.reset();
				 cq.reset();
			 });
		 },
		 destroy_cq},
		{"Cq", "ReceiveQueue",
		 [](Objects &o) {
			 auto cq = make_cq(o, nullptr, nullptr);
			 auto qp = make_qp(o, IBV_QPT_UD, static_cast<Cq *>(cq.get())->get(),
					   o.cq.get());
			 return Holder(qp.get(), [cq, qp](void *) mutable {
				 qp.reset();
				 cq.reset();
			 });
		 },
		 destroy_cq},
		{"Cq", "XrcSrq", make_xrc_srq, destroy_cq},
		{"Srq", "Rc",
		 [](Objects &o) {
			 return o.srq ? make_qp(o, IBV_QPT_RC, o.cq.get(), o.cq.get(), o.srq.get())
				      : nullptr;
		 },
		 destroy_srq},
		{"Srq", "Ud",
		 [](Objects &o) {
			 return o.srq ? make_qp(o, IBV_QPT_UD, o.cq.get(), o.cq.get(), o.srq.get())
				      : nullptr;
		 },
		 destroy_srq},
		{"Xrcd", "Srq", make_xrc_srq, close_xrcd},
		{"Xrcd", "Target",
		 [](Objects &o) {
			 ibv_qp_init_attr_ex init = o.qp_attr_ex(IBV_QPT_XRC_RECV);
			 return o.xrcd ? hold<Qp>(ibv_create_qp_ex(o.context.get(), &init),
						  "ibv_create_qp_ex")
				       : nullptr;
		 },
		 close_xrcd},
		{"Channel", "Cq", [](Objects &o) { return make_cq(o, o.channel.get(), nullptr); },
		 destroy_channel},
	};
}

class OrderTest : public LocalTest, public testing::WithParamInterface<Case> {};

/// All of @o but what the case is about and what that needs.
void drop_holders(Objects &o, const std::string &what)
{
	o.rc.reset();
	o.ud.reset();
	o.target.reset();
	o.xrc_srq.reset();
	if (what != "ParentDomain")
		o.parent.reset();
	if (what == "Pd") {
		o.mr.reset();
		o.window1.reset();
		o.window2.reset();
		o.ah.reset();
		o.srq.reset();
	}
}

TEST_P(OrderTest, WhatIsHeldStays)
{
	const Case &c = GetParam();
	auto before = resources(local_device().name());
	{
		Objects o;
		if (std::string(c.what) == "Xrcd" && !o.xrcd)
			GTEST_SKIP() << "the device does not have it";
		if (std::string(c.what) == "ThreadDomain" && !o.td)
			GTEST_SKIP() << "the device does not have it";
		Holder holder = c.make(o);
		if (!holder)
			GTEST_SKIP() << "the device does not have it";
		auto with_holder = resources(local_device().name());
		for (int i = 0; i < 2; i++)
			ASSERT_EQ(c.destroy(o), EBUSY) << "a " << c.holder << " is left";
		EXPECT_EQ(resources(local_device().name()), with_holder) << "nothing has gone";
		// It is as it was: another holder is possible.
		Holder another = c.make(o);
		EXPECT_TRUE(another);
		drop_holders(o, c.what);
		holder.reset();
		ASSERT_EQ(c.destroy(o), EBUSY) << "the second " << c.holder << " is left";
		another.reset();
		EXPECT_EQ(c.destroy(o), 0) << "nothing is left";
	}
	EXPECT_EQ(resources(local_device().name()), before);
}

std::string case_name(const testing::TestParamInfo<Case> &info)
{
	return std::string(info.param.what) + "_" + info.param.holder;
}

INSTANTIATE_TEST_SUITE_P(Held, OrderTest, testing::ValuesIn(cases()), case_name);

/// Objects destroyed with traffic that uses them.
class InUseTest : public LinkTest {
protected:
	void SetUp() override
	{
		if (!options().connect.empty())
			GTEST_SKIP() << "needs the peer's verbs objects";
		before_ = resources(local_device().name());
	}
	void TearDown() override
	{
		take();
		if (!IsSkipped()) {
			EXPECT_EQ(resources(local_device().name()), before_);
		}
	}
	LocalEndpoint &peer() { return static_cast<LocalEndpoint &>(b()); }
	/// @count long writes from a to b.
	void post_writes(const Region &near, uint64_t address, uint32_t rkey, int count)
	{
		SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
		send.remote_address = address;
		send.rkey = rkey;
		for (int i = 0; i < count; i++)
			ASSERT_EQ(a().post_send(send), 0);
	}
	/// Each of @count requests completes: first successes, then one @status, then flushes.
	void expect_ended(size_t count, ibv_wc_status status)
	{
		auto completions = a().poll(Queue::kSend, count);
		ASSERT_EQ(completions.size(), count) << "every request completes";
		bool failed = false;
		for (const ibv_wc &wc : completions) {
			if (wc.status != IBV_WC_SUCCESS) {
				EXPECT_EQ(wc.status, failed ? IBV_WC_WR_FLUSH_ERR : status);
				failed = true;
			} else {
				EXPECT_FALSE(failed) << "a success behind an error";
			}
		}
	}

	std::map<std::string, uint64_t> before_;
};

TEST_F(InUseTest, WhatTrafficHoldsStays)
{
	QpSpec spec;
	spec.channel = true;
	open(spec, {});
	Region near = a().reg(65536), far = b().reg(65536);
	post_writes(near, far.address, far.rkey, 16);
	for (LocalEndpoint *end : {&a(), &peer()}) {
		EXPECT_EQ(ibv_destroy_cq(end->send_cq.get()), EBUSY);
		EXPECT_EQ(ibv_destroy_cq(end->recv_cq.get()), EBUSY);
		EXPECT_EQ(ibv_destroy_comp_channel(end->channel.get()), EBUSY);
		EXPECT_EQ(ibv_dealloc_pd(end->pd.get()), EBUSY);
	}
	for (const ibv_wc &wc : a().poll(Queue::kSend, 16))
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	expect_alive();
}

TEST_F(InUseTest, SharedReceiveQueue)
{
	if (!local_device().attr().max_srq)
		GTEST_SKIP() << "the device has no SRQs";
	QpSpec spec;
	spec.srq_wr = 32;
	open(spec, {});
	Region near = a().reg(4096), far = b().reg(4096);
	for (uint64_t i = 0; i < 16; i++)
		ASSERT_EQ(b().post_recv(i, {far.sge()}), 0);
	for (uint64_t i = 0; i < 16; i++)
		ASSERT_EQ(a().post_send({.wr_id = i, .sges = {near.sge()}}), 0);
	EXPECT_EQ(ibv_destroy_srq(peer().srq.get()), EBUSY);
	EXPECT_EQ(b().poll(Queue::kReceive, 16).size(), 16u);
	expect_ended(16, IBV_WC_SUCCESS);
}

TEST_F(InUseTest, LocalRegion)
{
	open();
	Region near = a().reg(65536), far = b().reg(65536);
	post_writes(near, far.address, far.rkey, 32);
	EXPECT_EQ(a().dereg(near), 0);
	expect_ended(32, IBV_WC_LOC_PROT_ERR);
}

TEST_F(InUseTest, RegionOfPostedReceives)
{
	open();
	Region near = a().reg(4096), far = b().reg(4096);
	for (uint64_t i = 0; i < 16; i++)
		ASSERT_EQ(b().post_recv(i, {far.sge()}), 0);
	for (uint64_t i = 0; i < 16; i++)
		ASSERT_EQ(a().post_send({.wr_id = i, .sges = {near.sge()}}), 0);
	EXPECT_EQ(b().dereg(far), 0);
	expect_ended(16, IBV_WC_REM_OP_ERR);
	EXPECT_EQ(b().poll(Queue::kReceive, 16).size(), 16u) << "every receive completes";
}

TEST_F(InUseTest, Window)
{
	if (!(local_device().attr().device_cap_flags & IBV_DEVICE_MEM_WINDOW))
		GTEST_SKIP() << "no windows";
	open();
	Region near = a().reg(65536), far = b().reg(65536, kAllAccess | IBV_ACCESS_MW_BIND);
	Window window = b().alloc_window(IBV_MW_TYPE_1);
	Bound bound = b().bind_window({.window = window,
				       .region = far,
				       .address = far.address,
				       .length = 65536,
				       .access = IBV_ACCESS_REMOTE_WRITE});
	ASSERT_EQ(bound.error, 0);
	ASSERT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
	EXPECT_EQ(b().dereg(far), EBUSY) << "a window is bound to it";
	post_writes(near, far.address, bound.rkey, 32);
	EXPECT_EQ(b().dealloc_window(window), 0);
	expect_ended(32, IBV_WC_REM_ACCESS_ERR);
	EXPECT_EQ(b().dereg(far), 0);
}

TEST_F(InUseTest, QueuePairOfTheTarget)
{
	PathSpec path;
	path.retry_cnt = 1;
	path.timeout = quick() ? 18 : 12;
	open({}, path);
	Region near = a().reg(65536), far = b().reg(65536);
	post_writes(near, far.address, far.rkey, 32);
	EXPECT_EQ(ibv_destroy_qp(peer().qp.release()), 0);
	expect_ended(32, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(InUseTest, QueuePairOfTheRequester)
{
	open();
	Region near = a().reg(65536), far = b().reg(65536);
	for (int i = 0; i < scaled(20, 5); i++) {
		post_writes(near, far.address, far.rkey, 16);
		EXPECT_EQ(ibv_destroy_qp(a().qp.release()), 0);
		// Its completions go with it or are there: nothing comes later.
		poll(a().send_cq.get(), 16, Milliseconds(0));
		EXPECT_EQ(ibv_poll_cq(a().send_cq.get(), 0, nullptr), 0);
		ibv_qp_init_attr init{};
		init.send_cq = a().send_cq.get();
		init.recv_cq = a().recv_cq.get();
		init.cap = {64, 64, 4, 4, 0};
		init.qp_type = IBV_QPT_RC;
		a().qp.reset(must(ibv_create_qp(a().pd.get(), &init), "ibv_create_qp"));
		ASSERT_EQ(b().move(IBV_QPS_RESET), 0);
		b().connect(a().address(), {});
		a().connect(b().address(), {});
		far = b().reg(65536);
	}
}

TEST_F(InUseTest, AddressHandle)
{
	QpSpec spec;
	spec.type = IBV_QPT_UD;
	open(spec, {});
	Region near = a().reg(1024), far = b().reg(4096);
	Gid gid = *local_device().gid(Family::kIpv4);
	ibv_ah_attr attr{};
	attr.is_global = 1;
	attr.port_num = kPort;
	attr.grh.dgid = b().address().gid;
	attr.grh.sgid_index = gid.index;
	attr.grh.hop_limit = 64;
	for (int round = 0; round < scaled(50, 10); round++) {
		Ah ah(must(ibv_create_ah(a().pd.get(), &attr), "ibv_create_ah"));
		ibv_sge sge = near.sge();
		for (uint64_t i = 0; i < 16; i++) {
			ASSERT_EQ(b().post_recv(i, {far.sge()}), 0);
			ibv_send_wr wr{}, *bad = nullptr;
			wr.wr_id = i;
			wr.opcode = IBV_WR_SEND;
			wr.send_flags = IBV_SEND_SIGNALED;
			wr.sg_list = &sge;
			wr.num_sge = 1;
			wr.wr.ud = {ah.get(), b().address().qpn, 0x11111111};
			ASSERT_EQ(ibv_post_send(a().qp.get(), &wr, &bad), 0);
		}
		ah.reset();
		auto completions = a().poll(Queue::kSend, 16);
		ASSERT_EQ(completions.size(), 16u) << "every send completes";
		bool failed = false;
		for (const ibv_wc &wc : completions)
			failed |= wc.status != IBV_WC_SUCCESS;
		ASSERT_EQ(b().move(IBV_QPS_RESET), 0);
		b().connect(a().address(), {});
		if (failed) {
			// It has gone to SQE.
			ASSERT_EQ(a().move(IBV_QPS_RESET), 0);
			a().connect(b().address(), {});
		}
	}
}

} // namespace
} // namespace conformance
