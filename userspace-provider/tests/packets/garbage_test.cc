// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Random packets: of random bytes, and of random fields with a good ICRC. Another process
// works all the while.
#include <sched.h>

#include <random>

#include "fixture.h"
#include "innocent.h"

namespace packets {
namespace {

class GarbageTest : public PacketTest {
protected:
	void SetUp() override
	{
		PacketTest::SetUp();
		uint64_t seed = rig_options().seed;
		printf("# seed %llu\n", static_cast<unsigned long long>(seed));
		random_.seed(seed);
		// The other process may run where it likes, this one stays where it is.
		cpu_set_t here, everywhere;
		sched_getaffinity(0, sizeof(here), &here);
		memset(&everywhere, 0xff, sizeof(everywhere));
		sched_setaffinity(0, sizeof(everywhere), &everywhere);
		innocent_ = std::make_unique<Innocent>();
		sched_setaffinity(0, sizeof(here), &here);
	}
	void TearDown() override
	{
		EXPECT_TRUE(innocent_->goes_on()) << innocent_->transfers() << " transfers, "
						  << innocent_->errors() << " errors";
		innocent_.reset();
		rig().exchange({});
		rig().counters.changes(); // whatever they are
		PacketTest::TearDown();
	}

	uint32_t number() { return static_cast<uint32_t>(random_()); }
	uint32_t below(uint32_t n) { return number() % n; }
	bool one_in(uint32_t n) { return below(n) == 0; }
	template <typename T> T any_of(const std::vector<T> &values)
	{
		return values[below(static_cast<uint32_t>(values.size()))];
	}
	Bytes bytes(size_t n)
	{
		Bytes fresh(n);
		for (uint8_t &byte : fresh)
			byte = static_cast<uint8_t>(number());
		return fresh;
	}

