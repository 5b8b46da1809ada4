// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Registrations that change, alone and under traffic; and how else to register.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "link.h"

namespace conformance {
namespace {

constexpr int kTranslation = IBV_REREG_MR_CHANGE_TRANSLATION;
constexpr int kPd = IBV_REREG_MR_CHANGE_PD;
constexpr int kAccess = IBV_REREG_MR_CHANGE_ACCESS;
constexpr size_t kBytes = 16384;

/// `a` accesses a region of `b` that changes.
class ReregTest : public LinkTest {
protected:
	void SetUp() override
	{
		if (!options().connect.empty())
			GTEST_SKIP() << "needs the peer's verbs objects";
	}

	void open_region(int access = kAllAccess)
	{
		mr_.reset();
		other_pd_.reset();
		open();
		near_ = a().reg(kBytes);
		other_pd_.reset(must(ibv_alloc_pd(peer().context.get()), "ibv_alloc_pd"));
		mr_.reset(must(ibv_reg_mr(peer().pd.get(), memory_.data(), kBytes,
					  static_cast<unsigned>(access)),
			       "ibv_reg_mr"));
		if (ibv_rereg_mr(mr_.get(), kAccess, nullptr, nullptr, 0, access) &&
		    errno == EOPNOTSUPP)
			supported_ = false;
	}

	void TearDown() override
	{
		mr_.reset();
		other_pd_.reset();
	}

	LocalEndpoint &peer() { return static_cast<LocalEndpoint &>(b()); }

	/// 0, or the errno.
	int rereg(int flags, int access = kAllAccess, ibv_pd *pd = nullptr,
		  Memory *memory = nullptr, size_t length = kBytes)
	{
		int error = ibv_rereg_mr(mr_.get(), flags, pd,
					 memory ? memory->data() : nullptr, length, access);
		return error ? errno : 0;
	}

	SendSpec to(const Memory &memory, ibv_wr_opcode opcode = IBV_WR_RDMA_WRITE) const
	{
		SendSpec send{.opcode = opcode, .sges = {near_.sge()}};
		send.remote_address = memory.address();
		send.rkey = mr_->rkey;
		return send;
	}

	void expect_write(const Memory &memory)
	{
		static uint64_t seed = 1;
		a().fill(near_.address, kBytes, ++seed);
		complete(to(memory));
		EXPECT_EQ(conformance::mismatch(memory.bytes(), seed), -1);
	}

	void expect_refused(const Memory &memory, ibv_wr_opcode opcode = IBV_WR_RDMA_WRITE)
	{
		complete(to(memory, opcode), IBV_WC_REM_ACCESS_ERR);
	}

