// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Multicast groups: who gets a copy, and who does not.
#include <arpa/inet.h>

#include <algorithm>

#include "link.h"

namespace conformance {
namespace {

constexpr uint32_t kGrh = 40;
constexpr uint32_t kMulticastQpn = 0xffffff;

ibv_gid gid_from(const std::string &text)
{
	ibv_gid gid{};
	EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), gid.raw), 1) << text;
	return gid;
}

/// One of many groups of a family.
ibv_gid group(Family family, unsigned number)
{
	char text[INET6_ADDRSTRLEN];
	snprintf(text, sizeof(text),
		 family == Family::kIpv4 ? "::ffff:239.77.%u.%u" : "ff15::77:%x:%x", number / 256,
		 number % 256);
	return gid_from(text);
}

#define NEED_MULTICAST()                                             \
	do {                                                         \
		if (local_device().attr().max_mcast_grp == 0)        \
			GTEST_SKIP() << "the device has no groups"; \
	} while (0)

QpSpec datagrams(Family family)
{
	QpSpec spec;
	spec.type = IBV_QPT_UD;
	spec.family = family;
	return spec;
}

class MulticastTest : public LinkTest, public testing::WithParamInterface<Family> {
protected:
	void SetUp() override
	{
		NEED_MULTICAST();
		NEED_FAMILY(GetParam());
		open(datagrams(GetParam()));
		near_ = a().reg(4096);
		far_ = b().reg(4096);
		a().fill(near_.address, 4096, 1);
	}
	SendSpec to_group(const ibv_gid &mgid, uint32_t size = 100)
	{
		SendSpec send{.sges = {near_.sge(0, size)}};
		send.to = {kMulticastQpn, mgid};
		return send;
	}
	/// Sends to @mgid until @end has got something: the network has to learn of members.
	ibv_wc reach(Endpoint &end, const Region &into, const ibv_gid &mgid, uint32_t size = 100)
	{
		must_be_zero(end.post_recv(7, {into.sge(0, kGrh + size)}), "post_recv");
		for (auto left = patience(); left.count() > 0; left -= Milliseconds(100)) {
			complete(to_group(mgid, size));
			auto got = end.poll(Queue::kReceive, 1, Milliseconds(100));
			if (!got.empty())
				return got[0];
		}
		throw std::runtime_error("nothing sent to the group arrives");
	}
	void expect_nothing(Endpoint &end, const Region &into, const ibv_gid &mgid)
	{
		must_be_zero(end.post_recv(8, {into.sge(0, kGrh + 100)}), "post_recv");
		complete(to_group(mgid));
		expect_quiet(end, Queue::kReceive);
	}

	Region near_, far_;
};

TEST_P(MulticastTest, OnlyWhileAttached)
{
	ibv_gid mgid = group(GetParam(), 1);
	expect_nothing(b(), far_, mgid);
	ASSERT_EQ(b().attach(mgid), 0);
	ibv_wc wc = reach(b(), far_, mgid);
	EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(wc.opcode, IBV_WC_RECV);
	EXPECT_EQ(wc.byte_len, kGrh + 100);
	EXPECT_EQ(wc.src_qp, a().address().qpn);
	EXPECT_EQ(wc.qp_num, b().address().qpn);
	EXPECT_TRUE(wc.wc_flags & IBV_WC_GRH);
	EXPECT_EQ(b().mismatch(far_.address + kGrh, 100, 1), -1);
	ASSERT_EQ(b().detach(mgid), 0);
	// The receive of the first time is still there.
	complete(to_group(mgid));
	expect_quiet(b(), Queue::kReceive);
}

TEST_P(MulticastTest, GrhHasTheAddressOfTheGroup)
{
	ibv_gid mgid = group(GetParam(), 2);
	ASSERT_EQ(b().attach(mgid), 0);
	reach(b(), far_, mgid);
	auto grh = b().peek(far_.address, kGrh);
	if (GetParam() == Family::kIpv6) {
		EXPECT_EQ(grh[0] >> 4, 6);
		EXPECT_EQ(memcmp(&grh[24], mgid.raw, 16), 0);
	} else {
		EXPECT_EQ(grh[20], 0x45);
		EXPECT_EQ(memcmp(&grh[36], mgid.raw + 12, 4), 0);
	}
	EXPECT_EQ(b().detach(mgid), 0);
}

