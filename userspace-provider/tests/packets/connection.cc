// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "connection.h"

#include <arpa/inet.h>

#include <sstream>

namespace packets {

namespace {

uint32_t next_peer_qpn()
{
	static uint32_t last = 0xbadc00;
	return last += 0x11;
}

/// Rule 1.1.7, without a flow label.
uint16_t udp_source_port(uint32_t qpn, uint32_t peer)
{
	uint64_t v = static_cast<uint64_t>(qpn) * peer;
	v ^= v >> 20;
	v ^= v >> 40;
	auto label = static_cast<uint32_t>(v & 0xfffff);
	return static_cast<uint16_t>(0xc000 | ((label & 0x3fff) ^ (label >> 14)));
}

/// With an AETH that is no NAK's. What has none has a syndrome of 0 here.
bool is_ack(const srnic_pkt &header)
{
	return (header.syndrome & 0xe0) == 0;
}

bool same(const ibv_gid &a, const ibv_gid &b)
{
	return memcmp(a.raw, b.raw, 16) == 0;
}

} // namespace

ibv_gid gid_from_text(const char *address)
{
	ibv_gid gid{};
	gid.raw[10] = gid.raw[11] = 0xff;
	if (inet_pton(AF_INET, address, gid.raw + 12) == 1)
		return gid;
	if (inet_pton(AF_INET6, address, gid.raw) != 1)
		throw std::runtime_error(std::string("not an address: ") + address);
	return gid;
}

ibv_gid peer_gid(Family family)
{
	return gid_from_text(family == Family::kIpv4 ? "10.78.1.77" : "fd78:1::77");
}

Connection::Connection(const QpSpec &spec) : end_(new LocalEndpoint(local_device(), spec))
{
	arena_ = std::make_unique<Arena>(*end_);
	peer_ = {next_peer_qpn(), peer_gid(spec.family)};
	flow_.family = spec.family;
	flow_.source = peer_.gid;
	flow_.destination = end_->gid.gid;
}

void Connection::connect(const PathSpec &path)
{
	path_ = path;
	must_be_zero(end_->move(IBV_QPS_RESET), "to RESET");
	for (Queue queue : {Queue::kSend, Queue::kReceive}) {
		while (!end_->poll(queue, 1, Milliseconds(0)).empty())
			;
	}
	while (end_->wait_event(Milliseconds(0)) >= 0)
		;
	end_->connect(peer_, path);
	psn = path.rq_psn;
	arena_->refill();
}

Packet Connection::request(uint8_t opcode, const Bytes &payload, uint32_t psns)
{
	Packet packet;
	packet.h.opcode = opcode;
	packet.h.pkey = 0xffff;
	packet.h.dest_qp = qpn();
	packet.h.psn = psn;
	packet.h.ack_req = true;
	packet.payload = payload;
	psn = psn_add(psn, psns);
	return packet;
}

Packet Connection::write(uint8_t opcode, uint64_t va, uint32_t length, const Bytes &payload)
{
	Packet packet = request(opcode, payload);
	packet.h.va = va;
	packet.h.rkey = arena_->rkey();
	packet.h.dma_len = length;
	return packet;
}

Packet Connection::read(uint64_t va, uint32_t length)
{
	uint32_t psns = length ? (length + mtu() - 1) / mtu() : 1;
	Packet packet = request(kReadRequest, {}, psns);
	packet.h.va = va;
	packet.h.rkey = arena_->rkey();
	packet.h.dma_len = length;
	return packet;
}

Packet Connection::atomic(uint8_t opcode, uint64_t va, uint64_t swap_add, uint64_t compare)
{
	Packet packet = request(opcode);
	packet.h.va = va;
	packet.h.rkey = arena_->rkey();
	packet.h.swap_add = swap_add;
	packet.h.compare = compare;
	return packet;
}

Packet Connection::datagram(const Bytes &payload, uint32_t qkey)
{
	Packet packet = request(kUdSendOnly, payload);
	packet.h.qkey = qkey;
	packet.h.src_qp = peer_.qpn;
	packet.h.ack_req = false;
	return packet;
}

Packet Connection::answer(uint8_t opcode, uint8_t syndrome, uint32_t psn, uint32_t msn,
			  const Bytes &payload) const
{
	Packet packet;
	packet.h.opcode = opcode;
	packet.h.pkey = 0xffff;
	packet.h.dest_qp = peer_.qpn;
	packet.h.psn = psn & kPsnMask;
	packet.h.syndrome = syndrome;
	packet.h.msn = msn;
	packet.payload = payload;
	return packet;
}

Packet Connection::atomic_ack(uint32_t psn, uint32_t msn, uint64_t original) const
{
	Packet packet = answer(kAtomicAck, kUnlimited, psn, msn);
	packet.h.atomic_orig = original;
	return packet;
}

Packet Connection::response(uint8_t opcode, uint8_t syndrome, uint32_t psn, uint32_t msn,
			    const Bytes &payload)
{
	Packet packet = answer(opcode, syndrome, psn, msn, payload);
	packet.h.dest_qp = qpn();
	return packet;
}

std::string Connection::compare(const Reply &reply, const Packet &wanted_but_credits)
{
	Packet wanted = wanted_but_credits;
	if (is_ack(wanted.h) && is_ack(reply.packet.h))
		wanted.h.syndrome = reply.packet.h.syndrome;
	std::ostringstream text;
	if (!reply.problem.empty())
		text << reply.problem;
	if (!same(reply.flow.source, flow_.destination) ||
	    !same(reply.flow.destination, flow_.source))
		text << "addresses; ";
	if (reply.flow.udp_source != udp_source_port(qpn(), peer_.qpn))
		text << "UDP source port " << reply.flow.udp_source << "; ";
	if (reply.flow.traffic_class || reply.flow.hop_limit != 64 || reply.flow.flow_label)
		text << "traffic class, hop limit or flow label; ";
	if (reply.transport != transport_bytes(wanted)) {
		text << "got " << describe(reply.packet) << "\n   wanted " << describe(wanted);
		if (describe(reply.packet) == describe(wanted))
			text << "\n   with other content";
	}
	return text.str();
}

} // namespace packets
