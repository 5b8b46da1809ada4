// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "endpoint.h"

namespace conformance {

struct LocalEndpoint::Registered {
	std::shared_ptr<Memory> memory;
	Mr mr;
};

namespace {

Gid gid_of(const Device &device, Family family)
{
	auto gid = device.gid(family);
	if (!gid)
		throw VerbsError(device.name() + " has no RoCEv2 GID of " + family_name(family),
				 ENOENT);
	return *gid;
}

Qp create_qp(LocalEndpoint &end, const Device &device)
{
	ibv_qp_init_attr_ex init{};
	init.srq = end.spec.xrc() ? nullptr : end.srq.get();
	init.send_cq = end.send_cq.get();
	init.recv_cq = end.recv_cq.get();
	init.cap = {end.spec.send_wr, end.spec.recv_wr, end.spec.send_sge, end.spec.recv_sge,
		    end.spec.inline_bytes};
	init.qp_type = end.spec.type;
	init.sq_sig_all = end.spec.signal_all;
	init.pd = end.pd.get();
	init.comp_mask = IBV_QP_INIT_ATTR_PD;
	if (end.spec.extended) {
		init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		init.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
		if (end.spec.type != IBV_QPT_UD)
			init.send_ops_flags |= IBV_QP_EX_WITH_RDMA_WRITE |
					       IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
		if (end.spec.reliable())
			init.send_ops_flags |= IBV_QP_EX_WITH_RDMA_READ |
					       IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
					       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
		if (end.spec.reliable() && device.has_atomic_write())
			init.send_ops_flags |= IBV_QP_EX_WITH_ATOMIC_WRITE;
		if (end.spec.reliable() &&
		    device.attr().device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B)
			init.send_ops_flags |= IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV |
					       IBV_QP_EX_WITH_SEND_WITH_INV;
	}
	Qp qp(must(ibv_create_qp_ex(end.context.get(), &init), "ibv_create_qp_ex"));
	end.caps = init.cap;
	return qp;
}

Srq create_srq(LocalEndpoint &end)
{
	ibv_srq_init_attr_ex init{};
	init.attr.max_wr = end.spec.srq_wr ? end.spec.srq_wr : end.spec.recv_wr;
	init.attr.max_sge = end.spec.recv_sge;
	init.srq_type = end.spec.xrc() ? IBV_SRQT_XRC : IBV_SRQT_BASIC;
	init.pd = end.pd.get();
	init.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD;
	if (end.spec.xrc()) {
		init.xrcd = end.xrcd.get();
		init.cq = end.recv_cq.get();
		init.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	}
	return Srq(must(ibv_create_srq_ex(end.context.get(), &init), "ibv_create_srq_ex"));
}

Xrcd open_xrcd(LocalEndpoint &end)
{
	ibv_xrcd_init_attr init{};
	init.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	init.fd = -1;
	init.oflags = O_CREAT;
	return Xrcd(must(ibv_open_xrcd(end.context.get(), &init), "ibv_open_xrcd"));
}

Qp create_target(LocalEndpoint &end)
{
	ibv_qp_init_attr_ex init{};
	init.qp_type = IBV_QPT_XRC_RECV;
	init.xrcd = end.xrcd.get();
	init.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	return Qp(must(ibv_create_qp_ex(end.context.get(), &init), "ibv_create_qp_ex"));
}

} // namespace

LocalEndpoint::LocalEndpoint(const Device &device, const QpSpec &spec)
	: spec(spec), context(device.open()), gid(gid_of(device, spec.family))
{
	if (spec.channel)
		channel.reset(
			must(ibv_create_comp_channel(context.get()), "ibv_create_comp_channel"));
	pd.reset(must(ibv_alloc_pd(context.get()), "ibv_alloc_pd"));
	auto create_cq = [&](uint32_t cqe) {
		return must(
			ibv_create_cq(context.get(), static_cast<int>(cqe), this, channel.get(), 0),
			"ibv_create_cq");
	};
	send_cq.reset(create_cq(spec.send_cqe));
	recv_cq.reset(create_cq(spec.recv_cqe));
	if (spec.xrc())
		xrcd = open_xrcd(*this);
	if (spec.has_srq())
		srq = create_srq(*this);
	if (spec.xrc())
		target = create_target(*this);
	qp = create_qp(*this, device);
	int flags = fcntl(context->async_fd, F_GETFL);
	fcntl(context->async_fd, F_SETFL, flags | O_NONBLOCK);
}

LocalEndpoint::~LocalEndpoint()
{
	handles_.clear();
	windows_.clear();
	qp.reset();
	target.reset();
}

Address LocalEndpoint::address()
{
	Address address{qp->qp_num, gid.gid};
	if (target) {
		address.target_qpn = target->qp_num;
		must_be_zero(ibv_get_srq_num(srq.get(), &address.srqn), "ibv_get_srq_num");
	}
	return address;
}

void LocalEndpoint::connect(const Address &peer, const PathSpec &path)
{
	if (target)
		connect_qp(target.get(), gid, peer, peer.qpn, path);
	connect_qp(qp.get(), gid, peer, target ? peer.target_qpn : peer.qpn, path);
}

namespace {

int ready_qp_to_send(ibv_qp *qp, const PathSpec &path)
{
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = path.sq_psn;
	attr.timeout = path.timeout;
	attr.retry_cnt = path.retry_cnt;
	attr.rnr_retry = path.rnr_retry;
	attr.max_rd_atomic = path.max_rd_atomic;
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (qp->qp_type == IBV_QPT_XRC_RECV)
		mask |= IBV_QP_TIMEOUT;
	if (qp->qp_type == IBV_QPT_RC || qp->qp_type == IBV_QPT_XRC_SEND)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &attr, mask);
}

} // namespace

