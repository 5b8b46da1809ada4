// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "cm.h"

#include <netdb.h>
#include <poll.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace cm {

namespace {

[[noreturn]] void fail(const char *what)
{
	throw std::runtime_error(std::string(what) + ": " + strerror(errno));
}

rdma_conn_param parameters(const Bytes &data)
{
	rdma_conn_param param{};
	param.private_data = data.data();
	param.private_data_len = static_cast<uint8_t>(data.size());
	param.responder_resources = param.initiator_depth = 1;
	param.retry_count = 7;
	param.rnr_retry_count = 7;
	return param;
}

} // namespace

Place &place()
{
	static Place value;
	return value;
}

void IdDeleter::operator()(rdma_cm_id *id) const
{
	if (id->qp)
		rdma_destroy_qp(id);
	rdma_destroy_id(id);
}

Channel::Channel() : channel_(rdma_create_event_channel())
{
	if (!channel_)
		fail("rdma_create_event_channel");
}

Id Channel::create(rdma_port_space space)
{
	rdma_cm_id *id = nullptr;
	if (rdma_create_id(channel_.get(), &id, nullptr, space))
		fail("rdma_create_id");
	return Id(id);
}

std::optional<Event> Channel::next(Milliseconds timeout)
{
	pollfd wait = {channel_->fd, POLLIN, 0};
	rdma_cm_event *event = nullptr;
	if (poll(&wait, 1, static_cast<int>(timeout.count())) != 1)
		return {};
	if (rdma_get_cm_event(channel_.get(), &event))
		fail("rdma_get_cm_event");
	Event copy = {event->event, event->status, event->id, {}};
	const auto *data = static_cast<const uint8_t *>(event->param.conn.private_data);
	if (data)
		copy.data.assign(data, data + event->param.conn.private_data_len);
	rdma_ack_cm_event(event);
	return copy;
}

Event Channel::expect(rdma_cm_event_type type, Milliseconds timeout)
{
	auto event = next(timeout);
	if (!event) {
		ADD_FAILURE() << "no event in time, wanted " << rdma_event_str(type);
		return {RDMA_CM_EVENT_TIMEWAIT_EXIT, 0, nullptr, {}};
	}
	EXPECT_STREQ(rdma_event_str(event->type), rdma_event_str(type))
		<< "status " << event->status;
	return *event;
}

Address::Address(const std::string &address, uint16_t port)
{
	addrinfo hints{}, *found = nullptr;
	hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
	hints.ai_socktype = SOCK_STREAM;
	if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
		throw std::runtime_error("not an address: " + address);
	memcpy(&storage_, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
}

uint16_t fresh_port()
{
	static uint16_t last = 20000;
	return ++last;
}

Server::Server(int backlog, uint16_t number) : port(number), listener(channel.create())
{
	Address address(place().address, port);
	if (rdma_bind_addr(listener.get(), address.get()))
		fail("rdma_bind_addr");
	if (rdma_listen(listener.get(), backlog))
		fail("rdma_listen");
}

Id Server::request(Bytes *data)
{
	Event event = channel.expect(RDMA_CM_EVENT_CONNECT_REQUEST);
	if (event.type != RDMA_CM_EVENT_CONNECT_REQUEST)
		throw std::runtime_error("no request");
	if (data)
		*data = event.data;
	return Id(event.id);
}

Client::Client(uint16_t port, rdma_port_space space, const std::string &address)
	: id(channel.create(space))
{
	Address to(address, port);
	if (rdma_resolve_addr(id.get(), nullptr, to.get(), 2000))
		fail("rdma_resolve_addr");
	channel.expect(RDMA_CM_EVENT_ADDR_RESOLVED);
	if (rdma_resolve_route(id.get(), 2000))
		fail("rdma_resolve_route");
	channel.expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
	create_qp(id.get());
}

int Client::connect(const Bytes &data)
{
	rdma_conn_param param = parameters(data);
	return rdma_connect(id.get(), &param) ? errno : 0;
}

void create_qp(rdma_cm_id *id)
{
	ibv_qp_init_attr attr{};
	attr.cap = {4, 4, 1, 1, 0};
	attr.qp_type = id->ps == RDMA_PS_TCP ? IBV_QPT_RC : IBV_QPT_UD;
	if (rdma_create_qp(id, nullptr, &attr))
		fail("rdma_create_qp");
}

int accept(rdma_cm_id *id, const Bytes &data)
{
	rdma_conn_param param = parameters(data);
	if (id->qp)
		param.qp_num = id->qp->qp_num;
	return rdma_accept(id, &param) ? errno : 0;
}

int reject(rdma_cm_id *id, const Bytes &data)
{
	return rdma_reject(id, data.data(), static_cast<uint8_t>(data.size())) ? errno : 0;
}

Bytes pattern(size_t count, uint8_t seed)
{
	Bytes bytes(count);
	for (size_t i = 0; i < count; i++)
		bytes[i] = static_cast<uint8_t>(seed + 7 * i + 1);
	return bytes;
}

testing::AssertionResult arrived(const Bytes &got, const Bytes &sent)
{
	if (got.size() < sent.size())
		return testing::AssertionFailure() << got.size() << " bytes of " << sent.size();
	for (size_t i = 0; i < got.size(); i++) {
		if (got[i] != (i < sent.size() ? sent[i] : 0))
			return testing::AssertionFailure() << "byte " << i << " is " << +got[i];
	}
	return testing::AssertionSuccess();
}

} // namespace cm
