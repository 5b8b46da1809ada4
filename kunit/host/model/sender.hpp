/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
// Requester and completer of a QP, with what the engine does around them.
#pragma once

#include <algorithm>

#include "channel.hpp"

namespace model {

class Sender {
public:
	Sender(const Config &config, const Plan &plan, Channel &out, uint64_t seed, Trace &trace,
	       Stats &stats, const char *name)
		: config_(config), plan_(plan), out_(out), dice_(seed), trace_(trace),
		  stats_(stats), name_(name), ring_(config.ring)
	{
		srnic_req_init(&req_, config.ring, SRNIC_SERVICE_RC);
		req_.mtu = config.mtu;
		req_.window = config.window;
		req_.una = req_.send_psn = req_.top_psn = req_.next_psn = config.start_psn;
		req_.max_rd_atomic = config.rd_atomic;
		req_.retry_cnt = req_.retry_left = config.retry_cnt;
		req_.rnr_retry = req_.rnr_left = config.rnr_retry;
		next_post_ = dice_.below(config.post_gap_ns + 1);
		result_.resize(plan.messages().size());
	}

	bool done() const { return failed_ || req_.tail == plan_.messages().size(); }
	bool failed() const { return failed_; }
	srnic_cmp_error error() const { return error_; }
	uint32_t completed() const { return req_.tail; }
	uint32_t next_psn() const { return req_.next_psn; }
	uint8_t retries_left() const { return req_.retry_left; }
	uint64_t go_backs() const { return go_backs_; }

	uint64_t next_due() const
	{
		uint64_t due = UINT64_MAX;

		if (failed_)
			return due;
		if (may_post())
			due = std::min(due, next_post_);
		if (more_)
			due = std::min(due, next_run_);
		if (req_.rnr_wait)
			due = std::min(due, rnr_deadline_);
		else if (deadline_)
			due = std::min(due, deadline_);
		return due;
	}

	// Whatever is due by now, and then what may be sent.
	void run(uint64_t now)
	{
		if (failed_)
			return;
		while (may_post() && next_post_ <= now) {
			post();
			next_post_ = now + dice_.below(config_.post_gap_ns + 1);
		}
		timers(now);
		if (!failed_)
			transmit(now);
		keep_time(now);
	}

	void receive(const Packet &packet, uint64_t now)
	{
		const srnic_pkt pkt = packet.parse();
		srnic_cmp_step step;

		if (failed_)
			return;
		hear_credits(pkt);
		srnic_cmp_response(&req_, ring_.data(), &pkt, &step);
		trace_(now, name_, "gets %s psn %06x syndrome %02x, %zu bytes: %s",
		       srnic_opcode_name(pkt.opcode), pkt.psn, pkt.syndrome, packet.payload.size(),
		       action_name(step.action));
		if (step.action == SRNIC_CMP_PLACE)
			place(pkt, packet.payload, step);
		if (step.action == SRNIC_CMP_GO_BACK && pkt.syndrome != SRNIC_NAK_PSN_SEQ)
			stats_.implied++;
		apply(step, now);
		run(now);
	}

private:
	static const char *action_name(srnic_cmp_action action)
	{
		static const char *const names[] = {
			"taken", "a ghost", "placed", "goes back", "waits", "FAILS"
		};

		return names[action];
	}

	const Message &message(uint32_t index) const { return plan_.messages()[index]; }

	bool may_post() const
	{
		return req_.head < plan_.messages().size() &&
		       req_.head - req_.tail < config_.ring;
	}

	// Also in batches, so that there are successors.
	void post()
	{
		uint32_t batch = dice_.between(1, 4);

		while (batch-- && may_post()) {
			ring_[req_.head & req_.mask] = message(req_.head).msg;
			req_.head++;
		}
	}

	void timers(uint64_t now)
	{
		srnic_cmp_step step;

		if (req_.rnr_wait && now >= rnr_deadline_) {
			req_.rnr_wait = false;
			progress_ = true;
			return;
		}
		if (req_.rnr_wait || !deadline_ || now < deadline_)
			return;
		srnic_cmp_timeout(&req_, &step);
		trace_(now, name_, "times out: %s", action_name(step.action));
		stats_.timeouts++;
		progress_ = true;
		apply(step, now);
	}

	// The transport timer stands still while the receiver is not ready (4.6).
	void keep_time(uint64_t now)
	{
		if (failed_ || !config_.timeout_ns || req_.rnr_wait ||
		    !srnic_req_outstanding(&req_))
			deadline_ = 0;
		else if (progress_ || !deadline_)
			deadline_ = now + config_.timeout_ns;
		progress_ = false;
	}

	// The most that any answer has promised, but for those of long ago, which may be
	// the only ones that promise anything. An MSN does not come round here.
	void hear_credits(const srnic_pkt &pkt)
	{
		const uint32_t oldest = srnic_psn_sub(req_.una, pkt.info->ack);

		if (!pkt.info->has_aeth || srnic_psn_before(pkt.psn, oldest) ||
		    srnic_aeth_class(pkt.syndrome) != SRNIC_AETH_ACK)
			return;
		// What was sent before any promise needs none, nor does its successor.
		if (!promised_)
			promised_ = messages_sent_;
		promised_ = std::max(promised_, uint64_t(pkt.msn) +
				     srnic_aeth_credits(srnic_aeth_value(pkt.syndrome)));
	}

