// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "queue_pair.hpp"

#include <cerrno>

#include "answer.hpp"
#include "completion_queue.hpp"
#include "memory.hpp"
#include "rules.hpp"
#include "shared_recv_queue.hpp"

namespace srnic {

// What of() takes for granted.
static_assert(std::is_standard_layout_v<QueuePair>);
static_assert(offsetof(QueuePair, verbs) == 0);

int QueuePair::map_queues(const srnic_create_qp_resp &queues)
{
	if (const int err = sq.ring.attach(core->fd, queues.sq_mmap_offset, queues.sq_mmap_bytes,
					   queues.sq_entries, queues.sq_stride))
		return err;
	if (const int err = rq.ring.attach(core->fd, queues.rq_mmap_offset, queues.rq_mmap_bytes,
					   queues.rq_entries, queues.rq_stride))
		return err;
	if (const int err = core->doorbells.acquire(core->fd, queues.doorbell_mmap_offset,
						    queues.doorbell_mmap_bytes, &page))
		return err;

	auto *lines = reinterpret_cast<srnic_doorbell_line *>(page->mapping.data());

	doorbell.attach(lines + queues.doorbell_line, queues.doorbell_bit);
	return 0;
}

int QueuePair::join_cqs()
{
	CompletionQueue &send = CompletionQueue::of(verbs.qp.send_cq);

	if (const int err = send.add(*this))
		return err;
	send_cq = &send;
	// An XRC initiator has no other, whatever the program may have given.
	if (verbs.qp.qp_type == IBV_QPT_XRC_SEND)
		return 0;

	CompletionQueue &recv = CompletionQueue::of(verbs.qp.recv_cq);

	if (&recv == &send)
		return 0;
	if (const int err = recv.add(*this))
		return err;
	recv_cq = &recv;
	return 0;
}

int QueuePair::attach(srnic_core &context, srnic_qp_config &config)
{
	const bool reliable = verbs.qp.qp_type == IBV_QPT_RC ||
			      verbs.qp.qp_type == IBV_QPT_XRC_SEND;

	// An XRC target has no queues, and completes nothing of its own.
	if (verbs.qp.qp_type == IBV_QPT_XRC_RECV) {
		config.cap = cap;
		return 0;
	}
	if (!valid_answer(config.queues, config.cap))
		return kBadAnswer;
	core = &context;
	sq.limits = SendLimits{
		.type = verbs.qp.qp_type,
		.opcodes = allowed_opcodes(verbs.qp.qp_type),
		.max_sge = config.cap.max_send_sge,
		.max_inline = config.cap.max_inline_data,
		.forced_flags = config.sq_sig_all ? unsigned{IBV_SEND_SIGNALED} : 0U,
		.dropped_flags = reliable ? 0U : unsigned{IBV_SEND_FENCE},
	};
	rq.max_sge = config.cap.max_recv_sge;
	if (verbs.qp.srq)
		srq = &SharedRecvQueue::of(verbs.qp.srq);
	state = IBV_QPS_RESET;
	sq.lock.off = srnic_pd_is_single_threaded(verbs.qp.pd);
	rq.lock.off = sq.lock.off;
	domain = verbs.qp.pd;
	if (domain)
		srnic_pd_use(domain);
	if (const int err = map_queues(config.queues))
		return err;
	if (const int err = join_cqs())
		return err;
	config.cap.max_send_wr = sq.ring.entries();
	config.cap.max_recv_wr = rq.ring.entries();
	cap = config.cap;
	if (config.send_ops)
		install_send_ops(*this, config.send_ops);
	return 0;
}

void QueuePair::detach()
{
	if (send_cq)
		send_cq->remove(*this);
	if (recv_cq)
		recv_cq->remove(*this);
	if (page)
		core->doorbells.release(page);
	if (domain)
		srnic_pd_unuse(domain);
}

void QueuePair::set_state(ibv_qp_state now)
{
	if (now == IBV_QPS_RESET) {
		// The kernel has dropped what was queued; what it had completed is dropped
		// here, as it would be taken for completions of what is posted next.
		if (send_cq)
			send_cq->purge(*this);
		if (recv_cq)
			recv_cq->purge(*this);

		const Guard<OptionalLock> send(sq.lock);
		const Guard<OptionalLock> recv(rq.lock);

		sq.ring.restart();
		rq.ring.restart();
	}
	state.store(now, std::memory_order_relaxed);
}

int QueuePair::post_send(ibv_send_wr *list, ibv_send_wr **bad_wr, ibv_mw_type window)
{
	ibv_send_wr *wr = list;
	int err = 0;
	bool posted = false;
	{
		const Guard<OptionalLock> guard(sq.lock);

		if (!may_send(state.load(std::memory_order_relaxed)))
			err = EINVAL;
		while (!err && wr) {
			err = sq.add(*wr, window);
			if (!err)
				wr = wr->next;
		}
		posted = sq.ring.publish();
	}
	if (posted) {
		const int kicked = ring_doorbell();

		if (!err && kicked) {
			// The device is gone: nothing of the list will be done.
			err = kicked;
			wr = list;
		}
	}
	if (err && bad_wr)
		*bad_wr = wr;
	return err;
}

/** A window of type 1 is bound by a work request, too, but the new key is ours. */
int QueuePair::bind_window(ibv_mw &mw, const ibv_mw_bind &bind)
{
	ibv_send_wr wr{};

	wr.wr_id = bind.wr_id;
	wr.opcode = IBV_WR_BIND_MW;
	wr.send_flags = bind.send_flags;
	wr.bind_mw.mw = &mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw.rkey);
	wr.bind_mw.bind_info = bind.bind_info;
	if (const int err = post_send(&wr, nullptr, IBV_MW_TYPE_1))
		return err;
	mw.rkey = wr.bind_mw.rkey;
	return 0;
}

