// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Memory regions of DMA buffers.
#include <sys/mman.h>
#include <unistd.h>

#include "dma_buffer.h"
#include "link.h"
#include "uverbs_file.h"

namespace conformance {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kPages = 8;
constexpr uint64_t kBytes = kPages * kPage;

/// What ibv_reg_dmabuf_mr() refuses.
class DmabufTest : public LocalTest {
protected:
	void SetUp() override
	{
		LocalTest::SetUp();
		if (IsSkipped())
			return;
		buffer_ = DmaBuffer::make(kBytes);
		if (!buffer_)
			GTEST_SKIP() << "no driver that exports DMA buffers";
	}

	/// 0, or the errno.
	int try_mr(uint64_t offset, uint64_t length, uint64_t iova, int fd, int access = kAllAccess)
	{
		errno = 0;
		Mr mr(ibv_reg_dmabuf_mr(pd_.get(), offset, length, iova, fd, access));
		return mr ? 0 : errno;
	}
	int try_part(uint64_t offset, uint64_t length)
	{
		return try_mr(offset, length, offset, buffer_->fd());
	}

	std::unique_ptr<DmaBuffer> buffer_;
	Context context_ = local_device().open();
	Pd pd_{must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd")};
};

TEST_F(DmabufTest, EveryPart)
{
	EXPECT_EQ(try_part(0, kBytes), 0);
	EXPECT_EQ(try_part(0, 1), 0);
	EXPECT_EQ(try_part(kBytes - 1, 1), 0);
	EXPECT_EQ(try_part(kPage + 5, 2 * kPage), 0);
}

TEST_F(DmabufTest, NothingOutside)
{
	ASSERT_EQ(try_part(0, kBytes), 0);
	EXPECT_EQ(try_part(0, 0), EINVAL);
	EXPECT_EQ(try_part(0, kBytes + 1), EINVAL);
	EXPECT_EQ(try_part(1, kBytes), EINVAL);
	EXPECT_EQ(try_part(kBytes, 1), EINVAL);
	EXPECT_EQ(try_part(~0ull - kPage + 1, 2 * kPage), EINVAL);
	EXPECT_EQ(try_mr(0, ~0ull, 0, buffer_->fd()), EINVAL);
}

TEST_F(DmabufTest, OtherFiles)
{
	ASSERT_EQ(try_part(0, kBytes), 0);
	EXPECT_EQ(try_mr(0, kBytes, 0, -1), EBADF);
	int fd = memfd_create("conformance", 0);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(ftruncate(fd, kBytes), 0);
	EXPECT_EQ(try_mr(0, kBytes, 0, fd), EINVAL) << "a file, but no DMA buffer";
	close(fd);
	EXPECT_EQ(try_mr(0, kBytes, 0, fd), EBADF);
}

TEST_F(DmabufTest, AddressAndOffsetDifferByPages)
{
	EXPECT_EQ(try_mr(100, 200, 0x7000000064, buffer_->fd()), 0);
	EXPECT_EQ(try_mr(100, 200, 0x7000000000, buffer_->fd()), EINVAL);
}

TEST_F(DmabufTest, EveryCombinationOfFlags)
{
	for (int access = 0; access < 16; access++) {
		bool remote = access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
		int expected = remote && !(access & IBV_ACCESS_LOCAL_WRITE) ? EINVAL : 0;
		EXPECT_EQ(try_mr(0, kBytes, 0, buffer_->fd(), access), expected)
			<< "access " << access;
	}
	EXPECT_EQ(try_mr(0, kBytes, 0, buffer_->fd(), kAllAccess | IBV_ACCESS_RELAXED_ORDERING), 0);
	EXPECT_NE(try_mr(0, kBytes, 0, buffer_->fd(), kAllAccess | IBV_ACCESS_ON_DEMAND), 0);
}

/// The CPU that plays the device has to reach it.
TEST_F(DmabufTest, BuffersThatAreNotForTheCpu)
{
	for (auto kind : {DmaBuffer::Kind::kNoMap, DmaBuffer::Kind::kIo}) {
		auto buffer = DmaBuffer::make(kind, kBytes);
		if (!buffer)
			GTEST_SKIP() << "no srnic_dmabuf_exporter";
		EXPECT_EQ(try_mr(0, kBytes, 0, buffer->fd()), EOPNOTSUPP);
	}
}

/// The region holds what it needs; many of them do.
TEST_F(DmabufTest, OutlivesTheFile)
{
	std::vector<Mr> mrs;
	for (int i = 0; i < 100; i++)
		mrs.emplace_back(
			must(ibv_reg_dmabuf_mr(pd_.get(), 0, kBytes, 0, buffer_->fd(), kAllAccess),
			     "ibv_reg_dmabuf_mr"));
	buffer_.reset();
	mrs.resize(50);
	mrs.clear();
}

/// `b` has a region of a buffer, which begins in the middle of a page.
class DmabufLinkTest : public LinkTest {
protected:
	void SetUp() override
	{
		if (!options().connect.empty())
			GTEST_SKIP() << "needs the peer's verbs objects";
		buffer_ = DmaBuffer::make(kBytes);
		if (!buffer_)
			GTEST_SKIP() << "no driver that exports DMA buffers";
	}

