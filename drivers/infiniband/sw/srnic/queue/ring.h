/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arithmetic of ring indices.
 *
 * Pure. Indices count what was ever put into a ring or taken out of it, modulo
 * 2^32; sizes are powers of two. An index that was read from shared memory may
 * be anything: it goes through srnic_ring_pending() or srnic_ring_full(), and
 * nothing else here takes one.
 */
#ifndef SRNIC_QUEUE_RING_H
#define SRNIC_QUEUE_RING_H

#include "../env.h"

/* Not a number of slots: the producer index makes no sense. */
#define SRNIC_RING_NONSENSE	U32_MAX

/**
 * srnic_ring_pending() - how many slots a process has filled
 * @producer: its index, read from shared memory once; may be anything
 * @head: own index, private: slots ever taken
 * @room: slots that may be filled at most: all but those still in use
 *
 * An index that has gone backwards is a very large step forward, so that one
 * comparison catches both.
 *
 * Context: Any.
 * Return: 0..@room, or SRNIC_RING_NONSENSE.
 */
static inline u32 srnic_ring_pending(u32 producer, u32 head, u32 room)
{
	u32 pending = producer - head;

	return pending <= room ? pending : SRNIC_RING_NONSENSE;
}

/**
 * srnic_ring_full() - is there no room for one more
 * @producer: own index, private: slots ever filled
 * @consumer: the process's index, read from shared memory once; may be anything
 * @entries: slots, a power of two
 *
 * Context: Any.
 * Return: true if all slots are filled, or if @consumer makes no sense.
 */
static inline bool srnic_ring_full(u32 producer, u32 consumer, u32 entries)
{
	return producer - consumer >= entries;
}

/**
 * srnic_ring_slot() - slot of an index
 * @index: private index
 * @entries: slots, a power of two
 *
 * Context: Any.
 * Return: 0..@entries-1.
 */
static inline u32 srnic_ring_slot(u32 index, u32 entries)
{
	return index & (entries - 1);
}

/**
 * srnic_ring_phase() - phase of the entry that is written at an index
 * @producer: private index
 * @entries: slots, a power of two
 *
 * Context: Any.
 * Return: 1 in the first pass through the ring, then 0, and so on.
 */
static inline u16 srnic_ring_phase(u32 producer, u32 entries)
{
	return !(producer & entries);
}

/**
 * srnic_ring_bytes() - size of a ring's memory
 * @header: bytes in front of slot 0
 * @entries: number of slots
 * @stride: bytes from slot to slot
 * @bytes: where to put the size
 *
 * Context: Any.
 * Return: true if @bytes is good: @entries is a power of two and nothing
 * overflowed.
 */
static inline bool __must_check
srnic_ring_bytes(size_t header, u32 entries, u32 stride, size_t *bytes)
{
	size_t slots;

	if (!is_power_of_2(entries))
		return false;
	if (check_mul_overflow((size_t)entries, (size_t)stride, &slots))
		return false;
	return !check_add_overflow(header, slots, bytes);
}

#endif /* SRNIC_QUEUE_RING_H */
