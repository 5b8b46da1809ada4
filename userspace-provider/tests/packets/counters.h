// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The device's hardware counters: those that tell that something was not as it should be.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace packets {

using Counts = std::map<std::string, uint64_t>;

class Counters {
public:
	explicit Counters(const std::string &device);
	~Counters();
	Counters(const Counters &) = delete;
	Counters &operator=(const Counters &) = delete;

	/// What has been counted since the last call. A packet must have been received
	/// meanwhile: that is how a fresh value is told from the core's copy.
	Counts changes();

private:
	struct Counter {
		std::string name;
		int fd;
		uint64_t value;
	};
	static uint64_t read(const Counter &counter);

	Counter clock_; // counts every packet
	std::vector<Counter> watched_;
};

} // namespace packets
