/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
// An unreliable connection: a message arrives whole, or not at all (3.8). It arrives
// if no packet of it was lost and a receive WQE was there.
#pragma once

#include <vector>

#include "plan.hpp"

namespace model {

class UcWorld {
public:
	explicit UcWorld(uint64_t seed) : dice_(seed)
	{
		const uint32_t psn = srnic_psn_mask(dice_.chance(500) ? 0u - dice_.below(40) :
								static_cast<uint32_t>(dice_.bits()));

		srnic_req_init(&req_, kRing, SRNIC_SERVICE_UC);
		req_.mtu = 256u << dice_.below(5);
		req_.una = req_.send_psn = req_.top_psn = req_.next_psn = psn;
		srnic_rsp_init(&rsp_, SRNIC_SERVICE_UC);
		rsp_.mtu = req_.mtu;
		rsp_.epsn = psn;
		rsp_.access = SRNIC_ACCESS_REMOTE_WRITE;
		drop_ = dice_.pick({ 0u, 20u, 200u });
		no_recv_ = dice_.pick({ 0u, 100u });
		for (uint32_t i = dice_.between(1, kRing); i-- > 0;)
			post();
		arrives_.assign(req_.head, true);
	}

	void run()
	{
		srnic_req_segment seg;

		while (srnic_req_next(&req_, msgs_, &seg) == SRNIC_REQ_SEND) {
			require(!seg.ack_req, "asks for an acknowledgement");
			if (dice_.chance(drop_))
				arrives_[seg.index] = false;
			else
				deliver(seg);
			srnic_req_sent(&req_, msgs_, &seg);
			req_.tail = req_.next;
			req_.una = req_.top_psn = req_.send_psn;
			if (seg.last)
				require(arrives_[seg.index] == (arrived_ == seg.index + 1),
					"a whole message is lost, or a broken one arrives");
		}
		require(req_.tail == req_.head, "does not send everything");
	}

private:
	static constexpr uint32_t kRing = 32;
	static constexpr uint64_t kVa = 0x7f0000000003;

	void post()
	{
		srnic_msg &msg = msgs_[req_.head++];

		msg = {};
		msg.kind = dice_.chance(500) ? SRNIC_MSG_SEND : SRNIC_MSG_WRITE;
		msg.imm = dice_.chance(300);
		msg.length = dice_.chance(100) ? 0 : dice_.below(req_.mtu * 6);
	}

	void deliver(const srnic_req_segment &seg)
	{
		const srnic_msg &msg = msgs_[seg.index];
		srnic_pkt pkt{};
		srnic_rsp_step step;
		srnic_rsp_reply reply;

		pkt.opcode = seg.opcode;
		pkt.info = srnic_opcode_info(seg.opcode);
		pkt.psn = seg.psn;
		pkt.payload_bytes = seg.bytes;
		pkt.va = kVa;
		pkt.rkey = kRkey;
		pkt.dma_len = msg.length;
		srnic_rsp_request(&rsp_, &pkt, &step);
		if (step.verdict == SRNIC_RSP_EXECUTE && !execute(seg, step)) {
			arrives_[seg.index] = false;
			step.verdict = SRNIC_RSP_DROP;
		} else if (step.verdict == SRNIC_RSP_EXECUTE && pkt.info->ends) {
			arrived_ = seg.index + 1;
		}
		srnic_rsp_commit(&rsp_, &pkt, &step, 0);
		srnic_rsp_next(&rsp_, &reply);
		require(reply.kind == SRNIC_REPLY_NONE, "answers");
	}

	// False if there is no receive WQE.
	bool execute(const srnic_req_segment &seg, const srnic_rsp_step &step)
	{
		const srnic_msg &msg = msgs_[seg.index];

		require(arrives_[seg.index], "executes a packet of a broken message");
		require(step.kind == msg.kind, "executes another operation");
		if (step.take_recv && dice_.chance(no_recv_))
			return false;
		if (step.place_send)
			require(step.offset == seg.offset, "places a SEND elsewhere");
		if (step.place_write)
			require(step.va == kVa + seg.offset && step.rkey == kRkey,
				"places a WRITE elsewhere");
		if (step.complete_recv)
			require(seg.last && step.message_bytes == msg.length,
				"reports another length");
		return true;
	}

	Random dice_;
	srnic_req req_;
	srnic_rsp rsp_;
	srnic_msg msgs_[kRing];
	std::vector<bool> arrives_;
	uint32_t arrived_ = 0;		// behind the newest that did
	uint32_t drop_;
	uint32_t no_recv_;
};

} // namespace model
