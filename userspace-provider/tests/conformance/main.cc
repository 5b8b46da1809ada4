// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Main program of srnic_conformance, tests of an RDMA device through the plain
// verbs API, and of srnic_hostile, which is no such nice user.
#include <getopt.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "device.h"
#include "remote.h"
#include "report.h"

namespace {

using conformance::options;

constexpr char kUsage[] =
	"usage: srnic_conformance|srnic_hostile [options] [--gtest_...]\n"
	"  --device DEV      device under test (SRNIC_DEVICE, else the first there is)\n"
	"  --peer DEV        other device, same process (SRNIC_PEER, else loopback on DEV)\n"
	"  --server          be the peer process for --connect\n"
	"  --connect HOST    the peer is the process at HOST: the tests that need two ends\n"
	"  --port N          TCP port of these two\n"
	"  --expected FILE   failures that are known of this device\n"
	"  --plain           print as GoogleTest does, not TAP\n"
	"SRNIC_TEST_SCALE=quick shrinks the tests, SRNIC_TEST_HUGE=1 adds a 2 GiB message,\n"
	"SRNIC_TEST_PATIENCE=MS is how long to wait for what has to happen.\n";

void parse(int argc, char **argv)
{
	static const option long_options[] = {
		{"device", required_argument, nullptr, 'd'},
		{"peer", required_argument, nullptr, 'p'},
		{"server", no_argument, nullptr, 's'},
		{"connect", required_argument, nullptr, 'c'},
		{"port", required_argument, nullptr, 'P'},
		{"tap", no_argument, nullptr, 't'},
		{"plain", no_argument, nullptr, 'T'},
		{"expected", required_argument, nullptr, 'x'},
		{nullptr, 0, nullptr, 0},
	};
	for (int c; (c = getopt_long(argc, argv, "d:p:", long_options, nullptr)) != -1;) {
		switch (c) {
		case 'd':
			options().device = optarg;
			break;
		case 'p':
			options().peer = optarg;
			break;
		case 's':
			options().server = true;
			break;
		case 'c':
			options().connect = optarg;
			break;
		case 'P':
			options().port = static_cast<uint16_t>(atoi(optarg));
			break;
		case 't':
			options().tap = true;
			break;
		case 'T':
			options().tap = false;
			break;
		case 'x':
			options().expected = optarg;
			break;
		default:
			fputs(kUsage, stderr);
			exit(2);
		}
	}
}

int run()
{
	conformance::local_device();
	if (options().server)
		return conformance::serve(options().port);
	if (!options().connect.empty())
		conformance::connect_peer(options().connect, options().port);

	std::vector<conformance::ExpectedFailure> expected;
	if (!options().expected.empty())
		expected = conformance::read_expected_failures(options().expected);
	conformance::exclude_deadly(expected);
	auto *report = new conformance::Report(std::move(expected), options().tap);
	auto &listeners = testing::UnitTest::GetInstance()->listeners();
	if (options().tap)
		delete listeners.Release(listeners.default_result_printer());
	listeners.Append(report); // which owns it from here on
	if (RUN_ALL_TESTS() != 0 && report->status() == 0)
		printf("# only known failures\n");
	if (!options().connect.empty())
		conformance::dismiss_peer();
	return report->status();
}

} // namespace

int main(int argc, char **argv)
{
	testing::InitGoogleTest(&argc, argv);
	parse(argc, argv);
	try {
		return run();
	} catch (const std::exception &error) {
		fprintf(stderr, "%s\n", error.what());
		return 2;
	}
}
