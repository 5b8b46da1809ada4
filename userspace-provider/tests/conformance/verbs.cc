// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "verbs.h"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <thread>

namespace conformance {

VerbsError::VerbsError(const std::string &what, int error)
	: std::runtime_error(what + ": " + strerror(error)), error(error)
{
}

void must_be_zero(int error, const char *what)
{
	if (error)
		throw VerbsError(what, error < 0 ? errno : error);
}

bool quick()
{
	static const bool value = [] {
		const char *scale = getenv("SRNIC_TEST_SCALE");
		return scale && std::string(scale) == "quick";
	}();
	return value;
}

Milliseconds patience()
{
	static const Milliseconds value = [] {
		const char *given = getenv("SRNIC_TEST_PATIENCE");
		return Milliseconds(given ? atoi(given) : quick() ? 60'000 : 5'000);
	}();
	return value;
}

Milliseconds moment()
{
	return quick() ? Milliseconds(300) : Milliseconds(30);
}

std::vector<ibv_wc> poll(ibv_cq *cq, size_t count, Milliseconds timeout)
{
	// What takes longer than this waits for a timer: leave the processor to others.
	constexpr auto kBusy = std::chrono::milliseconds(1);
	std::vector<ibv_wc> completions;
	auto start = std::chrono::steady_clock::now(), last = start;
	while (completions.size() < count) {
		ibv_wc batch[16];
		int wanted = static_cast<int>(std::min<size_t>(16, count - completions.size()));
		int got = ibv_poll_cq(cq, wanted, batch);
		if (got < 0)
			throw VerbsError("ibv_poll_cq", -got);
		completions.insert(completions.end(), batch, batch + got);
		auto now = std::chrono::steady_clock::now();
		if (got > 0)
			last = now;
		else if (now - start > timeout)
			break;
		else if (now - last < kBusy)
			sched_yield();
		else
			std::this_thread::sleep_for(std::chrono::microseconds(100));
	}
	return completions;
}

namespace {

/// splitmix64: eight bytes of the pattern at once.
uint64_t pattern_word(uint64_t seed, uint64_t word)
{
	uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + word * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 30)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/// Calls @visit(offset in data, the bytes that belong there, their number).
template <typename Visit>
void walk_pattern(uint64_t length, uint64_t seed, uint64_t first, Visit visit)
{
	for (uint64_t done = 0; done < length;) {
		uint64_t word = pattern_word(seed, (first + done) / 8);
		uint8_t expected[8];
		memcpy(expected, &word, 8);
		uint64_t skip = (first + done) % 8;
		uint64_t part = std::min<uint64_t>(8 - skip, length - done);
		if (!visit(done, expected + skip, part))
			return;
		done += part;
	}
}

constexpr uint64_t kGuardBytes = 256;
constexpr uint8_t kGuard = 0xa5;

} // namespace

uint8_t pattern(uint64_t seed, uint64_t index)
{
	return static_cast<uint8_t>(pattern_word(seed, index / 8) >> (8 * (index % 8)));
}

void fill(std::span<uint8_t> data, uint64_t seed, uint64_t first)
{
	walk_pattern(data.size(), seed, first,
		     [&](uint64_t at, const uint8_t *expected, uint64_t n) {
			     memcpy(data.data() + at, expected, n);
			     return true;
		     });
}

int64_t mismatch(std::span<const uint8_t> data, uint64_t seed, uint64_t first)
{
	int64_t wrong = -1;
	walk_pattern(data.size(), seed, first,
		     [&](uint64_t at, const uint8_t *expected, uint64_t n) {
			     if (memcmp(data.data() + at, expected, n) == 0)
				     return true;
			     const uint8_t *begin = data.data() + at;
			     wrong = static_cast<int64_t>(
				     std::mismatch(begin, begin + n, expected).first - data.data());
			     return false;
		     });
	return wrong;
}

Memory::Memory(uint64_t length, unsigned misalign) : length_(length)
{
	map_length_ = (2 * kGuardBytes + misalign + length + 4095) & ~4095ull;
	map_ = mmap(nullptr, map_length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (map_ == MAP_FAILED)
		throw VerbsError("mmap", errno);
	data_ = static_cast<uint8_t *>(map_) + kGuardBytes + misalign;
	memset(data_ - kGuardBytes, kGuard, kGuardBytes);
	memset(data_ + length, kGuard, kGuardBytes);
}

Memory::~Memory()
{
	EXPECT_TRUE(guards_intact()) << "bytes around a region of " << length_ << " were touched";
	munmap(map_, map_length_);
}

bool Memory::guards_intact() const
{
	auto intact = [](const uint8_t *zone) {
		return std::all_of(zone, zone + kGuardBytes, [](uint8_t b) { return b == kGuard; });
	};
	return intact(data_ - kGuardBytes) && intact(data_ + length_);
}

const char *opcode_name(ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_RDMA_WRITE:
		return "Write";
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return "WriteImm";
	case IBV_WR_SEND:
		return "Send";
	case IBV_WR_SEND_WITH_IMM:
		return "SendImm";
	case IBV_WR_RDMA_READ:
		return "Read";
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return "CompareSwap";
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return "FetchAdd";
	default:
		return "Other";
	}
}

} // namespace conformance
