// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The device's own requests, byte by byte, and the answers that they should get.
#include "requester.h"

#include <arpa/inet.h>

namespace packets {
namespace {

class RequesterTest : public Requester, public testing::WithParamInterface<Family> {};
INSTANTIATE_TEST_SUITE_P(Over, RequesterTest, testing::Values(Family::kIpv4, Family::kIpv6),
			 [](const auto &info) { return family_name(info.param); });

TEST_P(RequesterTest, EveryOperation)
{
	open(IBV_QPT_RC, GetParam());
	uint32_t psn = c().path().sq_psn;
	SendSpec send = work(IBV_WR_SEND_WITH_IMM, 11);
	send.immediate = 0xcafe;
	send.flags |= IBV_SEND_SOLICITED;
	submit(send);
	Packet wanted = c().answer(kSendOnlyImm, 0, psn, 0, outbox(11));
	wanted.h.solicited = true;
	wanted.h.imm = htonl(0xcafe);
	expect_request(wanted);
	answer_and_complete(c().response(kAck, kUnlimited, psn, 1));

	submit(work(IBV_WR_RDMA_WRITE, 6));
	wanted = c().answer(kWriteOnly, 0, ++psn, 0, outbox(6));
	remote(wanted, 6);
	expect_request(wanted);
	answer_and_complete(c().response(kAck, kUnlimited, psn, 2));

	submit(work(IBV_WR_RDMA_READ, 24));
	wanted = c().answer(kReadRequest, 0, ++psn, 0);
	remote(wanted, 24);
	expect_request(wanted);
	Bytes payload = data(24);
	c().arena().expect_inbox(0, payload);
	answer_and_complete(c().response(kReadOnly, kUnlimited, psn, 3, payload));

	SendSpec swap = work(IBV_WR_ATOMIC_CMP_AND_SWP, 8);
	swap.compare_add = 0x1111222233334444;
	swap.swap = 0x5555666677778888;
	submit(swap);
	wanted = c().answer(kCompareSwap, 0, ++psn, 0);
	remote(wanted, 0);
	wanted.h.compare = swap.compare_add;
	wanted.h.swap_add = swap.swap;
	expect_request(wanted);
	Packet original = c().response(kAtomicAck, kUnlimited, psn, 4);
	original.h.atomic_orig = 0x0102030405060708;
	c().arena().expect_inbox(0, {8, 7, 6, 5, 4, 3, 2, 1}); // as the host has it
	answer_and_complete(original);

	submit(work(IBV_WR_ATOMIC_WRITE, 8));
	wanted = c().answer(kAtomicWrite, 0, ++psn, 0, outbox(8));
	remote(wanted, 8);
	expect_request(wanted);
	answer_and_complete(c().response(kReadOnly, kUnlimited, psn, 5));

	SendSpec add = work(IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	add.compare_add = UINT64_MAX;
	submit(add);
	wanted = c().answer(kFetchAdd, 0, ++psn, 0);
	remote(wanted, 0);
	wanted.h.swap_add = UINT64_MAX;
	expect_request(wanted);
	original.h.psn = psn;
	answer_and_complete(original);
}

TEST_P(RequesterTest, SeveralPackets)
{
	open(IBV_QPT_RC, GetParam());
	uint32_t psn = c().path().sq_psn;
	submit(work(IBV_WR_RDMA_WRITE, 2048 + 3));
	Bytes all = outbox(2051);
	auto at = all.begin();
	Packet first = c().answer(kWriteFirst, 0, psn, 0, {at, at + 1024});
	remote(first, 2051);
	expect_request(first);
	expect_request(c().answer(kWriteMiddle, 0, psn + 1, 0, {at + 1024, at + 2048}));
	expect_request(c().answer(kWriteLast, 0, psn + 2, 0, {at + 2048, all.end()}));
	// One ACK for all; acknowledging a part completes nothing.
	answer(c().response(kAck, kUnlimited, psn + 1, 0));
	expect_not_complete();
	answer_and_complete(c().response(kAck, kUnlimited, psn + 2, 1));

	submit(work(IBV_WR_RDMA_READ, 2048 + 3));
	Packet read = c().answer(kReadRequest, 0, psn + 3, 0);
	remote(read, 2051);
	expect_request(read);
	all = data(2051);
	at = all.begin();
	c().arena().expect_inbox(0, all);
	answer(c().response(kReadFirst, kUnlimited, psn + 3, 2, {at, at + 1024}));
	answer(c().response(kReadMiddle, 0, psn + 4, 0, {at + 1024, at + 2048}));
	expect_not_complete();
	answer_and_complete(
		c().response(kReadLast, kUnlimited, psn + 5, 2, {at + 2048, all.end()}));

	submit(work(IBV_WR_SEND, 0));
	expect_request(c().answer(kSendOnly, 0, psn + 6, 0));
	answer_and_complete(c().response(kAck, 0, psn + 6, 3)); // no credits left: no matter
}

} // namespace
} // namespace packets
