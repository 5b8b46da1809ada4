// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// READ and atomic responses that are not what was asked for.
#include "requester.h"

namespace packets {
namespace {

class DataResponseTest : public Requester {
protected:
	struct Piece {
		uint8_t opcode;
		uint32_t bytes;
	};
	struct Case {
		uint32_t length;
		std::vector<Piece> good;
		Piece bad;
	};
	uint32_t psn() { return c().path().sq_psn; }
	/// A READ of that length gets good responses, and then one that ends it.
	void expect_fatal(const Case &what);
};

void DataResponseTest::expect_fatal(const Case &what)
{
	SCOPED_TRACE(std::to_string(what.length) + ": " + std::to_string(what.good.size()) +
		     " good, then " + hex(what.bad.opcode) + " of " +
		     std::to_string(what.bad.bytes));
	open();
	submit(IBV_WR_RDMA_READ, what.length);
	expect_psn(psn());
	uint32_t at = psn(), offset = 0;
	for (auto [opcode, bytes] : what.good) {
		Bytes payload = data(bytes);
		answer(c().response(opcode, kUnlimited, at++, 1, payload));
		c().arena().expect_inbox(offset, payload);
		offset += bytes;
	}
	answer(c().response(what.bad.opcode, kUnlimited, at, 1, data(what.bad.bytes)));
	auto completions = c().end().poll(Queue::kSend, 1);
	ASSERT_EQ(completions.size(), 1u);
	// Which of the two depends on what is looked at first.
	EXPECT_TRUE(completions[0].status == IBV_WC_LOC_LEN_ERR ||
		    completions[0].status == IBV_WC_BAD_RESP_ERR)
		<< ibv_wc_status_str(completions[0].status);
	expect_state(IBV_QPS_ERR);
	expect_memory();
}

/// Rule 4.13.
TEST_F(DataResponseTest, OfTheWrongKind)
{
	const struct {
		ibv_wr_opcode request;
		uint8_t opcode;
		uint32_t bytes;
	} cases[] = {
		{IBV_WR_SEND, kReadOnly, 8},
		{IBV_WR_SEND, kReadFirst, 1024},
		{IBV_WR_SEND, kAtomicAck, 0},
		{IBV_WR_RDMA_WRITE, kReadOnly, 0},
		{IBV_WR_RDMA_WRITE, kReadLast, 8},
		{IBV_WR_RDMA_WRITE, kAtomicAck, 0},
		{IBV_WR_RDMA_READ, kAtomicAck, 0},
		{IBV_WR_ATOMIC_CMP_AND_SWP, kReadOnly, 8},
		{IBV_WR_ATOMIC_FETCH_AND_ADD, kReadOnly, 0},
		{IBV_WR_ATOMIC_FETCH_AND_ADD, kReadMiddle, 1024},
	};
	for (auto [request, opcode, bytes] : cases) {
		SCOPED_TRACE(std::string(opcode_name(request)) + " gets " + hex(opcode));
		open();
		submit(request, 8);
		expect_psn(psn());
		answer_and_complete(c().response(opcode, kUnlimited, psn(), 1, data(bytes)),
				    IBV_WC_BAD_RESP_ERR);
		expect_state(IBV_QPS_ERR);
	}
}

TEST_F(DataResponseTest, ReadOfTheWrongLength)
{
	const Case cases[] = {
		{8, {}, {kReadOnly, 0}},
		{8, {}, {kReadOnly, 7}},
		{8, {}, {kReadOnly, 9}},
		{8, {}, {kReadOnly, 1024}},
		{8, {}, {kReadFirst, 1024}},
		{0, {}, {kReadOnly, 1}},
		{0, {}, {kReadOnly, 1024}},
		{0, {}, {kReadFirst, 1024}},
		{1024, {}, {kReadFirst, 1024}},
		{1024, {}, {kReadOnly, 1023}},
		{1024, {}, {kReadOnly, 1025}},
		{2560, {}, {kReadOnly, 1024}},
		{2560, {}, {kReadOnly, 2560}},
		{2560, {}, {kReadFirst, 1020}},
		{2560, {}, {kReadFirst, 1028}},
		{2560, {}, {kReadFirst, 2560}},
		{2560, {}, {kReadFirst, 0}},
		{2560, {{kReadFirst, 1024}}, {kReadMiddle, 1020}},
		{2560, {{kReadFirst, 1024}}, {kReadMiddle, 1028}},
		{2560, {{kReadFirst, 1024}}, {kReadLast, 512}},
		{2560, {{kReadFirst, 1024}}, {kReadLast, 1024}},
		{2560, {{kReadFirst, 1024}}, {kReadLast, 1536}},
		{2560, {{kReadFirst, 1024}, {kReadMiddle, 1024}}, {kReadLast, 511}},
		{2560, {{kReadFirst, 1024}, {kReadMiddle, 1024}}, {kReadLast, 513}},
		{2560, {{kReadFirst, 1024}, {kReadMiddle, 1024}}, {kReadLast, 1024}},
		{2560, {{kReadFirst, 1024}, {kReadMiddle, 1024}}, {kReadLast, 0}},
		{2560, {{kReadFirst, 1024}, {kReadMiddle, 1024}}, {kReadMiddle, 1024}},
		{2560, {{kReadFirst, 1024}, {kReadMiddle, 1024}}, {kReadMiddle, 512}},
	};
	for (const Case &what : cases)
		expect_fatal(what);
}

/// Rule 4.13: lengths that fit, in packets that say that they are something else.
TEST_F(DataResponseTest, ReadOutOfPlace)
{
	const Case cases[] = {
		{8, {}, {kReadLast, 8}},
		{2560, {}, {kReadMiddle, 1024}},
		{2560, {{kReadFirst, 1024}}, {kReadFirst, 1024}},
		{2560, {{kReadFirst, 1024}, {kReadMiddle, 1024}}, {kReadFirst, 512}},
		{2560, {{kReadFirst, 1024}, {kReadMiddle, 1024}}, {kReadOnly, 512}},
	};
	for (const Case &what : cases)
		expect_fatal(what);
}

/// Rules 4.10 and 4.11: something was lost; ask for what is missing, once.
TEST_F(DataResponseTest, ReadWithAGap)
{
	open();
	submit(IBV_WR_RDMA_READ, 3072);
	Packet read = c().answer(kReadRequest, 0, psn(), 0);
	remote(read, 3072);
	expect_request(read);
	Bytes all = data(3072);
	auto at = all.begin();
	answer(c().response(kReadFirst, kUnlimited, psn(), 1, {at, at + 1024}));
	c().arena().expect_inbox(0, {at, at + 1024});
	// The second one is missing.
	rig().wire.send(c().frame(
		c().response(kReadLast, kUnlimited, psn() + 2, 1, {at + 2048, all.end()})));
	remote(read, 2048);
	read.h.va += 1024;
	read.h.psn = psn() + 1;
	expect_request(read);
	expect_memory(); // what came too early was not placed
	std::vector<Packet> again(
		20, c().response(kReadLast, kUnlimited, psn() + 2, 1, {at + 2048, all.end()}));
	expect_replies(again, {});
	expect_counts({{"retry_implied_nak", 1}});
	answer(c().response(kReadFirst, kUnlimited, psn() + 1, 1, {at + 1024, at + 2048}));
	// A ghost of the first answer in between.
	answer(c().response(kReadFirst, kUnlimited, psn(), 1, data(1024)));
	c().arena().expect_inbox(0, all);
	answer_and_complete(
		c().response(kReadLast, kUnlimited, psn() + 2, 1, {at + 2048, all.end()}));
	expect_counts({{"rx_ghost_ack", 1}});
}

/// An ACK does not complete a READ or an atomic: their answer must have been lost.
TEST_F(DataResponseTest, AckInPlaceOfData)
{
	for (ibv_wr_opcode opcode : {IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
		SCOPED_TRACE(opcode_name(opcode));
		open();
		submit(opcode, 8);
		expect_psn(psn());
		rig().wire.send(c().frame(c().response(kAck, kUnlimited, psn(), 1)));
		expect_psn(psn());
		expect_not_complete();
		expect_replies(std::vector<Packet>(20, c().response(kAck, kUnlimited, psn(), 1)),
			       {});
		bool read = opcode == IBV_WR_RDMA_READ;
		Bytes payload(8);
		c().arena().expect_inbox(0, payload);
		answer_and_complete(c().response(read ? kReadOnly : kAtomicAck, kUnlimited, psn(),
						 1, read ? payload : Bytes()));
		rig().counters.changes(); // whether an ACK counts as an implied NAK is open
	}
}

} // namespace
} // namespace packets
