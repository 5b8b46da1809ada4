// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "counters.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "verbs.h"

namespace packets {

namespace {

constexpr const char *kWatched[] = {
	"rx_malformed",	  "rx_bad_icrc",
	"rx_no_qp",	  "rx_bad_qp_state",
	"rx_bad_address", "rx_bad_service",
	"rx_bad_pkey",	  "rx_bad_qkey",
	"rx_ud_dropped",  "rx_uc_dropped",
	"rx_duplicate",	  "rx_out_of_sequence",
	"rx_ghost_ack",	  "rx_response_queue_full",
	"tx_nak_seq",	  "tx_nak_rnr",
	"tx_nak_error",	  "rx_nak_seq",
	"rx_nak_rnr",	  "rx_nak_error",
	"retry_timeout",  "retry_implied_nak",
	"retry_exceeded", "rnr_retry_exceeded",
	"cq_overruns",	  "bad_wqe",
	"bad_index",
};

} // namespace

Counters::Counters(const std::string &device)
{
	std::string dir = "/sys/class/infiniband/" + device + "/ports/1/hw_counters/";
	auto counter = [&](const char *name) {
		int fd = open((dir + name).c_str(), O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			throw conformance::VerbsError(dir + name, errno);
		Counter fresh{name, fd, 0};
		fresh.value = read(fresh);
		return fresh;
	};
	// How long the core hands out its copy; the next tick is soon enough for us.
	std::ofstream(dir + "lifespan") << 0 << std::endl;
	clock_ = counter("rx_packets");
	for (const char *name : kWatched)
		watched_.push_back(counter(name));
}

Counters::~Counters()
{
	close(clock_.fd);
	for (const Counter &counter : watched_)
		close(counter.fd);
}

uint64_t Counters::read(const Counter &counter)
{
	char text[32] = {};
	if (pread(counter.fd, text, sizeof(text) - 1, 0) <= 0)
		throw conformance::VerbsError("counter " + counter.name, errno);
	return strtoull(text, nullptr, 10);
}

Counts Counters::changes()
{
	auto end = std::chrono::steady_clock::now() + conformance::patience();
	uint64_t now;
	while ((now = read(clock_)) == clock_.value) {
		if (std::chrono::steady_clock::now() > end)
			throw std::runtime_error("counters stand still");
		usleep(1000);
	}
	clock_.value = now;

	Counts changes;
	for (Counter &counter : watched_) {
		uint64_t value = read(counter);
		if (value != counter.value)
			changes[counter.name] = value - counter.value;
		counter.value = value;
	}
	return changes;
}

} // namespace packets
