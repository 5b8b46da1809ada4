// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// A uverbs file without libibverbs: commands by hand, right or wrong.
#pragma once

#include <rdma/ib_user_verbs.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "verbs.h"

namespace conformance {

/// Bytes of a write() command: core's part, then the driver's.
class Command {
public:
	explicit Command(uint32_t number)
	{
		bytes_.reserve(1024);
		put(ib_uverbs_cmd_hdr{number, 0, 0});
	}

	template <typename T> Command &put(const T &value)
	{
		auto *start = reinterpret_cast<const uint8_t *>(&value);
		bytes_.insert(bytes_.end(), start, start + sizeof(T));
		return *this;
	}
	Command &put(const std::vector<uint8_t> &bytes)
	{
		bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
		return *this;
	}
	Command &zeros(size_t count)
	{
		bytes_.resize(bytes_.size() + count);
		return *this;
	}
	/// Sends it with room for @out_bytes of answer; 0 or errno.
	int send(int fd, size_t out_bytes)
	{
		ib_uverbs_cmd_hdr header;
		memcpy(&header, bytes_.data(), sizeof(header));
		header.in_words = static_cast<uint16_t>(bytes_.size() / 4);
		header.out_words = static_cast<uint16_t>(out_bytes / 4);
		memcpy(bytes_.data(), &header, sizeof(header));
		ssize_t written = ::write(fd, bytes_.data(), bytes_.size());
		return written == static_cast<ssize_t>(bytes_.size()) ? 0
		       : written < 0				      ? errno
								      : EIO;
	}

private:
	std::vector<uint8_t> bytes_;
};

/// /dev/infiniband/uverbsN of a device, opened anew.
class UverbsFile {
public:
	explicit UverbsFile(const ibv_context &context);
	~UverbsFile() { close(fd_); }
	UverbsFile(const UverbsFile &) = delete;
	UverbsFile &operator=(const UverbsFile &) = delete;

	int fd() const { return fd_; }
	/// GET_CONTEXT with the driver's part @udata; 0 or errno.
	int get_context(const std::vector<uint8_t> &udata, size_t response_bytes = 64);

private:
	int fd_;
};

template <typename T> std::vector<uint8_t> bytes_of(const T &value)
{
	auto *start = reinterpret_cast<const uint8_t *>(&value);
	return {start, start + sizeof(T)};
}

} // namespace conformance
