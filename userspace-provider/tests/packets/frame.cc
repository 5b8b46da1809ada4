// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "frame.h"

#include <cstring>
#include <sstream>

extern "C" {
#include "wire/icrc.h"
}

namespace packets {

namespace {

constexpr size_t kUdpBytes = 8;
constexpr size_t kBthBytes = 12;
constexpr size_t kIcrcBytes = 4;
constexpr uint16_t kRocePort = 4791;
constexpr uint8_t kUdpProtocol = 17;

Bytes ipv4_header(const Flow &flow)
{
	Bytes ip(20);
	ip[0] = 0x45;
	ip[1] = flow.traffic_class;
	put16(ip, 4, flow.ip_id);
	put16(ip, 6, flow.dont_fragment ? 0x4000 : 0);
	ip[8] = flow.hop_limit;
	ip[9] = kUdpProtocol;
	memcpy(&ip[12], flow.source.raw + 12, 4);
	memcpy(&ip[16], flow.destination.raw + 12, 4);
	return ip;
}

Bytes ipv6_header(const Flow &flow)
{
	Bytes ip(40);
	put16(ip, 0,
	      static_cast<uint16_t>(0x6000 | flow.traffic_class << 4 |
				    (flow.flow_label >> 16 & 0xf)));
	put16(ip, 2, static_cast<uint16_t>(flow.flow_label));
	ip[6] = kUdpProtocol;
	ip[7] = flow.hop_limit;
	memcpy(&ip[8], flow.source.raw, 16);
	memcpy(&ip[24], flow.destination.raw, 16);
	return ip;
}

uint32_t icrc_of(std::span<const uint8_t> ip, size_t header, size_t udp_bytes)
{
	const uint8_t *udp = ip.data() + header;
	const uint8_t *bth = udp + kUdpBytes;
	uint32_t crc = header == 40 ? srnic_icrc_start_ipv6(ip.data(), udp, bth)
				    : srnic_icrc_start_ipv4(ip.data(), udp, bth);
	crc = srnic_icrc_update(crc, bth + kBthBytes,
				udp_bytes - kUdpBytes - kBthBytes - kIcrcBytes);
	return srnic_icrc_finish(crc);
}

} // namespace

void put16(Bytes &bytes, size_t at, uint16_t value)
{
	bytes.at(at) = static_cast<uint8_t>(value >> 8);
	bytes.at(at + 1) = static_cast<uint8_t>(value);
}

uint16_t get16(std::span<const uint8_t> bytes, size_t at)
{
	return static_cast<uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

uint16_t internet_checksum(std::span<const uint8_t> bytes)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < bytes.size(); i++)
		sum += i % 2 ? bytes[i] : static_cast<uint32_t>(bytes[i] << 8);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return static_cast<uint16_t>(~sum);
}

Bytes transport_bytes(const Packet &packet)
{
	srnic_pkt h = packet.h;
	h.pad = static_cast<uint8_t>(-packet.payload.size() & 3);
	Bytes bytes(srnic_pkt_header_bytes(h.opcode));
	if (srnic_pkt_build(&h, bytes.data()) != bytes.size() || bytes.empty())
		throw std::logic_error("opcode without headers");
	bytes.insert(bytes.end(), packet.payload.begin(), packet.payload.end());
	bytes.resize(bytes.size() + h.pad);
	return bytes;
}

Bytes ip_packet(const Flow &flow, const Bytes &transport)
{
	Bytes ip = flow.family == Family::kIpv4 ? ipv4_header(flow) : ipv6_header(flow);
	size_t udp = ip.size();
	ip.resize(udp + kUdpBytes);
	put16(ip, udp, flow.udp_source);
	put16(ip, udp + 2, kRocePort);
	ip.insert(ip.end(), transport.begin(), transport.end());
	ip.resize(ip.size() + kIcrcBytes);
	set_lengths(ip);
	seal(ip);
	return ip;
}

Bytes ip_packet(const Flow &flow, const Packet &packet)
{
	return ip_packet(flow, transport_bytes(packet));
}

void set_ip_length(Bytes &ip, size_t bytes)
{
	if (family_of(ip) == Family::kIpv4) {
		put16(ip, 2, static_cast<uint16_t>(bytes));
		fix_ip_checksum(ip);
	} else {
		put16(ip, 4, static_cast<uint16_t>(bytes - 40));
	}
}

void set_udp_length(Bytes &ip, size_t bytes)
{
	put16(ip, udp_at(ip) + 4, static_cast<uint16_t>(bytes));
}

void set_lengths(Bytes &ip)
{
	set_udp_length(ip, ip.size() - udp_at(ip));
	set_ip_length(ip, ip.size());
}

