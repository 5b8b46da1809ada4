// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Answers that the device's requests should not get, and answers to nobody.
#include "requester.h"

namespace packets {
namespace {

class ResponseTest : public Requester {
protected:
	uint32_t psn() { return c().path().sq_psn; }
	/// @count SENDs are posted and have left, wr_ids from first_.
	void outstanding(size_t count)
	{
		first_ = last_wr_id_ + 1;
		for (size_t i = 0; i < count; i++)
			submit(IBV_WR_SEND, 8);
		for (size_t i = 0; i < count; i++)
			expect_psn(psn() + static_cast<uint32_t>(i));
	}
	void expect_all_good(size_t count)
	{
		for (size_t i = 0; i < count; i++)
			expect_complete(IBV_WC_SUCCESS, first_ + i);
		expect_not_complete();
	}
	uint64_t first_ = 0;
};

/// What syndromes count as: rule 2.9.
Counts count_syndromes(const std::vector<uint8_t> &syndromes)
{
	Counts counts;
	for (uint8_t syndrome : syndromes) {
		if ((syndrome & 0xe0) == 0x20)
			counts["rx_nak_rnr"]++;
		else if (syndrome == kNakSequence)
			counts["rx_nak_seq"]++;
		else if ((syndrome & 0xe0) == 0x60)
			counts["rx_nak_error"]++;
	}
	return counts;
}

/// Rule 2.3: nothing is outstanding, so whatever they say is about nothing.
TEST_F(ResponseTest, ToNobody)
{
	open();
	std::vector<Packet> packets;
	std::vector<uint8_t> syndromes;
	for (uint32_t distance : {0u, 1u, 2u, 1000u, 0x7fffffu, 0x800000u, 0x800001u, 0xffffffu}) {
		uint32_t at = psn_add(psn(), distance);
		for (uint8_t syndrome : {0x00, 0x1f, 0x20, 0x3f, 0x40, 0x60, 0x61, 0x62, 0x63, 0x64,
					 0x7f, 0x80, 0xff}) {
			packets.push_back(c().response(kAck, syndrome, at, 0xffffff));
			syndromes.push_back(syndrome);
		}
		for (uint8_t opcode : {kReadFirst, kReadMiddle, kReadLast, kReadOnly}) {
			for (uint32_t bytes : {0u, 8u, 1024u, 4096u})
				packets.push_back(
					c().response(opcode, kUnlimited, at, 1, data(bytes)));
		}
		packets.push_back(c().response(kAtomicAck, kUnlimited, at, 1));
	}
	expect_replies(packets, {});
	Counts counts = count_syndromes(syndromes);
	counts["rx_ghost_ack"] = packets.size();
	expect_counts(counts);
	expect_state(IBV_QPS_RTS);
	expect_memory();
	expect_not_complete();
	outstanding(1);
	answer(c().response(kAck, kUnlimited, psn(), 1));
	expect_all_good(1);
}

TEST_F(ResponseTest, OutsideOfWhatIsOutstanding)
{
	open();
	outstanding(3);
	std::vector<Packet> packets;
	std::vector<uint8_t> syndromes;
	for (uint32_t distance :
	     {3u, 4u, 100u, 0x7fffffu, 0x800000u, 0x900000u, 0xfffff0u, 0xffffffu}) {
		for (uint8_t syndrome : {0x1f, 0x21, 0x60, 0x61, 0x62, 0x63}) {
			packets.push_back(c().response(kAck, syndrome, psn() + distance, 3));
			syndromes.push_back(syndrome);
		}
		packets.push_back(
			c().response(kReadOnly, kUnlimited, psn() + distance, 3, data(8)));
		packets.push_back(c().response(kAtomicAck, kUnlimited, psn() + distance, 3));
	}
	expect_replies(packets, {});
	Counts counts = count_syndromes(syndromes);
	counts["rx_ghost_ack"] = packets.size();
	expect_counts(counts);
	expect_not_complete();
	answer(c().response(kAck, kUnlimited, psn() + 2, 3));
	expect_all_good(3);
	// Once more: it is a ghost now.
	answer(c().response(kAck, kUnlimited, psn() + 2, 3));
	expect_counts({{"rx_ghost_ack", 1}});
}

/// Rule 2.9: syndromes without meaning acknowledge nothing and refuse nothing.
TEST_F(ResponseTest, ReservedSyndromes)
{
	open();
	outstanding(2);
	std::vector<Packet> packets;
	std::vector<uint8_t> syndromes;
	for (unsigned syndrome = 0x40; syndrome < 0x100; syndrome++) {
		if (syndrome >= 0x60 && syndrome <= 0x64)
			continue;
		for (uint32_t i = 0; i < 2; i++) {
			syndromes.push_back(static_cast<uint8_t>(syndrome));
			packets.push_back(c().response(kAck, syndromes.back(), psn() + i, 2));
		}
	}
	expect_replies(packets, {});
	Counts counts = count_syndromes(syndromes);
	counts["rx_ghost_ack"] = packets.size();
	expect_counts(counts);
	expect_not_complete();
	expect_state(IBV_QPS_RTS);
	answer(c().response(kAck, kUnlimited, psn() + 1, 2));
	expect_all_good(2);
}

/// Every credit code is good, and none stops a message when no other is under way.
TEST_F(ResponseTest, CreditCodes)
{
	open();
	for (uint8_t code = 0; code < 32; code++) {
		submit(IBV_WR_SEND, 1);
		expect_psn(psn() + code);
		answer_and_complete(c().response(kAck, code, psn() + code, code));
	}
}

TEST_F(ResponseTest, Refusals)
{
	const std::pair<uint8_t, ibv_wc_status> naks[] = {
		{kNakInvalid, IBV_WC_REM_INV_REQ_ERR},
		{kNakAccess, IBV_WC_REM_ACCESS_ERR},
		{kNakOperation, IBV_WC_REM_OP_ERR},
	};
	for (auto [syndrome, status] : naks) {
		for (uint32_t at : {0u, 1u, 2u}) {
			open();
			outstanding(3);
			// A flood of them: the first one counts, the QP is in ERR for the rest.
			Packet nak = c().response(kAck, syndrome, psn() + at, at);
			expect_replies({nak, nak, nak}, {});
			for (uint32_t i = 0; i < at; i++)
				expect_complete(IBV_WC_SUCCESS, first_ + i);
			expect_complete(status, first_ + at);
			expect_flushed(2 - at);
			expect_counts({{"rx_nak_error", 1}, {"rx_bad_qp_state", 2}});
		}
	}
}

/// Rules 2.7 and 4.9: everything before is acknowledged, the rest comes again.
TEST_F(ResponseTest, SequenceErrorGoesBack)
{
	for (uint32_t at : {0u, 1u, 2u}) {
		open();
		outstanding(3);
		rig().wire.send(c().frame(c().response(kAck, kNakSequence, psn() + at, at)));
		for (uint32_t i = at; i < 3; i++)
			expect_psn(psn() + i);
		for (uint32_t i = 0; i < at; i++)
			expect_complete(IBV_WC_SUCCESS, first_ + i);
		expect_not_complete();
		answer(c().response(kAck, kUnlimited, psn() + 2, 3));
		for (uint32_t i = at; i < 3; i++)
			expect_complete(IBV_WC_SUCCESS, first_ + i);
		expect_counts({{"rx_nak_seq", 1}});
	}
}

/// Rule 4.10: one retry an event, however often it is told.
TEST_F(ResponseTest, FloodOfSequenceErrors)
{
	open();
	outstanding(2);
	uint64_t count = scaled(500u, 100u);
	std::vector<Bytes> naks(count, c().frame(c().response(kAck, kNakSequence, psn(), 0)));
	auto resent = rig().exchange(naks, 2);
	EXPECT_EQ(resent.size(), 2u) << "packets sent again";
	expect_counts({{"rx_nak_seq", count}});
	expect_not_complete();
	expect_state(IBV_QPS_RTS);
	answer(c().response(kAck, kUnlimited, psn() + 1, 2));
	expect_all_good(2);
}

/// One wait for all that come meanwhile, and one retry after each wait.
TEST_F(ResponseTest, FloodOfNotReady)
{
	open();
	outstanding(2);
	uint64_t count = scaled(200u, 50u);
	constexpr uint8_t kTimer = 27; // 122.88 ms
	constexpr Milliseconds kWait(122);
	Bytes nak = c().frame(c().response(kAck, kRnr | kTimer, psn(), 0));
	auto start = std::chrono::steady_clock::now();
	for (uint64_t i = 0; i < count; i++)
		rig().wire.send(nak);
	auto sent = std::chrono::steady_clock::now();
	size_t again = 0;
	auto first = sent;
	while (auto ip = rig().wire.receive(again ? 3 * kWait : patience())) {
		if (again++ == 0)
			first = std::chrono::steady_clock::now();
	}
	EXPECT_GE(first - start, kWait) << "did not wait";
	EXPECT_GE(again, 2u);
	EXPECT_LE(again, 2u * (1 + (sent - start) / kWait)) << "more retries than waits";
	answer(c().response(kAck, kUnlimited, psn() + 1, 2));
	expect_all_good(2);
	expect_counts({{"rx_nak_rnr", count}});
}

TEST_F(ResponseTest, NotReadyForTooLong)
{
	PathSpec path = quiet_path();
	path.rnr_retry = 2;
	open(IBV_QPT_RC, Family::kIpv4, path);
	outstanding(1);
	for (int i = 0; i < 2; i++) {
		rig().wire.send(c().frame(c().response(kAck, kRnr | 1, psn(), 0)));
		expect_psn(psn());
	}
	answer(c().response(kAck, kRnr | 1, psn(), 0));
	expect_complete(IBV_WC_RNR_RETRY_EXC_ERR, first_);
	expect_state(IBV_QPS_ERR);
	expect_counts({{"rx_nak_rnr", 3}, {"rnr_retry_exceeded", 1}});
}

/// More than wait for their turn: none is worth more than a counter.
TEST_F(ResponseTest, FloodOfGhosts)
{
	open();
	outstanding(1);
	uint64_t count = scaled(2000u, 200u);
	std::vector<Bytes> ghosts(
		count, c().frame(c().response(kReadFirst, kUnlimited, psn() + 5, 1, data(1024))));
	EXPECT_TRUE(rig().exchange(ghosts).empty());
	Counts counts = rig().counters.changes();
	EXPECT_EQ(counts["rx_ghost_ack"] + counts["rx_response_queue_full"], count);
	answer(c().response(kAck, kUnlimited, psn(), 1));
	expect_all_good(1);
	expect_memory();
}

} // namespace
} // namespace packets
