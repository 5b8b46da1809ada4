// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Random requests of every kind, both ways at once: each is executed exactly once, in order and
// byte by byte. Easy on a good wire; scenarios/adverse.sh runs it on bad ones.
//
// A wire can lose a packet and each of its seven repetitions: that ends a connection as it should
// (IBV_WC_RETRY_EXC_ERR, the rest flushed). SRNIC_TEST_BREAKS tells how often it may.
#include <deque>
#include <optional>
#include <random>

#include "link.h"

namespace conformance {
namespace {

constexpr uint32_t kBatch = 24;
constexpr uint32_t kSlot = 24576;

/// Requests from one end to the other, and what they must have done.
class Stream {
public:
	Stream(Endpoint &from, Endpoint &to, uint64_t seed)
	    : from_(from), to_(to), random_(seed), near_(from.reg(kBatch * kSlot)),
	      far_(to.reg(kBatch * kSlot)), old_(from.reg(kBatch * 8)), counter_(to.reg(8)),
	      seed_(seed << 32)
	{
	}

	/// Receives for the coming batch, and the data of both ends.
	void prepare()
	{
		requests_.clear();
		receives_.clear();
		seed_ += 2;
		from_.fill(near_.address, near_.length, seed_);
		to_.fill(far_.address, far_.length, seed_ + 1);
		for (uint32_t i = 0; i < kBatch; i++) {
			requests_.push_back(random_request(i));
			if (!takes_receive(requests_[i].opcode))
				continue;
			receives_.push_back(i);
			std::vector<ibv_sge> sges;
			if (is_send(requests_[i].opcode))
				sges.push_back(far_.sge(i * kSlot, kSlot));
			ASSERT_EQ(to_.post_recv(i, sges), 0);
		}
	}
	void post()
	{
		for (const SendSpec &request : requests_)
			ASSERT_EQ(from_.post_send(request), 0);
	}
	/// What the batch did up to the request, if any, that ended the connection.
	void judge()
	{
		auto sent = from_.poll(Queue::kSend, kBatch, 10 * patience());
		ASSERT_EQ(sent.size(), kBatch);
		uint32_t done = 0;
		while (done < kBatch && sent[done].status == IBV_WC_SUCCESS)
			done++;
		broken_ = done < kBatch;
		for (uint32_t i = 0; i < kBatch; i++) {
			ASSERT_EQ(sent[i].wr_id, i);
			ASSERT_EQ(sent[i].status, i < done    ? IBV_WC_SUCCESS
						  : i == done ? IBV_WC_RETRY_EXC_ERR
							      : IBV_WC_WR_FLUSH_ERR);
		}
		while (!receives_.empty() && receives_.back() >= done)
			receives_.pop_back();
		auto received = to_.poll(Queue::kReceive, receives_.size());
		ASSERT_EQ(received.size(), receives_.size());
		for (size_t i = 0; i < received.size(); i++) {
			const SendSpec &request = requests_[receives_[i]];
			ASSERT_EQ(received[i].status, IBV_WC_SUCCESS);
			ASSERT_EQ(received[i].wr_id, receives_[i]);
			ASSERT_EQ(received[i].byte_len, bytes(request));
			if (has_immediate(request.opcode)) {
				ASSERT_EQ(be32toh(received[i].imm_data), request.immediate);
			}
		}
		for (uint32_t i = 0; i < done; i++)
			judge_memory(i);
		if (!broken_) {
			ASSERT_EQ(to_.peek64(counter_.address), sum_);
		}
	}
	bool broken() const { return broken_; }

private:
	static uint32_t bytes(const SendSpec &request)
	{
		return request.sges.empty() ? 0 : request.sges[0].length;
	}
	uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

