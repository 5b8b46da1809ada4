// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Fixture of all tests. After each of them every byte of memory and every counter is
// accounted for, and those who have nothing to do with it go on undisturbed.
#pragma once

#include "rig.h"

namespace packets {

/// A frame, and what to call it when it does what it should not.
struct Named {
	std::string name;
	Bytes ip;
};

class PacketTest : public testing::Test {
protected:
	void SetUp() override;
	void TearDown() override;

	/// A connection of that kind, fresh from RESET.
	void open(ibv_qp_type type = IBV_QPT_RC, Family family = Family::kIpv4,
		  const PathSpec &path = quiet_path());
	/// The same once more.
	void reopen() { c().connect(c().path()); }
	Connection &c() { return *connection_; }

	/// Timers are off.
	static PathSpec quiet_path();

	/// Bytes never seen before.
	static Bytes data(size_t bytes);

	/// Sends @requests. The device answers @wanted, in this order, and nothing else.
	void expect_replies(const std::vector<Bytes> &requests, const std::vector<Packet> &wanted);
	void expect_replies(const std::vector<Packet> &requests, const std::vector<Packet> &wanted);
	/// The device does nothing about @frames but to count each under @counter.
	void expect_dropped(const std::vector<Named> &frames, const std::string &counter);
	/// As above, each under one of @counters.
	void expect_dropped(const std::vector<Named> &frames,
			    const std::vector<std::string> &counters);
	/// What has been counted since the last time.
	void expect_counts(const Counts &wanted);

	/// Posts a receive into the inbox.
	void post(uint32_t offset, uint32_t bytes);
	/// Exactly one receive completes, successfully, with @payload at @offset of the inbox.
	ibv_wc expect_received(uint32_t offset, const Bytes &payload);
	/// No receive completes.
	void expect_nothing_received();
	void expect_memory();
	void expect_state(ibv_qp_state state);
	/// The connection executes a WRITE and acknowledges it with @msn.
	void expect_alive(uint32_t msn);

private:
	Connection *connection_ = nullptr;
};

/// The fixture for tests of both IP versions.
class FamilyTest : public PacketTest, public testing::WithParamInterface<Family> {
protected:
	void open_family(ibv_qp_type type = IBV_QPT_RC) { open(type, GetParam()); }
};

#define BOTH_FAMILIES(suite)                                                                 \
	INSTANTIATE_TEST_SUITE_P(Over, suite, testing::Values(Family::kIpv4, Family::kIpv6), \
				 [](const auto &info) { return family_name(info.param); })

std::string hex(uint64_t value);

} // namespace packets
