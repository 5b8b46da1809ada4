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

#include "argument_calls.h"
#include "link.h"
#include "resources.h"

namespace conformance {
namespace {

using namespace calls;

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
