// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Counts exactly which system calls a piece of code makes: a parent traces
// the process, markers in the code say where a piece begins and ends.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace conformance {

/// What ran between a begin and an end marker.
struct TracedPiece {
	int kind = 0;
	long operations = 0;
	std::map<long, long> calls; // by system call number

	long total() const;
	/// Calls other than those a kick is made of.
	long other_than_kicks() const;
	std::string text() const;
};

/// In the traced process: a piece of @kind begins.
void trace_begin(int kind);
/// It ends, having done @operations operations.
void trace_end(long operations);

/// Runs @work in a traced child process. Returns the pieces in order; @status
/// is the child's exit status.
std::vector<TracedPiece> trace(const std::function<int()> &work, int &status);

} // namespace conformance
