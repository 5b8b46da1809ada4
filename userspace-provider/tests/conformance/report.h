// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Judges results against a list of failures that are known of a device,
// prints them (as TAP if asked to), and watches for tests that hang.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace conformance {

/// A line `Suite.Test* reason` of an expectation list; * and ? as in a shell.
/// A line `!Suite.Test* reason` names tests that must not even be run.
struct ExpectedFailure {
	std::string pattern;
	std::string reason;
	bool run = true;
};

std::vector<ExpectedFailure> read_expected_failures(const std::string &path);

/// Takes the tests that must not be run out of GoogleTest's filter.
void exclude_deadly(const std::vector<ExpectedFailure> &list);

class Report : public testing::EmptyTestEventListener {
public:
	Report(std::vector<ExpectedFailure> expected, bool tap);

	void OnTestProgramStart(const testing::UnitTest &unit) override;
	void OnTestStart(const testing::TestInfo &info) override;
	void OnTestPartResult(const testing::TestPartResult &result) override;
	void OnTestEnd(const testing::TestInfo &info) override;
	void OnTestProgramEnd(const testing::UnitTest &unit) override;

	/// Exit status of the program.
	int status() const { return failed_ ? 1 : 0; }

private:
	const ExpectedFailure *expectation(const std::string &name) const;
	void print(const char *verdict, const std::string &name, const std::string &note);

	const std::vector<ExpectedFailure> expected_;
	const bool tap_;
	int number_ = 0;
	int passed_ = 0;
	int failed_ = 0;
	int skipped_ = 0;
	int known_ = 0;
};

} // namespace conformance
