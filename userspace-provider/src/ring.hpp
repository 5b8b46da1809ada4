/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * The slots of a mapped send or receive queue, and whose they are.
 *
 * Indices count work requests since the QP was last in RESET, modulo 2^32; their
 * low bits select the slot.
 */
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi.hpp"
#include "mapping.hpp"
#include "shared.hpp"

namespace srnic {

/**
 * Producer side of a ring.
 *
 * reserve(), publish() and discard() are called with the queue's lock held.
 * complete() is called with the CQ's lock held, at the same time.
 */
class WorkRing {
public:
	/** Maps a queue that valid_answer() has passed; @return 0 or errno. */
	int attach(int fd, std::uint64_t offset, std::uint64_t bytes, std::uint32_t entries,
		   std::uint32_t stride)
	{
		// A queue of no entries is always full.
		if (entries == 0)
			return 0;
		if (const int err = mapping_.map(fd, offset, bytes))
			return err;
		slots_ = mapping_.data() + SRNIC_QUEUE_HEADER_BYTES;
		entries_ = entries;
		stride_ = stride;
		return 0;
	}

	std::uint32_t entries() const { return entries_; }
	std::uint32_t stride() const { return stride_; }

	/** Slot for the next work request, or nullptr if the queue is full. */
	std::byte *reserve()
	{
		const std::uint32_t index = producer_.load(std::memory_order_relaxed) + staged_;

		// Pairs with complete(): the kernel had done with the slot before that.
		if (index - consumer_.load(std::memory_order_acquire) >= entries_)
			return nullptr;
		++staged_;
		return slots_ + std::size_t{index & (entries_ - 1)} * stride_;
	}

	/** Hands the reserved slots to the kernel; @return whether there were any. */
	bool publish()
	{
		if (staged_ == 0)
			return false;

		const std::uint32_t producer = producer_.load(std::memory_order_relaxed) + staged_;

		staged_ = 0;
		producer_.store(producer, std::memory_order_relaxed);
		store_release(header().producer, producer);
		return true;
	}

	/** Takes the reserved slots back. */
	void discard() { staged_ = 0; }

	/**
	 * A completion says that slots before @p index are free. An index outside of
	 * what is in flight is ignored: it can free nothing that is not done.
	 */
	void complete(std::uint32_t index)
	{
		const std::uint32_t consumer = consumer_.load(std::memory_order_relaxed);
		const std::uint32_t in_flight =
			producer_.load(std::memory_order_relaxed) - consumer;

		if (index - consumer <= in_flight)
			consumer_.store(index, std::memory_order_release);
	}

	/**
	 * The QP was reset: the kernel has dropped all that was posted and counts from
	 * 0 again, and so does this side. (From another index only in tests.)
	 */
	void restart(std::uint32_t index = 0)
	{
		staged_ = 0;
		producer_.store(index, std::memory_order_relaxed);
		consumer_.store(index, std::memory_order_release);
		if (entries_ != 0)
			store_release(header().producer, index);
	}

private:
	srnic_queue_header &header() const
	{
		return *reinterpret_cast<srnic_queue_header *>(mapping_.data());
	}

	Mapping mapping_;
	std::byte *slots_ = nullptr;
	std::uint32_t entries_ = 0;
	std::uint32_t stride_ = 0;
	std::uint32_t staged_ = 0;
	std::atomic<std::uint32_t> producer_ = 0;
	/* Written by who polls: not on the line of who posts. */
	alignas(64) std::atomic<std::uint32_t> consumer_ = 0;
};

} // namespace srnic
