/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * A part of the device file mapped into memory.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace srnic {

/**
 * Owns one mapping.
 *
 * The mapping is not inherited by fork(): the queues belong to the process that
 * made them, as those of a hardware NIC do, and a child that kept them would keep
 * the kernel's memory too.
 */
class Mapping {
public:
	Mapping() = default;
	~Mapping() { unmap(); }
	Mapping(const Mapping &) = delete;
	Mapping &operator=(const Mapping &) = delete;

	/** Maps @p bytes of @p fd at @p offset; @return 0 or errno. */
	int map(int fd, std::uint64_t offset, std::uint64_t bytes);
	void unmap();
	void swap(Mapping &other)
	{
		std::swap(data_, other.data_);
		std::swap(bytes_, other.bytes_);
	}

	/** The first byte, nullptr if nothing is mapped. */
	std::byte *data() const { return data_; }

private:
	std::byte *data_ = nullptr;
	std::size_t bytes_ = 0;
};

} // namespace srnic
