// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/**
 * @file
 * The functions behind ibv_wr_*: thin, the work is SendQueue's.
 */
#include <cerrno>

#include "queue_pair.hpp"
#include "rules.hpp"

namespace srnic {
namespace {

SendSlot next(ibv_qp_ex *qp, ibv_wr_opcode opcode, std::uint32_t imm = 0)
{
	return QueuePair::of(qp).sq.add_next(qp->wr_id, opcode, qp->wr_flags, imm);
}

void add_remote(ibv_qp_ex *qp, ibv_wr_opcode opcode, std::uint32_t rkey, std::uint64_t addr,
		std::uint32_t imm = 0)
{
	if (SendSlot slot = next(qp, opcode, imm))
		slot.set_remote(addr, rkey);
}

void add_atomic(ibv_qp_ex *qp, ibv_wr_opcode opcode, std::uint32_t rkey, std::uint64_t addr,
		std::uint64_t compare_add, std::uint64_t swap)
{
	SendSlot slot = next(qp, opcode);

	if (addr % kAtomicBytes)
		QueuePair::of(qp).sq.fail(EINVAL);
	if (slot) {
		slot.set_remote(addr, rkey);
		slot.set_operands(compare_add, swap);
	}
}

void wr_send(ibv_qp_ex *qp)
{
	next(qp, IBV_WR_SEND);
}

void wr_send_imm(ibv_qp_ex *qp, __be32 imm)
{
	next(qp, IBV_WR_SEND_WITH_IMM, imm);
}

void wr_send_inv(ibv_qp_ex *qp, std::uint32_t invalidate_rkey)
{
	next(qp, IBV_WR_SEND_WITH_INV, invalidate_rkey);
}

void wr_local_inv(ibv_qp_ex *qp, std::uint32_t invalidate_rkey)
{
	next(qp, IBV_WR_LOCAL_INV, invalidate_rkey);
}

void wr_bind_mw(ibv_qp_ex *qp, ibv_mw *mw, std::uint32_t rkey, const ibv_mw_bind_info *bind_info)
{
	if (next(qp, IBV_WR_BIND_MW))
		QueuePair::of(qp).sq.set_bind(*mw, rkey, *bind_info);
}

void wr_rdma_write(ibv_qp_ex *qp, std::uint32_t rkey, std::uint64_t addr)
{
	add_remote(qp, IBV_WR_RDMA_WRITE, rkey, addr);
}

void wr_rdma_write_imm(ibv_qp_ex *qp, std::uint32_t rkey, std::uint64_t addr, __be32 imm)
{
	add_remote(qp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr, imm);
}

void wr_rdma_read(ibv_qp_ex *qp, std::uint32_t rkey, std::uint64_t addr)
{
	add_remote(qp, IBV_WR_RDMA_READ, rkey, addr);
}

void wr_atomic_cmp_swp(ibv_qp_ex *qp, std::uint32_t rkey, std::uint64_t addr, std::uint64_t compare,
		       std::uint64_t swap)
{
	add_atomic(qp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr, compare, swap);
}

void wr_atomic_fetch_add(ibv_qp_ex *qp, std::uint32_t rkey, std::uint64_t addr, std::uint64_t add)
{
	add_atomic(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr, add, 0);
}

void wr_atomic_write(ibv_qp_ex *qp, std::uint32_t rkey, std::uint64_t addr, const void *atomic_wr)
{
	// NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the API's, which reads only
	const ibv_data_buf buf{const_cast<void *>(atomic_wr), kAtomicBytes};
	SendQueue &sq = QueuePair::of(qp).sq;

	add_remote(qp, IBV_WR_ATOMIC_WRITE, rkey, addr);
	if (addr % kAtomicBytes)
		sq.fail(EINVAL);
	sq.set_inline({&buf, 1});
}

void wr_set_sge(ibv_qp_ex *qp, std::uint32_t lkey, std::uint64_t addr, std::uint32_t length)
{
	const ibv_sge sge{addr, length, lkey};

	QueuePair::of(qp).sq.set_sges({&sge, 1});
}

void wr_set_sge_list(ibv_qp_ex *qp, std::size_t num_sge, const ibv_sge *list)
{
	QueuePair::of(qp).sq.set_sges({list, num_sge});
}

void wr_set_inline_data(ibv_qp_ex *qp, void *addr, std::size_t length)
{
	const ibv_data_buf buf{addr, length};

	QueuePair::of(qp).sq.set_inline({&buf, 1});
}

void wr_set_inline_data_list(ibv_qp_ex *qp, std::size_t num_buf, const ibv_data_buf *list)
{
	QueuePair::of(qp).sq.set_inline({list, num_buf});
}

void wr_set_ud_addr(ibv_qp_ex *qp, ibv_ah *ah, std::uint32_t remote_qpn, std::uint32_t remote_qkey)
{
	QueuePair::of(qp).sq.set_ud(reinterpret_cast<const srnic_ah *>(ah), remote_qpn,
				    remote_qkey);
}

void wr_set_xrc_srqn(ibv_qp_ex *qp, std::uint32_t remote_srqn)
{
	QueuePair::of(qp).sq.set_srqn(remote_srqn);
}

/** Takes the lock, which wr_complete() or wr_abort() releases. */
void wr_start(ibv_qp_ex *base)
{
	QueuePair &qp = QueuePair::of(base);

	qp.sq.lock.lock();
	qp.sq.begin_batch(may_send(qp.state.load(std::memory_order_relaxed)) ? 0 : EINVAL);
}

/** All or nothing. */
int wr_complete(ibv_qp_ex *base)
{
	QueuePair &qp = QueuePair::of(base);
	const int err = qp.sq.end_batch();
	bool posted = false;

	if (err)
		qp.sq.ring.discard();
	else
		posted = qp.sq.ring.publish();
	qp.sq.lock.unlock();
	return posted ? qp.ring_doorbell() : err;
}

void wr_abort(ibv_qp_ex *base)
{
	QueuePair &qp = QueuePair::of(base);

	qp.sq.ring.discard();
	qp.sq.lock.unlock();
}

} // namespace

void install_send_ops(QueuePair &qp, std::uint64_t send_ops)
{
	ibv_qp_ex &ex = qp.verbs.qp_ex;
	const auto has = [send_ops](std::uint64_t op) { return (send_ops & op) != 0; };

	ex.wr_send = has(IBV_QP_EX_WITH_SEND) ? wr_send : nullptr;
	ex.wr_send_imm = has(IBV_QP_EX_WITH_SEND_WITH_IMM) ? wr_send_imm : nullptr;
	ex.wr_rdma_write = has(IBV_QP_EX_WITH_RDMA_WRITE) ? wr_rdma_write : nullptr;
	ex.wr_rdma_write_imm = has(IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM) ? wr_rdma_write_imm
								       : nullptr;
	ex.wr_rdma_read = has(IBV_QP_EX_WITH_RDMA_READ) ? wr_rdma_read : nullptr;
	ex.wr_atomic_cmp_swp = has(IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP) ? wr_atomic_cmp_swp : nullptr;
	ex.wr_atomic_fetch_add = has(IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD) ? wr_atomic_fetch_add
									  : nullptr;

	ex.wr_atomic_write = has(IBV_QP_EX_WITH_ATOMIC_WRITE) ? wr_atomic_write : nullptr;

	ex.wr_send_inv = has(IBV_QP_EX_WITH_SEND_WITH_INV) ? wr_send_inv : nullptr;
	ex.wr_local_inv = has(IBV_QP_EX_WITH_LOCAL_INV) ? wr_local_inv : nullptr;
	ex.wr_bind_mw = has(IBV_QP_EX_WITH_BIND_MW) ? wr_bind_mw : nullptr;

	ex.wr_set_ud_addr = wr_set_ud_addr;
	ex.wr_set_xrc_srqn = wr_set_xrc_srqn;
	ex.wr_set_inline_data = wr_set_inline_data;
	ex.wr_set_inline_data_list = wr_set_inline_data_list;
	ex.wr_set_sge = wr_set_sge;
	ex.wr_set_sge_list = wr_set_sge_list;

	ex.wr_start = wr_start;
	ex.wr_complete = wr_complete;
	ex.wr_abort = wr_abort;
}

} // namespace srnic
