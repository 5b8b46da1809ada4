// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "syscall_trace.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace conformance {

namespace {

// A prctl that does not exist is a marker.
constexpr unsigned long kMarker = 0x53524e43;
constexpr unsigned long kBegin = 1;
constexpr unsigned long kEnd = 2;

class Tracer {
public:
	explicit Tracer(pid_t pid) : pid_(pid) {}

	int run()
	{
		int status = wait();
		ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
		for (long signal = 0;;) {
			ptrace(PTRACE_SYSCALL, pid_, nullptr, signal);
			status = wait();
			if (WIFEXITED(status) || WIFSIGNALED(status))
				return status;
			signal = 0;
			if (WSTOPSIG(status) == (SIGTRAP | 0x80))
				system_call();
			else
				signal = WSTOPSIG(status);
		}
	}
	std::vector<TracedPiece> pieces;

private:
	int wait() const
	{
		int status = 0;
		while (waitpid(pid_, &status, 0) < 0) {
			if (errno != EINTR)
				throw std::runtime_error("waitpid");
		}
		return status;
	}
	void system_call()
	{
		__ptrace_syscall_info info{};
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof(info), &info) <= 0)
			throw std::runtime_error("PTRACE_GET_SYSCALL_INFO");
		if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
			return;
		auto number = static_cast<long>(info.entry.nr);
		if (number == SYS_prctl && info.entry.args[0] == kMarker)
			return marker(info.entry.args[1], static_cast<long>(info.entry.args[2]));
		if (inside_)
			pieces.back().calls[number]++;
	}
	void marker(unsigned long which, long value)
	{
		inside_ = which == kBegin;
		if (inside_)
			pieces.push_back(
				{.kind = static_cast<int>(value), .operations = 0, .calls = {}});
		else
			pieces.back().operations = value;
	}

	pid_t pid_;
	bool inside_ = false;
};

} // namespace

long TracedPiece::total() const
{
	long sum = 0;
	for (auto [number, count] : calls)
		sum += count;
	return sum;
}

long TracedPiece::other_than_kicks() const
{
	long sum = 0;
	for (auto [number, count] : calls) {
		if (number != SYS_write && number != SYS_ioctl)
			sum += count;
	}
	return sum;
}

std::string TracedPiece::text() const
{
	std::string list;
	for (auto [number, count] : calls) {
		std::string name = number == SYS_write	 ? "write"
				   : number == SYS_ioctl ? "ioctl"
							 : "system call " + std::to_string(number);
		list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + name;
	}
	return list.empty() ? "none" : list;
}

void trace_begin(int kind)
{
	prctl(kMarker, kBegin, kind, 0, 0);
}

void trace_end(long operations)
{
	prctl(kMarker, kEnd, operations, 0, 0);
}

std::vector<TracedPiece> trace(const std::function<int()> &work, int &status)
{
	fflush(nullptr);
	pid_t pid = fork();
	if (pid < 0)
		throw std::runtime_error("fork");
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
		raise(SIGSTOP);
		int result = work();
		fflush(nullptr);
		_exit(result);
	}
	Tracer tracer(pid);
	status = tracer.run();
	return tracer.pieces;
}

} // namespace conformance
