/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * What may be posted: by type of QP, state and opcode.
 */
#pragma once

#include <cstdint>

#include "abi.hpp"

namespace srnic {

constexpr std::uint32_t bit(unsigned number)
{
	return std::uint32_t{1} << number;
}

inline constexpr std::uint32_t kSendOpcodes = bit(IBV_WR_SEND) | bit(IBV_WR_SEND_WITH_IMM);
/** A SEND that the peer's responder invalidates a key for. */
inline constexpr std::uint32_t kSendInvOpcodes = bit(IBV_WR_SEND_WITH_INV);
inline constexpr std::uint32_t kWriteOpcodes = bit(IBV_WR_RDMA_WRITE) |
					       bit(IBV_WR_RDMA_WRITE_WITH_IMM);
inline constexpr std::uint32_t kAtomicOpcodes = bit(IBV_WR_ATOMIC_CMP_AND_SWP) |
						bit(IBV_WR_ATOMIC_FETCH_AND_ADD);
/** Puts 8 bytes, which may be in the slot, at once. */
inline constexpr std::uint32_t kAtomicWriteOpcodes = bit(IBV_WR_ATOMIC_WRITE);
/** Operations on 8 bytes of remote memory, aligned, with a list of that length. */
inline constexpr std::uint32_t kWordOpcodes = kAtomicOpcodes | kAtomicWriteOpcodes;
/** Operations that send nothing, and have no list of elements. */
inline constexpr std::uint32_t kLocalOpcodes = bit(IBV_WR_LOCAL_INV) | bit(IBV_WR_BIND_MW);
/** Operations that name no remote memory. */
inline constexpr std::uint32_t kNoRemoteOpcodes = kSendOpcodes | kSendInvOpcodes | kLocalOpcodes;
/** Operations whose payload may be in the slot. */
inline constexpr std::uint32_t kInlineOpcodes = kSendOpcodes | kSendInvOpcodes | kWriteOpcodes |
						kAtomicWriteOpcodes;

/** Flags that have a meaning; the rest is refused. */
inline constexpr unsigned kSendFlags = IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
				       IBV_SEND_INLINE;

/** SRQ numbers have 24 bits. */
constexpr bool is_srq_number(std::uint32_t number)
{
	return number >> 24 == 0;
}

/** Length of the operand of an atomic operation or write. */
inline constexpr std::uint32_t kAtomicBytes = 8;

/** Whether @p set has the bit of @p opcode, which may be any number. */
constexpr bool contains(std::uint32_t set, unsigned opcode)
{
	return opcode < 32 && (set & bit(opcode)) != 0;
}

/** Opcodes that QPs of a type take. */
constexpr std::uint32_t allowed_opcodes(ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
	case IBV_QPT_XRC_SEND:
		return kSendOpcodes | kSendInvOpcodes | kWriteOpcodes | bit(IBV_WR_RDMA_READ) |
		       kWordOpcodes | kLocalOpcodes;
	case IBV_QPT_UC:
		return kSendOpcodes | kWriteOpcodes | kLocalOpcodes;
	case IBV_QPT_UD:
		return kSendOpcodes;
	default:
		return 0;
	}
}

/** In SQE and ERR what is posted completes flushed; that is the kernel's part. */
constexpr bool may_send(ibv_qp_state state)
{
	return state == IBV_QPS_RTS || state == IBV_QPS_SQD || state == IBV_QPS_SQE ||
	       state == IBV_QPS_ERR;
}

constexpr bool may_receive(ibv_qp_state state)
{
	return state != IBV_QPS_RESET;
}

} // namespace srnic
