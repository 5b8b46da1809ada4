// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "send_queue.hpp"

#include <cerrno>

namespace srnic {
namespace {

std::span<const ibv_sge> sges_of(const ibv_send_wr &wr)
{
	return {wr.sg_list, static_cast<std::size_t>(wr.num_sge)};
}

/** As a number: a program can put in what is no value of the enumeration. */
unsigned opcode_of(const ibv_send_wr &wr)
{
	unsigned opcode = 0;

	static_assert(sizeof(opcode) == sizeof(wr.opcode));
	std::memcpy(&opcode, &wr.opcode, sizeof(opcode));
	return opcode;
}

const void *address_of(const ibv_sge &sge)
{
	// NOLINTNEXTLINE(performance-no-int-to-ptr): verbs have addresses as numbers
	return reinterpret_cast<const void *>(static_cast<std::uintptr_t>(sge.addr));
}

bool is_operand(std::span<const ibv_sge> sges)
{
	return sges.size() == 1 && sges[0].length == kAtomicBytes;
}

std::uint64_t remote_address_of(const ibv_send_wr &wr)
{
	return contains(kAtomicOpcodes, wr.opcode) ? wr.wr.atomic.remote_addr
						   : wr.wr.rdma.remote_addr;
}

bool is_aligned(std::uint64_t addr)
{
	return addr % kAtomicBytes == 0;
}

/** Whether a window of this kind can get this key: its own, but for the variant. */
bool fits(const ibv_mw *mw, ibv_mw_type type, std::uint32_t rkey)
{
	constexpr std::uint32_t variant = 0xff;

	return mw && mw->type == type && ((mw->rkey ^ rkey) & ~variant) == 0;
}

/** What goes into a slot's field for immediate data, as it is. */
std::uint32_t immediate_of(const ibv_send_wr &wr)
{
	switch (wr.opcode) {
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return wr.imm_data;
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		return wr.invalidate_rkey;
	default:
		return 0;
	}
}

} // namespace

int SendQueue::check(const ibv_send_wr &wr, ibv_mw_type window) const
{
	if (!contains(limits.opcodes, opcode_of(wr)) || (wr.send_flags & ~kSendFlags) != 0)
		return EINVAL;
	// A negative number is a large one.
	if (static_cast<unsigned>(wr.num_sge) > limits.max_sge)
		return EINVAL;
	if (limits.type == IBV_QPT_UD && !wr.wr.ud.ah)
		return EINVAL;
	if (limits.type == IBV_QPT_XRC_SEND && !is_srq_number(wr.qp_type.xrc.remote_srqn))
		return EINVAL;
	if (contains(kWordOpcodes, wr.opcode) &&
	    !(is_operand(sges_of(wr)) && is_aligned(remote_address_of(wr))))
		return EINVAL;
	if (wr.opcode == IBV_WR_BIND_MW && !fits(wr.bind_mw.mw, window, wr.bind_mw.rkey))
		return EINVAL;
	if (wr.send_flags & IBV_SEND_INLINE) {
		std::uint64_t length = 0;

		for (const ibv_sge &sge : sges_of(wr))
			length += sge.length;
		if (!contains(kInlineOpcodes, wr.opcode) || length > limits.max_inline)
			return EINVAL;
	}
	return 0;
}

void SendQueue::write_address(SendSlot &slot, const ibv_send_wr &wr) const
{
	if (limits.type == IBV_QPT_XRC_SEND)
		slot.set_srqn(wr.qp_type.xrc.remote_srqn);
	if (limits.type == IBV_QPT_UD) {
		const auto *ah = reinterpret_cast<const srnic_ah *>(wr.wr.ud.ah);

		slot.set_ud(ah->handle, wr.wr.ud.remote_qpn, wr.wr.ud.remote_qkey);
	} else if (contains(kAtomicOpcodes, wr.opcode)) {
		slot.set_remote(wr.wr.atomic.remote_addr, wr.wr.atomic.rkey);
		slot.set_operands(wr.wr.atomic.compare_add,
				  wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? wr.wr.atomic.swap : 0);
	} else if (wr.opcode == IBV_WR_BIND_MW) {
		slot.set_bind(wr.bind_mw.rkey, wr.bind_mw.bind_info);
	} else if (!contains(kNoRemoteOpcodes, wr.opcode)) {
		slot.set_remote(wr.wr.rdma.remote_addr, wr.wr.rdma.rkey);
	}
}

int SendQueue::add(const ibv_send_wr &wr, ibv_mw_type window)
{
	if (const int err = check(wr, window))
		return err;

	SendSlot slot(ring.reserve());

	if (!slot)
		return ENOMEM;

	slot.begin(wr.wr_id, wr.opcode, flags_of(wr.send_flags), immediate_of(wr));
	write_address(slot, wr);
	if (wr.send_flags & IBV_SEND_INLINE) {
		slot.begin_inline();
		for (const ibv_sge &sge : sges_of(wr))
			slot.append_inline(address_of(sge), sge.length);
	} else if (!contains(kLocalOpcodes, wr.opcode)) {
		slot.set_sges(sges_of(wr));
	}
	return 0;
}

SendSlot SendQueue::add_next(std::uint64_t wr_id, unsigned opcode, unsigned flags,
			     std::uint32_t imm)
{
	finish_current();
	if (!contains(limits.opcodes, opcode))
		fail(EINVAL);
	if (error)
		return {};
	current = SendSlot(ring.reserve());
	if (!current) {
		fail(ENOMEM);
		return {};
	}
	// Whether the payload is in the slot is said by the setter, not by a flag.
	current.begin(wr_id, opcode, flags_of(flags & kSendFlags & ~unsigned{IBV_SEND_INLINE}),
		      imm);
	needs_operand = contains(kAtomicOpcodes, opcode);
	needs_address = limits.type == IBV_QPT_UD || limits.type == IBV_QPT_XRC_SEND;
	return current;
}

bool SendQueue::ready_for_setter()
{
	if (!current)
		fail(EINVAL);
	return error == 0;
}

void SendQueue::set_sges(std::span<const ibv_sge> sges)
{
	if (!ready_for_setter())
		return;
	if (sges.size() > limits.max_sge || contains(kLocalOpcodes, current.opcode()) ||
	    (contains(kWordOpcodes, current.opcode()) && !is_operand(sges))) {
		fail(EINVAL);
		return;
	}
	current.set_sges(sges);
	needs_operand = false;
}

void SendQueue::set_inline(std::span<const ibv_data_buf> bufs)
{
	std::uint64_t room = limits.max_inline;

	if (!ready_for_setter())
		return;
	if (!contains(kInlineOpcodes, current.opcode())) {
		fail(EINVAL);
		return;
	}
	current.begin_inline();
	for (const ibv_data_buf &buf : bufs) {
		if (buf.length > room) {
			fail(EINVAL);
			return;
		}
		room -= buf.length;
		current.append_inline(buf.addr, buf.length);
	}
	if (contains(kAtomicWriteOpcodes, current.opcode()) &&
	    limits.max_inline - room != kAtomicBytes)
		fail(EINVAL);
}

void SendQueue::set_bind(const ibv_mw &mw, std::uint32_t rkey, const ibv_mw_bind_info &info)
{
	if (!ready_for_setter())
		return;
	if (!fits(&mw, IBV_MW_TYPE_2, rkey)) {
		fail(EINVAL);
		return;
	}
	current.set_bind(rkey, info);
}

void SendQueue::set_ud(const srnic_ah *ah, std::uint32_t qpn, std::uint32_t qkey)
{
	if (!ready_for_setter())
		return;
	if (limits.type != IBV_QPT_UD || !ah) {
		fail(EINVAL);
		return;
	}
	current.set_ud(ah->handle, qpn, qkey);
	needs_address = false;
}

void SendQueue::set_srqn(std::uint32_t number)
{
	if (!ready_for_setter())
		return;
	if (limits.type != IBV_QPT_XRC_SEND || !is_srq_number(number)) {
		fail(EINVAL);
		return;
	}
	current.set_srqn(number);
	needs_address = false;
}

void SendQueue::finish_current()
{
	if (current && (needs_operand || needs_address))
		fail(EINVAL);
	current = SendSlot();
}

int SendQueue::end_batch()
{
	finish_current();
	return error;
}

} // namespace srnic
