// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory in pieces of any size, seen as one run of bytes.
 */
#include "segments.h"

/**
 * srnic_segments_add() - one more piece, behind the others
 * @segments: pieces
 * @address: of its first byte
 * @bytes: its size; nothing is done for an empty one
 *
 * Context: Any.
 * Return: false if there is no room for it.
 */
bool srnic_segments_add(struct srnic_segments *segments, u64 address, u64 bytes)
{
	struct srnic_segment *last;
	u64 begin = 0;

	if (!bytes)
		return true;
	if (segments->added == segments->max)
		return false;
	segments->added++;
	if (segments->count) {
		last = &segments->list[segments->count - 1];
		begin = segments->count > 1 ? last[-1].end : 0;
		if (last->address + (last->end - begin) == address) {
			last->end += bytes;
			return true;
		}
		begin = last->end;
	}
	segments->list[segments->count++] = (struct srnic_segment){
		.address = address,
		.end = begin + bytes,
	};
	return true;
}

/**
 * srnic_segments_run() - where is this byte, and how far can one go from there
 * @segments: pieces
 * @offset: byte from the start of the whole
 * @bytes: bytes wanted, at least 1; all of them have to be inside
 * @run: contiguous bytes at the result, 1 to @bytes
 *
 * Context: Any.
 * Return: the byte's address.
 */
u64 srnic_segments_run(const struct srnic_segments *segments, u64 offset, u64 bytes,
		       u64 *run)
{
	const struct srnic_segment *list = segments->list;
	u32 first = 0, last = segments->count - 1;
	u64 begin;

	/* The first that ends behind it. */
	while (first < last) {
		u32 middle = first + (last - first) / 2;

		if (list[middle].end > offset)
			last = middle;
		else
			first = middle + 1;
	}
	begin = first ? list[first - 1].end : 0;
	*run = min(list[first].end - offset, bytes);
	return list[first].address + (offset - begin);
}