void connect_qp(ibv_qp *qp, const Gid &gid, const Address &peer, uint32_t qpn,
		const PathSpec &path)
{
	bool datagrams = qp->qp_type == IBV_QPT_UD;
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = kPort;
	attr.qkey = path.qkey;
	attr.qp_access_flags = static_cast<unsigned>(path.access);
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	mask |= datagrams ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	must_be_zero(ibv_modify_qp(qp, &attr, mask), "RESET to INIT");

	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = path.mtu;
	attr.dest_qp_num = qpn;
	attr.rq_psn = path.rq_psn;
	attr.max_dest_rd_atomic = path.max_dest_rd_atomic;
	attr.min_rnr_timer = path.min_rnr_timer;
	attr.ah_attr.is_global = 1;
	attr.ah_attr.port_num = kPort;
	attr.ah_attr.grh.dgid = peer.gid;
	attr.ah_attr.grh.sgid_index = gid.index;
	attr.ah_attr.grh.hop_limit = 64;
	mask = IBV_QP_STATE;
	if (!datagrams)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC || qp->qp_type == IBV_QPT_XRC_RECV)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	must_be_zero(ibv_modify_qp(qp, &attr, mask), "INIT to RTR");
	if (!path.stop_at_rtr)
		must_be_zero(ready_qp_to_send(qp, path), "RTR to RTS");
}

int LocalEndpoint::ready_to_send(const PathSpec &path)
{
	int error = target ? ready_qp_to_send(target.get(), path) : 0;
	return error ? error : ready_qp_to_send(qp.get(), path);
}

int LocalEndpoint::move(ibv_qp_state state)
{
	ibv_qp_attr attr{};
	attr.qp_state = state;
	int error = target ? ibv_modify_qp(target.get(), &attr, IBV_QP_STATE) : 0;
	return error ? error : ibv_modify_qp(qp.get(), &attr, IBV_QP_STATE);
}

ibv_qp_state LocalEndpoint::state()
{
	ibv_qp_attr attr{};
	ibv_qp_init_attr init{};
	must_be_zero(ibv_query_qp(qp.get(), &attr, IBV_QP_STATE, &init), "ibv_query_qp");
	return attr.qp_state;
}

Region LocalEndpoint::add(std::shared_ptr<Memory> memory, uint8_t *start, uint64_t length,
			  int access)
{
	auto entry = std::make_unique<Registered>();
	entry->memory = std::move(memory);
	entry->mr.reset(must(ibv_reg_mr(pd.get(), start, length, static_cast<unsigned>(access)),
			     "ibv_reg_mr"));
	Region region{static_cast<uint32_t>(regions_.size()), entry->mr->lkey, entry->mr->rkey,
		      reinterpret_cast<uintptr_t>(start), length};
	regions_.push_back(std::move(entry));
	return region;
}

Region LocalEndpoint::reg(uint64_t length, int access, unsigned misalign)
{
	auto memory = std::make_shared<Memory>(length, misalign);
	uint8_t *start = memory->data();
	return add(std::move(memory), start, length, access);
}

Region LocalEndpoint::reg_part(const Region &whole, uint64_t offset, uint64_t length, int access)
{
	std::shared_ptr<Memory> memory = regions_.at(whole.id)->memory;
	uint8_t *start = memory->data() + (whole.address - memory->address()) + offset;
	return add(std::move(memory), start, length, access);
}

int LocalEndpoint::dereg(const Region &region)
{
	Mr &mr = regions_.at(region.id)->mr;
	int error = ibv_dereg_mr(mr.get());
	if (!error)
		mr.release();
	return error;
}

ibv_mr *LocalEndpoint::mr(const Region &region) const
{
	return regions_.at(region.id)->mr.get();
}

Window LocalEndpoint::alloc_window(ibv_mw_type type)
{
	windows_.emplace_back(must(ibv_alloc_mw(pd.get(), type), "ibv_alloc_mw"));
	return {static_cast<uint32_t>(windows_.size() - 1), windows_.back()->rkey};
}

int LocalEndpoint::dealloc_window(const Window &window)
{
	return ibv_dealloc_mw(windows_.at(window.id).release());
}

