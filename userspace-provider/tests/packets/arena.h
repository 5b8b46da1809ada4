// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Registered memory, every byte of which is known.
#pragma once

#include "endpoint.h"
#include "frame.h"

namespace packets {

/// | before | far: peers may access it | between | inbox: for receives | after |
/// Nothing is aligned to pages, so that both sides of every bound are mapped.
class Arena {
public:
	static constexpr uint32_t kFarAt = 0x1040;
	static constexpr uint32_t kFarBytes = 0x3f80;
	static constexpr uint32_t kInboxAt = 0x6010;
	static constexpr uint32_t kInboxBytes = 0x3fe0;
	static constexpr uint32_t kBytes = 0xb000;

	explicit Arena(LocalEndpoint &end);

	/// Of the peer's part.
	uint64_t va(uint64_t offset = 0) const { return far_.address + offset; }
	uint32_t rkey() const { return far_.rkey; }
	/// All of it, without any right for peers.
	const Region &whole() const { return whole_; }
	const Region &far() const { return far_; }
	ibv_sge inbox(uint32_t offset, uint32_t bytes) const
	{
		return whole_.sge(kInboxAt + offset, bytes);
	}

	/// These bytes belong at @at of the arena from now on.
	void expect(uint32_t at, const Bytes &bytes);
	void expect_far(uint32_t offset, const Bytes &bytes) { expect(kFarAt + offset, bytes); }
	void expect_inbox(uint32_t offset, const Bytes &bytes) { expect(kInboxAt + offset, bytes); }
	Bytes far_bytes(uint32_t offset, uint32_t bytes) const;
	/// A new pattern everywhere.
	void refill();
	/// Where the memory is not as expected, or "".
	std::string difference() const;
	/// The same, but for far and inbox; whatever is there belongs there from now on.
	std::string difference_outside();

private:
	const uint8_t *data() const { return reinterpret_cast<const uint8_t *>(whole_.address); }

	Region whole_, far_;
	Bytes expected_;
	uint64_t seed_ = 0;
};

} // namespace packets
