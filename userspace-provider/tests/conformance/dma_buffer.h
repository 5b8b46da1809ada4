// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// A DMA buffer of whatever driver of the kernel exports some.
#pragma once

#include <memory>
#include <span>

#include "verbs.h"

namespace conformance {

class DmaBuffer {
public:
	/// Nothing if no driver is there that exports buffers: srnic_dmabuf_exporter of
	/// kunit/, vgem, or udmabuf. @length is a multiple of a page.
	static std::unique_ptr<DmaBuffer> make(uint64_t length);
	/// One that no CPU is to use, or that is a device's own memory. Nothing without
	/// srnic_dmabuf_exporter.
	enum class Kind : uint64_t { kMemory, kNoMap, kIo };
	static std::unique_ptr<DmaBuffer> make(Kind kind, uint64_t length);
	DmaBuffer(int fd, uint64_t length);
	~DmaBuffer();
	DmaBuffer(const DmaBuffer &) = delete;
	DmaBuffer &operator=(const DmaBuffer &) = delete;

	int fd() const { return fd_; }
	/// What is in it, as this process sees it.
	std::span<uint8_t> bytes() const { return {data_, length_}; }
	std::span<uint8_t> bytes(uint64_t offset, uint64_t length) const
	{
		return bytes().subspan(offset, length);
	}
	/// From now on only those that have it hold the buffer.
	void close_file();

private:
	int fd_;
	uint64_t length_;
	uint8_t *data_;
};

} // namespace conformance
