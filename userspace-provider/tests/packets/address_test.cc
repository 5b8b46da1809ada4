// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Packets for somebody else: wrong QP, type, state, address, partition or key (rule 3.1).
#include <unistd.h>

#include "fixture.h"

namespace packets {
namespace {

class AddressTest : public FamilyTest {
protected:
	/// A good request of the connection's type, always the same one.
	Packet request()
	{
		uint8_t opcode = c().end().spec.type == IBV_QPT_RC ? kWriteOnly : kUcWriteOnly;
		Packet packet = c().end().spec.type == IBV_QPT_UD
					? c().datagram(data(8), 0x11111111)
					: c().write(opcode, c().arena().va(), 8, data(8));
		packet.h.psn = c().psn = c().path().rq_psn;
		return packet;
	}
	Named to_qpn(uint32_t qpn)
	{
		Packet packet = request();
		packet.h.dest_qp = qpn;
		return {"to QP " + hex(qpn), c().frame(packet)};
	}
	/// Another address of the device than the one that the connection uses.
	ibv_gid second()
	{
		ibv_gid one = local("10.78.1.1", "fd78:1::1"),
			two = local("10.78.1.11", "fd78:1::11");
		return memcmp(one.raw, c().flow().destination.raw, 16) == 0 ? two : one;
	}
	ibv_gid local(const char *ipv4, const char *ipv6)
	{
		return gid_from_text(GetParam() == Family::kIpv4 ? ipv4 : ipv6);
	}
	Named from_to(const ibv_gid &source, const ibv_gid &destination)
	{
		Flow flow = c().flow();
		flow.source = source;
		flow.destination = destination;
		return {"from or to another address", ip_packet(flow, request())};
	}
};
BOTH_FAMILIES(AddressTest);

constexpr ibv_qp_type kTypes[] = {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD};

TEST_P(AddressTest, NoSuchQp)
{
	for (ibv_qp_type type : kTypes) {
		open(type, GetParam());
		post(0, 64);
		// 0 is InfiniBand's, the second for multicast; QPNs are not reused at once.
		std::vector<Named> frames;
		for (uint32_t qpn : {0u, 0xffffffu, 0xfffffeu, c().peer_qpn(),
				     c().qpn() ^ 0x800000u, c().qpn() ^ 0x400000u})
			frames.push_back(to_qpn(qpn));
		expect_dropped(frames, "rx_no_qp");
		expect_nothing_received();
		expect_memory();
	}
}

// QP 1 takes datagrams with its well-known Q_Key. What is no MAD the core throws away.
TEST_P(AddressTest, GeneralServices)
{
	for (ibv_qp_type type : kTypes) {
		open(type, GetParam());
		post(0, 64);
		expect_dropped({to_qpn(1)},
			       type == IBV_QPT_UD ? "rx_bad_qkey" : "rx_bad_service");
		expect_nothing_received();
		expect_memory();
	}
	std::vector<Bytes> frames;
	for (size_t bytes : {0, 1, 23, 24, 255, 256, 257, 300, 1024})
		for (uint8_t fill : {0x00, 0x01, 0x03, 0x07, 0x81, 0xff}) {
			Packet packet = c().datagram(Bytes(bytes, fill), 0x80010000);
			packet.h.dest_qp = 1;
			frames.push_back(c().frame(packet));
		}
	for (int round = 0; round < 20; round++)
		EXPECT_EQ(rig().exchange(frames).size(), 0U);
	// The core takes its time to post receives again.
	for (const auto &[name, count] : rig().counters.changes())
		EXPECT_EQ(name, "rx_ud_dropped") << count;
	expect_nothing_received();
	expect_memory();
}

/// Messages of connection management (class 7, IBA vol. 1, 12.6) that are garbage behind
/// their head. The core may answer some, with a REJ: whatever it sends is for QP 1.
TEST_P(AddressTest, GarbageToConnectionManagement)
{
	open(IBV_QPT_UD, GetParam());
	std::vector<Bytes> frames;
	for (uint8_t attribute = 0x0f; attribute <= 0x1d; attribute++) {
		for (uint8_t method : {0x01, 0x03, 0x81, 0xff}) {
			Bytes mad = data(256);
			const Bytes head = {1, 0x07, 2, method, 0, 0, 0, 0};
			std::copy(head.begin(), head.end(), mad.begin());
			mad[16] = 0;
			mad[17] = attribute;
			Packet packet = c().datagram(mad, 0x80010000);
			packet.h.dest_qp = 1;
			packet.h.src_qp = 1;
			frames.push_back(c().frame(packet));
		}
	}
	// The core answers from threads, when their turn comes: until it is quiet for long.
	for (int round = 0, quiet = 0; round < 10 || quiet < 20; round++) {
		auto replies = rig().exchange(round < 10 ? frames : std::vector<Bytes>{});
		quiet = replies.empty() ? quiet + 1 : 0;
		for (const Reply &reply : replies) {
			EXPECT_EQ(reply.problem, "");
			EXPECT_EQ(reply.packet.h.dest_qp, 1u) << describe(reply.packet);
		}
		if (round >= 10)
			usleep(20000);
	}
	rig().counters.changes();
	expect_nothing_received();
	expect_memory();
}

TEST_P(AddressTest, QpOfAnotherType)
{
	for (ibv_qp_type type : kTypes) {
		for (ibv_qp_type other : kTypes) {
			if (type == other)
				continue;
			uint32_t target = rig().connection(other, GetParam()).qpn();
			rig().connection(other, GetParam()).connect(quiet_path());
			open(type, GetParam());
			expect_dropped({to_qpn(target)}, "rx_bad_service");
			EXPECT_EQ(rig().connection(other, GetParam()).arena().difference(), "");
		}
	}
}

TEST_P(AddressTest, StatesThatTakeNoRequests)
{
	for (ibv_qp_type type : kTypes) {
		open(type, GetParam());
		std::vector<Named> frames = {{"request", c().frame(request())}};
		must_be_zero(c().end().move(IBV_QPS_RESET), "to RESET");
		expect_dropped(frames, "rx_bad_qp_state");
		ibv_qp_attr attr{};
		attr.qp_state = IBV_QPS_INIT;
		attr.port_num = kPort;
		attr.qkey = 0x11111111;
		attr.qp_access_flags = kAllAccess;
		int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			   (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
		must_be_zero(ibv_modify_qp(c().end().qp.get(), &attr, mask), "to INIT");
		expect_dropped(frames, "rx_bad_qp_state");
		must_be_zero(c().end().move(IBV_QPS_ERR), "to ERR");
		expect_dropped(frames, "rx_bad_qp_state");
		expect_memory();
	}
}

TEST_P(AddressTest, ReadyToReceiveTakesRequestsButNoResponses)
{
	PathSpec path = quiet_path();
	path.stop_at_rtr = true;
	open(IBV_QPT_RC, GetParam(), path);
	Named ack{"ACK", c().frame(c().response(kAck, kUnlimited, path.sq_psn, 0))};
	expect_dropped({ack}, "rx_bad_qp_state");
	expect_alive(1);
	EXPECT_EQ(c().end().wait_event(patience()), IBV_EVENT_COMM_EST);
	expect_alive(2);
	EXPECT_EQ(c().end().wait_event(Milliseconds(0)), -1) << "one event is enough";
}

TEST_P(AddressTest, ConnectedQpsListenToTheirPeerOnly)
{
	ibv_gid stranger = local("10.78.1.78", "fd78:1::78");
	ibv_gid elsewhere = local("10.78.9.9", "fd78:9::9"); // of loopback
	for (ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UC}) {
		open(type, GetParam());
		ibv_gid peer = c().flow().source, device = c().flow().destination;
		expect_dropped({from_to(stranger, device), from_to(peer, second()),
				from_to(peer, elsewhere), from_to(stranger, second())},
			       "rx_bad_address");
		// The stack itself takes few packets that claim to come from here.
		expect_replies(std::vector<Bytes>{from_to(device, device).ip}, {});
		rig().counters.changes();
		expect_memory();
		if (type == IBV_QPT_RC)
			expect_alive(1);
	}
}

/// The right address in the wrong IP version is another one.
TEST_P(AddressTest, TheOtherIpVersion)
{
	Family other = GetParam() == Family::kIpv4 ? Family::kIpv6 : Family::kIpv4;
	for (ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UC}) {
		Flow flow = rig().connection(type, other).flow();
		open(type, GetParam());
		expect_dropped({{"other family", ip_packet(flow, request())}}, "rx_bad_address");
		expect_memory();
	}
}

TEST_P(AddressTest, ResponsesFromStrangers)
{
	open_family();
	must_be_zero(c().end().post_send({.wr_id = 1}), "post_send");
	Reply request = rig().next();
	uint32_t psn = request.packet.h.psn;
	Flow flow = c().flow();
	flow.source = local("10.78.1.78", "fd78:1::78");
	std::vector<Named> frames;
	for (uint8_t syndrome : {kUnlimited, kRnr, kNakSequence, kNakInvalid}) {
		Packet packet = c().response(kAck, syndrome, psn, 1);
		frames.push_back({"stranger's " + hex(syndrome), ip_packet(flow, packet)});
	}
	expect_dropped(frames, "rx_bad_address");
	EXPECT_TRUE(c().end().poll(Queue::kSend, 1, moment()).empty());
	expect_replies({c().response(kAck, kUnlimited, psn, 1)}, {});
	auto completions = c().end().poll(Queue::kSend, 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].status, IBV_WC_SUCCESS);
}

