// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reading and writing registered memory.
 *
 * Programs poll on the last bytes of what they wait for. So bytes are written in
 * ascending order, and the last few by stores of their own behind a barrier: within
 * one memcpy() of the CPU's string instructions there is no order to rely on.
 */
#include "access.h"

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/string.h>

/* Bytes that are written last. */
#define TAIL_BYTES	8U

static enum srnic_mem_verdict check(const struct srnic_mr *mr, const struct ib_pd *pd,
				    u64 va, u64 bytes, int access)
{
	if (mr->pd != pd)
		return SRNIC_MEM_BAD_PD;
	if (!srnic_mem_allows(mr->access, access))
		return SRNIC_MEM_BAD_ACCESS;
	if (!srnic_mem_contains(mr->iova, mr->length, va, bytes))
		return SRNIC_MEM_BAD_BOUNDS;
	return SRNIC_MEM_OK;
}

/* It is held as it is until srnic_mem_release(), if it may be accessed. */
static enum srnic_mem_verdict find_fast(struct srnic_fast_mr *fast,
					const struct ib_pd *pd, u32 key, u64 va,
					u64 bytes, int access,
					struct srnic_mem_ref *ref)
{
	enum srnic_mem_verdict verdict = SRNIC_MEM_BAD_KEY;

	read_lock(&fast->lock);
	/* It may have been registered anew since it was found. */
	if (fast->valid && fast->mr.keyed.key == key)
		verdict = check(&fast->mr, pd, va, bytes, access);
	if (verdict != SRNIC_MEM_OK) {
		read_unlock(&fast->lock);
		return verdict;
	}
	*ref = (struct srnic_mem_ref){ .mr = &fast->mr, .va = va, .fast = fast };
	/* Held until srnic_mem_release(), where sparse cannot follow. */
	__release(&fast->lock);
	return SRNIC_MEM_OK;
}

static enum srnic_mem_verdict find_region(struct srnic_keyed *keyed,
					  const struct ib_pd *pd, u32 key, u64 va,
					  u64 bytes, int access,
					  struct srnic_mem_ref *ref)
{
	enum srnic_mem_verdict verdict;
	struct srnic_mr *mr;

	if (!keyed || keyed->kind == SRNIC_KEYED_MW)
		return SRNIC_MEM_BAD_KEY;
	mr = container_of(keyed, struct srnic_mr, keyed);
	if (keyed->kind == SRNIC_KEYED_FAST_MR)
		return find_fast(to_srnic_fast_mr(mr), pd, key, va, bytes, access,
				 ref);
	verdict = check(mr, pd, va, bytes, access);
	if (verdict == SRNIC_MEM_OK)
		*ref = (struct srnic_mem_ref){ .mr = mr, .va = va };
	return verdict;
}

/**
 * srnic_mem_find() - look up a region and check an access to it
 * @table: keys of the device
 * @pd: protection domain of who wants to access
 * @key: local or remote key
 * @va: first address
 * @bytes: size of the access
 * @access: flags of enum ib_access_flags that are needed, 0 for a local read
 * @ref: what was found, to be released by srnic_mem_release()
 *
 * An empty access is looked up like any other: where the rules say that no key is
 * to be checked (rule 3.3.1), the caller does not call.
 *
 * Context: RCU read section, BHs off, which have to last until @ref is released.
 * Return: SRNIC_MEM_OK, or why not; then @ref is empty, and may be released, too.
 */
enum srnic_mem_verdict
srnic_mem_find(struct srnic_key_table *table, const struct ib_pd *pd, u32 key, u64 va,
	       u64 bytes, int access, struct srnic_mem_ref *ref)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_any_held(), "memory may go away");

	*ref = (struct srnic_mem_ref){};
	return find_region(srnic_key_find(table, key), pd, key, va, bytes, access,
			   ref);
}

static enum srnic_mem_verdict check_window(const struct srnic_mw *mw,
					   const struct ib_pd *pd,
					   const struct srnic_mw_set *set,
					   u32 key, u64 *va, u64 bytes, int access)
{
	lockdep_assert_held_read(&mw->lock);

	/* It may have been bound anew since it was found. */
	if (!mw->mr || mw->keyed.key != key)
		return SRNIC_MEM_BAD_KEY;
	if (mw->pd != pd)
		return SRNIC_MEM_BAD_PD;
	/* Type 2 is of use to one QP only. */
	if (mw->type != IB_MW_TYPE_1 && mw->set != set)
		return SRNIC_MEM_BAD_KEY;
	return srnic_window_check(&mw->range, va, bytes, access);
}

