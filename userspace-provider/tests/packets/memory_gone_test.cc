// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Requests whose memory goes while they are outstanding: they cannot be sent again, but
// may have arrived the first time.
#include "requester.h"

namespace packets {
namespace {

class MemoryGoneTest : public Requester {
protected:
	/// Two requests are sent, and the memory of the second one goes. With @bad_third
	/// there is a third, which is refused in its turn.
	void lose_second(bool bad_third)
	{
		open();
		first_ = last_wr_id_ + 1;
		Region lost =
			c().end().reg_part(c().arena().whole(), Arena::kFarAt, 64, kAllAccess);
		submit(IBV_WR_RDMA_WRITE, 8);
		SendSpec second = work(IBV_WR_RDMA_WRITE, 8);
		second.sges = {lost.sge(0, 8)};
		submit(second);
		expect_psn(psn());
		expect_psn(psn() + 1);
		if (bad_third) {
			// Longer than any message.
			SendSpec bad = work(IBV_WR_RDMA_WRITE, 8);
			bad.sges.assign(3, {bad.sges[0].addr, 1u << 30, bad.sges[0].lkey});
			submit(bad);
			// What is before it is sent once more: somebody has to acknowledge it.
			expect_psn(psn());
			expect_psn(psn() + 1);
		}
		ASSERT_EQ(c().end().dereg(lost), 0);
		rig().wire.send(c().frame(c().response(kAck, kNakSequence, psn(), 0)));
		expect_psn(psn());
	}
	uint32_t psn() { return c().path().sq_psn; }
	/// Whatever is sent again of the first request.
	void skip_repeats()
	{
		for (const Reply &reply : rig().exchange({}))
			EXPECT_EQ(hex(reply.packet.h.psn), hex(psn()));
	}

	uint64_t first_ = 0;
};

TEST_F(MemoryGoneTest, IsAnErrorInItsTurn)
{
	lose_second(false);
	skip_repeats();
	answer(c().response(kAck, kUnlimited, psn(), 1));
	expect_complete(IBV_WC_SUCCESS, first_);
	expect_complete(IBV_WC_LOC_PROT_ERR, first_ + 1);
	expect_state(IBV_QPS_ERR);
	expect_counts({{"rx_nak_seq", 1}});
}

TEST_F(MemoryGoneTest, DoesNotMatterIfItHadArrived)
{
	lose_second(false);
	skip_repeats();
	answer(c().response(kAck, kUnlimited, psn() + 1, 2));
	expect_complete(IBV_WC_SUCCESS, first_);
	expect_complete(IBV_WC_SUCCESS, first_ + 1);
	// The queue goes on.
	submit(IBV_WR_RDMA_WRITE, 8);
	expect_psn(psn() + 2);
	answer_and_complete(c().response(kAck, kUnlimited, psn() + 2, 3));
	expect_counts({{"rx_nak_seq", 1}});
}

TEST_F(MemoryGoneTest, HidesNoBadRequestBehindIt)
{
	lose_second(true);
	skip_repeats();
	answer(c().response(kAck, kUnlimited, psn() + 1, 2));
	expect_complete(IBV_WC_SUCCESS, first_);
	expect_complete(IBV_WC_SUCCESS, first_ + 1);
	expect_complete(IBV_WC_LOC_LEN_ERR, first_ + 2);
	expect_state(IBV_QPS_ERR);
	Counts counts = rig().counters.changes();
	EXPECT_EQ(counts["rx_nak_seq"], 1u);
}

} // namespace
} // namespace packets
