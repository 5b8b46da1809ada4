// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/**
 * @file
 * A CQ moves to a ring of another size; srnic-abi.h tells how.
 */
#include "answer.hpp"
#include "completion_queue.hpp"
#include "context.hpp"

namespace srnic {

int CompletionQueue::map_next(const srnic_core &core, const srnic_resize_cq_resp &answer, int cqe)
{
	const srnic_create_cq_resp shape{
		.comp_mask = answer.comp_mask,
		.entries = answer.entries,
		.mmap_offset = answer.mmap_offset,
		.mmap_bytes = answer.mmap_bytes,
	};

	if (!valid_answer(shape, cqe))
		return kBadAnswer;
	return next_mapping.map(core.fd, answer.mmap_offset, answer.mmap_bytes);
}

void CompletionQueue::begin_switch()
{
	lock.lock();
	arming.lock();
	// What the kernel takes for outstanding is then what is.
	publish();
}

int CompletionQueue::move(const srnic_resize_cq_resp &answer)
{
	auto *next_header = reinterpret_cast<srnic_cq_header *>(next_mapping.data());
	auto *next_ring = reinterpret_cast<srnic_cqe *>(next_header + 1);

	if (answer.comp_mask || answer.outstanding > answer.entries || answer.outstanding > entries)
		return kBadAnswer;
	for (std::uint32_t i = 0; i < answer.outstanding; ++i) {
		// The kernel had written all of them before it answered.
		next_ring[i] = ring[(consumer + i) & (entries - 1)];
		next_ring[i].phase = 1;
	}
	header = next_header;
	ring = next_ring;
	entries = answer.entries;
	consumer = 0;
	published = 0;
	mapping.swap(next_mapping);
	return 0;
}

int CompletionQueue::end_switch(const srnic_resize_cq_resp *answer)
{
	const int err = answer ? move(*answer) : 0;

	arming.unlock();
	lock.unlock();
	next_mapping.unmap();
	return err;
}

} // namespace srnic

using srnic::CompletionQueue;

int srnic_cq_resize_map(srnic_core *core, ibv_cq *cq, const srnic_resize_cq_resp *answer, int cqe)
{
	return CompletionQueue::of(cq).map_next(*core, *answer, cqe);
}

void srnic_cq_resize_begin(ibv_cq *cq)
{
	CompletionQueue::of(cq).begin_switch();
}

int srnic_cq_resize_end(ibv_cq *cq, const srnic_resize_cq_resp *answer)
{
	return CompletionQueue::of(cq).end_switch(answer);
}