TEST_P(AddressTest, Partitions)
{
	uint32_t before = local_device().port().bad_pkey_cntr;
	for (ibv_qp_type type : kTypes) {
		open(type, GetParam());
		post(0, 64);
		std::vector<Named> frames;
		for (uint16_t pkey :
		     {0x0000, 0x8000, 0x0001, 0x8001, 0x7ffe, 0xfffe, 0x3fff, 0xbfff, 0x1234}) {
			Packet packet = request();
			packet.h.pkey = pkey;
			frames.push_back({"P_Key " + hex(pkey), c().frame(packet)});
		}
		expect_dropped(frames, "rx_bad_pkey");
		expect_nothing_received();
		expect_memory();
	}
	EXPECT_EQ(local_device().port().bad_pkey_cntr - before, 3 * 9u);
}

TEST_P(AddressTest, DatagramKeys)
{
	open_family(IBV_QPT_UD);
	post(0, 64);
	uint32_t before = local_device().port().qkey_viol_cntr;
	std::vector<Named> frames;
	for (uint32_t qkey : {0u, 1u, 0x11111110u, 0x91111111u, 0x80010000u, 0xffffffffu}) {
		Packet packet = request();
		packet.h.qkey = qkey;
		frames.push_back({"Q_Key " + hex(qkey), c().frame(packet)});
	}
	expect_dropped(frames, "rx_bad_qkey");
	EXPECT_EQ(local_device().port().qkey_viol_cntr - before, frames.size());
	expect_nothing_received();
	expect_memory();
}

/// UD hears everybody, on any address of its device, but on no other.
TEST_P(AddressTest, DatagramAddresses)
{
	open_family(IBV_QPT_UD);
	ibv_gid peer = c().flow().source, stranger = local("10.78.1.78", "fd78:1::78");
	post(0, 64);
	expect_replies(std::vector<Bytes>{from_to(stranger, second()).ip}, {});
	auto completions = c().end().poll(Queue::kReceive, 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].status, IBV_WC_SUCCESS);
	auto got = c().end().peek(c().arena().whole().address + Arena::kInboxAt, 64);
	c().arena().expect_inbox(0, got); // datagram_test.cc looks at it closely

	post(0, 64);
	std::vector<Named> frames = {from_to(peer, local("10.78.9.9", "fd78:9::9")),
				     from_to(peer, local("224.0.0.1", "ff02::1")),
				     from_to(stranger, local("224.0.0.1", "ff02::1"))};
	if (GetParam() == Family::kIpv4)
		frames.push_back(from_to(peer, gid_from_text("10.78.1.255")));
	expect_dropped(frames, "rx_bad_address");
	expect_nothing_received();
}

} // namespace
} // namespace packets
