// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// UC and UD: nothing is ever answered, and what is wrong is lost (rules 3.8 and 3.9).
#include <arpa/inet.h>

#include "fixture.h"

namespace packets {
namespace {

class UcTest : public PacketTest {
protected:
	void silent(const std::vector<Packet> &packets) { expect_replies(packets, {}); }
	/// A WRITE that must arrive, whatever was before.
	void expect_alive_uc()
	{
		Bytes payload = data(16);
		silent({c().write(kUcWriteOnly, c().arena().va(64), 16, payload)});
		c().arena().expect_far(64, payload);
		expect_memory();
		expect_counts({});
	}
	/// @packets are lost, each of them counted, and the QP goes on.
	void lost(const std::string &name, const std::vector<Packet> &packets, size_t count)
	{
		SCOPED_TRACE(name);
		silent(packets);
		expect_counts(count ? Counts{{"rx_uc_dropped", count}} : Counts{});
		expect_nothing_received();
		expect_memory();
		expect_alive_uc();
		expect_state(IBV_QPS_RTS);
	}
};

TEST_F(UcTest, Control)
{
	open(IBV_QPT_UC);
	Bytes payload = data(2053);
	auto at = payload.begin();
	post(8, 2053);
	silent({c().request(kUcSendFirst, {at, at + 1024}),
		c().request(kUcSendMiddle, {at + 1024, at + 2048}),
		c().request(kUcSendLast, {at + 2048, payload.end()})});
	expect_received(8, payload);
	silent({c().write(kUcWriteFirst, c().arena().va(3), 2053, {at, at + 1024}),
		c().request(kUcWriteMiddle, {at + 1024, at + 2048}),
		c().request(kUcWriteLast, {at + 2048, payload.end()})});
	c().arena().expect_far(3, payload);
	expect_memory();
	post(0, 0);
	Packet packet = c().write(kUcWriteOnlyImm, c().arena().va(), 3, {1, 2, 3});
	packet.h.imm = htonl(0x77);
	silent({packet});
	c().arena().expect_far(0, {1, 2, 3});
	auto completions = c().end().poll(Queue::kReceive, 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].imm_data, htonl(0x77));
	expect_alive_uc();
}

TEST_F(UcTest, GapsBetweenMessages)
{
	open(IBV_QPT_UC);
	for (uint32_t jump : {1u, 2u, 0x7fffffu, 0x800000u, 0xfffffeu}) {
		c().psn = psn_add(c().psn, jump);
		expect_alive_uc();
	}
}

TEST_F(UcTest, GapsInsideOfMessages)
{
	open(IBV_QPT_UC);
	post(0, 4096);
	Packet first = c().request(kUcSendFirst, data(1024));
	silent({first});
	c().arena().expect_inbox(0, first.payload);
	c().psn = psn_add(c().psn, 1);
	lost("SEND", {c().request(kUcSendMiddle, data(1024)), c().request(kUcSendLast, data(8))},
	     2);
	// Its receive is the next one's.
	Bytes payload = data(99);
	silent({c().request(kUcSendOnly, payload)});
	expect_received(0, payload);

	first = c().write(kUcWriteFirst, c().arena().va(), 2056, data(1024));
	silent({first});
	c().arena().expect_far(0, first.payload);
	c().psn = psn_add(c().psn, 1);
	lost("WRITE", {c().request(kUcWriteMiddle, data(1024)), c().request(kUcWriteLast, data(8))},
	     2);
}

TEST_F(UcTest, OpcodeSequence)
{
	open(IBV_QPT_UC);
	post(0, 4096);
	for (uint8_t opcode : {kUcSendMiddle, kUcSendLast, kUcWriteMiddle, kUcWriteLast})
		lost(hex(opcode), {c().request(opcode, data(1024))}, 1);
	Packet first = c().write(kUcWriteFirst, c().arena().va(), 2048, data(1024));
	c().arena().expect_far(0, first.payload);
	lost("SEND after WRITE",
	     {first, c().request(kUcSendLast, data(8)), c().request(kUcWriteLast, data(1024))}, 2);
	// A new message ends an unfinished one, which nobody counts.
	Packet second = c().write(kUcWriteFirst, c().arena().va(), 2048, data(1024));
	c().arena().expect_far(0, second.payload);
	lost("FIRST after FIRST", {second}, 0);
}

TEST_F(UcTest, LengthsKeysAndRights)
{
	open(IBV_QPT_UC);
	uint64_t va = c().arena().va();
	lost("no receive", {c().request(kUcSendOnly, data(8))}, 1);
	lost("no receive", {c().write(kUcWriteOnlyImm, va, 8, data(8))}, 1);
	lost("no receive, then the rest",
	     {c().request(kUcSendFirst, data(1024)), c().request(kUcSendLast, data(8))}, 2);
	for (uint32_t bytes : {0u, 1020u, 1028u})
		lost("FIRST", {c().write(kUcWriteFirst, va, 4096, data(bytes))}, 1);
	lost("ONLY", {c().write(kUcWriteOnly, va, 1025, data(1025))}, 1);
	lost("announced", {c().write(kUcWriteOnly, va, 9, data(8))}, 1);
	lost("announced", {c().write(kUcWriteOnly, va, 0, data(8))}, 1);
	lost("announced", {c().write(kUcWriteFirst, va, 1024, data(1024))}, 1);
	lost("announced", {c().write(kUcWriteFirst, va, 0x80000001, data(1024))}, 1);
	lost("bounds", {c().write(kUcWriteOnly, va - 1, 8, data(8))}, 1);
	lost("bounds", {c().write(kUcWriteOnly, va + Arena::kFarBytes - 7, 8, data(8))}, 1);
	lost("wrap", {c().write(kUcWriteOnly, UINT64_MAX - 3, 8, data(8))}, 1);
	for (uint32_t wrong : {1u, 0x100u, 0x80000000u}) {
		Packet packet = c().write(kUcWriteOnly, va, 8, data(8));
		packet.h.rkey ^= wrong;
		lost("key", {packet}, 1);
	}
	Packet packet = c().write(kUcWriteOnly, va, 8, data(8));
	packet.h.rkey = c().arena().whole().rkey;
	lost("rights", {packet}, 1);
	post(0, 64);
	lost("longer than its receive", {c().request(kUcSendOnly, data(65))}, 1);
	Bytes payload = data(64);
	silent({c().request(kUcSendOnly, payload)});
	expect_received(0, payload);

	PathSpec path = quiet_path();
	path.access = IBV_ACCESS_LOCAL_WRITE;
	open(IBV_QPT_UC, Family::kIpv4, path);
	silent({c().write(kUcWriteOnly, c().arena().va(), 8, data(8))});
	expect_counts({{"rx_uc_dropped", 1}});
}

class UdTest : public FamilyTest {
protected:
	static constexpr uint32_t kQkey = 0x11111111;

