/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
// What is to be done over one connection, and what must come of it: messages are
// drawn, and executed at once, in order, by the most naive machine there is.
#pragma once

#include <cstring>
#include <vector>

#include "random.hpp"

extern "C" {
#include "transport/completer.h"
#include "transport/requester.h"
#include "transport/responder.h"
#include "wire/aeth.h"
#include "wire/mtu.h"
#include "wire/psn.h"
}

namespace model {

constexpr uint64_t kMemoryVa = 0x7f1200000100;
constexpr uint64_t kCellsVa = 0x7f3400000000;
constexpr uint32_t kCells = 3;
constexpr uint32_t kRkey = 0x00ab3401;
constexpr uint32_t kBadRkey = 0x00ab3402;

enum class Mode {
	kCalm,		// nothing is lost, and there is no timer to make good for mistakes
	kLossy,		// the network does what it likes; everything completes
	kExhausting,	// retries are few and may run out
	kRefused,	// one message is refused for good
};

struct Config {
	Mode mode;
	uint32_t mtu;
	uint32_t start_psn;
	uint32_t messages;
	uint32_t ring;			// entries of the send queue
	uint32_t window;
	uint32_t rd_atomic;		// of the requester
	uint32_t dest_rd_atomic;	// of the responder: not less
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint64_t timeout_ns;		// 0: none
	uint8_t rnr_timer;
	uint32_t late_recv;		// permille: a receive WQE is not there in time
	uint32_t recv_gap_ns;		// but so much later, at the most
	bool tells_credits;		// the receiver says how many it has
	uint32_t post_gap_ns;		// between two posts, up to
	uint32_t send_budget;		// packets of one run
	uint32_t reply_budget;
	uint32_t kinds;			// bit mask of kinds that occur
	bool brief;			// messages of some bytes only
};

struct Message {
	srnic_msg msg;
	uint64_t va = 0;
	uint32_t rkey = kRkey;
	uint32_t imm = 0;
	uint64_t swap_add = 0;
	uint64_t compare = 0;
	uint64_t original = 0;		// atomic: what it must find
	std::vector<uint8_t> data;	// SEND, WRITE: payload; READ: what it must find

	bool takes_recv() const
	{
		return msg.kind == SRNIC_MSG_SEND || (msg.kind == SRNIC_MSG_WRITE && msg.imm);
	}
	bool refused() const { return rkey == kBadRkey; }
};

// REQUIRES: distinct salts for what must be told apart.
inline void fill(std::vector<uint8_t> &bytes, uint64_t salt)
{
	Random noise(salt);
	size_t at = 0;

	for (; at + 8 <= bytes.size(); at += 8) {
		const uint64_t word = noise.bits();
		std::memcpy(&bytes[at], &word, 8);
	}
	for (; at < bytes.size(); at++)
		bytes[at] = static_cast<uint8_t>(noise.bits());
}

class Plan {
public:
	Plan(const Config &config, uint64_t seed) : config_(config), dice_(seed)
	{
		for (uint64_t &cell : cells_)
			cell = dice_.bits();
		first_cells_ = cells_;
		for (uint32_t i = 0; i < config.messages; i++)
			messages_.push_back(draw());
		if (config.mode == Mode::kRefused)
			refuse_one();
	}

	const std::vector<Message> &messages() const { return messages_; }
	const std::vector<uint8_t> &memory() const { return memory_; }	// before it all
	const std::array<uint64_t, kCells> &first_cells() const { return first_cells_; }
	const std::array<uint64_t, kCells> &last_cells() const { return cells_; }

private:
	struct Region {
		uint64_t va;
		uint32_t length;
		size_t writer;		// message, or none
	};

	// 0 to some MTUs, with a liking for the edges.
	uint32_t draw_length()
	{
		const uint32_t mtu = config_.mtu;
		const uint32_t most = mtu > 1024 ? 2 : 5;

		if (config_.brief)
			return dice_.below(9);
		switch (dice_.below(6)) {
		case 0:
			return dice_.below(3);
		case 1:
			return dice_.between(1, mtu);
		case 2:
			return mtu * dice_.between(1, most) - 1 + dice_.below(3);
		default:
			return mtu * dice_.below(most) + dice_.between(1, mtu);
		}
	}

