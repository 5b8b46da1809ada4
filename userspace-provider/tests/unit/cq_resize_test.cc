// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Moving a CQ to another ring, as the kernel tells.
#include <cerrno>

#include "fake_kernel.hpp"

namespace {

class CqResize : public fake::Fixture {
protected:
	/** A ring as the kernel makes it for PREPARE. */
	srnic_resize_cq_resp prepare(std::uint32_t entries)
	{
		srnic_resize_cq_resp answer{};

		answer.entries = entries;
		answer.mmap_bytes = sizeof(srnic_cq_header) + entries * sizeof(srnic_cqe);
		answer.mmap_offset = kernel.allocate(answer.mmap_bytes);
		return answer;
	}
	/** What the kernel does at SWITCH. */
	void switch_over(srnic_resize_cq_resp &answer)
	{
		auto *next = kernel.at<srnic_cq_header>(answer.mmap_offset);

		answer.outstanding = cq.producer - cq.header->consumer;
		next->arm = cq.header->arm;
		next->notified = cq.header->notified;
		cq.header = next;
		cq.ring = reinterpret_cast<srnic_cqe *>(next + 1);
		cq.config.ring.entries = answer.entries;
		cq.producer = answer.outstanding;
	}
	int resize(std::uint32_t entries)
	{
		srnic_resize_cq_resp answer = prepare(entries);

		if (const int err = srnic_cq_resize_map(core, cq.cq(), &answer, 1))
			return err;
		srnic_cq_resize_begin(cq.cq());
		switch_over(answer);
		return srnic_cq_resize_end(cq.cq(), &answer);
	}
	void push(std::uint64_t wr_id)
	{
		srnic_cqe cqe{};

		cqe.wr_id = wr_id;
		cqe.qp_num = 17;
		cqe.opcode = SRNIC_WC_OPCODE_RECV;
		cq.push(cqe);
	}
	void expect(std::uint64_t first, std::uint64_t last)
	{
		for (std::uint64_t i = first; i < last; ++i) {
			ibv_wc wc{};

			ASSERT_EQ(cq.poll(&wc), 1) << i;
			EXPECT_EQ(wc.wr_id, i);
		}
	}
};

TEST_F(CqResize, OutstandingOnesMove)
{
	auto qp = make_qp();
	std::uint64_t in = 0;
	std::uint64_t out = 0;

	for (const std::uint32_t entries : {64U, 8U, 256U, 8U, 16U}) {
		for (int i = 0; i < 7; ++i)
			push(in++);
		expect(out, out + 2);
		out += 2;
		ASSERT_EQ(resize(entries), 0);
		push(in++);
		expect(out, in);
		out = in;
	}
	EXPECT_EQ(cq.poll_all(), 0);
	EXPECT_EQ(cq.header->consumer, cq.producer);
}

TEST_F(CqResize, AFullRing)
{
	auto qp = make_qp();

	ASSERT_EQ(resize(8), 0);
	for (std::uint64_t i = 0; i < 8; ++i)
		push(i);
	ASSERT_EQ(resize(8), 0);
	expect(0, 8);
	for (std::uint64_t i = 8; i < 16; ++i)
		push(i);
	expect(8, 16);
	EXPECT_EQ(cq.poll_all(), 0);
}

TEST_F(CqResize, AnArmGoesOn)
{
	ASSERT_EQ(srnic_req_notify_cq(cq.cq(), 0), 0);
	const std::uint32_t word = cq.header->arm;

	ASSERT_EQ(resize(8), 0);
	EXPECT_EQ(cq.header->arm, word);
	ASSERT_EQ(srnic_req_notify_cq(cq.cq(), 0), 0);
	EXPECT_EQ(cq.header->arm, word + (1U << SRNIC_CQ_ARM_SEQ_SHIFT));
}

TEST_F(CqResize, TheKernelRefuses)
{
	auto qp = make_qp();
	const srnic_resize_cq_resp answer = prepare(8);

	push(0);
	ASSERT_EQ(srnic_cq_resize_map(core, cq.cq(), &answer, 8), 0);
	srnic_cq_resize_begin(cq.cq());
	EXPECT_EQ(srnic_cq_resize_end(cq.cq(), nullptr), 0);
	push(1);
	expect(0, 2);
}

TEST_F(CqResize, AnswersThatCannotBe)
{
	srnic_resize_cq_resp answer = prepare(8);

	EXPECT_NE(srnic_cq_resize_map(core, cq.cq(), &answer, 9), 0) << "smaller than asked for";
	answer.entries = 7;
	EXPECT_NE(srnic_cq_resize_map(core, cq.cq(), &answer, 1), 0);
	answer.entries = 16;
	EXPECT_NE(srnic_cq_resize_map(core, cq.cq(), &answer, 1), 0) << "more than is mapped";
	answer.entries = 8;
	answer.comp_mask = 1;
	EXPECT_NE(srnic_cq_resize_map(core, cq.cq(), &answer, 1), 0);
	answer.comp_mask = 0;
	ASSERT_EQ(srnic_cq_resize_map(core, cq.cq(), &answer, 1), 0);
	srnic_cq_resize_begin(cq.cq());
	answer.outstanding = 9;
	EXPECT_NE(srnic_cq_resize_end(cq.cq(), &answer), 0);
	EXPECT_EQ(cq.poll_all(), 0) << "the old ring is still there";
}

} // namespace
