// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Fuzz target: a hostile peer. Requests that make no sense to a responder, responses
// that make no sense to a requester: nothing is placed, read or completed that was not
// asked for, and the state stays sound.
//
// Input: who is attacked (one byte), parameters, then one event after the other.
#include <array>
#include <cstdint>
#include <cstdlib>

extern "C" {
#include "transport/completer.h"
#include "transport/requester.h"
#include "transport/responder.h"
#include "wire/aeth.h"
#include "wire/mtu.h"
#include "wire/psn.h"
}

namespace {

void require(bool condition)
{
	if (!condition)
		std::abort();
}

// Bytes of the input; zero when they are used up.
class Input {
public:
	Input(const uint8_t *data, size_t size) : data_(data), left_(size) {}

	bool empty() const { return !left_; }

	uint8_t byte()
	{
		if (!left_)
			return 0;
		left_--;
		return *data_++;
	}

	uint32_t word()
	{
		uint32_t value = 0;

		for (int i = 0; i < 4; i++)
			value = value << 8 | byte();
		return value;
	}

	// Something near zero, or anything.
	uint32_t number()
	{
		const uint8_t first = byte();

		return first < 0xc0 ? first : word();
	}

	// A length: 0, some MTUs, more or less, or anything.
	uint32_t length(uint32_t mtu)
	{
		const uint8_t how = byte();

		return how < 0xe0 ? (how & 7) * mtu + (how >> 3 & 3) - 1 : word();
	}

private:
	const uint8_t *data_;
	size_t left_;
};

class Responder {
public:
	explicit Responder(Input &in) : in_(in)
	{
		srnic_rsp_init(&rsp_, in.byte() & 1 ? SRNIC_SERVICE_UC : SRNIC_SERVICE_RC);
		rsp_.mtu = 256u << in.byte() % 5;
		rsp_.epsn = in.word() & 0xffffff;
		rsp_.access = in.byte() & 0xf;
		rsp_.max_rd_atomic = in.byte() % (SRNIC_RSP_RESOURCES + 1);
	}

	void run()
	{
		while (!in_.empty() && !stopped_) {
			const uint8_t what = in_.byte();

			if (what < 0xc0)
				request(what);
			else
				reply(what & 0x3f);
			check();
		}
	}

private:
	void request(uint8_t op)
	{
		srnic_pkt pkt{};
		srnic_rsp_step step;
		uint64_t original = 0;

		pkt.opcode = rsp_.service | (op & SRNIC_OP_MASK);
		pkt.info = srnic_opcode_info(pkt.opcode);
		if (!pkt.info || !pkt.info->request)
			return;
		pkt.psn = srnic_psn_add(rsp_.epsn, static_cast<uint32_t>(static_cast<int8_t>(in_.byte())));
		pkt.payload_bytes = in_.length(rsp_.mtu) & 0xffff;
		pkt.dma_len = op & 0x20 ? pkt.payload_bytes : in_.length(rsp_.mtu);
		pkt.va = static_cast<uint64_t>(in_.number()) << 32 | in_.number();
		pkt.rkey = in_.byte();
		pkt.ack_req = op & 0x40;
		srnic_rsp_request(&rsp_, &pkt, &step);
		if (step.verdict == SRNIC_RSP_NAK) {
			// The engine says no more after that.
			stopped_ = true;
		} else if (step.verdict == SRNIC_RSP_EXECUTE) {
			check_step(pkt, step);
			if (in_.byte() == 0xff)
				return cannot(pkt, step);
			original = step.va;
		}
		srnic_rsp_commit(&rsp_, &pkt, &step, original);
		if (step.verdict == SRNIC_RSP_EXECUTE && step.kind >= SRNIC_MSG_READ)
			remember(pkt, step);
	}

	void cannot(const srnic_pkt &pkt, srnic_rsp_step &step)
	{
		if (rsp_.service == SRNIC_SERVICE_RC)
			return srnic_rsp_nak(&rsp_, srnic_aeth_rnr(1));
		step.verdict = SRNIC_RSP_DROP;
		srnic_rsp_commit(&rsp_, &pkt, &step, 0);
	}

	void check_step(const srnic_pkt &pkt, const srnic_rsp_step &step)
	{
		const uint32_t bytes = pkt.payload_bytes;

		require(bytes <= rsp_.mtu);
		require(step.psns >= 1 && step.psns <= 1u << 23);
		if (step.check_key) {
			require(step.length && step.length <= SRNIC_RSP_MAX_BYTES);
			checked_ = step;
		}
		if (step.place_write)
			require(step.rkey == checked_.rkey && step.va >= checked_.va &&
				step.va - checked_.va + bytes <= checked_.length);
		if (step.place_send)
			require(step.message_bytes == step.offset + bytes &&
				step.message_bytes <= SRNIC_RSP_MAX_BYTES);
		if (step.kind == SRNIC_MSG_ATOMIC_WRITE)
			require(bytes == 8 && step.check_key && step.length == 8 &&
				step.va % 8 == 0);
		else if (!step.place_write && !step.place_send)
			require(!bytes);
	}

