// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The extended interfaces: ibv_wr_* and ibv_start_poll.
#include <arpa/inet.h>

#include "link.h"

namespace conformance {
namespace {

class WorkRequestApiTest : public LinkTest {
protected:
	void open_extended(ibv_qp_type type = IBV_QPT_RC)
	{
		open({.type = type, .inline_bytes = 64, .extended = true});
		ex_ = ibv_qp_to_qp_ex(a().qp.get());
		ASSERT_NE(ex_, nullptr);
		near_ = a().reg(4096);
		far_ = b().reg(4096);
		a().fill(near_.address, 4096, 1);
		b().fill(far_.address, 4096, 2);
	}
	void begin(uint64_t wr_id, unsigned flags = IBV_SEND_SIGNALED)
	{
		ibv_wr_start(ex_);
		ex_->wr_id = wr_id;
		ex_->wr_flags = flags;
	}
	void finish(uint64_t wr_id)
	{
		ASSERT_EQ(ibv_wr_complete(ex_), 0);
		ibv_wc wc = one(a(), Queue::kSend);
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_EQ(wc.wr_id, wr_id);
	}

	ibv_qp_ex *ex_ = nullptr;
	Region near_, far_;
};

TEST_F(WorkRequestApiTest, Sends)
{
	open_extended();
	ASSERT_EQ(b().post_recv(1, {far_.sge()}), 0);
	begin(11);
	ibv_wr_send(ex_);
	ibv_wr_set_sge(ex_, near_.lkey, near_.address, 1000);
	finish(11);
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, 1000u);
	EXPECT_EQ(b().mismatch(far_.address, 1000, 1), -1);

	ASSERT_EQ(b().post_recv(2, {far_.sge()}), 0);
	begin(12);
	ibv_wr_send_imm(ex_, htonl(0xfeed));
	ibv_sge list[2] = {near_.sge(0, 10), near_.sge(10, 20)};
	ibv_wr_set_sge_list(ex_, 2, list);
	finish(12);
	ibv_wc wc = one(b(), Queue::kReceive);
	EXPECT_EQ(wc.byte_len, 30u);
	EXPECT_EQ(ntohl(wc.imm_data), 0xfeedu);
}

TEST_F(WorkRequestApiTest, InlineData)
{
	open_extended();
	// The setter says that it is inline; the flag may say so too.
	for (unsigned flags : {0u | IBV_SEND_SIGNALED, 0u | IBV_SEND_SIGNALED | IBV_SEND_INLINE}) {
		std::vector<uint8_t> data(64);
		fill(data, 5 + flags);
		begin(1, flags);
		ibv_wr_rdma_write(ex_, far_.rkey, far_.address);
		ibv_wr_set_inline_data(ex_, data.data(), 64);
		std::fill(data.begin(), data.end(), 0);
		finish(1);
		EXPECT_EQ(b().mismatch(far_.address, 64, 5 + flags), -1);

		fill(data, 100 + flags);
		ibv_data_buf list[3] = {
			{data.data(), 7}, {data.data() + 7, 0}, {data.data() + 7, 57}};
		begin(2, flags);
		ibv_wr_rdma_write(ex_, far_.rkey, far_.address);
		ibv_wr_set_inline_data_list(ex_, 3, list);
		finish(2);
		EXPECT_EQ(b().mismatch(far_.address, 64, 100 + flags), -1);
	}
}

TEST_F(WorkRequestApiTest, RdmaAndAtomics)
{
	open_extended();
	begin(1);
	ibv_wr_rdma_write(ex_, far_.rkey, far_.address);
	ibv_wr_set_sge(ex_, near_.lkey, near_.address, 2000);
	finish(1);
	EXPECT_EQ(b().mismatch(far_.address, 2000, 1), -1);

	ASSERT_EQ(b().post_recv(9, {}), 0);
	begin(2);
	ibv_wr_rdma_write_imm(ex_, far_.rkey, far_.address, htonl(3));
	ibv_wr_set_sge(ex_, near_.lkey, near_.address, 8);
	finish(2);
	EXPECT_EQ(ntohl(one(b(), Queue::kReceive).imm_data), 3u);

	begin(3);
	ibv_wr_rdma_read(ex_, far_.rkey, far_.address + 2000);
	ibv_wr_set_sge(ex_, near_.lkey, near_.address, 100);
	finish(3);
	EXPECT_EQ(a().mismatch(near_.address, 100, 2, 2000), -1);

	b().poke64(far_.address, 40);
	begin(4);
	ibv_wr_atomic_fetch_add(ex_, far_.rkey, far_.address, 2);
	ibv_wr_set_sge(ex_, near_.lkey, near_.address, 8);
	finish(4);
	EXPECT_EQ(a().peek64(near_.address), 40u);
	begin(5);
	ibv_wr_atomic_cmp_swp(ex_, far_.rkey, far_.address, 42, 43);
	ibv_wr_set_sge(ex_, near_.lkey, near_.address, 8);
	finish(5);
	EXPECT_EQ(a().peek64(near_.address), 42u);
	EXPECT_EQ(b().peek64(far_.address), 43u);
}

TEST_F(WorkRequestApiTest, ABatchIsOnePost)
{
	open_extended();
	ibv_wr_start(ex_);
	for (uint64_t i = 0; i < 20; i++) {
		ex_->wr_id = i;
		ex_->wr_flags = i == 19 ? unsigned{IBV_SEND_SIGNALED} : 0u;
		ibv_wr_rdma_write(ex_, far_.rkey, far_.address + 100 * i);
		ibv_wr_set_sge(ex_, near_.lkey, near_.address + 100 * i, 100);
	}
	finish(19);
	EXPECT_EQ(b().mismatch(far_.address, 2000, 1), -1);
}

TEST_F(WorkRequestApiTest, AbortedBatchesLeaveNoTrace)
{
	open_extended();
	for (int round = 0; round < 100; round++) {
		begin(1);
		ibv_wr_rdma_write(ex_, far_.rkey, far_.address);
		ibv_wr_set_sge(ex_, near_.lkey, near_.address, 100);
		ibv_wr_abort(ex_);
	}
	expect_quiet(a(), Queue::kSend);
	EXPECT_EQ(b().mismatch(far_.address, 4096, 2), -1);
	expect_alive();
}

TEST_F(WorkRequestApiTest, AFullQueueFailsTheWholeBatch)
{
	open_extended();
	ibv_wr_start(ex_);
	for (uint32_t i = 0; i < a().caps.max_send_wr + 1; i++) {
		ex_->wr_id = i;
		ex_->wr_flags = 0;
		ibv_wr_rdma_write(ex_, far_.rkey, far_.address);
		ibv_wr_set_sge(ex_, near_.lkey, near_.address, 1);
	}
	EXPECT_EQ(ibv_wr_complete(ex_), ENOMEM);
	EXPECT_EQ(b().mismatch(far_.address, 4096, 2), -1) << "none of it was executed";
	expect_alive();
}

TEST_F(WorkRequestApiTest, Datagrams)
{
	open_extended(IBV_QPT_UD);
	ASSERT_EQ(b().post_recv(1, {far_.sge()}), 0);
	begin(1);
	ibv_wr_send(ex_);
	ibv_wr_set_ud_addr(ex_, a().handle_to(b().address()), b().address().qpn, 0x11111111);
	ibv_wr_set_sge(ex_, near_.lkey, near_.address, 50);
	finish(1);
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, 90u);
	EXPECT_EQ(b().mismatch(far_.address + 40, 50, 1), -1);
}

