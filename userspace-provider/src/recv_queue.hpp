/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * The receive queue.
 */
#pragma once

#include <cerrno>
#include <cstdint>

#include "ring.hpp"
#include "spinlock.hpp"
#include "wqe.hpp"

namespace srnic {

/** Members are used with @c lock held; see WorkRing for what is not. */
struct RecvQueue {
	OptionalLock lock;
	std::uint32_t max_sge;
	WorkRing ring;

	/** Puts one request of a list into a slot; @return 0 or errno. */
	int add(const ibv_recv_wr &wr)
	{
		// A negative number is a large one.
		if (static_cast<unsigned>(wr.num_sge) > max_sge)
			return EINVAL;

		std::byte *slot = ring.reserve();

		if (!slot)
			return ENOMEM;
		write_recv(slot, wr.wr_id, {wr.sg_list, static_cast<std::size_t>(wr.num_sge)});
		return 0;
	}
};

} // namespace srnic