void fix_ip_checksum(Bytes &ip)
{
	if (family_of(ip) != Family::kIpv4)
		return;
	put16(ip, 10, 0);
	put16(ip, 10, internet_checksum(std::span(ip).first((ip[0] & 0xfu) * 4)));
}

void seal(Bytes &ip)
{
	size_t udp_bytes = get16(ip, udp_at(ip) + 4);
	if (udp_bytes < kUdpBytes + kBthBytes + kIcrcBytes)
		throw std::logic_error("no room for an ICRC");
	uint32_t icrc = icrc_of(ip, udp_at(ip), udp_bytes);
	put_unaligned_le32(icrc, &ip.at(udp_at(ip) + udp_bytes - kIcrcBytes));
}

void resize_udp(Bytes &ip, size_t bytes)
{
	ip.resize(bth_at(ip) + bytes);
	set_lengths(ip);
}

namespace {

/// Checks the IP header. Returns its size, or 0 if it makes no sense.
size_t decode_ip(std::span<const uint8_t> ip, Reply &reply)
{
	Flow &flow = reply.flow;
	if (ip.size() >= 20 && ip[0] == 0x45) {
		flow.family = Family::kIpv4;
		flow.traffic_class = ip[1];
		flow.ip_id = get16(ip, 4);
		flow.dont_fragment = get16(ip, 6) == 0x4000;
		flow.hop_limit = ip[8];
		for (ibv_gid *gid : {&flow.source, &flow.destination})
			gid->raw[10] = gid->raw[11] = 0xff;
		memcpy(flow.source.raw + 12, &ip[12], 4);
		memcpy(flow.destination.raw + 12, &ip[16], 4);
		if (internet_checksum(ip.first(20)) != 0)
			reply.problem += "IP checksum; ";
		if (!flow.dont_fragment)
			reply.problem += "IP flags; ";
		if (get16(ip, 2) > ip.size() || ip[9] != kUdpProtocol)
			return 0;
		return 20;
	}
	if (ip.size() >= 40 && ip[0] >> 4 == 6) {
		flow.family = Family::kIpv6;
		flow.traffic_class = static_cast<uint8_t>(get16(ip, 0) >> 4);
		flow.flow_label = static_cast<uint32_t>(ip[1] & 0xf) << 16 | get16(ip, 2);
		flow.hop_limit = ip[7];
		memcpy(flow.source.raw, &ip[8], 16);
		memcpy(flow.destination.raw, &ip[24], 16);
		if (get16(ip, 4) + 40u > ip.size() || ip[6] != kUdpProtocol)
			return 0;
		return 40;
	}
	return 0;
}

} // namespace

Reply decode(std::span<const uint8_t> ip)
{
	Reply reply;
	size_t header = decode_ip(ip, reply);
	size_t total = header == 20 ? get16(ip, 2) : header == 40 ? get16(ip, 4) + 40u : 0;
	if (!header || total < header + kUdpBytes + kBthBytes + kIcrcBytes) {
		reply.problem += "IP header or length; ";
		return reply;
	}
	size_t udp_bytes = get16(ip, header + 4);
	reply.flow.udp_source = get16(ip, header);
	reply.udp_destination = get16(ip, header + 2);
	if (reply.udp_destination != kRocePort)
		reply.problem += "UDP port; ";
	if (get16(ip, header + 6) != 0)
		reply.problem += "UDP checksum; ";
	if (udp_bytes != total - header) {
		reply.problem += "UDP length; ";
		return reply;
	}
	if (icrc_of(ip, header, udp_bytes) !=
	    get_unaligned_le32(ip.data() + header + udp_bytes - kIcrcBytes))
		reply.problem += "ICRC; ";

	auto bth = ip.subspan(header + kUdpBytes, udp_bytes - kUdpBytes);
	reply.transport.assign(bth.begin(), bth.end() - kIcrcBytes);
	auto bytes = static_cast<uint32_t>(bth.size());
	if (srnic_pkt_parse(bth.data(), bytes, bytes, &reply.packet.h) != SRNIC_PARSE_OK) {
		reply.problem += "transport headers; ";
		return reply;
	}
	auto payload = bth.subspan(reply.packet.h.header_bytes, reply.packet.h.payload_bytes);
	reply.packet.payload.assign(payload.begin(), payload.end());
	return reply;
}

std::string describe(const Packet &packet)
{
	const srnic_pkt &h = packet.h;
	std::ostringstream text;
	text << std::hex << "opcode " << +h.opcode << " qpn " << h.dest_qp << " psn " << h.psn
	     << (h.ack_req ? " ackreq" : "") << (h.solicited ? " se" : "") << " syndrome "
	     << +h.syndrome << " msn " << h.msn << " va " << h.va << " rkey " << h.rkey
	     << " length " << h.dma_len << " original " << h.atomic_orig << std::dec << " payload "
	     << packet.payload.size();
	return text.str();
}

} // namespace packets