	void remember(const srnic_pkt &pkt, const srnic_rsp_step &step)
	{
		asked_[count_++ % asked_.size()] = { step, pkt.psn, pkt.va };
	}

	void reply(uint32_t packets)
	{
		srnic_rsp_reply reply;

		while (packets--) {
			srnic_rsp_next(&rsp_, &reply);
			if (reply.kind == SRNIC_REPLY_NONE)
				return;
			require(rsp_.service == SRNIC_SERVICE_RC);
			require(reply.psn <= 0xffffff && srnic_opcode_info(reply.opcode));
			if (reply.kind == SRNIC_REPLY_READ || reply.kind == SRNIC_REPLY_ATOMIC)
				require(was_asked(reply));
			srnic_rsp_sent(&rsp_, &reply);
		}
	}

	// Only what a request that was checked has asked for is read.
	bool was_asked(const srnic_rsp_reply &reply) const
	{
		for (const Asked &a : asked_) {
			const uint32_t packet = srnic_psn_sub(reply.psn, a.psn);

			if (packet >= a.step.psns)
				continue;
			if (reply.kind == SRNIC_REPLY_ATOMIC) {
				if (a.step.kind >= SRNIC_MSG_CMP_SWAP && reply.original == a.va)
					return true;
				continue;
			}
			if (a.step.kind == SRNIC_MSG_ATOMIC_WRITE && !reply.bytes)
				return true;
			const uint64_t offset = static_cast<uint64_t>(packet) * rsp_.mtu;
			if (a.step.kind == SRNIC_MSG_READ && reply.va == a.va + offset &&
			    reply.rkey == a.step.rkey && offset + reply.bytes <= a.step.length &&
			    reply.bytes <= rsp_.mtu)
				return true;
		}
		return false;
	}

	void check() const
	{
		require(rsp_.epsn <= 0xffffff && rsp_.msn <= 0xffffff);
		require(rsp_.head - rsp_.emit.index <= rsp_.max_rd_atomic);
		if (rsp_.replay.index != rsp_.replay_end) {
			require(rsp_.head - rsp_.replay.index <= SRNIC_RSP_RESOURCES);
			require(rsp_.replay_end - rsp_.replay.index <= SRNIC_RSP_RESOURCES);
			require(static_cast<int32_t>(rsp_.emit.index - rsp_.replay_end) >= 0);
		}
	}

	struct Asked {
		srnic_rsp_step step;
		uint32_t psn;
		uint64_t va;
	};

	Input &in_;
	srnic_rsp rsp_;
	srnic_rsp_step checked_{};
	std::array<Asked, 2 * SRNIC_RSP_RESOURCES> asked_{};
	uint32_t count_ = 0;
	bool stopped_ = false;
};

class Requester {
public:
	explicit Requester(Input &in) : in_(in)
	{
		srnic_req_init(&req_, kRing, SRNIC_SERVICE_RC);
		req_.mtu = 256u << in.byte() % 5;
		req_.una = req_.send_psn = req_.top_psn = req_.next_psn = in.word() & 0xffffff;
		req_.max_rd_atomic = in.byte() % 33;
		req_.retry_cnt = req_.retry_left = in.byte() & 7;
		req_.rnr_retry = req_.rnr_left = in.byte() & 7;
		req_.window = 1 + in.byte();
	}

	void run()
	{
		while (!in_.empty() && !failed_) {
			const uint8_t what = in_.byte();

			switch (what >> 5) {
			case 0:
			case 1:
				post(what);
				break;
			case 2:
				send(what & 0x1f);
				break;
			case 3:
				timeout(what);
				break;
			default:
				response(what);
				break;
			}
			check();
		}
	}

private:
	static constexpr uint32_t kRing = 16;

	void post(uint8_t what)
	{
		if (req_.head - req_.tail == kRing)
			return;
		srnic_msg &msg = msgs_[req_.head++ & req_.mask];
		msg = {};
		msg.kind = static_cast<srnic_msg_kind>(what % 7);
		msg.imm = what & 8 && msg.kind <= SRNIC_MSG_LOCAL;
		msg.fence = what & 16;
		msg.signaled = what & 32;
		msg.after_all = msg.kind == SRNIC_MSG_LOCAL && msg.imm;
		if (msg.kind == SRNIC_MSG_LOCAL) {
			msg.imm = false;
			return;
		}
		msg.length = msg.kind > SRNIC_MSG_READ ? 8 : in_.length(req_.mtu) & 0x7fffffff;
	}

