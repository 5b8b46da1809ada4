/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Doorbell pages of a user context.
 */
#ifndef SRNIC_QUEUE_DOORBELL_H
#define SRNIC_QUEUE_DOORBELL_H

#include <rdma/srnic-abi.h>

#include "map.h"

#define SRNIC_DOORBELL_LINES	(PAGE_SIZE / SRNIC_DOORBELL_LINE_BYTES)
#define SRNIC_DOORBELLS		(SRNIC_DOORBELL_LINES * SRNIC_DOORBELL_BITS)

/**
 * struct srnic_doorbell_page - one page of doorbell lines
 * @map: shared page of &struct srnic_doorbell_line
 * @list: in the owner's list of pages
 * @polled: in the engine's RCU list of pages
 * @users: bits in use in all lines
 * @lines: number of leading lines that have ever had users: what has to be
 *	   polled. Never falls; written under the mutex of the context, read by
 *	   the engine with READ_ONCE()
 * @used: bits in use, by line; written and read likewise
 * @owner: RCU: what each bit rings for, an opaque pointer of the engine's
 */
struct srnic_doorbell_page {
	struct srnic_queue_map *map;
	struct list_head list;
	struct list_head polled;
	u32 users;
	u32 lines;
	u64 used[SRNIC_DOORBELL_LINES];
	void __rcu *owner[SRNIC_DOORBELLS];
};

/**
 * struct srnic_doorbell - one bit of a doorbell page
 * @page: the page
 * @line: its line
 * @bit: number of the bit in the line
 */
struct srnic_doorbell {
	struct srnic_doorbell_page *page;
	u32 line;
	u32 bit;
};

struct srnic_doorbell_page *
srnic_doorbell_page_create(struct ib_ucontext *ucontext);
void srnic_doorbell_page_destroy(struct srnic_doorbell_page *page);
bool srnic_doorbell_get(struct srnic_doorbell_page *page, void *owner,
			struct srnic_doorbell *doorbell);
void srnic_doorbell_put(struct srnic_doorbell *doorbell);
bool srnic_doorbell_clear(const struct srnic_doorbell *doorbell);
u64 srnic_doorbell_take(struct srnic_doorbell_page *page, u32 line);
bool srnic_doorbell_park(struct srnic_doorbell_page *page);
void srnic_doorbell_unpark(struct srnic_doorbell_page *page);

#endif /* SRNIC_QUEUE_DOORBELL_H */