/**
 * srnic_mem_find_remote() - look up what a peer names, and check its access
 * @table: keys of the device
 * @pd: protection domain of the QP that it talks to
 * @set: memory windows bound to that QP
 * @key: remote key, of a region or a window
 * @va: first address
 * @bytes: size of the access
 * @access: flags of enum ib_access_flags that are needed
 * @ref: what was found, to be released by srnic_mem_release(): until then a window,
 *	 or a region that is registered by work requests, stays as it is
 *
 * An empty access is looked up like any other.
 *
 * Context: RCU read section, BHs off, which have to last until @ref is released.
 * Return: SRNIC_MEM_OK, or why not; then @ref is empty, and may be released, too.
 */
enum srnic_mem_verdict
srnic_mem_find_remote(struct srnic_key_table *table, const struct ib_pd *pd,
		      const struct srnic_mw_set *set, u32 key, u64 va, u64 bytes,
		      int access, struct srnic_mem_ref *ref)
{
	enum srnic_mem_verdict verdict;
	struct srnic_keyed *keyed;
	struct srnic_mw *mw;

	RCU_LOCKDEP_WARN(!rcu_read_lock_any_held(), "memory may go away");

	*ref = (struct srnic_mem_ref){};
	keyed = srnic_key_find(table, key);
	if (!keyed || keyed->kind != SRNIC_KEYED_MW)
		return find_region(keyed, pd, key, va, bytes, access, ref);

	mw = container_of(keyed, struct srnic_mw, keyed);
	read_lock(&mw->lock);
	verdict = check_window(mw, pd, set, key, &va, bytes, access);
	if (verdict != SRNIC_MEM_OK) {
		read_unlock(&mw->lock);
		return verdict;
	}
	*ref = (struct srnic_mem_ref){ .mr = mw->mr, .va = va, .mw = mw };
	/* Held until srnic_mem_release(), where sparse cannot follow. */
	__release(&mw->lock);
	return SRNIC_MEM_OK;
}

/**
 * srnic_mem_release() - done with what srnic_mem_find() or srnic_mem_find_remote()
 *			 has found
 * @ref: what it has found
 *
 * Context: As srnic_mem_find_remote().
 */
void srnic_mem_release(const struct srnic_mem_ref *ref)
{
	if (ref->mw) {
		__acquire(&ref->mw->lock);
		read_unlock(&ref->mw->lock);
	} else if (ref->fast) {
		__acquire(&ref->fast->lock);
		read_unlock(&ref->fast->lock);
	}
}

/**
 * srnic_mem_invalidate() - take back a key
 * @table: keys of the device
 * @pd: protection domain of the QP
 * @set: windows of the QP
 * @key: of a window of type 2 that is bound to this QP, or of a region that a work
 *	 request has registered
 * @remote: a peer asks for it
 *
 * When it has succeeded, nobody accesses memory by this key any more, until it is
 * given anew.
 *
 * Context: RCU read section, BHs off.
 * Return: 0 or -EINVAL: it is not a key that can be taken back, or not by this QP.
 */
int srnic_mem_invalidate(struct srnic_key_table *table, const struct ib_pd *pd,
			 struct srnic_mw_set *set, u32 key, bool remote)
{
	struct srnic_keyed *keyed = srnic_key_find_index(table, key);

	if (keyed && keyed->kind == SRNIC_KEYED_FAST_MR)
		return srnic_fast_mr_invalidate(container_of(keyed,
							     struct srnic_fast_mr,
							     mr.keyed),
						pd, key, remote);
	return srnic_mw_invalidate(table, pd, set, key);
}

/**
 * srnic_mem_read() - copy out of a region
 * @mr: from srnic_mem_find(), for this range
 * @va: first address
 * @to: where to
 * @bytes: how many
 *
 * Context: RCU read section since @mr was found.
 */
void srnic_mem_read(const struct srnic_mr *mr, u64 va, void *to, u32 bytes)
{
	u64 offset = va - mr->iova;

	while (bytes) {
		u64 run;
		const void *from = srnic_mr_run(mr, offset, bytes, &run);

		memcpy(to, from, run);
		to += run;
		offset += run;
		bytes -= run;
	}
}

/* Up to TAIL_BYTES; a naturally aligned word is written at once. */
static void store(void *to, const void *from, u32 bytes)
{
	if (bytes == 8 && IS_ALIGNED((unsigned long)to, 8)) {
		u64 value;

		memcpy(&value, from, sizeof(value));
		WRITE_ONCE(*(u64 *)to, value);
	} else if (bytes == 4 && IS_ALIGNED((unsigned long)to, 4)) {
		u32 value;

		memcpy(&value, from, sizeof(value));
		WRITE_ONCE(*(u32 *)to, value);
	} else {
		memcpy(to, from, bytes);
	}
}

