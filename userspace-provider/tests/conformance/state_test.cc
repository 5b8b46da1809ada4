// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// QP states: which transitions exist, what they need, what query_qp tells.
#include <algorithm>

#include "link.h"
#include "states.h"

namespace conformance {
namespace {

constexpr ibv_qp_state kStates[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS,
				    IBV_QPS_SQD,   IBV_QPS_SQE,	 IBV_QPS_ERR};
/// States that a program can put a QP into.
constexpr ibv_qp_state kReachable[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR,
				       IBV_QPS_RTS,   IBV_QPS_SQD,  IBV_QPS_ERR};
/// Every attribute a transition may take, but for the alternate path: no APM on RoCE.
constexpr int kAttributes[] = {
	IBV_QP_PKEY_INDEX, IBV_QP_PORT,		 IBV_QP_QKEY,
	IBV_QP_AV,	   IBV_QP_PATH_MTU,	 IBV_QP_TIMEOUT,
	IBV_QP_RETRY_CNT,  IBV_QP_RNR_RETRY,	 IBV_QP_RQ_PSN,
	IBV_QP_SQ_PSN,	   IBV_QP_MIN_RNR_TIMER, IBV_QP_MAX_QP_RD_ATOMIC,
	IBV_QP_DEST_QPN,   IBV_QP_ACCESS_FLAGS,	 IBV_QP_MAX_DEST_RD_ATOMIC,
};

class StateTest : public LocalTest, public testing::WithParamInterface<ibv_qp_type> {
protected:
	Qp qp_in(ibv_qp_state state)
	{
		ibv_qp_init_attr init{};
		init.send_cq = init.recv_cq = cq_.get();
		init.cap = {8, 8, 1, 1, 0};
		init.qp_type = GetParam();
		Qp qp(must(ibv_create_qp(pd_.get(), &init), "ibv_create_qp"));
		attr_ = valid_attributes(local_device(), qp->qp_num);
		bring(qp.get(), state, attr_);
		return qp;
	}
	int modify(ibv_qp *qp, ibv_qp_state to, int mask)
	{
		ibv_qp_attr attr = attr_;
		attr.qp_state = to;
		attr.cur_qp_state = query(qp).qp_state;
		return ibv_modify_qp(qp, &attr, IBV_QP_STATE | mask);
	}
	static ibv_qp_attr query(ibv_qp *qp)
	{
		ibv_qp_attr attr{};
		ibv_qp_init_attr init{};
		must_be_zero(ibv_query_qp(qp, &attr, 0xfffff, &init), "ibv_query_qp");
		return attr;
	}
	const Transition *find(ibv_qp_state from, ibv_qp_state to)
	{
		for (const Transition &t : table_) {
			if (t.from == from && t.to == to)
				return &t;
		}
		return nullptr;
	}

