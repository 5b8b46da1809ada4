// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Model test of the transport: requester, completer and responder of two QPs over a bad
// network, against a machine that executes every message once and in order. Prints TAP.
//
//   SRNIC_MODEL_RUNS=n	schedules (20000)
//   SRNIC_MODEL_SEED=n	seed of the first (1); a schedule is a function of its seed
//   SRNIC_MODEL_TRACE=1	tell what every schedule does
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "model/uc.hpp"
#include "model/world.hpp"

namespace {

using namespace model;

constexpr size_t kTraceLines = 100;

struct ModeRow {
	Mode mode;
	const char *name;
	uint32_t share;		// of eight
};

constexpr ModeRow kModes[] = {
	{ Mode::kLossy, "everything completes, once and in order, over a bad network", 5 },
	{ Mode::kCalm, "nothing is sent twice, and no timer needed, if nothing is lost", 1 },
	{ Mode::kExhausting, "retries run out when they are used up, and not before", 1 },
	{ Mode::kRefused, "a refused message fails, and all before it completes", 1 },
};

struct Result {
	uint64_t schedules, failures;

	bool print(size_t number, const char *name) const
	{
		std::printf("%sok %zu - model: %s (%" PRIu64 " schedules)\n",
			    failures ? "not " : "", number, name, schedules);
		return !failures;
	}
};

uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = std::getenv(name);

	return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

size_t mode_of(uint64_t seed)
{
	uint32_t slot = seed % 8;

	for (size_t i = 0;; slot -= kModes[i++].share)
		if (slot < kModes[i].share)
			return i;
}

// Empty if all is well.
std::string try_schedule(uint64_t seed, Mode mode, uint32_t max_messages, Trace &trace, Stats &stats)
{
	try {
		World(seed, mode, max_messages, trace, stats).run();
	} catch (const Failure &failure) {
		return failure.what();
	}
	return {};
}

void print_trace(const Trace &trace)
{
	const size_t skip = trace.lines.size() > kTraceLines ? trace.lines.size() - kTraceLines : 0;

	if (skip)
		std::printf("# ... %zu lines before\n", skip);
	for (size_t i = skip; i < trace.lines.size(); i++)
		std::printf("# %s\n", trace.lines[i].c_str());
}

// The same schedule with as few messages as still fail.
void explain(uint64_t seed, Mode mode, const std::string &problem)
{
	Stats unused{};

	std::printf("# seed %" PRIu64 ": %s\n", seed, problem.c_str());
	for (uint32_t messages = 1; messages <= 64; messages++) {
		Trace trace;
		trace.on = true;
		const std::string still = try_schedule(seed, mode, messages, trace, unused);

		if (still.empty())
			continue;
		std::printf("# with %u messages: %s\n", messages, still.c_str());
		print_trace(trace);
		return;
	}
}

void print_stats(const Stats &s)
{
	std::printf("# %" PRIu64 " s of traffic: %" PRIu64 " packets, %" PRIu64 " lost, %" PRIu64
		    " doubled, %" PRIu64 " reordered\n", s.simulated_ns / 1000000000, s.packets, s.dropped, s.doubled, s.reordered);
	std::printf("# requester: %" PRIu64 " complete, %" PRIu64 " go-backs (%" PRIu64
		    " time-outs, %" PRIu64 " implied NAKs), %" PRIu64 " READs resumed, %" PRIu64
		    " RNR waits, %" PRIu64 " waits for credit, %" PRIu64 " exhausted\n",
		    s.completed, s.go_backs, s.timeouts, s.implied, s.resumed_reads, s.rnr_waits,
		    s.credit_waits, s.exhausted);
	std::printf("# responder: %" PRIu64 " gaps, %" PRIu64 " duplicates, %" PRIu64
		    " READ packets and %" PRIu64 " atomics again, %" PRIu64 " RNR NAKs, %" PRIu64
		    " refused\n", s.gaps, s.duplicates, s.replayed_reads, s.replayed_atomics,
		    s.rnr_naks, s.refused);
}

// A model in which nothing goes wrong proves nothing.
constexpr uint64_t kEnough = 1000;

bool tries_everything(const Stats &s)
{
	const bool everything = s.dropped && s.doubled && s.reordered && s.timeouts && s.implied &&
				s.resumed_reads && s.rnr_waits && s.credit_waits && s.exhausted &&
				s.gaps && s.duplicates && s.replayed_reads && s.replayed_atomics &&
				s.refused;

	if (!everything)
		std::printf("# something was not tried\n");
	return everything;
}

struct Range {
	uint64_t first, runs;
};

// Stops at the third failure: one is enough, some help to see what they share.
constexpr uint64_t kFailures = 3;

bool run_rc(const Range &range, bool tell)
{
	Result results[std::size(kModes)] = {};
	uint64_t failed = 0;
	Stats stats{};

	for (uint64_t i = 0; i < range.runs && failed < kFailures; i++) {
		const uint64_t seed = range.first + i;
		const size_t at = mode_of(seed);
		Trace trace;

		trace.on = tell;
		const std::string problem = try_schedule(seed, kModes[at].mode, UINT32_MAX, trace,
							 stats);
		results[at].schedules++;
		if (tell)
			print_trace(trace);
		if (problem.empty())
			continue;
		results[at].failures++;
		failed++;
		explain(seed, kModes[at].mode, problem);
	}
	print_stats(stats);
	for (size_t i = 0; i < std::size(kModes); i++)
		results[i].print(i + 1, kModes[i].name);
	return !failed && (range.runs < kEnough || tries_everything(stats));
}

bool run_uc(const Range &range)
{
	Result result = {};

	for (uint64_t i = 0; i < range.runs && result.failures < kFailures; i++) {
		result.schedules++;
		try {
			UcWorld(range.first + i).run();
		} catch (const Failure &failure) {
			result.failures++;
			std::printf("# seed %" PRIu64 ": %s\n", range.first + i, failure.what());
		}
	}
	return result.print(std::size(kModes) + 1, "an unreliable message arrives whole, or not");
}

} // namespace

int main()
{
	const Range range = { number("SRNIC_MODEL_SEED", 1), number("SRNIC_MODEL_RUNS", 20000) };

	std::printf("TAP version 13\n# seeds %" PRIu64 " to %" PRIu64 "\n", range.first,
		    range.first + range.runs - 1);
	const bool rc = run_rc(range, number("SRNIC_MODEL_TRACE", 0));
	const bool uc = run_uc(range);
	std::printf("1..%zu\n", std::size(kModes) + 1);
	return !rc || !uc;
}