	Region new_region(uint32_t length)
	{
		const Region region = { kMemoryVa + memory_.size(), length, SIZE_MAX };
		std::vector<uint8_t> bytes(length);

		fill(bytes, dice_.bits());
		memory_.insert(memory_.end(), bytes.begin(), bytes.end());
		return region;
	}

	Message draw()
	{
		Message m{};
		srnic_msg &msg = m.msg;

		do
			msg.kind = static_cast<srnic_msg_kind>(dice_.below(7));
		while (!(config_.kinds >> msg.kind & 1));
		msg.fence = dice_.chance(150);
		msg.signaled = dice_.chance(500);
		msg.solicited = dice_.chance(200);
		m.imm = static_cast<uint32_t>(dice_.bits());
		switch (msg.kind) {
		case SRNIC_MSG_SEND:
			msg.imm = dice_.chance(300);
			msg.length = draw_length();
			m.data.resize(msg.length);
			fill(m.data, dice_.bits());
			break;
		case SRNIC_MSG_WRITE:
			draw_write(m);
			break;
		case SRNIC_MSG_READ:
			draw_read(m);
			break;
		case SRNIC_MSG_LOCAL:
			msg.after_all = dice_.chance(500);
			break;
		default:
			draw_atomic(m);
			break;
		}
		return m;
	}

	// Memory is written once, so that a second time is seen. What a READ before has
	// looked at is written behind a fence only (3.7.1).
	void draw_write(Message &m)
	{
		Region region;

		m.msg.imm = dice_.chance(300);
		if (!looked_at_.empty() && dice_.chance(500)) {
			region = looked_at_.back();
			looked_at_.pop_back();
			m.msg.fence = true;
		} else {
			region = new_region(draw_length());
		}
		m.msg.length = region.length;
		m.va = region.va;
		m.data.resize(region.length);
		fill(m.data, dice_.bits());
		written_.push_back({ region.va, region.length, messages_.size() });
	}

	void draw_read(Message &m)
	{
		if (!written_.empty() && dice_.chance(500)) {
			const Region &from = written_[dice_.below(
				static_cast<uint32_t>(written_.size()))];
			const uint32_t skip = dice_.below(from.length + 1);
			const Message &writer = messages_[from.writer];

			m.va = from.va + skip;
			m.msg.length = from.length - skip;
			m.data.assign(writer.data.begin() + skip, writer.data.end());
			return;
		}
		const Region region = new_region(draw_length());
		m.va = region.va;
		m.msg.length = region.length;
		m.data.assign(memory_.end() - region.length, memory_.end());
		looked_at_.push_back(region);
	}

	void draw_atomic(Message &m)
	{
		const uint32_t cell = dice_.below(kCells);

		m.msg.length = 8;
		m.va = kCellsVa + 8 * cell;
		if (m.msg.kind == SRNIC_MSG_ATOMIC_WRITE) {
			cells_[cell] = dice_.bits();
			m.data.resize(8);
			std::memcpy(m.data.data(), &cells_[cell], 8);
			return;
		}
		m.original = cells_[cell];
		m.swap_add = dice_.bits();
		if (m.msg.kind == SRNIC_MSG_FETCH_ADD) {
			cells_[cell] += m.swap_add;
			return;
		}
		m.compare = dice_.chance(700) ? cells_[cell] : dice_.bits();
		if (m.compare == cells_[cell])
			cells_[cell] = m.swap_add;
	}

	// The last message with a key gets a bad one; nothing behind it counts.
	void refuse_one()
	{
		for (size_t i = messages_.size(); i-- > 0;) {
			Message &m = messages_[i];

			if (m.msg.kind == SRNIC_MSG_SEND || !m.msg.length)
				continue;
			m.rkey = kBadRkey;
			break;
		}
	}

	const Config &config_;
	Random dice_;
	std::vector<Message> messages_;
	std::vector<uint8_t> memory_;
	std::vector<Region> written_;
	std::vector<Region> looked_at_;
	std::array<uint64_t, kCells> cells_{};
	std::array<uint64_t, kCells> first_cells_{};
};

} // namespace model
