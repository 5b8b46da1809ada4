/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * May this access be made? Pure.
 */
#ifndef SRNIC_MEM_CHECK_H
#define SRNIC_MEM_CHECK_H

#include "../env.h"

/**
 * enum srnic_mem_verdict - what became of the look for a piece of memory
 * @SRNIC_MEM_OK: found, and may be accessed
 * @SRNIC_MEM_BAD_KEY: no such key
 * @SRNIC_MEM_BAD_PD: belongs to another protection domain
 * @SRNIC_MEM_BAD_ACCESS: does not allow this kind of access
 * @SRNIC_MEM_BAD_BOUNDS: not all of it is inside
 */
enum srnic_mem_verdict {
	SRNIC_MEM_OK,
	SRNIC_MEM_BAD_KEY,
	SRNIC_MEM_BAD_PD,
	SRNIC_MEM_BAD_ACCESS,
	SRNIC_MEM_BAD_BOUNDS,
};

/**
 * srnic_mem_range_valid() - can there be a region like this
 * @base: its first address
 * @length: its size
 *
 * Context: Any.
 * Return: false if it would wrap around the end of the address space.
 */
static inline bool srnic_mem_range_valid(u64 base, u64 length)
{
	return !length || length - 1 <= U64_MAX - base;
}

/**
 * srnic_mem_contains() - is a range inside a region
 * @base: first address of the region
 * @length: size of the region
 * @va: first address of the range
 * @bytes: size of the range; an empty one may lie at the very end
 *
 * Context: Any.
 * Return: true if it is; no sum of the arguments can wrap.
 */
static inline bool srnic_mem_contains(u64 base, u64 length, u64 va, u64 bytes)
{
	u64 offset = va - base;

	return va >= base && offset <= length && bytes <= length - offset;
}

/**
 * srnic_mem_allows() - does a region grant what an access needs
 * @granted: access flags of the region
 * @needed: flags that all have to be there; 0 for local reads
 *
 * Context: Any.
 * Return: true if it does.
 */
static inline bool srnic_mem_allows(int granted, int needed)
{
	return (granted & needed) == needed;
}

#endif /* SRNIC_MEM_CHECK_H */
