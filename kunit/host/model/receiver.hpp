/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
// Responder of a QP, with the memory it acts on and the plan it is judged by: every
// message must be executed once, in order.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "channel.hpp"

namespace model {

class Receiver {
public:
	Receiver(const Config &config, const Plan &plan, Channel &out, uint64_t seed, Trace &trace,
		 Stats &stats, const char *name)
		: config_(config), plan_(plan), out_(out), dice_(seed), trace_(trace),
		  stats_(stats), name_(name), memory_(plan.memory()),
		  writes_(memory_.size()), cells_(plan.first_cells())
	{
		srnic_rsp_init(&rsp_, SRNIC_SERVICE_RC);
		rsp_.mtu = config.mtu;
		rsp_.epsn = config.start_psn;
		rsp_.access = SRNIC_ACCESS_REMOTE_WRITE | SRNIC_ACCESS_REMOTE_READ |
			      SRNIC_ACCESS_REMOTE_ATOMIC;
		rsp_.max_rd_atomic = config.dest_rd_atomic;
		for (const Message &m : plan.messages())
			recvs_wanted_ += m.takes_recv();
		post_recvs(0);
		skip_local();
	}

	bool refused() const { return failed_; }
	size_t executed() const { return current_; }
	uint32_t epsn() const { return rsp_.epsn; }
	uint32_t msn() const { return rsp_.msn; }
	const std::array<uint64_t, kCells> &cells() const { return cells_; }

	uint64_t next_due() const
	{
		uint64_t due = UINT64_MAX;

		if (recvs_wanted_)
			due = std::min(due, next_recv_);
		if (more_)
			due = std::min(due, next_reply_);
		return due;
	}

	void run(uint64_t now)
	{
		if (recvs_wanted_ && next_recv_ <= now)
			post_recvs(now);
		if (more_ && next_reply_ <= now)
			reply(now);
	}

	void receive(const Packet &packet, uint64_t now)
	{
		const srnic_pkt pkt = packet.parse();
		srnic_rsp_step step;

		if (failed_)
			return;
		srnic_rsp_request(&rsp_, &pkt, &step);
		trace_(now, name_, "gets %s psn %06x, %zu bytes: %s", srnic_opcode_name(pkt.opcode),
		       pkt.psn, packet.payload.size(), verdict_name(step.verdict));
		switch (step.verdict) {
		case SRNIC_RSP_EXECUTE:
			execute(pkt, packet.payload, step, now);
			break;
		case SRNIC_RSP_NAK:
			throw Failure("refuses a good request");
		case SRNIC_RSP_DUPLICATE:
			stats_.duplicates++;
			[[fallthrough]];
		default:
			stats_.gaps += step.verdict == SRNIC_RSP_GAP;
			srnic_rsp_commit(&rsp_, &pkt, &step, 0);
			break;
		}
		// What is left of a long reply may be left to the engine.
		if (!more_ || dice_.chance(500))
			reply(now);
	}

	// Nothing of the plan is missing, nothing was done that is not in it.
	void check_whole() const
	{
		require(current_ == plan_.messages().size(), "messages were not executed");
		require(rsp_.msn == ended_, "MSN miscounts");
		require(!recvs_wanted_ && !recvs_, "receive WQEs are left");
		require(cells_ == plan_.last_cells(), "atomics did not add up");
	}

private:
	static const char *verdict_name(srnic_rsp_verdict verdict)
	{
		static const char *const names[] = {
			"executed", "REFUSED", "a gap", "a duplicate", "dropped"
		};

		return names[verdict];
	}

	void post_recvs(uint64_t now)
	{
		// All at once, or one by one, later than needed.
		while (recvs_wanted_) {
			if (dice_.chance(config_.late_recv)) {
				next_recv_ = now + dice_.below(config_.recv_gap_ns) + 1;
				return;
			}
			recvs_++;
			recvs_wanted_--;
		}
	}

	const Message &current() const
	{
		require(current_ < plan_.messages().size(), "executes more than was sent");
		return plan_.messages()[current_];
	}

