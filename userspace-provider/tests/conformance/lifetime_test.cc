// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Processes that die, fork or leave things behind, and what stays of them: nothing.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "link.h"
#include "resources.h"

namespace conformance {
namespace {

/// What exists on the device under test, as text.
std::string existing()
{
	return resources_text(resources(local_device().name()));
}

/// Nothing more exists than @before.
void expect_nothing_left(const std::string &before)
{
	EXPECT_TRUE(eventually([&] { return existing() == before; }))
		<< "before: " << before << "\nafter: " << existing();
}

/// A process of its own with an endpoint, connected to one of this process.
class Child {
public:
	/// @work runs in the child when it is connected, and must not return early.
	template <typename Work> Child(LocalEndpoint &parent, Work work, const PathSpec &path = {})
	{
		int up[2], down[2];
		if (pipe(up) || pipe(down))
			throw VerbsError("pipe", errno);
		fflush(nullptr);
		pid_ = fork();
		if (pid_ == 0) {
			int status = 1;
			try {
				LocalEndpoint end(peer_device(), parent.spec);
				exchange(up[1], down[0], end.address(), peer_);
				end.connect(peer_, path);
				exchange(up[1], down[0], Address{}, peer_);
				status = work(end);
			} catch (const std::exception &error) {
				fprintf(stderr, "child: %s\n", error.what());
			}
			_exit(status);
		}
		exchange(down[1], up[0], parent.address(), peer_);
		parent.connect(peer_, path);
		Address ready;
		exchange(down[1], up[0], Address{}, ready);
		for (int fd : {up[0], up[1], down[0], down[1]})
			close(fd);
	}
	~Child()
	{
		if (pid_ > 0)
			kill_and_wait();
	}
	int kill_and_wait()
	{
		kill(pid_, SIGKILL);
		return wait();
	}
	int wait()
	{
		int status = -1;
		waitpid(pid_, &status, 0);
		pid_ = -1;
		return status;
	}

private:
	static void exchange(int out, int in, const Address &mine, Address &theirs)
	{
		if (write(out, &mine, sizeof(mine)) != sizeof(mine) ||
		    read(in, &theirs, sizeof(theirs)) != sizeof(theirs))
			throw VerbsError("exchange", errno);
	}

	pid_t pid_ = -1;
	Address peer_;
};

class LifetimeTest : public LocalTest {};

/// Keeps WRITEs in flight to the parent's region until somebody ends the process.
int blast(LocalEndpoint &end, const Region &target)
{
	Region source = end.reg(65536);
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {source.sge()}};
	send.remote_address = target.address;
	send.rkey = target.rkey;
	for (;;) {
		if (end.post_send(send) == ENOMEM)
			end.poll(Queue::kSend, 1);
	}
}

TEST_F(LifetimeTest, KilledWithTrafficInFlight)
{
	std::string before = existing();
	for (int round = 0; round < scaled(5, 2); round++) {
		PathSpec path;
		path.retry_cnt = 2;
		LocalEndpoint parent(local_device(), {});
		Region target = parent.reg(65536);
		parent.poke64(target.address, ~0ull);
		Child child(
			parent, [&](LocalEndpoint &end) { return blast(end, target); }, path);
		EXPECT_TRUE(eventually([&] { return parent.peek64(target.address) != ~0ull; }));
		std::this_thread::sleep_for(Milliseconds(5 * round));
		child.kill_and_wait();
		// The peer's QP is gone: a request to it fails, in bounded time.
		ASSERT_EQ(parent.post_send({.wr_id = 9}), 0);
		auto completions = parent.poll(Queue::kSend, 1);
		ASSERT_EQ(completions.size(), 1u);
		EXPECT_EQ(completions[0].status, IBV_WC_RETRY_EXC_ERR);
	}
	expect_nothing_left(before);
	// And the device still works.
	LocalEndpoint a(local_device(), {}), b(peer_device(), {});
	b.connect(a.address(), {});
	a.connect(b.address(), {});
	ASSERT_EQ(b.post_recv(1, {}), 0);
	ASSERT_EQ(a.post_send({}), 0);
	EXPECT_EQ(b.poll(Queue::kReceive, 1).size(), 1u);
}

TEST_F(LifetimeTest, KilledAsTheTargetOfTraffic)
{
	std::string before = existing();
	{
		PathSpec path;
		path.retry_cnt = 2;
		LocalEndpoint parent(local_device(), {});
		Region source = parent.reg(65536);
		auto *shared = static_cast<Region *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
							  MAP_SHARED | MAP_ANONYMOUS, -1, 0));
		auto offer = [&](LocalEndpoint &end) {
			*shared = end.reg(65536);
			for (;;)
				pause();
			return 0;
		};
		Child child(parent, offer, path);
		EXPECT_TRUE(eventually([&] { return __atomic_load_n(&shared->length, 5) != 0; }));
		SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {source.sge()}};
		send.remote_address = shared->address;
		send.rkey = shared->rkey;
		for (int i = 0; i < 40; i++)
			ASSERT_EQ(parent.post_send(send), 0);
		child.kill_and_wait();
		auto completions = parent.poll(Queue::kSend, 40);
		ASSERT_EQ(completions.size(), 40u) << "every request completes";
		munmap(shared, 4096);
	}
	expect_nothing_left(before);
}

