// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "report.h"

#include <fnmatch.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "verbs.h"

namespace conformance {

namespace {

char running_test[256];

/// Async-signal-safe: says which test hangs and gives up.
void on_alarm(int)
{
	static const char text[] = "\nBail out! Test hangs: ";
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0 ||
	    write(STDOUT_FILENO, running_test, strlen(running_test)) < 0 ||
	    write(STDOUT_FILENO, "\n", 1) < 0)
		_exit(3);
	_exit(2);
}

std::string full_name(const testing::TestInfo &info)
{
	return std::string(info.test_suite_name()) + "." + info.name();
}

} // namespace

std::vector<ExpectedFailure> read_expected_failures(const std::string &path)
{
	std::vector<ExpectedFailure> list;
	std::ifstream file(path);
	if (!file)
		throw std::runtime_error("cannot read " + path);
	for (std::string line; std::getline(file, line);) {
		std::istringstream words(line);
		ExpectedFailure entry;
		if (!(words >> entry.pattern) || entry.pattern[0] == '#')
			continue;
		std::getline(words >> std::ws, entry.reason);
		if (entry.pattern[0] == '!') {
			entry.pattern.erase(0, 1);
			entry.run = false;
		}
		list.push_back(entry);
	}
	return list;
}

void exclude_deadly(const std::vector<ExpectedFailure> &list)
{
	std::string filter = testing::GTEST_FLAG(filter);
	for (const ExpectedFailure &entry : list) {
		if (entry.run)
			continue;
		filter += (filter.find('-') == std::string::npos ? "-" : ":") + entry.pattern;
		printf("# not run: %s: %s\n", entry.pattern.c_str(), entry.reason.c_str());
	}
	testing::GTEST_FLAG(filter) = filter;
}

Report::Report(std::vector<ExpectedFailure> expected, bool tap)
	: expected_(std::move(expected)), tap_(tap)
{
	signal(SIGALRM, on_alarm);
}

const ExpectedFailure *Report::expectation(const std::string &name) const
{
	for (const ExpectedFailure &entry : expected_) {
		if (fnmatch(entry.pattern.c_str(), name.c_str(), 0) == 0)
			return &entry;
	}
	return nullptr;
}

void Report::OnTestProgramStart(const testing::UnitTest &unit)
{
	if (tap_)
		printf("TAP version 13\n1..%d\n", unit.test_to_run_count());
}

void Report::OnTestStart(const testing::TestInfo &info)
{
	snprintf(running_test, sizeof(running_test), "%s", full_name(info).c_str());
	alarm(quick() ? 600 : 120);
}

void Report::OnTestPartResult(const testing::TestPartResult &result)
{
	if (!tap_ || result.passed())
		return;
	std::istringstream lines(result.message());
	const char *file = result.file_name() ? result.file_name() : "?";
	printf("# %s:%d\n", file, result.line_number());
	for (std::string line; std::getline(lines, line);)
		printf("#   %s\n", line.c_str());
}

void Report::print(const char *verdict, const std::string &name, const std::string &note)
{
	number_++;
	if (!tap_)
		return;
	printf("%s %d - %s%s\n", verdict, number_, name.c_str(), note.c_str());
	fflush(stdout);
}

void Report::OnTestEnd(const testing::TestInfo &info)
{
	alarm(0);
	std::string name = full_name(info);
	if (tap_ && info.result()->elapsed_time() > 1000)
		printf("# %s took %.1f s\n", name.c_str(),
		       static_cast<double>(info.result()->elapsed_time()) / 1000.0);
	const ExpectedFailure *known = expectation(name);
	if (info.result()->Skipped()) {
		skipped_++;
		print("ok", name, " # SKIP");
	} else if (info.result()->Passed()) {
		passed_++;
		print("ok", name, "");
		if (known)
			printf("# %s passed although its failure is expected\n", name.c_str());
	} else if (known) {
		known_++;
		print("not ok", name, " # TODO " + known->reason);
	} else {
		failed_++;
		print("not ok", name, "");
	}
}

void Report::OnTestProgramEnd(const testing::UnitTest &unit)
{
	printf("# conformance: %d passed, %d failed, %d failed as expected, %d skipped in %.1f s\n",
	       passed_, failed_, known_, skipped_,
	       static_cast<double>(unit.elapsed_time()) / 1000.0);
	fflush(stdout);
}

} // namespace conformance
