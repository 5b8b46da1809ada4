/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * The kernel's side of the contract, in memory: a file that holds queues and
 * doorbell pages where the answers say, seen through a mapping of its own. It does
 * what the test says, good or bad.
 */
#pragma once

#include <atomic>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"

namespace fake {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kFileBytes = 1024 * kPage;
/** What slots hold before they are used: nothing may be left of it. */
inline constexpr int kGarbage = 0xa5;

struct QueueView {
	srnic_queue_header *header;
	std::byte *slots;
	std::uint32_t entries;
	std::uint32_t stride;

	std::uint32_t producer() const
	{
		return std::atomic_ref(header->producer).load(std::memory_order_acquire);
	}
	std::byte *slot(std::uint32_t index) const
	{
		return slots + std::size_t{index % entries} * stride;
	}
	const srnic_send_wqe &send(std::uint32_t index) const
	{
		return *reinterpret_cast<srnic_send_wqe *>(slot(index));
	}
	const srnic_recv_wqe &recv(std::uint32_t index) const
	{
		return *reinterpret_cast<srnic_recv_wqe *>(slot(index));
	}
	/** Scatter/gather elements behind a WQE's header. */
	template <class Wqe> static const srnic_sge *sges(const Wqe &wqe)
	{
		return reinterpret_cast<const srnic_sge *>(&wqe + 1);
	}
};

class Kernel {
public:
	Kernel()
	{
		fd = memfd_create("srnic-fake-kernel", MFD_CLOEXEC);
		if (fd < 0 || ftruncate(fd, kFileBytes))
			abort();
		memory = static_cast<std::byte *>(
			mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
		if (memory == MAP_FAILED)
			abort();
	}
	~Kernel()
	{
		munmap(memory, kFileBytes);
		close(fd);
	}
	Kernel(const Kernel &) = delete;
	Kernel &operator=(const Kernel &) = delete;

	/** Whole pages for @p bytes; @return their offset in the file. */
	std::uint64_t allocate(std::size_t bytes)
	{
		const std::size_t offset = used;

		used += (bytes + kPage - 1) / kPage * kPage;
		if (used > kFileBytes)
			abort();
		return offset;
	}

	template <class T = std::byte> T *at(std::uint64_t offset) const
	{
		return reinterpret_cast<T *>(memory + offset);
	}

	int fd;
	std::byte *memory;
	std::size_t used = kPage;
};

/** A CQ and the producer side of its ring. */
class Cq {
public:
	Cq(Kernel &kernel, srnic_core *core, std::uint32_t entries, bool extended = false,
	   std::uint64_t wc_flags = 0, bool single_threaded = false)
	{
		config.wc_flags = wc_flags;
		config.extended = extended;
		config.single_threaded = single_threaded;
		config.ring.entries = entries;
		config.ring.mmap_bytes = sizeof(srnic_cq_header) + entries * sizeof(srnic_cqe);
		config.ring.mmap_offset = kernel.allocate(config.ring.mmap_bytes);
		header = kernel.at<srnic_cq_header>(config.ring.mmap_offset);
		ring = reinterpret_cast<srnic_cqe *>(header + 1);
		object = srnic_cq_new();
		object->cq.cqe = static_cast<int>(entries);
		EXPECT_EQ(srnic_cq_attach(core, object, &config), 0);
	}
	~Cq() { srnic_cq_free(object); }
	Cq(const Cq &) = delete;
	Cq &operator=(const Cq &) = delete;

	/** Writes a completion as the kernel does: the phase last. */
	void push(srnic_cqe cqe)
	{
		srnic_cqe &slot = ring[producer % config.ring.entries];
		const __u16 phase = (producer / config.ring.entries) % 2 == 0 ? 1 : 0;

		cqe.phase = slot.phase;
		slot = cqe;
		std::atomic_ref(slot.phase).store(phase, std::memory_order_release);
		++producer;
	}

