// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Remote accesses that the responder must refuse, and that it refuses nothing else.
#include "link.h"

namespace conformance {
namespace {

class RemoteErrorTest : public LinkTest {
protected:
	void open_with(int qp_access = kAllAccess, int region_access = kAllAccess)
	{
		PathSpec path;
		path.access = qp_access;
		open({}, path);
		near_ = a().reg(1024);
		a().fill(near_.address, 1024, 1);
		whole_ = b().reg(3072);
		b().fill(whole_.address, 3072, 2);
		far_ = b().reg_part(whole_, 1024, 1024, region_access);
	}
	SendSpec access(ibv_wr_opcode opcode, int64_t offset = 0, uint32_t length = 8)
	{
		SendSpec send{.opcode = opcode, .sges = {near_.sge(0, length)}};
		send.remote_address = far_.address + static_cast<uint64_t>(offset);
		send.rkey = far_.rkey;
		send.compare_add = 1;
		return send;
	}
	/// The request fails with @status, changes nothing, and both QPs are in ERR.
	void expect_refused(const SendSpec &send, ibv_wc_status status)
	{
		ASSERT_EQ(b().post_recv(1, {}), 0);
		complete(send, status);
		EXPECT_EQ(b().mismatch(whole_.address, 3072, 2), -1) << "memory was changed";
		EXPECT_EQ(a().mismatch(near_.address, 1024, 1), -1);
		EXPECT_EQ(a().state(), IBV_QPS_ERR);
		EXPECT_TRUE(eventually([&] { return b().state() == IBV_QPS_ERR; }));
		EXPECT_NE(one(b(), Queue::kReceive).status, IBV_WC_SUCCESS) << "flushed or failed";
	}

	Region near_, whole_, far_;
};

constexpr ibv_wr_opcode kRemote[] = {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
				     IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP,
				     IBV_WR_ATOMIC_FETCH_AND_ADD};

TEST_F(RemoteErrorTest, WrongKey)
{
	for (auto opcode : kRemote) {
		for (uint32_t wrong : {0x1u, 0x100u, 0x80000000u}) {
			SCOPED_TRACE(opcode_name(opcode));
			open_with();
			SendSpec send = access(opcode);
			send.rkey ^= wrong;
			// Once in hundreds of times that is the key of what is around.
			if (send.rkey != whole_.rkey)
				expect_refused(send, IBV_WC_REM_ACCESS_ERR);
		}
	}
}

TEST_F(RemoteErrorTest, OutOfBounds)
{
	struct {
		int64_t offset;
		uint32_t length;
	} const cases[] = {{-1, 8}, {1017, 8}, {1024, 1}, {0, 1025}, {-1, 1026}, {3000, 8}};
	for (auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ}) {
		for (auto [offset, length] : cases) {
			SCOPED_TRACE(std::string(opcode_name(opcode)) + " at " +
				     std::to_string(offset));
			open_with();
			SendSpec send = access(opcode, offset);
			send.sges.clear();
			for (uint32_t left = length; left; left -= std::min(left, 1024u))
				send.sges.push_back(near_.sge(0, std::min(left, 1024u)));
			expect_refused(send, IBV_WC_REM_ACCESS_ERR);
		}
	}
}

TEST_F(RemoteErrorTest, AtomicsOutOfBounds)
{
	for (auto opcode : {IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
		for (int64_t offset : {-8, 1024}) {
			open_with();
			expect_refused(access(opcode, offset), IBV_WC_REM_ACCESS_ERR);
		}
	}
}

TEST_F(RemoteErrorTest, BoundsThemselvesAreInside)
{
	open_with();
	for (auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ}) {
		complete(access(opcode, 0, 1024));
		complete(access(opcode, 1023, 1));
		complete(access(opcode, 1024, 0));
	}
	complete(access(IBV_WR_ATOMIC_FETCH_AND_ADD, 1016));
	EXPECT_EQ(b().mismatch(whole_.address, 1024, 2), -1);
	EXPECT_EQ(b().mismatch(whole_.address + 2048, 1024, 2, 2048), -1);
}

TEST_F(RemoteErrorTest, AddressesThatWrapAround)
{
	for (auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ}) {
		for (uint64_t address :
		     {UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 1023, uint64_t{0}}) {
			SCOPED_TRACE(address);
			open_with();
			SendSpec send = access(opcode, 0, 1024);
			send.remote_address = address;
			expect_refused(send, IBV_WC_REM_ACCESS_ERR);
		}
	}
}

TEST_F(RemoteErrorTest, RegionLacksPermission)
{
	constexpr int kWrite = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct {
		ibv_wr_opcode opcode;
		int access;
	} const cases[] = {
		{IBV_WR_RDMA_WRITE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ},
		{IBV_WR_RDMA_WRITE_WITH_IMM, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ},
		{IBV_WR_RDMA_READ, kWrite | IBV_ACCESS_REMOTE_ATOMIC},
		{IBV_WR_ATOMIC_FETCH_AND_ADD, kWrite | IBV_ACCESS_REMOTE_READ},
		{IBV_WR_ATOMIC_CMP_AND_SWP, kWrite | IBV_ACCESS_REMOTE_READ},
	};
	for (auto [opcode, access_flags] : cases) {
		SCOPED_TRACE(opcode_name(opcode));
		open_with(kAllAccess, access_flags);
		expect_refused(access(opcode), IBV_WC_REM_ACCESS_ERR);
	}
}

