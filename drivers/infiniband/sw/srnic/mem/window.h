/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What may be opened by a memory window, and what it opens. Pure.
 */
#ifndef SRNIC_MEM_WINDOW_H
#define SRNIC_MEM_WINDOW_H

#include "../env.h"
#include "check.h"

/* Values of enum ib_access_flags, which is not to be had in pure code. */
#define SRNIC_WINDOW_LOCAL_WRITE	BIT(0)
#define SRNIC_WINDOW_REMOTE_WRITE	BIT(1)
#define SRNIC_WINDOW_REMOTE_READ	BIT(2)
#define SRNIC_WINDOW_REMOTE_ATOMIC	BIT(3)
#define SRNIC_WINDOW_MW_BIND		BIT(4)
#define SRNIC_WINDOW_ZERO_BASED		BIT(5)
#define SRNIC_WINDOW_OPTIONAL		GENMASK(29, 20)

/* Local write has no meaning for a window, but programs ask for it. */
#define SRNIC_WINDOW_KNOWN						\
	(SRNIC_WINDOW_LOCAL_WRITE | SRNIC_WINDOW_REMOTE_WRITE |		\
	 SRNIC_WINDOW_REMOTE_READ | SRNIC_WINDOW_REMOTE_ATOMIC |	\
	 SRNIC_WINDOW_ZERO_BASED | SRNIC_WINDOW_OPTIONAL)

/**
 * struct srnic_window - a window that is open
 * @base: its first address, as peers name it
 * @length: bytes
 * @target: its first address, as its region names it
 * @access: what peers may do
 */
struct srnic_window {
	u64 base;
	u64 length;
	u64 target;
	u32 access;
};

/**
 * srnic_window_open() - may a window be opened like this, and what is it then?
 * @window: result
 * @iova: first address of the region
 * @region_bytes: size of the region
 * @region_access: rights of the region
 * @addr: first address of the window, as the region names it
 * @length: bytes of the window, not 0
 * @access: rights of the window
 *
 * Context: Any.
 * Return: SRNIC_MEM_OK, SRNIC_MEM_BAD_ACCESS (C10-73, C10-74) or
 * SRNIC_MEM_BAD_BOUNDS (C10-75).
 */
static inline enum srnic_mem_verdict
srnic_window_open(struct srnic_window *window, u64 iova, u64 region_bytes,
		  u32 region_access, u64 addr, u64 length, u32 access)
{
	u32 needed = SRNIC_WINDOW_MW_BIND;

	if (access & ~SRNIC_WINDOW_KNOWN)
		return SRNIC_MEM_BAD_ACCESS;
	if (access & (SRNIC_WINDOW_REMOTE_WRITE | SRNIC_WINDOW_REMOTE_ATOMIC))
		needed |= SRNIC_WINDOW_LOCAL_WRITE;
	if (!srnic_mem_allows(region_access, needed))
		return SRNIC_MEM_BAD_ACCESS;
	if (!srnic_mem_contains(iova, region_bytes, addr, length))
		return SRNIC_MEM_BAD_BOUNDS;

	*window = (struct srnic_window){
		.base = access & SRNIC_WINDOW_ZERO_BASED ? 0 : addr,
		.length = length,
		.target = addr,
		.access = access,
	};
	return SRNIC_MEM_OK;
}

/**
 * srnic_window_check() - may a peer access this through a window?
 * @window: the window
 * @va: first address, as the peer names it; as the region names it afterwards
 * @bytes: size of the access
 * @access: rights that are needed
 *
 * Context: Any.
 * Return: SRNIC_MEM_OK, SRNIC_MEM_BAD_ACCESS or SRNIC_MEM_BAD_BOUNDS.
 */
static inline enum srnic_mem_verdict
srnic_window_check(const struct srnic_window *window, u64 *va, u64 bytes,
		   int access)
{
	if (!srnic_mem_allows(window->access, access))
		return SRNIC_MEM_BAD_ACCESS;
	if (!srnic_mem_contains(window->base, window->length, *va, bytes))
		return SRNIC_MEM_BAD_BOUNDS;
	*va = *va - window->base + window->target;
	return SRNIC_MEM_OK;
}

#endif /* SRNIC_MEM_WINDOW_H */
