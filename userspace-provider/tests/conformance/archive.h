// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Values as bytes, for the side channel. Both ends are the same program.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "endpoint.h"

namespace conformance {

/// Calls @visit with every member of a SendSpec, const or not.
template <typename Spec, typename Visit> void visit_members(Spec &spec, Visit visit)
{
	visit(spec.wr_id);
	visit(spec.opcode);
	visit(spec.flags);
	visit(spec.sges);
	visit(spec.remote_address);
	visit(spec.rkey);
	visit(spec.immediate);
	visit(spec.compare_add);
	visit(spec.swap);
	visit(spec.to);
	visit(spec.qkey);
	visit(spec.invalidate);
}

class Writer {
public:
	template <typename T>
	requires std::is_trivially_copyable_v<T>
	void put(const T &value)
	{
		auto *start = reinterpret_cast<const uint8_t *>(&value);
		bytes.insert(bytes.end(), start, start + sizeof(T));
	}
	template <typename T> void put(const std::vector<T> &values)
	{
		put(static_cast<uint32_t>(values.size()));
		for (const T &value : values)
			put(value);
	}
	void put(const SendSpec &spec)
	{
		visit_members(spec, [this](const auto &member) { put(member); });
	}

	std::vector<uint8_t> bytes;
};

class Reader {
public:
	explicit Reader(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}

	template <typename T>
	requires std::is_trivially_copyable_v<T>
	void get(T &value)
	{
		if (bytes_.size() - at_ < sizeof(T))
			throw std::runtime_error("short message on the side channel");
		memcpy(&value, bytes_.data() + at_, sizeof(T));
		at_ += sizeof(T);
	}
	template <typename T> void get(std::vector<T> &values)
	{
		values.resize(get<uint32_t>());
		for (T &value : values)
			get(value);
	}
	void get(SendSpec &spec)
	{
		visit_members(spec, [this](auto &member) { get(member); });
	}
	template <typename T> T get()
	{
		T value{};
		get(value);
		return value;
	}

private:
	std::vector<uint8_t> bytes_;
	size_t at_ = 0;
};

} // namespace conformance
