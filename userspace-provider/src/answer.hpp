/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * Checks of what the kernel answers to create calls, before anything is mapped
 * or indexed with it.
 */
#pragma once

#include <cerrno>
#include <cstdint>

#include "abi.hpp"

namespace srnic {

/** errno of a call that the kernel answered with something that cannot be. */
inline constexpr int kBadAnswer = EPROTO;

/** Whether a QP with these queues holds what the capabilities promise. */
bool valid_answer(const srnic_create_qp_resp &queues, const ibv_qp_cap &cap);

/** Whether this is the ring of an SRQ that can be mapped and holds so much. */
bool valid_answer(const srnic_create_srq_resp &ring, std::uint32_t max_wr, std::uint32_t max_sge);

/** Whether this is a ring that can be mapped and holds @p cqe completions. */
bool valid_answer(const srnic_create_cq_resp &ring, int cqe);

} // namespace srnic
