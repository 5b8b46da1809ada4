// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Requests that are refused, with private data of every length: rdma_connect(3),
// rdma_accept(3), rdma_reject(3), rdma_listen(3).
#include <cerrno>

#include "cm.h"

namespace cm {
namespace {

/// Reasons of a REJ: IBA vol. 1, 12.6.7.2.
constexpr int kInvalidServiceId = 8, kConsumerDefined = 28;

TEST(RefusalTest, NobodyListens)
{
	Client client(fresh_port());
	EXPECT_EQ(client.connect(), 0);
	EXPECT_EQ(client.channel.expect(RDMA_CM_EVENT_REJECTED).status, kInvalidServiceId);
	EXPECT_FALSE(client.channel.next(Milliseconds(50)));
}

TEST(RefusalTest, NobodyTakesDatagrams)
{
	Client client(fresh_port(), RDMA_PS_UDP);
	EXPECT_EQ(client.connect(), 0);
	client.channel.expect(RDMA_CM_EVENT_UNREACHABLE);
}

/// Both ways: what a client says, and what the server says when it refuses.
TEST(RefusalTest, PrivateDataOfEveryLength)
{
	Server server;
	for (size_t length = 0; length <= kMostInConnect; length++) {
		SCOPED_TRACE(length);
		const Bytes question = pattern(length, 1);
		const Bytes answer = pattern(length * kMostInReject / kMostInConnect, 2);
		Bytes heard;
		Client client(server.port);
		ASSERT_EQ(client.connect(question), 0);
		Id request = server.request(&heard);
		EXPECT_TRUE(arrived(heard, question));
		EXPECT_EQ(reject(request.get(), answer), 0);
		Event event = client.channel.expect(RDMA_CM_EVENT_REJECTED);
		EXPECT_EQ(event.status, kConsumerDefined);
		EXPECT_TRUE(arrived(event.data, answer));
	}
}

TEST(RefusalTest, PrivateDataOfAnAccept)
{
	Server server;
	for (size_t length : {size_t{0}, size_t{1}, size_t{64}, kMostInAccept - 1, kMostInAccept}) {
		SCOPED_TRACE(length);
		const Bytes answer = pattern(length, 3);
		Client client(server.port);
		ASSERT_EQ(client.connect(), 0);
		Id request = server.request();
		create_qp(request.get());
		ASSERT_EQ(accept(request.get(), answer), 0);
		EXPECT_TRUE(arrived(client.channel.expect(RDMA_CM_EVENT_ESTABLISHED).data, answer));
		server.channel.expect(RDMA_CM_EVENT_ESTABLISHED);
		EXPECT_EQ(rdma_disconnect(client.id.get()), 0);
		server.channel.expect(RDMA_CM_EVENT_DISCONNECTED);
		EXPECT_EQ(rdma_disconnect(request.get()), 0);
		client.channel.expect(RDMA_CM_EVENT_DISCONNECTED);
	}
}

TEST(RefusalTest, TooMuchPrivateData)
{
	Server server;
	for (size_t length : {kMostInConnect + 1, size_t{100}, size_t{255}}) {
		Client client(server.port);
		EXPECT_EQ(client.connect(pattern(length, 4)), EINVAL) << length;
		EXPECT_FALSE(server.channel.next(Milliseconds(20)));
	}
	Client client(server.port);
	ASSERT_EQ(client.connect(), 0);
	Id request = server.request();
	create_qp(request.get());
	EXPECT_EQ(reject(request.get(), pattern(kMostInReject + 1, 5)), EINVAL);
	EXPECT_EQ(accept(request.get(), pattern(kMostInAccept + 1, 5)), EINVAL);
}

/// More ask than there is room for: they are not refused, and the kernel lets them ask
/// again for a minute and a half. Those that have come in time are not disturbed.
TEST(RefusalTest, FullBacklog)
{
	constexpr int kBacklog = 2, kClients = 5;
	Server server(kBacklog);
	std::vector<std::unique_ptr<Client>> clients;
	for (int i = 0; i < kClients; i++) {
		clients.push_back(std::make_unique<Client>(server.port));
		ASSERT_EQ(clients.back()->connect(), 0);
	}
	std::vector<Id> accepted;
	for (int i = 0; i < kBacklog; i++) {
		accepted.push_back(server.request());
		create_qp(accepted.back().get());
		EXPECT_EQ(accept(accepted.back().get()), 0);
	}
	for (int i = 0; i < kBacklog; i++) {
		clients[static_cast<size_t>(i)]->channel.expect(RDMA_CM_EVENT_ESTABLISHED);
		server.channel.expect(RDMA_CM_EVENT_ESTABLISHED);
	}
	for (int i = kBacklog; i < kClients; i++)
		EXPECT_FALSE(clients[static_cast<size_t>(i)]->channel.next(Milliseconds(100)));
	clients.resize(kBacklog);
	// There is room again.
	Client late(server.port);
	ASSERT_EQ(late.connect(), 0);
	Id request = server.request();
	EXPECT_EQ(reject(request.get()), 0);
	late.channel.expect(RDMA_CM_EVENT_REJECTED);
}

/// What waits for a server that goes is refused.
TEST(RefusalTest, TheListenerGoes)
{
	auto server = std::make_unique<Server>();
	Client first(server->port), second(server->port);
	ASSERT_EQ(first.connect(), 0);
	ASSERT_EQ(second.connect(), 0);
	const uint16_t port = server->port;
	Id request = server->request();
	request.reset();
	first.channel.expect(RDMA_CM_EVENT_REJECTED);
	server.reset();
	second.channel.expect(RDMA_CM_EVENT_REJECTED);
	Client third(port);
	ASSERT_EQ(third.connect(), 0);
	EXPECT_EQ(third.channel.expect(RDMA_CM_EVENT_REJECTED).status, kInvalidServiceId);
}

} // namespace
} // namespace cm