TEST_P(MulticastTest, SeveralGroupsOfAQp)
{
	std::vector<ibv_gid> groups;
	for (unsigned i = 10; i < 14; i++)
		groups.push_back(group(GetParam(), i));
	for (const ibv_gid &mgid : groups)
		ASSERT_EQ(b().attach(mgid), 0);
	for (uint32_t i = 0; i < groups.size(); i++)
		EXPECT_EQ(reach(b(), far_, groups[i], 10 + i).byte_len, kGrh + 10 + i);
	ASSERT_EQ(b().detach(groups[1]), 0);
	expect_nothing(b(), far_, groups[1]);
	EXPECT_EQ(reach(b(), far_, groups[2]).status, IBV_WC_SUCCESS);
	for (int i : {0, 2, 3})
		EXPECT_EQ(b().detach(groups[static_cast<size_t>(i)]), 0);
}

TEST_P(MulticastTest, TheSendersOwnHost)
{
	ibv_gid mgid = group(GetParam(), 20);
	// The sender itself and two others beside it.
	LocalEndpoint first(local_device(), datagrams(GetParam()));
	LocalEndpoint second(local_device(), datagrams(GetParam()));
	LocalEndpoint stranger(local_device(), datagrams(GetParam()));
	std::vector<std::pair<LocalEndpoint *, Region>> ends;
	for (LocalEndpoint *end : {&a(), &first, &second, &stranger})
		ends.emplace_back(end, end->reg(1024));
	for (LocalEndpoint *end : {&first, &second, &stranger})
		end->connect(a().address(), {});
	for (auto &[end, region] : ends)
		ASSERT_EQ(end->post_recv(3, {region.sge()}), 0);
	for (LocalEndpoint *end : {&a(), &first, &second})
		ASSERT_EQ(end->attach(mgid), 0);
	complete(to_group(mgid, 64));
	for (auto &[end, region] : ends) {
		if (end == &stranger)
			continue;
		ibv_wc wc = one(*end, Queue::kReceive);
		EXPECT_EQ(wc.byte_len, kGrh + 64);
		EXPECT_EQ(wc.src_qp, a().address().qpn);
		EXPECT_EQ(end->mismatch(region.address + kGrh, 64, 1), -1);
		expect_quiet(*end, Queue::kReceive);
	}
	expect_quiet(stranger, Queue::kReceive);
	for (LocalEndpoint *end : {&a(), &first, &second})
		EXPECT_EQ(end->detach(mgid), 0);
}

TEST_P(MulticastTest, TheSenderCanDoWithoutItsOwn)
{
	ibv_gid mgid = group(GetParam(), 21);
	LocalEndpoint deaf(local_device(), datagrams(GetParam()));
	LocalEndpoint other(local_device(), datagrams(GetParam()));
	ibv_qp_init_attr_ex init{};
	init.send_cq = deaf.send_cq.get();
	init.recv_cq = deaf.recv_cq.get();
	init.cap = {16, 16, 1, 1, 0};
	init.qp_type = IBV_QPT_UD;
	init.pd = deaf.pd.get();
	init.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS;
	init.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
	deaf.qp.reset(must(ibv_create_qp_ex(deaf.context.get(), &init), "ibv_create_qp_ex"));
	for (LocalEndpoint *end : {&deaf, &other})
		end->connect(a().address(), {});

	Region from = deaf.reg(100), into = deaf.reg(256), beside = other.reg(256);
	ASSERT_EQ(deaf.attach(mgid), 0);
	ASSERT_EQ(other.attach(mgid), 0);
	ASSERT_EQ(deaf.post_recv(1, {into.sge()}), 0);
	SendSpec send{.sges = {from.sge()}};
	send.to = {kMulticastQpn, mgid};
	// The network has to learn of members first.
	ASSERT_EQ(other.post_recv(2, {beside.sge()}), 0);
	ASSERT_TRUE(eventually([&] {
		EXPECT_EQ(deaf.post_send(send), 0);
		EXPECT_EQ(one(deaf, Queue::kSend).status, IBV_WC_SUCCESS);
		return !other.poll(Queue::kReceive, 1, Milliseconds(100)).empty();
	})) << "another QP of the host gets its copy";
	expect_quiet(deaf, Queue::kReceive);

	// What others send does arrive, also of a QP of this host.
	SendSpec answer{.sges = {beside.sge(0, 100)}};
	answer.to = {kMulticastQpn, mgid};
	ASSERT_EQ(other.post_send(answer), 0);
	EXPECT_EQ(one(other, Queue::kSend).status, IBV_WC_SUCCESS);
	EXPECT_EQ(one(deaf, Queue::kReceive).src_qp, other.address().qpn);
	for (LocalEndpoint *end : {&deaf, &other})
		EXPECT_EQ(end->detach(mgid), 0);
}