static void write_tail(const struct srnic_mr *mr, u64 offset, const void *from,
		       u32 bytes)
{
	while (bytes) {
		u64 run;
		void *to = srnic_mr_run(mr, offset, bytes, &run);

		store(to, from, run);
		from += run;
		offset += run;
		bytes -= run;
	}
}

/**
 * srnic_mem_write() - copy into a region
 * @mr: from srnic_mem_find(), for this range
 * @va: first address
 * @from: where from
 * @bytes: how many
 *
 * Context: RCU read section since @mr was found.
 */
void srnic_mem_write(const struct srnic_mr *mr, u64 va, const void *from, u32 bytes)
{
	u32 tail = min(bytes, TAIL_BYTES);
	u64 offset = va - mr->iova;

	bytes -= tail;
	while (bytes) {
		u64 run;
		void *to = srnic_mr_run(mr, offset, bytes, &run);

		memcpy(to, from, run);
		from += run;
		offset += run;
		bytes -= run;
	}
	smp_wmb(); /* the tail is last; pairs with whatever the polling program does */
	write_tail(mr, offset, from, tail);
}

/**
 * srnic_mem_write_skb() - copy from a packet into a region
 * @mr: from srnic_mem_find(), for this range
 * @va: first address
 * @skb: the packet
 * @offset: first byte in the packet
 * @bytes: how many
 *
 * Context: RCU read section since @mr was found.
 * Return: 0, or -EFAULT if @skb is shorter than that.
 */
int srnic_mem_write_skb(const struct srnic_mr *mr, u64 va, const struct sk_buff *skb,
			u32 offset, u32 bytes)
{
	u32 tail = min(bytes, TAIL_BYTES);
	u64 mr_offset = va - mr->iova;
	u8 buf[TAIL_BYTES];

	bytes -= tail;
	while (bytes) {
		u64 run;
		void *to = srnic_mr_run(mr, mr_offset, bytes, &run);

		if (skb_copy_bits(skb, offset, to, run))
			return -EFAULT;
		offset += run;
		mr_offset += run;
		bytes -= run;
	}
	if (skb_copy_bits(skb, offset, buf, tail))
		return -EFAULT;
	smp_wmb(); /* as in srnic_mem_write() */
	write_tail(mr, mr_offset, buf, tail);
	return 0;
}

static u64 *atomic_operand(const struct srnic_mr *mr, u64 va)
{
	u64 run;

	if (!IS_ALIGNED(va, sizeof(u64)))
		return NULL;
	return srnic_mr_run(mr, va - mr->iova, sizeof(u64), &run);
}

/**
 * srnic_mem_atomic_write() - write a word that nobody sees in part
 * @mr: from srnic_mem_find(), for 8 bytes at @va
 * @va: address
 * @value: the word
 *
 * What was written before is seen before.
 *
 * Context: RCU read section since @mr was found.
 * Return: 0, or -EINVAL if @va is not aligned.
 */
int srnic_mem_atomic_write(const struct srnic_mr *mr, u64 va, u64 value)
{
	u64 *operand = atomic_operand(mr, va);

	if (!operand)
		return -EINVAL;
	/* Pairs with whatever the polling program does. */
	smp_store_release(operand, value);
	return 0;
}

/**
 * srnic_mem_cmp_swap() - compare and swap, atomic against the CPUs as well
 * @mr: from srnic_mem_find(), for 8 bytes at @va
 * @va: address
 * @compare: expected value
 * @swap: value to put in its place
 * @orig: value that was there
 *
 * Context: RCU read section since @mr was found.
 * Return: 0, or -EINVAL if @va is not aligned.
 */
int srnic_mem_cmp_swap(const struct srnic_mr *mr, u64 va, u64 compare, u64 swap,
		       u64 *orig)
{
	u64 *operand = atomic_operand(mr, va);

	if (!operand)
		return -EINVAL;
	*orig = cmpxchg64(operand, compare, swap);
	return 0;
}

/**
 * srnic_mem_fetch_add() - add, atomic against the CPUs as well
 * @mr: from srnic_mem_find(), for 8 bytes at @va
 * @va: address
 * @add: summand; the sum wraps
 * @orig: value that was there
 *
 * Context: RCU read section since @mr was found.
 * Return: 0, or -EINVAL if @va is not aligned.
 */
int srnic_mem_fetch_add(const struct srnic_mr *mr, u64 va, u64 add, u64 *orig)
{
	u64 *operand = atomic_operand(mr, va);

	if (!operand)
		return -EINVAL;
	*orig = atomic64_fetch_add(add, (atomic64_t *)operand);
	return 0;
}
