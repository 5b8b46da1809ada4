// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// RC requests that are refused for good: a NAK, and the end of the connection (rule 3.2).
#include <functional>

#include "fixture.h"

namespace packets {
namespace {

/// Requests before the bad one, which are executed, and the bad one.
struct Refusal {
	std::string name;
	std::vector<Packet> before;
	Packet bad;
};

class RefusalTest : public PacketTest {
protected:
	using Make = std::function<Refusal()>;

	void refused(const Refusal &refusal, uint8_t syndrome)
	{
		SCOPED_TRACE(refusal.name);
		uint32_t msn = 0;
		std::vector<Packet> requests = refusal.before;
		for (Packet &packet : requests)
			packet.h.ack_req = false;
		requests.push_back(refusal.bad);
		expect_replies(requests, {c().answer(kAck, syndrome, refusal.bad.h.psn, msn)});
		expect_counts({{"tx_nak_error", 1}});
		expect_state(IBV_QPS_ERR);
		// It is over: whatever comes is not even looked at.
		Packet good = c().write(kWriteOnly, c().arena().va(), 8, data(8));
		good.h.psn = refusal.bad.h.psn;
		expect_replies({good, refusal.bad}, {});
		expect_counts({{"rx_bad_qp_state", 2}});
		expect_memory();
	}
	/// No receive is to blame, so an event tells.
	void expect_event(int event)
	{
		EXPECT_EQ(c().end().wait_event(patience()), event);
		EXPECT_TRUE(c().end().poll(Queue::kReceive, 1, Milliseconds(0)).empty());
	}
	/// The receive in use fails.
	void expect_failed_receive(ibv_wc_status status)
	{
		auto completions = c().end().poll(Queue::kReceive, 1);
		ASSERT_EQ(completions.size(), 1u);
		EXPECT_EQ(completions[0].status, status);
		EXPECT_EQ(c().end().wait_event(Milliseconds(0)), -1);
	}
	/// What the packets of a SEND or WRITE that are executed leave in memory.
	void placed_far(uint32_t offset, const Packet &packet)
	{
		c().arena().expect_far(offset, packet.payload);
	}
};

TEST_F(RefusalTest, OpcodeSequence)
{
	const struct {
		std::vector<uint8_t> before;
		uint8_t bad;
	} cases[] = {
		{{}, kSendMiddle},
		{{}, kSendLast},
		{{}, kSendLastImm},
		{{}, kSendLastInv},
		{{}, kWriteMiddle},
		{{}, kWriteLast},
		{{}, kWriteLastImm},
		{{kSendFirst}, kSendFirst},
		{{kSendFirst}, kSendOnly},
		{{kSendFirst}, kSendOnlyImm},
		{{kSendFirst}, kWriteFirst},
		{{kSendFirst}, kWriteMiddle},
		{{kSendFirst}, kWriteLast},
		{{kSendFirst}, kWriteLastImm},
		{{kSendFirst}, kWriteOnly},
		{{kSendFirst}, kReadRequest},
		{{kSendFirst}, kCompareSwap},
		{{kSendFirst, kSendMiddle}, kSendFirst},
		{{kSendFirst, kSendMiddle}, kFetchAdd},
		{{kWriteFirst}, kWriteFirst},
		{{kWriteFirst}, kWriteOnly},
		{{kWriteFirst}, kWriteOnlyImm},
		{{kWriteFirst}, kSendFirst},
		{{kWriteFirst}, kSendMiddle},
		{{kWriteFirst}, kSendLast},
		{{kWriteFirst}, kSendLastImm},
		{{kWriteFirst}, kSendOnly},
		{{kWriteFirst}, kReadRequest},
		{{kWriteFirst}, kFetchAdd},
		{{kWriteFirst, kWriteMiddle}, kReadRequest},
		{{kWriteFirst, kWriteMiddle}, kSendMiddle},
	};
	for (const auto &[before, bad] : cases) {
		open();
		post(0, 4096);
		Refusal refusal;
		uint32_t offset = 0;
		for (uint8_t opcode : before) {
			refusal.name += hex(opcode) + " ";
			Packet packet = opcode == kWriteFirst ? c().write(opcode, c().arena().va(),
									  4096, data(1024))
							      : c().request(opcode, data(1024));
			if (before[0] == kWriteFirst)
				c().arena().expect_far(offset, packet.payload);
			else
				c().arena().expect_inbox(offset, packet.payload);
			offset += 1024;
			refusal.before.push_back(packet);
		}
		refusal.name += "then " + hex(bad);
		bool first = bad == kSendFirst || bad == kSendMiddle || bad == kWriteFirst ||
			     bad == kWriteMiddle;
		bool no_payload = bad == kReadRequest || bad == kCompareSwap || bad == kFetchAdd;
		refusal.bad = c().write(bad, c().arena().va(), first ? 2048 : 8,
					no_payload ? Bytes() : data(first ? 1024 : 8));
		refused(refusal, kNakInvalid);
		if (!before.empty() && before[0] == kSendFirst)
			expect_failed_receive(IBV_WC_LOC_QP_OP_ERR);
		else
			EXPECT_EQ(c().end().wait_event(patience()), IBV_EVENT_QP_REQ_ERR);
	}
}

TEST_F(RefusalTest, UnknownOperations)
{
	open();
	refused({"FLUSH", {}, c().write(kFlush, c().arena().va(), 0, {})}, kNakInvalid);
	expect_event(IBV_EVENT_QP_REQ_ERR);
}

TEST_F(RefusalTest, AtomicWritesOfOtherThanAWord)
{
	struct {
		uint64_t offset;
		uint32_t length, payload;
	} const cases[] = {{0, 8, 0},  {0, 8, 4},  {0, 8, 16}, {0, 0, 8},  {0, 4, 8},
			   {0, 16, 8}, {0, 16, 16}, {1, 8, 8}, {4, 8, 8}, {7, 8, 8}};
	for (const auto &wrong : cases) {
		open();
		refused({std::to_string(wrong.length) + " at " + std::to_string(wrong.offset),
			 {},
			 c().write(kAtomicWrite, c().arena().va(wrong.offset), wrong.length,
				   data(wrong.payload))},
			kNakInvalid);
		expect_event(IBV_EVENT_QP_REQ_ERR);
	}
}

/// Rule 3.2 d: what the QP does not grant, however short it is.
TEST_F(RefusalTest, NotGranted)
{
	const std::tuple<uint8_t, unsigned, uint32_t> cases[] = {
		{kWriteOnly, IBV_ACCESS_REMOTE_WRITE, 8},
		{kWriteOnly, IBV_ACCESS_REMOTE_WRITE, 0},
		{kWriteOnlyImm, IBV_ACCESS_REMOTE_WRITE, 0},
		{kReadRequest, IBV_ACCESS_REMOTE_READ, 8},
		{kReadRequest, IBV_ACCESS_REMOTE_READ, 0},
		{kCompareSwap, IBV_ACCESS_REMOTE_ATOMIC, 8},
		{kFetchAdd, IBV_ACCESS_REMOTE_ATOMIC, 8},
	};
	for (auto [opcode, right, bytes] : cases) {
		PathSpec path = quiet_path();
		path.access = kAllAccess & ~static_cast<int>(right);
		open(IBV_QPT_RC, Family::kIpv4, path);
		bool payload = opcode == kWriteOnly || opcode == kWriteOnlyImm;
		post(0, 64);
		refused({hex(opcode),
			 {},
			 c().write(opcode, c().arena().va(), bytes, data(payload ? bytes : 0))},
			kNakInvalid);
		EXPECT_EQ(c().end().wait_event(patience()), IBV_EVENT_QP_REQ_ERR);
	}
}

/// Rule 3.2 e.
TEST_F(RefusalTest, NoReadResources)
{
	for (uint8_t opcode : {kReadRequest, kCompareSwap, kFetchAdd}) {
		PathSpec path = quiet_path();
		path.max_dest_rd_atomic = 0;
		open(IBV_QPT_RC, Family::kIpv4, path);
		refused({hex(opcode), {}, c().write(opcode, c().arena().va(), 8, {})}, kNakInvalid);
		expect_event(IBV_EVENT_QP_REQ_ERR);
	}
}

/// Rule 3.2 g: position and payload.
TEST_F(RefusalTest, PacketLengths)
{
	const std::pair<uint8_t, uint32_t> starts[] = {
		{kSendFirst, 0},    {kSendFirst, 1023},	 {kSendFirst, 1025},
		{kSendFirst, 1020}, {kSendFirst, 1028},	 {kSendFirst, 4096},
		{kSendOnly, 1025},  {kSendOnly, 8000},	 {kSendOnlyImm, 1025},
		{kWriteFirst, 0},   {kWriteFirst, 1020}, {kWriteFirst, 1028},
		{kWriteOnly, 1025}, {kWriteOnly, 8000},	 {kWriteOnlyImm, 1028},
	};
	for (auto [opcode, bytes] : starts) {
		open();
		post(0, 0x3000);
		bool first = opcode == kSendFirst || opcode == kWriteFirst;
		refused({hex(opcode) + " of " + std::to_string(bytes),
			 {},
			 c().write(opcode, c().arena().va(), first ? 0x2000 : bytes, data(bytes))},
			kNakInvalid);
		EXPECT_EQ(c().end().wait_event(patience()), IBV_EVENT_QP_REQ_ERR);
	}
	const std::pair<uint8_t, uint32_t> continuations[] = {
		{kSendMiddle, 0},     {kSendMiddle, 1020},   {kSendMiddle, 1028},
		{kSendLast, 0},	      {kSendLast, 1025},     {kSendLastImm, 0},
		{kSendLastImm, 5000}, {kWriteMiddle, 0},     {kWriteMiddle, 1020},
		{kWriteMiddle, 1028}, {kWriteLast, 0},	     {kWriteLast, 1028},
		{kWriteLastImm, 0},   {kWriteLastImm, 1028},
	};
	for (auto [opcode, bytes] : continuations) {
		open();
		post(0, 0x3000);
		bool send = opcode < kWriteFirst;
		Refusal refusal{hex(opcode) + " of " + std::to_string(bytes), {}, {}};
		refusal.before = {c().write(send ? kSendFirst : kWriteFirst, c().arena().va(),
					    0x2000, data(1024))};
		if (send)
			c().arena().expect_inbox(0, refusal.before[0].payload);
		else
			placed_far(0, refusal.before[0]);
		refusal.bad = c().request(opcode, data(bytes));
		refused(refusal, kNakInvalid);
		if (send)
			expect_failed_receive(IBV_WC_LOC_QP_OP_ERR);
		else
			EXPECT_EQ(c().end().wait_event(patience()), IBV_EVENT_QP_REQ_ERR);
	}
}

TEST_F(RefusalTest, PayloadWhereNoneBelongs)
{
	for (uint8_t opcode : {kReadRequest, kCompareSwap, kFetchAdd, kFlush}) {
		for (uint32_t bytes : {1u, 4u, 64u, 1024u, 8000u}) {
			open();
			refused({hex(opcode) + " with " + std::to_string(bytes),
				 {},
				 c().write(opcode, c().arena().va(), 8, data(bytes))},
				kNakInvalid);
			expect_event(IBV_EVENT_QP_REQ_ERR);
		}
	}
}

/// Rules 3.2 g and j: what RETH announces and what comes.
TEST_F(RefusalTest, MessageLengths)
{
	const struct {
		uint8_t opcode;
		uint32_t announced, bytes;
	} starts[] = {
		{kWriteOnly, 7, 8},
		{kWriteOnly, 9, 8},
		{kWriteOnly, 0, 8},
		{kWriteOnly, 8, 0},
		{kWriteOnly, 1025, 1024},
		{kWriteOnly, 0x80000000, 1024},
		{kWriteOnlyImm, 1, 2},
		{kWriteOnlyImm, 8, 0},
		{kWriteFirst, 1024, 1024},
		{kWriteFirst, 1023, 1024},
		{kWriteFirst, 0, 1024},
		{kWriteFirst, 1, 1024},
		{kWriteFirst, 0x80000001, 1024},
		{kWriteFirst, 0xffffffff, 1024},
		{kWriteOnly, 0x80000001, 8},
		{kReadRequest, 0x80000001, 0},
		{kReadRequest, 0xffffffff, 0},
	};
	for (auto [opcode, announced, bytes] : starts) {
		open();
		post(0, 64);
		refused({hex(opcode) + " of " + std::to_string(bytes) + " announced as " +
				 std::to_string(announced),
			 {},
			 c().write(opcode, c().arena().va(), announced, data(bytes))},
			kNakInvalid);
		EXPECT_EQ(c().end().wait_event(patience()), IBV_EVENT_QP_REQ_ERR);
	}
	const struct {
		uint32_t announced;
		uint8_t opcode;
		uint32_t bytes;
	} ends[] = {
		{2048, kWriteMiddle, 1024}, {1025, kWriteMiddle, 1024}, {2048, kWriteLast, 1023},
		{2048, kWriteLast, 1},	    {1025, kWriteLast, 2},	{1025, kWriteLast, 1024},
		{3072, kWriteLast, 1024},   {2048, kWriteLastImm, 8},	{1030, kWriteLastImm, 8},
	};
	for (auto [announced, opcode, bytes] : ends) {
		open();
		post(0, 64);
		Packet first = c().write(kWriteFirst, c().arena().va(), announced, data(1024));
		placed_far(0, first);
		refused({hex(opcode) + " of " + std::to_string(bytes) + ", announced " +
				 std::to_string(announced),
			 {first},
			 c().request(opcode, data(bytes))},
			kNakInvalid);
		EXPECT_EQ(c().end().wait_event(patience()), IBV_EVENT_QP_REQ_ERR);
	}
}

/// The pad says how long the payload is: one that fits the words but not the message.
TEST_F(RefusalTest, PadAndMessageLength)
{
	for (uint8_t pad : {0, 1, 3}) {
		open();
		Packet packet = c().write(kWriteOnly, c().arena().va(), 6, data(8));
		Bytes ip = c().frame(packet);
		ip[bth_at(ip) + 1] |= static_cast<uint8_t>(pad << 4);
		seal(ip);
		expect_replies(std::vector<Bytes>{ip},
			       {c().answer(kAck, kNakInvalid, packet.h.psn, 0)});
		expect_counts({{"tx_nak_error", 1}});
		expect_event(IBV_EVENT_QP_REQ_ERR);
	}
	// FIRST and MIDDLE are whole words.
	for (uint8_t pad : {1, 2, 3}) {
		open();
		Packet packet = c().write(kWriteFirst, c().arena().va(), 2048, data(1024));
		Bytes ip = c().frame(packet);
		ip[bth_at(ip) + 1] |= static_cast<uint8_t>(pad << 4);
		seal(ip);
		expect_replies(std::vector<Bytes>{ip},
			       {c().answer(kAck, kNakInvalid, packet.h.psn, 0)});
		expect_counts({{"tx_nak_error", 1}});
		expect_event(IBV_EVENT_QP_REQ_ERR);
	}
}

/// Rule 3.2 h: longer than the receive. What fits before may have been placed.
TEST_F(RefusalTest, MessageLongerThanItsReceive)
{
	const std::pair<uint8_t, uint32_t> only[] = {
		{kSendOnly, 65}, {kSendOnly, 1024}, {kSendOnlyImm, 65}};
	for (auto [opcode, bytes] : only) {
		open();
		post(128, 64);
		refused({hex(opcode), {}, c().request(opcode, data(bytes))}, kNakInvalid);
		expect_failed_receive(IBV_WC_LOC_LEN_ERR);
	}
	for (uint8_t opcode : {kSendMiddle, kSendLast, kSendLastImm}) {
		open();
		post(128, 1500);
		Packet first = c().request(kSendFirst, data(1024));
		c().arena().expect_inbox(128, first.payload);
		refused({hex(opcode),
			 {first},
			 c().request(opcode, data(opcode == kSendMiddle ? 1024 : 477))},
			kNakInvalid);
		expect_failed_receive(IBV_WC_LOC_LEN_ERR);
	}
	open();
	post(128, 1023);
	refused({"FIRST", {}, c().request(kSendFirst, data(1024))}, kNakInvalid);
	expect_failed_receive(IBV_WC_LOC_LEN_ERR);
}

TEST_F(RefusalTest, ReceiveThatCannotBeWritten)
{
	const std::function<ibv_sge()> lists[] = {
		[&] { // no such key
			ibv_sge sge = c().arena().inbox(0, 64);
			sge.lkey ^= 0x100;
			return sge;
		},
		[&] { // beyond the end of its region
			ibv_sge sge = c().arena().far().sge(0, 64);
			sge.addr += Arena::kFarBytes - 63;
			return sge;
		},
		[&] { // wraps around
			ibv_sge sge = c().arena().inbox(0, 64);
			sge.addr = UINT64_MAX - 31;
			return sge;
		},
	};
	for (const auto &list : lists) {
		open();
		must_be_zero(c().end().post_recv(1, {list()}), "post_recv");
		refused({"SEND", {}, c().request(kSendOnly, data(64))}, kNakOperation);
		expect_failed_receive(IBV_WC_LOC_PROT_ERR);
	}
}

} // namespace
} // namespace packets