	// What the engine does, and whether it is what the sender meant.
	void execute(const srnic_pkt &pkt, const std::vector<uint8_t> &payload,
		     const srnic_rsp_step &step, uint64_t now)
	{
		const Message &m = current();
		uint64_t original = 0;

		require(step.kind == m.msg.kind, "executes another operation");
		if (step.take_recv) {
			require(m.takes_recv() && !held_, "takes a receive WQE for nothing");
			if (!recvs_) {
				stats_.rnr_naks++;
				srnic_rsp_nak(&rsp_, srnic_aeth_rnr(config_.rnr_timer));
				return;
			}
			recvs_--;
			held_ = true;
		}
		if (step.check_key && !check_key(m, step)) {
			stats_.refused++;
			failed_ = true;
			srnic_rsp_nak(&rsp_, SRNIC_NAK_REM_ACCESS);
			trace_(now, name_, "refuses message %zu", current_);
			return;
		}
		if (step.place_send)
			place_send(m, payload, step);
		else if (step.kind == SRNIC_MSG_ATOMIC_WRITE)
			do_atomic_write(m, payload, step);
		else if (step.place_write)
			place_write(m, payload, step);
		else if (step.kind >= SRNIC_MSG_CMP_SWAP)
			original = do_atomic(m, pkt, step);
		if (step.complete_recv)
			complete_recv(m, pkt, step);
		if (pkt.info->ends)
			end_message(m, pkt, now);
		srnic_rsp_commit(&rsp_, &pkt, &step, original);
	}

	bool check_key(const Message &m, const srnic_rsp_step &step) const
	{
		require(step.va == m.va && step.length == m.msg.length, "checks another range");
		require(step.rkey == m.rkey, "checks another key");
		return step.rkey == kRkey;
	}

	void place_send(const Message &m, const std::vector<uint8_t> &payload,
			const srnic_rsp_step &step)
	{
		require(held_, "has no receive WQE");
		require(step.offset == placed_, "places a SEND with a hole, or twice");
		take_payload(m, payload);
	}

	void place_write(const Message &m, const std::vector<uint8_t> &payload,
			 const srnic_rsp_step &step)
	{
		const uint64_t at = step.va - kMemoryVa;

		require(step.rkey == kRkey, "writes with another key");
		require(step.va == m.va + placed_, "writes elsewhere");
		require(at <= memory_.size() && payload.size() <= memory_.size() - at,
			"writes out of bounds");
		for (size_t i = 0; i < payload.size(); i++)
			require(++writes_[at + i] == 1, "writes a second time");
		std::copy(payload.begin(), payload.end(), memory_.begin() + at);
		take_payload(m, payload);
	}

	void take_payload(const Message &m, const std::vector<uint8_t> &payload)
	{
		require(payload.size() <= m.data.size() - placed_, "more than was sent");
		require(std::equal(payload.begin(), payload.end(), m.data.begin() + placed_),
			"other bytes than were sent");
		placed_ += static_cast<uint32_t>(payload.size());
	}

	void do_atomic_write(const Message &m, const std::vector<uint8_t> &payload,
			     const srnic_rsp_step &step)
	{
		require(step.va == m.va && payload == m.data,
			"another atomic write");
		std::memcpy(&cells_[(step.va - kCellsVa) / 8], payload.data(), 8);
	}

	uint64_t do_atomic(const Message &m, const srnic_pkt &pkt, const srnic_rsp_step &step)
	{
		require(step.va == m.va && pkt.swap_add == m.swap_add && pkt.compare == m.compare,
			"another atomic");
		uint64_t &cell = cells_[(step.va - kCellsVa) / 8];
		const uint64_t original = cell;

		require(original == m.original, "an atomic out of order, or executed twice");
		if (step.kind == SRNIC_MSG_FETCH_ADD)
			cell += pkt.swap_add;
		else if (cell == pkt.compare)
			cell = pkt.swap_add;
		return original;
	}

	void complete_recv(const Message &m, const srnic_pkt &pkt, const srnic_rsp_step &step)
	{
		require(held_, "completes no receive WQE");
		held_ = false;
		require(step.message_bytes == m.msg.length, "reports another length");
		require(pkt.info->has_imm == m.msg.imm, "immediate data is lost, or made up");
		require(!m.msg.imm || pkt.imm == m.imm, "other immediate data");
		require(pkt.solicited == m.msg.solicited, "solicited is lost, or made up");
	}

