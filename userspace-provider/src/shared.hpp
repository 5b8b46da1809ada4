/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * Access to words of mapped memory that the kernel reads or writes at the same
 * time. Everything else in a mapping belongs to one side at a time, and these
 * words say to which.
 */
#pragma once

#include <atomic>

namespace srnic {

/** Pairs with a release store by the kernel. */
template <class T> inline T load_acquire(T &word)
{
	return std::atomic_ref<T>(word).load(std::memory_order_acquire);
}

/** Pairs with an acquire load by the kernel. */
template <class T> inline void store_release(T &word, T value)
{
	std::atomic_ref<T>(word).store(value, std::memory_order_release);
}

} // namespace srnic
