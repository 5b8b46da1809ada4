// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Packets without a QP are counted for the device they are for, however they came.
#include <cstdlib>

#include "fixture.h"

namespace packets {
namespace {

class DropCountTest : public FamilyTest {};
BOTH_FAMILIES(DropCountTest);

TEST_P(DropCountTest, FromThisHost)
{
	open_family(IBV_QPT_UD);
	SendSpec send{};
	send.to = {0xfffffe, c().flow().destination}; // the device's own address
	ASSERT_EQ(c().end().post_send(send), 0);
	ASSERT_EQ(c().end().poll(Queue::kSend, 1).size(), 1u);
	expect_replies(std::vector<Bytes>{}, {});
	expect_counts({{"rx_no_qp", 1}});
}

TEST_P(DropCountTest, OnAVlan)
{
	std::string netdev = local_device().netdev(), vlan = netdev + ".77";
	std::string add = "ip link add link " + netdev + " name " + vlan + " type vlan id 77 && " +
			  "ip link set " + vlan + " up";
	if (system(add.c_str()))
		GTEST_SKIP() << "no VLAN interfaces";
	open_family(IBV_QPT_UD);
	Packet packet = c().datagram(data(8), 0x11111111);
	packet.h.dest_qp = 0xfffffe;
	rig().wire.send_tagged(c().frame(packet), 77);
	expect_replies(std::vector<Bytes>{}, {});
	expect_counts({{"rx_no_qp", 1}});
	EXPECT_EQ(system(("ip link del " + vlan).c_str()), 0);
}

} // namespace
} // namespace packets
