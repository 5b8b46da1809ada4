// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbell pages of a user context.
 *
 * A process rings by setting its QP's bit, and kicks if it finds the line
 * parked. The engine takes bits while it polls, and parks the lines before it
 * stops. Each side stores, has a full barrier, and loads:
 *
 *	engine, srnic_doorbell_park()	provider, post_send()
 *	store parked = 1		fetch_or pending, seq_cst
 *	smp_mb()			(the same)
 *	load pending			load parked, seq_cst
 *
 * so that either the engine sees the bit and does not stop, or the process
 * sees that it has to kick.
 *
 * Lines are shared memory: what is read from them selects among bits that are
 * in use, and nothing more. Locking: creation, get and put of a page's bits are
 * serialised by the context's mutex, which the caller holds; take, park and
 * unpark are the engine's, one thread at a time; both run at once.
 */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "doorbell.h"

/* QPs of one context are spread over this many lines before more are polled. */
#define GROUP_LINES	8

static_assert(sizeof(struct srnic_doorbell_line) == SRNIC_DOORBELL_LINE_BYTES);
static_assert(SRNIC_DOORBELL_BITS == 8 * sizeof(u64));
static_assert(SRNIC_DOORBELL_LINES % GROUP_LINES == 0);

static struct srnic_doorbell_line *line_of(const struct srnic_doorbell_page *page,
					   u32 line)
{
	struct srnic_doorbell_line *lines = page->map->memory;

	return &lines[line];
}

static atomic64_t *pending_of(const struct srnic_doorbell *doorbell)
{
	return (atomic64_t *)&line_of(doorbell->page, doorbell->line)->pending;
}

/**
 * srnic_doorbell_page_create() - make a page of doorbells
 * @ucontext: process that rings them
 *
 * All lines start parked: nobody polls them before srnic_doorbell_unpark().
 *
 * Context: Process context. May sleep.
 * Return: the page, or ERR_PTR(-ENOMEM).
 */
struct srnic_doorbell_page *
srnic_doorbell_page_create(struct ib_ucontext *ucontext)
{
	struct srnic_doorbell_page *page;
	struct srnic_queue_map *map;
	u32 i;

	page = kvzalloc(sizeof(*page), GFP_KERNEL_ACCOUNT);
	if (!page)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&page->list);

	map = srnic_queue_map_create(ucontext, PAGE_SIZE);
	if (IS_ERR(map)) {
		kvfree(page);
		return ERR_CAST(map);
	}
	page->map = map;
	for (i = 0; i < SRNIC_DOORBELL_LINES; i++)
		WRITE_ONCE(line_of(page, i)->parked, 1);
	return page;
}

/**
 * srnic_doorbell_page_destroy() - undo srnic_doorbell_page_create()
 * @page: page without users, which no engine can find any more
 *
 * Context: Process context. May sleep.
 */
void srnic_doorbell_page_destroy(struct srnic_doorbell_page *page)
{
	WARN_ON_ONCE(page->users);
	srnic_queue_map_destroy(page->map);
	kvfree(page);
}

/* The emptiest line of the first group that is not full, for fewest shared. */
static bool find_line(const struct srnic_doorbell_page *page, u32 *line)
{
	u32 fewest = SRNIC_DOORBELL_BITS;
	u32 i;

	for (i = 0; i < SRNIC_DOORBELL_LINES; i++) {
		u32 users = hweight64(page->used[i]);

		if (i % GROUP_LINES == 0 && fewest < SRNIC_DOORBELL_BITS)
			break;
		if (users < fewest) {
			fewest = users;
			*line = i;
		}
	}
	return fewest < SRNIC_DOORBELL_BITS;
}

/**
 * srnic_doorbell_get() - give a QP a bit
 * @page: page
 * @owner: what the bit rings for; freed an RCU grace period after
 *	   srnic_doorbell_put() at the earliest
 * @doorbell: result
 *
 * Context: Process context, the context's mutex held.
 * Return: true, or false if all bits are in use.
 */
bool srnic_doorbell_get(struct srnic_doorbell_page *page, void *owner,
			struct srnic_doorbell *doorbell)
{
	u32 line, bit;

	if (!find_line(page, &line))
		return false;
	bit = __ffs64(~page->used[line]);

	doorbell->page = page;
	doorbell->line = line;
	doorbell->bit = bit;

