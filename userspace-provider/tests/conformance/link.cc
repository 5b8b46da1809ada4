// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "link.h"

#include <thread>

#include "remote.h"

namespace conformance {

std::unique_ptr<Endpoint> peer_endpoint(const QpSpec &spec)
{
	if (!options().connect.empty())
		return make_remote_endpoint(spec);
	return std::make_unique<LocalEndpoint>(peer_device(), spec);
}

bool peer_has(Family family)
{
	if (!options().connect.empty())
		return remote_has(family);
	return peer_device().gid(family).has_value();
}

void LinkTest::open(const QpSpec &spec, const PathSpec &path)
{
	open(spec, path, spec, path);
}

void LinkTest::open(const QpSpec &spec_a, const PathSpec &path_a, const QpSpec &spec_b,
		    const PathSpec &path_b)
{
	link_ = {};
	link_.a = std::make_unique<LocalEndpoint>(local_device(), spec_a);
	link_.b = peer_endpoint(spec_b);
	link_.b->connect(link_.a->address(), path_b);
	link_.a->connect(link_.b->address(), path_a);
}

ibv_wc LinkTest::one(Endpoint &end, Queue queue, Milliseconds timeout)
{
	auto completions = end.poll(queue, 1, timeout);
	if (completions.empty())
		throw std::runtime_error("no completion came");
	return completions[0];
}

void LinkTest::expect_quiet(Endpoint &end, Queue queue)
{
	EXPECT_TRUE(end.poll(queue, 1, moment()).empty()) << "a completion that should not be";
}

ibv_wc LinkTest::complete(const SendSpec &send, ibv_wc_status status)
{
	must_be_zero(a().post_send(send), "post_send");
	ibv_wc wc = one(a(), Queue::kSend);
	EXPECT_EQ(wc.status, status);
	EXPECT_EQ(wc.wr_id, send.wr_id);
	EXPECT_EQ(wc.qp_num, a().address().qpn);
	return wc;
}

void LinkTest::expect_alive()
{
	ASSERT_EQ(b().post_recv(0xa11fe, {}), 0);
	SendSpec send;
	send.wr_id = 0xa11fe;
	send.to = b().address();
	complete(send);
	ibv_wc wc = one(b(), Queue::kReceive);
	EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(wc.wr_id, 0xa11feu);
}

void LocalTest::SetUp()
{
	if (!options().connect.empty())
		GTEST_SKIP() << "a test of one process";
}

bool eventually(const std::function<bool()> &check, Milliseconds timeout)
{
	auto end = std::chrono::steady_clock::now() + timeout;
	while (!check()) {
		if (std::chrono::steady_clock::now() > end)
			return check();
		std::this_thread::sleep_for(Milliseconds(1));
	}
	return true;
}

} // namespace conformance
