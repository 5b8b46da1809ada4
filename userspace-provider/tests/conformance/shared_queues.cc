// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "shared_queues.h"

#include "link.h"

#include <rdma/ib_user_verbs.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <functional>
#include <mutex>

namespace conformance {

namespace {

std::mutex mappings_lock;
std::vector<UverbsMapping> mappings;

bool is_uverbs(int fd)
{
	char link[64], target[128];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = 0;
	return strstr(target, "/uverbs") != nullptr;
}

uint32_t load(const void *at)
{
	return std::atomic_ref(*static_cast<uint32_t *>(const_cast<void *>(at))).load();
}

} // namespace

std::vector<UverbsMapping> uverbs_mappings()
{
	std::lock_guard guard(mappings_lock);
	return mappings;
}

} // namespace conformance

extern "C" void *mmap(void *address, size_t length, int protection, int flags, int fd,
		      off_t offset) noexcept
{
	auto result = syscall(SYS_mmap, address, length, protection, flags, fd, offset);
	auto *start = reinterpret_cast<uint8_t *>(result);
	if (start != MAP_FAILED && fd >= 0 && conformance::is_uverbs(fd)) {
		std::lock_guard guard(conformance::mappings_lock);
		conformance::mappings.push_back({start, length, offset, fd});
	}
	return start;
}

extern "C" void *mmap64(void *address, size_t length, int protection, int flags, int fd,
			off64_t offset) noexcept
{
	return mmap(address, length, protection, flags, fd, offset);
}

extern "C" int munmap(void *address, size_t length) noexcept
{
	std::lock_guard guard(conformance::mappings_lock);
	std::erase_if(conformance::mappings, [&](auto &map) { return map.start == address; });
	return static_cast<int>(syscall(SYS_munmap, address, length));
}

namespace conformance {

namespace {

/// The mapping whose first word, an index, goes up by one when @use is called.
UverbsMapping moved_by(const std::vector<UverbsMapping> &candidates, const char *what,
		       const std::function<int()> &use)
{
	std::vector<uint32_t> before;
	for (const UverbsMapping &map : candidates)
		before.push_back(load(map.start));
	must_be_zero(use(), what);
	// A doorbell bit may look like an index until the kernel has taken it.
	const UverbsMapping *found = nullptr;
	eventually([&] {
		int moved = 0;
		for (size_t i = 0; i < candidates.size(); i++) {
			if (load(candidates[i].start) == before[i] + 1) {
				moved++;
				found = &candidates[i];
			}
		}
		return moved == 1;
	});
	if (!found)
		throw std::runtime_error(std::string("no index moves with ") + what +
					 ": is this an srnic device?");
	return *found;
}

uint8_t *slot_of(const UverbsMapping &map, uint64_t wr_id)
{
	auto *at = static_cast<uint8_t *>(memmem(map.start, map.length, &wr_id, sizeof(wr_id)));
	if (!at)
		throw std::runtime_error("no slot begins with the wr_id");
	return at;
}

} // namespace

SharedQueues::SharedQueues(LocalEndpoint &end, LocalEndpoint &peer) : end_(end)
{
	std::vector<UverbsMapping> candidates = uverbs_mappings();
	std::erase_if(candidates, [&](auto &map) { return map.fd != end.context->cmd_fd; });

	constexpr uint64_t kMagic = 0x6d61676963313233;
	auto receive = [&](uint64_t id) { return end.post_recv(id, {}); };
	auto send = [&](uint64_t id) {
		must_be_zero(peer.post_recv(0, {}), "post_recv");
		SendSpec spec{.wr_id = id};
		spec.to = peer.address();
		return end.post_send(spec);
	};
	auto take = [&] { return end.poll(Queue::kSend, 1).size() == 1 ? 0 : ETIMEDOUT; };
	rq_ = moved_by(candidates, "post_recv", [&] { return receive(kMagic); });
	sq_ = moved_by(candidates, "post_send", [&] { return send(kMagic); });
	cq_ = moved_by(candidates, "poll_cq", take);
	must_be_zero(receive(kMagic + 1), "post_recv");
	must_be_zero(send(kMagic + 1), "post_send");
	must_be_zero(take(), "poll_cq");
	sent_ = received_ = 2;

	if (slot_of(sq_, kMagic) != sq_.start + SRNIC_QUEUE_HEADER_BYTES)
		throw std::runtime_error("slot 0 is not behind the header");
	send_stride_ = static_cast<size_t>(slot_of(sq_, kMagic + 1) - slot_of(sq_, kMagic));
	recv_stride_ = static_cast<size_t>(slot_of(rq_, kMagic + 1) - slot_of(rq_, kMagic));
	// What is left are the other CQ and the doorbells, which are one page.
	for (const UverbsMapping &map : candidates) {
		bool known = map.start == sq_.start || map.start == rq_.start ||
			     map.start == cq_.start;
		if (!known && (!doorbell_.start || map.length < doorbell_.length))
			doorbell_ = map;
	}
	if (!doorbell_.start)
		throw std::runtime_error("no doorbells are mapped");
}

std::span<uint8_t> SharedQueues::mapping(unsigned which) const
{
	const UverbsMapping *all[] = {&sq_, &rq_, &cq_, &doorbell_};
	return all[which % 4]->bytes();
}

srnic_send_wqe &SharedQueues::next_send()
{
	size_t slots = (sq_.length - SRNIC_QUEUE_HEADER_BYTES) / send_stride_;
	size_t entries = std::bit_floor(slots);
	uint8_t *at = sq_.start + SRNIC_QUEUE_HEADER_BYTES + send_stride_ * (sent_ % entries);
	memset(at, 0, send_stride_);
	auto &wqe = *reinterpret_cast<srnic_send_wqe *>(at);
	wqe.wr_id = 0xbad;
	wqe.opcode = end_.spec.type == IBV_QPT_UD ? SRNIC_WR_SEND : SRNIC_WR_RDMA_WRITE;
	wqe.flags = SRNIC_SEND_SIGNALED;
	return wqe;
}

srnic_recv_wqe &SharedQueues::next_recv()
{
	size_t slots = (rq_.length - SRNIC_QUEUE_HEADER_BYTES) / recv_stride_;
	uint8_t *at = rq_.start + SRNIC_QUEUE_HEADER_BYTES +
		      recv_stride_ * (received_ % std::bit_floor(slots));
	memset(at, 0, recv_stride_);
	auto &wqe = *reinterpret_cast<srnic_recv_wqe *>(at);
	wqe.wr_id = 0xbad;
	return wqe;
}

void SharedQueues::submit_send()
{
	std::atomic_ref(sq().producer).store(++sent_);
	kick();
}

void SharedQueues::submit_recv()
{
	std::atomic_ref(rq().producer).store(++received_);
}

int SharedQueues::kick() const
{
	struct {
		ib_uverbs_cmd_hdr header;
		uint64_t response;
		uint32_t qp_handle, wr_count, sge_count, wqe_size;
	} command{};
	command.header.command = IB_USER_VERBS_CMD_POST_SEND;
	command.header.in_words = sizeof(command) / 4;
	command.header.out_words = 1;
	uint32_t response[4]{};
	command.response = reinterpret_cast<uintptr_t>(response);
	command.qp_handle = end_.qp->handle;
	command.wqe_size = sizeof(ib_uverbs_send_wr);
	ssize_t written = write(end_.context->cmd_fd, &command, sizeof(command));
	return written == sizeof(command) ? 0 : errno;
}

} // namespace conformance