	/* Who misused it in a former life must not make it look rung already. */
	atomic64_andnot(BIT_ULL(bit), pending_of(doorbell));

	/*
	 * The process learns of the bit after these stores, so whoever sees it
	 * rung sees them too.
	 */
	rcu_assign_pointer(page->owner[line * SRNIC_DOORBELL_BITS + bit], owner);
	WRITE_ONCE(page->used[line], page->used[line] | BIT_ULL(bit));

	/*
	 * Never falls: an engine that parks must not overlook a line that it
	 * has unparked.
	 */
	if (line >= page->lines)
		WRITE_ONCE(page->lines, line + 1);
	page->users++;
	return true;
}

/**
 * srnic_doorbell_put() - take a QP's bit back
 * @doorbell: from srnic_doorbell_get()
 *
 * An engine that has just taken the bit may still look up its owner under RCU.
 *
 * Context: Process context, the context's mutex held.
 */
void srnic_doorbell_put(struct srnic_doorbell *doorbell)
{
	struct srnic_doorbell_page *page = doorbell->page;
	u32 line = doorbell->line;
	u64 bit = BIT_ULL(doorbell->bit);

	RCU_INIT_POINTER(page->owner[line * SRNIC_DOORBELL_BITS + doorbell->bit],
			 NULL);
	WRITE_ONCE(page->used[line], page->used[line] & ~bit);
	atomic64_andnot(bit, pending_of(doorbell));
	page->users--;
	doorbell->page = NULL;
}

/**
 * srnic_doorbell_clear() - take a QP's own bit, for a kick
 * @doorbell: from srnic_doorbell_get()
 *
 * Context: Any.
 * Return: true if it was rung. Fully ordered: the producer index is read after
 * this and is at least the one that the bit was set for.
 */
bool srnic_doorbell_clear(const struct srnic_doorbell *doorbell)
{
	u64 bit = BIT_ULL(doorbell->bit);

	return atomic64_fetch_andnot(bit, pending_of(doorbell)) & bit;
}

/**
 * srnic_doorbell_take() - take all bits of a line that are rung
 * @page: page
 * @line: index of the line, less than &struct srnic_doorbell_page.lines
 *
 * Context: The engine that serves the page.
 * Return: the bits, all of them in use a moment ago; the owner may be NULL
 * nevertheless.
 */
u64 srnic_doorbell_take(struct srnic_doorbell_page *page, u32 line)
{
	u64 *pending = &line_of(page, line)->pending;

	/* Polling must not write to a line that has nothing. */
	if (!READ_ONCE(*pending))
		return 0;

	/*
	 * Full barrier: pairs with the fetch_or of pending in the provider's
	 * post_send. What was stored before a bit was set is seen behind this:
	 * the producer index, and that the bit is in use.
	 */
	return xchg(pending, 0) & READ_ONCE(page->used[line]);
}

/**
 * srnic_doorbell_park() - tell the process that it has to kick from now on
 * @page: page
 *
 * Context: The engine that serves the page.
 * Return: true if a bit was rung that nobody will kick for: unpark or serve it,
 * then try again.
 */
bool srnic_doorbell_park(struct srnic_doorbell_page *page)
{
	u32 lines = READ_ONCE(page->lines);
	u64 rung = 0;
	u32 i;

	for (i = 0; i < lines; i++)
		WRITE_ONCE(line_of(page, i)->parked, 1);

	/*
	 * Full barrier between parked and pending: pairs with the fetch_or of
	 * pending, which precedes the load of parked in the provider's
	 * post_send.
	 */
	smp_mb();
	for (i = 0; i < lines; i++)
		rung |= READ_ONCE(line_of(page, i)->pending) &
			READ_ONCE(page->used[i]);
	return rung;
}

/**
 * srnic_doorbell_unpark() - tell the process that bits are polled from now on
 * @page: page
 *
 * A process that has not seen it yet kicks once too often. No barrier: the
 * caller takes the bits next, and goes on until it parks.
 *
 * Context: The engine that serves the page.
 */
void srnic_doorbell_unpark(struct srnic_doorbell_page *page)
{
	u32 lines = READ_ONCE(page->lines);
	u32 i;

	for (i = 0; i < lines; i++)
		WRITE_ONCE(line_of(page, i)->parked, 0);
}
