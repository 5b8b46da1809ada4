// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "completion_queue.hpp"

#include <atomic>
#include <cstddef>

#include "answer.hpp"
#include "context.hpp"
#include "memory.hpp"
#include "queue_pair.hpp"
#include "shared.hpp"
#include "shared_recv_queue.hpp"

namespace srnic {
namespace {

/** In place of the QP number of a CQE that is not to be reported; QPNs have 24 bits. */
constexpr std::uint32_t kNoQp = 0xffffffff;

void fill(ibv_wc &wc, const srnic_cqe &cqe)
{
	wc = ibv_wc{};
	wc.wr_id = cqe.wr_id;
	wc.status = status_of(cqe);
	wc.opcode = static_cast<ibv_wc_opcode>(cqe.opcode);
	wc.vendor_err = cqe.vendor_err;
	wc.byte_len = cqe.byte_len;
	// Also the invalidated rkey, which is in the same place.
	wc.imm_data = cqe.imm;
	wc.qp_num = cqe.qp_num;
	wc.src_qp = cqe.src_qp;
	wc.wc_flags = wc_flags_of(cqe);
	wc.pkey_index = cqe.pkey_index;
	wc.sl = cqe.sl;
}

/**
 * XRC: the SRQ is what the completion is of; the QP is one among many that it may
 * come from, and may be another process's.
 */
bool is_of_srq(const srnic_cqe &cqe)
{
	return (cqe.flags & SRNIC_WC_XRC_SRQ) != 0;
}

} // namespace

// What of() takes for granted.
static_assert(std::is_standard_layout_v<CompletionQueue>);
static_assert(offsetof(CompletionQueue, verbs) == 0);

int CompletionQueue::attach(const srnic_core &core, const srnic_cq_config &config)
{
	if (!valid_answer(config.ring, verbs.cq.cqe))
		return kBadAnswer;
	if (const int err = mapping.map(core.fd, config.ring.mmap_offset, config.ring.mmap_bytes))
		return err;
	header = reinterpret_cast<srnic_cq_header *>(mapping.data());
	ring = reinterpret_cast<srnic_cqe *>(header + 1);
	entries = config.ring.entries;
	lock.off = config.single_threaded;
	arming.off = config.single_threaded;
	domain = config.domain;
	if (domain)
		srnic_pd_use(domain);
	if (config.extended)
		install_lazy_polling(*this, config.wc_flags);
	return 0;
}

int CompletionQueue::add(QueuePair &qp)
{
	const Guard<OptionalLock> guard(lock);

	// A QP that had this number before may be on its way out: gone from the kernel,
	// not yet from here. What it has left is not the new one's.
	purge_locked(qp.verbs.qp.qp_num);
	return qps.insert(qp.verbs.qp.qp_num, &qp);
}

void CompletionQueue::remove(QueuePair &qp)
{
	const Guard<OptionalLock> guard(lock);

	// Unless the number has gone to another QP already, see add().
	if (qps.find(qp.verbs.qp.qp_num) != &qp)
		return;
	purge_locked(qp.verbs.qp.qp_num);
	qps.erase(qp.verbs.qp.qp_num);
}

void CompletionQueue::purge(const QueuePair &qp)
{
	const Guard<OptionalLock> guard(lock);

	purge_locked(qp.verbs.qp.qp_num);
}

void CompletionQueue::purge_locked(std::uint32_t qpn)
{
	// The kernel adds behind what is there, and nothing more of this QP. What it
	// has written it does not look at again, so a mark in the ring is ours to set.
	for (std::uint32_t i = 0; i < entries && is_valid(consumer + i); ++i) {
		srnic_cqe &cqe = ring[(consumer + i) & (entries - 1)];

		if (cqe.qp_num != qpn || is_of_srq(cqe))
			continue;
		cqe.qp_num = kNoQp;
		// The ring of the QP's own queue is emptied; of an SRQ's work requests
		// each one counts.
		if (QueuePair *qp = qps.find(qpn))
			qp->drop(cqe);
	}
}

void CompletionQueue::add(SharedRecvQueue &srq)
{
	const Guard<OptionalLock> guard(lock);

	srq.next = srqs;
	srqs = &srq;
}

void CompletionQueue::remove(SharedRecvQueue &srq)
{
	const Guard<OptionalLock> guard(lock);
	SharedRecvQueue **link = &srqs;

	while (*link && *link != &srq)
		link = &(*link)->next;
	if (*link)
		*link = srq.next;
	// As with QPs, its number may go to another one.
	for (std::uint32_t i = 0; i < entries && is_valid(consumer + i); ++i) {
		srnic_cqe &cqe = ring[(consumer + i) & (entries - 1)];

		if (is_of_srq(cqe) && cqe.srqn == srq.verbs.srq_num) {
			cqe.flags = 0;
			cqe.qp_num = kNoQp;
		}
	}
}

SharedRecvQueue *CompletionQueue::find_srq(std::uint32_t number) const
{
	SharedRecvQueue *srq = srqs;

	while (srq && srq->verbs.srq_num != number)
		srq = srq->next;
	return srq;
}

/** Frees what a completion completes; @return whether it is to be reported. */
bool CompletionQueue::free_completed(const srnic_cqe &cqe)
{
	if (is_of_srq(cqe)) {
		SharedRecvQueue *srq = find_srq(cqe.srqn);

		if (srq)
			srq->complete();
		return srq != nullptr;
	}

	QueuePair *qp = qps.find(cqe.qp_num);

	if (qp)
		qp->complete(cqe);
	return qp != nullptr;
}

bool CompletionQueue::is_valid(std::uint32_t index) const
{
	const __u16 phase = (index & entries) == 0 ? 1 : 0;

	// Pairs with the kernel's release store of the phase, its last to the CQE.
	return load_acquire(ring[index & (entries - 1)].phase) == phase;
}

const srnic_cqe *CompletionQueue::next()
{
	while (is_valid(consumer)) {
		const srnic_cqe &cqe = ring[consumer & (entries - 1)];

		++consumer;
		if (free_completed(cqe))
			return &cqe;
	}
	return nullptr;
}

void CompletionQueue::publish()
{
	if (consumer == published)
		return;
	published = consumer;
	// Pairs with the kernel's acquire load before it overwrites a CQE.
	store_release(header->consumer, consumer);
}

int CompletionQueue::poll(std::span<ibv_wc> out)
{
	const Guard<OptionalLock> guard(lock);
	int count = 0;

	for (ibv_wc &wc : out) {
		const srnic_cqe *cqe = next();

		if (!cqe)
			break;
		fill(wc, *cqe);
		publish_some();
		++count;
	}
	publish();
	return count;
}

// It changes shared memory. NOLINTNEXTLINE(readability-make-member-function-const)
void CompletionQueue::arm(bool solicited_only)
{
	// The kernel never writes this word, so it can be the only copy.
	const Guard<OptionalLock> guard(arming);
	const std::atomic_ref<__u32> word(header->arm);
	std::uint32_t old = word.load(std::memory_order_relaxed);
	std::uint32_t armed = 0;

	do {
		// Both are 0 before it is first armed.
		const bool pending = old != load_acquire(header->notified);
		const bool any = !solicited_only ||
				 (pending && (old & SRNIC_CQ_ARM_KIND_MASK) == SRNIC_CQ_ARM_ANY);
		const std::uint32_t seq = (old >> SRNIC_CQ_ARM_SEQ_SHIFT) + 1;

		// A pending arm is renewed too: the kernel may be about to raise its event
		// for a completion that came before this call.
		armed = seq << SRNIC_CQ_ARM_SEQ_SHIFT |
			(any ? SRNIC_CQ_ARM_ANY : SRNIC_CQ_ARM_SOLICITED);
	} while (!word.compare_exchange_weak(old, armed));
	// Against the kernel's barrier between publishing a CQE and reading the arm word:
	// either it sees the arm, or the polling that follows here sees the CQE.
	std::atomic_thread_fence(std::memory_order_seq_cst);
}

} // namespace srnic

using srnic::CompletionQueue;

srnic_verbs_cq *srnic_cq_new()
{
	auto *cq = srnic::create<CompletionQueue>();

	return cq ? &cq->verbs : nullptr;
}

int srnic_cq_attach(srnic_core *core, srnic_verbs_cq *cq, const srnic_cq_config *config)
{
	return CompletionQueue::of(&cq->cq).attach(*core, *config);
}

void srnic_cq_free(srnic_verbs_cq *cq)
{
	CompletionQueue &object = CompletionQueue::of(&cq->cq);

	if (object.domain)
		srnic_pd_unuse(object.domain);
	srnic::destroy(&object);
}

int srnic_poll_cq(ibv_cq *cq, int num_entries, ibv_wc *wc)
{
	if (num_entries <= 0)
		return 0;
	return CompletionQueue::of(cq).poll({wc, static_cast<std::size_t>(num_entries)});
}

int srnic_req_notify_cq(ibv_cq *cq, int solicited_only)
{
	CompletionQueue::of(cq).arm(solicited_only != 0);
	return 0;
}
