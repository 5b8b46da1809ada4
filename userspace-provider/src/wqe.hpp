/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * Writing work requests into slots. Limits have been checked before.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "abi.hpp"

namespace srnic {

/** A slot of a send queue that is being written. */
class SendSlot {
public:
	SendSlot() = default;
	explicit SendSlot(std::byte *slot) : wqe_(reinterpret_cast<srnic_send_wqe *>(slot)) {}

	explicit operator bool() const { return wqe_ != nullptr; }

	/** Begins a work request of no payload; everything not given here is zero. */
	void begin(std::uint64_t wr_id, unsigned opcode, unsigned flags, std::uint32_t imm = 0)
	{
		*wqe_ = srnic_send_wqe{};
		wqe_->wr_id = wr_id;
		wqe_->opcode = static_cast<__u8>(opcode);
		wqe_->flags = static_cast<__u8>(flags);
		wqe_->imm = imm;
	}

	unsigned opcode() const { return wqe_->opcode; }

	void set_remote(std::uint64_t addr, std::uint32_t rkey)
	{
		wqe_->rdma.remote_addr = addr;
		wqe_->rdma.rkey = rkey;
	}

	void set_srqn(std::uint32_t number) { wqe_->srqn = number; }

	void set_operands(std::uint64_t compare_add, std::uint64_t swap)
	{
		wqe_->rdma.compare_add = compare_add;
		wqe_->rdma.swap = swap;
	}

	void set_bind(std::uint32_t rkey, const ibv_mw_bind_info &info)
	{
		wqe_->bind.addr = info.addr;
		wqe_->bind.length = info.length;
		wqe_->bind.rkey = rkey;
		wqe_->bind.lkey = info.mr ? info.mr->lkey : 0;
		wqe_->bind.access = info.mw_access_flags;
	}

	void set_ud(std::uint32_t ah, std::uint32_t qpn, std::uint32_t qkey)
	{
		wqe_->ud.ah = ah;
		wqe_->ud.remote_qpn = qpn;
		wqe_->ud.remote_qkey = qkey;
	}

	/** Payload from a gather list, replacing what was set before. */
	void set_sges(std::span<const ibv_sge> sges)
	{
		wqe_->flags &= static_cast<__u8>(~SRNIC_SEND_INLINE);
		wqe_->inline_length = 0;
		wqe_->num_sge = static_cast<__u8>(sges.size());
		if (!sges.empty())
			std::memcpy(payload(), sges.data(), sges.size_bytes());
	}

	/** Payload in the slot itself, empty so far, replacing what was set before. */
	void begin_inline()
	{
		wqe_->flags |= SRNIC_SEND_INLINE;
		wqe_->num_sge = 0;
		wqe_->inline_length = 0;
	}

	/** Adds bytes to the payload in the slot. */
	void append_inline(const void *data, std::size_t bytes)
	{
		if (bytes == 0)
			return;
		std::memcpy(payload() + wqe_->inline_length, data, bytes);
		wqe_->inline_length += static_cast<__u32>(bytes);
	}

private:
	std::byte *payload() const { return reinterpret_cast<std::byte *>(wqe_ + 1); }

	srnic_send_wqe *wqe_ = nullptr;
};

/** Writes a receive into a slot. */
inline void write_recv(std::byte *slot, std::uint64_t wr_id, std::span<const ibv_sge> sges)
{
	auto *wqe = reinterpret_cast<srnic_recv_wqe *>(slot);

	*wqe = srnic_recv_wqe{};
	wqe->wr_id = wr_id;
	wqe->num_sge = static_cast<__u32>(sges.size());
	if (!sges.empty())
		std::memcpy(wqe + 1, sges.data(), sges.size_bytes());
}

} // namespace srnic
