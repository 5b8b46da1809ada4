/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
// Two QPs and the network between them: a schedule is a function of its seed.
#pragma once

#include <algorithm>

#include "receiver.hpp"
#include "sender.hpp"

namespace model {

// What is drawn from the seed first. The rest has dice of its own, so that a schedule
// with fewer messages is the same one, only shorter.
struct Setup {
	Config config;		// of both connections, each with its own plan
	Weather weather;
	uint32_t second_psn;

	Setup(uint64_t seed, Mode mode, uint32_t max_messages)
	{
		Random dice(seed);

		draw_config(dice, mode);
		draw_weather(dice);
		second_psn = draw_psn(dice);
		config.messages = std::min(config.messages, max_messages);
	}

private:
	static uint32_t draw_psn(Random &dice)
	{
		switch (dice.below(4)) {
		case 0:
			return 0;
		case 1:
			return 0x7ffff0 + dice.below(32);
		default:
			return srnic_psn_mask(0u - dice.below(40));
		}
	}

	void draw_config(Random &dice, Mode mode)
	{
		Config &c = config;

		c = {};
		c.mode = mode;
		c.mtu = 256u << (dice.chance(700) ? 0 : dice.below(5));
		c.start_psn = draw_psn(dice);
		c.messages = dice.chance(800) ? dice.between(1, 12) : dice.between(13, 60);
		c.ring = 1u << dice.between(0, 6);
		c.window = dice.chance(500) ? 256 : dice.between(1, 12);
		c.rd_atomic = dice.chance(500) ? dice.between(1, 3) :
						  dice.between(1, SRNIC_RSP_RESOURCES);
		c.dest_rd_atomic = dice.between(c.rd_atomic, dice.chance(700) ? c.rd_atomic :
									       SRNIC_RSP_RESOURCES);
		c.retry_cnt = 7;
		c.rnr_retry = 7;
		c.timeout_ns = srnic_ack_timeout_ns(static_cast<uint8_t>(dice.between(6, 8)));
		c.rnr_timer = static_cast<uint8_t>(dice.between(1, 8));
		c.late_recv = dice.chance(500) ? 0 : dice.between(50, 700);
		c.recv_gap_ns = dice.pick({ 2000u, 60000u });
		c.tells_credits = dice.chance(500);
		c.post_gap_ns = dice.pick({ 0u, 2000u, 20000u });
		c.send_budget = dice.chance(500) ? 64 : dice.between(1, 4);
		c.reply_budget = dice.chance(500) ? 32 : dice.between(1, 4);
		c.kinds = dice.chance(500) ? 0x7f : dice.between(1, 0x7f);
		if (dice.chance(200))
			draw_burst(dice);
		if (mode == Mode::kExhausting) {
			c.retry_cnt = static_cast<uint8_t>(dice.below(4));
			c.rnr_retry = static_cast<uint8_t>(dice.below(4));
		} else if (mode == Mode::kCalm) {
			c.retry_cnt = static_cast<uint8_t>(dice.below(2));
			c.timeout_ns = 0;
		}
	}

	// Many small SENDs at once, to a receiver that is hardly fast enough, and says so.
	void draw_burst(Random &dice)
	{
		Config &c = config;

		c.brief = true;
		c.messages = 60;
		c.ring = 64;
		c.window = 256;
		c.kinds = 1 << SRNIC_MSG_SEND;
		c.post_gap_ns = 0;
		c.send_budget = dice.between(1, 3);
		c.late_recv = dice.between(50, 500);
		c.recv_gap_ns = dice.between(200, 2000);
		c.tells_credits = true;
	}

	void draw_weather(Random &dice)
	{
		Weather &w = weather;

		w = {};
		w.delay_ns = dice.between(1000, 10000);
		w.late_ns = 20000;
		w.very_late_ns = dice.pick({ 20000u, 500000u, 2000000u });
		w.clears_at = 1000000 + dice.below(2000000);
		if (config.mode == Mode::kCalm)
			return;
		w.drop = dice.pick({ 0u, 20u, 100u, 300u });
		w.twice = dice.pick({ 0u, 0u, 50u, 300u });
		w.reorder = dice.pick({ 0u, 0u, 50u, 300u });
	}
};

class World {
public:
	World(uint64_t seed, Mode mode, uint32_t max_messages, Trace &trace, Stats &stats)
		: stats_(stats), setup_(seed, mode, max_messages), second_(second_config(setup_)),
		  there_(setup_.weather, seed ^ 0xa11ce, trace, stats, "   A->B"),
		  back_(setup_.weather, seed ^ 0xb0b, trace, stats, "   B->A"),
		  plan_a_(setup_.config, seed ^ 0x1111), plan_b_(second_, seed ^ 0x2222),
		  send_a_(setup_.config, plan_a_, there_, seed ^ 0x3333, trace, stats, "A sender"),
		  recv_b_(setup_.config, plan_a_, back_, seed ^ 0x4444, trace, stats, "B receiver"),
		  send_b_(second_, plan_b_, back_, seed ^ 0x5555, trace, stats, "B sender"),
		  recv_a_(second_, plan_b_, there_, seed ^ 0x6666, trace, stats, "A receiver")
	{
		const auto mercy = [this] { return needs_mercy(); };

		there_.mercy = mercy;
		back_.mercy = mercy;
	}

