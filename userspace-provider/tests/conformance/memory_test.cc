// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Memory regions: flags, sizes, keys, and what happens when they go away.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "link.h"

namespace conformance {
namespace {

class MemoryTest : public LocalTest {
protected:
	int try_mr(void *start, size_t length, unsigned access) const
	{
		Mr mr(ibv_reg_mr(pd_.get(), start, length, access));
		return mr ? 0 : errno;
	}

	Context context_ = local_device().open();
	Pd pd_{must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd")};
};

TEST_F(MemoryTest, EveryCombinationOfFlags)
{
	Memory memory(8192);
	for (unsigned access = 0; access < 16; access++) {
		// IBA 11.2.8.2: remote write or atomic needs local write.
		bool remote = access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
		int expected = remote && !(access & IBV_ACCESS_LOCAL_WRITE) ? EINVAL : 0;
		EXPECT_EQ(try_mr(memory.data(), 8192, access), expected) << "access " << access;
	}
}

TEST_F(MemoryTest, OptionalFlagsAreIgnored)
{
	Memory memory(4096);
	EXPECT_EQ(try_mr(memory.data(), 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING),
		  0);
}

TEST_F(MemoryTest, HugePagesMayBeExpected)
{
	Memory memory(8192);
	EXPECT_EQ(try_mr(memory.data(), 8192, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_HUGETLB), 0)
		<< "it is a hint";
}

TEST_F(MemoryTest, OnDemandPagingIsRefusedWhereThereIsNone)
{
	ibv_device_attr_ex attr{};
	must_be_zero(ibv_query_device_ex(context_.get(), nullptr, &attr), "query");
	if (attr.odp_caps.general_caps & IBV_ODP_SUPPORT)
		GTEST_SKIP() << "the device has it";
	Memory memory(8192);
	int error = try_mr(memory.data(), 8192, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	// The man page has no errno for it; the kernel's core says EINVAL.
	EXPECT_TRUE(error == EINVAL || error == EOPNOTSUPP) << error;
	EXPECT_NE(try_mr(nullptr, SIZE_MAX, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND), 0)
		<< "all of the address space";
}

/// Only regions with on-demand paging take advice.
TEST_F(MemoryTest, AdviceIsRefusedWithoutOnDemandPaging)
{
	Memory memory(8192);
	Mr mr(must(ibv_reg_mr(pd_.get(), memory.data(), 8192, kAllAccess), "ibv_reg_mr"));
	ibv_sge sge{memory.address(), 8192, mr->lkey};
	for (auto advice : {IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
			    IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT}) {
		int error = ibv_advise_mr(pd_.get(), advice, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1);
		// The man page: no such verb, or no such advice.
		EXPECT_TRUE(error == EOPNOTSUPP || error == ENOTSUP || error == EINVAL) << error;
	}
}

TEST_F(MemoryTest, UnknownFlagsAreRefused)
{
	Memory memory(4096);
	EXPECT_NE(try_mr(memory.data(), 4096, IBV_ACCESS_LOCAL_WRITE | 1u << 15), 0);
}

TEST_F(MemoryTest, MemoryThatIsNotThere)
{
	void *hole = mmap(nullptr, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(hole, 8192);
	EXPECT_EQ(try_mr(hole, 4096, IBV_ACCESS_LOCAL_WRITE), EFAULT);
	EXPECT_NE(try_mr(reinterpret_cast<void *>(~0xfffull), 8192, IBV_ACCESS_LOCAL_WRITE), 0);
	EXPECT_NE(try_mr(reinterpret_cast<void *>(0x1000), SIZE_MAX - 0x800, 0), 0);
}

TEST_F(MemoryTest, ReadOnlyMemory)
{
	void *map = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT_EQ(try_mr(map, 4096, 0), 0);
	EXPECT_NE(try_mr(map, 4096, IBV_ACCESS_LOCAL_WRITE), 0);
	munmap(map, 4096);
}

TEST_F(MemoryTest, ZeroLength)
{
	Memory memory(4096);
	EXPECT_EQ(try_mr(memory.data(), 0, static_cast<unsigned>(kAllAccess)), 0);
}

TEST_F(MemoryTest, SizesAroundPages)
{
	Memory memory(5 * 4096);
	for (size_t length : {1, 4095, 4096, 4097, 8191, 8193, 20000}) {
		Mr mr(ibv_reg_mr(pd_.get(), memory.data() + 3, length, kAllAccess));
		ASSERT_TRUE(mr) << length;
		EXPECT_EQ(mr->length, length);
		EXPECT_EQ(mr->addr, memory.data() + 3);
	}
}

TEST_F(MemoryTest, KeysAreDistinct)
{
	Memory memory(4096);
	std::set<uint32_t> keys;
	std::vector<Mr> mrs;
	for (int i = 0; i < scaled(500, 100); i++) {
		mrs.emplace_back(
			must(ibv_reg_mr(pd_.get(), memory.data(), 4096, kAllAccess), "ibv_reg_mr"));
		EXPECT_TRUE(keys.insert(mrs.back()->rkey).second);
	}
}

TEST_F(MemoryTest, KeysAreNotReusedAtOnce)
{
	Memory memory(4096);
	std::set<uint32_t> keys;
	for (int i = 0; i < 16; i++) {
		Mr mr(must(ibv_reg_mr(pd_.get(), memory.data(), 4096, kAllAccess), "ibv_reg_mr"));
		EXPECT_TRUE(keys.insert(mr->rkey).second) << "a stale key would work again";
	}
}

TEST_F(MemoryTest, LargeRegion)
{
	size_t length = size_t{scaled(256u, 32u)} << 20;
	void *map = mmap(nullptr, length, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(map, MAP_FAILED);
	EXPECT_EQ(try_mr(map, length, static_cast<unsigned>(kAllAccess)), 0);
	munmap(map, length);
}

TEST_F(MemoryTest, SharedFileMemory)
{
	int fd = memfd_create("conformance", 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(ftruncate(fd, 65536), 0);
	void *map = mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(map, MAP_FAILED);
	EXPECT_EQ(try_mr(map, 65536, static_cast<unsigned>(kAllAccess)), 0);
	munmap(map, 65536);
	close(fd);
}

TEST_F(MemoryTest, IoVirtualAddress)
{
	Memory memory(8192);
	Mr mr(ibv_reg_mr_iova(pd_.get(), memory.data(), 8192,
			      0x10000 + reinterpret_cast<uintptr_t>(memory.data()) % 4096,
			      kAllAccess));
	ASSERT_TRUE(mr) << strerror(errno);
}

class MemoryLinkTest : public LinkTest {};

TEST_F(MemoryLinkTest, PeerAddressesAnIoVirtualAddress)
{
	open();
	if (!options().connect.empty())
		GTEST_SKIP() << "needs the peer's verbs objects";
	auto &peer = static_cast<LocalEndpoint &>(b());
	Memory memory(8192);
	uint64_t iova = 0x7000000000 + memory.address() % 4096;
	Mr mr(must(ibv_reg_mr_iova(peer.pd.get(), memory.data(), 8192, iova, kAllAccess),
		   "ibv_reg_mr_iova"));
	Region near = a().reg(100);
	a().fill(near.address, 100, 5);
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	send.remote_address = iova + 5000;
	send.rkey = mr->rkey;
	complete(send);
	EXPECT_EQ(mismatch(memory.bytes().subspan(5000, 100), 5), -1);
}

/// Programs wait for the last bytes of a message. That works in any case; a QP whose
/// data is said to be in order would show each of its bytes in that order.
TEST_F(MemoryLinkTest, LastBytesComeLast)
{
	open();
	if (!options().connect.empty())
		GTEST_SKIP() << "needs the peer's memory";
	auto &peer = static_cast<LocalEndpoint &>(b());
	for (auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND})
		EXPECT_EQ(ibv_query_qp_data_in_order(peer.qp.get(), opcode, 0), 0)
			<< "within a packet it is memcpy()'s order";
	constexpr uint64_t kLength = 20000;
	Region near = a().reg(kLength), far = b().reg(kLength);
	auto *bytes = reinterpret_cast<uint8_t *>(far.address);
	auto *last = reinterpret_cast<volatile uint8_t *>(bytes + kLength - 1);
	for (uint64_t seed = 1; seed <= scaled(300u, 20u); seed++) {
		uint8_t value = static_cast<uint8_t>(seed);
		memset(reinterpret_cast<void *>(near.address), value, kLength);
		SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
		send.remote_address = far.address;
		send.rkey = far.rkey;
		ASSERT_EQ(a().post_send(send), 0);
		ASSERT_TRUE(eventually([&] { return *last == value; }));
		std::atomic_thread_fence(std::memory_order_acquire);
		ASSERT_EQ(std::count(bytes, bytes + kLength, value), long{kLength});
		ASSERT_EQ(one(a(), Queue::kSend).status, IBV_WC_SUCCESS);
	}
}

TEST_F(MemoryLinkTest, StaleRemoteKeyIsRefused)
{
	open();
	Region near = a().reg(64), far = b().reg(64);
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	send.remote_address = far.address;
	send.rkey = far.rkey;
	complete(send);
	EXPECT_EQ(b().dereg(far), 0);
	complete(send, IBV_WC_REM_ACCESS_ERR);
}

TEST_F(MemoryLinkTest, StaleLocalKeyIsRefused)
{
	open();
	Region near = a().reg(64);
	ASSERT_EQ(a().dereg(near), 0);
	complete({.sges = {near.sge()}}, IBV_WC_LOC_PROT_ERR);
}

TEST_F(MemoryLinkTest, DeregisteredUnderTraffic)
{
	open();
	Region near = a().reg(65536), far = b().reg(65536);
	SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	send.remote_address = far.address;
	send.rkey = far.rkey;
	for (int i = 0; i < 32; i++)
		ASSERT_EQ(a().post_send(send), 0);
	EXPECT_EQ(b().dereg(far), 0);
	auto completions = a().poll(Queue::kSend, 32);
	ASSERT_EQ(completions.size(), 32u) << "every request completes";
	bool failed = false;
	for (const ibv_wc &wc : completions) {
		if (wc.status == IBV_WC_SUCCESS) {
			EXPECT_FALSE(failed) << "a success behind an error";
		} else {
			EXPECT_EQ(wc.status, failed ? IBV_WC_WR_FLUSH_ERR : IBV_WC_REM_ACCESS_ERR);
			failed = true;
		}
	}
}

} // namespace
} // namespace conformance
