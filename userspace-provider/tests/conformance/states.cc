// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "states.h"

#include "link.h"

namespace conformance {

std::vector<Transition> transitions(ibv_qp_type type)
{
	constexpr int kBase = IBV_QP_PKEY_INDEX;
	if (type == IBV_QPT_UD) {
		int init = kBase | IBV_QP_PORT | IBV_QP_QKEY;
		return {
			{IBV_QPS_RESET, IBV_QPS_INIT, init, 0},
			{IBV_QPS_INIT, IBV_QPS_INIT, 0, init},
			{IBV_QPS_INIT, IBV_QPS_RTR, 0, kBase | IBV_QP_QKEY},
			{IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY},
			{IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
			{IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
			{IBV_QPS_SQD, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
			{IBV_QPS_SQD, IBV_QPS_SQD, 0, kBase | IBV_QP_QKEY},
		};
	}
	bool rc = type == IBV_QPT_RC;
	int init = kBase | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	int rtr = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	int rts = IBV_QP_SQ_PSN;
	int live = IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS;
	int drained = IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX;
	if (rc) {
		// UC may change its AV too, but uverbs then adds PORT, which UC may not change.
		drained |= IBV_QP_AV;
		rtr |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		rts |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		       IBV_QP_MAX_QP_RD_ATOMIC;
		live |= IBV_QP_MIN_RNR_TIMER;
		drained |= IBV_QP_PORT | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			   IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC |
			   IBV_QP_MIN_RNR_TIMER;
	}
	return {
		{IBV_QPS_RESET, IBV_QPS_INIT, init, 0},
		{IBV_QPS_INIT, IBV_QPS_INIT, 0, init},
		{IBV_QPS_INIT, IBV_QPS_RTR, rtr, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
		{IBV_QPS_RTR, IBV_QPS_RTS, rts, live},
		{IBV_QPS_RTS, IBV_QPS_RTS, 0, live},
		{IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
		{IBV_QPS_SQD, IBV_QPS_RTS, 0, live},
		{IBV_QPS_SQD, IBV_QPS_SQD, 0, drained},
	};
}

ibv_qp_attr valid_attributes(const Device &device, uint32_t dest_qpn)
{
	auto gid = device.gid(Family::kIpv4);
	if (!gid)
		gid = device.gid(Family::kIpv6);
	ibv_qp_attr attr{};
	attr.port_num = kPort;
	attr.qkey = 0x1234;
	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	attr.path_mtu = IBV_MTU_512;
	attr.dest_qp_num = dest_qpn;
	attr.rq_psn = 0xabcdef;
	attr.sq_psn = 0xfedcba;
	attr.max_rd_atomic = 3;
	attr.max_dest_rd_atomic = 5;
	attr.min_rnr_timer = 9;
	attr.timeout = 13;
	attr.retry_cnt = 6;
	attr.rnr_retry = 4;
	attr.ah_attr.is_global = 1;
	attr.ah_attr.port_num = kPort;
	attr.ah_attr.sl = 0;
	attr.ah_attr.grh.dgid = gid->gid;
	attr.ah_attr.grh.sgid_index = gid->index;
	attr.ah_attr.grh.hop_limit = 64;
	attr.ah_attr.grh.traffic_class = 0x68;
	return attr;
}

void bring(ibv_qp *qp, ibv_qp_state state, const ibv_qp_attr &attr)
{
	if (state == IBV_QPS_RESET)
		return;
	ibv_qp_state now = IBV_QPS_RESET;
	ibv_qp_state goal = state == IBV_QPS_ERR ? IBV_QPS_INIT : state;
	for (const Transition &t : transitions(qp->qp_type)) {
		if (now == goal)
			break;
		if (t.from != now || t.to == now)
			continue;
		ibv_qp_attr next = attr;
		next.qp_state = t.to;
		must_be_zero(ibv_modify_qp(qp, &next, IBV_QP_STATE | t.required), state_name(t.to));
		now = t.to;
	}
	if (state == IBV_QPS_ERR) {
		ibv_qp_attr next{};
		next.qp_state = IBV_QPS_ERR;
		must_be_zero(ibv_modify_qp(qp, &next, IBV_QP_STATE), "ERR");
	}
	if (state == IBV_QPS_SQD) {
		// A QP without traffic is drained in no time, but not in none.
		bool drained = eventually([&] {
			ibv_qp_attr got{};
			ibv_qp_init_attr init{};
			must_be_zero(ibv_query_qp(qp, &got, IBV_QP_STATE, &init), "ibv_query_qp");
			return !got.sq_draining;
		});
		EXPECT_TRUE(drained);
	}
}

const char *state_name(ibv_qp_state state)
{
	switch (state) {
	case IBV_QPS_RESET:
		return "RESET";
	case IBV_QPS_INIT:
		return "INIT";
	case IBV_QPS_RTR:
		return "RTR";
	case IBV_QPS_RTS:
		return "RTS";
	case IBV_QPS_SQD:
		return "SQD";
	case IBV_QPS_SQE:
		return "SQE";
	case IBV_QPS_ERR:
		return "ERR";
	default:
		return "?";
	}
}

} // namespace conformance
