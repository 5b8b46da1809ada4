// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// RC requests in the wrong order: gaps, duplicates, receivers that are not ready.
#include "fixture.h"

namespace packets {
namespace {

class SequenceTest : public PacketTest {
protected:
	Packet write_at(uint32_t psn, uint32_t offset, const Bytes &payload)
	{
		Packet packet = c().write(kWriteOnly, c().arena().va(offset),
					  static_cast<uint32_t>(payload.size()), payload);
		packet.h.psn = psn;
		return packet;
	}
	uint32_t epsn() { return c().path().rq_psn; }
};

/// Rule 2.2: what is ahead by less than half of the circle.
TEST_F(SequenceTest, GapIsNakedOnce)
{
	for (uint32_t ahead : {1u, 2u, 255u, 0x10000u, 0x400000u, 0x7fffffu}) {
		SCOPED_TRACE(hex(ahead));
		open();
		std::vector<Packet> late;
		for (int i = 0; i < 5; i++)
			late.push_back(write_at(psn_add(epsn(), ahead), 0, data(8)));
		expect_replies(late, {c().answer(kAck, kNakSequence, epsn(), 0)});
		expect_memory();
		expect_counts({{"rx_out_of_sequence", 5}, {"tx_nak_seq", 1}});
		// What was missing comes, and the next gap is told again.
		c().psn = epsn();
		expect_alive(1);
		expect_replies({write_at(psn_add(epsn(), 2), 0, data(8))},
			       {c().answer(kAck, kNakSequence, psn_add(epsn(), 1), 1)});
		expect_counts({{"rx_out_of_sequence", 1}, {"tx_nak_seq", 1}});
		expect_memory();
	}
}

TEST_F(SequenceTest, GapsOfEveryKindOfRequest)
{
	open();
	post(0, 64);
	uint32_t psn = psn_add(epsn(), 1);
	std::vector<Packet> late = {
		c().request(kSendFirst, data(1024)),	c().request(kSendMiddle, data(1024)),
		c().request(kSendLast, data(8)),	c().request(kSendOnlyImm, data(8)),
		c().request(kWriteMiddle, data(16)),	c().request(kWriteLastImm, data(8)),
		c().read(c().arena().va(), 16),		c().atomic(kFetchAdd, c().arena().va(), 1),
		c().request(kSendOnlyInv, data(8)),	c().request(kReadRequest, data(8)),
		c().write(kWriteFirst, 0, 77, data(8)),
	};
	for (Packet &packet : late)
		packet.h.psn = psn;
	expect_replies(late, {c().answer(kAck, kNakSequence, epsn(), 0)});
	expect_counts({{"rx_out_of_sequence", late.size()}, {"tx_nak_seq", 1}});
	expect_nothing_received();
	c().psn = epsn();
	expect_alive(1);
}

TEST_F(SequenceTest, FloodOfGaps)
{
	open();
	std::vector<Packet> late;
	uint32_t count = scaled(2000u, 300u);
	for (uint32_t i = 1; i <= count; i++)
		late.push_back(write_at(psn_add(epsn(), i), 0, data(4)));
	expect_replies(late, {c().answer(kAck, kNakSequence, epsn(), 0)});
	expect_counts({{"rx_out_of_sequence", count}, {"tx_nak_seq", 1}});
	expect_memory();
	c().psn = epsn();
	expect_alive(1);
}

/// Rules 2.2 and 3.4: never executed again, acknowledged anew.
TEST_F(SequenceTest, Duplicates)
{
	open();
	for (uint32_t msn = 1; msn <= 3; msn++)
		expect_alive(msn);
	Packet ack = c().ack(psn_add(epsn(), 2), 3);
	uint32_t next = c().psn;
	post(0, 64);
	for (uint32_t behind : {1u, 2u, 3u, 100u, 0x400000u, 0x7fffffu, 0x800000u}) {
		SCOPED_TRACE(hex(behind));
		uint32_t psn = psn_add(next, 0x1000000 - behind);
		Packet send = c().request(kSendOnlyImm, data(8));
		send.h.psn = psn;
		Packet first = c().request(kSendFirst, data(1024));
		first.h.psn = psn;
		// Also what could not be executed: nobody looks at it.
		Packet no_key = write_at(psn, 0, data(8));
		no_key.h.rkey = 0x12345678;
		Packet too_long = c().request(kWriteMiddle, data(4096));
		too_long.h.psn = psn;
		std::vector<Packet> old = {write_at(psn, 0, data(8)), send, first, no_key,
					   too_long};
		expect_replies(old, std::vector<Packet>(old.size(), ack));
		expect_counts({{"rx_duplicate", old.size()}});
		expect_nothing_received();
		expect_memory();
	}
	c().psn = next;
	expect_alive(4);
}

TEST_F(SequenceTest, DuplicatesInsideOfAMessage)
{
	open();
	Bytes payload = data(2048 + 9);
	auto at = payload.begin();
	std::vector<Packet> packets = {
		c().write(kWriteFirst, c().arena().va(3), 2057, {at, at + 1024}),
		c().request(kWriteMiddle, {at + 1024, at + 2048}),
		c().request(kWriteLast, {at + 2048, payload.end()})};
	expect_replies({packets[0], packets[0], packets[1], packets[0], packets[1], packets[2],
			packets[1], packets[2]},
		       {c().ack(epsn(), 0), c().ack(epsn(), 0), c().ack(epsn() + 1, 0),
			c().ack(epsn() + 1, 0), c().ack(epsn() + 1, 0), c().ack(epsn() + 2, 1),
			c().ack(epsn() + 2, 1), c().ack(epsn() + 2, 1)});
	expect_counts({{"rx_duplicate", 5}});
	c().arena().expect_far(3, payload);
	expect_alive(2);
}

TEST_F(SequenceTest, DuplicateReads)
{
	open();
	Bytes content = c().arena().far_bytes(0, 2048 + 512);
	auto at = content.begin();
	Packet read = c().read(c().arena().va(), 2560);
	std::vector<Packet> answer = {
		c().answer(kReadFirst, kUnlimited, epsn(), 1, {at, at + 1024}),
		c().answer(kReadMiddle, 0, epsn() + 1, 0, {at + 1024, at + 2048}),
		c().answer(kReadLast, kUnlimited, epsn() + 2, 1, {at + 2048, content.end()})};
	expect_replies({read}, answer);
	expect_replies({read}, answer);
	expect_counts({{"rx_duplicate", 1}});

	// From the middle on, as a requester asks that has lost a part.
	Packet tail = read;
	tail.h.psn = epsn() + 1;
	tail.h.va += 1024;
	tail.h.dma_len -= 1024;
	std::vector<Packet> rest = {
		c().answer(kReadFirst, kUnlimited, epsn() + 1, 1, {at + 1024, at + 2048}),
		answer[2]};
	expect_replies({tail}, rest);
	tail.h.psn = epsn() + 2;
	tail.h.va += 1024;
	tail.h.dma_len -= 1024;
	Packet last = answer[2];
	last.h.opcode = kReadOnly;
	expect_replies({tail}, {last});
	expect_counts({{"rx_duplicate", 2}});

	// The same PSNs for something else: ignored.
	std::vector<Packet> others(6, read);
	others[0].h.rkey ^= 1;
	others[1].h.va += 8;
	others[2].h.dma_len -= 1;
	others[3].h.dma_len = 0xffffffff;
	others[4].h.psn = epsn() + 1;
	others[5] = c().atomic(kFetchAdd, c().arena().va(), 1);
	others[5].h.psn = epsn();
	expect_replies(others, {});
	expect_counts({{"rx_duplicate", others.size()}});
	c().psn = psn_add(epsn(), 3);
	expect_alive(2);
}

TEST_F(SequenceTest, DuplicatesOfNoRead)
{
	open();
	expect_alive(1);
	expect_alive(2);
	uint32_t next = c().psn;
	std::vector<Packet> old;
	for (uint32_t behind : {1u, 2u, 3u, 1000u, 0x800000u}) {
		old.push_back(c().read(c().arena().va(), 64));
		old.push_back(c().atomic(kFetchAdd, c().arena().va(), 1));
		old.push_back(c().atomic(kCompareSwap, c().arena().va(), 1, 2));
		for (size_t i = old.size() - 3; i < old.size(); i++)
			old[i].h.psn = psn_add(next, 0x1000000 - behind);
	}
	expect_replies(old, {});
	expect_counts({{"rx_duplicate", old.size()}});
	c().psn = next;
	expect_alive(3);
}

/// The value of the first time, and no second effect.
TEST_F(SequenceTest, DuplicateAtomics)
{
	open();
	uint64_t va = c().arena().va(64), value;
	memcpy(&value, c().arena().far_bytes(64, 8).data(), 8);
	Packet add = c().atomic(kFetchAdd, va, 5);
	Packet swap = c().atomic(kCompareSwap, va, 7, value + 5);
	Packet added = c().atomic_ack(epsn(), 1, value);
	Packet swapped = c().atomic_ack(epsn() + 1, 2, value + 5);
	expect_replies({add}, {added});
	expect_replies({swap}, {swapped});
	added.h.msn = 2;
	expect_replies({add, add, swap}, {added, added, swapped});
	expect_counts({{"rx_duplicate", 3}});
	Bytes now(8);
	now[0] = 7;
	c().arena().expect_far(64, now);
	expect_memory();

	Packet other = c().atomic(kCompareSwap, va, 1, 7);
	other.h.psn = epsn();
	Packet read = c().read(va, 8);
	read.h.psn = epsn();
	expect_replies({other, read}, {});
	expect_counts({{"rx_duplicate", 2}});
	c().psn = psn_add(epsn(), 2);
	expect_alive(3);
}

/// Rule 3.4.1: as many are remembered as may be outstanding, at least.
TEST_F(SequenceTest, ReadsAreRememberedInOrder)
{
	open();
	std::vector<Packet> reads, answers;
	for (uint32_t i = 0; i < 8; i++) {
		reads.push_back(c().read(c().arena().va(i * 16), 16));
		answers.push_back(c().answer(kReadOnly, kUnlimited, epsn() + i, i + 1,
					     c().arena().far_bytes(i * 16, 16)));
		expect_replies({reads[i]}, {answers[i]});
	}
	for (Packet &answer : answers)
		answer.h.msn = 8;
	expect_replies(reads, answers);
	expect_counts({{"rx_duplicate", 8}});
}

/// Rule 3.2 f: nothing is executed, and the same packet is expected again.
TEST_F(SequenceTest, ReceiverNotReady)
{
	for (uint8_t timer : {0, 1, 12, 31}) {
		PathSpec path = quiet_path();
		path.min_rnr_timer = timer;
		open(IBV_QPT_RC, Family::kIpv4, path);
		Packet rnr = c().answer(kAck, kRnr | timer, epsn(), 0);
		Bytes payload = data(24);
		Packet send = c().request(kSendOnly, payload);
		expect_replies({send}, {rnr});
		// What follows is neither executed nor NAKed: the peer knows already.
		expect_replies({c().request(kSendOnly, data(8)), write_at(epsn() + 2, 0, data(8))},
			       {});
		expect_counts({{"tx_nak_rnr", 1}, {"rx_out_of_sequence", 2}});
		// Each further try gets an answer of its own.
		expect_replies({send, send}, {rnr, rnr});
		Packet imm = c().write(kWriteOnlyImm, c().arena().va(), 8, data(8));
		imm.h.psn = epsn();
		expect_replies({imm}, {rnr});
		expect_counts({{"tx_nak_rnr", 3}});
		expect_memory();
		post(16, 24);
		expect_replies({send}, {c().ack(epsn(), 1)});
		expect_received(16, payload);
		c().psn = psn_add(epsn(), 1);
		expect_alive(2);
	}
}

TEST_F(SequenceTest, NotReadyForTheLastPacketOnly)
{
	open();
	Bytes payload = data(1024 + 8);
	auto at = payload.begin();
	Packet first = c().write(kWriteFirst, c().arena().va(), 1032, {at, at + 1024});
	Packet last = c().request(kWriteLastImm, {at + 1024, payload.end()});
	expect_replies({first, last},
		       {c().ack(epsn(), 0), c().answer(kAck, kRnr | 12, epsn() + 1, 0)});
	c().arena().expect_far(0, {at, at + 1024});
	expect_memory(); // the last packet's payload is not there yet
	expect_counts({{"tx_nak_rnr", 1}});
	post(0, 0);
	expect_replies({last}, {c().ack(epsn() + 1, 1)});
	c().arena().expect_far(0, payload);
	EXPECT_EQ(c().end().poll(Queue::kReceive, 1).size(), 1u);
	expect_alive(2);
}

} // namespace
} // namespace packets
