// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// What all tests share: the wire, the counters, and those who must not notice anything.
#pragma once

#include <map>
#include <memory>

#include "connection.h"
#include "counters.h"
#include "wire.h"

namespace packets {

struct RigOptions {
	std::string netns = "right"; // where the other end of the wire is
	std::string netdev = "right";
	uint64_t seed = 1;
	uint32_t rounds = 1; // of random tests: a factor
};
RigOptions &rig_options();

/// Two QPs of the device that talk to each other.
class Bystanders {
public:
	Bystanders();
	/// A WRITE, a SEND and a READ. What goes wrong, or "".
	std::string transfer();

private:
	static constexpr uint32_t kMost = 5000;
	LocalEndpoint a_, b_;
	Region near_, far_, back_;
	uint64_t round_ = 0;
};

class Rig {
public:
	Rig();

	/// Kept for the whole run; memory and QP are made once.
	Connection &connection(ibv_qp_type type, Family family);
	/// Sends @frames. Waits for @wanted replies, if so many come, and then for whatever
	/// else comes until a last packet is answered that is sure to be.
	std::vector<Reply> exchange(const std::vector<Bytes> &frames, size_t wanted = 0);
	/// The next packet of the device, which must come.
	Reply next();

	Wire wire;
	Counters counters;
	Bystanders bystanders;

private:
	Bytes marker_frame();
	bool is_marker(const Reply &reply);

	std::map<std::pair<ibv_qp_type, Family>, std::unique_ptr<Connection>> connections_;
	Connection marker_;
	uint32_t marked_ = 0;
	Packet marker_ack_;
	bool dead_ = false;
};

/// Made at its first use.
Rig &rig();

} // namespace packets
