// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "answer.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include <unistd.h>

namespace srnic {
namespace {

/** Whether mmap() can take it: page-aligned, not empty, no sign. */
bool mappable(std::uint64_t offset, std::uint64_t bytes)
{
	constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
	const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));

	return offset % page == 0 && offset <= limit && bytes != 0 && bytes <= limit - offset;
}

struct Queue {
	std::uint64_t offset;
	std::uint64_t bytes;
	std::uint32_t entries;
	std::uint32_t stride;
	std::uint32_t slot_header;
};

/** Whether a queue holds @p wrs requests of @p sges elements. */
bool valid_queue(const Queue &queue, std::uint32_t wrs, std::uint32_t sges)
{
	if (queue.entries == 0)
		return wrs == 0;
	if (!std::has_single_bit(queue.entries) || queue.entries < wrs)
		return false;
	if (queue.stride < SRNIC_WQE_ALIGN || queue.stride % SRNIC_WQE_ALIGN != 0)
		return false;
	if (sges > (queue.stride - queue.slot_header) / sizeof(srnic_sge))
		return false;
	if (!mappable(queue.offset, queue.bytes) || queue.bytes < SRNIC_QUEUE_HEADER_BYTES)
		return false;
	// 32 times 32 bits cannot wrap in 64.
	return queue.bytes - SRNIC_QUEUE_HEADER_BYTES >=
	       std::uint64_t{queue.entries} * queue.stride;
}

bool valid_doorbell(const srnic_create_qp_resp &queues)
{
	return mappable(queues.doorbell_mmap_offset, queues.doorbell_mmap_bytes) &&
	       queues.doorbell_line < queues.doorbell_mmap_bytes / SRNIC_DOORBELL_LINE_BYTES &&
	       queues.doorbell_bit < SRNIC_DOORBELL_BITS;
}

} // namespace

bool valid_answer(const srnic_create_qp_resp &queues, const ibv_qp_cap &cap)
{
	const Queue sq{queues.sq_mmap_offset, queues.sq_mmap_bytes, queues.sq_entries,
		       queues.sq_stride, sizeof(srnic_send_wqe)};
	const Queue rq{queues.rq_mmap_offset, queues.rq_mmap_bytes, queues.rq_entries,
		       queues.rq_stride, sizeof(srnic_recv_wqe)};

	if (queues.comp_mask != 0 || !valid_doorbell(queues))
		return false;
	if (!valid_queue(sq, cap.max_send_wr, cap.max_send_sge) ||
	    !valid_queue(rq, cap.max_recv_wr, cap.max_recv_sge))
		return false;
	if (sq.entries == 0)
		return true;
	return cap.max_inline_data <= queues.max_inline_data &&
	       queues.max_inline_data <= sq.stride - sq.slot_header;
}

bool valid_answer(const srnic_create_srq_resp &ring, std::uint32_t max_wr, std::uint32_t max_sge)
{
	const Queue queue{ring.mmap_offset, ring.mmap_bytes, ring.entries, ring.stride,
			  sizeof(srnic_recv_wqe)};

	return ring.comp_mask == 0 && ring.entries != 0 && valid_queue(queue, max_wr, max_sge);
}

bool valid_answer(const srnic_create_cq_resp &ring, int cqe)
{
	if (ring.comp_mask != 0 || !std::has_single_bit(ring.entries) || cqe < 0 ||
	    ring.entries < static_cast<std::uint32_t>(cqe))
		return false;
	if (!mappable(ring.mmap_offset, ring.mmap_bytes) ||
	    ring.mmap_bytes < sizeof(srnic_cq_header))
		return false;
	return ring.mmap_bytes - sizeof(srnic_cq_header) >=
	       std::uint64_t{ring.entries} * sizeof(srnic_cqe);
}

} // namespace srnic