	SendSpec random_request(uint32_t i)
	{
		constexpr ibv_wr_opcode kOpcodes[] = {
			IBV_WR_SEND,	       IBV_WR_SEND_WITH_IMM,
			IBV_WR_RDMA_WRITE,     IBV_WR_RDMA_WRITE_WITH_IMM,
			IBV_WR_RDMA_READ,      IBV_WR_ATOMIC_FETCH_AND_ADD,
			IBV_WR_ATOMIC_CMP_AND_SWP,
		};
		SendSpec request{.wr_id = i, .opcode = kOpcodes[below(std::size(kOpcodes))]};
		request.immediate = static_cast<uint32_t>(random_());
		request.rkey = far_.rkey;
		request.remote_address = far_.address + i * kSlot;
		uint32_t length = below(3) ? below(kSlot) : below(64);
		if (length)
			request.sges = {near_.sge(i * kSlot, length)};
		if (request.opcode != IBV_WR_ATOMIC_FETCH_AND_ADD &&
		    request.opcode != IBV_WR_ATOMIC_CMP_AND_SWP)
			return request;
		request.sges = {old_.sge(i * 8, 8)};
		request.remote_address = counter_.address;
		request.rkey = counter_.rkey;
		before_[i] = sum_;
		if (request.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			request.compare_add = random_();
			sum_ += request.compare_add;
		} else {
			request.compare_add = sum_;
			request.swap = random_();
			sum_ = request.swap;
		}
		return request;
	}
	void judge_memory(uint32_t i)
	{
		const SendSpec &request = requests_[i];
		uint64_t near = near_.address + i * kSlot, far = far_.address + i * kSlot;
		uint64_t first = uint64_t{i} * kSlot;
		uint32_t length = bytes(request);
		switch (request.opcode) {
		case IBV_WR_ATOMIC_FETCH_AND_ADD:
		case IBV_WR_ATOMIC_CMP_AND_SWP:
			ASSERT_EQ(from_.peek64(old_.address + i * 8), before_[i]);
			length = 0;
			break;
		case IBV_WR_RDMA_READ:
			ASSERT_EQ(from_.mismatch(near, length, seed_ + 1, first), -1);
			length = 0;
			break;
		default:
			ASSERT_EQ(to_.mismatch(far, length, seed_, first), -1);
		}
		ASSERT_EQ(to_.mismatch(far + length, kSlot - length, seed_ + 1, first + length),
			  -1)
			<< "beyond what was sent";
	}

	Endpoint &from_, &to_;
	std::mt19937_64 random_;
	Region near_, far_, old_, counter_;
	uint64_t seed_, sum_ = 0;
	bool broken_ = false;
	std::deque<SendSpec> requests_;
	std::vector<uint32_t> receives_;
	uint64_t before_[kBatch] = {};
};

class AdverseTest : public LinkTest, public testing::WithParamInterface<Family> {
protected:
	static uint64_t number_from(const char *variable, uint64_t otherwise)
	{
		const char *text = getenv(variable);
		return text ? strtoull(text, nullptr, 0) : otherwise;
	}
	/// Each packet number from the second batch on is behind the wrap.
	static PathSpec just_before_the_wrap()
	{
		PathSpec path;
		path.sq_psn = path.rq_psn = 0xffffe0;
		return path;
	}
};

TEST_P(AdverseTest, EveryRequestIsExecutedOnce)
{
	NEED_FAMILY(GetParam());
	uint64_t seed = number_from("SRNIC_TEST_SEED", 1);
	uint64_t rounds = scaled(4u, 1u) * number_from("SRNIC_TEST_ROUNDS", 1);
	uint64_t breaks = number_from("SRNIC_TEST_BREAKS", 0), broken = 0;
	SCOPED_TRACE("SRNIC_TEST_SEED=" + std::to_string(seed));
	std::optional<Stream> there, back;
	for (uint64_t round = 0; round < rounds && !HasFatalFailure(); round++) {
		SCOPED_TRACE("round " + std::to_string(round));
		if (!there || there->broken() || back->broken()) {
			open({.family = GetParam()}, just_before_the_wrap());
			there.emplace(a(), b(), 2 * (seed + broken));
			back.emplace(b(), a(), 2 * (seed + broken) + 1);
		}
		ASSERT_NO_FATAL_FAILURE(there->prepare());
		ASSERT_NO_FATAL_FAILURE(back->prepare());
		ASSERT_NO_FATAL_FAILURE(there->post());
		ASSERT_NO_FATAL_FAILURE(back->post());
		ASSERT_NO_FATAL_FAILURE(there->judge());
		ASSERT_NO_FATAL_FAILURE(back->judge());
		broken += there->broken() || back->broken();
		ASSERT_LE(broken, breaks) << "the connection broke";
	}
}

INSTANTIATE_TEST_SUITE_P(Ip, AdverseTest, testing::Values(Family::kIpv4, Family::kIpv6),
			 [](const auto &info) { return family_name(info.param); });

} // namespace
} // namespace conformance