	void end_message(const Message &m, const srnic_pkt &pkt, uint64_t now)
	{
		trace_(now, name_, "has executed message %zu", current_);
		require(!held_, "keeps a receive WQE");
		if (m.msg.kind == SRNIC_MSG_READ)
			require(pkt.va == m.va && pkt.dma_len == m.msg.length, "another READ");
		else if (!srnic_msg_has_response(&m.msg))
			require(placed_ == m.msg.length, "ends a message early");
		placed_ = 0;
		current_++;
		ended_++;
		skip_local();
	}

	// What has no packets is nothing to the receiver.
	void skip_local()
	{
		while (current_ < plan_.messages().size() &&
		       plan_.messages()[current_].msg.kind == SRNIC_MSG_LOCAL)
			current_++;
	}

	void reply(uint64_t now)
	{
		uint32_t budget = config_.reply_budget;
		srnic_rsp_reply reply;

		if (config_.tells_credits)
			rsp_.credits = recvs_ + held_;
		for (more_ = false;; budget--) {
			srnic_rsp_next(&rsp_, &reply);
			if (reply.kind == SRNIC_REPLY_NONE)
				return;
			if (!budget) {
				more_ = true;
				next_reply_ = now + dice_.between(200, 3000);
				return;
			}
			send(reply, now);
			srnic_rsp_sent(&rsp_, &reply);
		}
	}

	void send(const srnic_rsp_reply &reply, uint64_t now)
	{
		srnic_pkt pkt{};
		std::vector<uint8_t> payload;

		pkt.opcode = reply.opcode;
		pkt.psn = reply.psn;
		pkt.syndrome = reply.syndrome;
		pkt.msn = reply.msn;
		pkt.atomic_orig = reply.original;
		pkt.payload_bytes = reply.bytes;
		pkt.pad = static_cast<uint8_t>(srnic_pkt_pad_bytes(reply.bytes));
		if (reply.kind == SRNIC_REPLY_READ)
			payload = read_memory(reply);
		check_reply(reply);
		trace_(now, name_, "replies %s psn %06x syndrome %02x, %u bytes",
		       srnic_opcode_name(reply.opcode), reply.psn, reply.syndrome, reply.bytes);
		out_.send(Packet::build(pkt, std::move(payload)), now);
	}

	std::vector<uint8_t> read_memory(const srnic_rsp_reply &reply) const
	{
		const uint64_t at = reply.va - kMemoryVa;

		if (!reply.bytes)
			return {};
		require(reply.rkey == kRkey, "reads with another key");
		require(at <= memory_.size() && reply.bytes <= memory_.size() - at,
			"reads out of bounds");
		return { memory_.begin() + at, memory_.begin() + at + reply.bytes };
	}

	// What goes back for the first time goes in the order of the PSNs (3.5.2).
	void check_reply(const srnic_rsp_reply &reply)
	{
		require(reply.msn == rsp_.msn, "another MSN");
		if (reply.kind == SRNIC_REPLY_NAK) {
			require(reply.psn == rsp_.epsn, "a NAK of another PSN");
			return;
		}
		require(srnic_psn_before(reply.psn, rsp_.epsn), "answers what did not come");
		if (reply.kind == SRNIC_REPLY_ACK) {
			require(rsp_.emit.index == rsp_.head, "an ACK passes a READ or atomic");
			return;
		}
		if (!answered_ || srnic_psn_after(reply.psn, *answered_))
			answered_ = reply.psn;
		else if (reply.kind == SRNIC_REPLY_READ)
			stats_.replayed_reads++;
		else
			stats_.replayed_atomics++;
	}

	const Config &config_;
	const Plan &plan_;
	Channel &out_;
	Random dice_;
	Trace &trace_;
	Stats &stats_;
	const char *name_;
	srnic_rsp rsp_;
	std::vector<uint8_t> memory_;
	std::vector<uint8_t> writes_;		// how often each byte was written
	std::array<uint64_t, kCells> cells_;
	size_t current_ = 0;			// message that is being executed
	uint32_t ended_ = 0;			// messages that were
	uint32_t placed_ = 0;			// bytes of it
	uint32_t recvs_ = 0;
	uint32_t recvs_wanted_ = 0;		// still to be posted
	bool held_ = false;
	bool failed_ = false;
	bool more_ = false;
	uint64_t next_recv_ = 0;
	uint64_t next_reply_ = 0;
	std::optional<uint32_t> answered_;	// newest PSN answered with data
};

} // namespace model
