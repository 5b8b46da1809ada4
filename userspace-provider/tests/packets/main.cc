// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Main program of srnic_packets: hand-made packets against a device, good ones and bad ones.
//
// The device's netdev is one end of a veth pair; the other end is in another network
// namespace, where this program answers for two addresses that nobody has (connection.cc).
// scripts/guest/scenarios/packets.sh makes all that.
#include <getopt.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "report.h"
#include "rig.h"

namespace {

using packets::rig_options;

constexpr char kUsage[] =
	"usage: srnic_packets [options] [--gtest_...]\n"
	"  --device DEV      device under test, in this network namespace\n"
	"  --netns NAME      namespace of the other end of its wire (right)\n"
	"  --netdev NAME     interface there (right)\n"
	"  --plain           print as GoogleTest does, not TAP\n"
	"SRNIC_TEST_SCALE=quick shrinks the tests. SRNIC_TEST_SEED=N is where random ones start,\n"
	"SRNIC_TEST_ROUNDS=N makes them N times as long.\n";

bool parse(int argc, char **argv)
{
	static const option long_options[] = {
		{"device", required_argument, nullptr, 'd'},
		{"netns", required_argument, nullptr, 'n'},
		{"netdev", required_argument, nullptr, 'i'},
		{"plain", no_argument, nullptr, 'T'},
		{nullptr, 0, nullptr, 0},
	};
	bool tap = true;
	for (int c; (c = getopt_long(argc, argv, "d:", long_options, nullptr)) != -1;) {
		switch (c) {
		case 'd':
			conformance::options().device = optarg;
			break;
		case 'n':
			rig_options().netns = optarg;
			break;
		case 'i':
			rig_options().netdev = optarg;
			break;
		case 'T':
			tap = false;
			break;
		default:
			fputs(kUsage, stderr);
			exit(2);
		}
	}
	return tap;
}

int run(bool tap)
{
	if (const char *seed = getenv("SRNIC_TEST_SEED"))
		rig_options().seed = strtoull(seed, nullptr, 0);
	if (const char *rounds = getenv("SRNIC_TEST_ROUNDS"))
		rig_options().rounds = static_cast<uint32_t>(strtoul(rounds, nullptr, 0));
	packets::rig();
	auto *report = new conformance::Report({}, tap);
	auto &listeners = testing::UnitTest::GetInstance()->listeners();
	if (tap)
		delete listeners.Release(listeners.default_result_printer());
	listeners.Append(report); // which owns it from here on
	int failed = RUN_ALL_TESTS();
	return failed ? 1 : report->status();
}

} // namespace

int main(int argc, char **argv)
{
	testing::InitGoogleTest(&argc, argv);
	bool tap = parse(argc, argv);
	try {
		return run(tap);
	} catch (const std::exception &error) {
		printf("Bail out! %s\n", error.what());
		return 2;
	}
}