	ibv_cq *cq() { return &object->cq; }
	ibv_cq_ex *ex() { return &object->cq_ex; }

	int poll(ibv_wc *wc, int count = 1) { return srnic_poll_cq(cq(), count, wc); }
	int poll_all()
	{
		ibv_wc wc[16];
		int total = 0;
		int count = 0;

		while ((count = poll(wc, 16)) > 0)
			total += count;
		return total;
	}

	srnic_cq_config config{};
	srnic_verbs_cq *object;
	srnic_cq_header *header;
	srnic_cqe *ring;
	std::uint32_t producer = 0;
};

struct QpOptions {
	ibv_qp_type type = IBV_QPT_RC;
	std::uint32_t qpn = 17;
	std::uint32_t send_wr = 8;
	std::uint32_t recv_wr = 8;
	std::uint32_t sges = 4;
	std::uint32_t inline_data = 64;
	std::uint64_t send_ops = 0;
	bool sq_sig_all = false;
	std::uint32_t line = 1;
	std::uint32_t bit = 5;
	ibv_qp_state state = IBV_QPS_RTS;
};

/** A QP, its queues as the kernel sees them, and the kicks it got. */
class Qp {
public:
	Qp(Kernel &kernel, srnic_core *core, ibv_cq *send_cq, ibv_cq *recv_cq,
	   std::uint64_t doorbells, const QpOptions &options)
		: config(make_config(kernel, doorbells, options))
	{
		sq = view(kernel, config.queues.sq_mmap_offset, config.queues.sq_entries,
			  config.queues.sq_stride);
		rq = view(kernel, config.queues.rq_mmap_offset, config.queues.rq_entries,
			  config.queues.rq_stride);
		line = kernel.at<srnic_doorbell_line>(doorbells) + options.line;
		mask = std::uint64_t{1} << options.bit;
		object = make_object(options, send_cq, recv_cq);
		object->qp.qp_context = this;
		EXPECT_EQ(srnic_qp_attach(core, object, &config), 0);
		srnic_qp_set_state(qp(), options.state);
		kicks = 0;
		line->pending = 0;
	}
	~Qp()
	{
		if (object)
			srnic_qp_free(object);
	}
	Qp(const Qp &) = delete;
	Qp &operator=(const Qp &) = delete;

	static srnic_verbs_qp *make_object(const QpOptions &options, ibv_cq *send_cq,
					   ibv_cq *recv_cq)
	{
		srnic_verbs_qp *made = srnic_qp_new();

		made->qp.qp_type = options.type;
		made->qp.qp_num = options.qpn;
		made->qp.send_cq = send_cq;
		made->qp.recv_cq = recv_cq;
		return made;
	}

	/** A good answer. */
	static srnic_qp_config make_config(Kernel &kernel, std::uint64_t doorbells,
					   const QpOptions &options)
	{
		srnic_qp_config made{};
		srnic_create_qp_resp &q = made.queues;

		q.max_inline_data = options.inline_data;
		q.sq_entries = options.send_wr;
		q.sq_stride = 64 + 64;
		q.rq_entries = options.recv_wr;
		q.rq_stride = 128;
		q.sq_mmap_bytes = 128 + std::uint64_t{q.sq_entries} * q.sq_stride;
		q.sq_mmap_offset = kernel.allocate(q.sq_mmap_bytes);
		q.rq_mmap_bytes = 128 + std::uint64_t{q.rq_entries} * q.rq_stride;
		q.rq_mmap_offset = kernel.allocate(q.rq_mmap_bytes);
		q.doorbell_mmap_offset = doorbells;
		q.doorbell_mmap_bytes = kPage;
		q.doorbell_line = static_cast<__u16>(options.line);
		q.doorbell_bit = static_cast<__u16>(options.bit);
		made.cap.max_send_wr = options.send_wr;
		made.cap.max_recv_wr = options.recv_wr;
		made.cap.max_send_sge = options.sges;
		made.cap.max_recv_sge = options.sges;
		made.cap.max_inline_data = options.inline_data;
		made.send_ops = options.send_ops;
		made.sq_sig_all = options.sq_sig_all;
		return made;
	}

