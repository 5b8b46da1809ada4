/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * A completion queue: taking completions from its ring and arming it.
 */
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "abi.hpp"
#include "core.h"
#include "mapping.hpp"
#include "qp_table.hpp"
#include "spinlock.hpp"

namespace srnic {

/** The status of a completion; of what libibverbs has no name for, a general one. */
inline ibv_wc_status status_of(const srnic_cqe &cqe)
{
	return cqe.status <= IBV_WC_TM_RNDV_INCOMPLETE ? static_cast<ibv_wc_status>(cqe.status)
						       : IBV_WC_GENERAL_ERR;
}

/** Flags that are the program's business. */
inline unsigned wc_flags_of(const srnic_cqe &cqe)
{
	return cqe.flags & ~unsigned{SRNIC_WC_XRC_SRQ};
}

struct SharedRecvQueue;

/** libibverbs knows this by its first member. */
struct CompletionQueue {
	srnic_verbs_cq verbs;
	Mapping mapping;
	srnic_cq_header *header;
	srnic_cqe *ring;
	std::uint32_t entries;

	/** Held by who arms: a program may do so between start_poll and end_poll. */
	OptionalLock arming;

	/** What follows is used with it held, and the ring; taken outside of arming. */
	OptionalLock lock;
	std::uint32_t consumer;	  /**< CQEs taken */
	std::uint32_t published;  /**< of these, what the kernel has been told */
	const srnic_cqe *current; /**< what lazy polling looks at */
	QpTable qps;
	SharedRecvQueue *srqs; /**< list of the SRQs of XRC that complete here */

	/** The ring that a resize is about to move to. */
	Mapping next_mapping;
	/** The parent domain that it was made in, or nullptr. */
	ibv_pd *domain;

	static CompletionQueue &of(ibv_cq *cq) { return *reinterpret_cast<CompletionQueue *>(cq); }
	static CompletionQueue &of(ibv_cq_ex *cq)
	{
		return *reinterpret_cast<CompletionQueue *>(cq);
	}

	int attach(const srnic_core &core, const srnic_cq_config &config);

	/** Makes a QP known, whose completions are then reported; @return 0 or errno. */
	int add(QueuePair &qp);

	/** Forgets a QP that the kernel has destroyed, and its completions. */
	void remove(QueuePair &qp);

	/** The same for SRQs of XRC. @{ */
	void add(SharedRecvQueue &srq);
	void remove(SharedRecvQueue &srq);
	/** @} */

	/** Drops the completions of a QP that are in the ring. */
	void purge(const QueuePair &qp);

	/**
	 * Takes the next completion, freeing what it completes; nullptr if there is
	 * none. It stays readable until publish(). Called with the lock held.
	 */
	const srnic_cqe *next();

	/** Lets the kernel reuse the CQEs taken so far. Called with the lock held. */
	void publish();

	/** The same, but only if many are due: for use inside of long batches. */
	void publish_some()
	{
		if (consumer - published > entries / 4)
			publish();
	}

	int poll(std::span<ibv_wc> out);

	/** Asks for an event on the next completion, or on the next solicited one. */
	void arm(bool solicited_only);

	/**
	 * Moves to another ring: the kernel has made one, which is mapped; between begin
	 * and end the kernel is told to switch. end_switch() takes its answer, or nullptr
	 * if it has not. @{
	 */
	int map_next(const srnic_core &core, const srnic_resize_cq_resp &answer, int cqe);
	void begin_switch();
	int end_switch(const srnic_resize_cq_resp *answer);
	/** @} */

private:
	int move(const srnic_resize_cq_resp &answer);
	void purge_locked(std::uint32_t qpn);
	bool is_valid(std::uint32_t index) const;
	SharedRecvQueue *find_srq(std::uint32_t number) const;
	bool free_completed(const srnic_cqe &cqe);
};

/** Sets the functions of lazy polling for the fields asked for. */
void install_lazy_polling(CompletionQueue &cq, std::uint64_t wc_flags);

} // namespace srnic
