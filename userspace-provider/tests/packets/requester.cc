// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "requester.h"

namespace packets {

SendSpec Requester::work(ibv_wr_opcode opcode, uint32_t bytes)
{
	bool returns = opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		       opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	SendSpec spec;
	spec.wr_id = ++last_wr_id_;
	spec.opcode = opcode;
	if (bytes)
		spec.sges = {returns ? c().arena().inbox(0, bytes)
				     : c().arena().far().sge(0, bytes)};
	spec.remote_address = kRemoteVa;
	spec.rkey = kRemoteKey;
	return spec;
}

void Requester::submit(const SendSpec &spec)
{
	must_be_zero(c().end().post_send(spec), "post_send");
}

void Requester::remote(Packet &packet, uint32_t bytes)
{
	packet.h.va = kRemoteVa;
	packet.h.rkey = kRemoteKey;
	packet.h.dma_len = bytes;
}

void Requester::expect_request(Packet wanted)
{
	Reply reply = rig().next();
	bool ends = wanted.h.opcode != kSendFirst && wanted.h.opcode != kSendMiddle &&
		    wanted.h.opcode != kWriteFirst && wanted.h.opcode != kWriteMiddle;
	bool returns = wanted.h.opcode >= kReadRequest;
	EXPECT_TRUE(reply.packet.h.ack_req || !ends || returns) << "nobody would acknowledge this";
	wanted.h.ack_req = reply.packet.h.ack_req;
	EXPECT_EQ(c().compare(reply, wanted), "");
}

void Requester::expect_psn(uint32_t psn)
{
	Reply reply = rig().next();
	EXPECT_EQ(reply.problem, "");
	EXPECT_EQ(hex(reply.packet.h.psn), hex(psn & kPsnMask)) << describe(reply.packet);
}

void Requester::answer_and_complete(const Packet &response, ibv_wc_status status)
{
	answer(response);
	expect_complete(status, last_wr_id_);
	expect_memory();
}

void Requester::expect_complete(ibv_wc_status status, uint64_t wr_id)
{
	auto completions = c().end().poll(Queue::kSend, 1);
	if (completions.empty())
		throw std::runtime_error("no completion");
	EXPECT_EQ(completions[0].status, status);
	EXPECT_EQ(completions[0].wr_id, wr_id);
}

void Requester::expect_not_complete()
{
	EXPECT_TRUE(c().end().poll(Queue::kSend, 1, Milliseconds(2)).empty());
}

void Requester::expect_flushed(size_t count)
{
	auto completions = c().end().poll(Queue::kSend, count);
	EXPECT_EQ(completions.size(), count);
	for (const ibv_wc &wc : completions)
		EXPECT_EQ(wc.status, IBV_WC_WR_FLUSH_ERR);
	expect_state(IBV_QPS_ERR);
}

} // namespace packets
