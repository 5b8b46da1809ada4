// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "shared_recv_queue.hpp"

#include <cerrno>
#include <type_traits>

#include "answer.hpp"
#include "completion_queue.hpp"
#include "memory.hpp"
#include "shared.hpp"
#include "wqe.hpp"

namespace srnic {

// What of() takes for granted.
static_assert(std::is_standard_layout_v<SharedRecvQueue>);
static_assert(offsetof(SharedRecvQueue, verbs) == 0);

int SharedRecvQueue::attach(srnic_core &context, const srnic_srq_config &config)
{
	core = &context;
	max_sge = config.max_sge;
	lock.off = srnic_pd_is_single_threaded(config.domain);
	domain = config.domain;
	if (domain)
		srnic_pd_use(domain);
	if (!valid_answer(config.ring, config.max_wr, config.max_sge))
		return kBadAnswer;
	if (const int err = replace(config.ring))
		return err;
	if (verbs.srq_type == IBV_SRQT_XRC) {
		CompletionQueue::of(verbs.cq).add(*this);
		cq = &CompletionQueue::of(verbs.cq);
	}
	return 0;
}

void SharedRecvQueue::detach()
{
	if (cq)
		cq->remove(*this);
	if (domain)
		srnic_pd_unuse(domain);
}

int SharedRecvQueue::replace(const srnic_create_srq_resp &ring)
{
	// Without a ring it is full for ever.
	entries = 0;
	if (!valid_answer(ring, 1, max_sge))
		return kBadAnswer;
	if (const int err = mapping.map(core->fd, ring.mmap_offset, ring.mmap_bytes))
		return err;
	entries = ring.entries;
	stride = ring.stride;
	producer = 0;
	return 0;
}

std::byte *SharedRecvQueue::slot_for(std::uint32_t staged) const
{
	// Pairs with complete(): the kernel had done with a work request before that.
	if (posted + staged - completed.load(std::memory_order_acquire) >= entries)
		return nullptr;

	const std::uint32_t index = (producer + staged) & (entries - 1);

	return mapping.data() + SRNIC_QUEUE_HEADER_BYTES + std::size_t{index} * stride;
}

int SharedRecvQueue::add(const ibv_recv_wr &wr, std::uint32_t staged) const
{
	// A negative number is a large one.
	if (static_cast<unsigned>(wr.num_sge) > max_sge)
		return EINVAL;

	std::byte *slot = slot_for(staged);

	if (!slot)
		return ENOMEM;
	write_recv(slot, wr.wr_id, {wr.sg_list, static_cast<std::size_t>(wr.num_sge)});
	return 0;
}

void SharedRecvQueue::publish(std::uint32_t staged)
{
	if (staged == 0)
		return;
	producer += staged;
	posted += staged;
	// Pairs with the kernel's acquire load when it wants a work request.
	store_release(reinterpret_cast<srnic_queue_header *>(mapping.data())->producer, producer);
}

void SharedRecvQueue::lock_ring()
{
	lock.lock();
	while (ring_changes) {
		lock.unlock();
		{
			const Guard<SleepLock> wait(resizing);
		}
		lock.lock();
	}
}

int SharedRecvQueue::post(ibv_recv_wr *list, ibv_recv_wr **bad_wr)
{
	std::uint32_t staged = 0;
	ibv_recv_wr *wr = list;
	int err = 0;

	lock_ring();

	while (wr) {
		err = add(*wr, staged);
		if (err)
			break;
		++staged;
		wr = wr->next;
	}
	publish(staged);
	lock.unlock();
	if (err && bad_wr)
		*bad_wr = wr;
	return err;
}

void SharedRecvQueue::begin_resize()
{
	resizing.lock();

	const Guard<OptionalLock> guard(lock);

	ring_changes = true;
}

int SharedRecvQueue::end_resize(const srnic_create_srq_resp *ring)
{
	int err = 0;

	{
		const Guard<OptionalLock> guard(lock);

		if (ring)
			err = replace(*ring);
		ring_changes = false;
	}
	resizing.unlock();
	return err;
}

} // namespace srnic

using srnic::SharedRecvQueue;

srnic_verbs_srq *srnic_srq_new()
{
	auto *srq = srnic::create<SharedRecvQueue>();

	return srq ? &srq->verbs : nullptr;
}

int srnic_srq_attach(srnic_core *core, srnic_verbs_srq *srq, const srnic_srq_config *config)
{
	return SharedRecvQueue::of(&srq->srq).attach(*core, *config);
}

void srnic_srq_free(srnic_verbs_srq *srq)
{
	SharedRecvQueue &object = SharedRecvQueue::of(&srq->srq);

	object.detach();
	srnic::destroy(&object);
}

void srnic_srq_begin_resize(ibv_srq *srq)
{
	SharedRecvQueue::of(srq).begin_resize();
}

int srnic_srq_end_resize(ibv_srq *srq, const srnic_create_srq_resp *ring)
{
	return SharedRecvQueue::of(srq).end_resize(ring);
}

int srnic_post_srq_recv(ibv_srq *srq, ibv_recv_wr *wr, ibv_recv_wr **bad_wr)
{
	return SharedRecvQueue::of(srq).post(wr, bad_wr);
}