	Context context_ = local_device().open();
	Pd pd_{must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd")};
	Cq cq_{must(ibv_create_cq(context_.get(), 64, nullptr, nullptr, 0), "ibv_create_cq")};
	std::vector<Transition> table_ = transitions(GetParam());
	ibv_qp_attr attr_{};
};

TEST_P(StateTest, LegalTransitions)
{
	for (const Transition &t : table_) {
		SCOPED_TRACE(std::string(state_name(t.from)) + " to " + state_name(t.to));
		Qp qp = qp_in(t.from);
		EXPECT_EQ(modify(qp.get(), t.to, t.required), 0);
		EXPECT_EQ(query(qp.get()).qp_state, t.to);
		EXPECT_EQ(qp->state, t.to);
	}
}

TEST_P(StateTest, OptionalAttributes)
{
	for (const Transition &t : table_) {
		for (int bit : kAttributes) {
			if (!(t.optional & bit))
				continue;
			SCOPED_TRACE(std::string(state_name(t.from)) + " to " + state_name(t.to) +
				     " with " + std::to_string(bit));
			Qp qp = qp_in(t.from);
			EXPECT_EQ(modify(qp.get(), t.to, t.required | bit), 0);
		}
	}
}

TEST_P(StateTest, RequiredAttributeMissing)
{
	for (const Transition &t : table_) {
		Qp qp = qp_in(t.from);
		for (int bit : kAttributes) {
			if (!(t.required & bit))
				continue;
			SCOPED_TRACE(std::string(state_name(t.from)) + " to " + state_name(t.to) +
				     " without " + std::to_string(bit));
			EXPECT_EQ(modify(qp.get(), t.to, t.required & ~bit), EINVAL);
		}
		EXPECT_EQ(query(qp.get()).qp_state, t.from) << "a refused change changes nothing";
	}
}

TEST_P(StateTest, AttributeThatDoesNotBelong)
{
	for (const Transition &t : table_) {
		Qp qp = qp_in(t.from);
		for (int bit : kAttributes) {
			if ((t.required | t.optional) & bit)
				continue;
			SCOPED_TRACE(std::string(state_name(t.from)) + " to " + state_name(t.to) +
				     " with " + std::to_string(bit));
			EXPECT_EQ(modify(qp.get(), t.to, t.required | bit), EINVAL);
		}
		EXPECT_EQ(query(qp.get()).qp_state, t.from);
	}
}

TEST_P(StateTest, IllegalTransitions)
{
	for (ibv_qp_state from : kReachable) {
		Qp qp = qp_in(from);
		for (ibv_qp_state to : kStates) {
			bool to_error = to == IBV_QPS_ERR && from != IBV_QPS_RESET;
			if (to == IBV_QPS_RESET || to_error || find(from, to))
				continue;
			SCOPED_TRACE(std::string(state_name(from)) + " to " + state_name(to));
			EXPECT_EQ(modify(qp.get(), to, 0), EINVAL);
			EXPECT_EQ(query(qp.get()).qp_state, from);
		}
	}
}

TEST_P(StateTest, ResetAndErrorFromEverywhere)
{
	for (ibv_qp_state from : kReachable) {
		SCOPED_TRACE(state_name(from));
		if (from != IBV_QPS_RESET) {
			Qp qp = qp_in(from);
			EXPECT_EQ(modify(qp.get(), IBV_QPS_ERR, 0), 0);
			EXPECT_EQ(query(qp.get()).qp_state, IBV_QPS_ERR);
		}
		Qp qp = qp_in(from);
		EXPECT_EQ(modify(qp.get(), IBV_QPS_RESET, 0), 0);
		EXPECT_EQ(query(qp.get()).qp_state, IBV_QPS_RESET);
		bring(qp.get(), IBV_QPS_RTS, attr_);
		EXPECT_EQ(query(qp.get()).qp_state, IBV_QPS_RTS) << "and up again";
	}
}

TEST_P(StateTest, WrongBeliefOfTheState)
{
	Qp qp = qp_in(IBV_QPS_RTS);
	ibv_qp_attr attr = attr_;
	attr.qp_state = IBV_QPS_RTS;
	attr.cur_qp_state = IBV_QPS_SQD;
	// SQD to RTS is legal, but the QP is not in SQD.
	EXPECT_EQ(ibv_modify_qp(qp.get(), &attr, IBV_QP_STATE | IBV_QP_CUR_STATE), EINVAL);
}

TEST_P(StateTest, QueryGivesBackEverything)
{
	bool ud = GetParam() == IBV_QPT_UD, rc = GetParam() == IBV_QPT_RC;
	for (ibv_qp_state state : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD}) {
		SCOPED_TRACE(state_name(state));
		Qp qp = qp_in(state);
		ibv_qp_attr got = query(qp.get());
		EXPECT_EQ(got.qp_state, state);
		EXPECT_EQ(got.port_num, kPort);
		EXPECT_EQ(got.pkey_index, 0);
		if (ud)
			EXPECT_EQ(got.qkey, attr_.qkey);
		else
			EXPECT_EQ(got.qp_access_flags, attr_.qp_access_flags);
		if (!ud && state != IBV_QPS_INIT) {
			EXPECT_EQ(got.path_mtu, attr_.path_mtu);
			EXPECT_EQ(got.dest_qp_num, attr_.dest_qp_num);
			EXPECT_EQ(got.ah_attr.is_global, 1);
			EXPECT_EQ(memcmp(&got.ah_attr.grh.dgid, &attr_.ah_attr.grh.dgid, 16), 0);
			EXPECT_EQ(got.ah_attr.grh.sgid_index, attr_.ah_attr.grh.sgid_index);
			EXPECT_EQ(got.ah_attr.grh.traffic_class, attr_.ah_attr.grh.traffic_class);
			EXPECT_EQ(got.rq_psn, attr_.rq_psn);
		}
		if (rc && state != IBV_QPS_INIT) {
			EXPECT_EQ(got.max_dest_rd_atomic, attr_.max_dest_rd_atomic);
			EXPECT_EQ(got.min_rnr_timer, attr_.min_rnr_timer);
		}
		if (state != IBV_QPS_RTS && state != IBV_QPS_SQD)
			continue;
		EXPECT_EQ(got.sq_psn, attr_.sq_psn);
		if (rc) {
			EXPECT_EQ(got.timeout, attr_.timeout);
			EXPECT_EQ(got.retry_cnt, attr_.retry_cnt);
			EXPECT_EQ(got.rnr_retry, attr_.rnr_retry);
			EXPECT_EQ(got.max_rd_atomic, attr_.max_rd_atomic);
		}
	}
}

TEST_P(StateTest, QueryTellsHowTheQpWasCreated)
{
	Qp qp = qp_in(IBV_QPS_RESET);
	ibv_qp_attr attr{};
	ibv_qp_init_attr init{};
	ASSERT_EQ(ibv_query_qp(qp.get(), &attr, IBV_QP_STATE | IBV_QP_CAP, &init), 0);
	EXPECT_EQ(attr.qp_state, IBV_QPS_RESET);
	EXPECT_EQ(init.qp_type, GetParam());
	EXPECT_EQ(init.send_cq, cq_.get());
	EXPECT_EQ(init.recv_cq, cq_.get());
	EXPECT_EQ(init.srq, nullptr);
	EXPECT_EQ(init.sq_sig_all, 0);
	EXPECT_GE(attr.cap.max_send_wr, 8u);
}

std::string type_name(const testing::TestParamInfo<ibv_qp_type> &info)
{
	return info.param == IBV_QPT_RC ? "RC" : info.param == IBV_QPT_UC ? "UC" : "UD";
}

INSTANTIATE_TEST_SUITE_P(Qp, StateTest, testing::Values(IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD),
			 type_name);

} // namespace
} // namespace conformance
