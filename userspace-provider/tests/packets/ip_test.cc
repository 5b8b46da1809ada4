// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// What IP and Ethernet can do that RoCEv2 does not know: fragments, options, extension
// headers, VLAN tags, ICMP.
#include <algorithm>

#include "fixture.h"

namespace packets {
namespace {

class IpTest : public PacketTest {
protected:
	/// Cuts behind the IP header at multiples of 8.
	std::vector<Bytes> fragments(const Bytes &ip, const std::vector<size_t> &cuts)
	{
		std::vector<Bytes> pieces;
		size_t header = ip_header_bytes(ip), at = 0;
		std::vector<size_t> ends = cuts;
		ends.push_back(ip.size() - header);
		for (size_t end : ends) {
			bool more = end != ends.back();
			pieces.push_back(fragment(ip, at, end, more));
			at = end;
		}
		return pieces;
	}
	Bytes fragment(const Bytes &ip, size_t from, size_t to, bool more)
	{
		size_t header = ip_header_bytes(ip);
		auto at = [&](size_t n) { return ip.begin() + static_cast<ptrdiff_t>(n); };
		Bytes piece(at(0), at(header));
		auto place = static_cast<uint16_t>(from | (more ? 1 : 0));
		if (header == 20) {
			put16(piece, 6,
			      static_cast<uint16_t>((get16(ip, 6) & 0xc000) | (more ? 0x2000 : 0) |
						    from / 8));
		} else {
			piece[6] = 44;
			piece.insert(piece.end(), {17, 0, 0, 0, 0, 0, 0, id_});
			put16(piece, 42, place);
		}
		piece.insert(piece.end(), at(header + from), at(header + to));
		set_ip_length(piece, piece.size());
		return piece;
	}
	/// A WRITE in pieces, which is the next request.
	std::vector<Bytes> write_in_pieces(const Bytes &payload, const std::vector<size_t> &cuts,
					   bool dont_fragment = false)
	{
		Flow flow = c().flow();
		flow.ip_id = ++id_;
		flow.dont_fragment = dont_fragment;
		auto bytes = static_cast<uint32_t>(payload.size());
		return fragments(
			ip_packet(flow, c().write(kWriteOnly, c().arena().va(), bytes, payload)),
			cuts);
	}
	/// @extra between IPv4 header and UDP, or extension headers of IPv6.
	Bytes with_extra(const Bytes &extra, uint8_t first_header)
	{
		Bytes ip = c().frame(c().write(kWriteOnly, c().arena().va(), 8, data(8)));
		c().psn = c().path().rq_psn;
		ip.insert(ip.begin() + static_cast<ptrdiff_t>(ip_header_bytes(ip)), extra.begin(),
			  extra.end());
		size_t total = ip.size();
		if (family_of(ip) == Family::kIpv4) {
			ip[0] = static_cast<uint8_t>(0x45 + extra.size() / 4);
			put16(ip, 2, static_cast<uint16_t>(total));
			fix_ip_checksum(ip);
		} else {
			ip[6] = first_header;
			put16(ip, 4, static_cast<uint16_t>(total - 40));
		}
		return ip;
	}
	uint8_t id_ = 0;
};

class FragmentTest : public IpTest, public testing::WithParamInterface<Family> {};
INSTANTIATE_TEST_SUITE_P(Over, FragmentTest, testing::Values(Family::kIpv4, Family::kIpv6),
			 [](const auto &info) { return family_name(info.param); });

/// Nobody should fragment RoCEv2; but what the stack has put together is whole again.
TEST_P(FragmentTest, PutTogether)
{
	open(IBV_QPT_RC, GetParam());
	uint32_t msn = 0;
	const std::vector<size_t> cuts[] = {{8},   {16},	{24},	{32},		{40},
					    {512}, {8, 16, 24}, {1024}, {256, 512, 768}};
	for (const auto &cut : cuts) {
		SCOPED_TRACE(testing::PrintToString(cut));
		for (bool reversed : {false, true}) {
			Bytes payload = data(1000);
			uint32_t psn = c().psn;
			auto pieces = write_in_pieces(payload, cut);
			if (reversed)
				std::reverse(pieces.begin(), pieces.end());
			expect_replies(pieces, {c().ack(psn, ++msn)});
			c().arena().expect_far(0, payload);
			expect_memory();
		}
	}
}

TEST_P(FragmentTest, IncompleteOrWrong)
{
	open(IBV_QPT_RC, GetParam());
	auto all = write_in_pieces(data(1000), {256, 512});
	c().psn = c().path().rq_psn;
	expect_replies(std::vector<Bytes>{all[0], all[2]}, {});
	all = write_in_pieces(data(1000), {8});
	c().psn = c().path().rq_psn;
	expect_replies(std::vector<Bytes>{all[1]}, {});
	expect_counts({});

	// A piece of another packet in the middle.
	all = write_in_pieces(data(1000), {256, 512});
	c().psn = c().path().rq_psn;
	all[1].back() ^= 1;
	expect_replies(all, {});
	expect_counts({{"rx_bad_icrc", 1}});

	// Pieces that overlap: the stack throws them away.
	Flow flow = c().flow();
	flow.ip_id = ++id_;
	flow.dont_fragment = false;
	Bytes ip = ip_packet(flow, c().write(kWriteOnly, c().arena().va(), 1000, data(1000)));
	size_t end = ip.size() - ip_header_bytes(ip);
	expect_replies(std::vector<Bytes>{fragment(ip, 0, 512, true), fragment(ip, 256, 768, true),
					  fragment(ip, 768, end, false)},
		       {});
	rig().counters.changes(); // perhaps they were not all thrown away
	c().psn = c().path().rq_psn;
	expect_alive(1);
}

TEST_F(IpTest, Ipv4Options)
{
	open();
	std::vector<Named> frames = {
		{"no operation", with_extra({1, 1, 1, 1}, 0)},
		{"end of list", with_extra({0, 0, 0, 0}, 0)},
		{"router alert", with_extra({0x94, 4, 0, 0}, 0)},
		{"the longest", with_extra(Bytes(40, 1), 0)},
		{"security", with_extra({0x82, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0)},
	};
	expect_dropped(frames, "rx_malformed");
	expect_alive(1);
}

TEST_F(IpTest, Ipv6ExtensionHeaders)
{
	open(IBV_QPT_RC, Family::kIpv6);
	const Bytes pad = {17, 0, 1, 4, 0, 0, 0, 0};
	Bytes two = pad;
	two[0] = 60;
	two.insert(two.end(), pad.begin(), pad.end());
	std::vector<Named> frames = {
		{"hop by hop", with_extra(pad, 0)},
		{"destination options", with_extra(pad, 60)},
		{"both", with_extra(two, 0)},
		{"an atomic fragment", with_extra({17, 0, 0, 0, 0, 0, 0, 9}, 44)},
	};
	expect_dropped(frames, "rx_malformed");
	expect_alive(1);
}

/// Of a VLAN that this host is not in; of none at all is in ControlTest.
TEST_F(IpTest, VlanTags)
{
	open();
	Packet packet = c().write(kWriteOnly, c().arena().va(), 8, data(8));
	for (uint16_t tag : {1, 5, 0x6005, 0xfff})
		rig().wire.send_tagged(c().frame(packet), tag);
	expect_replies(std::vector<Packet>{}, {});
	expect_counts({});
	c().psn = c().path().rq_psn;
	expect_alive(1);
}

TEST_F(IpTest, WrongChecksums)
{
	open();
	Bytes ip = c().frame(c().write(kWriteOnly, c().arena().va(), 8, data(8)));
	c().psn = c().path().rq_psn;
	Bytes wrong_ip = ip, wrong_udp = ip;
	wrong_ip[10] ^= 1;
	put16(wrong_udp, udp_at(ip) + 6, 0x1234);
	expect_replies({wrong_ip, wrong_udp}, {});
	expect_counts({});
	expect_alive(1);
}

/// Somebody claims that the device's packets did not arrive, or were too long.
TEST_F(IpTest, ForgedIcmp)
{
	open();
	// A packet of the device, to be quoted.
	Packet read = c().read(c().arena().va(), 1024);
	rig().wire.send(c().frame(read));
	auto answer = rig().wire.receive(patience());
	ASSERT_TRUE(answer.has_value());
	std::vector<Bytes> forged;
	for (uint8_t code : {0, 1, 2, 3, 4, 13}) {
		Bytes ip = c().frame(read);
		ip.resize(20);
		ip[9] = 1;
		ip.insert(ip.end(), {3, code, 0, 0, 0, 0, 552 >> 8, 552 & 0xff});
		ip.insert(ip.end(), answer->begin(), answer->begin() + 64);
		put16(ip, 22, internet_checksum(std::span(ip).subspan(20)));
		set_ip_length(ip, ip.size());
		forged.push_back(ip);
	}
	expect_replies(forged, {});
	expect_counts({});
	uint32_t psn = c().psn;
	expect_replies({c().read(c().arena().va(), 1024)},
		       {c().answer(kReadOnly, kUnlimited, psn, 2, c().arena().far_bytes(0, 1024))});
	expect_alive(3);
}

} // namespace
} // namespace packets
