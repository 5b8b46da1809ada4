// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Verbs with one argument out of its range: the errno, and that nothing is left of the attempt.
//
// Man pages promise "the value of errno", seldom which one. Where they do not, the number is
// errno(3)'s meaning, EINVAL for an invalid argument and EOPNOTSUPP for what the device lacks, or
// that which the kernel's common code gives for every device ("uverbs"). What other suites have
// is not here: see "Wrong arguments" in Documentation/testing.rst.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "link.h"
#include "objects.h"
#include "resources.h"

namespace conformance {
namespace {

constexpr uint32_t kUnknownBit = 1u << 30;

struct Case {
	const char *verb;
	const char *argument;
	std::vector<int> wanted; // any of them
	const char *source;
	std::function<int(Objects &)> attempt; // an errno, or what else the man page says
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
bool has_windows(const Objects &o)
{
	return o.window1 != nullptr;
}
bool resizes_srq(const Objects &)
{
	return local_device().attr().device_cap_flags & IBV_DEVICE_SRQ_RESIZE;
}

bool imports(const Objects &o)
{
	ibv_pd *pd = ibv_import_pd(o.context.get(), o.pd->handle);
	if (pd)
		ibv_unimport_pd(pd);
	return pd != nullptr;
}

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

constexpr int kToInit = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;

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

constexpr uint32_t kXrcdAttr = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;

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

const ibv_qp_type kRc = IBV_QPT_RC;

std::vector<Case> cases()
{
	auto nothing = [](auto &) {};
	const std::vector<int> invalid = {EINVAL}, minus = {-1};
	const std::vector<int> unknown = {EINVAL, EOPNOTSUPP};
	// No road leads there: the kernel's routing says why.
	const std::vector<int> unreachable = {EINVAL, ENETUNREACH, EHOSTUNREACH, ENODEV, ETIMEDOUT};
	return {
		{"query_device_ex", "comp_mask", invalid, "errno(3)", query_device_ex},
		{"query_rt_values_ex", "comp_mask", unknown, "errno(3)", query_rt_values},
		{"query_gid", "index-1", minus, "ibv_query_gid(3)",
		 [](Objects &o) { return query_gid(o, kPort, -1); }},
		{"query_gid", "index", minus, "ibv_query_gid(3)",
		 [](Objects &o) { return query_gid(o, kPort, 1 << 20); }},
		{"query_gid", "port", minus, "ibv_query_gid(3)",
		 [](Objects &o) { return query_gid(o, 2, 0); }},
		{"query_pkey", "index-1", minus, "ibv_query_pkey(3)",
		 [](Objects &o) { return query_pkey(o, kPort, -1); }},
		{"query_pkey", "index", minus, "ibv_query_pkey(3)",
		 [](Objects &o) { return query_pkey(o, kPort, 1 << 20); }},
		{"query_pkey", "port", minus, "ibv_query_pkey(3)",
		 [](Objects &o) { return query_pkey(o, 2, 0); }},
		{"get_pkey_index", "pkey", minus, "ibv_get_pkey_index(3)",
		 [](Objects &o) {
			 return ibv_get_pkey_index(o.context.get(), kPort, htobe16(0x1234));
		 }},
		{"query_gid_table",
		 "max_entries",
		 {-EINVAL},
		 "ibv_query_gid_table(3): negative",
		 [](Objects &o) { return query_gid_table(o, 0, 0); }},
		{"query_gid_table",
		 "flags",
		 {-EINVAL, -EOPNOTSUPP},
		 "ibv_query_gid_table(3): negative",
		 [](Objects &o) { return query_gid_table(o, 255, kUnknownBit); }},
		{"import_device",
		 "fd",
		 {EINVAL, EBADF},
		 "errno(3)",
		 [](Objects &) { return import_device(-1); }},
		{"import_device",
		 "fd-of-another-kind",
		 {EINVAL, ENOENT, ENODEV, ENOTTY},
		 "errno(3)",
		 [](Objects &) { return import_device_of("/dev/null"); }},
		{"import_mr",
		 "handle",
		 {EINVAL, ENOENT},
		 "uverbs",
		 [](Objects &o) { return import_mr(o, 0x7ffffff0); },
		 imports},
		{"import_mr", "handle-of-another-kind", invalid, "uverbs",
		 [](Objects &o) { return import_mr(o, o.cq->handle); }, imports},
		{"import_pd",
		 "handle",
		 {EINVAL, ENOENT},
		 "uverbs",
		 [](Objects &o) { return import_pd(o, 0x7ffffff0); },
		 imports},
		{"import_pd", "handle-of-another-kind", invalid, "uverbs",
		 [](Objects &o) { return import_pd(o, o.cq->handle); }, imports},

		{"reg_mr",
		 "length",
		 {EINVAL, ENOMEM, EFAULT},
		 "errno(3)",
		 [](Objects &o) { return reg_mr(o, SIZE_MAX / 2, 0); }},
		{"reg_mr", "access-atomic", invalid, "ibv_reg_mr(3): local write, too",
		 [](Objects &o) { return reg_mr(o, 64, IBV_ACCESS_REMOTE_ATOMIC); }},
		{"reg_mr", "access", unknown, "errno(3)",
		 [](Objects &o) { return reg_mr(o, 64, 1u << 19); }},
		{"reg_mr_iova", "iova", invalid, "uverbs: the same offset in a page",
		 [](Objects &o) { return reg_mr_iova(o, o.memory.address() + 1); }},
		{"reg_mr_iova", "iova-wraps", invalid, "IBA 11.2.8.2: invalid virtual address",
		 [](Objects &o) { return reg_mr_iova(o, -4096ull + o.memory.address() % 4096); }},
		{"rereg_mr",
		 "flags",
		 {IBV_REREG_MR_ERR_INPUT},
		 "ibv_rereg_mr(3)",
		 [](Objects &o) { return rereg_mr(o, 1 << 7, nullptr, 0, 0); }},
		{"rereg_mr",
		 "addr",
		 {IBV_REREG_MR_ERR_INPUT},
		 "ibv_rereg_mr(3)",
		 [](Objects &o) {
			 return rereg_mr(o, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, 64, 0);
		 }},
		{"rereg_mr",
		 "length",
		 {IBV_REREG_MR_ERR_INPUT},
		 "ibv_rereg_mr(3)",
		 [](Objects &o) {
			 return rereg_mr(o, IBV_REREG_MR_CHANGE_TRANSLATION, o.memory.data(), 0, 0);
		 }},
		{"rereg_mr",
		 "access",
		 {IBV_REREG_MR_ERR_INPUT},
		 "ibv_rereg_mr(3)",
		 [](Objects &o) {
			 return rereg_mr(o, IBV_REREG_MR_CHANGE_PD, nullptr, 0, kAllAccess);
		 }},
		{"alloc_mw", "type0", unknown, "ibv_alloc_mw(3): type 1 or 2",
		 [](Objects &o) { return alloc_mw(o, 0); }, has_windows},
		{"alloc_mw", "type3", unknown, "ibv_alloc_mw(3): type 1 or 2",
		 [](Objects &o) { return alloc_mw(o, 3); }, has_windows},
		{"alloc_mw", "type", unknown, "ibv_alloc_mw(3): type 1 or 2",
		 [](Objects &o) { return alloc_mw(o, 257); }, has_windows},
		{"bind_mw", "type", invalid, "ibv_bind_mw(3): type 2 is posted",
		 [](Objects &o) { return bind_mw(o, o.window2.get()); }, has_windows},
		{"bind_mw", "state", invalid, "IBA 10.3.1.1: nothing is posted in Reset",
		 [](Objects &o) { return bind_mw(o, o.window1.get()); }, has_windows},

		{"create_cq",
		 "channel",
		 {EBADF},
		 "uverbs",
		 [](Objects &o) { return create_cq_with_channel(o, 9999); }},
		{"create_cq",
		 "channel-of-another-kind",
		 {EBADF},
		 "uverbs",
		 [](Objects &o) { return create_cq_with_channel(o, o.context->async_fd); }},
		{"create_cq_ex", "cqe0", invalid, "errno(3)",
		 [](Objects &o) { return create_cq_ex(o, 0, 0); }},
		{"create_cq_ex", "cqe", invalid, "errno(3)",
		 [](Objects &o) {
			 return create_cq_ex(o, uint32_t(local_device().attr().max_cqe) + 1, 0);
		 }},
		{"create_cq_ex", "comp_vector", invalid, "ibv_create_cq_ex(3)",
		 [](Objects &o) {
			 return create_cq_ex(o, 16, uint32_t(o.context->num_comp_vectors));
		 }},
		{"modify_cq", "attr_mask0", unknown, "uverbs",
		 [](Objects &o) { return modify_cq(o, 0); }},
		{"modify_cq", "attr_mask", unknown, "uverbs",
		 [](Objects &o) { return modify_cq(o, kUnknownBit); }},
		{"poll_cq",
		 "num_entries0",
		 {0, -1},
		 "ibv_poll_cq(3)",
		 [](Objects &o) { return poll_cq(o, 0); }},
		{"poll_cq",
		 "num_entries",
		 {0, -1},
		 "ibv_poll_cq(3)",
		 [](Objects &o) { return poll_cq(o, -1); }},

		{"create_qp", "send_cq", invalid, "IBA 11.2.5.1: invalid CQ",
		 [](Objects &o) {
			 return create_qp(o, kRc, [](auto &init) { init.send_cq = nullptr; });
		 }},
		{"create_qp", "recv_cq", invalid, "IBA 11.2.5.1: invalid CQ",
		 [](Objects &o) {
			 return create_qp(o, kRc, [](auto &init) { init.recv_cq = nullptr; });
		 }},
		{"create_qp", "max_inline_data", invalid, "errno(3)",
		 [](Objects &o) {
			 return create_qp(
				 o, kRc, [](auto &init) { init.cap.max_inline_data = UINT32_MAX; });
		 }},
		{"create_qp", "type-xrc-recv", unknown, "it has an XRC domain",
		 [=](Objects &o) { return create_qp(o, IBV_QPT_XRC_RECV, nothing); }},
		{"create_qp", "type-raw", unknown, "errno(3)",
		 [=](Objects &o) { return create_qp(o, IBV_QPT_RAW_PACKET, nothing); }},
		{"create_qp", "type-driver", unknown, "errno(3)",
		 [=](Objects &o) { return create_qp(o, IBV_QPT_DRIVER, nothing); }},
		{"create_qp", "srq-of-xrc", invalid, "IBA 10.2.9: one of XRC is for XRC",
		 [](Objects &o) {
			 return create_qp(o, kRc, [&](auto &init) { init.srq = o.xrc_srq.get(); });
		 },
		 has_xrc},
		{"create_qp", "srq-with-initiator", unknown, "an initiator receives nothing",
		 [](Objects &o) {
			 return create_qp(o, IBV_QPT_XRC_SEND,
					  [&](auto &init) { init.srq = o.srq.get(); });
		 },
		 has_xrc},
		{"create_qp_ex", "comp_mask", unknown, "errno(3)",
		 [](Objects &o) {
			 return create_qp_ex(o, kRc,
					     [](auto &init) { init.comp_mask |= kUnknownBit; });
		 }},
		{"create_qp_ex", "pd", invalid, "ibv_create_qp_ex(3)",
		 [](Objects &o) {
			 return create_qp_ex(o, kRc, [](auto &init) { init.comp_mask = 0; });
		 }},
		{"create_qp_ex", "create_flags", unknown, "errno(3)",
		 [](Objects &o) {
			 return create_qp_ex(o, kRc, [](auto &init) {
				 init.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
				 init.create_flags = kUnknownBit;
			 });
		 }},
		{"create_qp_ex", "send_ops_flags", unknown, "errno(3)",
		 [](Objects &o) {
			 return create_qp_ex(o, kRc, [](auto &init) {
				 init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
				 init.send_ops_flags = 1ull << 40;
			 });
		 }},
		{"create_qp_ex", "send_ops_flags-of-the-type", unknown, "errno(3)",
		 [](Objects &o) {
			 return create_qp_ex(o, IBV_QPT_UD, [](auto &init) {
				 init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
				 init.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ;
			 });
		 }},
		{"create_qp_ex", "max_tso_header", unknown, "errno(3)",
		 [](Objects &o) {
			 return create_qp_ex(o, kRc, [](auto &init) {
				 init.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
				 init.max_tso_header = 64;
			 });
		 }},
		{"create_qp_ex", "xrcd", invalid, "ibv_create_qp_ex(3)",
		 [](Objects &o) {
			 return create_qp_ex(o, IBV_QPT_XRC_RECV,
					     [](auto &init) { init.comp_mask = 0; });
		 },
		 has_xrc},
		{"open_qp",
		 "comp_mask0",
		 {EINVAL, EOPNOTSUPP, ENOSYS},
		 "ibv_open_qp(3)",
		 [](Objects &o) { return open_qp(o, [](auto &attr) { attr.comp_mask = 0; }); },
		 has_xrc},
		{"open_qp",
		 "comp_mask",
		 {EINVAL, EOPNOTSUPP, ENOSYS},
		 "ibv_open_qp(3)",
		 [](Objects &o) {
			 return open_qp(o, [](auto &attr) { attr.comp_mask |= kUnknownBit; });
		 },
		 has_xrc},
		{"open_qp", "type", invalid, "ibv_open_qp(3): fails",
		 [](Objects &o) {
			 return open_qp(o, [](auto &attr) { attr.qp_type = IBV_QPT_RC; });
		 },
		 has_xrc},
		{"open_qp", "qp_num", invalid, "ibv_open_qp(3): fails",
		 [](Objects &o) {
			 return open_qp(o, [](auto &attr) { attr.qp_num = 0xff000001; });
		 },
		 has_xrc},
		{"open_qp", "qp_num-of-another-type", invalid, "ibv_open_qp(3): fails",
		 [](Objects &o) {
			 return open_qp(o, [&](auto &attr) { attr.qp_num = o.rc->qp_num; });
		 },
		 has_xrc},

		{"modify_qp", "qp_state", invalid, "ibv_modify_qp(3)",
		 [](Objects &o) {
			 return modify_qp(o, IBV_QP_STATE,
					  [](auto &a) { a.qp_state = ibv_qp_state(77); });
		 }},
		{"modify_qp", "cur_qp_state", invalid, "ibv_modify_qp(3)",
		 [](Objects &o) {
			 return modify_qp(o, kToInit | IBV_QP_CUR_STATE,
					  [](auto &a) { a.cur_qp_state = ibv_qp_state(77); });
		 }},
		{"modify_qp", "attr_mask", unknown, "ibv_modify_qp(3)",
		 [=](Objects &o) { return modify_qp(o, kToInit | 1 << 26, nothing); }},
		{"modify_qp", "attr_mask-sign", unknown, "ibv_modify_qp(3)",
		 [=](Objects &o) { return modify_qp(o, kToInit | 1 << 31, nothing); }},
		{"modify_qp", "cap", unknown, "ibv_modify_qp(3): if the device resizes",
		 [=](Objects &o) { return modify_qp(o, kToInit | IBV_QP_CAP, nothing); }},
		{"modify_qp", "rate_limit", unknown, "ibv_modify_qp(3)",
		 [=](Objects &o) { return modify_qp(o, kToInit | IBV_QP_RATE_LIMIT, nothing); }},
		{"modify_qp", "path_mig_state", invalid, "ibv_modify_qp(3)",
		 [](Objects &o) {
			 return modify_qp(o, kToInit | IBV_QP_PATH_MIG_STATE,
					  [](auto &a) { a.path_mig_state = ibv_mig_state(77); });
		 }},
		{"modify_qp", "qp_access_flags", unknown, "ibv_modify_qp(3)",
		 [](Objects &o) {
			 return modify_qp(o, kToInit,
					  [](auto &a) { a.qp_access_flags = 1u << 19; });
		 }},
		{"post_send", "num_sge", invalid, "ibv_post_send(3)",
		 [](Objects &o) { return post_send_sges(o, -1); }},

		{"create_ah", "is_global", unknown, "ibv_create_ah(3): GRH required",
		 [](Objects &o) { return create_ah(o, [](auto &a) { a.is_global = 0; }); }},
		{"create_ah",
		 "sgid_index",
		 {EINVAL, ENODATA},
		 "uverbs: no GID is there",
		 [](Objects &o) { return create_ah(o, [](auto &a) { a.grh.sgid_index = 255; }); }},
		{"create_ah", "port_num", invalid, "errno(3)",
		 [](Objects &o) { return create_ah(o, [](auto &a) { a.port_num = 255; }); }},
		{"create_ah", "dgid0", unreachable, "errno(3)",
		 [](Objects &o) {
			 return create_ah(o, [](auto &a) { memset(&a.grh.dgid, 0, 16); });
		 }},
		{"create_ah", "dgid-of-another-family", unreachable, "errno(3)",
		 [](Objects &o) {
			 return create_ah(o, [](auto &a) {
				 memset(&a.grh.dgid, 0, 16);
				 a.grh.dgid.raw[0] = 0x20;
				 a.grh.dgid.raw[15] = 1;
			 });
		 }},
		{"create_ah_from_wc", "port", minus, "ibv_create_ah_from_wc(3)",
		 [](Objects &o) { return create_ah_from_wc(o, IBV_WC_GRH, 2); }},
		{"create_ah_from_wc", "wc-without-grh", minus, "ibv_create_ah(3): GRH required",
		 [](Objects &o) { return create_ah_from_wc(o, 0, kPort); }},

		{"create_srq", "max_wr0", invalid, "errno(3)",
		 [](Objects &o) { return create_srq(o, 0, 1); }, has_srq},
		{"create_srq", "max_wr", invalid, "errno(3)",
		 [](Objects &o) { return create_srq(o, UINT32_MAX, 1); }, has_srq},
		{"create_srq", "max_sge", invalid, "errno(3)",
		 [](Objects &o) { return create_srq(o, 16, UINT32_MAX); }, has_srq},
		{"create_srq_ex", "comp_mask", unknown, "errno(3)",
		 [](Objects &o) {
			 return create_srq_ex(o, [](auto &a) { a.comp_mask |= kUnknownBit; });
		 },
		 has_xrc},
		{"create_srq_ex", "srq_type", unknown, "errno(3)",
		 [](Objects &o) {
			 return create_srq_ex(o, [](auto &a) { a.srq_type = ibv_srq_type(77); });
		 },
		 has_xrc},
		{"create_srq_ex", "srq_type-tm", unknown, "errno(3)",
		 [](Objects &o) {
			 return create_srq_ex(o, [](auto &a) { a.srq_type = IBV_SRQT_TM; });
		 },
		 has_xrc},
		{"create_srq_ex", "pd", invalid, "ibv_create_srq_ex(3)",
		 [](Objects &o) {
			 return create_srq_ex(o, [](auto &a) {
				 a.comp_mask &= ~uint32_t{IBV_SRQ_INIT_ATTR_PD};
			 });
		 },
		 has_xrc},
		{"create_srq_ex", "xrcd", invalid, "ibv_create_srq_ex(3)",
		 [](Objects &o) {
			 return create_srq_ex(o, [](auto &a) {
				 a.comp_mask &= ~uint32_t{IBV_SRQ_INIT_ATTR_XRCD};
			 });
		 },
		 has_xrc},
		{"create_srq_ex", "cq", invalid, "ibv_create_srq_ex(3)",
		 [](Objects &o) {
			 return create_srq_ex(o, [](auto &a) {
				 a.comp_mask &= ~uint32_t{IBV_SRQ_INIT_ATTR_CQ};
			 });
		 },
		 has_xrc},
		{"create_srq_ex", "max_wr", invalid, "errno(3)",
		 [](Objects &o) {
			 return create_srq_ex(o, [](auto &a) { a.attr.max_wr = UINT32_MAX; });
		 },
		 has_xrc},
		{"modify_srq", "max_wr0", invalid, "errno(3)",
		 [](Objects &o) { return modify_srq(o, IBV_SRQ_MAX_WR, 0, 0); }, resizes_srq},
		{"modify_srq", "max_wr", invalid, "errno(3)",
		 [](Objects &o) { return modify_srq(o, IBV_SRQ_MAX_WR, UINT32_MAX, 0); },
		 resizes_srq},
		{"modify_srq", "srq_limit", invalid, "errno(3)",
		 [](Objects &o) { return modify_srq(o, IBV_SRQ_LIMIT, 0, UINT32_MAX); }, has_srq},
		{"modify_srq", "both", invalid, "ibv_modify_srq(3): none is modified",
		 [](Objects &o) {
			 return modify_srq(o, IBV_SRQ_LIMIT | IBV_SRQ_MAX_WR, 32, UINT32_MAX);
		 },
		 resizes_srq},
		{"modify_srq", "srq_attr_mask", unknown, "errno(3)",
		 [](Objects &o) { return modify_srq(o, 1 << 5, 0, 0); }, has_srq},
		{"get_srq_num", "srq", unknown, "one of XRC has a number",
		 [](Objects &o) { return get_srq_num(o); }, has_srq},
		{"post_srq_recv", "num_sge", invalid, "ibv_post_srq_recv(3)",
		 [](Objects &o) { return post_srq_recv(o, 64); }, has_srq},
		{"post_srq_recv", "num_sge-1", invalid, "ibv_post_srq_recv(3)",
		 [](Objects &o) { return post_srq_recv(o, -1); }, has_srq},

		{"open_xrcd",
		 "comp_mask0",
		 {EINVAL, EOPNOTSUPP, ENOSYS},
		 "ibv_open_xrcd(3)",
		 [](Objects &o) { return open_xrcd(o, 0, -1, O_CREAT); },
		 has_xrc},
		{"open_xrcd",
		 "comp_mask",
		 {EINVAL, EOPNOTSUPP, ENOSYS},
		 "ibv_open_xrcd(3)",
		 [](Objects &o) { return open_xrcd(o, kXrcdAttr | kUnknownBit, -1, O_CREAT); },
		 has_xrc},
		{"open_xrcd",
		 "fd",
		 {EBADF},
		 "uverbs",
		 [](Objects &o) { return open_xrcd(o, kXrcdAttr, 9999, O_CREAT); },
		 has_xrc},
		{"open_xrcd",
		 "oflags-of-none",
		 {EAGAIN},
		 "uverbs: no O_CREAT",
		 [](Objects &o) { return open_xrcd_of_file(o, 0, false); },
		 has_xrc},
		{"open_xrcd", "oflags-of-one", invalid, "uverbs: O_EXCL",
		 [](Objects &o) { return open_xrcd_of_file(o, O_CREAT | O_EXCL, true); }, has_xrc},

		{"alloc_dm", "length", {EOPNOTSUPP, EINVAL, ENOMEM}, "errno(3)", alloc_dm},
		{"create_counters", "comp_mask", unknown, "errno(3)", create_counters},
		{"modify_qp_rate_limit", "comp_mask", unknown, "errno(3)", rate_limit},
	};
}

class ArgumentTest : public LocalTest, public testing::WithParamInterface<Case> {
protected:
	static void SetUpTestSuite() { objects_ = std::make_unique<Objects>(); }
	static void TearDownTestSuite() { objects_.reset(); }

