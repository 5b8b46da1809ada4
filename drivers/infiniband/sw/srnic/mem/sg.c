// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Walking scatter/gather lists.
 */
#include "sg.h"

/**
 * struct piece - what one element contributes
 * @memory: where it is; to be released
 * @bytes: how many, at least 1
 */
struct piece {
	struct srnic_mem_ref memory;
	u32 bytes;
};

/*
 * The next piece of at most @want bytes; the cursor moves behind it. An empty element
 * is not checked at all.
 */
static int next_piece(struct srnic_key_table *table, const struct ib_pd *pd,
		      const struct srnic_sge *sg, u32 num_sge,
		      struct srnic_sg_cursor *cursor, int access, u32 want,
		      struct piece *piece)
{
	while (cursor->index < num_sge && cursor->offset >= sg[cursor->index].length) {
		cursor->index++;
		cursor->offset = 0;
	}
	if (cursor->index >= num_sge)
		return -EMSGSIZE;

	sg += cursor->index;
	piece->bytes = min(want, sg->length - cursor->offset);
	/* What is not touched is not checked: programs give large lengths. */
	if (srnic_mem_find(table, pd, sg->lkey, sg->addr + cursor->offset,
			   piece->bytes, access, &piece->memory) != SRNIC_MEM_OK)
		return -EFAULT;
	cursor->offset += piece->bytes;
	return 0;
}

/**
 * srnic_sg_seek() - put a cursor somewhere
 * @sg: the list
 * @num_sge: its elements
 * @cursor: the cursor
 * @offset: byte from the start of the list; beyond its end, the cursor is at the end
 *
 * Context: Any.
 */
void srnic_sg_seek(const struct srnic_sge *sg, u32 num_sge,
		   struct srnic_sg_cursor *cursor, u32 offset)
{
	u32 index;

	for (index = 0; index < num_sge && offset >= sg[index].length; index++)
		offset -= sg[index].length;
	cursor->index = index;
	cursor->offset = index < num_sge ? offset : 0;
}

/**
 * srnic_sg_read() - gather
 * @table: keys of the device
 * @pd: protection domain of the queue
 * @sg: private copy of the list
 * @num_sge: its elements
 * @cursor: where to start; afterwards, if all went well, the end of what was read
 * @to: where to
 * @bytes: how many
 *
 * Context: RCU read section.
 * Return: 0, -EFAULT if an element may not be read, or -EMSGSIZE if the list is too
 * short. @to may have been written to in any case.
 */
int srnic_sg_read(struct srnic_key_table *table, const struct ib_pd *pd,
		  const struct srnic_sge *sg, u32 num_sge,
		  struct srnic_sg_cursor *cursor, void *to, u32 bytes)
{
	struct srnic_sg_cursor at = *cursor;
	struct piece piece;
	int err;

	while (bytes) {
		err = next_piece(table, pd, sg, num_sge, &at, 0, bytes, &piece);
		if (err)
			return err;
		srnic_mem_read(piece.memory.mr, piece.memory.va, to, piece.bytes);
		srnic_mem_release(&piece.memory);
		to += piece.bytes;
		bytes -= piece.bytes;
	}
	*cursor = at;
	return 0;
}

/**
 * srnic_sg_write() - scatter
 * @table: keys of the device
 * @pd: protection domain of the queue
 * @sg: private copy of the list
 * @num_sge: its elements
 * @cursor: where to start; afterwards, if all went well, the end of what was written
 * @from: where from
 * @bytes: how many
 *
 * Context: RCU read section.
 * Return: 0, -EFAULT if an element may not be written to, or -EMSGSIZE if the list is
 * too short. What went before has been written.
 */
int srnic_sg_write(struct srnic_key_table *table, const struct ib_pd *pd,
		   const struct srnic_sge *sg, u32 num_sge,
		   struct srnic_sg_cursor *cursor, const void *from, u32 bytes)
{
	struct srnic_sg_cursor at = *cursor;
	struct piece piece;
	int err;

	while (bytes) {
		err = next_piece(table, pd, sg, num_sge, &at, IB_ACCESS_LOCAL_WRITE,
				 bytes, &piece);
		if (err)
			return err;
		srnic_mem_write(piece.memory.mr, piece.memory.va, from, piece.bytes);
		srnic_mem_release(&piece.memory);
		from += piece.bytes;
		bytes -= piece.bytes;
	}
	*cursor = at;
	return 0;
}

/**
 * srnic_sg_write_skb() - scatter from a packet
 * @table: keys of the device
 * @pd: protection domain of the queue
 * @sg: private copy of the list
 * @num_sge: its elements
 * @cursor: where to start; afterwards, if all went well, the end of what was written
 * @skb: the packet
 * @offset: first byte in the packet
 * @bytes: how many
 *
 * Context: RCU read section.
 * Return: as srnic_sg_write(); -EFAULT also if @skb is too short.
 */
int srnic_sg_write_skb(struct srnic_key_table *table, const struct ib_pd *pd,
		       const struct srnic_sge *sg, u32 num_sge,
		       struct srnic_sg_cursor *cursor, const struct sk_buff *skb,
		       u32 offset, u32 bytes)
{
	struct srnic_sg_cursor at = *cursor;
	struct piece piece;
	int err;

	while (bytes) {
		err = next_piece(table, pd, sg, num_sge, &at, IB_ACCESS_LOCAL_WRITE,
				 bytes, &piece);
		if (err)
			return err;
		err = srnic_mem_write_skb(piece.memory.mr, piece.memory.va, skb,
					  offset, piece.bytes);
		srnic_mem_release(&piece.memory);
		if (err)
			return err;
		offset += piece.bytes;
		bytes -= piece.bytes;
	}
	*cursor = at;
	return 0;
}
