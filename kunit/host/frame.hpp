/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
// Captured frames: from a link-layer frame to the RoCEv2 packets inside.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

extern "C" {
#include "wire/icrc.h"
#include "wire/packet.h"
}

namespace srnic_host {

using Bytes = std::span<const uint8_t>;

// A RoCEv2 packet inside a frame.
struct RocePacket {
	Bytes ip;	// IP header to ICRC, without link-layer padding
	Bytes bth;	// BTH to ICRC
};

inline uint16_t be16(Bytes b, size_t at)
{
	return static_cast<uint16_t>(b[at] << 8 | b[at + 1]);
}

inline std::optional<RocePacket> find_in_ethernet(Bytes frame);

// REQUIRES: nothing; any bytes will do.
inline std::optional<RocePacket> find_in_ip(Bytes ip)
{
	constexpr size_t kUdp = 8, kVxlan = 8;
	constexpr uint16_t kVxlanPort = 4789;
	size_t header;

	if (ip.size() >= 20 && ip[0] == 0x45 && ip[9] == 17)
		header = 20;
	else if (ip.size() >= 40 && ip[0] >> 4 == 6 && ip[6] == 17)
		header = 40;
	else
		return std::nullopt;

	if (ip.size() < header + kUdp)
		return std::nullopt;
	const Bytes udp = ip.subspan(header);
	const size_t length = be16(udp, 4);
	if (length < kUdp || length > udp.size())
		return std::nullopt;

	switch (be16(udp, 2)) {
	case SRNIC_UDP_PORT:
		return RocePacket{ ip.first(header + length),
				   udp.subspan(kUdp, length - kUdp) };
	case kVxlanPort:
		if (length < kUdp + kVxlan)
			return std::nullopt;
		return find_in_ethernet(udp.subspan(kUdp + kVxlan));
	default:
		return std::nullopt;
	}
}

inline std::optional<RocePacket> find_in_ethernet(Bytes frame)
{
	size_t type_at = 12;

	while (frame.size() >= type_at + 2) {
		switch (be16(frame, type_at)) {
		case 0x8100:
		case 0x88a8:
			type_at += 4;
			continue;
		case 0x0800:
		case 0x86dd:
			return find_in_ip(frame.subspan(type_at + 2));
		default:
			return std::nullopt;
		}
	}
	return std::nullopt;
}

// What became of a packet; empty problem = all is well.
struct Judgement {
	srnic_parse_verdict verdict;
	srnic_pkt pkt;
	std::string problem;
};

// ICRC right by both interfaces; parse; rebuild byte for byte.
inline Judgement judge(const RocePacket &packet)
{
	Judgement j{};
	// A copy of exactly the right size, so that ASan sees every over-read.
	const std::vector<uint8_t> bth(packet.bth.begin(), packet.bth.end());
	const auto size = static_cast<uint32_t>(bth.size());

	j.verdict = srnic_pkt_parse(bth.data(), size, size, &j.pkt);
	if (!srnic_icrc_ok(packet.ip.data(), static_cast<uint32_t>(packet.ip.size())))
		j.problem = "ICRC";
	if (size < 16)
		return j;

	const uint8_t *udp = packet.bth.data() - 8;
	uint32_t crc = packet.ip[0] >> 4 == 6 ?
		srnic_icrc_start_ipv6(packet.ip.data(), udp, bth.data()) :
		srnic_icrc_start_ipv4(packet.ip.data(), udp, bth.data());
	crc = srnic_icrc_update(crc, bth.data() + 12, size - 16);
	if (srnic_icrc_finish(crc) != get_unaligned_le32(bth.data() + size - 4))
		j.problem = "ICRC value";
	if (j.verdict != SRNIC_PARSE_OK)
		return j;

	std::vector<uint8_t> rebuilt(j.pkt.header_bytes);
	if (srnic_pkt_build(&j.pkt, rebuilt.data()) != rebuilt.size())
		j.problem = "length of rebuilt headers";
	else if (std::memcmp(rebuilt.data(), bth.data(), rebuilt.size()))
		j.problem = "rebuilt headers differ";
	else if (srnic_pkt_wire_bytes(j.pkt.opcode, j.pkt.payload_bytes) != size)
		j.problem = "length of the packet";
	return j;
}

} // namespace srnic_host