	/** What the provider calls instead of write(). */
	static int kick(ibv_qp *qp)
	{
		Qp &self = *static_cast<Qp *>(qp->qp_context);

		++self.kicks;
		// The kernel takes the bit, then runs the queues.
		std::atomic_ref(self.line->pending).fetch_and(~self.mask);
		return self.kick_result;
	}

	ibv_qp *qp() { return &object->qp; }
	ibv_qp_ex *ex() { return &object->qp_ex; }

	int post(ibv_send_wr &wr, ibv_send_wr **bad = nullptr)
	{
		ibv_send_wr *ignored = nullptr;

		return srnic_post_send(qp(), &wr, bad ? bad : &ignored);
	}
	int post(ibv_recv_wr &wr, ibv_recv_wr **bad = nullptr)
	{
		ibv_recv_wr *ignored = nullptr;

		return srnic_post_recv(qp(), &wr, bad ? bad : &ignored);
	}

	/** Completion of the send, or receive, in front of @p index. */
	srnic_cqe send_cqe(std::uint32_t index) const
	{
		srnic_cqe cqe{};

		cqe.qp_num = object->qp.qp_num;
		cqe.wqe_index = index;
		return cqe;
	}
	srnic_cqe recv_cqe(std::uint32_t index) const
	{
		srnic_cqe cqe = send_cqe(index);

		cqe.opcode = SRNIC_WC_OPCODE_RECV;
		return cqe;
	}

	/** Whether the doorbell was rung; clears it. */
	bool rung() { return (std::atomic_ref(line->pending).fetch_and(~mask) & mask) != 0; }

	void destroy()
	{
		srnic_qp_free(object);
		object = nullptr;
	}

	srnic_qp_config config;
	QueueView sq{};
	QueueView rq{};
	srnic_doorbell_line *line = nullptr;
	std::uint64_t mask = 0;
	srnic_verbs_qp *object = nullptr;
	std::atomic<int> kicks = 0;
	int kick_result = 0;

private:
	static QueueView view(Kernel &kernel, std::uint64_t offset, std::uint32_t entries,
			      std::uint32_t stride)
	{
		auto *header = kernel.at<srnic_queue_header>(offset);
		auto *slots = reinterpret_cast<std::byte *>(header + 1);

		std::memset(slots, kGarbage, std::size_t{entries} * stride);
		return {header, slots, entries, stride};
	}
};

/** Owns a context's core; a base, so that it is freed after what uses it. */
struct Context {
	Context() : core(srnic_core_new(kernel.fd, Qp::kick)), doorbells(kernel.allocate(kPage)) {}
	~Context() { srnic_core_free(core); }
	Context(const Context &) = delete;
	Context &operator=(const Context &) = delete;

	Kernel kernel;
	srnic_core *core;
	std::uint64_t doorbells;
};

/** A context with one CQ of 16 entries. */
class Fixture : public testing::Test, protected Context {
protected:
	Qp make_qp(const QpOptions &options = {})
	{
		return {kernel, core, cq.cq(), cq.cq(), doorbells, options};
	}

	Cq cq{kernel, core, 16};
};

/** A SEND of nothing, to be changed. */
inline ibv_send_wr send_wr(std::uint64_t id = 1)
{
	ibv_send_wr wr{};

	wr.wr_id = id;
	wr.opcode = IBV_WR_SEND;
	wr.send_flags = IBV_SEND_SIGNALED;
	return wr;
}

inline ibv_recv_wr recv_wr(std::uint64_t id = 1)
{
	ibv_recv_wr wr{};

	wr.wr_id = id;
	return wr;
}

} // namespace fake
