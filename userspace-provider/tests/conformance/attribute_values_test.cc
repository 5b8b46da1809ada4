// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Values that modify_qp takes and refuses.
#include "link.h"
#include "states.h"

namespace conformance {
namespace {

class AttributeValuesTest : public LocalTest {
protected:
	/// errno of the transition into @state with attributes changed by @change.
	template <typename Change>
	int enter(ibv_qp_state state, Change change, ibv_qp_type type = IBV_QPT_RC)
	{
		ibv_qp_init_attr init{};
		init.send_cq = init.recv_cq = cq_.get();
		init.cap = {8, 8, 1, 1, 0};
		init.qp_type = type;
		Qp qp(must(ibv_create_qp(pd_.get(), &init), "ibv_create_qp"));
		ibv_qp_attr attr = valid_attributes(local_device(), qp->qp_num);
		for (const Transition &t : transitions(type)) {
			if (t.to != state || t.from == state)
				continue;
			bring(qp.get(), t.from, attr);
			change(attr);
			attr.qp_state = state;
			int error = ibv_modify_qp(qp.get(), &attr, IBV_QP_STATE | t.required);
			if (!error) {
				ibv_qp_init_attr got_init{};
				must_be_zero(ibv_query_qp(qp.get(), &got_, 0xfffff, &got_init),
					     "ibv_query_qp");
			}
			return error;
		}
		return -1;
	}

