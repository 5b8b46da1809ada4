// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fixture.h"

#include <numeric>
#include <sstream>

#include "states.h"

namespace packets {

std::string hex(uint64_t value)
{
	std::ostringstream text;
	text << std::hex << "0x" << value;
	return text.str();
}

void PacketTest::SetUp()
{
	// Leftovers of a test that failed are no business of this one.
	rig().exchange({});
	rig().counters.changes();
}

void PacketTest::TearDown()
{
	if (connection_) {
		expect_memory();
		EXPECT_TRUE(rig().exchange({}).empty()) << "packets that nobody expected";
		expect_counts({});
		must_be_zero(c().end().move(IBV_QPS_RESET), "to RESET");
	}
	EXPECT_EQ(rig().bystanders.transfer(), "") << "between bystanders";
}

PathSpec PacketTest::quiet_path()
{
	PathSpec path;
	path.timeout = 0;
	return path;
}

void PacketTest::open(ibv_qp_type type, Family family, const PathSpec &path)
{
	connection_ = &rig().connection(type, family);
	connection_->connect(path);
}

Bytes PacketTest::data(size_t bytes)
{
	static uint64_t seed = 1000;
	Bytes fresh(bytes);
	fill(fresh, ++seed);
	return fresh;
}

void PacketTest::expect_replies(const std::vector<Bytes> &requests,
				const std::vector<Packet> &wanted)
{
	auto replies = rig().exchange(requests, wanted.size());
	for (size_t i = 0; i < replies.size() && i < wanted.size(); i++)
		EXPECT_EQ(c().compare(replies[i], wanted[i]), "") << "reply " << i;
	for (size_t i = wanted.size(); i < replies.size(); i++)
		ADD_FAILURE() << "a reply too many: " << describe(replies[i].packet) << " "
			      << replies[i].problem;
	for (size_t i = replies.size(); i < wanted.size(); i++)
		ADD_FAILURE() << "missing: " << describe(wanted[i]);
}

void PacketTest::expect_replies(const std::vector<Packet> &requests,
				const std::vector<Packet> &wanted)
{
	std::vector<Bytes> frames;
	for (const Packet &packet : requests)
		frames.push_back(c().frame(packet));
	expect_replies(frames, wanted);
}

namespace {

uint64_t sum(const Counts &counts)
{
	return std::accumulate(counts.begin(), counts.end(), uint64_t{0},
			       [](uint64_t n, const auto &entry) { return n + entry.second; });
}

/// @counts has @n under @counters and nothing else.
bool counted(const Counts &counts, const std::vector<std::string> &counters, uint64_t n)
{
	for (const auto &entry : counts) {
		if (std::find(counters.begin(), counters.end(), entry.first) == counters.end())
			return false;
	}
	return sum(counts) == n;
}

std::string to_text(const Counts &counts)
{
	std::string text;
	for (const auto &[name, count] : counts)
		text += name + " +" + std::to_string(count) + " ";
	return text.empty() ? "nothing" : text;
}

} // namespace

void PacketTest::expect_dropped(const std::vector<Named> &frames,
				const std::vector<std::string> &counters)
{
	std::vector<Bytes> bytes;
	for (const Named &frame : frames)
		bytes.push_back(frame.ip);
	if (rig().exchange(bytes).empty() &&
	    counted(rig().counters.changes(), counters, frames.size()))
		return;
	// One at a time, to find out which it is.
	ADD_FAILURE() << "not all of " << frames.size() << " frames were dropped under "
		      << counters[0];
	int told = 0;
	for (const Named &frame : frames) {
		auto replies = rig().exchange({frame.ip});
		Counts counts = rig().counters.changes();
		if (replies.empty() && counted(counts, counters, 1))
			continue;
		if (++told > 10)
			break;
		ADD_FAILURE() << frame.name << ": " << replies.size()
			      << " replies, counted: " << to_text(counts)
			      << (replies.empty() ? "" : describe(replies[0].packet));
	}
}

void PacketTest::expect_dropped(const std::vector<Named> &frames, const std::string &counter)
{
	expect_dropped(frames, std::vector<std::string>{counter});
}

void PacketTest::expect_counts(const Counts &wanted)
{
	EXPECT_EQ(to_text(rig().counters.changes()), to_text(wanted));
}

void PacketTest::post(uint32_t offset, uint32_t bytes)
{
	must_be_zero(c().end().post_recv(offset, {c().arena().inbox(offset, bytes)}), "post_recv");
}

ibv_wc PacketTest::expect_received(uint32_t offset, const Bytes &payload)
{
	auto completions = c().end().poll(Queue::kReceive, 1);
	if (completions.empty())
		throw std::runtime_error("no receive completes");
	ibv_wc wc = completions[0];
	EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(wc.wr_id, offset);
	EXPECT_EQ(wc.byte_len, payload.size());
	EXPECT_EQ(wc.qp_num, c().qpn());
	c().arena().expect_inbox(offset, payload);
	expect_memory();
	return wc;
}

void PacketTest::expect_nothing_received()
{
	EXPECT_TRUE(c().end().poll(Queue::kReceive, 1, Milliseconds(0)).empty())
		<< "a receive completes";
}

void PacketTest::expect_memory()
{
	EXPECT_EQ(c().arena().difference(), "");
}

void PacketTest::expect_state(ibv_qp_state state)
{
	EXPECT_STREQ(state_name(c().end().state()), state_name(state));
}

void PacketTest::expect_alive(uint32_t msn)
{
	Bytes payload = data(16);
	uint32_t psn = c().psn;
	expect_replies({c().write(kWriteOnly, c().arena().va(32), 16, payload)},
		       {c().ack(psn, msn)});
	c().arena().expect_far(32, payload);
	expect_memory();
}

} // namespace packets