TEST_P(MulticastTest, EachQpHasItsOwnQkeyAndReceives)
{
	ibv_gid mgid = group(GetParam(), 30);
	LocalEndpoint other_key(local_device(), datagrams(GetParam()));
	LocalEndpoint no_receive(local_device(), datagrams(GetParam()));
	LocalEndpoint good(local_device(), datagrams(GetParam()));
	PathSpec path;
	path.qkey = 0x22222222;
	other_key.connect(a().address(), path);
	no_receive.connect(a().address(), {});
	good.connect(a().address(), {});
	Region region = other_key.reg(1024), good_region = good.reg(1024);
	ASSERT_EQ(other_key.post_recv(1, {region.sge()}), 0);
	ASSERT_EQ(good.post_recv(2, {good_region.sge()}), 0);
	for (LocalEndpoint *end : {&other_key, &no_receive, &good})
		ASSERT_EQ(end->attach(mgid), 0);
	complete(to_group(mgid));
	EXPECT_EQ(one(good, Queue::kReceive).byte_len, kGrh + 100);
	expect_quiet(other_key, Queue::kReceive);
	SendSpec send = to_group(mgid, 9);
	send.qkey = 0x22222222;
	complete(send);
	EXPECT_EQ(one(other_key, Queue::kReceive).byte_len, kGrh + 9);
	expect_quiet(no_receive, Queue::kReceive);
	for (LocalEndpoint *end : {&other_key, &no_receive, &good})
		EXPECT_EQ(end->detach(mgid), 0);
}

TEST_P(MulticastTest, UnicastGoesOnBesideIt)
{
	ibv_gid mgid = group(GetParam(), 40);
	ASSERT_EQ(b().attach(mgid), 0);
	SendSpec send{.sges = {near_.sge(0, 5)}};
	send.to = b().address();
	ASSERT_EQ(b().post_recv(1, {far_.sge(0, 100)}), 0);
	complete(send);
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, kGrh + 5);
	// The number of multicast at an address of a host, and a QP's number at a group's.
	ASSERT_EQ(b().post_recv(1, {far_.sge(0, 100)}), 0);
	send.to.qpn = kMulticastQpn;
	complete(send);
	expect_quiet(b(), Queue::kReceive);
	send.to = {b().address().qpn, mgid};
	complete(send);
	expect_quiet(b(), Queue::kReceive);
	EXPECT_EQ(b().detach(mgid), 0);
}

TEST_P(MulticastTest, AttachedTwiceIsOneCopy)
{
	ibv_gid mgid = group(GetParam(), 50);
	ASSERT_EQ(b().attach(mgid), 0);
	ASSERT_EQ(b().attach(mgid), 0);
	ASSERT_EQ(b().post_recv(1, {far_.sge(1000, 1000)}), 0);
	reach(b(), far_, mgid);
	expect_quiet(b(), Queue::kReceive);
	EXPECT_EQ(b().detach(mgid), 0);
	EXPECT_EQ(b().detach(mgid), EINVAL) << "it is attached no more";
}

TEST_P(MulticastTest, WhatIsNoGroup)
{
	EXPECT_EQ(b().detach(group(GetParam(), 60)), EINVAL);
	for (const char *text : {"::", "::ffff:10.0.0.1", "fd77::1", "fe80::1", "::ffff:223.255.255.255",
				 "::ffff:240.0.0.1", "::224.0.0.1"})
		EXPECT_EQ(b().attach(gid_from(text)), EINVAL) << text;
	ibv_gid mgid = group(GetParam(), 61);
	QpSpec spec;
	for (ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UC}) {
		spec.type = type;
		LocalEndpoint connected(local_device(), spec);
		EXPECT_EQ(connected.attach(mgid), EINVAL);
		EXPECT_EQ(connected.detach(mgid), EINVAL);
	}
}

TEST_P(MulticastTest, AnAttachedQpStays)
{
	ibv_gid mgid = group(GetParam(), 70);
	LocalEndpoint end(local_device(), datagrams(GetParam()));
	ASSERT_EQ(end.attach(mgid), 0) << "in RESET";
	EXPECT_EQ(ibv_destroy_qp(end.qp.get()), EBUSY);
	EXPECT_EQ(end.detach(mgid), 0);
}