	void open_region(int access = kAllAccess)
	{
		open();
		near_ = a().reg(kLength);
		mr_.reset(must(ibv_reg_dmabuf_mr(peer().pd.get(), kOffset, kLength, kIova,
						 buffer_->fd(), access),
			       "ibv_reg_dmabuf_mr"));
		conformance::fill(buffer_->bytes(), 99);
	}

	void TearDown() override
	{
		mr_.reset();
		if (buffer_) {
			auto rest = buffer_->bytes(0, kOffset);
			EXPECT_EQ(conformance::mismatch(rest, 99), -1) << "in front of the region";
			rest = buffer_->bytes(kOffset + kLength, kBytes - kOffset - kLength);
			EXPECT_EQ(conformance::mismatch(rest, 99, kOffset + kLength), -1)
				<< "behind the region";
		}
	}

	LocalEndpoint &peer() { return static_cast<LocalEndpoint &>(b()); }
	std::span<uint8_t> far() { return buffer_->bytes(kOffset, kLength); }

	SendSpec to(ibv_wr_opcode opcode, uint64_t offset = 0, uint32_t length = kLength)
	{
		SendSpec send{.opcode = opcode, .sges = {near_.sge(0, length)}};
		send.remote_address = kIova + offset;
		send.rkey = mr_->rkey;
		return send;
	}

	/// 0, or the errno.
	int rereg(uint32_t flags, const Memory *memory = nullptr)
	{
		static uint64_t answer[8];
		ib_uverbs_rereg_mr change{};
		change.response = reinterpret_cast<uintptr_t>(answer);
		change.mr_handle = mr_->handle;
		change.flags = flags;
		change.access_flags = kAllAccess;
		if (memory) {
			change.start = change.hca_va = memory->address();
			change.length = kLength;
		}
		Command command(IB_USER_VERBS_CMD_REREG_MR);
		return command.put(change).send(peer().context->cmd_fd,
						sizeof(ib_uverbs_rereg_mr_resp));
	}

	static constexpr uint64_t kOffset = kPage + 72;
	static constexpr uint32_t kLength = 5 * kPage + 16;
	static constexpr uint64_t kIova = 0x123456789000 + 72;

	std::unique_ptr<DmaBuffer> buffer_;
	Region near_;
	Mr mr_;
};

TEST_F(DmabufLinkTest, WriteAndRead)
{
	open_region();
	a().fill(near_.address, kLength, 7);
	complete(to(IBV_WR_RDMA_WRITE));
	EXPECT_EQ(conformance::mismatch(far(), 7), -1);

	conformance::fill(far(), 8);
	complete(to(IBV_WR_RDMA_READ));
	EXPECT_EQ(a().mismatch(near_.address, kLength, 8), -1);
}

TEST_F(DmabufLinkTest, SendAndReceive)
{
	open_region();
	a().fill(near_.address, kLength, 9);
	ASSERT_EQ(b().post_recv(5, {{kIova, kLength, mr_->lkey}}), 0);
	complete({.sges = {near_.sge()}});
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, kLength);
	EXPECT_EQ(conformance::mismatch(far(), 9), -1);