	Context context_ = local_device().open();
	Pd pd_{must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd")};
	Cq cq_{must(ibv_create_cq(context_.get(), 64, nullptr, nullptr, 0), "ibv_create_cq")};
	ibv_qp_attr got_{};
};

TEST_F(AttributeValuesTest, Port)
{
	for (uint8_t port : {0, 2, 255})
		EXPECT_EQ(enter(IBV_QPS_INIT, [=](ibv_qp_attr &a) { a.port_num = port; }), EINVAL);
}

TEST_F(AttributeValuesTest, PkeyIndex)
{
	EXPECT_EQ(enter(IBV_QPS_INIT, [](ibv_qp_attr &a) { a.pkey_index = 0; }), 0);
	EXPECT_EQ(enter(IBV_QPS_INIT, [](ibv_qp_attr &a) { a.pkey_index = 1; }), EINVAL);
	EXPECT_EQ(enter(IBV_QPS_INIT, [](ibv_qp_attr &a) { a.pkey_index = 0xffff; }), EINVAL);
}

TEST_F(AttributeValuesTest, PathMtu)
{
	for (int mtu = IBV_MTU_256; mtu <= local_device().port().active_mtu; mtu++) {
		EXPECT_EQ(enter(IBV_QPS_RTR, [=](ibv_qp_attr &a) { a.path_mtu = ibv_mtu(mtu); }),
			  0);
		EXPECT_EQ(got_.path_mtu, mtu);
	}
	for (int mtu : {0, local_device().port().active_mtu + 1, 6, 100})
		EXPECT_EQ(enter(IBV_QPS_RTR, [=](ibv_qp_attr &a) { a.path_mtu = ibv_mtu(mtu); }),
			  EINVAL)
			<< mtu;
}

TEST_F(AttributeValuesTest, ReadAndAtomicDepth)
{
	auto initiator = static_cast<uint8_t>(local_device().attr().max_qp_init_rd_atom);
	auto responder = static_cast<uint8_t>(local_device().attr().max_qp_rd_atom);
	EXPECT_EQ(enter(IBV_QPS_RTR, [=](ibv_qp_attr &a) { a.max_dest_rd_atomic = responder; }), 0);
	EXPECT_EQ(got_.max_dest_rd_atomic, responder);
	EXPECT_EQ(enter(IBV_QPS_RTR, [](ibv_qp_attr &a) { a.max_dest_rd_atomic = 0; }), 0);
	EXPECT_EQ(enter(IBV_QPS_RTS, [=](ibv_qp_attr &a) { a.max_rd_atomic = initiator; }), 0);
	EXPECT_EQ(got_.max_rd_atomic, initiator);
	auto more_dest = [=](ibv_qp_attr &a) { a.max_dest_rd_atomic = uint8_t(responder + 1); };
	auto more = [=](ibv_qp_attr &a) { a.max_rd_atomic = uint8_t(initiator + 1); };
	if (responder < 255) {
		EXPECT_EQ(enter(IBV_QPS_RTR, more_dest), EINVAL);
	}
	if (initiator < 255) {
		EXPECT_EQ(enter(IBV_QPS_RTS, more), EINVAL);
	}
}

TEST_F(AttributeValuesTest, FiveBitTimers)
{
	for (uint8_t value : {0, 1, 31}) {
		EXPECT_EQ(enter(IBV_QPS_RTS, [=](ibv_qp_attr &a) { a.timeout = value; }), 0);
		EXPECT_EQ(got_.timeout, value);
		EXPECT_EQ(enter(IBV_QPS_RTR, [=](ibv_qp_attr &a) { a.min_rnr_timer = value; }), 0);
		EXPECT_EQ(got_.min_rnr_timer, value);
	}
	EXPECT_EQ(enter(IBV_QPS_RTS, [](ibv_qp_attr &a) { a.timeout = 32; }), EINVAL);
	EXPECT_EQ(enter(IBV_QPS_RTR, [](ibv_qp_attr &a) { a.min_rnr_timer = 32; }), EINVAL);
}

TEST_F(AttributeValuesTest, ThreeBitRetries)
{
	for (uint8_t value : {0, 7}) {
		EXPECT_EQ(enter(IBV_QPS_RTS, [=](ibv_qp_attr &a) { a.retry_cnt = value; }), 0);
		EXPECT_EQ(got_.retry_cnt, value);
		EXPECT_EQ(enter(IBV_QPS_RTS, [=](ibv_qp_attr &a) { a.rnr_retry = value; }), 0);
		EXPECT_EQ(got_.rnr_retry, value);
	}
	EXPECT_EQ(enter(IBV_QPS_RTS, [](ibv_qp_attr &a) { a.retry_cnt = 8; }), EINVAL);
	EXPECT_EQ(enter(IBV_QPS_RTS, [](ibv_qp_attr &a) { a.rnr_retry = 8; }), EINVAL);
}

TEST_F(AttributeValuesTest, PsnsAreMaskedTo24Bits)
{
	EXPECT_EQ(enter(IBV_QPS_RTS, [](ibv_qp_attr &a) { a.sq_psn = 0xff123456; }), 0);
	EXPECT_EQ(got_.sq_psn, 0x123456u);
	EXPECT_EQ(enter(IBV_QPS_RTR, [](ibv_qp_attr &a) { a.rq_psn = 0xff654321; }), 0);
	EXPECT_EQ(got_.rq_psn, 0x654321u);
}

TEST_F(AttributeValuesTest, AddressVector)
{
	auto no_route = [](ibv_qp_attr &a) { a.ah_attr.is_global = 0; };
	auto bad_index = [](ibv_qp_attr &a) { a.ah_attr.grh.sgid_index = 255; };
	auto bad_port = [](ibv_qp_attr &a) { a.ah_attr.port_num = 2; };
	EXPECT_NE(enter(IBV_QPS_RTR, no_route), 0);
	EXPECT_NE(enter(IBV_QPS_RTR, bad_index), 0);
	EXPECT_NE(enter(IBV_QPS_RTR, bad_port), 0);
	EXPECT_NE(enter(IBV_QPS_RTR, no_route, IBV_QPT_UC), 0);
}

TEST_F(AttributeValuesTest, AccessFlags)
{
	for (unsigned flags : {0u, unsigned{IBV_ACCESS_REMOTE_READ}, unsigned{kAllAccess} & 14u}) {
		EXPECT_EQ(enter(IBV_QPS_INIT, [=](ibv_qp_attr &a) { a.qp_access_flags = flags; }),
			  0);
		EXPECT_EQ(got_.qp_access_flags, flags);
	}
}

TEST_F(AttributeValuesTest, QkeyWithBit31IsForThePrivileged)
{
	// This program is: CAP_NET_RAW lets it pass.
	EXPECT_EQ(enter(
			  IBV_QPS_INIT, [](ibv_qp_attr &a) { a.qkey = 0x80000001; }, IBV_QPT_UD),
		  0);
	EXPECT_EQ(got_.qkey, 0x80000001u);
}

} // namespace
} // namespace conformance
