/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * Doorbells: how a post tells the engine that there is work.
 */
#pragma once

#include <atomic>
#include <cstdint>

#include <pthread.h>

#include "abi.hpp"
#include "mapping.hpp"

namespace srnic {

/** The bit of a QP in a line of a doorbell page. */
class Doorbell {
public:
	void attach(srnic_doorbell_line *line, unsigned bit)
	{
		line_ = line;
		mask_ = std::uint64_t{1} << bit;
	}

	/**
	 * Announces work whose producer index has been stored.
	 *
	 * The exchange and the load are sequentially consistent and pair with the
	 * engine's "parked = 1; full barrier; look at pending": either it sees the bit
	 * or we see that it is parked. Who finds the bit set leaves the kick to who
	 * set it.
	 *
	 * @return whether the kernel has to be kicked.
	 */
	bool ring() const
	{
		using Pending = std::remove_reference_t<decltype(line_->pending)>;
		const Pending old = std::atomic_ref<Pending>(line_->pending).fetch_or(mask_);

		return !(old & mask_) && std::atomic_ref<__u32>(line_->parked).load() != 0;
	}

private:
	srnic_doorbell_line *line_ = nullptr;
	std::uint64_t mask_ = 0;
};

/** Doorbell pages of a ucontext: several QPs share one, which is mapped once. */
class DoorbellPages {
public:
	/** One page in use. */
	struct Page {
		Page *next;
		std::uint64_t offset;
		unsigned users;
		Mapping mapping;
	};

	DoorbellPages() { pthread_mutex_init(&lock_, nullptr); }
	~DoorbellPages();
	DoorbellPages(const DoorbellPages &) = delete;
	DoorbellPages &operator=(const DoorbellPages &) = delete;

	/** Maps the page at @p offset or takes one more reference; @return 0 or errno. */
	int acquire(int fd, std::uint64_t offset, std::uint32_t bytes, Page **page);

	/** Drops a reference; the last one unmaps. */
	void release(Page *page);

private:
	pthread_mutex_t lock_;
	Page *first_ = nullptr;
};

} // namespace srnic
