// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// syscall_count: which system calls the data path makes. On srnic it must be
// none at all while the engine polls, and one for each post_send when it is
// parked; on other devices it only tells (--any).
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "endpoint.h"
#include "syscall_trace.h"

namespace conformance {
namespace {

constexpr char kParameter[] = "/sys/module/srnic/parameters/engine_poll_us";

enum Kind {
	kPostRecv,
	kPostSrqRecv,
	kPollCq,
	kNotify,
	kPollingSend,
	kPingPong,
	kParkedSend,
	kParkedList
};

struct Subject {
	Kind kind;
	const char *text;
	bool every_round; // or is one round without system calls enough
	long per_operation;
};

constexpr Subject kSubjects[] = {
	{kPostRecv, "post_recv", true, 0},
	{kPostSrqRecv, "post_srq_recv", true, 0},
	{kPollCq, "poll_cq of an empty CQ", true, 0},
	{kNotify, "req_notify_cq", true, 0},
	{kPollingSend, "post_send and poll_cq while the engine polls", false, 0},
	{kPingPong, "ping-pong: post_recv, req_notify_cq, post_send, poll_cq", false, 0},
	{kParkedSend, "post_send while the engine is parked", true, 1},
	{kParkedList, "post_send of a list of 8 while the engine is parked", true, 1},
};

bool set_parameter(const std::string &value)
{
	std::ofstream file(kParameter);
	file << value << std::flush;
	return file.good();
}

/// The two ends and the work; runs in the traced process.
class Workload {
public:
	explicit Workload(int count) : count_(count)
	{
		QpSpec spec;
		spec.channel = true;
		spec.recv_wr = 1024;
		a_ = std::make_unique<LocalEndpoint>(local_device(), spec);
		b_ = std::make_unique<LocalEndpoint>(peer_device(), spec);
		b_->connect(a_->address(), {});
		a_->connect(b_->address(), {});
		near_ = a_->reg(64);
		far_ = b_->reg(64);
		write_.opcode = IBV_WR_RDMA_WRITE;
		write_.sges = {near_.sge()};
		write_.remote_address = far_.address;
		write_.rkey = far_.rkey;
		send_.sges = {near_.sge()};
	}

