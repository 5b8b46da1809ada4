// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The other end of the device's wire: a packet socket in another namespace.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "frame.h"

namespace packets {

class Wire {
public:
	/// @netdev in the namespace /run/netns/@netns, joined to @device_netdev in this one.
	Wire(const std::string &netns, const std::string &netdev, const std::string &device_netdev);
	~Wire();
	Wire(const Wire &) = delete;
	Wire &operator=(const Wire &) = delete;

	void send(const Bytes &ip) { send_frame(ip, {}, {}); }
	/// Behind a VLAN tag.
	void send_tagged(const Bytes &ip, uint16_t tag) { send_frame(ip, tag, {}); }
	/// With bytes behind the packet, as Ethernet pads short frames.
	void send_padded(const Bytes &ip, size_t bytes) { send_frame(ip, {}, Bytes(bytes, 0x5a)); }

	/// The next IP packet that the device sends to the RoCEv2 port.
	std::optional<Bytes> receive(Milliseconds timeout);

private:
	void send_frame(const Bytes &ip, std::optional<uint16_t> tag, const Bytes &trailer);

	using Mac = std::array<uint8_t, 6>;
	Mac destination_of(const Bytes &ip) const;
	Mac own_{}, device_{};
	int fd_ = -1;
};

} // namespace packets