int QueuePair::post_recv(ibv_recv_wr *list, ibv_recv_wr **bad_wr)
{
	ibv_recv_wr *wr = list;
	int err = 0;
	const Guard<OptionalLock> guard(rq.lock);

	if (!has_recv_queue() || !may_receive(state.load(std::memory_order_relaxed)))
		err = EINVAL;
	while (!err && wr) {
		err = rq.add(*wr);
		if (!err)
			wr = wr->next;
	}
	// Nobody is told: the kernel looks when a message comes, and in ERR by itself.
	rq.ring.publish();
	if (err && bad_wr)
		*bad_wr = wr;
	return err;
}

void QueuePair::complete(const srnic_cqe &cqe)
{
	const bool is_recv = (cqe.opcode & SRNIC_WC_OPCODE_RECV) != 0;

	if (is_recv && srq) {
		srq->complete();
		return;
	}
	(is_recv ? rq.ring : sq.ring).complete(cqe.wqe_index);
}

void QueuePair::drop(const srnic_cqe &cqe) const
{
	if (srq && (cqe.opcode & SRNIC_WC_OPCODE_RECV) != 0)
		srq->complete();
}

} // namespace srnic

using srnic::QueuePair;

bool srnic_qp_supports_send_ops(ibv_qp_type type, std::uint64_t send_ops)
{
	std::uint64_t supported = srnic::allowed_opcodes(type);

	// Bit n of ibv_qp_create_send_ops_flags is for opcode n of ibv_wr_opcode, with
	// one exception.
	static_assert(IBV_QP_EX_WITH_RDMA_WRITE == 1 << IBV_WR_RDMA_WRITE);
	static_assert(IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD == 1 << IBV_WR_ATOMIC_FETCH_AND_ADD);
	static_assert(IBV_QP_EX_WITH_LOCAL_INV == 1 << IBV_WR_LOCAL_INV);
	static_assert(IBV_QP_EX_WITH_BIND_MW == 1 << IBV_WR_BIND_MW);
	static_assert(IBV_QP_EX_WITH_SEND_WITH_INV == 1 << IBV_WR_SEND_WITH_INV);
	if (supported & srnic::kAtomicWriteOpcodes)
		supported = (supported & ~srnic::kAtomicWriteOpcodes) | IBV_QP_EX_WITH_ATOMIC_WRITE;
	return (send_ops & ~supported) == 0;
}

srnic_verbs_qp *srnic_qp_new()
{
	auto *qp = srnic::create<QueuePair>();

	return qp ? &qp->verbs : nullptr;
}

int srnic_qp_attach(srnic_core *core, srnic_verbs_qp *qp, srnic_qp_config *config)
{
	return QueuePair::of(&qp->qp).attach(*core, *config);
}

void srnic_qp_free(srnic_verbs_qp *qp)
{
	QueuePair &object = QueuePair::of(&qp->qp);

	object.detach();
	srnic::destroy(&object);
}

void srnic_qp_get_cap(ibv_qp *qp, ibv_qp_cap *cap)
{
	*cap = QueuePair::of(qp).cap;
}

void srnic_qp_set_state(ibv_qp *qp, ibv_qp_state state)
{
	QueuePair::of(qp).set_state(state);
}

int srnic_post_send(ibv_qp *qp, ibv_send_wr *wr, ibv_send_wr **bad_wr)
{
	return QueuePair::of(qp).post_send(wr, bad_wr);
}

int srnic_post_recv(ibv_qp *qp, ibv_recv_wr *wr, ibv_recv_wr **bad_wr)
{
	return QueuePair::of(qp).post_recv(wr, bad_wr);
}

int srnic_bind_mw(ibv_qp *qp, ibv_mw *mw, ibv_mw_bind *bind)
{
	return QueuePair::of(qp).bind_window(*mw, *bind);
}
