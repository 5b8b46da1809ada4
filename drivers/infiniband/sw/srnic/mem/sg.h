/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Scatter/gather lists of work requests: bytes in and out, from where a cursor
 * stands.
 *
 * Rules of access.h hold: one RCU read section around each call.
 */
#ifndef SRNIC_MEM_SG_H
#define SRNIC_MEM_SG_H

#include <rdma/srnic-abi.h>

#include "access.h"

/**
 * struct srnic_sg_cursor - a place in a list; zeroed it is the start
 * @index: element
 * @offset: byte in that element
 */
struct srnic_sg_cursor {
	u32 index;
	u32 offset;
};

void srnic_sg_seek(const struct srnic_sge *sg, u32 num_sge,
		   struct srnic_sg_cursor *cursor, u32 offset);
int srnic_sg_read(struct srnic_key_table *table, const struct ib_pd *pd,
		  const struct srnic_sge *sg, u32 num_sge,
		  struct srnic_sg_cursor *cursor, void *to, u32 bytes);
int srnic_sg_write(struct srnic_key_table *table, const struct ib_pd *pd,
		   const struct srnic_sge *sg, u32 num_sge,
		   struct srnic_sg_cursor *cursor, const void *from, u32 bytes);
int srnic_sg_write_skb(struct srnic_key_table *table, const struct ib_pd *pd,
		       const struct srnic_sge *sg, u32 num_sge,
		       struct srnic_sg_cursor *cursor, const struct sk_buff *skb,
		       u32 offset, u32 bytes);

#endif /* SRNIC_MEM_SG_H */
