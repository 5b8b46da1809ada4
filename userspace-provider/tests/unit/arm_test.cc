// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// ibv_req_notify_cq: the arm word, against a model of the kernel's side.
#include <thread>

#include "fake_kernel.hpp"

namespace {

class Arm : public fake::Fixture {
protected:
	void arm(bool solicited_only)
	{
		ASSERT_EQ(srnic_req_notify_cq(cq.cq(), solicited_only), 0);
	}
	std::uint32_t kind() const { return cq.header->arm & SRNIC_CQ_ARM_KIND_MASK; }
	std::uint32_t seq() const { return cq.header->arm >> SRNIC_CQ_ARM_SEQ_SHIFT; }

	/** What the kernel does behind a CQE; @return whether it raises an event. */
	bool completed(bool solicited)
	{
		const std::uint32_t word = cq.header->arm;
		const std::uint32_t armed = word & SRNIC_CQ_ARM_KIND_MASK;

		if (word == raised ||
		    !(armed == SRNIC_CQ_ARM_ANY || (armed == SRNIC_CQ_ARM_SOLICITED && solicited)))
			return false;
		raised = word;
		cq.header->notified = word;
		return true;
	}

	std::uint32_t raised = 0;
};

TEST_F(Arm, WordCountsAndTellsTheKind)
{
	EXPECT_EQ(cq.header->arm, 0U);
	arm(false);
	EXPECT_EQ(cq.header->arm, 1U << 2 | SRNIC_CQ_ARM_ANY);
	ASSERT_TRUE(completed(false));
	arm(true);
	EXPECT_EQ(cq.header->arm, 2U << 2 | SRNIC_CQ_ARM_SOLICITED);
}

TEST_F(Arm, OneEventForOneArm)
{
	EXPECT_FALSE(completed(true));
	arm(false);
	EXPECT_TRUE(completed(false));
	EXPECT_FALSE(completed(true));
	arm(false);
	EXPECT_TRUE(completed(true));
	EXPECT_FALSE(completed(true));
}

TEST_F(Arm, SolicitedWaitsForSolicited)
{
	arm(true);
	EXPECT_FALSE(completed(false));
	EXPECT_TRUE(completed(true));
}

TEST_F(Arm, SolicitedDoesNotWeakenAPendingAny)
{
	arm(false);
	arm(true);
	EXPECT_EQ(kind(), unsigned{SRNIC_CQ_ARM_ANY});
	arm(true);
	EXPECT_EQ(kind(), unsigned{SRNIC_CQ_ARM_ANY});
	// Renewed nevertheless: the kernel may be raising the event of the first one.
	EXPECT_EQ(seq(), 3U);
	EXPECT_TRUE(completed(false));
	// Not pending any more.
	arm(true);
	EXPECT_EQ(kind(), unsigned{SRNIC_CQ_ARM_SOLICITED});
}

TEST_F(Arm, AnyStrengthensAPendingSolicited)
{
	arm(true);
	arm(false);
	EXPECT_TRUE(completed(false));
}

TEST_F(Arm, FirstSolicitedIsSolicited)
{
	arm(true);
	EXPECT_EQ(kind(), unsigned{SRNIC_CQ_ARM_SOLICITED});
}

TEST_F(Arm, SequenceWraps)
{
	cq.header->arm = cq.header->notified = raised = ~0U << 2 | SRNIC_CQ_ARM_SOLICITED;
	arm(false);
	EXPECT_EQ(cq.header->arm, 0U << 2 | SRNIC_CQ_ARM_ANY);
	EXPECT_TRUE(completed(false));
}

TEST_F(Arm, ThreadsLoseNoArm)
{
	constexpr unsigned kArms = 50000;
	const auto run = [this] {
		for (unsigned i = 0; i < kArms; ++i)
			arm(true);
	};
	std::thread one(run);
	std::thread two(run);

	one.join();
	two.join();
	EXPECT_EQ(seq(), 2 * kArms);
}

} // namespace