	static inline std::unique_ptr<Objects> objects_;
};

TEST_P(ArgumentTest, OutOfRange)
{
	const Case &c = GetParam();
	if (c.offered && !c.offered(*objects_))
		GTEST_SKIP() << "the device does not have it";
	auto before = resources(local_device().name());
	errno = 0;
	int got = c.attempt(*objects_);
	EXPECT_TRUE(std::find(c.wanted.begin(), c.wanted.end(), got) != c.wanted.end())
		<< "ibv_" << c.verb << " with a wrong " << c.argument << ": " << got << " ("
		<< strerror(std::abs(got)) << "), not " << c.wanted[0] << " ("
		<< strerror(std::abs(c.wanted[0])) << "): " << c.source;
	auto after = resources(local_device().name());
	EXPECT_EQ(before, after) << resources_text(before) << "became " << resources_text(after);
	objects_->expect_untouched();
	// What was taken against all expectation does not spoil the next case.
	if (HasFailure())
		objects_ = std::make_unique<Objects>();
}

std::string case_name(const testing::TestParamInfo<Case> &info)
{
	std::string name = std::string(info.param.verb) + "_" + info.param.argument;
	std::replace(name.begin(), name.end(), '-', '_');
	return name;
}

INSTANTIATE_TEST_SUITE_P(Verb, ArgumentTest, testing::ValuesIn(cases()), case_name);

} // namespace
} // namespace conformance
