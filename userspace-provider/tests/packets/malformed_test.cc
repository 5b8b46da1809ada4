// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Packets that are wrong in themselves: dropped without an answer, and counted (rule 3.1).
#include "fixture.h"

namespace packets {
namespace {

const std::vector<std::string> kMalformedOrIcrc = {"rx_malformed", "rx_bad_icrc"};

class MalformedTest : public FamilyTest {
protected:
	/// Good packets of every shape of header, none of which has been sent.
	std::vector<Named> good()
	{
		uint64_t va = c().arena().va();
		uint32_t psn = c().psn;
		auto first = [&](Packet packet) {
			c().psn = psn; // each of them is the next one
			packet.h.psn = psn;
			return c().frame(packet);
		};
		return {
			{"SEND ONLY", first(c().request(kSendOnly, data(9)))},
			{"SEND ONLY IMM", first(c().request(kSendOnlyImm, data(8)))},
			{"WRITE ONLY", first(c().write(kWriteOnly, va, 6, data(6)))},
			{"WRITE ONLY IMM", first(c().write(kWriteOnlyImm, va, 4, data(4)))},
			{"READ", first(c().read(va, 16))},
			{"CMP_SWAP", first(c().atomic(kCompareSwap, va, 1))},
			{"ACK", c().frame(c().response(kAck, kUnlimited, 0x123456, 0))},
			{"READ RESPONSE",
			 c().frame(c().response(kReadOnly, kUnlimited, 0x123456, 0, data(16)))},
			{"ATOMIC ACK",
			 c().frame(c().response(kAtomicAck, kUnlimited, 0x123456, 0))},
		};
	}
	/// Nothing of the above has had an effect.
	void expect_untouched()
	{
		expect_nothing_received();
		expect_memory();
		expect_alive(1);
	}
};
BOTH_FAMILIES(MalformedTest);

TEST_P(MalformedTest, CutAtEveryLength)
{
	open_family();
	post(0, 64);
	std::vector<Named> frames;
	for (const Named &whole : good()) {
		size_t udp = whole.ip.size() - bth_at(whole.ip);
		for (size_t bytes = 0; bytes < udp; bytes++) {
			frames.push_back(
				{whole.name + " cut to " + std::to_string(bytes), whole.ip});
			resize_udp(frames.back().ip, bytes);
		}
	}
	expect_dropped(frames, kMalformedOrIcrc);
	expect_untouched();
}

/// Short of headers, but with an ICRC that is right for what is there.
TEST_P(MalformedTest, CutAndSealed)
{
	open_family();
	post(0, 64);
	std::vector<Named> frames;
	for (const Named &whole : good()) {
		size_t header = srnic_pkt_header_bytes(whole.ip[bth_at(whole.ip)]);
		for (size_t bytes = 16; bytes < header + 4; bytes++) {
			frames.push_back(
				{whole.name + " cut to " + std::to_string(bytes), whole.ip});
			resize_udp(frames.back().ip, bytes);
			seal(frames.back().ip);
		}
	}
	expect_dropped(frames, "rx_malformed");
	expect_untouched();
}

/// Bytes that make no whole words, or more pad than bytes.
TEST_P(MalformedTest, PadAndWords)
{
	open_family();
	post(0, 64);
	std::vector<Named> frames;
	for (const Named &whole : good()) {
		size_t udp = whole.ip.size() - bth_at(whole.ip);
		for (size_t more = 1; more < 4; more++) {
			frames.push_back({whole.name + " and " + std::to_string(more), whole.ip});
			resize_udp(frames.back().ip, udp + more);
			seal(frames.back().ip);
		}
	}
	for (uint8_t opcode :
	     {kSendOnly, kWriteOnly, kReadRequest, kCompareSwap, kAck, kAtomicAck, kReadOnly}) {
		for (uint8_t pad = 1; pad < 4; pad++) {
			Bytes ip = c().frame(c().request(opcode, {}, 0));
			ip[bth_at(ip) + 1] |= static_cast<uint8_t>(pad << 4);
			seal(ip);
			frames.push_back({hex(opcode) + " with pad " + std::to_string(pad), ip});
		}
	}
	expect_dropped(frames, "rx_malformed");
	expect_untouched();
}

/// A payload where an answer has none. (In a request that is for a NAK.)
TEST_P(MalformedTest, ResponseWithPayload)
{
	open_family();
	std::vector<Named> frames;
	for (uint8_t opcode : {kAck, kAtomicAck}) {
		for (uint32_t bytes : {1u, 4u, 64u, 1024u, 8000u}) {
			Packet packet = c().response(opcode, kUnlimited, 0x123456, 0, data(bytes));
			frames.push_back({hex(opcode) + " with payload", c().frame(packet)});
		}
	}
	expect_dropped(frames, "rx_malformed");
	expect_untouched();
}

TEST_P(MalformedTest, TransportVersion)
{
	open_family();
	post(0, 64);
	std::vector<Named> frames;
	for (Named whole : good()) {
		uint8_t flags = whole.ip[bth_at(whole.ip) + 1];
		for (uint8_t version = 1; version < 16; version++) {
			whole.ip[bth_at(whole.ip) + 1] = flags | version;
			seal(whole.ip);
			frames.push_back(whole);
		}
	}
	expect_dropped(frames, "rx_malformed");
	expect_untouched();
}

/// Rule 1.4: opcodes that a service has. XRC is known to the driver, but no QP is XRC.
bool exists(uint8_t opcode)
{
	uint8_t op = opcode & 0x1f;
	switch (opcode & 0xe0) {
	case 0x00:
	case 0xa0:
		return op <= 0x14 || op == 0x16 || op == 0x17 || op == 0x1c || op == 0x1d;
	case 0x20:
		return op <= 0x0b;
	case 0x60:
		return op == 0x04 || op == 0x05;
	default:
		return opcode == kCnp;
	}
}

TEST_P(MalformedTest, OpcodesThatDoNotExist)
{
	std::vector<std::pair<ibv_qp_type, uint8_t>> services = {
		{IBV_QPT_RC, 0x00}, {IBV_QPT_UC, 0x20}, {IBV_QPT_UD, 0x60}};
	for (auto [type, service] : services) {
		open(type, GetParam());
		std::vector<Named> unknown, foreign;
		for (unsigned opcode = 0; opcode < 256; opcode++) {
			// Long enough for the headers of all.
			Bytes transport = transport_bytes(c().request(kSendOnly, data(64), 0));
			transport[0] = static_cast<uint8_t>(opcode);
			Named frame{"opcode " + hex(opcode), ip_packet(c().flow(), transport)};
			if (!exists(static_cast<uint8_t>(opcode)))
				unknown.push_back(frame);
			else if ((opcode & 0xe0) != service && opcode != kCnp &&
				 opcode != (0xa0 | kAck) && opcode != (0xa0 | kAtomicAck) &&
				 opcode != kAck && opcode != kAtomicAck)
				foreign.push_back(frame);
		}
		EXPECT_EQ(unknown.size(), 256u - 25 - 25 - 12 - 2 - 1);
		expect_dropped(unknown, "rx_malformed");
		expect_dropped(foreign, "rx_bad_service");
		expect_nothing_received();
		expect_memory();
	}
}

TEST_P(MalformedTest, CongestionNotifications)
{
	open_family();
	Packet cnp = c().request(kCnp, Bytes(16), 0);
	cnp.h.ack_req = false;
	std::vector<Named> frames;
	for (uint32_t bytes : {0u, 1u, 4u, 12u, 15u, 17u, 20u, 1024u}) {
		cnp.payload.assign(bytes, 0);
		frames.push_back({"CNP of " + std::to_string(bytes), c().frame(cnp)});
	}
	expect_dropped(frames, "rx_malformed");
	// A good one is none of the bad counters'.
	cnp.payload.assign(16, 0);
	cnp.h.becn = true;
	expect_replies({cnp}, {});
	expect_counts({});
	expect_untouched();
}

TEST_P(MalformedTest, WrongIcrc)
{
	open_family();
	post(0, 64);
	std::vector<Named> frames;
	for (const Named &whole : good()) {
		size_t icrc = whole.ip.size() - 4;
		auto with = [&](const std::string &what, auto &&change) {
			frames.push_back({whole.name + ": " + what, whole.ip});
			change(&frames.back().ip[icrc]);
		};
		for (int bit = 0; bit < 32; bit++) {
			with("bit " + std::to_string(bit),
			     [&](uint8_t *p) { p[bit / 8] ^= 1 << bit % 8; });
		}
		with("zero", [](uint8_t *p) { memset(p, 0, 4); });
		with("ones", [](uint8_t *p) { memset(p, 0xff, 4); });
		with("byte order", [](uint8_t *p) { std::reverse(p, p + 4); });
		with("not inverted", [](uint8_t *p) {
			for (int i = 0; i < 4; i++)
				p[i] = ~p[i];
		});
	}
	expect_dropped(frames, "rx_bad_icrc");
	expect_untouched();
}

/// Every bit that the ICRC covers, but for those without which nothing would arrive.
TEST_P(MalformedTest, EveryCoveredBit)
{
	open_family();
	post(0, 64);
	std::vector<Named> frames;
	for (const Named &whole : good()) {
		size_t udp = udp_at(whole.ip);
		auto flip = [&](size_t at, int bit) {
			frames.push_back({whole.name + ": bit " + std::to_string(bit) +
						  " of byte " + std::to_string(at),
					  whole.ip});
			frames.back().ip[at] ^= static_cast<uint8_t>(1 << bit);
			fix_ip_checksum(frames.back().ip);
		};
		for (size_t at = udp; at < whole.ip.size(); at++) {
			// UDP port, length, checksum; FECN and BECN
			if ((at >= udp + 2 && at < udp + 8) || at == udp + 12)
				continue;
			for (int bit = 0; bit < 8; bit += quick() ? 3 : 1)
				flip(at, bit);
		}
		if (family_of(whole.ip) == Family::kIpv4) {
			flip(4, 7); // ID
			flip(5, 0);
			flip(6, 6); // don't fragment
			flip(6, 7); // reserved flag
		}
	}
	expect_dropped(frames, kMalformedOrIcrc);
	expect_untouched();
}

/// IP and UDP do not agree on the length. What the stack lets through is dropped here.
TEST_P(MalformedTest, LengthsThatDisagree)
{
	open_family();
	post(0, 64);
	std::vector<Named> shorter;
	std::vector<Bytes> not_ours;
	for (const Named &whole : good()) {
		size_t ip_bytes = whole.ip.size(), udp_bytes = ip_bytes - udp_at(whole.ip);
		// The UDP length ends early: the ICRC is elsewhere.
		for (size_t bytes :
		     {udp_bytes - 1, udp_bytes - 4, udp_bytes - 8, size_t{28}, size_t{8}}) {
			if (bytes >= udp_bytes)
				continue;
			shorter.push_back(
				{whole.name + ", UDP length " + std::to_string(bytes), whole.ip});
			set_udp_length(shorter.back().ip, bytes);
		}
		// Beyond the IP packet, beyond the frame, less than a header: dropped by the stack.
		for (size_t bytes :
		     {udp_bytes + 1, udp_bytes + 4, size_t{65535}, size_t{7}, size_t{1}}) {
			not_ours.push_back(whole.ip);
			set_udp_length(not_ours.back(), bytes);
		}
		for (size_t bytes :
		     {ip_bytes + 1, ip_bytes + 100, size_t{65535}, ip_header_bytes(whole.ip) + 7}) {
			not_ours.push_back(whole.ip);
			set_ip_length(not_ours.back(), bytes);
		}
	}
	// Cut on the wire: shorter than it says.
	for (size_t bytes = 1; bytes < good()[3].ip.size(); bytes++) {
		not_ours.push_back(good()[3].ip);
		not_ours.back().resize(bytes);
	}
	// In IPv6 a length of 0 stands for "to the end".
	Named jumbo{"UDP length 0", good()[0].ip};
	set_udp_length(jumbo.ip, 0);
	if (GetParam() == Family::kIpv6)
		shorter.push_back(jumbo);
	else
		not_ours.push_back(jumbo.ip);
	expect_dropped(shorter, kMalformedOrIcrc);
	expect_replies(not_ours, {});
	expect_counts({});
	expect_untouched();
}

} // namespace
} // namespace packets