TEST_F(RemoteErrorTest, QpLacksPermission)
{
	// The QP refuses the operation as such: an invalid request (9.7.4.1.2), with or without
	// bytes.
	constexpr int kNoWrite = kAllAccess & ~IBV_ACCESS_REMOTE_WRITE;
	constexpr int kNoRead = kAllAccess & ~IBV_ACCESS_REMOTE_READ;
	constexpr int kNoAtomic = kAllAccess & ~IBV_ACCESS_REMOTE_ATOMIC;
	struct {
		ibv_wr_opcode opcode;
		int access;
	} const cases[] = {
		{IBV_WR_RDMA_WRITE, kNoWrite},
		{IBV_WR_RDMA_WRITE_WITH_IMM, kNoWrite},
		{IBV_WR_RDMA_READ, kNoRead},
		{IBV_WR_ATOMIC_FETCH_AND_ADD, kNoAtomic},
		{IBV_WR_ATOMIC_CMP_AND_SWP, kNoAtomic},
	};
	for (auto [opcode, access_flags] : cases) {
		for (uint32_t length : {8u, 0u}) {
			if (!length && opcode >= IBV_WR_ATOMIC_CMP_AND_SWP)
				continue;
			SCOPED_TRACE(opcode_name(opcode));
			open_with(access_flags);
			expect_refused(access(opcode, 0, length), IBV_WC_REM_INV_REQ_ERR);
		}
	}
}

TEST_F(RemoteErrorTest, ReadsWhereTheResponderHasNoResources)
{
	PathSpec path_a, path_b;
	path_b.max_dest_rd_atomic = 0;
	open({}, path_a, {}, path_b);
	Region near = a().reg(8), far = b().reg(8);
	SendSpec send{.opcode = IBV_WR_RDMA_READ, .sges = {near.sge()}};
	send.remote_address = far.address;
	send.rkey = far.rkey;
	complete(send, IBV_WC_REM_INV_REQ_ERR);
}

TEST_F(RemoteErrorTest, OnlyTheFailingRequestIsBlamed)
{
	open_with();
	std::vector<SendSpec> list(5, access(IBV_WR_RDMA_WRITE));
	list[3].rkey ^= 1;
	for (uint64_t i = 0; i < list.size(); i++) {
		list[i].wr_id = i;
		ASSERT_EQ(a().post_send(list[i]), 0);
	}
	ibv_wc_status expected[] = {IBV_WC_SUCCESS, IBV_WC_SUCCESS, IBV_WC_SUCCESS,
				    IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR};
	for (uint64_t i = 0; i < list.size(); i++) {
		ibv_wc wc = one(a(), Queue::kSend);
		EXPECT_EQ(wc.wr_id, i);
		EXPECT_EQ(wc.status, expected[i]);
	}
}

TEST_F(RemoteErrorTest, SendTooLongForTheReceive)
{
	for (uint32_t extra : {1u, 900u, 5000u}) {
		open();
		Region near = a().reg(6000), far = b().reg(1000);
		b().fill(far.address, 1000, 3);
		ASSERT_EQ(b().post_recv(1, {far.sge(0, 300), far.sge(300, 200)}), 0);
		ASSERT_EQ(b().post_recv(2, {far.sge()}), 0);
		complete({.sges = {near.sge(0, 500 + extra)}}, IBV_WC_REM_INV_REQ_ERR);
		ibv_wc wc = one(b(), Queue::kReceive);
		EXPECT_EQ(wc.wr_id, 1u);
		EXPECT_EQ(wc.status, IBV_WC_LOC_LEN_ERR);
		wc = one(b(), Queue::kReceive);
		EXPECT_EQ(wc.wr_id, 2u);
		EXPECT_EQ(wc.status, IBV_WC_WR_FLUSH_ERR);
		EXPECT_EQ(b().mismatch(far.address + 500, 500, 3, 500), -1)
			<< "written behind the receive";
	}
}

TEST_F(RemoteErrorTest, ReceiveIntoWrongMemory)
{
	for (int kind = 0; kind < 3; kind++) {
		SCOPED_TRACE(kind);
		open();
		Region near = a().reg(101), far = b().reg(100);
		Region constant = b().reg_part(far, 0, 100, 0);
		ibv_sge sge = kind == 2 ? constant.sge() : far.sge();
		if (kind == 0)
			sge.lkey ^= 0x100;
		if (kind == 1)
			sge.length = 101;
		ASSERT_EQ(b().post_recv(1, {sge}), 0);
		complete({.sges = {near.sge(0, sge.length)}}, IBV_WC_REM_OP_ERR);
		EXPECT_EQ(one(b(), Queue::kReceive).status, IBV_WC_LOC_PROT_ERR);
		EXPECT_TRUE(eventually([&] { return b().state() == IBV_QPS_ERR; }));
	}
}

class UcErrorTest : public LinkTest {
protected:
	void SetUp() override
	{
		QpSpec spec;
		spec.type = IBV_QPT_UC;
		open(spec);
		near_ = a().reg(4000);
		far_ = b().reg(4000);
		b().fill(far_.address, 4000, 2);
	}
	Region near_, far_;
};

TEST_F(UcErrorTest, RefusedWritesVanish)
{
	for (int kind = 0; kind < 3; kind++) {
		SendSpec send{.opcode = IBV_WR_RDMA_WRITE, .sges = {near_.sge()}};
		send.remote_address = far_.address + (kind == 1 ? 1 : 0);
		send.rkey = far_.rkey ^ (kind == 0 ? 0x100 : 0);
		if (kind == 2)
			send.remote_address = UINT64_MAX - 100;
		complete(send);
		expect_alive();
		EXPECT_EQ(b().mismatch(far_.address, 4000, 2), -1) << "kind " << kind;
	}
}

TEST_F(UcErrorTest, SendWithoutReceiveVanishes)
{
	complete({.sges = {near_.sge()}});
	expect_quiet(b(), Queue::kReceive);
	expect_alive();
}

} // namespace
} // namespace conformance
