/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A slot of a send queue for tests: a block of exactly the stride, so that a
 * sanitizer sees who leaves it.
 */
#ifndef SRNIC_KUNIT_QUEUE_WQE_SLOT_H
#define SRNIC_KUNIT_QUEUE_WQE_SLOT_H

#include <kunit/test.h>

#include "queue/wqe.h"

#define SLOT_SGE	4
#define SLOT_INLINE	100
#define SLOT_STRIDE	192	/* 64 + 100, in whole lines */

static inline u8 *slot_new(struct kunit *test, const struct srnic_send_wqe *wqe,
			   const u32 *lengths)
{
	u8 *slot = kunit_kzalloc(test, SLOT_STRIDE, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, slot);
	memcpy(slot, wqe, sizeof(*wqe));
	for (i = 0; lengths && i < SLOT_SGE; i++) {
		struct srnic_sge sge = { .addr = 0x1000 * i, .length = lengths[i], .lkey = i };

		memcpy(slot + sizeof(*wqe) + i * sizeof(sge), &sge, sizeof(sge));
	}
	return slot;
}

/* "wr_id is filled, all else zero": what the completion of a bad one is made of. */
static inline bool slot_wr_is_blank(const struct srnic_send_wr *wr, u64 wr_id)
{
	const u8 *byte = (const u8 *)wr;
	size_t i;

	static_assert(!offsetof(struct srnic_send_wr, wr_id));
	for (i = sizeof(wr->wr_id); i < sizeof(*wr); i++)
		if (byte[i])
			return false;
	return wr->wr_id == wr_id;
}

/* @wr is dirty before, so that what is left alone shows. */
static inline enum srnic_wqe_verdict
slot_decode(struct kunit *test, enum srnic_wqe_transport transport,
	    const struct srnic_send_wqe *wqe, const u32 *lengths, struct srnic_send_wr *wr)
{
	const struct srnic_wqe_limits limits = { transport, SLOT_SGE, SLOT_INLINE };
	u8 *slot = slot_new(test, wqe, lengths);
	const u8 *tail = slot + sizeof(*wqe);
	enum srnic_wqe_verdict verdict;

	memset(wr, 0xa5, sizeof(*wr));
	verdict = srnic_send_wqe_decode(slot, &limits, wr);
	if (verdict == SRNIC_WQE_OK) {
		KUNIT_EXPECT_PTR_EQ(test, (const u8 *)wr->sge, tail);
		KUNIT_EXPECT_PTR_EQ(test, wr->inline_data,
				    wqe->flags & SRNIC_SEND_INLINE ? tail : NULL);
	} else {
		KUNIT_EXPECT_TRUE(test, slot_wr_is_blank(wr, wqe->wr_id));
	}
	kunit_kfree(test, slot);
	return verdict;
}

#endif /* SRNIC_KUNIT_QUEUE_WQE_SLOT_H */
