// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Verbs called with arguments of which one is to be wrong. Each returns an errno, 0, or what
// else the man page says, and what it makes against all expectation is destroyed again.
#pragma once

#include <functional>

#include "objects.h"

namespace conformance::calls {

constexpr uint32_t kUnknownBit = 1u << 30;
constexpr int kToInit = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
constexpr uint32_t kXrcdAttr = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;

int error_of(bool failed);

// ---- device, port, tables ----------------------------------------------------

int query_gid(Objects &o, uint8_t port, int index);
int query_pkey(Objects &o, uint8_t port, int index);
int query_gid_table(Objects &o, size_t room, uint32_t flags);
int query_device_ex(Objects &o);
int query_rt_values(Objects &o);
int import_device(int fd);
int import_device_of(const char *path);
int import_mr(Objects &o, uint32_t handle);
int import_pd(Objects &o, uint32_t handle);

// ---- memory --------------------------------------------------------------------

int reg_mr(Objects &o, size_t length, unsigned access);
int reg_mr_iova(Objects &o, uint64_t iova);
int rereg_mr(Objects &o, int flags, void *start, size_t length, int access);
int alloc_mw(Objects &o, int type);
int bind_mw(Objects &o, ibv_mw *window);

// ---- completion queues -----------------------------------------------------------

int create_cq_with_channel(Objects &o, int fd);
int create_cq_ex(Objects &o, uint32_t cqe, uint32_t vector);
int modify_cq(Objects &o, uint32_t mask);
int poll_cq(Objects &o, int entries);

// ---- queue pairs ------------------------------------------------------------------

int create_qp(Objects &o, ibv_qp_type type, const std::function<void(ibv_qp_init_attr &)> &change);
int create_qp_ex(Objects &o, ibv_qp_type type,
		 const std::function<void(ibv_qp_init_attr_ex &)> &change);
int modify_qp(Objects &o, int mask, const std::function<void(ibv_qp_attr &)> &change);
int open_qp(Objects &o, const std::function<void(ibv_qp_open_attr &)> &change);
int post_send_sges(Objects &o, int count);

// ---- address handles ----------------------------------------------------------------

int create_ah(Objects &o, const std::function<void(ibv_ah_attr &)> &change);
int create_ah_from_wc(Objects &o, unsigned wc_flags, uint8_t port);

// ---- shared receive queues ------------------------------------------------------------

int create_srq(Objects &o, uint32_t max_wr, uint32_t max_sge);
int create_srq_ex(Objects &o, const std::function<void(ibv_srq_init_attr_ex &)> &change);
int modify_srq(Objects &o, int mask, uint32_t max_wr, uint32_t limit);
int get_srq_num(Objects &o);
int post_srq_recv(Objects &o, int count);

// ---- XRC domains --------------------------------------------------------------------------

int open_xrcd(Objects &o, uint32_t comp_mask, int fd, int oflags);
int open_xrcd_of_file(Objects &o, int oflags, bool exists);

// ---- what a device may lack ---------------------------------------------------------------

int alloc_dm(Objects &o);
int create_counters(Objects &o);
int rate_limit(Objects &o);

} // namespace conformance::calls
