// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Remote keys, bounds and alignment (rule 3.3): a NAK, and not one byte touched.
#include "fixture.h"

namespace packets {
namespace {

class KeyTest : public PacketTest {
protected:
	/// The first packet of every operation that names memory, @bytes at @va.
	std::vector<Packet> operations(uint64_t va, uint32_t bytes)
	{
		std::vector<Packet> packets;
		if (bytes <= 1024)
			packets.push_back(c().write(kWriteOnly, va, bytes, data(bytes)));
		else
			packets.push_back(c().write(kWriteFirst, va, bytes, data(1024)));
		packets.push_back(c().read(va, bytes));
		if (bytes == 8) {
			packets.push_back(c().atomic(kCompareSwap, va, 1));
			packets.push_back(c().atomic(kFetchAdd, va, 1));
		}
		for (Packet &packet : packets)
			packet.h.psn = c().path().rq_psn;
		return packets;
	}
	/// @packet on a fresh connection is refused.
	void refused(const Packet &packet, uint8_t syndrome = kNakAccess)
	{
		SCOPED_TRACE(describe(packet));
		reopen();
		expect_replies({packet}, {c().answer(kAck, syndrome, packet.h.psn, 0)});
		expect_counts({{"tx_nak_error", 1}});
		EXPECT_EQ(c().end().wait_event(patience()),
			  syndrome == kNakAccess ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR);
		expect_state(IBV_QPS_ERR);
		expect_memory();
	}
	void refused_with_key(uint32_t rkey)
	{
		for (Packet &packet : operations(c().arena().va(), 8)) {
			packet.h.rkey = rkey;
			refused(packet);
		}
	}
};

TEST_F(KeyTest, NoSuchKey)
{
	open();
	uint32_t rkey = c().arena().rkey();
	for (uint32_t wrong : {rkey ^ 1, rkey ^ 0x80, rkey ^ 0x100, rkey ^ 0x80000000, 0u, 1u,
			       0xffu, 0x100u, UINT32_MAX, rkey & ~0xffu})
		if (wrong != rkey)
			refused_with_key(wrong);
}

/// The key is good, for others.
TEST_F(KeyTest, KeysThatDoNotGrantIt)
{
	open();
	const Region &whole = c().arena().whole();
	refused_with_key(whole.rkey); // no rights for peers
	auto part = [&](int access) {
		return c().end().reg_part(whole, Arena::kFarAt, 4096, access);
	};
	Region read_only = part(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	Region write_only = part(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	for (Packet &packet : operations(c().arena().va(), 8)) {
		bool writes = packet.h.opcode == kWriteOnly,
		     reads = packet.h.opcode == kReadRequest;
		if (!reads) {
			packet.h.rkey = read_only.rkey;
			refused(packet);
		}
		if (!writes) {
			packet.h.rkey = write_only.rkey;
			refused(packet);
		}
	}
	EXPECT_EQ(c().end().dereg(read_only), 0);
	EXPECT_EQ(c().end().dereg(write_only), 0);
	refused_with_key(read_only.rkey);
	refused_with_key(write_only.rkey);
}

/// Memory of somebody else, who may use it with the very same key.
TEST_F(KeyTest, AnotherProtectionDomain)
{
	Connection &other = rig().connection(IBV_QPT_UC, Family::kIpv4);
	open();
	for (Packet &packet : operations(other.arena().va(), 8)) {
		packet.h.rkey = other.arena().rkey();
		refused(packet);
		EXPECT_EQ(other.arena().difference(), "");
	}
}

TEST_F(KeyTest, OutOfBounds)
{
	open();
	const Arena &arena = c().arena();
	const struct {
		int64_t offset;
		uint32_t bytes;
	} cases[] = {
		{-1, 1},
		{-1, 8},
		{-8, 8},
		{-1, 2048},
		{Arena::kFarBytes, 1},
		{Arena::kFarBytes, 8},
		{Arena::kFarBytes - 7, 8},
		{Arena::kFarBytes - 1, 2},
		{Arena::kFarBytes - 2047, 2048},
		{0, Arena::kFarBytes + 1},
		{-1, Arena::kFarBytes + 2},
		{0, 0x7fffffff},
		{0, 0x80000000},
		{8, 0x80000000},
		{-0x100000, 64},
		{0x100000, 64},
	};
	for (auto [offset, bytes] : cases) {
		for (const Packet &packet :
		     operations(arena.va(static_cast<uint64_t>(offset)), bytes)) {
			bool atomic = packet.h.opcode >= kCompareSwap;
			if (!atomic || packet.h.va % 8 == 0)
				refused(packet);
		}
	}
}

/// Addresses at which a sum wraps around.
TEST_F(KeyTest, WrapAround)
{
	open();
	uint64_t va = c().arena().va();
	for (uint64_t at : {UINT64_MAX, UINT64_MAX - 6, UINT64_MAX - 7, UINT64_MAX - 1023,
			    UINT64_MAX - 0x7fffffff, uint64_t{1} << 63, (uint64_t{1} << 63) + va,
			    va + (uint64_t{1} << 32), va - (uint64_t{1} << 32), uint64_t{0}}) {
		for (uint32_t bytes : {1u, 8u, 1024u, 0x7fffffffu, 0x80000000u}) {
			for (const Packet &packet : operations(at, bytes)) {
				if (packet.h.opcode < kCompareSwap || at % 8 == 0)
					refused(packet);
			}
		}
	}
}

/// Rule 3.2 k.
TEST_F(KeyTest, MisalignedAtomics)
{
	open();
	for (uint32_t offset = 1; offset < 8; offset++) {
		for (uint8_t opcode : {kCompareSwap, kFetchAdd}) {
			Packet packet = c().atomic(opcode, c().arena().va(64 + offset), 1);
			packet.h.psn = c().path().rq_psn;
			refused(packet, kNakInvalid);
		}
	}
}

/// Rule 3.3.1: nothing is accessed, so nothing is checked.
TEST_F(KeyTest, NothingNeedsNoKey)
{
	open();
	uint32_t msn = 0;
	for (uint64_t va : {uint64_t{0}, UINT64_MAX, c().arena().va() - 1}) {
		for (uint32_t rkey : {0u, UINT32_MAX, c().arena().rkey()}) {
			uint32_t psn = c().psn;
			Packet write = c().write(kWriteOnly, va, 0, {});
			Packet read = c().read(va, 0);
			write.h.rkey = read.h.rkey = rkey;
			expect_replies({write}, {c().ack(psn, ++msn)});
			++msn;
			expect_replies({read}, {c().answer(kReadOnly, kUnlimited, psn + 1, msn)});
		}
	}
	expect_alive(++msn);
}

/// A WRITE with immediate data has taken its receive, which fails (rule 3.6).
TEST_F(KeyTest, WriteWithImmediate)
{
	open();
	post(0, 64);
	Packet packet = c().write(kWriteOnlyImm, c().arena().va(), 8, data(8));
	packet.h.rkey ^= 1;
	expect_replies({packet}, {c().answer(kAck, kNakAccess, packet.h.psn, 0)});
	expect_counts({{"tx_nak_error", 1}});
	auto completions = c().end().poll(Queue::kReceive, 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].status, IBV_WC_LOC_ACCESS_ERR);
}

/// Rule 3.3.3: the key is gone when the second packet comes.
TEST_F(KeyTest, KeyThatGoesAwayInTheMiddle)
{
	for (uint8_t opcode : {kWriteMiddle, kWriteLast}) {
		open();
		Region region =
			c().end().reg_part(c().arena().whole(), Arena::kFarAt, 4096, kAllAccess);
		Packet first = c().write(kWriteFirst, region.address,
					 opcode == kWriteMiddle ? 4096 : 1032, data(1024));
		first.h.rkey = region.rkey;
		expect_replies({first}, {c().ack(first.h.psn, 0)});
		c().arena().expect_far(0, first.payload);
		EXPECT_EQ(c().end().dereg(region), 0);
		Packet next = c().request(opcode, data(opcode == kWriteMiddle ? 1024 : 8));
		expect_replies({next}, {c().answer(kAck, kNakAccess, next.h.psn, 0)});
		expect_counts({{"tx_nak_error", 1}});
		EXPECT_EQ(c().end().wait_event(patience()), IBV_EVENT_QP_ACCESS_ERR);
		expect_memory();
	}
}

/// A READ that is asked for again when its memory has gone: dropped, not answered.
TEST_F(KeyTest, KeyThatGoesAwayBeforeADuplicate)
{
	open();
	Region region = c().end().reg_part(c().arena().whole(), Arena::kFarAt, 4096, kAllAccess);
	Packet read = c().read(region.address, 16);
	read.h.rkey = region.rkey;
	expect_replies({read}, {c().answer(kReadOnly, kUnlimited, read.h.psn, 1,
					   c().arena().far_bytes(0, 16))});
	EXPECT_EQ(c().end().dereg(region), 0);
	// Rule 3.4 never NAKs a duplicate; a NAK of the READ itself would be one.
	expect_replies({read}, {});
	expect_counts({{"rx_duplicate", 1}});
	expect_alive(2);
}

} // namespace
} // namespace packets
