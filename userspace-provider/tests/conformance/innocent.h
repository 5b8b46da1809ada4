// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// A process that only wants to work: it moves data on the same device and
// checks every byte, while another process does what it should not.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace conformance {

class Innocent {
public:
	/// Starts the process; returns when its connection is up.
	Innocent();
	~Innocent();

	/// Messages that arrived intact.
	uint64_t transfers() const;
	/// Anything that went wrong with it.
	uint64_t errors() const;
	/// True when it has moved some messages more, all of them intact.
	bool goes_on() const;

private:
	struct Shared;

	Shared *shared_;
	pid_t pid_ = -1;
};

} // namespace conformance