	void send(uint32_t packets)
	{
		srnic_req_segment seg;

		while (packets--) {
			const srnic_req_verdict verdict = srnic_req_next(&req_, msgs_, &seg);

			if (verdict == SRNIC_REQ_LOCAL) {
				require(seg.index == req_.started);
				require(msgs_[seg.index & req_.mask].kind == SRNIC_MSG_LOCAL);
				srnic_req_local_done(&req_, msgs_);
				continue;
			}
			// Somebody's answer has to bring more, whatever he said before.
			if (verdict == SRNIC_REQ_CREDIT)
				require(req_.una != req_.next_psn);
			if (verdict != SRNIC_REQ_SEND)
				return;
			const srnic_msg &msg = msgs_[seg.index & req_.mask];

			require(msg.kind != SRNIC_MSG_LOCAL);
			require(seg.bytes <= req_.mtu && seg.offset <= msg.length &&
				seg.bytes <= msg.length - seg.offset);
			srnic_req_sent(&req_, msgs_, &seg);
		}
	}

	void timeout(uint8_t what)
	{
		srnic_cmp_step step;

		if (what & 1)
			req_.rnr_wait = false;
		srnic_cmp_timeout(&req_, &step);
		commit(step);
	}

	void response(uint8_t op)
	{
		srnic_pkt pkt{};
		srnic_cmp_step step;

		pkt.opcode = op & SRNIC_OP_MASK;
		pkt.info = srnic_opcode_info(pkt.opcode);
		if (!pkt.info || !pkt.info->response)
			return;
		pkt.psn = srnic_psn_add(req_.una, static_cast<uint32_t>(static_cast<int8_t>(in_.byte())));
		pkt.syndrome = in_.byte();
		pkt.msn = in_.number() & 0xffffff;
		pkt.payload_bytes = pkt.info->has_payload ? in_.length(req_.mtu) & 0xffff : 0;
		srnic_cmp_response(&req_, msgs_, &pkt, &step);
		if (step.action == SRNIC_CMP_PLACE)
			check_place(pkt, step);
		commit(step);
	}

	void check_place(const srnic_pkt &pkt, const srnic_cmp_step &step) const
	{
		const srnic_msg &msg = msgs_[step.index & req_.mask];

		require(step.index - req_.tail < req_.started - req_.tail);
		require(pkt.info->atomic ? msg.kind >= SRNIC_MSG_CMP_SWAP : msg.kind == SRNIC_MSG_READ);
		require(step.offset <= msg.length && pkt.payload_bytes <= msg.length - step.offset);
		require(pkt.payload_bytes <= req_.mtu);
	}

	void commit(const srnic_cmp_step &step)
	{
		require(step.tail - req_.tail <= req_.started - req_.tail);
		require((step.action == SRNIC_CMP_FAIL) == (step.error != SRNIC_CMP_ERR_NONE));
		if (step.action == SRNIC_CMP_FAIL) {
			require(step.tail != req_.started);
			failed_ = true;
		}
		srnic_cmp_commit(&req_, &step);
	}

	void check() const
	{
		const srnic_msg &tail = msgs_[req_.tail & req_.mask];
		const srnic_msg &next = msgs_[req_.next & req_.mask];
		uint32_t responses = 0;

		require(req_.next - req_.tail <= req_.started - req_.tail);
		require(req_.started - req_.tail <= req_.head - req_.tail);
		require(srnic_psn_sub(req_.send_psn, req_.una) <= srnic_psn_sub(req_.top_psn, req_.una));
		require(srnic_psn_sub(req_.top_psn, req_.una) <= srnic_psn_sub(req_.next_psn, req_.una));
		require(srnic_psn_sub(req_.next_psn, req_.una) <= SRNIC_REQ_MAX_PSNS);
		require(req_.tail == req_.started ? req_.una == req_.next_psn :
			srnic_psn_in_range(req_.una, tail.first_psn, tail.packets));
		require(req_.next == req_.started ? req_.send_psn == req_.next_psn :
			srnic_psn_in_range(req_.send_psn, next.first_psn, next.packets));
		for (uint32_t i = req_.tail; i != req_.started; i++)
			responses += srnic_msg_has_response(&msgs_[i & req_.mask]);
		require(req_.rd_atomic == responses);
		require(req_.retry_left <= req_.retry_cnt && req_.rnr_left <= req_.rnr_retry);
	}

	Input &in_;
	srnic_req req_;
	srnic_msg msgs_[kRing]{};
	bool failed_ = false;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input in(data, size);

	if (in.byte() & 1)
		Responder(in).run();
	else
		Requester(in).run();
	return 0;
}
