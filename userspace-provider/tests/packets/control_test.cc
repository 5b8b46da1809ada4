// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Good requests: without them, that bad ones are refused would mean nothing.
#include <arpa/inet.h>

#include "fixture.h"

namespace packets {
namespace {

class ControlTest : public FamilyTest {};
BOTH_FAMILIES(ControlTest);

Bytes part(const Bytes &bytes, size_t at, size_t count)
{
	auto start = bytes.begin() + static_cast<ptrdiff_t>(at);
	return {start, start + static_cast<ptrdiff_t>(count)};
}

TEST_P(ControlTest, SendOnly)
{
	open_family();
	uint32_t msn = 0;
	for (uint32_t bytes : {0u, 1u, 2u, 3u, 4u, 5u, 63u, 255u, 1023u, 1024u}) {
		SCOPED_TRACE(bytes);
		Bytes payload = data(bytes);
		post(64, bytes);
		uint32_t psn = c().psn;
		expect_replies({c().request(kSendOnly, payload)}, {c().ack(psn, ++msn)});
		EXPECT_EQ(expect_received(64, payload).wc_flags, 0u);
	}
}

TEST_P(ControlTest, SendInSeveralPackets)
{
	open_family();
	Bytes payload = data(3 * 1024 + 7);
	post(0, 4096);
	uint32_t psn = c().psn;
	std::vector<Packet> packets = {c().request(kSendFirst, part(payload, 0, 1024)),
				       c().request(kSendMiddle, part(payload, 1024, 1024)),
				       c().request(kSendMiddle, part(payload, 2048, 1024)),
				       c().request(kSendLastImm, part(payload, 3072, 7))};
	for (int i = 0; i < 3; i++)
		packets[i].h.ack_req = false;
	packets[3].h.imm = htonl(0xdeadbeef);
	expect_replies(packets, {c().ack(psn + 3, 1)});
	ibv_wc wc = expect_received(0, payload);
	EXPECT_EQ(wc.wc_flags, static_cast<unsigned>(IBV_WC_WITH_IMM));
	EXPECT_EQ(wc.imm_data, htonl(0xdeadbeef));
}

TEST_P(ControlTest, WriteOnly)
{
	open_family();
	uint32_t msn = 0;
	for (uint32_t at : {0u, 1u, 7u, 4088u, Arena::kFarBytes - 1024}) {
		for (uint32_t bytes : {0u, 1u, 3u, 8u, 1024u}) {
			SCOPED_TRACE(hex(at) + " " + std::to_string(bytes));
			Bytes payload = data(bytes);
			uint32_t psn = c().psn;
			expect_replies({c().write(kWriteOnly, c().arena().va(at), bytes, payload)},
				       {c().ack(psn, ++msn)});
			c().arena().expect_far(at, payload);
			expect_memory();
		}
	}
}

TEST_P(ControlTest, WriteInSeveralPackets)
{
	open_family();
	Bytes payload = data(2 * 1024 + 5);
	post(0, 64);
	uint32_t psn = c().psn;
	std::vector<Packet> packets = {
		c().write(kWriteFirst, c().arena().va(11), 2053, part(payload, 0, 1024)),
		c().request(kWriteMiddle, part(payload, 1024, 1024)),
		c().request(kWriteLastImm, part(payload, 2048, 5))};
	packets[0].h.ack_req = packets[1].h.ack_req = false;
	packets[2].h.imm = htonl(7);
	expect_replies(packets, {c().ack(psn + 2, 1)});
	auto completions = c().end().poll(Queue::kReceive, 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].status, IBV_WC_SUCCESS);
	EXPECT_EQ(completions[0].opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT_EQ(completions[0].byte_len, 2053u);
	EXPECT_EQ(completions[0].imm_data, htonl(7));
	c().arena().expect_far(11, payload);
}

TEST_P(ControlTest, EveryPacketMayAskForAnAcknowledgement)
{
	open_family();
	Bytes payload = data(2049);
	uint32_t psn = c().psn;
	expect_replies({c().write(kWriteFirst, c().arena().va(), 2049, part(payload, 0, 1024)),
			c().request(kWriteMiddle, part(payload, 1024, 1024)),
			c().request(kWriteLast, part(payload, 2048, 1))},
		       {c().ack(psn, 0), c().ack(psn + 1, 0), c().ack(psn + 2, 1)});
	c().arena().expect_far(0, payload);
}

TEST_P(ControlTest, Read)
{
	open_family();
	uint32_t msn = 0;
	for (uint32_t bytes : {0u, 1u, 4u, 1023u, 1024u, 1025u, 2048u, 4099u}) {
		SCOPED_TRACE(bytes);
		Bytes content = c().arena().far_bytes(13, bytes);
		uint32_t psn = c().psn;
		Packet request = c().read(c().arena().va(13), bytes);
		uint32_t packets = (bytes + 1023) / 1024;
		std::vector<Packet> wanted;
		msn++;
		for (uint32_t i = 0; i < packets; i++) {
			uint8_t opcode = packets == 1	    ? kReadOnly
					 : i == 0	    ? kReadFirst
					 : i == packets - 1 ? kReadLast
							    : kReadMiddle;
			bool has_aeth = opcode != kReadMiddle;
			wanted.push_back(c().answer(
				opcode, has_aeth ? kUnlimited : 0, psn + i, has_aeth ? msn : 0,
				part(content, i * 1024, std::min(1024u, bytes - i * 1024))));
		}
		if (!packets)
			wanted.push_back(c().answer(kReadOnly, kUnlimited, psn, msn));
		expect_replies({request}, wanted);
	}
}

TEST_P(ControlTest, Atomics)
{
	open_family();
	auto number = [](uint64_t value) {
		Bytes bytes(8);
		memcpy(bytes.data(), &value, 8); // as the host has it
		return bytes;
	};
	uint64_t va = c().arena().va(64), value;
	ASSERT_EQ(va % 8, 0u);
	memcpy(&value, c().arena().far_bytes(64, 8).data(), 8);

	uint32_t psn = c().psn;
	expect_replies({c().atomic(kCompareSwap, va, 0x1122334455667788, value)},
		       {c().atomic_ack(psn, 1, value)});
	c().arena().expect_far(64, number(0x1122334455667788));
	expect_memory();
	// Not equal: nothing changes.
	expect_replies({c().atomic(kCompareSwap, va, 1, value)},
		       {c().atomic_ack(psn + 1, 2, 0x1122334455667788)});
	expect_memory();
	expect_replies({c().atomic(kFetchAdd, va, UINT64_MAX)},
		       {c().atomic_ack(psn + 2, 3, 0x1122334455667788)});
	c().arena().expect_far(64, number(0x1122334455667787));
	expect_memory();
}

/// Answered by a READ response of nothing; a repeated one is only answered (1.4.4, 3.4).
TEST_P(ControlTest, AtomicWrite)
{
	open_family();
	uint64_t va = c().arena().va(64);
	ASSERT_EQ(va % 8, 0u);
	uint32_t psn = c().psn;
	Bytes first = data(8), second = data(8);
	Packet request = c().write(kAtomicWrite, va, 8, first);
	expect_replies({request}, {c().answer(kReadOnly, kUnlimited, psn, 1)});
	c().arena().expect_far(64, first);
	expect_memory();
	expect_replies({c().write(kWriteOnly, va, 8, second)}, {c().ack(psn + 1, 2)});
	c().arena().expect_far(64, second);
	expect_replies({request}, {c().answer(kReadOnly, kUnlimited, psn, 2)});
	expect_memory();
	expect_counts({{"rx_duplicate", 1}});
}

TEST_P(ControlTest, PsnsWrap)
{
	PathSpec path = quiet_path();
	path.rq_psn = 0xfffffd;
	open(IBV_QPT_RC, GetParam(), path);
	for (uint32_t msn = 1; msn <= 6; msn++)
		expect_alive(msn);
	EXPECT_EQ(c().psn, 3u);
}

/// What a receiver has to ignore, or what may change on the way.
TEST_P(ControlTest, FreeFields)
{
	open_family();
	uint32_t msn = 0;
	auto executed = [&](const char *what, auto &&change) {
		SCOPED_TRACE(what);
		Bytes payload = data(13);
		uint32_t psn = c().psn;
		Packet packet = c().write(kWriteOnly, c().arena().va(5), 13, payload);
		Flow flow = c().flow();
		change(packet, flow);
		expect_replies(std::vector<Bytes>{ip_packet(flow, packet)}, {c().ack(psn, ++msn)});
		c().arena().expect_far(5, payload);
		expect_memory();
	};
	for (uint16_t port : {0, 1, 4791, 0xffff})
		executed("source port", [&](auto &, auto &flow) { flow.udp_source = port; });
	executed("traffic class", [](auto &, auto &flow) { flow.traffic_class = 0xff; });
	executed("hop limit", [](auto &, auto &flow) { flow.hop_limit = 1; });
	executed("flow label", [](auto &, auto &flow) { flow.flow_label = 0xfffff; });
	executed("IP ID", [](auto &, auto &flow) { flow.ip_id = 0xffff; });
	executed("FECN", [](auto &packet, auto &) { packet.h.fecn = true; });
	executed("BECN", [](auto &packet, auto &) { packet.h.becn = true; });
	executed("reserved 6", [](auto &packet, auto &) { packet.h.resv6 = 0x3f; });
	executed("reserved 7", [](auto &packet, auto &) { packet.h.resv7 = 0x7f; });
	executed("MigReq", [](auto &packet, auto &) { packet.h.migreq = true; });
	executed("solicited", [](auto &packet, auto &) { packet.h.solicited = true; });
	executed("limited member", [](auto &packet, auto &) { packet.h.pkey = 0x7fff; });
}

/// What switches and cards may do to a frame without the ICRC's knowledge.
TEST_P(ControlTest, ChangesOnTheWay)
{
	open_family();
	uint32_t msn = 0;
	auto executed = [&](const char *what, auto &&send) {
		SCOPED_TRACE(what);
		Bytes payload = data(4);
		uint32_t psn = c().psn;
		send(c().frame(c().write(kWriteOnly, c().arena().va(), 4, payload)));
		auto replies = rig().exchange({}, 1);
		ASSERT_EQ(replies.size(), 1u);
		EXPECT_EQ(c().compare(replies[0], c().ack(psn, ++msn)), "");
		c().arena().expect_far(0, payload);
		expect_memory();
	};
	executed("nothing", [](const Bytes &ip) { rig().wire.send(ip); });
	executed("Ethernet padding", [](const Bytes &ip) { rig().wire.send_padded(ip, 40); });
	executed("priority tag", [](const Bytes &ip) { rig().wire.send_tagged(ip, 0x6000); });
	executed("hop limit", [](Bytes ip) {
		ip[family_of(ip) == Family::kIpv4 ? 8 : 7]--;
		fix_ip_checksum(ip);
		rig().wire.send(ip);
	});
	executed("congestion", [](Bytes ip) {
		ip[1] |= family_of(ip) == Family::kIpv4 ? 3 : 0x30;
		fix_ip_checksum(ip);
		rig().wire.send(ip);
	});
	executed("FECN, BECN", [](Bytes ip) {
		ip[bth_at(ip) + 4] = 0xff;
		rig().wire.send(ip);
	});
	executed("UDP checksum", [](Bytes ip) {
		// Over a pseudo header: addresses, protocol, length.
		size_t udp = udp_at(ip);
		Bytes covered(ip.begin() + (family_of(ip) == Family::kIpv4 ? 12 : 8), ip.end());
		covered.insert(covered.end(), covered.size() % 2, 0);
		covered.insert(covered.end(), {0, 17, ip[udp + 4], ip[udp + 5]});
		put16(ip, udp + 6, internet_checksum(covered));
		rig().wire.send(ip);
	});
}

} // namespace
} // namespace packets
