// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// What the device says of itself: device, port, GID and P_Key tables.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <fstream>

#include "link.h"

namespace conformance {
namespace {

class AttributesTest : public LocalTest {
protected:
	const Device &device_ = local_device();
	Context context_ = device_.open();
};

TEST_F(AttributesTest, DeviceLimitsArePlausible)
{
	const ibv_device_attr &attr = device_.attr();
	EXPECT_EQ(attr.phys_port_cnt, 1);
	EXPECT_GE(attr.max_qp, 200);
	EXPECT_GE(attr.max_qp_wr, 1024);
	EXPECT_GE(attr.max_sge, 32);
	EXPECT_GE(attr.max_sge_rd, 1);
	EXPECT_GE(attr.max_cq, 200);
	EXPECT_GE(attr.max_cqe, 1024);
	EXPECT_GE(attr.max_mr, 200);
	EXPECT_GE(attr.max_pd, 16);
	EXPECT_GE(attr.max_ah, 16);
	EXPECT_GE(attr.max_qp_rd_atom, 8);
	EXPECT_GE(attr.max_qp_init_rd_atom, 8);
	EXPECT_GE(attr.max_mr_size, 1ull << 31);
	EXPECT_NE(attr.atomic_cap, IBV_ATOMIC_NONE);
	EXPECT_NE(attr.page_size_cap & 4096, 0u);
}

TEST_F(AttributesTest, PkeyLimitIsTheTableLength)
{
	EXPECT_EQ(device_.attr().max_pkeys, device_.port().pkey_tbl_len);
}

TEST_F(AttributesTest, NodeGuidIsSetAndTheSameEverywhere)
{
	EXPECT_NE(device_.attr().node_guid, 0u);
	EXPECT_EQ(device_.attr().node_guid, ibv_get_device_guid(context_->device));
}

TEST_F(AttributesTest, DeviceIsAnInfinibandChannelAdapter)
{
	EXPECT_EQ(context_->device->node_type, IBV_NODE_CA);
	EXPECT_EQ(context_->device->transport_type, IBV_TRANSPORT_IB);
	EXPECT_GE(context_->num_comp_vectors, 1);
}

TEST_F(AttributesTest, ExtendedQueryAgrees)
{
	ibv_device_attr_ex ex{};
	ASSERT_EQ(ibv_query_device_ex(context_.get(), nullptr, &ex), 0);
	const ibv_device_attr &attr = device_.attr();
	EXPECT_EQ(ex.orig_attr.max_qp, attr.max_qp);
	EXPECT_EQ(ex.orig_attr.max_qp_wr, attr.max_qp_wr);
	EXPECT_EQ(ex.orig_attr.max_mr_size, attr.max_mr_size);
	EXPECT_EQ(ex.orig_attr.max_cqe, attr.max_cqe);
	EXPECT_EQ(ex.orig_attr.node_guid, attr.node_guid);
}

TEST_F(AttributesTest, PortIsActiveEthernet)
{
	ibv_port_attr port = device_.port();
	EXPECT_EQ(port.state, IBV_PORT_ACTIVE);
	EXPECT_EQ(port.phys_state, 5); // LinkUp
	EXPECT_EQ(port.link_layer, IBV_LINK_LAYER_ETHERNET);
	EXPECT_EQ(port.max_mtu, IBV_MTU_4096);
	EXPECT_EQ(port.pkey_tbl_len, 1);
	EXPECT_GE(port.gid_tbl_len, 4);
	EXPECT_EQ(port.lid, 0);
	EXPECT_NE(port.active_width, 0);
	EXPECT_NE(port.active_speed, 0);
	EXPECT_GE(port.max_vl_num, 1);
}

TEST_F(AttributesTest, MaximumMessageSizeIsTwoToThe31)
{
	EXPECT_EQ(device_.port().max_msg_sz, 1u << 31);
}

TEST_F(AttributesTest, ActiveMtuFitsIntoTheNetdev)
{
	std::ifstream file("/sys/class/net/" + device_.netdev() + "/mtu");
	uint32_t netdev_mtu = 0;
	ASSERT_TRUE(file >> netdev_mtu) << device_.netdev();
	uint32_t active = mtu_bytes(device_.port().active_mtu);
	// IPv6, UDP, BTH, atomic header, immediate and ICRC around the payload.
	constexpr uint32_t kOverhead = 40 + 8 + 12 + 28 + 4 + 4;
	EXPECT_LE(active + kOverhead, netdev_mtu);
	EXPECT_TRUE(active == 4096 || 2 * active + kOverhead > netdev_mtu) << "a larger one fits";
}

TEST_F(AttributesTest, WrongPortIsRefused)
{
	ibv_port_attr port{};
	EXPECT_EQ(ibv_query_port(context_.get(), 0, &port), EINVAL);
	EXPECT_EQ(ibv_query_port(context_.get(), 2, &port), EINVAL);
}

TEST_F(AttributesTest, OnePkeyTheDefault)
{
	uint16_t pkey = 0;
	ASSERT_EQ(ibv_query_pkey(context_.get(), kPort, 0, &pkey), 0);
	EXPECT_EQ(be16toh(pkey), 0xffff);
	EXPECT_NE(ibv_query_pkey(context_.get(), kPort, device_.port().pkey_tbl_len, &pkey), 0);
	EXPECT_EQ(ibv_get_pkey_index(context_.get(), kPort, htobe16(0xffff)), 0);
}

TEST_F(AttributesTest, GidTableFollowsTheAddresses)
{
	std::string netdev = device_.netdev();
	auto table = device_.gid_table();
	auto has = [&](const ibv_gid &gid) {
		return std::any_of(table.begin(), table.end(), [&](const ibv_gid_entry &entry) {
			return entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
			       !memcmp(&entry.gid, &gid, 16);
		});
	};
	ifaddrs *list = nullptr;
	ASSERT_EQ(getifaddrs(&list), 0);
	int addresses = 0;
	for (ifaddrs *a = list; a; a = a->ifa_next) {
		if (!a->ifa_addr || netdev != a->ifa_name)
			continue;
		ibv_gid gid{};
		if (a->ifa_addr->sa_family == AF_INET) {
			gid.raw[10] = gid.raw[11] = 0xff;
			memcpy(gid.raw + 12,
			       &reinterpret_cast<sockaddr_in *>(a->ifa_addr)->sin_addr, 4);
		} else if (a->ifa_addr->sa_family == AF_INET6) {
			memcpy(gid.raw, &reinterpret_cast<sockaddr_in6 *>(a->ifa_addr)->sin6_addr,
			       16);
		} else {
			continue;
		}
		addresses++;
		EXPECT_TRUE(has(gid)) << "address " << addresses << " of " << netdev;
	}
	freeifaddrs(list);
	EXPECT_GT(addresses, 0);
}

TEST_F(AttributesTest, GidQueriesAgree)
{
	for (const ibv_gid_entry &entry : device_.gid_table()) {
		ibv_gid gid{};
		ASSERT_EQ(ibv_query_gid(context_.get(), kPort, static_cast<int>(entry.gid_index),
					&gid),
			  0);
		EXPECT_EQ(memcmp(&gid, &entry.gid, 16), 0);
		ibv_gid_entry again{};
		ASSERT_EQ(ibv_query_gid_ex(context_.get(), kPort, entry.gid_index, &again, 0), 0);
		EXPECT_EQ(again.gid_type, entry.gid_type);
		EXPECT_EQ(again.ndev_ifindex, entry.ndev_ifindex);
	}
	ibv_gid gid{};
	EXPECT_NE(ibv_query_gid(context_.get(), kPort, device_.port().gid_tbl_len, &gid), 0);
}

TEST_F(AttributesTest, ClockIsOptionalButNotBroken)
{
	ibv_values_ex values{};
	values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	int error = ibv_query_rt_values_ex(context_.get(), &values);
	EXPECT_TRUE(error == 0 || error == EOPNOTSUPP) << error;
}

TEST_F(AttributesTest, ManyContextsAtOnce)
{
	std::vector<Context> contexts;
	for (int i = 0; i < 50; i++)
		contexts.push_back(device_.open());
	ibv_port_attr port{};
	EXPECT_EQ(ibv_query_port(contexts.back().get(), kPort, &port), 0);
}

} // namespace
} // namespace conformance