	void receives()
	{
		ibv_recv_wr wr{}, *bad;
		trace_begin(kPostRecv);
		int done = 0;
		while (done < 1000 && ibv_post_recv(b_->qp.get(), &wr, &bad) == 0)
			done++;
		trace_end(done);
	}
	void shared_receives()
	{
		QpSpec spec;
		spec.srq_wr = 1024;
		LocalEndpoint end(local_device(), spec);
		ibv_recv_wr wr{}, *bad;
		trace_begin(kPostSrqRecv);
		int done = 0;
		while (done < 1000 && ibv_post_srq_recv(end.srq.get(), &wr, &bad) == 0)
			done++;
		trace_end(done);
	}
	void polls()
	{
		ibv_wc wc;
		trace_begin(kPollCq);
		for (int i = 0; i < count_; i++)
			ibv_poll_cq(a_->recv_cq.get(), 1, &wc);
		trace_end(count_);
	}
	void notifications()
	{
		trace_begin(kNotify);
		for (int i = 0; i < count_; i++)
			ibv_req_notify_cq(a_->recv_cq.get(), i & 1);
		trace_end(count_);
	}
	void polling_sends()
	{
		ibv_send_wr wr = a_->work_request(write_);
		post_and_wait(*a_, wr); // wakes the engine, with a kick
		trace_begin(kPollingSend);
		for (int i = 0; i < count_ / 4; i++)
			post_and_wait(*a_, wr);
		trace_end(count_ / 4);
	}
	void ping_pong()
	{
		ibv_send_wr wr = a_->work_request(send_);
		ibv_sge back_sge = far_.sge();
		ibv_send_wr back = wr;
		back.sg_list = &back_sge;
		int rounds = count_ / 8;
		trace_begin(kPingPong);
		for (int i = 0; i < rounds; i++) {
			bounce(*a_, *b_, wr);
			bounce(*b_, *a_, back);
		}
		trace_end(2 * rounds);
	}
	void parked_sends(Kind kind, int list_length)
	{
		std::vector<ibv_send_wr> list(static_cast<size_t>(list_length),
					      a_->work_request(write_));
		for (size_t i = 0; i + 1 < list.size(); i++)
			list[i].next = &list[i + 1];
		usleep(50'000); // the engine has nothing to do and parks
		ibv_send_wr *bad;
		trace_begin(kind);
		int error = ibv_post_send(a_->qp.get(), list.data(), &bad);
		trace_end(1);
		must_be_zero(error, "post_send");
		for (int i = 0; i < list_length; i++)
			wait(a_->send_cq.get());
	}

private:
	void wait(ibv_cq *cq)
	{
		ibv_wc wc;
		// Not poll() of verbs.h: that one yields, which is a system call.
		for (long spins = 0; ibv_poll_cq(cq, 1, &wc) == 0; spins++) {
			if (spins > 500'000'000L)
				throw std::runtime_error("no completion");
		}
		if (wc.status != IBV_WC_SUCCESS)
			throw std::runtime_error(ibv_wc_status_str(wc.status));
	}
	void post_and_wait(LocalEndpoint &end, ibv_send_wr &wr)
	{
		ibv_send_wr *bad;
		must_be_zero(ibv_post_send(end.qp.get(), &wr, &bad), "post_send");
		wait(end.send_cq.get());
	}
	void bounce(LocalEndpoint &from, LocalEndpoint &to, ibv_send_wr &wr)
	{
		ibv_sge sge = &to == a_.get() ? near_.sge() : far_.sge();
		ibv_recv_wr recv{.wr_id = 1, .next = nullptr, .sg_list = &sge, .num_sge = 1}, *bad;
		must_be_zero(ibv_post_recv(to.qp.get(), &recv, &bad), "post_recv");
		must_be_zero(ibv_req_notify_cq(to.recv_cq.get(), 1), "req_notify_cq");
		post_and_wait(from, wr);
		wait(to.recv_cq.get());
	}

	int count_;
	std::unique_ptr<LocalEndpoint> a_, b_;
	Region near_, far_;
	SendSpec write_, send_;
};

int work(int count, bool srnic)
{
	try {
		if (srnic && !set_parameter("10000000"))
			throw std::runtime_error(std::string("cannot write ") + kParameter);
		Workload load(count);
		load.polls();
		load.notifications();
		// Whenever the scheduler wants its processor, the engine parks: then there are
		// kicks in a round, but not in each of many short ones.
		const int rounds = srnic ? 40 : 2;
		for (int round = 0; round < rounds; round++) {
			load.polling_sends();
			load.ping_pong();
		}
		if (srnic)
			set_parameter("0");
		for (int round = 0; round < rounds; round++) {
			load.parked_sends(kParkedSend, 1);
			load.parked_sends(kParkedList, 8);
		}
		load.receives();
		load.shared_receives();
		return 0;
	} catch (const std::exception &error) {
		printf("# %s\n", error.what());
		return 1;
	}
}

/// Prints what the rounds of @subject did; true if that is as it must be.
bool judge(const Subject &subject, const std::vector<TracedPiece> &pieces)
{
	int rounds = 0, good = 0;
	long operations = 0;
	TracedPiece best, sum;
	bool only_kicks = true;
	for (const TracedPiece &piece : pieces) {
		if (piece.kind != subject.kind)
			continue;
		if (!rounds++ || piece.total() < best.total())
			best = piece;
		good += piece.operations > 0 &&
			piece.total() == subject.per_operation * piece.operations;
		only_kicks &= piece.other_than_kicks() == 0;
		operations += piece.operations;
		for (auto [number, count] : piece.calls)
			sum.calls[number] += count;
	}
	printf("# %s: %ld operations in %d rounds, system calls: %s; best round: %ld in %ld\n",
	       subject.text, operations, rounds, sum.text().c_str(), best.total(), best.operations);
	return rounds > 0 && only_kicks && (subject.every_round ? good == rounds : good > 0);
}

int run(bool any, int count)
{
	std::string before;
	std::ifstream(kParameter) >> before;
	bool srnic = !any;
	if (srnic && before.empty()) {
		printf("Bail out! %s is not there (--any for other devices)\n", kParameter);
		return 2;
	}
	// One processor for this process and the traced one, the others for the engine: a
	// tracer beside the engine would have it park, which makes more work for the tracer.
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	int status = 0;
	auto pieces = trace([&] { return work(count, srnic); }, status);
	if (srnic)
		set_parameter(before);
	printf("1..%zu\n", 1 + std::size(kSubjects));
	bool failed = status != 0;
	printf("%sok 1 - %s moves data under trace\n", status ? "not " : "",
	       local_device().name().c_str());
	int number = 1;
	for (const Subject &subject : kSubjects) {
		bool good = judge(subject, pieces) || any;
		failed |= !good;
		printf("%sok %d - %s: %s\n", good ? "" : "not ", ++number, subject.text,
		       any		       ? "counted"
		       : subject.per_operation ? "one system call"
					       : "no system call");
	}
	return failed ? 1 : 0;
}

} // namespace
} // namespace conformance

int main(int argc, char **argv)
{
	bool any = false;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--any")) {
			any = true;
		} else if (!strcmp(argv[i], "--device") && i + 1 < argc) {
			conformance::options().device = argv[++i];
		} else {
			fprintf(stderr, "usage: syscall_count [--any] [--device DEV]\n");
			return 2;
		}
	}
	try {
		return conformance::run(any, any ? 100 : conformance::scaled(1000, 200));
	} catch (const std::exception &error) {
		printf("Bail out! %s\n", error.what());
		return 2;
	}
}
