// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Peers that go without a word, and connections that are open at one end only.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "cm.h"

namespace cm {
namespace {

/// rdma_cm asks 16 times, 6.4 s apart.
constexpr Milliseconds kRequestLimit{130000};

/// This program as somebody else, see main.cc, until it is killed.
class Process {
public:
	explicit Process(const std::string &role, uint16_t port)
	{
		int ends[2];
		if (pipe(ends) != 0)
			throw std::runtime_error("pipe");
		const std::string number = std::to_string(port);
		pid_ = fork();
		if (pid_ == 0) {
			dup2(ends[1], STDOUT_FILENO);
			execl("/proc/self/exe", "srnic_cm", place().address.c_str(),
			      place().nobody.c_str(), role.c_str(), number.c_str(), nullptr);
			_exit(127);
		}
		close(ends[1]);
		fd_ = ends[0];
	}
	~Process()
	{
		kill_it();
		close(fd_);
	}
	/// It has said that it is one step further.
	bool ready()
	{
		char byte;
		return read(fd_, &byte, 1) == 1;
	}
	void kill_it()
	{
		if (pid_ <= 0)
			return;
		kill(pid_, SIGKILL);
		waitpid(pid_, nullptr, 0);
		pid_ = 0;
	}

private:
	pid_t pid_ = 0;
	int fd_ = -1;
};

/// The client's process is killed while its request waits at the server.
TEST(VanishTest, ClientBeforeItsAnswer)
{
	Server server;
	Process process("client", server.port);
	ASSERT_TRUE(process.ready());
	Id request = server.request();
	create_qp(request.get());
	process.kill_it();
	// Nothing is told of an id that has not been accepted; but it cannot be any more.
	EXPECT_FALSE(server.channel.next(Milliseconds(300)));
	EXPECT_EQ(accept(request.get()), EINVAL);
}

/// It has been answered, and does not say that it has heard: half open.
TEST(VanishTest, ClientBetweenAnswerAndUse)
{
	Server server;
	Client client(server.port);
	ASSERT_EQ(client.connect(), 0);
	Id request = server.request();
	create_qp(request.get());
	ASSERT_EQ(accept(request.get()), 0);
	client.id.reset();
	// Which of the two events depends on how far it had come.
	auto event = server.channel.next();
	ASSERT_TRUE(event);
	if (event->type == RDMA_CM_EVENT_ESTABLISHED)
		event = server.channel.next();
	ASSERT_TRUE(event);
	EXPECT_TRUE(event->type == RDMA_CM_EVENT_DISCONNECTED ||
		    event->type == RDMA_CM_EVENT_REJECTED)
		<< rdma_event_str(event->type);
}

TEST(VanishTest, ServerOfAConnection)
{
	const uint16_t port = fresh_port();
	Process process("server", port);
	ASSERT_TRUE(process.ready());
	Client client(port);
	ASSERT_EQ(client.connect(), 0);
	client.channel.expect(RDMA_CM_EVENT_ESTABLISHED);
	ASSERT_TRUE(process.ready());
	process.kill_it();
	client.channel.expect(RDMA_CM_EVENT_DISCONNECTED);
	EXPECT_EQ(rdma_disconnect(client.id.get()), 0);
	Client again(port);
	ASSERT_EQ(again.connect(), 0);
	again.channel.expect(RDMA_CM_EVENT_REJECTED);
}

/// An id may go in the middle of anything.
TEST(VanishTest, IdsThatGoAtOnce)
{
	Server server;
	{
		Channel channel;
		Id id = channel.create();
		Address to(place().address, server.port);
		ASSERT_EQ(rdma_resolve_addr(id.get(), nullptr, to.get(), 2000), 0);
	}
	{
		Client client(server.port);
		EXPECT_EQ(rdma_resolve_route(client.id.get(), 100), -1);
	}
	for (int i = 0; i < 10; i++) {
		Client client(server.port);
		ASSERT_EQ(client.connect(), 0);
	}
	// Of each the request, perhaps, and that it was taken back.
	int requests = 0, taken_back = 0;
	std::vector<Id> ids;
	while (auto event = server.channel.next(Milliseconds(300))) {
		if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST) {
			requests++;
			ids.emplace_back(event->id);
		} else {
			EXPECT_EQ(event->type, RDMA_CM_EVENT_REJECTED);
			taken_back++;
		}
	}
	EXPECT_LE(taken_back, requests);
	for (Id &id : ids)
		EXPECT_NE(accept(id.get()), 0);
}

/// The host has gone; nothing but time says so, a minute and a half.
TEST(VanishTest, HostBeforeTheRequest)
{
	if (!getenv("SRNIC_THOROUGH"))
		GTEST_SKIP() << "takes long: SRNIC_THOROUGH=1";
	Client client(fresh_port(), RDMA_PS_TCP, place().nobody);
	const auto start = std::chrono::steady_clock::now();
	ASSERT_EQ(client.connect(), 0);
	Event event = client.channel.expect(RDMA_CM_EVENT_UNREACHABLE, kRequestLimit);
	EXPECT_EQ(event.status, -ETIMEDOUT);
	EXPECT_GT(std::chrono::steady_clock::now() - start, Milliseconds(30000));
}

} // namespace
} // namespace cm