TEST_P(MulticastTest, AProcessThatEndsLeavesItsGroups)
{
	ibv_gid mgid = group(GetParam(), 80);
	for (int round = 0; round < 3; round++) {
		// The QP stays attached when the context is closed under it.
		Context context = local_device().open();
		ibv_pd *pd = must(ibv_alloc_pd(context.get()), "ibv_alloc_pd");
		ibv_cq *cq = must(ibv_create_cq(context.get(), 4, nullptr, nullptr, 0), "CQ");
		ibv_qp_init_attr init{};
		init.send_cq = init.recv_cq = cq;
		init.cap = {1, 1, 1, 1, 0};
		init.qp_type = IBV_QPT_UD;
		ibv_qp *qp = must(ibv_create_qp(pd, &init), "QP");
		ASSERT_EQ(ibv_attach_mcast(qp, &mgid, 0), 0);
	}
	ASSERT_EQ(b().attach(mgid), 0);
	EXPECT_EQ(reach(b(), far_, mgid).status, IBV_WC_SUCCESS);
	EXPECT_EQ(b().detach(mgid), 0);
}

std::string name_of(const testing::TestParamInfo<Family> &info)
{
	return family_name(info.param);
}

INSTANTIATE_TEST_SUITE_P(Ip, MulticastTest, testing::Values(Family::kIpv4, Family::kIpv6), name_of);

class MulticastLimitTest : public LocalTest {
protected:
	void SetUp() override
	{
		LocalTest::SetUp();
		if (!IsSkipped())
			NEED_MULTICAST();
	}
	static std::unique_ptr<LocalEndpoint> endpoint()
	{
		QpSpec spec = datagrams(Family::kIpv4);
		spec.send_wr = spec.recv_wr = spec.send_cqe = spec.recv_cqe = 1;
		return std::make_unique<LocalEndpoint>(local_device(), spec);
	}
};

TEST_F(MulticastLimitTest, Groups)
{
	auto end = endpoint(), other = endpoint();
	int max = local_device().attr().max_mcast_grp, made = 0, error = 0;
	while (made <= max && !(error = end->attach(group(Family::kIpv4, 256u + static_cast<unsigned>(made)))))
		made++;
	EXPECT_EQ(made, max);
	EXPECT_EQ(error, ENOMEM);
	EXPECT_EQ(other->attach(group(Family::kIpv4, 256)), 0) << "a group that there is";
	EXPECT_EQ(other->detach(group(Family::kIpv4, 256)), 0);
	for (int i = 0; i < made; i++)
		ASSERT_EQ(end->detach(group(Family::kIpv4, 256u + static_cast<unsigned>(i))), 0);
	EXPECT_EQ(other->attach(group(Family::kIpv4, 1)), 0);
	EXPECT_EQ(other->detach(group(Family::kIpv4, 1)), 0);
}

TEST_F(MulticastLimitTest, QpsOfAGroup)
{
	ibv_gid mgid = group(Family::kIpv4, 1);
	int max = local_device().attr().max_mcast_qp_attach;
	if (max > 1000)
		GTEST_SKIP() << "that would take too many QPs";
	auto end = endpoint();
	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = end->send_cq.get();
	init.cap = {1, 1, 1, 1, 0};
	init.qp_type = IBV_QPT_UD;
	std::vector<Qp> qps;
	for (int i = 0; i < max; i++) {
		qps.emplace_back(must(ibv_create_qp(end->pd.get(), &init), "ibv_create_qp"));
		ASSERT_EQ(ibv_attach_mcast(qps.back().get(), &mgid, 0), 0) << i;
	}
	EXPECT_EQ(end->attach(mgid), ENOMEM);
	for (auto &qp : qps)
		ASSERT_EQ(ibv_detach_mcast(qp.get(), &mgid, 0), 0);
}

TEST_F(MulticastLimitTest, AllOfThem)
{
	const ibv_device_attr &attr = local_device().attr();
	int total = attr.max_total_mcast_qp_attach;
	if (quick() || total > 100'000)
		GTEST_SKIP() << "that would take too long";
	int groups = std::min(attr.max_mcast_grp, 512), made = 0, error = 0;
	std::vector<std::unique_ptr<LocalEndpoint>> ends;
	while (made <= total && !error) {
		if (made % groups == 0)
			ends.push_back(endpoint());
		error = ends.back()->attach(group(Family::kIpv4, static_cast<unsigned>(made % groups)));
		made += !error;
	}
	EXPECT_EQ(made, total);
	EXPECT_EQ(error, ENOMEM);
	for (int i = 0; i < made; i++)
		ASSERT_EQ(ends[static_cast<size_t>(i / groups)]->detach(
				  group(Family::kIpv4, static_cast<unsigned>(i % groups))),
			  0);
}

} // namespace
} // namespace conformance
