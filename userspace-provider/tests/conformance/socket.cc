// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace conformance {

namespace {

void no_delay(int fd)
{
	int on = 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int try_connect(const std::string &host, uint16_t port)
{
	addrinfo hints{};
	hints.ai_socktype = SOCK_STREAM;
	addrinfo *list = nullptr;
	if (int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list))
		throw std::runtime_error(host + ": " + gai_strerror(error));
	int fd = -1;
	for (addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		if (fd >= 0 && ::connect(fd, a->ai_addr, a->ai_addrlen) < 0) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	return fd;
}

} // namespace

Socket &Socket::operator=(Socket &&other) noexcept
{
	std::swap(fd_, other.fd_);
	return *this;
}

Socket::~Socket()
{
	if (fd_ >= 0)
		close(fd_);
}

Socket Socket::connect(const std::string &host, uint16_t port)
{
	// The peer guest may still be on its way to the same point.
	for (int tries = 0; tries < 300; tries++) {
		int fd = try_connect(host, port);
		if (fd >= 0) {
			no_delay(fd);
			return Socket(fd);
		}
		std::this_thread::sleep_for(Milliseconds(100));
	}
	throw VerbsError("connecting to " + host, errno);
}

Socket Socket::listen(uint16_t port)
{
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1, off = 0;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	sockaddr_in6 any{};
	any.sin6_family = AF_INET6;
	any.sin6_port = htons(port);
	if (bind(fd, reinterpret_cast<sockaddr *>(&any), sizeof(any)) || ::listen(fd, 1))
		throw VerbsError("listening on the side channel", errno);
	return Socket(fd);
}

Socket Socket::accept()
{
	int fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
	if (fd < 0)
		throw VerbsError("accept", errno);
	no_delay(fd);
	return Socket(fd);
}

void Socket::send(const std::vector<uint8_t> &message)
{
	auto length = static_cast<uint32_t>(message.size());
	std::vector<uint8_t> bytes(sizeof(length));
	memcpy(bytes.data(), &length, sizeof(length));
	bytes.insert(bytes.end(), message.begin(), message.end());
	for (size_t done = 0; done < bytes.size();) {
		ssize_t n = ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
		if (n <= 0)
			throw VerbsError("side channel", errno);
		done += static_cast<size_t>(n);
	}
}

std::vector<uint8_t> Socket::receive()
{
	uint32_t length = 0;
	if (recv(fd_, &length, sizeof(length), MSG_WAITALL) != sizeof(length))
		throw std::runtime_error("the peer process is gone");
	std::vector<uint8_t> bytes(length);
	if (length && recv(fd_, bytes.data(), length, MSG_WAITALL) != static_cast<ssize_t>(length))
		throw std::runtime_error("the peer process is gone");
	return bytes;
}

} // namespace conformance
