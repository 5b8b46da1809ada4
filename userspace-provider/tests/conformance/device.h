// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The devices under test, and how the program was asked to run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verbs.h"

namespace conformance {

enum class Family { kIpv4, kIpv6 };

inline const char *family_name(Family family)
{
	return family == Family::kIpv4 ? "IPv4" : "IPv6";
}

constexpr uint8_t kPort = 1;

struct Gid {
	ibv_gid gid;
	uint8_t index;
};

/// An RDMA device by its name. Every open() gives a context of its own.
class Device {
public:
	explicit Device(const std::string &name);

	Context open() const;
	const std::string &name() const { return name_; }
	const ibv_device_attr &attr() const { return attr_; }
	/// Whether ibv_wr_atomic_write() and its opcode are there.
	bool has_atomic_write() const { return (cap_flags_ & kAtomicWriteCap) != 0; }
	ibv_port_attr port() const;
	/// The RoCEv2 GID to use for @family; global IPv6 addresses go first.
	std::optional<Gid> gid(Family family) const;
	std::vector<ibv_gid_entry> gid_table() const;
	/// Name of the netdev that backs the device, from sysfs.
	std::string netdev() const;

private:
	/// IB_UVERBS_DEVICE_ATOMIC_WRITE of newer kernels.
	static constexpr uint64_t kAtomicWriteCap = 1ull << 40;

	std::string name_;
	ibv_device_attr attr_{};
	uint64_t cap_flags_ = 0;
};

struct Options {
	std::string device;   // the first there is if empty
	std::string peer;     // second device of this process; the first one if empty
	std::string connect;  // host of the peer process
	std::string expected; // file of expected failures
	uint16_t port = 18515;
	bool server = false;
	bool tap = true;
};

/// The devices come from SRNIC_DEVICE and SRNIC_PEER until told otherwise.
Options &options();
Device &local_device();
Device &peer_device();

} // namespace conformance
