/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * Making and freeing objects without operator new, which is libstdc++'s.
 */
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>

namespace srnic {

/** Objects that different threads use shall not share a cache line. */
inline constexpr std::size_t kCacheLine = 64;

/** A zeroed, default-constructed T, or nullptr. */
template <class T> T *create()
{
	constexpr std::size_t bytes = (sizeof(T) + kCacheLine - 1) / kCacheLine * kCacheLine;
	static_assert(alignof(T) <= kCacheLine);
	void *memory = std::aligned_alloc(kCacheLine, bytes);

	if (!memory)
		return nullptr;
	std::memset(memory, 0, bytes);
	return new (memory) T{};
}

/** Undoes create(). */
template <class T> void destroy(T *object)
{
	if (!object)
		return;
	object->~T();
	std::free(object);
}

} // namespace srnic
