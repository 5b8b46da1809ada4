// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Garbage in uverbs commands and in the arguments of mmap().
#include <fcntl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <random>

#include "hostile.h"
#include "uverbs_file.h"

namespace conformance {
namespace {

class HostileCommandTest : public HostileTest {
protected:
	/// A context made by hand.
	std::unique_ptr<UverbsFile> file_with_context()
	{
		auto file = std::make_unique<UverbsFile>(*context_);
		must_be_zero(file->get_context(bytes_of(right_)), "GET_CONTEXT by hand");
		return file;
	}
	int create_cq(int fd, const std::vector<uint8_t> &udata, size_t room = 64)
	{
		Command command(IB_USER_VERBS_CMD_CREATE_CQ);
		ib_uverbs_create_cq core{};
		core.response = reinterpret_cast<uintptr_t>(response_);
		core.cqe = 16;
		core.comp_channel = -1;
		command.put(core).put(udata);
		return command.send(fd, sizeof(ib_uverbs_create_cq_resp) + room);
	}
	int create_qp(int fd, uint32_t pd, uint32_t cq, const std::vector<uint8_t> &udata)
	{
		Command command(IB_USER_VERBS_CMD_CREATE_QP);
		ib_uverbs_create_qp core{};
		core.response = reinterpret_cast<uintptr_t>(response_);
		core.pd_handle = pd;
		core.send_cq_handle = core.recv_cq_handle = cq;
		core.max_send_wr = core.max_recv_wr = 16;
		core.max_send_sge = core.max_recv_sge = 1;
		core.qp_type = IB_UVERBS_QPT_RC;
		command.put(core).put(udata);
		return command.send(fd, sizeof(ib_uverbs_create_qp_resp) + 96);
	}

