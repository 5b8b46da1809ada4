// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/**
 * @file
 * Extended CQs: polling in place, reading only the fields that are wanted.
 */
#include <cerrno>
#include <ctime>

#include "completion_queue.hpp"

namespace srnic {
namespace {

constexpr std::uint64_t kSupported = std::uint64_t{IBV_WC_STANDARD_FLAGS} |
				     IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
				     IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;

const srnic_cqe &current(ibv_cq_ex *cq)
{
	return *CompletionQueue::of(cq).current;
}

/** Moves on to the next completion; @return 0, or ENOENT if there is none. */
int advance(CompletionQueue &cq)
{
	const srnic_cqe *cqe = cq.next();

	if (!cqe)
		return ENOENT;
	cq.current = cqe;
	cq.verbs.cq_ex.wr_id = cqe->wr_id;
	cq.verbs.cq_ex.status = status_of(*cqe);
	return 0;
}

/** Takes the lock, which end_poll() releases; not if it fails. */
int start_poll(ibv_cq_ex *base, ibv_poll_cq_attr *attr)
{
	CompletionQueue &cq = CompletionQueue::of(base);

	if (attr && attr->comp_mask)
		return EINVAL;
	cq.lock.lock();
	if (const int err = advance(cq)) {
		// There may have been completions of QPs that are gone.
		cq.publish();
		cq.lock.unlock();
		return err;
	}
	return 0;
}

int next_poll(ibv_cq_ex *base)
{
	CompletionQueue &cq = CompletionQueue::of(base);

	// Whoever comes here has done with what was current.
	cq.publish_some();
	return advance(cq);
}

void end_poll(ibv_cq_ex *base)
{
	CompletionQueue &cq = CompletionQueue::of(base);

	cq.publish();
	cq.lock.unlock();
}

ibv_wc_opcode read_opcode(ibv_cq_ex *cq)
{
	return static_cast<ibv_wc_opcode>(current(cq).opcode);
}

std::uint32_t read_vendor_err(ibv_cq_ex *cq)
{
	return current(cq).vendor_err;
}

std::uint32_t read_byte_len(ibv_cq_ex *cq)
{
	return current(cq).byte_len;
}

__be32 read_imm_data(ibv_cq_ex *cq)
{
	return current(cq).imm;
}

std::uint32_t read_qp_num(ibv_cq_ex *cq)
{
	return current(cq).qp_num;
}

std::uint32_t read_src_qp(ibv_cq_ex *cq)
{
	return current(cq).src_qp;
}

unsigned read_wc_flags(ibv_cq_ex *cq)
{
	return wc_flags_of(current(cq));
}

/** Ethernet has no LIDs. @{ */
std::uint32_t read_slid(ibv_cq_ex *)
{
	return 0;
}

std::uint8_t read_dlid_path_bits(ibv_cq_ex *)
{
	return 0;
}
/** @} */

std::uint8_t read_sl(ibv_cq_ex *cq)
{
	return current(cq).sl;
}

std::uint64_t read_completion_ts(ibv_cq_ex *cq)
{
	return current(cq).timestamp;
}

std::int64_t now(clockid_t clock)
{
	timespec time{};

	clock_gettime(clock, &time);
	return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/** The device's clock is CLOCK_MONOTONIC, so its distance to real time is known. */
std::uint64_t read_completion_wallclock_ns(ibv_cq_ex *cq)
{
	const std::int64_t offset = now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC);

	return current(cq).timestamp + static_cast<std::uint64_t>(offset);
}

} // namespace

void install_lazy_polling(CompletionQueue &cq, std::uint64_t wc_flags)
{
	ibv_cq_ex &ex = cq.verbs.cq_ex;
	const auto has = [wc_flags](std::uint64_t flag) { return (wc_flags & flag) != 0; };

	ex.start_poll = start_poll;
	ex.next_poll = next_poll;
	ex.end_poll = end_poll;
	ex.read_opcode = read_opcode;
	ex.read_vendor_err = read_vendor_err;
	ex.read_wc_flags = read_wc_flags;

	ex.read_byte_len = has(IBV_WC_EX_WITH_BYTE_LEN) ? read_byte_len : nullptr;
	ex.read_imm_data = has(IBV_WC_EX_WITH_IMM) ? read_imm_data : nullptr;
	ex.read_qp_num = has(IBV_WC_EX_WITH_QP_NUM) ? read_qp_num : nullptr;
	ex.read_src_qp = has(IBV_WC_EX_WITH_SRC_QP) ? read_src_qp : nullptr;
	ex.read_slid = has(IBV_WC_EX_WITH_SLID) ? read_slid : nullptr;
	ex.read_sl = has(IBV_WC_EX_WITH_SL) ? read_sl : nullptr;
	ex.read_dlid_path_bits = has(IBV_WC_EX_WITH_DLID_PATH_BITS) ? read_dlid_path_bits : nullptr;
	ex.read_completion_ts = has(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP) ? read_completion_ts
									 : nullptr;
	ex.read_completion_wallclock_ns = has(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
						  ? read_completion_wallclock_ns
						  : nullptr;
}

} // namespace srnic

std::uint64_t srnic_cq_supported_wc_flags()
{
	return srnic::kSupported;
}
