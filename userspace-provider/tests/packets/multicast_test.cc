// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Packets to multicast groups, from another host (rules 3.1.8, 6.11 to 6.13).
#include "fixture.h"

namespace packets {
namespace {

constexpr uint32_t kMulticastQpn = 0xffffff;
constexpr uint32_t kQkey = 0x11111111;

class MulticastTest : public FamilyTest {
protected:
	void SetUp() override
	{
		FamilyTest::SetUp();
		open_family(IBV_QPT_UD);
		ASSERT_EQ(c().end().attach(group(1)), 0);
		attached_ = true;
	}
	void TearDown() override
	{
		if (attached_) {
			EXPECT_EQ(c().end().detach(group(1)), 0);
		}
		FamilyTest::TearDown();
	}
	ibv_gid group(unsigned number)
	{
		std::string last = std::to_string(number);
		return gid_from_text((GetParam() == Family::kIpv4 ? "239.78.0." + last
								  : "ff15::78:" + last)
					     .c_str());
	}
	Packet datagram(const Bytes &payload, uint32_t qpn = kMulticastQpn, uint32_t qkey = kQkey)
	{
		Packet packet = c().datagram(payload, qkey);
		packet.h.dest_qp = qpn;
		return packet;
	}
	Bytes frame_to(const ibv_gid &destination, const Packet &packet)
	{
		Flow flow = c().flow();
		flow.destination = destination;
		return ip_packet(flow, packet);
	}
	Bytes header_area(const Bytes &ip)
	{
		size_t bytes = ip_header_bytes(ip);
		Bytes area(40 - bytes);
		area.insert(area.end(), ip.begin(), ip.begin() + static_cast<ptrdiff_t>(bytes));
		return area;
	}
	void expect_arrives(const Bytes &ip, const Bytes &payload)
	{
		expect_replies(std::vector<Bytes>{ip}, {});
		auto got = c().end().poll(Queue::kReceive, 1);
		ASSERT_EQ(got.size(), 1u);
		EXPECT_EQ(got[0].status, IBV_WC_SUCCESS);
		EXPECT_EQ(got[0].byte_len, 40 + payload.size());
		Bytes whole = header_area(ip);
		whole.insert(whole.end(), payload.begin(), payload.end());
		c().arena().expect_inbox(8, whole);
		expect_memory();
	}

	bool attached_ = false;
};
BOTH_FAMILIES(MulticastTest);

TEST_P(MulticastTest, ArrivesWithItsHeader)
{
	for (uint32_t bytes : {0u, 1u, 1024u, 4096u}) {
		post(8, 40 + bytes);
		Bytes payload = data(bytes);
		expect_arrives(frame_to(group(1), datagram(payload)), payload);
	}
}

TEST_P(MulticastTest, WhatIsNotForTheGroup)
{
	post(8, 1000);
	ibv_gid own = c().flow().destination;
	expect_dropped({{"multicast QP at a unicast address", frame_to(own, datagram(data(8)))}},
		       "rx_no_qp");
	expect_dropped({{"a QP's number at the group's address",
			 frame_to(group(1), datagram(data(8), c().qpn()))}},
		       "rx_bad_address");
	expect_dropped({{"no QP's number at the group's address",
			 frame_to(group(1), datagram(data(8), 0xfffffe))}},
		       "rx_no_qp");
	expect_dropped({{"wrong Q_Key",
			 frame_to(group(1), datagram(data(8), kMulticastQpn, kQkey + 1))}},
		       "rx_bad_qkey");
	Packet packet = datagram(data(8));
	packet.h.pkey = 0x1234;
	expect_dropped({{"wrong P_Key", frame_to(group(1), packet)}}, "rx_bad_pkey");
	Bytes broken = frame_to(group(1), datagram(data(8)));
	broken.back() ^= 1;
	expect_dropped({{"ICRC", broken}}, "rx_bad_icrc");
	// What is for a group that the host is not in is not even looked at.
	expect_replies(std::vector<Bytes>{frame_to(group(2), datagram(data(8)))}, {});
	expect_counts({});
	expect_nothing_received();
	expect_memory();
	Bytes payload = data(8);
	expect_arrives(frame_to(group(1), datagram(payload)), payload);
}

TEST_P(MulticastTest, ConnectedPacketsGoNowhere)
{
	std::vector<Named> frames;
	for (uint8_t opcode : {kSendOnly, kWriteOnly, kAck, kUcSendOnly}) {
		Packet packet = datagram(data(opcode == kAck ? 0 : 8));
		packet.h.opcode = opcode;
		packet.h.va = c().arena().va();
		packet.h.rkey = c().arena().rkey();
		packet.h.dma_len = 8;
		frames.push_back({hex(opcode), frame_to(group(1), packet)});
	}
	expect_dropped(frames, "rx_bad_service");
	expect_memory();
}

TEST_P(MulticastTest, NoReceive)
{
	expect_replies(std::vector<Bytes>{frame_to(group(1), datagram(data(8)))}, {});
	expect_counts({{"rx_ud_dropped", 1}});
}

} // namespace
} // namespace packets
