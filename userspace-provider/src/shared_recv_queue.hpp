/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * A shared receive queue.
 */
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "context.hpp"
#include "core.h"
#include "mapping.hpp"
#include "spinlock.hpp"

namespace srnic {

struct CompletionQueue;

/**
 * libibverbs knows this by its first member.
 *
 * The kernel takes work requests in the order of the ring and copies them, so a
 * slot is free before its work request is complete, and work requests complete in
 * any order. They are only counted here: with no more of them outstanding than there
 * are slots, the next slot of the ring is always free. Work requests that the kernel
 * has from before a resize are outstanding too, so that this holds for the new ring.
 */
struct SharedRecvQueue {
	srnic_verbs_srq verbs;
	srnic_core *core;

	/** Held over a change of the ring, which is a system call. */
	SleepLock resizing;

	/** Used with it held. @{ */
	OptionalLock lock;
	bool ring_changes; /**< nobody posts: the kernel goes over to another ring */
	std::uint32_t max_sge;
	Mapping mapping;
	std::uint32_t entries;
	std::uint32_t stride;
	std::uint32_t producer; /**< work requests posted into this ring */
	std::uint32_t posted;	/**< work requests ever posted */
	/** @} */

	ibv_pd *domain; /**< the program's; perhaps a parent domain */

	/** Of XRC: the CQ that knows it by number, and the next one there. */
	CompletionQueue *cq;
	SharedRecvQueue *next;

	/** Work requests ever completed; by whoever polls, not on the line of who posts. */
	alignas(64) std::atomic<std::uint32_t> completed;

	static SharedRecvQueue &of(ibv_srq *srq)
	{
		return *reinterpret_cast<SharedRecvQueue *>(srq);
	}

	int attach(srnic_core &context, const srnic_srq_config &config);
	void detach();

	/** The kernel has given it a new ring; nobody posts meanwhile. */
	int replace(const srnic_create_srq_resp &ring);

	int post(ibv_recv_wr *list, ibv_recv_wr **bad_wr);

	/** Between them nobody posts; who wants to waits, and sleeps. @{ */
	void begin_resize();
	int end_resize(const srnic_create_srq_resp *ring);
	/** @} */

	/** A completion of one of its work requests was taken from a CQ, or dropped. */
	void complete() { completed.fetch_add(1, std::memory_order_release); }

private:
	void lock_ring();
	std::byte *slot_for(std::uint32_t staged) const;
	int add(const ibv_recv_wr &wr, std::uint32_t staged) const;
	void publish(std::uint32_t staged);
};

} // namespace srnic