using ExtendedCq = std::unique_ptr<ibv_cq_ex, decltype([](ibv_cq_ex *cq) {
					   EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
				   })>;

class PollApiTest : public LocalTest {};

TEST_F(PollApiTest, FieldsOfReceives)
{
	Context context = local_device().open();
	ibv_cq_init_attr_ex attr{};
	attr.cqe = 64;
	attr.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM |
			IBV_WC_EX_WITH_SRC_QP;
	ExtendedCq cq(ibv_create_cq_ex(context.get(), &attr));
	ASSERT_TRUE(cq) << strerror(errno);
	Pd pd(must(ibv_alloc_pd(context.get()), "ibv_alloc_pd"));
	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = ibv_cq_ex_to_cq(cq.get());
	init.cap = {16, 16, 1, 1, 0};
	init.qp_type = IBV_QPT_RC;
	// An endpoint whose QP reports into the extended CQ.
	LocalEndpoint far(local_device(), {});
	far.qp.reset();
	Qp qp(must(ibv_create_qp(pd.get(), &init), "ibv_create_qp"));
	std::swap(far.qp, qp);
	LocalEndpoint near(local_device(), {});
	far.connect(near.address(), {});
	near.connect(far.address(), {});

	ibv_poll_cq_attr poll_attr{};
	EXPECT_EQ(ibv_start_poll(cq.get(), &poll_attr), ENOENT) << "an empty CQ";
	for (uint64_t i = 0; i < 3; i++) {
		ibv_recv_wr recv{
			.wr_id = 70 + i, .next = nullptr, .sg_list = nullptr, .num_sge = 0};
		ibv_recv_wr *bad;
		ASSERT_EQ(ibv_post_recv(far.qp.get(), &recv, &bad), 0);
		SendSpec send{.opcode = IBV_WR_SEND_WITH_IMM};
		send.immediate = static_cast<uint32_t>(500 + i);
		ASSERT_EQ(near.post_send(send), 0);
		ASSERT_EQ(near.poll(Queue::kSend, 1).size(), 1u);
	}
	ASSERT_TRUE(eventually([&] { return ibv_start_poll(cq.get(), &poll_attr) == 0; }));
	for (uint64_t i = 0; i < 3; i++) {
		EXPECT_EQ(cq->wr_id, 70 + i);
		EXPECT_EQ(cq->status, IBV_WC_SUCCESS);
		EXPECT_EQ(ibv_wc_read_opcode(cq.get()), IBV_WC_RECV);
		EXPECT_EQ(ibv_wc_read_byte_len(cq.get()), 0u);
		EXPECT_EQ(ibv_wc_read_qp_num(cq.get()), far.qp->qp_num);
		EXPECT_TRUE(ibv_wc_read_wc_flags(cq.get()) & IBV_WC_WITH_IMM);
		EXPECT_EQ(ntohl(ibv_wc_read_imm_data(cq.get())), 500 + i);
		EXPECT_EQ(ibv_next_poll(cq.get()), i < 2 ? 0 : ENOENT);
	}
	ibv_end_poll(cq.get());
	EXPECT_EQ(ibv_start_poll(cq.get(), &poll_attr), ENOENT);
	far.qp.reset();
}

TEST_F(PollApiTest, UnknownFieldsAreRefused)
{
	Context context = local_device().open();
	ibv_cq_init_attr_ex attr{};
	attr.cqe = 16;
	attr.wc_flags = 1ull << 40;
	ExtendedCq cq(ibv_create_cq_ex(context.get(), &attr));
	EXPECT_FALSE(cq);
}

} // namespace
} // namespace conformance