	std::mt19937_64 random_;

private:
	std::unique_ptr<Innocent> innocent_;
};

TEST_F(GarbageTest, Bytes)
{
	uint64_t rounds = scaled(100u, 20u) * rig_options().rounds;
	for (uint64_t round = 0; round < rounds; round++) {
		open(IBV_QPT_RC, round % 2 ? Family::kIpv6 : Family::kIpv4);
		std::vector<Packet> none;
		std::vector<packets::Bytes> frames;
		for (int i = 0; i < 50; i++) {
			uint32_t longest = one_in(10) ? 8900 : 120;
			frames.push_back(ip_packet(c().flow(), bytes(16 + below(longest))));
			packets::Bytes &ip = frames.back();
			// Some have lengths that lie, some a header that could be true.
			if (one_in(4))
				set_udp_length(ip, below(static_cast<uint32_t>(ip.size())));
			if (one_in(3)) {
				ip[bth_at(ip)] = static_cast<uint8_t>(below(0x20));
				ip[bth_at(ip) + 1] = 0;
			}
			ip[ip.size() - 1] ^= 0xff; // the ICRC is certainly wrong
		}
		expect_replies(frames, {});
		expect_memory();
		expect_alive(1);
		if (HasFailure())
			break;
	}
}

/// Fields that make sense, most of the time.
class FieldsTest : public GarbageTest {
protected:
	uint32_t some_psn(uint32_t about)
	{
		switch (below(8)) {
		case 0:
			return number();
		case 1:
			return about - 1 - below(4);
		case 2:
			return about + 1 + below(4);
		default:
			return about;
		}
	}
	uint64_t some_va()
	{
		const Arena &arena = c().arena();
		switch (below(12)) {
		case 0:
			return static_cast<uint64_t>(random_());
		case 1:
			return arena.va(Arena::kFarBytes) - below(64);
		case 2:
			return arena.va() - below(64);
		case 3:
			return UINT64_MAX - below(4096);
		default:
			return arena.va(below(Arena::kFarBytes / 2) & ~(one_in(2) ? 7u : 0u));
		}
	}
	uint32_t some_length()
	{
		return one_in(10) ? number()
				  : any_of<uint32_t>({0, 1, 3, 4, 7, 8, 64, 1020, 1023, 1024, 1025,
						      1028, 2048, 3000});
	}
	/// In a message that has begun, mostly what continues it.
	uint8_t some_opcode(uint8_t service)
	{
		if (one_in(20))
			return static_cast<uint8_t>(number());
		if (service == 0x60)
			return one_in(2) ? kUdSendOnly : kUdSendOnlyImm;
		if (inside_ != kNothing && !one_in(6)) {
			uint8_t middle = inside_ == kSendFirst ? kSendMiddle : kWriteMiddle;
			return static_cast<uint8_t>(service | (middle + below(3)));
		}
		return static_cast<uint8_t>(service | below(service ? 0x0c : 0x18));
	}
	Packet some_packet(uint8_t service)
	{
		Packet packet;
		srnic_pkt &h = packet.h;
		do {
			h.opcode = some_opcode(service);
		} while (!srnic_pkt_header_bytes(h.opcode));
		h.pkey = one_in(50) ? static_cast<uint16_t>(number()) : 0xffff;
		h.dest_qp = one_in(50) ? number() & 0xffffff : c().qpn();
		bool response = h.opcode >= kReadFirst && h.opcode <= kAtomicAck;
		h.psn = some_psn(response ? sent_psn_ : expected_psn_);
		h.ack_req = one_in(2);
		h.solicited = one_in(4);
		h.va = some_va();
		h.rkey = one_in(20) ? number() : c().arena().rkey();
		h.swap_add = static_cast<uint64_t>(random_());
		h.compare = static_cast<uint64_t>(random_());
		h.qkey = one_in(20) ? number() : 0x11111111;
		h.src_qp = number() & 0xffffff;
		h.syndrome = one_in(2) ? kUnlimited : static_cast<uint8_t>(number());
		h.msn = number() & 0xffffff;
		h.imm = number();
		uint8_t op = h.opcode & 0x1f;
		bool whole = op == kSendFirst || op == kSendMiddle || op == kWriteFirst ||
			     op == kWriteMiddle;
		uint32_t length = whole && !one_in(10) ? 1024 : some_length();
		h.dma_len = one_in(3) || op == kWriteFirst ? some_length() : length;
		bool empty = h.opcode == kReadRequest || h.opcode == kCompareSwap ||
			     h.opcode == kFetchAdd || h.opcode == kAck || h.opcode == kAtomicAck;
		if (!empty || one_in(10))
			packet.payload = bytes(length % 4096);
		return packet;
	}
	/// Whether a packet moved the receiver on is guessed: mostly right is good enough.
	packets::Bytes frame_of(const Packet &packet)
	{
		uint8_t op = packet.h.opcode & 0x1f;
		if (packet.h.psn == expected_psn_ && (op < kReadFirst || op > kAtomicAck)) {
			expected_psn_ = psn_add(expected_psn_, 1);
			if (op == kSendFirst || op == kWriteFirst)
				inside_ = op;
			else if (op != kSendMiddle && op != kWriteMiddle)
				inside_ = kNothing;
		}
		packets::Bytes ip = c().frame(packet);
		if (one_in(15)) {
			// One byte wrong, but sealed.
			ip[bth_at(ip) + below(static_cast<uint32_t>(ip.size() - bth_at(ip)))] =
				static_cast<uint8_t>(number());
			seal(ip);
		}
		return ip;
	}
	void begin(ibv_qp_type type, Family family)
	{
		open(type, family);
		previous_peer_ = peer_;
		peer_ = c().peer_qpn();
		inside_ = kNothing;
		expected_psn_ = c().path().rq_psn;
		sent_psn_ = c().path().sq_psn;
		for (uint32_t i = 0; i < 8; i++)
			post(i * 2000, one_in(2) ? 2000 : 64);
		if (type != IBV_QPT_RC)
			return;
		// Something to be answered.
		const ibv_wr_opcode opcodes[] = {IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
						 IBV_WR_ATOMIC_FETCH_AND_ADD};
		for (uint64_t i = 0; i < 6; i++) {
			SendSpec spec;
			spec.wr_id = i;
			spec.opcode = opcodes[below(4)];
			uint32_t most = i % 2 ? 8 : 2500;
			spec.sges = {c().arena().inbox(
				0, spec.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : most)};
			must_be_zero(c().end().post_send(spec), "post_send");
		}
	}
	/// Whatever the device says, it says it in good packets. Returns whether the end has come.
	bool judge(const std::vector<Reply> &replies)
	{
		bool over = false;
		for (const Reply &reply : replies) {
			const srnic_pkt &h = reply.packet.h;
			EXPECT_EQ(reply.problem, "") << describe(reply.packet);
			// Sent again by the QP before, just before that was destroyed.
			if (h.dest_qp == previous_peer_)
				continue;
			EXPECT_EQ(h.dest_qp, peer_);
			EXPECT_EQ(h.pkey, 0xffff);
			EXPECT_LE(reply.packet.payload.size(), c().mtu());
			if (h.opcode != kAck)
				continue;
			over |= h.syndrome >= kNakInvalid;
			if (h.syndrome >= kRnr)
				expected_psn_ = h.psn;
		}
		return over;
	}

	static constexpr uint8_t kNothing = 0xff;
	uint8_t inside_ = kNothing;
	uint32_t expected_psn_ = 0, sent_psn_ = 0;
	uint32_t peer_ = 0, previous_peer_ = 0;
};

TEST_F(FieldsTest, GoodIcrc)
{
	const std::pair<ibv_qp_type, uint8_t> kinds[] = {
		{IBV_QPT_RC, 0x00}, {IBV_QPT_UC, 0x20}, {IBV_QPT_UD, 0x60}, {IBV_QPT_RC, 0x00}};
	uint32_t rounds = scaled(1200u, 100u) * rig_options().rounds;
	for (uint32_t round = 0; round < rounds; round++) {
		SCOPED_TRACE("round " + std::to_string(round));
		auto [type, service] = kinds[round % 4];
		begin(type, one_in(4) ? Family::kIpv6 : Family::kIpv4);
		bool over = false;
		for (int burst = 0; burst < 6 && !over; burst++) {
			std::vector<packets::Bytes> frames;
			for (int i = 0; i < 8; i++)
				frames.push_back(frame_of(some_packet(service)));
			over = judge(rig().exchange(frames));
		}
		EXPECT_EQ(c().arena().difference_outside(), "");
		if (HasFailure())
			break;
	}
}

} // namespace
} // namespace packets