TEST_F(LifetimeTest, ExitWithoutDestroyingAnything)
{
	std::string before = existing();
	pid_t pid = fork();
	if (pid == 0) {
		ibv_context *context = peer_device().open().release();
		ibv_pd *pd = ibv_alloc_pd(context);
		ibv_cq *cq =
			ibv_create_cq(context, 64, nullptr, ibv_create_comp_channel(context), 0);
		static char memory[8192];
		ibv_mr *mr = ibv_reg_mr(pd, memory, sizeof(memory), kAllAccess);
		ibv_qp_init_attr init{};
		init.send_cq = init.recv_cq = cq;
		init.cap = {16, 16, 1, 1, 0};
		init.qp_type = IBV_QPT_RC;
		ibv_qp *qp = ibv_create_qp(pd, &init);
		_exit(cq && mr && qp ? 0 : 1);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	EXPECT_EQ(status, 0);
	expect_nothing_left(before);
}

TEST_F(LifetimeTest, TwoProcessesExchangeData)
{
	LocalEndpoint parent(local_device(), {});
	Region target = parent.reg(10000);
	Child child(parent, [&](LocalEndpoint &end) {
		Region source = end.reg(10000);
		end.fill(source.address, 10000, 21);
		SendSpec send{.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .sges = {source.sge()}};
		send.remote_address = target.address;
		send.rkey = target.rkey;
		end.post_send(send);
		auto got = end.poll(Queue::kSend, 1);
		return got.size() == 1 && got[0].status == IBV_WC_SUCCESS ? 0 : 1;
	});
	ASSERT_EQ(parent.post_recv(1, {}), 0);
	auto got = parent.poll(Queue::kReceive, 1);
	ASSERT_EQ(got.size(), 1u);
	EXPECT_EQ(parent.mismatch(target.address, 10000, 21), -1);
	EXPECT_EQ(child.wait(), 0);
}

TEST_F(LifetimeTest, ForkWithQueuesAndRegions)
{
	// The parent's registered memory stays the device's, although the child shares its pages.
	LocalEndpoint a(local_device(), {}), b(peer_device(), {});
	b.connect(a.address(), {});
	a.connect(b.address(), {});
	Region near = a.reg(8192), far = b.reg(8192);
	a.fill(near.address, 8192, 1);
	fflush(nullptr);
	pid_t pid = fork();
	if (pid == 0) {
		usleep(300'000);
		_exit(0);
	}
	a.fill(near.address, 8192, 2); // copy on write here, while the child lives
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	send.remote_address = far.address;
	send.rkey = far.rkey;
	ASSERT_EQ(a.post_send(send), 0);
	auto got = a.poll(Queue::kSend, 1);
	ASSERT_EQ(got.size(), 1u);
	EXPECT_EQ(got[0].status, IBV_WC_SUCCESS);
	EXPECT_EQ(b.mismatch(far.address, 8192, 2), -1);
	int status = -1;
	waitpid(pid, &status, 0);
	EXPECT_EQ(status, 0);
}

TEST_F(LifetimeTest, MemoryUnmappedWhileRegistered)
{
	LocalEndpoint a(local_device(), {}), b(peer_device(), {});
	b.connect(a.address(), {});
	a.connect(b.address(), {});
	void *map = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fill({static_cast<uint8_t *>(map), 8192}, 4);
	Mr mr(must(ibv_reg_mr(a.pd.get(), map, 8192, kAllAccess), "ibv_reg_mr"));
	munmap(map, 8192);
	Region far = b.reg(8192);
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE};
	send.sges = {{reinterpret_cast<uintptr_t>(map), 8192, mr->lkey}};
	send.remote_address = far.address;
	send.rkey = far.rkey;
	ASSERT_EQ(a.post_send(send), 0);
	auto got = a.poll(Queue::kSend, 1);
	ASSERT_EQ(got.size(), 1u);
	EXPECT_EQ(got[0].status, IBV_WC_SUCCESS) << "pinned pages stay";
	EXPECT_EQ(b.mismatch(far.address, 8192, 4), -1);
}

TEST_F(LifetimeTest, NothingIsLeftOfAllThat)
{
	std::string before = existing();
	{
		LocalEndpoint a(local_device(), {.channel = true}), b(peer_device(), {});
		b.connect(a.address(), {});
		a.connect(b.address(), {});
		EXPECT_NE(existing(), before) << "the counts do count";
	}
	EXPECT_EQ(existing(), before);
}

} // namespace
} // namespace conformance