	// One message may go beyond what the receiver has promised, or any if none is
	// under way; of a receiver that has promised nothing yet nothing is known.
	void check_credit(const srnic_req_segment &seg)
	{
		require(!promised_ || seg.index == req_.tail || !message(seg.index).takes_recv() ||
			messages_sent_ <= promised_, "beyond what the receiver has");
		messages_sent_++;
	}

	void transmit(uint64_t now)
	{
		srnic_req_segment seg;
		uint32_t budget = config_.send_budget;

		more_ = false;
		for (;;) {
			const srnic_req_verdict verdict = srnic_req_next(&req_, ring_.data(), &seg);

			if (verdict == SRNIC_REQ_LOCAL) {
				do_local(seg.index, now);
				continue;
			}
			stats_.credit_waits += verdict == SRNIC_REQ_CREDIT;
			if (verdict != SRNIC_REQ_SEND)
				break;
			if (!budget--) {
				more_ = true;
				next_run_ = now + 500;
				break;
			}
			check_segment(seg);
			trace_(now, name_, "sends %s psn %06x of message %u at %u, %u bytes%s",
			       srnic_opcode_name(seg.opcode), seg.psn, seg.index, seg.offset,
			       seg.bytes, seg.ack_req ? ", AckReq" : "");
			out_.send(build(seg), now);
			srnic_req_sent(&req_, ring_.data(), &seg);
			check_state();
		}
	}

	// Once, in its turn; and it is complete at once if nothing before it is not.
	void do_local(uint32_t index, uint64_t now)
	{
		const srnic_msg &msg = message(index).msg;
		const uint32_t tail = req_.tail;

		trace_(now, name_, "does message %u", index);
		require(msg.kind == SRNIC_MSG_LOCAL, "does what is to be sent");
		require(result_[index].empty(), "does it a second time");
		require(!msg.after_all || tail == index, "does not wait for those before");
		for (uint32_t i = tail; i < index; i++)
			require(!msg.fence || !srnic_msg_has_response(&message(i).msg),
				"does not wait at a fence");
		result_[index].assign(1, 1);
		srnic_req_local_done(&req_, ring_.data());
		for (uint32_t i = tail; i != req_.tail; i++)
			complete(i, now);
		check_state();
	}

	Packet build(const srnic_req_segment &seg) const
	{
		const Message &m = message(seg.index);
		const bool read = m.msg.kind == SRNIC_MSG_READ;
		srnic_pkt pkt{};
		std::vector<uint8_t> payload;

		pkt.opcode = seg.opcode;
		pkt.psn = seg.psn;
		pkt.ack_req = seg.ack_req;
		pkt.solicited = seg.solicited;
		pkt.payload_bytes = seg.bytes;
		pkt.pad = static_cast<uint8_t>(srnic_pkt_pad_bytes(seg.bytes));
		pkt.va = m.va + (read ? seg.offset : 0);
		pkt.dma_len = m.msg.length - (read ? seg.offset : 0);
		pkt.rkey = m.rkey;
		pkt.imm = m.imm;
		pkt.swap_add = m.swap_add;
		pkt.compare = m.compare;
		if (seg.bytes)
			payload.assign(m.data.begin() + seg.offset,
				       m.data.begin() + seg.offset + seg.bytes);
		return Packet::build(pkt, std::move(payload));
	}

	// What the rules say of any packet that goes out.
	void check_segment(const srnic_req_segment &seg)
	{
		const srnic_msg &msg = message(seg.index).msg;
		const bool again = srnic_psn_before(seg.psn, req_.top_psn);
		uint32_t waiting = 0;

		require(seg.index >= req_.tail && seg.index < req_.head, "sends a stranger");
		require(srnic_psn_sub(seg.psn, req_.una) < req_.window, "beyond the window");
		require(seg.offset + seg.bytes <= msg.length, "beyond the message");
		if (again && seg.psns > 0 && msg.kind == SRNIC_MSG_READ && seg.offset)
			stats_.resumed_reads++;
		if (again)
			return;

		// First time: in order, after the fence, and within the limit.
		require(seg.psn == req_.top_psn, "skips a PSN");
		require(seg.psn == srnic_psn_add(config_.start_psn, psn_offset_), "breaks the count");
		psn_offset_ += seg.psns;
		for (uint32_t i = req_.tail; i < seg.index; i++)
			waiting += srnic_msg_has_response(&message(i).msg);
		if (!seg.offset)
			check_credit(seg);
		if (!seg.offset && msg.fence)
			require(!waiting, "does not wait at a fence");
		if (srnic_msg_has_response(&msg))
			require(waiting < config_.rd_atomic, "too many READs and atomics");
	}

