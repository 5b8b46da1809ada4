// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "argument_calls.h"

#include <fcntl.h>
#include <unistd.h>

#include "link.h"

namespace conformance::calls {

int error_of(bool failed)
{
	return failed ? errno : 0;
}

// ---- device, port, tables ----------------------------------------------------

int query_gid(Objects &o, uint8_t port, int index)
{
	ibv_gid gid;
	return ibv_query_gid(o.context.get(), port, index, &gid);
}

int query_pkey(Objects &o, uint8_t port, int index)
{
	uint16_t pkey;
	return ibv_query_pkey(o.context.get(), port, index, &pkey);
}

int query_gid_table(Objects &o, size_t room, uint32_t flags)
{
	std::vector<ibv_gid_entry> entries(room + 1);
	return static_cast<int>(ibv_query_gid_table(o.context.get(), entries.data(), room, flags));
}

int query_device_ex(Objects &o)
{
	ibv_query_device_ex_input input{kUnknownBit};
	ibv_device_attr_ex attr{};
	return ibv_query_device_ex(o.context.get(), &input, &attr);
}

int query_rt_values(Objects &o)
{
	ibv_values_ex values{};
	values.comp_mask = kUnknownBit;
	return ibv_query_rt_values_ex(o.context.get(), &values);
}

int import_device(int fd)
{
	ibv_context *context = ibv_import_device(fd);
	return made<Context>(context);
}

int import_device_of(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int error = import_device(fd);
	close(fd);
	return error;
}

int import_mr(Objects &o, uint32_t handle)
{
	ibv_mr *mr = ibv_import_mr(o.pd.get(), handle);
	int error = error_of(!mr);
	if (mr)
		ibv_unimport_mr(mr);
	return error;
}

/// What is imported is a number: at the latest its first use tells.
int import_pd(Objects &o, uint32_t handle)
{
	ibv_pd *pd = ibv_import_pd(o.context.get(), handle);
	if (!pd)
		return errno;
	ibv_mr *mr = ibv_reg_mr(pd, o.memory.data(), 64, 0);
	int error = made<Mr>(mr);
	ibv_unimport_pd(pd);
	return error;
}

// ---- memory --------------------------------------------------------------------

int reg_mr(Objects &o, size_t length, unsigned access)
{
	return made<Mr>(ibv_reg_mr(o.pd.get(), o.memory.data(), length, access));
}

int reg_mr_iova(Objects &o, uint64_t iova)
{
	return made<Mr>(
		ibv_reg_mr_iova(o.pd.get(), o.memory.data(), 4096, iova, IBV_ACCESS_LOCAL_WRITE));
}

int rereg_mr(Objects &o, int flags, void *start, size_t length, int access)
{
	return ibv_rereg_mr(o.mr.get(), flags, nullptr, start, length, access);
}

int alloc_mw(Objects &o, int type)
{
	return made<Mw>(ibv_alloc_mw(o.pd.get(), static_cast<ibv_mw_type>(type)));
}

int bind_mw(Objects &o, ibv_mw *window)
{
	ibv_mw_bind bind{
		1, IBV_SEND_SIGNALED, {o.mr.get(), o.memory.address(), 64, IBV_ACCESS_REMOTE_READ}};
	return ibv_bind_mw(o.rc.get(), window, &bind);
}

// ---- completion queues -----------------------------------------------------------

/// A channel that is no longer there, or never was one.
int create_cq_with_channel(Objects &o, int fd)
{
	ibv_comp_channel channel = *o.channel;
	channel.fd = fd;
	return made<Cq>(ibv_create_cq(o.context.get(), 16, nullptr, &channel, 0));
}

int create_cq_ex(Objects &o, uint32_t cqe, uint32_t vector)
{
	ibv_cq_init_attr_ex attr{};
	attr.cqe = cqe;
	attr.comp_vector = vector;
	ibv_cq_ex *cq = ibv_create_cq_ex(o.context.get(), &attr);
	int error = errno;
	return cq ? made<Cq>(ibv_cq_ex_to_cq(cq)) : error;
}

int modify_cq(Objects &o, uint32_t mask)
{
	ibv_modify_cq_attr attr{};
	attr.attr_mask = mask;
	return ibv_modify_cq(o.cq.get(), &attr);
}

int poll_cq(Objects &o, int entries)
{
	ibv_wc wc;
	return std::min(ibv_poll_cq(o.cq.get(), entries, &wc), 0);
}

// ---- queue pairs ------------------------------------------------------------------

int create_qp(Objects &o, ibv_qp_type type, const std::function<void(ibv_qp_init_attr &)> &change)
{
	ibv_qp_init_attr init = o.qp_attr(type);
	change(init);
	return made<Qp>(ibv_create_qp(o.pd.get(), &init));
}

int create_qp_ex(Objects &o, ibv_qp_type type,
		 const std::function<void(ibv_qp_init_attr_ex &)> &change)
{
	ibv_qp_init_attr_ex init = o.qp_attr_ex(type);
	change(init);
	return made<Qp>(ibv_create_qp_ex(o.context.get(), &init));
}

int modify_qp(Objects &o, int mask, const std::function<void(ibv_qp_attr &)> &change)
{
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = kPort;
	change(attr);
	return ibv_modify_qp(o.rc.get(), &attr, mask);
}

int open_qp(Objects &o, const std::function<void(ibv_qp_open_attr &)> &change)
{
	ibv_qp_open_attr attr{};
	attr.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE;
	attr.qp_num = o.target->qp_num;
	attr.xrcd = o.xrcd.get();
	attr.qp_type = IBV_QPT_XRC_RECV;
	change(attr);
	return made<Qp>(ibv_open_qp(o.context.get(), &attr));
}

int post_send_sges(Objects &o, int count)
{
	// The QP is in RESET, where nothing may be posted: one more reason to refuse it.
	ibv_send_wr wr{}, *bad = nullptr;
	wr.num_sge = count;
	int error = ibv_post_send(o.rc.get(), &wr, &bad);
	EXPECT_EQ(bad, &wr);
	return error;
}

// ---- address handles ----------------------------------------------------------------

int create_ah(Objects &o, const std::function<void(ibv_ah_attr &)> &change)
{
	ibv_ah_attr attr = o.ah_attr();
	change(attr);
	return made<Ah>(ibv_create_ah(o.pd.get(), &attr));
}

int create_ah_from_wc(Objects &o, unsigned wc_flags, uint8_t port)
{
	ibv_wc wc{};
	wc.wc_flags = wc_flags;
	ibv_grh grh{};
	grh.version_tclass_flow = htobe32(6u << 28);
	grh.sgid = grh.dgid = local_device().gid(Family::kIpv4)->gid;
	// Of an errno it says nothing.
	return made<Ah>(ibv_create_ah_from_wc(o.pd.get(), &wc, &grh, port)) ? -1 : 0;
}

// ---- shared receive queues ------------------------------------------------------------

int create_srq(Objects &o, uint32_t max_wr, uint32_t max_sge)
{
	ibv_srq_init_attr init{nullptr, {max_wr, max_sge, 0}};
	return made<Srq>(ibv_create_srq(o.pd.get(), &init));
}

int create_srq_ex(Objects &o, const std::function<void(ibv_srq_init_attr_ex &)> &change)
{
	ibv_srq_init_attr_ex init = o.xrc_srq_attr();
	change(init);
	return made<Srq>(ibv_create_srq_ex(o.context.get(), &init));
}

int modify_srq(Objects &o, int mask, uint32_t max_wr, uint32_t limit)
{
	ibv_srq_attr attr{max_wr, 1, limit};
	int error = ibv_modify_srq(o.srq.get(), &attr, mask);
	ibv_srq_attr now{};
	EXPECT_EQ(ibv_query_srq(o.srq.get(), &now), 0);
	EXPECT_EQ(now.srq_limit, 0u);
	EXPECT_GE(now.max_wr, 16u);
	return error;
}

int get_srq_num(Objects &o)
{
	uint32_t number = 0;
	return ibv_get_srq_num(o.srq.get(), &number);
}

int post_srq_recv(Objects &o, int count)
{
	std::vector<ibv_sge> sges(64);
	ibv_recv_wr wr{}, *bad = nullptr;
	wr.sg_list = sges.data();
	wr.num_sge = count;
	int error = ibv_post_srq_recv(o.srq.get(), &wr, &bad);
	EXPECT_EQ(bad, &wr);
	return error;
}

// ---- XRC domains --------------------------------------------------------------------------

int open_xrcd(Objects &o, uint32_t comp_mask, int fd, int oflags)
{
	ibv_xrcd_init_attr init{};
	init.comp_mask = comp_mask;
	init.fd = fd;
	init.oflags = oflags;
	return made<Xrcd>(ibv_open_xrcd(o.context.get(), &init));
}

/// With a file that no domain is known by.
int open_xrcd_of_file(Objects &o, int oflags, bool exists)
{
	FILE *file = tmpfile();
	ibv_xrcd_init_attr init{};
	init.comp_mask = kXrcdAttr;
	init.fd = fileno(file);
	init.oflags = O_CREAT;
	Xrcd first(exists ? ibv_open_xrcd(o.context.get(), &init) : nullptr);
	int error = open_xrcd(o, kXrcdAttr, fileno(file), oflags);
	first.reset();
	fclose(file);
	return error;
}

// ---- what a device may lack ---------------------------------------------------------------

int alloc_dm(Objects &o)
{
	ibv_alloc_dm_attr attr{};
	attr.length = SIZE_MAX;
	ibv_dm *dm = ibv_alloc_dm(o.context.get(), &attr);
	return error_of(!dm);
}

int create_counters(Objects &o)
{
	ibv_counters_init_attr attr{kUnknownBit};
	return error_of(!ibv_create_counters(o.context.get(), &attr));
}

int rate_limit(Objects &o)
{
	ibv_qp_rate_limit_attr attr{};
	attr.comp_mask = kUnknownBit;
	return ibv_modify_qp_rate_limit(o.rc.get(), &attr);
}

} // namespace conformance::calls
