// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Connections of librdmacm whose two ends are this program's.
#pragma once

#include <gtest/gtest.h>
#include <rdma/rdma_cma.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cm {

using Milliseconds = std::chrono::milliseconds;
using Bytes = std::vector<uint8_t>;

/// How long to wait for what does not depend on a time-out.
constexpr Milliseconds kSoon{5000};

/// What a connection of RDMA_PS_TCP has room for: rdma_connect(3), rdma_accept(3),
/// rdma_reject(3).
constexpr size_t kMostInConnect = 56, kMostInAccept = 196, kMostInReject = 148;

/// Where the servers are; main() sets it.
struct Place {
	std::string address; // of the device under test
	std::string nobody;  // of a host that has gone: its neighbour entry says where it was
};
Place &place();

/// A copy of an event, which has been acknowledged.
struct Event {
	rdma_cm_event_type type;
	int status;
	rdma_cm_id *id;
	Bytes data;
};

struct IdDeleter {
	void operator()(rdma_cm_id *id) const;
};
using Id = std::unique_ptr<rdma_cm_id, IdDeleter>;

struct ChannelDeleter {
	void operator()(rdma_event_channel *channel) const { rdma_destroy_event_channel(channel); }
};

/// Events of one end.
class Channel {
public:
	Channel();

	Id create(rdma_port_space space = RDMA_PS_TCP);
	/// The next event; none if there is none in time.
	std::optional<Event> next(Milliseconds timeout = kSoon);
	/// Fails unless the next event is @type. Its status, or what came instead.
	Event expect(rdma_cm_event_type type, Milliseconds timeout = kSoon);

private:
	std::unique_ptr<rdma_event_channel, ChannelDeleter> channel_;
};

/// @address with @port, numeric.
struct Address {
	Address(const std::string &address, uint16_t port);
	sockaddr *get() { return reinterpret_cast<sockaddr *>(&storage_); }

private:
	sockaddr_storage storage_{};
};

/// A port that no other test has.
uint16_t fresh_port();

/// A listener, and the connections that come to it.
struct Server {
	explicit Server(int backlog = 8, uint16_t port = fresh_port());
	/// A request, whose id is the caller's.
	Id request(Bytes *data = nullptr);

	const uint16_t port;
	Channel channel;
	Id listener;
};

/// An id with address, route and QP.
struct Client {
	explicit Client(uint16_t port, rdma_port_space space = RDMA_PS_TCP,
			const std::string &address = place().address);
	/// errno of rdma_connect().
	int connect(const Bytes &data = {});

	Channel channel;
	Id id;
};

/// A QP of @id, with CQs that librdmacm makes.
void create_qp(rdma_cm_id *id);
/// errno of these.
int accept(rdma_cm_id *id, const Bytes &data = {});
int reject(rdma_cm_id *id, const Bytes &data = {});

/// @count bytes that say where they are.
Bytes pattern(size_t count, uint8_t seed);
/// @got is @sent, and zeros behind it.
testing::AssertionResult arrived(const Bytes &got, const Bytes &sent);

} // namespace cm
