// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "objects.h"

#include <fcntl.h>

namespace conformance {

Objects::Objects(int before) : context(local_device().open())
{
	ibv_context *ctx = context.get();
	const ibv_device_attr &device = local_device().attr();

	for (int i = 0; i < before; i++)
		fillers.emplace_back(must(ibv_alloc_pd(ctx), "ibv_alloc_pd"));
	channel.reset(must(ibv_create_comp_channel(ctx), "ibv_create_comp_channel"));
	pd.reset(must(ibv_alloc_pd(ctx), "ibv_alloc_pd"));
	cq.reset(must(ibv_create_cq(ctx, 64, nullptr, nullptr, 0), "ibv_create_cq"));
	mr.reset(must(ibv_reg_mr(pd.get(), memory.data(), 8192, kAllAccess | IBV_ACCESS_MW_BIND),
		      "ibv_reg_mr"));
	if (device.device_cap_flags & IBV_DEVICE_MEM_WINDOW) {
		window1.reset(must(ibv_alloc_mw(pd.get(), IBV_MW_TYPE_1), "ibv_alloc_mw"));
		window2.reset(must(ibv_alloc_mw(pd.get(), IBV_MW_TYPE_2), "ibv_alloc_mw"));
	}
	if (device.max_srq) {
		ibv_srq_init_attr init{nullptr, {16, 1, 0}};
		srq.reset(must(ibv_create_srq(pd.get(), &init), "ibv_create_srq"));
	}
	if (device.device_cap_flags & IBV_DEVICE_XRC) {
		ibv_xrcd_init_attr init{};
		init.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
		init.fd = -1;
		init.oflags = O_CREAT;
		xrcd.reset(must(ibv_open_xrcd(ctx, &init), "ibv_open_xrcd"));
		ibv_srq_init_attr_ex srq_init = xrc_srq_attr();
		xrc_srq.reset(must(ibv_create_srq_ex(ctx, &srq_init), "ibv_create_srq_ex"));
		ibv_qp_init_attr_ex qp_init = qp_attr_ex(IBV_QPT_XRC_RECV);
		target.reset(must(ibv_create_qp_ex(ctx, &qp_init), "ibv_create_qp_ex"));
	}
	ibv_td_init_attr td_init{};
	td.reset(ibv_alloc_td(ctx, &td_init));
	if (td) {
		ibv_parent_domain_init_attr init{};
		init.pd = pd.get();
		init.td = td.get();
		parent.reset(must(ibv_alloc_parent_domain(ctx, &init), "parent domain"));
	}
	ibv_qp_init_attr init = qp_attr(IBV_QPT_RC);
	rc.reset(must(ibv_create_qp(pd.get(), &init), "ibv_create_qp"));
	init = qp_attr(IBV_QPT_UD);
	ud.reset(must(ibv_create_qp(pd.get(), &init), "ibv_create_qp"));
	ibv_ah_attr attr = ah_attr();
	ah.reset(must(ibv_create_ah(pd.get(), &attr), "ibv_create_ah"));
}

ibv_qp_init_attr Objects::qp_attr(ibv_qp_type type) const
{
	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = cq.get();
	init.cap = {8, 8, 1, 1, 0};
	init.qp_type = type;
	return init;
}

ibv_qp_init_attr_ex Objects::qp_attr_ex(ibv_qp_type type) const
{
	ibv_qp_init_attr_ex init{};
	init.qp_type = type;
	if (type == IBV_QPT_XRC_RECV) {
		init.comp_mask = IBV_QP_INIT_ATTR_XRCD;
		init.xrcd = xrcd.get();
		return init;
	}
	init.send_cq = init.recv_cq = cq.get();
	init.cap = {8, 8, 1, 1, 0};
	init.comp_mask = IBV_QP_INIT_ATTR_PD;
	init.pd = pd.get();
	return init;
}

ibv_srq_init_attr_ex Objects::xrc_srq_attr() const
{
	ibv_srq_init_attr_ex init{};
	init.attr = {16, 1, 0};
	init.srq_type = IBV_SRQT_XRC;
	init.pd = pd.get();
	init.xrcd = xrcd.get();
	init.cq = cq.get();
	init.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD |
			 IBV_SRQ_INIT_ATTR_CQ;
	return init;
}

ibv_ah_attr Objects::ah_attr() const
{
	Gid gid = *local_device().gid(Family::kIpv4);
	ibv_ah_attr attr{};
	attr.is_global = 1;
	attr.port_num = kPort;
	attr.grh.dgid = gid.gid;
	attr.grh.sgid_index = gid.index;
	attr.grh.hop_limit = 64;
	return attr;
}

void Objects::expect_untouched() const
{
	for (ibv_qp *qp : {rc.get(), ud.get()}) {
		ibv_qp_attr attr{};
		ibv_qp_init_attr init{};
		EXPECT_EQ(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
		EXPECT_EQ(attr.qp_state, IBV_QPS_RESET);
	}
	ibv_wc wc;
	EXPECT_EQ(ibv_poll_cq(cq.get(), 1, &wc), 0);
	EXPECT_EQ(mr->pd, pd.get());
}

} // namespace conformance
