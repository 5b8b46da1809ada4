// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Fuzz target: the ICRC over pieces, with and without copy, is the CRC by table over the
// whole; and the whole-packet check takes any bytes without an over-read.
//
// Input: two bytes that say where to cut, then the message.
#include "frame.hpp"

namespace {

using srnic_host::Bytes;

void require(bool condition)
{
	if (!condition)
		std::abort();
}

// Exactly sized copies, so that ASan sees every access beyond a piece.
uint32_t piece(uint32_t crc, Bytes bytes, bool copy)
{
	const std::vector<uint8_t> from(bytes.begin(), bytes.end());
	std::vector<uint8_t> to(bytes.size());

	if (!copy)
		return srnic_icrc_update(crc, from.data(), from.size());
	crc = srnic_icrc_copy(crc, to.data(), from.data(), from.size());
	require(from == to);
	return crc;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	const Bytes message(data + 2, size - 2);
	const size_t cut = get_unaligned_le16(data) % message.size();
	const uint32_t want = crc32_le(SRNIC_ICRC_SEED, message.data(), message.size());

	for (const bool copy : { false, true }) {
		uint32_t crc = piece(SRNIC_ICRC_SEED, message.first(cut), copy);
		require(piece(crc, message.subspan(cut), copy) == want);
	}

	const std::vector<uint8_t> exact(message.begin(), message.end());
	(void)srnic_icrc_ok(exact.data(), static_cast<uint32_t>(exact.size()));
	return 0;
}
