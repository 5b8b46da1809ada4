// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Destruction behind libibverbs' back: twice, of what never was, of another kind, in the wrong
// order, by several threads at once, and with others that use the object.
#include <sys/mman.h>

#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "hostile.h"
#include "objects.h"
#include "resources.h"
#include "uverbs_file.h"

namespace conformance {
namespace {

/// A DESTROY, DEALLOC, DEREG or CLOSE command: errno.
int destroy(int fd, uint32_t command, uint32_t handle)
{
	// Those that tell of events say where; the others' handle comes first.
	static thread_local uint64_t response[4];
	Command bytes(command);
	switch (command) {
	case IB_USER_VERBS_CMD_DESTROY_CQ:
		bytes.put(ib_uverbs_destroy_cq{reinterpret_cast<uintptr_t>(response), handle, 0});
		return bytes.send(fd, sizeof(ib_uverbs_destroy_cq_resp));
	case IB_USER_VERBS_CMD_DESTROY_QP:
		bytes.put(ib_uverbs_destroy_qp{reinterpret_cast<uintptr_t>(response), handle, 0});
		return bytes.send(fd, sizeof(ib_uverbs_destroy_qp_resp));
	case IB_USER_VERBS_CMD_DESTROY_SRQ:
		bytes.put(ib_uverbs_destroy_srq{reinterpret_cast<uintptr_t>(response), handle, 0});
		return bytes.send(fd, sizeof(ib_uverbs_destroy_srq_resp));
	default:
		bytes.put(handle).put(uint32_t{0});
		return bytes.send(fd, 0);
	}
}

/// What libibverbs keeps of an XRC domain; its public part has no number.
struct XrcDomain {
	ibv_xrcd verbs;
	uint32_t comp_mask;
	uint32_t handle;
};

struct Victim {
	const char *name;
	uint32_t command;
	std::function<uint32_t(const Objects &)> handle;
};

/// In an order in which each one may go.
const std::vector<Victim> &victims()
{
	static const std::vector<Victim> list = {
		{"ah", IB_USER_VERBS_CMD_DESTROY_AH, [](const Objects &o) { return o.ah->handle; }},
		{"rc", IB_USER_VERBS_CMD_DESTROY_QP, [](const Objects &o) { return o.rc->handle; }},
		{"ud", IB_USER_VERBS_CMD_DESTROY_QP, [](const Objects &o) { return o.ud->handle; }},
		{"target", IB_USER_VERBS_CMD_DESTROY_QP,
		 [](const Objects &o) { return o.target->handle; }},
		{"window1", IB_USER_VERBS_CMD_DEALLOC_MW,
		 [](const Objects &o) { return o.window1->handle; }},
		{"window2", IB_USER_VERBS_CMD_DEALLOC_MW,
		 [](const Objects &o) { return o.window2->handle; }},
		{"mr", IB_USER_VERBS_CMD_DEREG_MR, [](const Objects &o) { return o.mr->handle; }},
		{"srq", IB_USER_VERBS_CMD_DESTROY_SRQ,
		 [](const Objects &o) { return o.srq->handle; }},
		{"xrc_srq", IB_USER_VERBS_CMD_DESTROY_SRQ,
		 [](const Objects &o) { return o.xrc_srq->handle; }},
		{"xrcd", IB_USER_VERBS_CMD_CLOSE_XRCD,
		 [](const Objects &o) {
			 return reinterpret_cast<XrcDomain *>(o.xrcd.get())->handle;
		 }},
		{"cq", IB_USER_VERBS_CMD_DESTROY_CQ, [](const Objects &o) { return o.cq->handle; }},
		{"pd", IB_USER_VERBS_CMD_DEALLOC_PD, [](const Objects &o) { return o.pd->handle; }},
	};
	return list;
}

/// The kernel's objects of @o are gone: libibverbs' are to be forgotten, but for the context,
/// whose end takes what is left. A queue that is still mapped would keep its file open.
template <typename T> void forget(std::unique_ptr<T> &o)
{
	T *leaked = o.release();
	for (const UverbsMapping &map : uverbs_mappings()) {
		if (map.fd == leaked->context->cmd_fd)
			munmap(map.start, map.length);
	}
	leaked->context.reset();
}

bool no_such(int error)
{
	return error == ENOENT || error == EINVAL;
}

class HostileDestroyTest : public HostileTest {
protected:
	void SetUp() override { before_ = resources(local_device().name()); }
	void TearDown() override
	{
		HostileTest::TearDown();
		auto after = resources(local_device().name());
		EXPECT_EQ(before_, after)
			<< resources_text(before_) << "became " << resources_text(after);
	}
	std::map<std::string, uint64_t> before_;
};

TEST_F(HostileDestroyTest, Twice)
{
	auto o = std::make_unique<Objects>();
	int fd = o->context->cmd_fd;
	for (const Victim &v : victims()) {
		EXPECT_EQ(destroy(fd, v.command, v.handle(*o)), 0) << v.name;
		for (int i = 0; i < 3; i++) {
			int error = destroy(fd, v.command, v.handle(*o));
			EXPECT_TRUE(no_such(error)) << v.name << " again: " << error;
		}
	}
	forget(o);
}

TEST_F(HostileDestroyTest, WhatNeverWas)
{
	Objects o;
	for (const Victim &v : victims()) {
		for (uint32_t handle : {0x7777u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
			int error = destroy(o.context->cmd_fd, v.command, handle);
			EXPECT_TRUE(no_such(error)) << v.name << " " << handle << ": " << error;
		}
	}
	o.expect_untouched();
}

TEST_F(HostileDestroyTest, OfAnotherKind)
{
	Objects o;
	for (const Victim &v : victims()) {
		for (const Victim &other : victims()) {
			if (v.command == other.command)
				continue;
			int error = destroy(o.context->cmd_fd, v.command, other.handle(o));
			EXPECT_TRUE(no_such(error))
				<< "a " << other.name << " as a " << v.name << ": " << error;
		}
	}
	o.expect_untouched();
}

TEST_F(HostileDestroyTest, OfAnotherContext)
{
	// The stranger has no objects at all, and then a context that is not even one.
	Objects o;
	Context stranger = local_device().open();
	UverbsFile nobody(*o.context);
	for (const Victim &v : victims()) {
		EXPECT_TRUE(no_such(destroy(stranger->cmd_fd, v.command, v.handle(o)))) << v.name;
		EXPECT_NE(destroy(nobody.fd(), v.command, v.handle(o)), 0) << v.name;
	}
	o.expect_untouched();
}

TEST_F(HostileDestroyTest, InTheWrongOrder)
{
	// What others hold is EBUSY, as often as one asks, until they are gone.
	auto o = std::make_unique<Objects>();
	int fd = o->context->cmd_fd;
	ibv_qp_init_attr init = o->qp_attr(IBV_QPT_RC);
	init.srq = o->srq.get();
	Qp with_srq(must(ibv_create_qp(o->pd.get(), &init), "ibv_create_qp"));
	for (const char *held : {"pd", "cq", "srq", "xrcd"}) {
		for (const Victim &v : victims()) {
			if (v.name != std::string(held))
				continue;
			for (int i = 0; i < 3; i++)
				EXPECT_EQ(destroy(fd, v.command, v.handle(*o)), EBUSY) << v.name;
		}
	}
	o->expect_untouched();
	with_srq.reset();
	for (const Victim &v : victims())
		EXPECT_EQ(destroy(fd, v.command, v.handle(*o)), 0) << v.name;
	forget(o);
}

TEST_F(HostileDestroyTest, ByManyAtOnce)
{
	// One of them has destroyed it; no other has.
	for (int round = 0; round < scaled(8, 2); round++) {
		auto o = std::make_unique<Objects>();
		int fd = o->context->cmd_fd;
		for (const Victim &v : victims()) {
			std::atomic<int> done = 0, wrong = 0;
			std::vector<std::thread> threads;
			uint32_t handle = v.handle(*o);
			for (int t = 0; t < 3; t++) {
				threads.emplace_back([&] {
					int error = destroy(fd, v.command, handle);
					done += error == 0;
					// EBUSY: another one is at it.
					wrong += error && !no_such(error) && error != EBUSY;
				});
			}
			for (auto &thread : threads)
				thread.join();
			EXPECT_EQ(done, 1) << v.name;
			EXPECT_EQ(wrong, 0) << v.name;
		}
		forget(o);
	}
}

TEST_F(HostileDestroyTest, WhileOthersUseIt)
{
	// A connected pair with traffic, of which everything is destroyed by hand, in any order and
	// again and again, while threads post, kick, poll, modify, query and resize.
	std::mt19937 random(11);
	for (int round = 0; round < scaled(12, 4); round++) {
		auto end = std::make_unique<LocalEndpoint>(local_device(), QpSpec{});
		auto peer = std::make_unique<LocalEndpoint>(local_device(), QpSpec{});
		PathSpec path;
		path.retry_cnt = 1;
		peer->connect(end->address(), path);
		end->connect(peer->address(), path);
		Region near = end->reg(65536), far = peer->reg(65536);
		int fd = end->context->cmd_fd;
		std::atomic<bool> stop = false;
		std::vector<std::thread> users;
		users.emplace_back([&] {
			while (!stop) {
				SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
				send.remote_address = far.address;
				send.rkey = far.rkey;
				end->post_send(send);
				end->post_recv(1, {near.sge()});
				ibv_wc wc[8];
				ibv_poll_cq(end->send_cq.get(), 8, wc);
			}
		});
		users.emplace_back([&] {
			while (!stop) {
				// A kick and a question for a QP that may be going.
				Command kick(IB_USER_VERBS_CMD_POST_SEND);
				ib_uverbs_post_send core{};
				uint64_t response[8];
				core.response = reinterpret_cast<uintptr_t>(response);
				core.qp_handle = end->qp->handle;
				core.wqe_size = sizeof(ib_uverbs_send_wr);
				kick.put(core).send(fd, sizeof(ib_uverbs_post_send_resp));
				ibv_qp_attr attr{};
				ibv_qp_init_attr init{};
				ibv_query_qp(end->qp.get(), &attr, IBV_QP_STATE, &init);
				ibv_modify_cq_attr moderate{IBV_CQ_ATTR_MODERATE, {4, 4}};
				ibv_modify_cq(end->send_cq.get(), &moderate);
			}
		});
		std::this_thread::sleep_for(Milliseconds(random() % 20));
		const std::pair<uint32_t, uint32_t> objects[] = {
			{IB_USER_VERBS_CMD_DESTROY_QP, end->qp->handle},
			{IB_USER_VERBS_CMD_DESTROY_CQ, end->send_cq->handle},
			{IB_USER_VERBS_CMD_DESTROY_CQ, end->recv_cq->handle},
			{IB_USER_VERBS_CMD_DEREG_MR, end->mr(near)->handle},
			{IB_USER_VERBS_CMD_DEALLOC_PD, end->pd->handle},
		};
		size_t first = random() % std::size(objects);
		for (int pass = 0; pass < 3; pass++) {
			for (size_t i = 0; i < std::size(objects); i++) {
				auto [command, handle] = objects[(first + i) % std::size(objects)];
				int error = destroy(fd, command, handle);
				EXPECT_TRUE(!error || no_such(error) || error == EBUSY) << error;
			}
		}
		stop = true;
		for (auto &user : users)
			user.join();
		// EBUSY was a user's doing; nobody is left who could be the reason.
		for (auto [command, handle] : objects) {
			int error = destroy(fd, command, handle);
			EXPECT_TRUE(!error || no_such(error)) << command << ": " << error;
			EXPECT_TRUE(no_such(destroy(fd, command, handle)));
		}
		forget(end);
	}
}

} // namespace
} // namespace conformance
