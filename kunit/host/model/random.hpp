/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
// The model's dice: the same numbers for the same seed, everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace model {

// What a check throws: the schedule has shown a bug.
struct Failure : std::runtime_error {
	using std::runtime_error::runtime_error;
};

inline void require(bool condition, const char *what)
{
	if (!condition) [[unlikely]]
		throw Failure(what);
}

// splitmix64.
class Random {
public:
	explicit Random(uint64_t seed) : state_(seed) {}

	uint64_t bits()
	{
		uint64_t z = state_ += 0x9e3779b97f4a7c15;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		return z ^ z >> 31;
	}

	// 0 .. n - 1
	uint32_t below(uint32_t n) { return static_cast<uint32_t>((bits() >> 32) * n >> 32); }

	// low .. high
	uint32_t between(uint32_t low, uint32_t high) { return low + below(high - low + 1); }

	bool chance(uint32_t permille) { return below(1000) < permille; }

	template <typename T, size_t N> T pick(const T (&choices)[N])
	{
		return choices[below(N)];
	}

private:
	uint64_t state_;
};

} // namespace model
