// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Fuzz target: parse; what is accepted rebuilds to the same bytes and parses the same.
//
// Input: one byte that says how many bytes beyond the rest the packet claims to have
// (in units of 4, so that both kinds of length are reached: bit 7 adds an odd one), then
// the bytes from the BTH on. The copy is exactly as large as what may be read.
#include "frame.hpp"

namespace {

void require(bool condition)
{
	if (!condition)
		std::abort();
}

void check_consistent(const srnic_pkt &pkt, uint32_t total)
{
	const auto *info = srnic_opcode_info(pkt.opcode);

	require(info && pkt.info == info);
	require(info->request + info->response + info->cnp == 1);
	require(info->first + info->middle + info->last + info->only == 1);
	require(pkt.header_bytes == info->header_bytes);
	require(pkt.header_bytes <= SRNIC_MAX_HEADER_BYTES);
	require(pkt.pad <= 3 && (pkt.payload_bytes + pkt.pad) % 4 == 0);
	require(static_cast<uint64_t>(pkt.header_bytes) + pkt.payload_bytes + pkt.pad +
		SRNIC_ICRC_BYTES == total);
	require(pkt.dest_qp <= 0xffffff && pkt.psn <= 0xffffff && pkt.msn <= 0xffffff);
	require(pkt.src_qp <= 0xffffff && pkt.srqn <= 0xffffff);
	require(info->has_payload || !info->response || !pkt.payload_bytes);
}

void check_rebuild(const srnic_pkt &pkt, const uint8_t *bth, uint32_t total)
{
	std::vector<uint8_t> rebuilt(pkt.header_bytes);
	srnic_pkt again;

	require(srnic_pkt_build(&pkt, rebuilt.data()) == pkt.header_bytes);
	require(!std::memcmp(rebuilt.data(), bth, rebuilt.size()));
	require(srnic_pkt_parse(rebuilt.data(), pkt.header_bytes, total, &again) ==
		SRNIC_PARSE_OK);
	require(!std::memcmp(&pkt, &again, sizeof(pkt)));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	const uint32_t readable = static_cast<uint32_t>(size - 1);
	const uint32_t total = readable + (data[0] & 0x7f) * 4 + (data[0] >> 7);
	const std::vector<uint8_t> bth(data + 1, data + size);
	srnic_pkt pkt;

	const auto verdict = srnic_pkt_parse(bth.data(), readable, total, &pkt);
	require(verdict < SRNIC_PARSE_VERDICTS);
	if (verdict == SRNIC_PARSE_OK) {
		check_consistent(pkt, total);
		check_rebuild(pkt, bth.data(), total);
	}
	// Any bytes are a packet in the eyes of the whole-packet check, too.
	(void)srnic_icrc_ok(bth.data(), readable);
	return 0;
}
