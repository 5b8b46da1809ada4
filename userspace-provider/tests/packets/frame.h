// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// RoCEv2 packets: from fields to bytes, with every field at hand, and back.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device.h"

extern "C" {
#include "wire/packet.h"
}

namespace packets {

using namespace conformance;

using Bytes = std::vector<uint8_t>;

/// Rule 1.4. Not the driver's table, which is under test.
enum Opcode : uint8_t {
	kSendFirst = 0x00,
	kSendMiddle = 0x01,
	kSendLast = 0x02,
	kSendLastImm = 0x03,
	kSendOnly = 0x04,
	kSendOnlyImm = 0x05,
	kWriteFirst = 0x06,
	kWriteMiddle = 0x07,
	kWriteLast = 0x08,
	kWriteLastImm = 0x09,
	kWriteOnly = 0x0a,
	kWriteOnlyImm = 0x0b,
	kReadRequest = 0x0c,
	kReadFirst = 0x0d,
	kReadMiddle = 0x0e,
	kReadLast = 0x0f,
	kReadOnly = 0x10,
	kAck = 0x11,
	kAtomicAck = 0x12,
	kCompareSwap = 0x13,
	kFetchAdd = 0x14,
	kSendLastInv = 0x16,
	kSendOnlyInv = 0x17,
	kFlush = 0x1c,
	kAtomicWrite = 0x1d,
	kUcSendFirst = 0x20,
	kUcSendMiddle = 0x21,
	kUcSendLast = 0x22,
	kUcSendOnly = 0x24,
	kUcSendOnlyImm = 0x25,
	kUcWriteFirst = 0x26,
	kUcWriteMiddle = 0x27,
	kUcWriteLast = 0x28,
	kUcWriteOnly = 0x2a,
	kUcWriteOnlyImm = 0x2b,
	kUdSendOnly = 0x64,
	kUdSendOnlyImm = 0x65,
	kCnp = 0x81,
};

/// Syndromes: rule 2.9.
constexpr uint8_t kUnlimited = 0x1f;
constexpr uint8_t kRnr = 0x20;
constexpr uint8_t kNakSequence = 0x60;
constexpr uint8_t kNakInvalid = 0x61;
constexpr uint8_t kNakAccess = 0x62;
constexpr uint8_t kNakOperation = 0x63;

constexpr uint32_t kPsnMask = 0xffffff;
inline uint32_t psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & kPsnMask;
}

/// The IP and UDP headers of a packet.
struct Flow {
	Family family = Family::kIpv4;
	ibv_gid source{};
	ibv_gid destination{};
	uint16_t udp_source = 0xc123;
	uint8_t traffic_class = 0;
	uint8_t hop_limit = 64;
	uint32_t flow_label = 0; // IPv6
	uint16_t ip_id = 0;	 // IPv4
	bool dont_fragment = true;
};

/// Transport headers and payload. The pad is what the payload needs.
struct Packet {
	srnic_pkt h{};
	Bytes payload{};
};

/// BTH to pad.
Bytes transport_bytes(const Packet &packet);
/// The whole IP packet around it, with its ICRC.
Bytes ip_packet(const Flow &flow, const Bytes &transport);
Bytes ip_packet(const Flow &flow, const Packet &packet);

/// ---- changes to a finished IP packet ----

inline Family family_of(const Bytes &ip)
{
	return ip[0] >> 4 == 6 ? Family::kIpv6 : Family::kIpv4;
}
inline size_t ip_header_bytes(const Bytes &ip)
{
	return family_of(ip) == Family::kIpv6 ? 40 : 20;
}
inline size_t udp_at(const Bytes &ip)
{
	return ip_header_bytes(ip);
}
inline size_t bth_at(const Bytes &ip)
{
	return udp_at(ip) + 8;
}

void put16(Bytes &bytes, size_t at, uint16_t value);
uint16_t get16(std::span<const uint8_t> bytes, size_t at);
uint16_t internet_checksum(std::span<const uint8_t> bytes);
/// Length fields after the size of the packet.
void set_lengths(Bytes &ip);
void set_ip_length(Bytes &ip, size_t bytes);
void set_udp_length(Bytes &ip, size_t bytes);
void fix_ip_checksum(Bytes &ip);
/// Makes the last four bytes, after the UDP length, the right ICRC.
void seal(Bytes &ip);
/// Cuts or grows the packet to @bytes of UDP payload; lengths follow, the ICRC does not.
void resize_udp(Bytes &ip, size_t bytes);

/// ---- what came back ----

/// A received packet. @problem is not empty if anything about it is wrong.
struct Reply {
	Flow flow;
	uint16_t udp_destination = 0;
	Packet packet;
	Bytes transport; // BTH to pad
	std::string problem;
};

Reply decode(std::span<const uint8_t> ip);

std::string describe(const Packet &packet);

} // namespace packets