	Packet datagram(const Bytes &payload)
	{
		Packet packet = c().datagram(payload, kQkey);
		packet.h.psn = 0x345678; // which nobody looks at
		return packet;
	}
	/// Rule 7.9: an IPv6 header, or an IPv4 header at the end.
	Bytes header_area(const Bytes &ip)
	{
		size_t bytes = ip_header_bytes(ip);
		Bytes area(40 - bytes);
		area.insert(area.end(), ip.begin(), ip.begin() + static_cast<ptrdiff_t>(bytes));
		return area;
	}
	ibv_wc expect_datagram(uint32_t offset, const Bytes &ip, const Bytes &payload)
	{
		auto completions = c().end().poll(Queue::kReceive, 1);
		if (completions.empty())
			throw std::runtime_error("no datagram");
		ibv_wc wc = completions[0];
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_EQ(wc.wr_id, offset);
		EXPECT_EQ(wc.byte_len, 40 + payload.size());
		EXPECT_EQ(wc.src_qp, c().peer_qpn());
		EXPECT_TRUE(wc.wc_flags & IBV_WC_GRH);
		Bytes whole = header_area(ip);
		whole.insert(whole.end(), payload.begin(), payload.end());
		c().arena().expect_inbox(offset, whole);
		expect_memory();
		return wc;
	}
};
BOTH_FAMILIES(UdTest);

TEST_P(UdTest, Control)
{
	open_family(IBV_QPT_UD);
	for (uint32_t bytes : {0u, 1u, 2u, 3u, 4u, 1024u, 4096u}) {
		SCOPED_TRACE(bytes);
		post(16, 40 + bytes);
		Bytes payload = data(bytes);
		Packet packet = datagram(payload);
		packet.h.opcode = bytes % 2 ? kUdSendOnlyImm : kUdSendOnly;
		packet.h.imm = htonl(bytes);
		Bytes ip = c().frame(packet);
		expect_replies(std::vector<Bytes>{ip}, {});
		ibv_wc wc = expect_datagram(16, ip, payload);
		EXPECT_EQ(!!(wc.wc_flags & IBV_WC_WITH_IMM), bytes % 2 == 1);
		if (bytes % 2) {
			EXPECT_EQ(wc.imm_data, htonl(bytes));
		}
	}
}

TEST_P(UdTest, NoReceiveOrTooSmall)
{
	open_family(IBV_QPT_UD);
	expect_replies({datagram(data(8)), datagram(data(0))}, {});
	expect_counts({{"rx_ud_dropped", 2}});
	for (uint32_t room : {0u, 8u, 39u, 47u}) {
		open_family(IBV_QPT_UD);
		post(0, room);
		expect_replies({datagram(data(8))}, {});
		expect_counts({{"rx_ud_dropped", 1}});
		expect_nothing_received();
		expect_memory();
		if (room < 40)
			continue;
		// It waits for one that fits.
		Bytes payload = data(room - 40), ip = c().frame(datagram(payload));
		expect_replies(std::vector<Bytes>{ip}, {});
		expect_datagram(0, ip, payload);
	}
}

TEST_P(UdTest, FieldsThatNobodyLooksAt)
{
	open_family(IBV_QPT_UD);
	for (uint32_t psn : {0u, 0xffffffu, 0x800000u}) {
		post(0, 64);
		Packet packet = datagram(data(5));
		packet.h.psn = psn;
		packet.h.ack_req = true;
		packet.h.solicited = true;
		packet.h.resv8 = 0xff;
		Bytes ip = c().frame(packet);
		expect_replies(std::vector<Bytes>{ip}, {});
		expect_datagram(0, ip, packet.payload);
	}
}

} // namespace
} // namespace packets
