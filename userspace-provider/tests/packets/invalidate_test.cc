// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// SEND with invalidate and accesses through memory windows, packet by packet.
#include "fixture.h"

namespace packets {
namespace {

class InvalidateTest : public PacketTest {
protected:
	/// A window of type 2 on @bytes of the peer's part from @offset on; its key.
	uint32_t open_window(uint32_t offset, uint32_t bytes,
			     unsigned access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)
	{
		Region region = c().end().reg_part(c().arena().whole(), Arena::kFarAt,
						   Arena::kFarBytes,
						   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
		BindSpec bind;
		bind.window = c().end().alloc_window(IBV_MW_TYPE_2);
		bind.region = region;
		bind.address = region.address + offset;
		bind.length = bytes;
		bind.access = access;
		Bound bound = c().end().bind_window(bind);
		must_be_zero(bound.error, "bind");
		auto completions = c().end().poll(Queue::kSend, 1);
		EXPECT_TRUE(completions.size() == 1 && completions[0].status == IBV_WC_SUCCESS);
		return bound.rkey;
	}
	Packet send(uint8_t opcode, uint32_t rkey, uint32_t bytes)
	{
		Packet packet = c().request(opcode, data(bytes));
		packet.h.inv_rkey = rkey;
		return packet;
	}
	Packet write(uint32_t rkey, uint32_t offset, uint32_t bytes)
	{
		Packet packet = c().write(kWriteOnly, c().arena().va(offset), bytes, data(bytes));
		packet.h.rkey = rkey;
		return packet;
	}
	/// @packet is answered by an access error.
	void refused(const Packet &packet, uint32_t msn)
	{
		expect_replies({packet}, {c().answer(kAck, kNakAccess, packet.h.psn, msn)});
		expect_counts({{"tx_nak_error", 1}});
		EXPECT_EQ(c().end().wait_event(patience()), IBV_EVENT_QP_ACCESS_ERR);
		expect_state(IBV_QPS_ERR);
		expect_memory();
	}
};

TEST_F(InvalidateTest, TheKeyIsReported)
{
	for (uint32_t bytes : {0u, 5u, 1024u}) {
		open();
		uint32_t rkey = open_window(0, 4096);
		post(0, 2048);
		Packet packet = send(kSendOnlyInv, rkey, bytes);
		expect_replies({packet}, {c().ack(packet.h.psn, 1)});
		ibv_wc wc = expect_received(0, packet.payload);
		EXPECT_EQ(wc.wc_flags & IBV_WC_WITH_INV, unsigned{IBV_WC_WITH_INV});
		EXPECT_EQ(wc.invalidated_rkey, rkey);
		refused(write(rkey, 0, 8), 1);
	}
}

TEST_F(InvalidateTest, WithTheLastPacket)
{
	open();
	uint32_t rkey = open_window(0, 4096);
	post(0, 4096);
	Packet first = c().request(kSendFirst, data(1024));
	first.h.ack_req = false;
	expect_replies({first}, {});
	Packet last = send(kSendLastInv, rkey, 100);
	expect_replies({last}, {c().ack(last.h.psn, 1)});
	Bytes whole = first.payload;
	whole.insert(whole.end(), last.payload.begin(), last.payload.end());
	EXPECT_EQ(expect_received(0, whole).invalidated_rkey, rkey);
	refused(write(rkey, 0, 8), 1);
}

/// What comes a second time is acknowledged, and not done again.
TEST_F(InvalidateTest, Duplicates)
{
	open();
	uint32_t rkey = open_window(0, 4096);
	post(0, 2048);
	Packet packet = send(kSendOnlyInv, rkey, 8);
	expect_replies({packet}, {c().ack(packet.h.psn, 1)});
	EXPECT_EQ(expect_received(0, packet.payload).invalidated_rkey, rkey);
	expect_replies({packet}, {c().ack(packet.h.psn, 1)});
	expect_nothing_received();
	expect_counts({{"rx_duplicate", 1}});
	expect_alive(2);
}

/// The message has arrived, and that is said; but it fails, and with it the QP.
TEST_F(InvalidateTest, KeysThatAreNone)
{
	for (int kind = 0; kind < 6; kind++) {
		SCOPED_TRACE(kind);
		open();
		uint32_t rkey = open_window(0, 4096);
		const uint32_t keys[] = {0,	   UINT32_MAX,		    rkey ^ 1,
					 rkey ^ 0x100, c().arena().rkey(), c().arena().whole().rkey};
		post(0, 2048);
		Packet packet = send(kSendOnlyInv, keys[kind], 16);
		expect_replies({packet}, {c().ack(packet.h.psn, 1)});
		auto completions = c().end().poll(Queue::kReceive, 1);
		ASSERT_EQ(completions.size(), 1u);
		EXPECT_EQ(completions[0].status, IBV_WC_MW_BIND_ERR);
		expect_state(IBV_QPS_ERR);
		c().arena().expect_inbox(0, packet.payload);
		expect_memory();
		Packet more = write(rkey, 0, 8);
		expect_replies({more}, {});
		expect_counts({{"rx_bad_qp_state", 1}});
	}
}

/// A window's key opens the window, from its first byte to its last.
TEST_F(InvalidateTest, ThroughAWindow)
{
	const struct {
		uint32_t offset;
		uint32_t bytes;
		bool good;
	} cases[] = {{64, 128, true}, {191, 1, true},  {63, 1, false},
		     {192, 1, false}, {64, 129, false}, {63, 130, false}};
	for (const auto &row : cases) {
		SCOPED_TRACE(row.offset);
		open();
		uint32_t rkey = open_window(64, 128);
		Packet packet = write(rkey, row.offset, row.bytes);
		if (row.good) {
			c().arena().expect_far(row.offset, packet.payload);
			expect_replies({packet}, {c().ack(packet.h.psn, 1)});
			expect_memory();
		} else {
			refused(packet, 0);
		}
	}
	// Only what it was opened for.
	open();
	uint32_t rkey = open_window(64, 128, IBV_ACCESS_REMOTE_READ);
	refused(write(rkey, 64, 8), 0);
}

/// It is closed between two packets of a WRITE: the second one is refused.
TEST_F(InvalidateTest, InTheMiddleOfAWrite)
{
	open();
	uint32_t rkey = open_window(0, 4096);
	Packet first = c().write(kWriteFirst, c().arena().va(), 1100, data(1024));
	first.h.rkey = rkey;
	first.h.ack_req = false;
	expect_replies({first}, {});
	c().arena().expect_far(0, first.payload);
	SendSpec invalidate{.opcode = IBV_WR_LOCAL_INV};
	invalidate.invalidate = rkey;
	ASSERT_EQ(c().end().post_send(invalidate), 0);
	auto completions = c().end().poll(Queue::kSend, 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].status, IBV_WC_SUCCESS);
	refused(c().request(kWriteLast, data(76)), 0);
}

} // namespace
} // namespace packets
