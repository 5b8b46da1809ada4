/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
// One direction of the network: delays, loses (or corrupts, which is the same),
// doubles and reorders.
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <vector>

#include "plan.hpp"

namespace model {

// What a schedule did, told on failure; nothing is formatted unless it is wanted.
class Trace {
public:
	bool on = false;

	__attribute__((format(printf, 4, 5)))
	void operator()(uint64_t now, const char *who, const char *format, ...)
	{
		if (!on) [[likely]]
			return;
		char text[200];
		const int n = std::snprintf(text, sizeof(text), "%9.3f us %s ",
					    static_cast<double>(now) / 1e3, who);
		va_list args;

		va_start(args, format);
		std::vsnprintf(text + n, sizeof(text) - n, format, args);
		va_end(args);
		lines.push_back(text);
	}

	std::vector<std::string> lines;
};

// What happened, to be sure that it does happen.
struct Stats {
	uint64_t simulated_ns;
	uint64_t packets, dropped, doubled, reordered;
	uint64_t go_backs, timeouts, rnr_waits, implied, resumed_reads, credit_waits;
	uint64_t gaps, duplicates, replayed_reads, replayed_atomics, rnr_naks;
	uint64_t exhausted, refused, completed;
};

struct Packet {
	uint64_t due;
	uint64_t order;
	uint32_t header_bytes;
	std::array<uint8_t, SRNIC_MAX_HEADER_BYTES> header;
	std::vector<uint8_t> payload;

	static Packet build(const srnic_pkt &pkt, std::vector<uint8_t> payload)
	{
		Packet packet{};

		packet.header_bytes = srnic_pkt_build(&pkt, packet.header.data());
		packet.payload = std::move(payload);
		return packet;
	}

	srnic_pkt parse() const
	{
		const auto bytes = static_cast<uint32_t>(payload.size());
		srnic_pkt pkt;

		require(srnic_pkt_parse(header.data(), header_bytes,
					header_bytes + bytes + srnic_pkt_pad_bytes(bytes) + 4,
					&pkt) == SRNIC_PARSE_OK, "a packet that does not parse");
		require(pkt.payload_bytes == bytes && pkt.header_bytes == header_bytes,
			"a packet of another length than built");
		return pkt;
	}
};

struct Weather {
	uint32_t drop, twice, reorder;	// permille
	uint32_t delay_ns;		// of every packet
	uint32_t late_ns;		// of one that is reordered, up to
	uint32_t very_late_ns;		// of one in ten of those: a time-out passes
	uint64_t clears_at;		// nothing is lost from then on
};

class Channel {
public:
	Channel(const Weather &weather, uint64_t seed, Trace &trace, Stats &stats, const char *name)
		: weather_(weather), dice_(seed), trace_(trace), stats_(stats), name_(name)
	{
	}

	// Says whether a loss could be one too many.
	std::function<bool()> mercy;

	void send(Packet packet, uint64_t now)
	{
		const bool lost = dice_.chance(weather_.drop);

		stats_.packets++;
		if (lost && now < weather_.clears_at && !mercy()) {
			stats_.dropped++;
			trace_(now, name_, "loses the next");
			return;
		}
		if (dice_.chance(weather_.twice)) {
			stats_.doubled++;
			trace_(now, name_, "doubles the next");
			put(packet, now);
		}
		put(std::move(packet), now);
	}

	uint64_t next_due() const { return queue_.empty() ? UINT64_MAX : queue_.front().due; }

	Packet take()
	{
		std::pop_heap(queue_.begin(), queue_.end(), later);
		Packet packet = std::move(queue_.back());
		queue_.pop_back();
		return packet;
	}

private:
	static bool later(const Packet &a, const Packet &b)
	{
		return a.due != b.due ? a.due > b.due : a.order > b.order;
	}

	void put(Packet packet, uint64_t now)
	{
		packet.due = now + weather_.delay_ns;
		if (dice_.chance(weather_.reorder)) {
			stats_.reordered++;
			packet.due += dice_.below(dice_.chance(100) && !mercy() ?
						  weather_.very_late_ns : weather_.late_ns) + 1;
		}
		packet.order = order_++;
		queue_.push_back(std::move(packet));
		std::push_heap(queue_.begin(), queue_.end(), later);
	}

	const Weather &weather_;
	Random dice_;
	Trace &trace_;
	Stats &stats_;
	const char *name_;
	uint64_t order_ = 0;
	std::vector<Packet> queue_;
};

} // namespace model