Bound LocalEndpoint::bind_window(const BindSpec &spec)
{
	ibv_mw *window = mw(spec.window);
	ibv_mw_bind_info info{spec.no_region ? nullptr : mr(spec.region), spec.address,
			      spec.length, spec.access};
	if (window->type == IBV_MW_TYPE_1) {
		ibv_mw_bind bind{spec.wr_id, spec.flags, info};
		int error = ibv_bind_mw(qp.get(), window, &bind);
		return {error, window->rkey};
	}
	ibv_send_wr wr{};
	wr.wr_id = spec.wr_id;
	wr.opcode = IBV_WR_BIND_MW;
	wr.send_flags = spec.flags;
	wr.bind_mw = {window, ibv_inc_rkey(window->rkey), info};
	ibv_send_wr *bad = nullptr;
	int error = ibv_post_send(qp.get(), &wr, &bad);
	if (!error)
		window->rkey = wr.bind_mw.rkey;
	return {error, window->rkey};
}

void LocalEndpoint::fill(uint64_t address, uint64_t length, uint64_t seed, uint64_t first)
{
	conformance::fill({reinterpret_cast<uint8_t *>(address), length}, seed, first);
}

int64_t LocalEndpoint::mismatch(uint64_t address, uint64_t length, uint64_t seed, uint64_t first)
{
	return conformance::mismatch({reinterpret_cast<uint8_t *>(address), length}, seed, first);
}

std::vector<uint8_t> LocalEndpoint::peek(uint64_t address, uint32_t length)
{
	auto *start = reinterpret_cast<const uint8_t *>(address);
	return {start, start + length};
}

void LocalEndpoint::poke(uint64_t address, const std::vector<uint8_t> &bytes)
{
	std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t *>(address));
}

int LocalEndpoint::post_recv(uint64_t wr_id, const std::vector<ibv_sge> &sges)
{
	ibv_recv_wr wr{};
	wr.wr_id = wr_id;
	wr.sg_list = const_cast<ibv_sge *>(sges.data());
	wr.num_sge = static_cast<int>(sges.size());
	ibv_recv_wr *bad = nullptr;
	if (srq)
		return ibv_post_srq_recv(srq.get(), &wr, &bad);
	return ibv_post_recv(qp.get(), &wr, &bad);
}

ibv_ah *LocalEndpoint::handle_to(const Address &peer)
{
	for (auto &[address, handle] : handles_) {
		if (memcmp(address.gid.raw, peer.gid.raw, 16) == 0)
			return handle.get();
	}
	ibv_ah_attr attr{};
	attr.is_global = 1;
	attr.port_num = kPort;
	attr.grh.dgid = peer.gid;
	attr.grh.sgid_index = gid.index;
	attr.grh.hop_limit = 64;
	handles_.emplace_back(peer, Ah(must(ibv_create_ah(pd.get(), &attr), "ibv_create_ah")));
	return handles_.back().second.get();
}

ibv_send_wr LocalEndpoint::work_request(const SendSpec &send)
{
	ibv_send_wr wr{};
	wr.wr_id = send.wr_id;
	wr.sg_list = const_cast<ibv_sge *>(send.sges.data());
	wr.num_sge = static_cast<int>(send.sges.size());
	wr.opcode = send.opcode;
	wr.send_flags = send.flags;
	if (send.opcode == IBV_WR_SEND_WITH_INV || send.opcode == IBV_WR_LOCAL_INV)
		wr.invalidate_rkey = send.invalidate;
	else
		wr.imm_data = htonl(send.immediate);
	if (spec.xrc())
		wr.qp_type.xrc.remote_srqn = send.to.srqn;
	if (spec.type == IBV_QPT_UD) {
		wr.wr.ud.ah = handle_to(send.to);
		wr.wr.ud.remote_qpn = send.to.qpn;
		wr.wr.ud.remote_qkey = send.qkey;
	} else if (send.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   send.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic = {send.remote_address, send.compare_add, send.swap, send.rkey};
	} else {
		wr.wr.rdma = {send.remote_address, send.rkey};
	}
	return wr;
}

int LocalEndpoint::post_send(const SendSpec &send)
{
	ibv_send_wr wr = work_request(send);
	ibv_send_wr *bad = nullptr;
	return ibv_post_send(qp.get(), &wr, &bad);
}

std::vector<ibv_wc> LocalEndpoint::poll(Queue queue, size_t count, Milliseconds timeout)
{
	ibv_cq *cq = queue == Queue::kSend ? send_cq.get() : recv_cq.get();
	return conformance::poll(cq, count, timeout);
}

int LocalEndpoint::wait_event(Milliseconds timeout)
{
	pollfd fd{context->async_fd, POLLIN, 0};
	if (::poll(&fd, 1, static_cast<int>(timeout.count())) <= 0)
		return -1;
	ibv_async_event event;
	if (ibv_get_async_event(context.get(), &event))
		return -1;
	ibv_ack_async_event(&event);
	return event.event_type;
}

int LocalEndpoint::attach(const ibv_gid &group)
{
	return ibv_attach_mcast(qp.get(), &group, 0);
}

int LocalEndpoint::detach(const ibv_gid &group)
{
	return ibv_detach_mcast(qp.get(), &group, 0);
}

} // namespace conformance
