// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "innocent.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "link.h"

namespace conformance {

struct Innocent::Shared {
	std::atomic<uint64_t> transfers;
	std::atomic<uint64_t> errors;
	std::atomic<bool> ready;
	std::atomic<bool> stop;
};

namespace {

/// One WRITE and one SEND of @size bytes; true if all of both arrives.
bool transfer(LocalEndpoint &a, LocalEndpoint &b, const Region &near, const Region &far,
	      uint32_t size, uint64_t seed)
{
	a.fill(near.address, size, seed);
	if (b.post_recv(seed, {far.sge(size, size)}))
		return false;
	SendSpec write{.wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge(0, size)}};
	write.remote_address = far.address;
	write.rkey = far.rkey;
	if (a.post_send(write) || a.post_send({.wr_id = 2, .sges = {near.sge(0, size)}}))
		return false;
	auto received = b.poll(Queue::kReceive, 1);
	auto sent = a.poll(Queue::kSend, 2);
	return received.size() == 1 && received[0].status == IBV_WC_SUCCESS &&
	       received[0].byte_len == size && received[0].wr_id == seed && sent.size() == 2 &&
	       sent[0].status == IBV_WC_SUCCESS && sent[1].status == IBV_WC_SUCCESS &&
	       b.mismatch(far.address, size, seed) == -1 &&
	       b.mismatch(far.address + size, size, seed) == -1;
}

} // namespace

Innocent::Innocent()
{
	void *map = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared_ = new (map) Shared{};
	fflush(nullptr);
	pid_ = fork();
	if (pid_ == 0) {
		try {
			constexpr uint32_t kMost = 20000;
			LocalEndpoint a(local_device(), {}), b(peer_device(), {});
			b.connect(a.address(), {});
			a.connect(b.address(), {});
			Region near = a.reg(kMost), far = b.reg(2 * kMost);
			shared_->ready = true;
			for (uint64_t seed = 1; !shared_->stop; seed++) {
				auto size = static_cast<uint32_t>(seed * 997 % kMost) + 1;
				(transfer(a, b, near, far, size, seed) ? shared_->transfers
								       : shared_->errors)++;
				if (shared_->errors > 3)
					break;
				usleep(200); // the other one shall have time for its misdeeds
			}
		} catch (const std::exception &error) {
			fprintf(stderr, "innocent process: %s\n", error.what());
			shared_->errors++;
		}
		fflush(nullptr);
		_exit(shared_->errors ? 1 : 0);
	}
	EXPECT_TRUE(eventually([&] { return shared_->ready || shared_->errors; }));
}

Innocent::~Innocent()
{
	shared_->stop = true;
	int status = -1;
	bool ended = eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; });
	if (!ended) {
		kill(pid_, SIGKILL);
		waitpid(pid_, &status, 0);
	}
	EXPECT_EQ(status, 0) << "the innocent process";
	munmap(shared_, sizeof(Shared));
}

uint64_t Innocent::transfers() const
{
	return shared_->transfers;
}

uint64_t Innocent::errors() const
{
	return shared_->errors;
}

bool Innocent::goes_on() const
{
	uint64_t before = transfers();
	return eventually([&] { return errors() || transfers() >= before + 3; }) && !errors();
}

} // namespace conformance
