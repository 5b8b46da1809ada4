// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Addresses that lead nowhere: rdma_bind_addr(3), rdma_resolve_addr(3).
#include <cerrno>

#include "cm.h"

namespace cm {
namespace {

class AddressTest : public testing::Test {
protected:
	/// Resolving @to fails, at once or by an event, with one of @errors, in @limit.
	void expect_unreachable(const std::string &to, const std::vector<int> &errors,
				int timeout_ms, Milliseconds limit)
	{
		SCOPED_TRACE(to);
		Channel channel;
		Id id = channel.create();
		Address address(to, 1234);
		const auto start = std::chrono::steady_clock::now();
		int error = 0;
		if (rdma_resolve_addr(id.get(), nullptr, address.get(), timeout_ms)) {
			error = errno;
		} else {
			Event event = channel.expect(RDMA_CM_EVENT_ADDR_ERROR, limit);
			error = -event.status;
		}
		EXPECT_LT(std::chrono::steady_clock::now() - start, limit);
		EXPECT_NE(std::find(errors.begin(), errors.end(), error), errors.end())
			<< "errno " << error;
	}
	int bind(const std::string &to, uint16_t port)
	{
		Id id = channel_.create();
		Address address(to, port);
		const int error = rdma_bind_addr(id.get(), address.get()) ? errno : 0;
		bound_.push_back(std::move(id));
		return error;
	}

	Channel channel_;
	std::vector<Id> bound_;
};

TEST_F(AddressTest, NoRoute)
{
	expect_unreachable("192.0.2.1", {ENETUNREACH, EHOSTUNREACH, ENODEV}, 1000, kSoon);
	expect_unreachable("2001:db8::1", {ENETUNREACH, EHOSTUNREACH, ENODEV}, 1000, kSoon);
}

/// Nobody answers for it; after the time-out, or when the neighbour discovery gives up.
TEST_F(AddressTest, NoSuchNeighbour)
{
	expect_unreachable("10.77.0.99", {ETIMEDOUT, EHOSTUNREACH}, 500, Milliseconds(6000));
	expect_unreachable("fd77::99", {ETIMEDOUT, EHOSTUNREACH}, 500, Milliseconds(6000));
}

/// It is this host's, but no RDMA device's.
TEST_F(AddressTest, WithoutADevice)
{
	expect_unreachable("10.99.0.9", {ENODEV}, 1000, kSoon);
}

TEST_F(AddressTest, FamiliesThatDoNotFit)
{
	Id id = channel_.create();
	Address from(place().address, 0), to("fd77::1", 1);
	EXPECT_NE(rdma_resolve_addr(id.get(), from.get(), to.get(), 1000), 0);
	EXPECT_EQ(errno, EINVAL);
}

TEST_F(AddressTest, BindToWhatIsNotHere)
{
	EXPECT_EQ(bind("10.77.0.50", 1), EADDRNOTAVAIL);
	EXPECT_EQ(bind("fd77::50", 1), EADDRNOTAVAIL);
}

TEST_F(AddressTest, BindToWhatIsTaken)
{
	const uint16_t port = fresh_port();
	EXPECT_EQ(bind(place().address, port), 0);
	EXPECT_EQ(bind(place().address, port), EADDRINUSE);
	const int error = bind("0.0.0.0", port);
	EXPECT_TRUE(error == EADDRINUSE || error == EADDRNOTAVAIL) << error;
	EXPECT_EQ(bind(place().address, fresh_port()), 0);
}

/// Each step needs the one before. (librdmacm dereferences the device of an id without.)
TEST_F(AddressTest, OutOfOrder)
{
	Server server;
	EXPECT_EQ(accept(server.listener.get()), EINVAL);
	Client client(server.port);
	EXPECT_EQ(accept(client.id.get()), EINVAL) << "nobody has asked";
	EXPECT_NE(rdma_listen(client.id.get(), 1), 0) << "it is a client's";
	EXPECT_FALSE(server.channel.next(Milliseconds(50)));
}

} // namespace
} // namespace cm