	Memory memory_{kBytes, 3};
	Memory second_{kBytes, 3};
	Region near_;
	Pd other_pd_;
	Mr mr_;
	bool supported_ = true;
};

#define OPEN_REGION(...)                                           \
	do {                                                       \
		open_region(__VA_ARGS__);                          \
		if (!supported_)                                   \
			GTEST_SKIP() << "no ibv_rereg_mr";         \
	} while (0)

TEST_F(ReregTest, MoreRights)
{
	OPEN_REGION(IBV_ACCESS_LOCAL_WRITE);
	ASSERT_EQ(rereg(kAccess), 0);
	expect_write(memory_);
	complete(to(memory_, IBV_WR_RDMA_READ));
}

TEST_F(ReregTest, FewerRights)
{
	OPEN_REGION();
	expect_write(memory_);
	ASSERT_EQ(rereg(kAccess, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ), 0);
	complete(to(memory_, IBV_WR_RDMA_READ));
	expect_refused(memory_);
}

/// What was pinned for reading is to be written to.
TEST_F(ReregTest, FromReadingToWriting)
{
	OPEN_REGION(IBV_ACCESS_REMOTE_READ);
	complete(to(memory_, IBV_WR_RDMA_READ));
	ASSERT_EQ(rereg(kAccess), 0);
	expect_write(memory_);
}

TEST_F(ReregTest, PostedReceivesAreAffected)
{
	OPEN_REGION();
	ASSERT_EQ(b().post_recv(1, {{memory_.address(), 64, mr_->lkey}}), 0);
	ASSERT_EQ(rereg(kAccess, 0), 0);
	complete({.sges = {near_.sge(0, 64)}}, IBV_WC_REM_OP_ERR);
	EXPECT_EQ(one(b(), Queue::kReceive).status, IBV_WC_LOC_PROT_ERR);
}

TEST_F(ReregTest, AnotherDomain)
{
	OPEN_REGION();
	ASSERT_EQ(rereg(kPd, 0, other_pd_.get()), 0);
	EXPECT_EQ(mr_->pd, other_pd_.get());
	EXPECT_NE(ibv_dealloc_pd(other_pd_.get()), 0) << "the region is in it";
	ASSERT_EQ(rereg(kPd, 0, peer().pd.get()), 0);
	expect_write(memory_);
	ASSERT_EQ(rereg(kPd, 0, other_pd_.get()), 0);
	expect_refused(memory_);
}

TEST_F(ReregTest, OtherMemory)
{
	OPEN_REGION();
	expect_write(memory_);
	if (rereg(kTranslation, 0, nullptr, &second_))
		GTEST_SKIP() << "no change of translation";
	EXPECT_EQ(mr_->addr, second_.data());
	expect_write(second_);
	expect_refused(memory_);
}

TEST_F(ReregTest, OfOtherLength)
{
	OPEN_REGION();
	if (rereg(kTranslation, 0, nullptr, &memory_, kBytes / 2))
		GTEST_SKIP() << "no change of translation";
	EXPECT_EQ(mr_->length, kBytes / 2);
	SendSpec send = to(memory_);
	send.sges = {near_.sge(0, kBytes / 2)};
	complete(send);
	send.sges = {near_.sge(0, kBytes / 2 + 1)};
	complete(send, IBV_WC_REM_ACCESS_ERR);
}

TEST_F(ReregTest, AllAtOnce)
{
	OPEN_REGION(IBV_ACCESS_LOCAL_WRITE);
	ASSERT_EQ(rereg(kPd, 0, other_pd_.get()), 0);
	if (rereg(kPd | kAccess | kTranslation, kAllAccess, peer().pd.get(), &second_))
		GTEST_SKIP() << "no change of translation";
	expect_write(second_);
}

/// A region whose change fails is as it was.
TEST_F(ReregTest, Failures)
{
	OPEN_REGION();
	EXPECT_NE(rereg(0), 0);
	EXPECT_NE(rereg(1 << 7), 0);
	EXPECT_EQ(rereg(kAccess, IBV_ACCESS_REMOTE_WRITE), EINVAL);
	EXPECT_NE(rereg(kAccess, IBV_ACCESS_LOCAL_WRITE | 1 << 15), 0);
	EXPECT_NE(rereg(kAccess, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND), 0);
	expect_write(memory_);

	void *hole = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(hole, kBytes);
	EXPECT_NE(ibv_rereg_mr(mr_.get(), kTranslation, nullptr, hole, kBytes, 0), 0);
	EXPECT_NE(ibv_rereg_mr(mr_.get(), kTranslation | kPd, other_pd_.get(), hole, kBytes, 0),
		  0);
	expect_write(memory_);
	EXPECT_EQ(ibv_dealloc_pd(other_pd_.release()), 0) << "the region did not go there";
}

TEST_F(ReregTest, NotUnderAWindow)
{
	if (!(local_device().attr().device_cap_flags & IBV_DEVICE_MEM_WINDOW))
		GTEST_SKIP() << "no windows";
	OPEN_REGION(kAllAccess | IBV_ACCESS_MW_BIND);
	Mw mw(must(ibv_alloc_mw(peer().pd.get(), IBV_MW_TYPE_1), "ibv_alloc_mw"));
	ibv_mw_bind bind{1, IBV_SEND_SIGNALED,
			 {mr_.get(), memory_.address(), 64, IBV_ACCESS_REMOTE_READ}};
	ASSERT_EQ(ibv_bind_mw(peer().qp.get(), mw.get(), &bind), 0);
	ASSERT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
	if (!rereg(kAccess, 0))
		GTEST_SKIP() << "this device does it";
	expect_write(memory_);
	mw.reset();
	EXPECT_EQ(rereg(kAccess, kAllAccess), 0);
	expect_write(memory_);
}

/// There is no moment at which it is not the one or the other.
TEST_F(ReregTest, UnderTraffic)
{
	OPEN_REGION();
	const bool translates = rereg(kTranslation, 0, nullptr, &memory_) == 0;
	size_t done = 0, posted = 0;
	const size_t total = scaled<size_t>(400, 60);
	a().fill(near_.address, kBytes, 99);
	for (int round = 0; done < total; round++) {
		while (posted < total && posted - done < 32) {
			ASSERT_EQ(a().post_send(to(memory_, posted % 2 ? IBV_WR_RDMA_WRITE :
									 IBV_WR_RDMA_READ)),
				  0);
			posted++;
		}
		ASSERT_EQ(rereg(kAccess, round % 2 ? kAllAccess :
						     kAllAccess | IBV_ACCESS_RELAXED_ORDERING),
			  0);
		if (translates) {
			ASSERT_EQ(rereg(kTranslation, 0, nullptr, &memory_), 0);
		}
		for (const ibv_wc &wc : a().poll(Queue::kSend, 1)) {
			ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
			done++;
		}
	}
}

/// Another handle on the same device, protection domain and region.
class ImportTest : public LocalTest {};

TEST_F(ImportTest, DeviceDomainAndRegion)
{
	Context context = local_device().open();
	Pd pd(must(ibv_alloc_pd(context.get()), "ibv_alloc_pd"));
	Memory memory(8192);
	Mr mr(must(ibv_reg_mr(pd.get(), memory.data(), 8192, kAllAccess), "ibv_reg_mr"));

	int fd = dup(context->cmd_fd);
	ASSERT_GE(fd, 0);
	Context second(ibv_import_device(fd));
	if (!second) {
		close(fd);
		GTEST_SKIP() << "no ibv_import_device: " << strerror(errno);
	}
	ibv_pd *imported = ibv_import_pd(second.get(), pd->handle);
	ASSERT_TRUE(imported) << strerror(errno);
	ibv_mr *region = ibv_import_mr(imported, mr->handle);
	ASSERT_TRUE(region) << strerror(errno);
	EXPECT_EQ(region->lkey, mr->lkey);
	EXPECT_EQ(region->rkey, mr->rkey);
	EXPECT_EQ(region->length, mr->length);
	EXPECT_EQ(ibv_import_mr(imported, 0x7fffffff), nullptr);

	// Objects of the second handle's own.
	Cq cq(must(ibv_create_cq(second.get(), 16, nullptr, nullptr, 0), "ibv_create_cq"));
	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = cq.get();
	init.cap = {4, 4, 1, 1, 0};
	init.qp_type = IBV_QPT_RC;
	Qp qp(must(ibv_create_qp(imported, &init), "ibv_create_qp"));
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_ERR;
	ibv_sge sge{memory.address(), 64, region->lkey};
	ibv_recv_wr wr{7, nullptr, &sge, 1}, *bad = nullptr;
	ibv_qp_attr to_init{};
	to_init.qp_state = IBV_QPS_INIT;
	to_init.port_num = kPort;
	ASSERT_EQ(ibv_modify_qp(qp.get(), &to_init,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					IBV_QP_ACCESS_FLAGS),
		  0);
	ASSERT_EQ(ibv_post_recv(qp.get(), &wr, &bad), 0);
	ASSERT_EQ(ibv_modify_qp(qp.get(), &attr, IBV_QP_STATE), 0);
	auto completions = poll(cq.get(), 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].wr_id, 7u);
	qp.reset();
	cq.reset();
	ibv_unimport_mr(region);
	ibv_unimport_pd(imported);
	second.reset();

