// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Main program of srnic_cm: what librdmacm says of connections that come to nothing.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cm.h"
#include "report.h"

namespace {

int run()
{
	auto *report = new conformance::Report({}, true);
	auto &listeners = testing::UnitTest::GetInstance()->listeners();
	delete listeners.Release(listeners.default_result_printer());
	listeners.Append(report); // which owns it from here on
	const int failed = RUN_ALL_TESTS();
	return failed ? 1 : report->status();
}

void say_ready()
{
	puts("");
	fflush(stdout);
}

/// Somebody else, who is killed some day.
int other(std::string_view role, uint16_t port)
{
	if (role == "client") {
		cm::Client client(port);
		client.connect();
		say_ready();
		pause();
	} else if (role == "server") {
		cm::Server server(1, port);
		say_ready();
		cm::Id request = server.request();
		cm::create_qp(request.get());
		cm::accept(request.get());
		server.channel.expect(RDMA_CM_EVENT_ESTABLISHED);
		say_ready();
		pause();
	}
	return 2;
}

} // namespace

int main(int argc, char **argv)
{
	testing::InitGoogleTest(&argc, argv);
	if (argc != 3 && argc != 5) {
		fputs("usage: srnic_cm ADDRESS ADDRESS-OF-NOBODY [client|server PORT] "
		      "[--gtest_...]\n"
		      "  ADDRESS             of the device under test, on this host\n"
		      "  ADDRESS-OF-NOBODY   behind it; a neighbour entry has made it reachable\n",
		      stderr);
		return 2;
	}
	cm::place() = {argv[1], argv[2]};
	try {
		if (argc == 5)
			return other(argv[3], static_cast<uint16_t>(atoi(argv[4])));
		return run();
	} catch (const std::exception &error) {
		fprintf(stderr, "%s\n", error.what());
		return 2;
	}
}
