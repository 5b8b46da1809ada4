// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Every operation of RC and UC, at every path MTU and at telling sizes.
#include <set>

#include "link.h"

namespace conformance {
namespace {

struct Case {
	ibv_qp_type type;
	ibv_wr_opcode opcode;
	ibv_mtu mtu;
	Family family;
};

std::string case_name(const testing::TestParamInfo<Case> &info)
{
	const Case &c = info.param;
	return std::string(c.type == IBV_QPT_RC ? "Rc" : "Uc") + opcode_name(c.opcode) +
	       std::to_string(mtu_bytes(c.mtu)) + family_name(c.family);
}

std::set<uint32_t> sizes(uint32_t mtu)
{
	std::set<uint32_t> list{0, 1, 3, 4, 255, 256, 257};
	for (uint32_t packets : {1u, 2u, 3u, 16u}) {
		for (int off : {-1, 0, 1})
			list.insert(packets * mtu + static_cast<uint32_t>(off));
	}
	list.insert(scaled(65536u, 8192u));
	if (!quick())
		list.insert(65535);
	return list;
}

class MessageTest : public LinkTest, public testing::WithParamInterface<Case> {
protected:
	void SetUp() override
	{
		NEED_FAMILY(GetParam().family);
		NEED_MTU(GetParam().mtu);
		QpSpec spec;
		spec.type = GetParam().type;
		spec.family = GetParam().family;
		PathSpec path;
		path.mtu = GetParam().mtu;
		open(spec, path);
	}

	/// Buffers for one size. They begin at odd places: nothing may rely on alignment.
	void prepare(uint32_t size)
	{
		near_ = a().reg(size, kAllAccess, size % 7);
		far_ = b().reg(size, kAllAccess, size % 5);
		seed_ = 1000 + size;
		bool read = GetParam().opcode == IBV_WR_RDMA_READ;
		a().fill(near_.address, size, read ? ~seed_ : seed_);
		b().fill(far_.address, size, read ? seed_ : ~seed_);
	}

	void transfer(uint32_t size)
	{
		ibv_wr_opcode opcode = GetParam().opcode;
		SendSpec send;
		send.wr_id = 0x100000000u + size;
		send.opcode = opcode;
		send.sges = {near_.sge()};
		send.remote_address = far_.address;
		send.rkey = far_.rkey;
		send.immediate = 0xcafe0000 + size;
		if (takes_receive(opcode)) {
			std::vector<ibv_sge> sges;
			if (is_send(opcode))
				sges.push_back(far_.sge());
			ASSERT_EQ(b().post_recv(0x200000000u + size, sges), 0);
		}
		ibv_wc wc = complete(send);
		if (opcode == IBV_WR_RDMA_READ) {
			EXPECT_EQ(wc.opcode, IBV_WC_RDMA_READ);
			EXPECT_EQ(wc.byte_len, size);
		} else {
			EXPECT_EQ(wc.opcode, is_send(opcode) ? IBV_WC_SEND : IBV_WC_RDMA_WRITE);
		}
		if (takes_receive(opcode))
			check_receive(one(b(), Queue::kReceive), size);
		else if (GetParam().type == IBV_QPT_UC)
			expect_alive(); // the WRITE before it is in memory now
	}

	void check_receive(const ibv_wc &wc, uint32_t size)
	{
		ibv_wr_opcode opcode = GetParam().opcode;
		ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_EQ(wc.wr_id, 0x200000000u + size);
		EXPECT_EQ(wc.byte_len, size);
		EXPECT_EQ(wc.opcode, is_send(opcode) ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM);
		EXPECT_EQ(wc.qp_num, b().address().qpn);
		if (has_immediate(opcode)) {
			EXPECT_TRUE(wc.wc_flags & IBV_WC_WITH_IMM);
			EXPECT_EQ(be32toh(wc.imm_data), 0xcafe0000 + size);
		} else {
			EXPECT_FALSE(wc.wc_flags & IBV_WC_WITH_IMM);
		}
	}

	Region near_, far_;
	uint64_t seed_ = 0;
};

TEST_P(MessageTest, EverySize)
{
	for (uint32_t size : sizes(mtu_bytes(GetParam().mtu))) {
		SCOPED_TRACE("size " + std::to_string(size));
		prepare(size);
		ASSERT_NO_FATAL_FAILURE(transfer(size));
		EXPECT_EQ(a().mismatch(near_.address, size, seed_), -1);
		EXPECT_EQ(b().mismatch(far_.address, size, seed_), -1);
		if (HasFailure())
			return;
	}
}

std::vector<Case> cases()
{
	std::vector<Case> list;
	auto add = [&](ibv_qp_type type, std::initializer_list<ibv_wr_opcode> opcodes) {
		for (ibv_wr_opcode opcode : opcodes) {
			for (ibv_mtu mtu :
			     {IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096})
				list.push_back({type, opcode, mtu, Family::kIpv4});
			list.push_back({type, opcode, IBV_MTU_1024, Family::kIpv6});
		}
	};
	add(IBV_QPT_RC, {IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
			 IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ});
	add(IBV_QPT_UC,
	    {IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM});
	return list;
}

INSTANTIATE_TEST_SUITE_P(All, MessageTest, testing::ValuesIn(cases()), case_name);

} // namespace
} // namespace conformance
