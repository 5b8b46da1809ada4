// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The queues that srnic shares with this process, found behind the provider's
// back: mmap() is replaced by one that writes down what is mapped from uverbs.
#pragma once

#include <rdma/srnic-abi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "endpoint.h"

namespace conformance {

/// One mapping of a uverbs file.
struct UverbsMapping {
	uint8_t *start;
	size_t length;
	int64_t offset;
	int fd;

	std::span<uint8_t> bytes() const { return {start, length}; }
};

/// What was mapped since the program began and is still mapped.
std::vector<UverbsMapping> uverbs_mappings();

/// An endpoint in RTS, and where its queues are. Throws if they do not look as
/// srnic-abi.h says: the device is another one.
class SharedQueues {
public:
	/// @end must be connected to @peer, idle and never have been posted to.
	SharedQueues(LocalEndpoint &end, LocalEndpoint &peer);

	srnic_queue_header &sq() const
	{
		return *reinterpret_cast<srnic_queue_header *>(sq_.start);
	}
	srnic_queue_header &rq() const
	{
		return *reinterpret_cast<srnic_queue_header *>(rq_.start);
	}
	srnic_cq_header &cq() const { return *reinterpret_cast<srnic_cq_header *>(cq_.start); }
	srnic_doorbell_line *doorbells() const
	{
		return reinterpret_cast<srnic_doorbell_line *>(doorbell_.start);
	}
	std::span<uint8_t> mapping(unsigned which) const;

	/// Slot of the next request, filled with a valid empty SEND or WRITE.
	srnic_send_wqe &next_send();
	srnic_recv_wqe &next_recv();
	static srnic_sge *elements(srnic_send_wqe &wqe)
	{
		return reinterpret_cast<srnic_sge *>(&wqe + 1);
	}
	static srnic_sge *elements(srnic_recv_wqe &wqe)
	{
		return reinterpret_cast<srnic_sge *>(&wqe + 1);
	}
	/// The request that the provider wrote first.
	const srnic_send_wqe &first_send() const
	{
		return *reinterpret_cast<srnic_send_wqe *>(sq_.start + SRNIC_QUEUE_HEADER_BYTES);
	}

	/// Tells the kernel of one request more, and kicks it.
	void submit_send();
	void submit_recv();
	/// The system call of a doorbell: POST_SEND without work requests. 0 or errno.
	int kick() const;

private:
	LocalEndpoint &end_;
	UverbsMapping sq_{}, rq_{}, cq_{}, doorbell_{};
	size_t send_stride_ = 0, recv_stride_ = 0;
	uint32_t sent_ = 0, received_ = 0;
};

} // namespace conformance
