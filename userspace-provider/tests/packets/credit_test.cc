// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// End-to-end credits: rules 2.10, 3.5.4 and 4.14.
#include "requester.h"

namespace packets {
namespace {

class CreditTest : public Requester {
protected:
	/// The answer to @request has @syndrome.
	void expect_syndrome(const Packet &request, uint8_t syndrome)
	{
		auto replies = rig().exchange({c().frame(request)}, 1);
		ASSERT_EQ(replies.size(), 1u);
		EXPECT_EQ(hex(replies[0].packet.h.syndrome), hex(syndrome))
			<< describe(replies[0].packet);
	}
	/// After @frames SENDs with the PSNs from @from to before @to leave, and no more.
	void expect_sent(const std::vector<Bytes> &frames, uint32_t from, uint32_t to)
	{
		auto replies = rig().exchange(frames, to - from);
		EXPECT_EQ(replies.size(), to - from);
		for (const Reply &reply : replies)
			EXPECT_EQ(hex(reply.packet.h.psn), hex(from++));
	}
	void expect_sent_after(const Packet &answer, uint32_t from, uint32_t to)
	{
		expect_sent({c().frame(answer)}, from, to);
	}
};

/// Each ACK tells how many receives are left, rounded down to what a code can say.
TEST_F(CreditTest, AsManyAsReceives)
{
	constexpr uint8_t kCodes[] = {0, 1, 2, 3, 4, 4, 5, 5, 6, 6};
	open();
	for (uint32_t i = 0; i < std::size(kCodes); i++)
		post(i * 8, 8);
	for (uint32_t left = std::size(kCodes); left-- > 0;) {
		SCOPED_TRACE(left);
		uint32_t offset = (std::size(kCodes) - 1 - left) * 8;
		Bytes payload = data(8);
		expect_syndrome(c().request(kSendOnly, payload), kCodes[left]);
		expect_received(offset, payload);
	}
	post(0, 8);
	Bytes payload = data(8);
	expect_syndrome(c().write(kWriteOnly, c().arena().va(0), 8, payload), 1);
	c().arena().expect_far(0, payload);
	expect_syndrome(c().read(c().arena().va(0), 8), 1);
	expect_syndrome(c().request(kSendOnly, payload), 0);
	expect_received(0, payload);
}

/// A receive that a message is being written to is for that, which is not done yet.
TEST_F(CreditTest, InTheMiddleOfAMessage)
{
	open();
	post(0, 2048);
	post(2048, 8);
	Bytes first = data(1024), second = data(8);
	expect_syndrome(c().request(kSendFirst, first), 2);
	expect_syndrome(c().request(kSendLast, second), 1);
	first.insert(first.end(), second.begin(), second.end());
	expect_received(0, first);
}

/// An SRQ's receives are not this QP's alone: they are not told.
TEST_F(CreditTest, NotOfAnSrq)
{
	QpSpec spec;
	spec.srq_wr = 16;
	Connection shared(spec);
	shared.connect(quiet_path());
	must_be_zero(shared.end().post_recv(0, {shared.arena().inbox(0, 8)}), "post_recv");
	for (Packet request : {shared.request(kSendOnly, data(8)), shared.request(kWriteOnly)}) {
		auto replies = rig().exchange({shared.frame(request)}, 1);
		ASSERT_EQ(replies.size(), 1u);
		EXPECT_EQ(hex(replies[0].packet.h.syndrome), hex(kUnlimited));
	}
}

/// One message may go beyond what there are receives for.
TEST_F(CreditTest, TheRequesterKeepsToThem)
{
	open();
	uint32_t psn = c().path().sq_psn;
	for (int i = 0; i < 10; i++)
		submit(IBV_WR_SEND, 8);
	expect_sent({}, psn, psn + 10);
	answer(c().response(kAck, 2, psn + 9, 10));
	EXPECT_EQ(c().end().poll(Queue::kSend, 10).size(), 10u);
	for (int i = 0; i < 10; i++)
		submit(IBV_WR_SEND, 8);
	expect_sent({}, psn + 10, psn + 13);
	// No receive any more; nothing is under way: one.
	expect_sent_after(c().response(kAck, 0, psn + 12, 13), psn + 13, psn + 14);
	// The last ACK again: there are receives now.
	expect_sent_after(c().response(kAck, 1, psn + 12, 13), psn + 14, psn + 15);
	// They are not counted any more.
	expect_sent_after(c().response(kAck, kUnlimited, psn + 14, 15), psn + 15, psn + 20);
	answer(c().response(kAck, kUnlimited, psn + 19, 20));
	EXPECT_EQ(c().end().poll(Queue::kSend, 10).size(), 10u);
	expect_counts({{"rx_ghost_ack", 1}});
}

} // namespace
} // namespace packets
