/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory in pieces of any size, seen as one run of bytes. Pure.
 *
 * What a consumer in the kernel registers has some hundred pieces at most, so an
 * array does, and a search in it is short.
 */
#ifndef SRNIC_MEM_SEGMENTS_H
#define SRNIC_MEM_SEGMENTS_H

#include "../env.h"

/**
 * struct srnic_segment - a contiguous piece
 * @address: of its first byte
 * @end: offset behind its last byte, from the start of the whole
 */
struct srnic_segment {
	u64 address;
	u64 end;
};

/**
 * struct srnic_segments - all pieces, in order
 * @list: @max pieces
 * @max: pieces that may be added
 * @count: pieces in @list; none is empty
 * @added: pieces that were added: one that continues the one before is joined to
 *	   it, but counts
 */
struct srnic_segments {
	struct srnic_segment *list;
	u32 max;
	u32 count;
	u32 added;
};

/**
 * srnic_segments_clear() - no pieces
 * @segments: pieces
 *
 * Context: Any.
 */
static inline void srnic_segments_clear(struct srnic_segments *segments)
{
	segments->count = 0;
	segments->added = 0;
}

/**
 * srnic_segments_bytes() - size of the whole
 * @segments: pieces
 *
 * Context: Any.
 * Return: bytes of all pieces together.
 */
static inline u64 srnic_segments_bytes(const struct srnic_segments *segments)
{
	return segments->count ? segments->list[segments->count - 1].end : 0;
}

bool srnic_segments_add(struct srnic_segments *segments, u64 address, u64 bytes);
u64 srnic_segments_run(const struct srnic_segments *segments, u64 offset, u64 bytes,
		       u64 *run);

#endif /* SRNIC_MEM_SEGMENTS_H */