	conformance::fill(far(), 10);
	ASSERT_EQ(a().post_recv(6, {near_.sge()}), 0);
	ASSERT_EQ(b().post_send({.sges = {{kIova, kLength, mr_->lkey}}}), 0);
	EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
	EXPECT_EQ(one(a(), Queue::kReceive).byte_len, kLength);
	EXPECT_EQ(a().mismatch(near_.address, kLength, 10), -1);
}

TEST_F(DmabufLinkTest, Atomics)
{
	open_region();
	uint64_t value = 40;
	memcpy(far().data() + kPage, &value, 8);
	SendSpec add = to(IBV_WR_ATOMIC_FETCH_AND_ADD, kPage, 8);
	add.compare_add = 2;
	complete(add);
	EXPECT_EQ(a().peek64(near_.address), 40u);
	SendSpec swap = to(IBV_WR_ATOMIC_CMP_AND_SWP, kPage, 8);
	swap.compare_add = 42;
	swap.swap = 7;
	complete(swap);
	EXPECT_EQ(a().peek64(near_.address), 42u);
	memcpy(&value, far().data() + kPage, 8);
	EXPECT_EQ(value, 7u);
}

TEST_F(DmabufLinkTest, NoByteInFront)
{
	open_region();
	complete(to(IBV_WR_RDMA_WRITE, ~0ull, 8), IBV_WC_REM_ACCESS_ERR);
}

TEST_F(DmabufLinkTest, NoByteBehind)
{
	open_region();
	complete(to(IBV_WR_RDMA_WRITE, kLength - 7, 8), IBV_WC_REM_ACCESS_ERR);
}

TEST_F(DmabufLinkTest, OnlyTheRightsThatWereGiven)
{
	open_region(IBV_ACCESS_REMOTE_READ);
	complete(to(IBV_WR_RDMA_READ));
	EXPECT_EQ(a().mismatch(near_.address, kLength, 99, kOffset), -1);
	complete(to(IBV_WR_RDMA_WRITE), IBV_WC_REM_ACCESS_ERR);
	EXPECT_EQ(conformance::mismatch(far(), 99, kOffset), -1);
}

TEST_F(DmabufLinkTest, WithoutTheFile)
{
	open_region();
	buffer_->close_file();
	a().fill(near_.address, kLength, 11);
	complete(to(IBV_WR_RDMA_WRITE));
	EXPECT_EQ(conformance::mismatch(far(), 11), -1);
}

TEST_F(DmabufLinkTest, StaleKeyIsRefused)
{
	open_region();
	SendSpec write = to(IBV_WR_RDMA_WRITE);
	mr_.reset();
	complete(write, IBV_WC_REM_ACCESS_ERR);
	EXPECT_EQ(conformance::mismatch(far(), 99, kOffset), -1);
}

TEST_F(DmabufLinkTest, DeregisteredUnderTraffic)
{
	open_region();
	for (int i = 0; i < 32; i++)
		ASSERT_EQ(a().post_send(to(IBV_WR_RDMA_WRITE)), 0);
	mr_.reset();
	EXPECT_EQ(a().poll(Queue::kSend, 32).size(), 32u);
	conformance::fill(buffer_->bytes(), 99);
}

/// libibverbs does not change a region of a buffer; the kernel can be asked to.
TEST_F(DmabufLinkTest, OtherRights)
{
	open_region(IBV_ACCESS_REMOTE_READ);
	if (rereg(IBV_REREG_MR_CHANGE_ACCESS) == EOPNOTSUPP)
		GTEST_SKIP() << "no change of it";
	a().fill(near_.address, kLength, 12);
	complete(to(IBV_WR_RDMA_WRITE));
	EXPECT_EQ(conformance::mismatch(far(), 12), -1);
}

TEST_F(DmabufLinkTest, OtherMemory)
{
	open_region();
	Memory memory(kLength);
	if (rereg(IBV_REREG_MR_CHANGE_TRANSLATION, &memory) == EOPNOTSUPP)
		GTEST_SKIP() << "no change of it";
	buffer_->close_file();
	a().fill(near_.address, kLength, 13);
	SendSpec write = to(IBV_WR_RDMA_WRITE);
	write.remote_address = memory.address();
	complete(write);
	EXPECT_EQ(conformance::mismatch(memory.bytes(), 13), -1);
	EXPECT_EQ(conformance::mismatch(far(), 99, kOffset), -1);
	mr_.reset();
}

} // namespace
} // namespace conformance