	void place(const srnic_pkt &pkt, const std::vector<uint8_t> &payload,
		   const srnic_cmp_step &step)
	{
		const Message &m = message(step.index);
		std::vector<uint8_t> &to = result_[step.index];

		require(step.index >= req_.tail && step.index < req_.started, "places nowhere");
		if (pkt.info->atomic) {
			require(pkt.atomic_orig == m.original, "an atomic found a wrong value");
			to.assign(8, 1);
			return;
		}
		require(step.offset + payload.size() <= m.msg.length, "places too much");
		require(step.offset == to.size(), "places with a hole, or twice");
		to.insert(to.end(), payload.begin(), payload.end());
	}

	void apply(const srnic_cmp_step &step, uint64_t now)
	{
		const uint32_t tail = req_.tail;
		const bool moved = step.una != req_.una;

		if (moved)
			retries_ = rnr_retries_ = 0;
		if (moved || step.action == SRNIC_CMP_GO_BACK)
			progress_ = true;
		srnic_cmp_commit(&req_, &step);
		for (uint32_t i = tail; i != req_.tail; i++)
			complete(i, now);
		if (step.action == SRNIC_CMP_GO_BACK) {
			go_backs_++;
			stats_.go_backs++;
			require(++retries_ <= config_.retry_cnt, "more retries than configured");
		} else if (step.action == SRNIC_CMP_RNR) {
			stats_.rnr_waits++;
			rnr_deadline_ = now + step.wait_ns;
			require(step.wait_ns >= srnic_rnr_timer_ns(config_.rnr_timer),
				"waits too short");
			require(++rnr_retries_ <= config_.rnr_retry || config_.rnr_retry == 7,
				"more RNR retries than configured");
		} else if (step.action == SRNIC_CMP_FAIL) {
			fail(step);
		}
		check_state();
	}

	void complete(uint32_t index, uint64_t now)
	{
		const Message &m = message(index);

		trace_(now, name_, "completes message %u", index);
		stats_.completed++;
		require(index < req_.started, "completes what was not sent");
		if (m.msg.kind == SRNIC_MSG_READ)
			require(result_[index] == m.data, "a READ brought wrong data");
		else if (m.msg.kind >= SRNIC_MSG_CMP_SWAP || m.msg.kind == SRNIC_MSG_LOCAL)
			require(!result_[index].empty(), "without a result, or not done");
	}

	void fail(const srnic_cmp_step &step)
	{
		failed_ = true;
		error_ = step.error;
		if (step.error == SRNIC_CMP_ERR_RETRY) {
			stats_.exhausted++;
			require(retries_ == config_.retry_cnt, "fails before its retries are used up");
		} else if (step.error == SRNIC_CMP_ERR_RNR) {
			stats_.exhausted++;
			require(rnr_retries_ == config_.rnr_retry && config_.rnr_retry != 7,
				"fails before its RNR retries are used up");
		}
	}

	// As the pictures at the top of requester.h have it.
	void check_state() const
	{
		const srnic_msg &tail = ring_[req_.tail & req_.mask];
		const srnic_msg &next = ring_[req_.next & req_.mask];
		uint32_t responses = 0;

		require(req_.tail <= req_.next && req_.next <= req_.started &&
			req_.started <= req_.head, "indices out of order");
		require(srnic_psn_sub(req_.send_psn, req_.una) <= srnic_psn_sub(req_.top_psn, req_.una) &&
			srnic_psn_sub(req_.top_psn, req_.una) <= srnic_psn_sub(req_.next_psn, req_.una) &&
			srnic_psn_sub(req_.next_psn, req_.una) <= SRNIC_REQ_MAX_PSNS,
			"PSNs out of order");
		require(req_.tail == req_.started ? req_.una == req_.next_psn :
			srnic_psn_in_range(req_.una, tail.first_psn, tail.packets),
			"una is not in the oldest message");
		require(req_.next == req_.started ? req_.send_psn == req_.next_psn :
			srnic_psn_in_range(req_.send_psn, next.first_psn, next.packets),
			"send_psn is not in the next message");
		for (uint32_t i = req_.tail; i != req_.started; i++)
			responses += srnic_msg_has_response(&message(i).msg);
		require(req_.rd_atomic == responses, "READs and atomics miscounted");
	}

	const Config &config_;
	const Plan &plan_;
	Channel &out_;
	Random dice_;
	Trace &trace_;
	Stats &stats_;
	const char *name_;
	srnic_req req_;
	std::vector<srnic_msg> ring_;
	std::vector<std::vector<uint8_t>> result_;
	uint64_t next_post_;
	uint64_t next_run_ = 0;
	uint64_t deadline_ = 0;
	uint64_t rnr_deadline_ = 0;
	uint64_t go_backs_ = 0;
	uint32_t psn_offset_ = 0;
	uint64_t messages_sent_ = 0;
	uint64_t promised_ = 0;
	uint32_t retries_ = 0;		// since una has moved, counted apart
	uint32_t rnr_retries_ = 0;
	bool more_ = false;
	bool progress_ = false;
	bool failed_ = false;
	srnic_cmp_error error_ = SRNIC_CMP_ERR_NONE;
};

} // namespace model
