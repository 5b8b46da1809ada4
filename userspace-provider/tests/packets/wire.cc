// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

namespace packets {

namespace {

/// Until it goes away, this thread is in another network namespace.
class Elsewhere {
public:
	explicit Elsewhere(const std::string &netns)
		: home_(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC))
	{
		int there = open(("/run/netns/" + netns).c_str(), O_RDONLY | O_CLOEXEC);
		if (home_ < 0 || there < 0 || setns(there, CLONE_NEWNET))
			throw VerbsError("network namespace " + netns, errno);
		close(there);
	}
	~Elsewhere()
	{
		if (setns(home_, CLONE_NEWNET))
			perror("back to the network namespace");
		close(home_);
	}
	Elsewhere(const Elsewhere &) = delete;
	Elsewhere &operator=(const Elsewhere &) = delete;

private:
	int home_;
};

std::array<uint8_t, 6> mac_of(const std::string &netdev)
{
	std::ifstream file("/sys/class/net/" + netdev + "/address");
	std::string text;
	std::array<uint8_t, 6> mac{};
	file >> text;
	if (sscanf(text.c_str(), "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1], &mac[2],
		   &mac[3], &mac[4], &mac[5]) != 6)
		throw VerbsError("address of " + netdev, ENODEV);
	return mac;
}

/// Is it an IP packet to the RoCEv2 port?
bool is_roce(const Bytes &ip)
{
	if (ip.empty())
		return false;
	size_t header = ip_header_bytes(ip);
	uint8_t protocol = ip.size() < header + 8 ? 0 : ip[header == 40 ? 6 : 9];
	return protocol == 17 && get16(ip, header + 2) == 4791;
}

} // namespace

Wire::Wire(const std::string &netns, const std::string &netdev, const std::string &device_netdev)
	: device_(mac_of(device_netdev))
{
	Elsewhere elsewhere(netns);
	fd_ = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));
	if (fd_ < 0)
		throw VerbsError("packet socket", errno);
	ifreq request{};
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", netdev.c_str());
	if (ioctl(fd_, SIOCGIFHWADDR, &request))
		throw VerbsError("address of " + netdev, errno);
	memcpy(own_.data(), request.ifr_hwaddr.sa_data, own_.size());

	sockaddr_ll address{};
	address.sll_family = AF_PACKET;
	address.sll_protocol = htons(ETH_P_ALL);
	address.sll_ifindex = static_cast<int>(if_nametoindex(netdev.c_str()));
	if (bind(fd_, reinterpret_cast<sockaddr *>(&address), sizeof(address)))
		throw VerbsError("binding to " + netdev, errno);
	int yes = 1, buffer = 32 << 20;
	if (setsockopt(fd_, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof(yes)) ||
	    setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer)))
		throw VerbsError("packet socket's options", errno);
}

Wire::~Wire()
{
	close(fd_);
}

/// Where a frame goes: the device, or the group that the packet is for.
Wire::Mac Wire::destination_of(const Bytes &ip) const
{
	if (family_of(ip) == Family::kIpv6)
		return ip[24] == 0xff ? Mac{0x33, 0x33, ip[36], ip[37], ip[38], ip[39]} : device_;
	if (ip[16] >> 4 != 0xe)
		return device_;
	return {0x01, 0x00, 0x5e, static_cast<uint8_t>(ip[17] & 0x7f), ip[18], ip[19]};
}

void Wire::send_frame(const Bytes &ip, std::optional<uint16_t> tag, const Bytes &trailer)
{
	Mac to = destination_of(ip);
	Bytes frame(to.size() + own_.size());
	memcpy(frame.data(), to.data(), to.size());
	memcpy(frame.data() + to.size(), own_.data(), own_.size());
	auto append16 = [&](uint16_t value) {
		frame.resize(frame.size() + 2);
		put16(frame, frame.size() - 2, value);
	};
	if (tag) {
		append16(ETH_P_8021Q);
		append16(*tag);
	}
	append16(family_of(ip) == Family::kIpv4 ? ETH_P_IP : ETH_P_IPV6);
	frame.insert(frame.end(), ip.begin(), ip.end());
	frame.insert(frame.end(), trailer.begin(), trailer.end());
	while (::send(fd_, frame.data(), frame.size(), 0) < 0) {
		if (errno != ENOBUFS && errno != EAGAIN)
			throw VerbsError("sending a frame", errno);
		sched_yield();
	}
}

std::optional<Bytes> Wire::receive(Milliseconds timeout)
{
	auto end = std::chrono::steady_clock::now() + timeout;
	while (true) {
		uint8_t frame[16384];
		ssize_t got = recv(fd_, frame, sizeof(frame), MSG_DONTWAIT);
		if (got > ETH_HLEN) {
			Bytes ip(frame + ETH_HLEN, frame + got);
			if (is_roce(ip))
				return ip;
			continue;
		}
		auto left = std::chrono::duration_cast<Milliseconds>(
			end - std::chrono::steady_clock::now());
		if (left.count() <= 0)
			return std::nullopt;
		pollfd fd{fd_, POLLIN, 0};
		::poll(&fd, 1, static_cast<int>(left.count()));
	}
}

} // namespace packets
