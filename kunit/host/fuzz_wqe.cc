// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Fuzz target: a slot of a send queue, and of a receive queue, filled by a hostile
// process. Whatever it says, nobody leaves the slot; what is accepted is consistent.
//
// Input: transport, most elements, most inline data (two bytes), then the slot.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

extern "C" {
#include "queue/wqe.h"
}

namespace {

void require(bool condition)
{
	if (!condition)
		std::abort();
}

constexpr size_t PARAMETERS = 4;
constexpr uint32_t ALLOWED[] = { 0x83ff, 0x18f, 0x0c, 0x83ff };

srnic_wqe_limits limits_of(const uint8_t *data)
{
	return {
		.transport = static_cast<srnic_wqe_transport>(data[0] % std::size(ALLOWED)),
		.max_sge = data[1] % (SRNIC_MAX_SGE + 1U),
		.max_inline = (data[2] | data[3] << 8) % (SRNIC_MAX_INLINE + 1U),
	};
}

bool is_blank(const srnic_send_wr &wr)
{
	const auto *bytes = reinterpret_cast<const uint8_t *>(&wr);

	static_assert(offsetof(srnic_send_wr, wr_id) == 0);
	return std::all_of(bytes + sizeof(wr.wr_id), bytes + sizeof(wr),
			   [](uint8_t byte) { return byte == 0; });
}

uint64_t sum_of(const srnic_sge *sge, uint32_t count)
{
	unsigned __int128 sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += sge[i].length;
	return static_cast<uint64_t>(sum);
}

void check_accepted(const srnic_send_wr &wr, const srnic_wqe_limits &limits, const uint8_t *slot,
		    uint32_t tail_bytes)
{
	const auto *tail = slot + SRNIC_WQE_HEADER_BYTES;
	const bool atomic = wr.opcode == SRNIC_WR_ATOMIC_CMP_AND_SWP ||
			    wr.opcode == SRNIC_WR_ATOMIC_FETCH_AND_ADD;

	require(wr.opcode < 16 && (ALLOWED[limits.transport] >> wr.opcode & 1));
	require(wr.flags < 16);
	require(wr.length <= 0x80000000U);
	require(reinterpret_cast<const uint8_t *>(wr.sge) == tail);
	require(wr.remote_qpn <= 0xffffff);
	require(limits.transport == SRNIC_WQE_XRC ? wr.srqn <= 0xffffff : wr.srqn == 0);
	if (wr.flags & SRNIC_SEND_INLINE) {
		require(wr.inline_data == tail && wr.num_sge == 0);
		require(wr.length == tail_bytes && wr.length <= limits.max_inline);
		require(!atomic && wr.opcode != SRNIC_WR_RDMA_READ);
	} else {
		require(!wr.inline_data && wr.num_sge <= limits.max_sge);
		require(wr.num_sge * sizeof(srnic_sge) == tail_bytes);
		require(sum_of(wr.sge, wr.num_sge) == wr.length);
	}
	if (wr.opcode == SRNIC_WR_LOCAL_INV || wr.opcode == SRNIC_WR_BIND_MW)
		require(!wr.num_sge && !wr.inline_data && !wr.length);
	if (atomic || wr.opcode == SRNIC_WR_ATOMIC_WRITE)
		require(wr.length == 8 && wr.remote_addr % 8 == 0);
}

void try_send(const srnic_wqe_limits &limits, const uint8_t *data, size_t size)
{
	// As srnic_sq_stride(); of the heap, and not a byte longer.
	const uint32_t room = std::max<uint32_t>(limits.max_sge * sizeof(srnic_sge),
						 limits.max_inline);
	const uint32_t stride = (SRNIC_WQE_HEADER_BYTES + room + 63) / 64 * 64;
	std::vector<uint8_t> shared(stride), slot(stride);
	srnic_send_wr wr;

	std::copy_n(data, std::min<size_t>(size, stride), shared.begin());

	// As srnic_sq_fetch(): what the tail does not cover is stale.
	std::copy_n(shared.begin(), SRNIC_WQE_HEADER_BYTES, slot.begin());
	srnic_send_wqe header;
	std::memcpy(&header, slot.data(), sizeof(header));
	const uint32_t tail_bytes = srnic_send_wqe_tail_bytes(&header, &limits);
	require(tail_bytes <= stride - SRNIC_WQE_HEADER_BYTES);
	std::copy_n(shared.begin() + SRNIC_WQE_HEADER_BYTES, tail_bytes,
		    slot.begin() + SRNIC_WQE_HEADER_BYTES);

	// A decoder that reads behind the tail reads freed memory.
	slot.resize(SRNIC_WQE_HEADER_BYTES + tail_bytes);
	slot.shrink_to_fit();

	const auto verdict = srnic_send_wqe_decode(slot.data(), &limits, &wr);
	require(verdict < SRNIC_WQE_VERDICTS && wr.wr_id == header.wr_id);
	if (verdict == SRNIC_WQE_OK)
		check_accepted(wr, limits, slot.data(), tail_bytes);
	else
		require(is_blank(wr));
}

void try_recv(const srnic_wqe_limits &limits, const uint8_t *data, size_t size)
{
	srnic_recv_wqe header{};
	srnic_recv_wr wr;

	std::memcpy(&header, data, std::min(size, sizeof(header)));
	const auto verdict = srnic_recv_wqe_decode(&header, limits.max_sge, &wr);
	require(wr.wr_id == header.wr_id && wr.length == 0);
	require(wr.num_sge <= limits.max_sge);
	require(verdict == SRNIC_WQE_OK ? wr.num_sge == header.num_sge && !header.reserved
					: wr.num_sge == 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < PARAMETERS)
		return 0;
	const auto limits = limits_of(data);

	try_send(limits, data + PARAMETERS, size - PARAMETERS);
	try_recv(limits, data + PARAMETERS, size - PARAMETERS);
	return 0;
}