	void run()
	{
		send_a_.run(0);
		send_b_.run(0);
		// Until nothing happens any more: late packets included.
		for (uint32_t steps = 0; step(); steps++)
			require(steps < kMaxSteps, "does not come to an end");
		stats_.simulated_ns += now_;
		check_end(send_a_, recv_b_, plan_a_);
		check_end(send_b_, recv_a_, plan_b_);
	}

private:
	static constexpr uint32_t kMaxSteps = 200000;

	// The other direction is often idle; what both share is the network.
	static Config second_config(const Setup &setup)
	{
		Config config = setup.config;

		config.start_psn = setup.second_psn;
		if (setup.second_psn % 3)
			config.messages = 0;
		return config;
	}

	// Everything is to complete, unless retries are what is tried, or nobody answers
	// them any more.
	bool needs_mercy() const
	{
		return setup_.config.mode != Mode::kExhausting &&
		       (needs_mercy(send_a_, recv_b_) || needs_mercy(send_b_, recv_a_));
	}

	static bool needs_mercy(const Sender &s, const Receiver &r)
	{
		return s.retries_left() <= 3 && !r.refused() && !s.failed();
	}

	uint64_t next_due() const
	{
		return std::min({ there_.next_due(), back_.next_due(), send_a_.next_due(),
				  send_b_.next_due(), recv_a_.next_due(), recv_b_.next_due() });
	}

	bool step()
	{
		const uint64_t now = next_due();

		if (now == UINT64_MAX)
			return false;
		now_ = now;
		if (there_.next_due() <= now)
			deliver(there_.take(), recv_b_, send_b_, now);
		if (back_.next_due() <= now)
			deliver(back_.take(), recv_a_, send_a_, now);
		for (Receiver *r : { &recv_a_, &recv_b_ })
			if (r->next_due() <= now)
				r->run(now);
		for (Sender *s : { &send_a_, &send_b_ })
			if (s->next_due() <= now)
				s->run(now);
		return true;
	}

	static void deliver(const Packet &packet, Receiver &receiver, Sender &sender, uint64_t now)
	{
		const auto *info = srnic_opcode_info(packet.header[0]);

		require(info, "an unknown opcode");
		if (info->request)
			receiver.receive(packet, now);
		else
			sender.receive(packet, now);
	}

	void check_end(const Sender &s, const Receiver &r, const Plan &plan) const
	{
		const Mode mode = setup_.config.mode;

		require(s.done(), "hangs");
		require(s.completed() <= r.executed(), "completes what was not executed");
		if (!s.failed()) {
			r.check_whole();
			require(r.epsn() == s.next_psn(), "PSNs do not meet");
		} else {
			check_failure(s, r, plan);
		}
		if (mode == Mode::kCalm)
			require(!s.go_backs(), "goes back although nothing was lost");
	}

	void check_failure(const Sender &s, const Receiver &r, const Plan &plan) const
	{
		const auto &messages = plan.messages();

		switch (s.error()) {
		case SRNIC_CMP_ERR_RETRY:
			require(setup_.config.mode == Mode::kExhausting || r.refused(),
				"fails although retries would have helped");
			return;
		case SRNIC_CMP_ERR_RNR:
			require(setup_.config.mode == Mode::kExhausting, "RNR is endless");
			return;
		case SRNIC_CMP_ERR_REM_ACCESS:
			// The one refused, or a READ or atomic before it whose answer is lost.
			require(r.refused(), "fails without reason");
			require(s.completed() == r.executed() ||
				srnic_msg_has_response(&messages[s.completed()].msg),
				"the wrong message fails");
			require(messages[r.executed()].refused(), "another one was refused");
			return;
		default:
			throw Failure("fails for no good reason");
		}
	}

	Stats &stats_;
	uint64_t now_ = 0;
	const Setup setup_;
	const Config second_;
	Channel there_;
	Channel back_;
	const Plan plan_a_;
	const Plan plan_b_;
	Sender send_a_;
	Receiver recv_b_;
	Sender send_b_;
	Receiver recv_a_;
};

} // namespace model
