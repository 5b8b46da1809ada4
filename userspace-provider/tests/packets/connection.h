// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// A QP of the device, connected to one that exists in this program only.
#pragma once

#include "arena.h"

namespace packets {

class Connection {
public:
	explicit Connection(const QpSpec &spec);

	/// From whatever state by RESET to RTS (or RTR). What was posted or completed is gone.
	void connect(const PathSpec &path = {});

	LocalEndpoint &end() { return *end_; }
	Arena &arena() { return *arena_; }
	const PathSpec &path() const { return path_; }
	uint32_t mtu() const { return mtu_bytes(path_.mtu); }
	uint32_t qpn() { return end_->address().qpn; }
	uint32_t peer_qpn() const { return peer_.qpn; }
	/// From the peer to the device.
	const Flow &flow() const { return flow_; }

	/// ---- requests from the peer ----

	/// A request with the next PSN, AckReq set. PSNs go on by @psns.
	Packet request(uint8_t opcode, const Bytes &payload = {}, uint32_t psns = 1);
	/// With RETH; @length is that of the message.
	Packet write(uint8_t opcode, uint64_t va, uint32_t length, const Bytes &payload);
	Packet read(uint64_t va, uint32_t length);
	Packet atomic(uint8_t opcode, uint64_t va, uint64_t swap_add, uint64_t compare = 0);
	Packet datagram(const Bytes &payload, uint32_t qkey);
	/// The PSN of the next request; for another one, set it.
	uint32_t psn = 0;

	/// ---- what the device answers ----

	Packet answer(uint8_t opcode, uint8_t syndrome, uint32_t psn, uint32_t msn,
		      const Bytes &payload = {}) const;
	Packet ack(uint32_t psn, uint32_t msn) const { return answer(kAck, kUnlimited, psn, msn); }
	Packet atomic_ack(uint32_t psn, uint32_t msn, uint64_t original) const;

	/// ---- the peer's answers to the device's requests ----

	Packet response(uint8_t opcode, uint8_t syndrome, uint32_t psn, uint32_t msn,
			const Bytes &payload = {});

	Bytes frame(const Packet &packet) const { return ip_packet(flow_, packet); }
	/// What is wrong with @reply, which should be @wanted, or "". How many receives an
	/// ACK says that there are is CreditTest's subject, and not compared.
	std::string compare(const Reply &reply, const Packet &wanted);

private:
	std::unique_ptr<LocalEndpoint> end_;
	std::unique_ptr<Arena> arena_;
	PathSpec path_;
	Address peer_;
	Flow flow_;
};

/// GID of the address that the program answers for.
ibv_gid peer_gid(Family family);
/// From text, IPv4 or IPv6.
ibv_gid gid_from_text(const char *address);

} // namespace packets
