/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * The send queue: checks of work requests and their way into slots, for
 * ibv_post_send() and for ibv_wr_*.
 */
#pragma once

#include <cstdint>
#include <span>

#include "core.h"
#include "ring.hpp"
#include "rules.hpp"
#include "spinlock.hpp"
#include "wqe.hpp"

namespace srnic {

/** What of a QP its send queue has to know. */
struct SendLimits {
	ibv_qp_type type;
	std::uint32_t opcodes; /**< bits of the opcodes it takes */
	std::uint32_t max_sge;
	std::uint32_t max_inline;
	unsigned forced_flags;	/**< set in each request: SIGNALED if all are */
	unsigned dropped_flags; /**< without meaning for the type */
};

/** Members are used with @c lock held; see WorkRing for what is not. */
struct SendQueue {
	OptionalLock lock;
	SendLimits limits;

	/** State of a batch of ibv_wr_*. @{ */
	SendSlot current;
	int error;
	bool needs_operand;
	bool needs_address;
	/** @} */

	WorkRing ring;

	/**
	 * Puts one request of a list into a slot; a bind has to be of a window of type
	 * @p window. @return 0 or errno.
	 */
	int add(const ibv_send_wr &wr, ibv_mw_type window = IBV_MW_TYPE_2);

	/**
	 * A batch of ibv_wr_*: begin_batch(), then for each request add_next() and the
	 * setters, then end_batch(). The first error sticks and is what end_batch()
	 * returns; everything after it is ignored. @{
	 */
	void begin_batch(int err)
	{
		error = err;
		current = SendSlot();
	}

	/** Begins a request; @return its slot, or a false one if there is none. */
	SendSlot add_next(std::uint64_t wr_id, unsigned opcode, unsigned flags,
			  std::uint32_t imm = 0);
	void set_sges(std::span<const ibv_sge> sges);
	void set_inline(std::span<const ibv_data_buf> bufs);
	void set_bind(const ibv_mw &mw, std::uint32_t rkey, const ibv_mw_bind_info &info);
	void set_ud(const srnic_ah *ah, std::uint32_t qpn, std::uint32_t qkey);
	void set_srqn(std::uint32_t number);

	/** Remembers an error that the caller found. */
	void fail(int err)
	{
		if (!error)
			error = err;
	}

	/** Ends the last request; @return the batch's error. */
	int end_batch();
	/** @} */

private:
	unsigned flags_of(unsigned flags) const
	{
		return (flags | limits.forced_flags) & ~limits.dropped_flags;
	}

	int check(const ibv_send_wr &wr, ibv_mw_type window) const;
	void write_address(SendSlot &slot, const ibv_send_wr &wr) const;
	bool ready_for_setter();
	void finish_current();
};

} // namespace srnic
