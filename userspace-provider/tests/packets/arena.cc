// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "arena.h"

#include <algorithm>
#include <sstream>

namespace packets {

Arena::Arena(LocalEndpoint &end)
	: whole_(end.reg(kBytes, IBV_ACCESS_LOCAL_WRITE)),
	  far_(end.reg_part(whole_, kFarAt, kFarBytes, kAllAccess)), expected_(kBytes)
{
	refill();
}

void Arena::refill()
{
	fill(expected_, ++seed_);
	std::copy(expected_.begin(), expected_.end(), reinterpret_cast<uint8_t *>(whole_.address));
}

void Arena::expect(uint32_t at, const Bytes &bytes)
{
	if (at + bytes.size() > expected_.size())
		throw std::logic_error("outside of the arena");
	std::copy(bytes.begin(), bytes.end(), expected_.begin() + at);
}

Bytes Arena::far_bytes(uint32_t offset, uint32_t bytes) const
{
	auto start = expected_.begin() + kFarAt + offset;
	return {start, start + bytes};
}

std::string Arena::difference() const
{
	auto at = std::mismatch(expected_.begin(), expected_.end(), data()).first;
	if (at == expected_.end())
		return "";
	auto index = static_cast<size_t>(at - expected_.begin());
	std::ostringstream text;
	text << std::hex << "byte 0x" << index << " of the arena (far from 0x" << kFarAt
	     << ", inbox from 0x" << kInboxAt << ") is 0x" << +data()[index] << ", not 0x" << +*at;
	return text.str();
}

std::string Arena::difference_outside()
{
	for (auto [at, bytes] : {std::pair{kFarAt, kFarBytes}, {kInboxAt, kInboxBytes}})
		std::copy(data() + at, data() + at + bytes, expected_.begin() + at);
	return difference();
}

} // namespace packets