	Context context_ = local_device().open();
	srnic_alloc_ucontext_cmd right_{0, SRNIC_ABI_VERSION, 0};
	uint64_t response_[64]{};
};

TEST_F(HostileCommandTest, ContextByHandWorks)
{
	EXPECT_EQ(UverbsFile(*context_).get_context(bytes_of(right_)), 0);
}

TEST_F(HostileCommandTest, ContextWithGarbage)
{
	auto refused = [&](const srnic_alloc_ucontext_cmd &wrong) {
		return UverbsFile(*context_).get_context(bytes_of(wrong)) != 0;
	};
	for (uint32_t version : {0u, 2u, 99u, 0xffffffffu}) {
		srnic_alloc_ucontext_cmd wrong = right_;
		wrong.abi_version = version;
		EXPECT_TRUE(refused(wrong)) << "abi_version " << version;
	}
	for (uint32_t mask : {1u, 0x80000000u, 0xffffffffu}) {
		srnic_alloc_ucontext_cmd wrong = right_;
		wrong.comp_mask = mask;
		EXPECT_TRUE(refused(wrong)) << "comp_mask " << mask;
	}
	std::vector<uint8_t> bytes = bytes_of(right_);
	for (size_t length : {size_t{0}, size_t{4}, size_t{8}, bytes.size() - 4}) {
		std::vector<uint8_t> short_one(bytes.begin(),
					       bytes.begin() + static_cast<long>(length));
		EXPECT_NE(UverbsFile(*context_).get_context(short_one), 0) << length << " bytes";
	}
	bytes.resize(bytes.size() + 8, 0xff);
	EXPECT_NE(UverbsFile(*context_).get_context(bytes), 0) << "a tail that is not zero";
}

TEST_F(HostileCommandTest, QueuesWithGarbage)
{
	auto file = file_with_context();
	ASSERT_EQ(create_cq(file->fd(), bytes_of(srnic_create_cq_cmd{})), 0);
	ib_uverbs_create_cq_resp cq;
	memcpy(&cq, response_, sizeof(cq));
	Command alloc(IB_USER_VERBS_CMD_ALLOC_PD);
	alloc.put(reinterpret_cast<uint64_t>(response_));
	ASSERT_EQ(alloc.send(file->fd(), sizeof(ib_uverbs_alloc_pd_resp)), 0);
	ib_uverbs_alloc_pd_resp pd;
	memcpy(&pd, response_, sizeof(pd));
	ASSERT_EQ(
		create_qp(file->fd(), pd.pd_handle, cq.cq_handle, bytes_of(srnic_create_qp_cmd{})),
		0);

	for (uint32_t garbage : {1u, 0x80000000u}) {
		EXPECT_NE(create_cq(file->fd(), bytes_of(srnic_create_cq_cmd{garbage, 0})), 0);
		EXPECT_NE(create_cq(file->fd(), bytes_of(srnic_create_cq_cmd{0, garbage})), 0);
		for (auto wrong :
		     {srnic_create_qp_cmd{garbage, 0}, srnic_create_qp_cmd{0, garbage}})
			EXPECT_NE(
				create_qp(file->fd(), pd.pd_handle, cq.cq_handle, bytes_of(wrong)),
				0);
	}
	// Too little room for the answer: whoever gets it cannot map the queue. Only no harm
	// counts.
	create_cq(file->fd(), bytes_of(srnic_create_cq_cmd{}), 4);
	EXPECT_NE(create_qp(file->fd(), pd.pd_handle + 77, cq.cq_handle, {}), 0);
	EXPECT_NE(create_qp(file->fd(), pd.pd_handle, cq.cq_handle + 77, {}), 0);
}

TEST_F(HostileCommandTest, QueueSizes)
{
	Pd pd(must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd"));
	Cq cq(must(ibv_create_cq(context_.get(), 16, nullptr, nullptr, 0), "ibv_create_cq"));
	std::mt19937 random(7);
	for (int i = 0; i < 200; i++) {
		ibv_qp_init_attr init{};
		init.send_cq = init.recv_cq = cq.get();
		init.qp_type = static_cast<ibv_qp_type>(random() % 12);
		auto garbage = [&] {
			return static_cast<uint32_t>(random() % 3 ? random() % 64 : random());
		};
		init.cap = {garbage(), garbage(), garbage(), garbage(), garbage()};
		Qp qp(ibv_create_qp(pd.get(),
				    &init)); // refused or not: whatever it makes is destroyed
	}
}

TEST_F(HostileCommandTest, MappingsThatAreNotOffered)
{
	open();
	int fd = attacker().context->cmd_fd;
	auto attempt = [](int fd, size_t length, int protection, int flags, off_t offset) {
		void *map = mmap(nullptr, length, protection, flags, fd, offset);
		if (map == MAP_FAILED)
			return false;
		munmap(map, length);
		return true;
	};
	constexpr int kReadWrite = PROT_READ | PROT_WRITE;
	std::mt19937_64 random(3);
	for (int i = 0; i < 300; i++) {
		auto offset = static_cast<off_t>((random() % (1ull << 30)) << 12);
		EXPECT_FALSE(attempt(fd, 4096, kReadWrite, MAP_SHARED, offset | (1ll << 43)));
	}
	std::vector<UverbsMapping> mine;
	for (const UverbsMapping &map : uverbs_mappings()) {
		if (map.fd == fd)
			mine.push_back(map);
	}
	ASSERT_GE(mine.size(), 4u);
	LocalEndpoint stranger(local_device(), {});
	UverbsFile nobody(*context_);
	for (const UverbsMapping &map : mine) {
		SCOPED_TRACE(map.offset);
		EXPECT_FALSE(attempt(fd, map.length + 4096, kReadWrite, MAP_SHARED, map.offset))
			<< "longer than the queue";
		EXPECT_FALSE(
			attempt(fd, map.length, kReadWrite | PROT_EXEC, MAP_SHARED, map.offset));
		void *mapped = mmap(nullptr, map.length, kReadWrite, MAP_SHARED, fd, map.offset);
		ASSERT_NE(mapped, MAP_FAILED) << "a second time";
		EXPECT_NE(mprotect(mapped, map.length, PROT_READ | PROT_EXEC), 0);
		EXPECT_EQ(errno, EACCES) << "executable afterwards";
		munmap(mapped, map.length);
		EXPECT_FALSE(attempt(nobody.fd(), map.length, kReadWrite, MAP_SHARED, map.offset))
			<< "a file without a context";
		// Offsets count for each context: at most the stranger's own queue is there.
		attempt(stranger.context->cmd_fd, map.length, kReadWrite, MAP_SHARED, map.offset);
		attempt(fd, map.length, PROT_READ, MAP_SHARED, map.offset);
		attempt(fd, map.length, kReadWrite, MAP_PRIVATE, map.offset);
		attempt(fd, 4096, kReadWrite, MAP_SHARED, map.offset + 4096);
	}
}

TEST_F(HostileCommandTest, TheSameOffsetIsNotAnothersQueue)
{
	open();
	LocalEndpoint stranger(local_device(), {});
	ASSERT_EQ(attacker().post_recv(0x7365637265740001, {}), 0);
	uint64_t secret = 0x7365637265740001;
	for (const UverbsMapping &map : uverbs_mappings()) {
		if (map.fd != attacker().context->cmd_fd)
			continue;
		void *theirs = mmap(nullptr, map.length, PROT_READ, MAP_SHARED,
				    stranger.context->cmd_fd, map.offset);
		if (theirs == MAP_FAILED)
			continue;
		EXPECT_EQ(memmem(theirs, map.length, &secret, sizeof(secret)), nullptr);
		munmap(theirs, map.length);
	}
}

TEST_F(HostileCommandTest, MappingsOutliveTheirQueues)
{
	open();
	auto bytes = queues().mapping(0);
	void *copy = mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_SHARED,
			  attacker().context->cmd_fd, [&] {
				  for (const UverbsMapping &map : uverbs_mappings()) {
					  if (map.start == bytes.data())
						  return static_cast<off_t>(map.offset);
				  }
				  return off_t{-1};
			  }());
	ASSERT_NE(copy, MAP_FAILED) << "a second mapping of the same queue";
	size_t length = bytes.size();
	open(); // destroys the QP whose queue is still mapped
	memset(copy, 0xff, length);
	munmap(copy, length);
}

TEST_F(HostileCommandTest, PostsThroughTheKernel)
{
	// Work requests do not come this way; a kick does, and what is no kick is refused.
	open();
	for (uint32_t count : {1u, 2u, 0x10000u, 0xffffffffu}) {
		for (uint32_t number : {IB_USER_VERBS_CMD_POST_SEND, IB_USER_VERBS_CMD_POST_RECV}) {
			Command command(number);
			ib_uverbs_post_send core{};
			core.response = reinterpret_cast<uintptr_t>(response_);
			core.qp_handle = attacker().qp->handle;
			core.wr_count = count;
			core.wqe_size = sizeof(ib_uverbs_send_wr);
			command.put(core).zeros(2 * sizeof(ib_uverbs_send_wr));
			EXPECT_NE(command.send(attacker().context->cmd_fd, 8), 0) << count;
		}
	}
	EXPECT_EQ(attacker().state(), IBV_QPS_RTS);
	Command bogus(IB_USER_VERBS_CMD_POST_SEND);
	ib_uverbs_post_send core{};
	core.response = reinterpret_cast<uintptr_t>(response_);
	core.qp_handle = 0x7777;
	core.wqe_size = sizeof(ib_uverbs_send_wr);
	EXPECT_NE(bogus.put(core).send(attacker().context->cmd_fd, 8), 0);
}

TEST_F(HostileCommandTest, RandomWrites)
{
	std::mt19937 random(5);
	for (int i = 0; i < scaled(3000, 400); i++) {
		if (i % 100 == 0)
			context_ = local_device().open();
		Command command(random() % 50 |
				(random() % 8 ? 0 : IB_USER_VERBS_CMD_FLAG_EXTENDED));
		command.put(reinterpret_cast<uint64_t>(response_));
		for (size_t words = random() % 40; words; words--)
			command.put(static_cast<uint32_t>(random() % 2 ? random() : random() % 8));
		command.send(context_->cmd_fd, 4 * (random() % 64));
	}
}

TEST_F(HostileCommandTest, RandomIoctls)
{
	std::mt19937 random(6);
	// Outputs may be as long as a length says.
	std::vector<uint8_t> room(2 * 65536);
	for (int i = 0; i < scaled(5000, 500); i++) {
		size_t count = random() % 9;
		std::vector<uint64_t> call(
			(sizeof(ib_uverbs_ioctl_hdr) + 8 * sizeof(ib_uverbs_attr)) / 8);
		auto &header = *reinterpret_cast<ib_uverbs_ioctl_hdr *>(call.data());
		header.object_id = static_cast<uint16_t>(random() % 18);
		header.method_id = static_cast<uint16_t>(random() % 10);
		header.driver_id = SRNIC_DRIVER_ID;
		header.num_attrs = static_cast<uint16_t>(count);
		header.length =
			static_cast<uint16_t>(sizeof(header) + count * sizeof(ib_uverbs_attr));
		for (size_t n = 0; n < count; n++) {
			ib_uverbs_attr &attr = header.attrs[n];
			attr.attr_id =
				static_cast<uint16_t>(random() % 12 | (random() % 4 ? 0 : 0x1000));
			attr.len =
				static_cast<uint16_t>(random() % 3 ? 8 * (random() % 5) : random());
			attr.flags = random() % 2;
			attr.data = random() % 2 ? reinterpret_cast<uint64_t>(room.data())
						 : random() % 16;
		}
		ioctl(context_->cmd_fd, RDMA_VERBS_IOCTL, call.data());
	}
}

} // namespace
} // namespace conformance
