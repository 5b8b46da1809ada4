/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * A queue pair: its queues, its doorbell and what the program knows of its state.
 */
#pragma once

#include <atomic>
#include <type_traits>

#include "context.hpp"
#include "core.h"
#include "doorbell.hpp"
#include "recv_queue.hpp"
#include "send_queue.hpp"

namespace srnic {

struct CompletionQueue;
struct SharedRecvQueue;

/** libibverbs knows this by its first member. */
struct QueuePair {
	srnic_verbs_qp verbs;
	srnic_core *core;
	CompletionQueue *send_cq;
	CompletionQueue *recv_cq;
	SharedRecvQueue *srq;
	DoorbellPages::Page *page;
	Doorbell doorbell;
	ibv_qp_cap cap;
	ibv_pd *domain; /**< that it was made in */

	/** The state of the last modify_qp: what decides about posting. */
	std::atomic<ibv_qp_state> state;

	SendQueue sq;
	RecvQueue rq;

	static QueuePair &of(ibv_qp *qp) { return *reinterpret_cast<QueuePair *>(qp); }
	static QueuePair &of(ibv_qp_ex *qp) { return *reinterpret_cast<QueuePair *>(qp); }

	int attach(srnic_core &context, srnic_qp_config &config);
	void detach();
	void set_state(ibv_qp_state now);

	int post_send(ibv_send_wr *list, ibv_send_wr **bad_wr, ibv_mw_type window = IBV_MW_TYPE_2);
	int bind_window(ibv_mw &mw, const ibv_mw_bind &bind);
	int post_recv(ibv_recv_wr *list, ibv_recv_wr **bad_wr);

	/** Makes the kernel look at both queues; @return 0 or errno of the kick. */
	int ring_doorbell() { return doorbell.ring() ? core->kick(&verbs.qp) : 0; }

	/** A completion of this QP is taken from a CQ, whose lock is held. */
	void complete(const srnic_cqe &cqe);

	/** One is dropped, as the QP is reset or gone; the lock is held likewise. */
	void drop(const srnic_cqe &cqe) const;

private:
	/** Otherwise it has an SRQ, or it is of XRC. */
	bool has_recv_queue() const
	{
		return !srq && verbs.qp.qp_type != IBV_QPT_XRC_SEND &&
		       verbs.qp.qp_type != IBV_QPT_XRC_RECV;
	}

	int map_queues(const srnic_create_qp_resp &queues);
	int join_cqs();
};

/** Sets the ibv_wr_* functions for the operations asked for. */
void install_send_ops(QueuePair &qp, std::uint64_t send_ops);

} // namespace srnic
