/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * srnic-abi.h for the core, and what the core takes for granted about it.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <infiniband/verbs.h>
#include <rdma/srnic-abi.h>

namespace srnic {

static_assert(sizeof(srnic_doorbell_line) == SRNIC_DOORBELL_LINE_BYTES);
static_assert(sizeof(srnic_queue_header) == SRNIC_QUEUE_HEADER_BYTES);
static_assert(sizeof(srnic_send_wqe) == SRNIC_WQE_HEADER_BYTES);
static_assert(offsetof(srnic_send_wqe, rdma) == 24 && offsetof(srnic_send_wqe, ud) == 24);
static_assert(offsetof(srnic_send_wqe, bind) == 24 && sizeof(srnic_send_wqe::bind) == 32);
static_assert(sizeof(srnic_recv_wqe) == 16);
static_assert(sizeof(srnic_cq_header) == 128 && offsetof(srnic_cq_header, notified) == 64);
static_assert(sizeof(srnic_cqe) == 64 && offsetof(srnic_cqe, phase) == 62);
static_assert(sizeof(srnic_create_qp_resp) == 72);
static_assert(sizeof(srnic_create_cq_resp) == 24);
static_assert(sizeof(srnic_resize_cq_resp) == 32);
static_assert(sizeof(srnic_create_srq_resp) == 32);
static_assert(sizeof(srnic_modify_srq_cmd) == 16);
static_assert(offsetof(srnic_cqe, srqn) == 48);

// A list of ibv_sge is copied into a slot as it is.
static_assert(sizeof(srnic_sge) == sizeof(ibv_sge));
static_assert(offsetof(srnic_sge, addr) == offsetof(ibv_sge, addr));
static_assert(offsetof(srnic_sge, length) == offsetof(ibv_sge, length));
static_assert(offsetof(srnic_sge, lkey) == offsetof(ibv_sge, lkey));

// Opcodes and flags are handed through as they are, both ways.
static_assert(int{SRNIC_WR_RDMA_WRITE} == int{IBV_WR_RDMA_WRITE});
static_assert(int{SRNIC_WR_RDMA_WRITE_WITH_IMM} == int{IBV_WR_RDMA_WRITE_WITH_IMM});
static_assert(int{SRNIC_WR_SEND} == int{IBV_WR_SEND});
static_assert(int{SRNIC_WR_SEND_WITH_IMM} == int{IBV_WR_SEND_WITH_IMM});
static_assert(int{SRNIC_WR_RDMA_READ} == int{IBV_WR_RDMA_READ});
static_assert(int{SRNIC_WR_ATOMIC_CMP_AND_SWP} == int{IBV_WR_ATOMIC_CMP_AND_SWP});
static_assert(int{SRNIC_WR_ATOMIC_FETCH_AND_ADD} == int{IBV_WR_ATOMIC_FETCH_AND_ADD});
static_assert(int{SRNIC_WR_LOCAL_INV} == int{IBV_WR_LOCAL_INV});
static_assert(int{SRNIC_WR_BIND_MW} == int{IBV_WR_BIND_MW});
static_assert(int{SRNIC_WR_SEND_WITH_INV} == int{IBV_WR_SEND_WITH_INV});
static_assert(int{SRNIC_WR_ATOMIC_WRITE} == int{IBV_WR_ATOMIC_WRITE});
static_assert(int{SRNIC_SEND_FENCE} == int{IBV_SEND_FENCE});
static_assert(int{SRNIC_SEND_SIGNALED} == int{IBV_SEND_SIGNALED});
static_assert(int{SRNIC_SEND_SOLICITED} == int{IBV_SEND_SOLICITED});
static_assert(int{SRNIC_SEND_INLINE} == int{IBV_SEND_INLINE});
static_assert(int{SRNIC_WC_GRH} == int{IBV_WC_GRH});
static_assert(int{SRNIC_WC_WITH_IMM} == int{IBV_WC_WITH_IMM});
static_assert(int{SRNIC_WC_WITH_INV} == int{IBV_WC_WITH_INV});
static_assert(SRNIC_WC_OPCODE_RECV == int{IBV_WC_RECV});

} // namespace srnic