	// The first one is none the worse for it.
	Mr again(must(ibv_reg_mr(pd.get(), memory.data(), 8192, kAllAccess), "ibv_reg_mr"));
}

/// What a device does not have it refuses with the right number.
class RegistrationTest : public LocalTest {
protected:
	Context context_ = local_device().open();
	Pd pd_{must(ibv_alloc_pd(context_.get()), "ibv_alloc_pd")};
	Memory memory_{8192};

	bool on_demand() const
	{
		ibv_device_attr_ex attr{};
		return !ibv_query_device_ex(context_.get(), nullptr, &attr) &&
		       attr.odp_caps.general_caps & IBV_ODP_SUPPORT;
	}
};

TEST_F(RegistrationTest, OnDemandOnlyIfOffered)
{
	if (on_demand())
		GTEST_SKIP() << "it has on-demand paging";
	EXPECT_EQ(ibv_reg_mr(pd_.get(), memory_.data(), 8192,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND),
		  nullptr);
	EXPECT_TRUE(errno == EINVAL || errno == EOPNOTSUPP) << strerror(errno);
	EXPECT_EQ(ibv_reg_mr(pd_.get(), nullptr, SIZE_MAX,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND),
		  nullptr);
	Mr mr(must(ibv_reg_mr(pd_.get(), memory_.data(), 8192, IBV_ACCESS_LOCAL_WRITE),
		   "ibv_reg_mr"));
	ibv_sge sge{memory_.address(), 8192, mr->lkey};
	EXPECT_EQ(ibv_advise_mr(pd_.get(), IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), EOPNOTSUPP);
}

TEST_F(RegistrationTest, NullRegionOnlyIfOffered)
{
	ibv_mr *mr = ibv_alloc_null_mr(pd_.get());
	if (!mr) {
		EXPECT_EQ(errno, EOPNOTSUPP);
	} else {
		EXPECT_EQ(ibv_dereg_mr(mr), 0);
	}
}

TEST_F(RegistrationTest, DmaBuffersOnlyIfOffered)
{
	// A file that is no DMA buffer is refused by who has them, too.
	int fd = memfd_create("conformance", 0);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(ibv_reg_dmabuf_mr(pd_.get(), 0, 4096, 0, fd, IBV_ACCESS_LOCAL_WRITE), nullptr);
	EXPECT_TRUE(errno == EOPNOTSUPP || errno == EINVAL) << strerror(errno);
	close(fd);
}

TEST_F(RegistrationTest, OptionalFlags)
{
	for (unsigned flag : {unsigned{IBV_ACCESS_RELAXED_ORDERING}, unsigned{IBV_ACCESS_HUGETLB},
			      unsigned{IBV_ACCESS_MW_BIND}}) {
		Mr mr(ibv_reg_mr(pd_.get(), memory_.data(), 8192, IBV_ACCESS_LOCAL_WRITE | flag));
		EXPECT_TRUE(mr) << "flag " << flag << ": " << strerror(errno);
	}
}

/// A process that exits leaves its regions behind, however many, and is soon gone.
TEST_F(RegistrationTest, ManyAreLeftBehind)
{
	const int count = std::min(scaled(20000, 1000), local_device().attr().max_mr / 4);
	pid_t child = fork();
	if (!child) {
		Context context = local_device().open();
		ibv_pd *pd = ibv_alloc_pd(context.get());
		for (int i = 0; i < count; i++)
			if (!ibv_reg_mr(pd, memory_.data(), i % 2 ? 8192 : 0, kAllAccess))
				_exit(1);
		_exit(0);
	}
	int status = -1;
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	for (int i = 0; i < 3; i++)
		Mr mr(must(ibv_reg_mr(pd_.get(), memory_.data(), 8192, kAllAccess), "ibv_reg_mr"));
}

} // namespace
} // namespace conformance
