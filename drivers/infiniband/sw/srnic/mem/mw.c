// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows: their life, bind and invalidate.
 *
 * Lock order: responder lock of a QP, lock of a window, lock of a set.
 */
#include "mw.h"

#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "mr.h"

static_assert(SRNIC_WINDOW_LOCAL_WRITE == IB_ACCESS_LOCAL_WRITE);
static_assert(SRNIC_WINDOW_REMOTE_WRITE == IB_ACCESS_REMOTE_WRITE);
static_assert(SRNIC_WINDOW_REMOTE_READ == IB_ACCESS_REMOTE_READ);
static_assert(SRNIC_WINDOW_REMOTE_ATOMIC == IB_ACCESS_REMOTE_ATOMIC);
static_assert(SRNIC_WINDOW_MW_BIND == IB_ACCESS_MW_BIND);
static_assert(SRNIC_WINDOW_ZERO_BASED == IB_ZERO_BASED);
static_assert(SRNIC_WINDOW_OPTIONAL == IB_ACCESS_OPTIONAL);

/**
 * srnic_mw_create() - make a window that is not bound
 * @pd: protection domain
 * @table: where to publish its keys
 * @type: kind of window
 *
 * Context: Process context, may sleep.
 * Return: the window, or ERR_PTR of -ENOMEM or -EBUSY.
 */
struct srnic_mw *srnic_mw_create(struct ib_pd *pd, struct srnic_key_table *table,
				 enum ib_mw_type type)
{
	struct srnic_mw *mw = kzalloc(sizeof(*mw), GFP_KERNEL_ACCOUNT);
	int err;

	if (!mw)
		return ERR_PTR(-ENOMEM);
	mw->keyed.kind = SRNIC_KEYED_MW;
	mw->table = table;
	mw->pd = pd;
	mw->type = type;
	rwlock_init(&mw->lock);

	err = srnic_key_insert(table, &mw->keyed);
	if (err) {
		kfree(mw);
		return ERR_PTR(err);
	}
	return mw;
}

static void unbind(struct srnic_mw *mw)
{
	lockdep_assert_held_write(&mw->lock);

	if (mw->set) {
		spin_lock(&mw->set->lock);
		list_del(&mw->link);
		spin_unlock(&mw->set->lock);
		mw->set = NULL;
	}
	srnic_mr_put_window(mw->mr);
	mw->mr = NULL;
}

/**
 * srnic_mw_destroy() - end a window
 * @mw: the window
 *
 * When it returns, nobody accesses memory through it any more.
 *
 * Context: Process context.
 */
void srnic_mw_destroy(struct srnic_mw *mw)
{
	srnic_key_remove(mw->table, &mw->keyed);
	write_lock_bh(&mw->lock);
	mw->dead = true;
	if (mw->mr)
		unbind(mw);
	write_unlock_bh(&mw->lock);
	kfree_rcu(mw, rcu);
}

static struct srnic_mw *find(struct srnic_key_table *table, u32 rkey)
{
	struct srnic_keyed *keyed = srnic_key_find_index(table, rkey);

	return keyed && keyed->kind == SRNIC_KEYED_MW ?
	       container_of(keyed, struct srnic_mw, keyed) : NULL;
}

/* Region for a window, which it cannot lose any more. */
static struct srnic_mr *get_region(struct srnic_key_table *table,
				   const struct ib_pd *pd,
				   const struct srnic_mw_bind *bind,
				   struct srnic_window *window)
{
	struct srnic_keyed *keyed = srnic_key_find(table, bind->lkey);
	struct srnic_mr *mr;

	if (!keyed || keyed->kind != SRNIC_KEYED_MR)
		return NULL;
	mr = container_of(keyed, struct srnic_mr, keyed);
	if (mr->pd != pd ||
	    srnic_window_open(window, mr->iova, mr->length, mr->access, bind->addr,
			      bind->length, bind->access) != SRNIC_MEM_OK)
		return NULL;
	return srnic_mr_get_window(mr) ? mr : NULL;
}

static int check(const struct srnic_mw *mw, const struct ib_pd *pd,
		 const struct srnic_mw_bind *bind)
{
	lockdep_assert_held(&mw->lock);

	if (mw->dead || mw->pd != pd)
		return -EINVAL;
	if (mw->type == IB_MW_TYPE_1)	/* o10-36.2.2 */
		return bind->access & IB_ZERO_BASED ? -EINVAL : 0;
	/* o10-37.2.30, o10-37.2.40 */
	return mw->mr || !bind->length ? -EINVAL : 0;
}

static int bind_locked(struct srnic_mw *mw, const struct ib_pd *pd,
		       struct srnic_mw_set *set, const struct srnic_mw_bind *bind)
{
	struct srnic_window window = {};
	struct srnic_mr *mr = NULL;
	int err;

	lockdep_assert_held_write(&mw->lock);

	err = check(mw, pd, bind);
	if (err)
		return err;
	if (bind->length) {
		mr = get_region(mw->table, pd, bind, &window);
		if (!mr)
			return -EINVAL;
	}
	if (mw->mr)
		unbind(mw);
	mw->mr = mr;
	mw->range = window;
	WRITE_ONCE(mw->keyed.key, bind->rkey);
	if (mw->type != IB_MW_TYPE_1) {
		mw->set = set;
		spin_lock(&set->lock);
		list_add(&mw->link, &set->windows);
		spin_unlock(&set->lock);
	}
	return 0;
}

/**
 * srnic_mw_bind() - bind a window
 * @table: keys of the device
 * @pd: protection domain of the QP
 * @set: windows of the QP
 * @bind: what is asked for; may say anything
 *
 * If it fails, all is as before. If it succeeds, nobody accesses memory any more
 * by what the window was bound to before.
 *
 * Context: RCU read section, BHs off.
 * Return: 0 or -EINVAL.
 */
int srnic_mw_bind(struct srnic_key_table *table, const struct ib_pd *pd,
		  struct srnic_mw_set *set, const struct srnic_mw_bind *bind)
{
	struct srnic_mw *mw = find(table, bind->rkey);
	int err;

	if (!mw)
		return -EINVAL;
	write_lock(&mw->lock);
	err = bind_locked(mw, pd, set, bind);
	write_unlock(&mw->lock);
	return err;
}

/**
 * srnic_mw_invalidate() - take back a key
 * @table: keys of the device
 * @pd: protection domain of the QP
 * @set: windows of the QP
 * @rkey: key of a window of type 2 that is bound to this QP
 *
 * When it has succeeded, nobody accesses memory by this key any more, until the
 * window is bound again.
 *
 * Context: RCU read section, BHs off.
 * Return: 0 or -EINVAL.
 */
int srnic_mw_invalidate(struct srnic_key_table *table, const struct ib_pd *pd,
			struct srnic_mw_set *set, u32 rkey)
{
	struct srnic_mw *mw = find(table, rkey);
	int err = -EINVAL;

	if (!mw)
		return err;
	write_lock(&mw->lock);
	/* Only type 2 is in a set (o10-37.2.26). */
	if (mw->mr && mw->keyed.key == rkey && mw->pd == pd && mw->set == set) {
		unbind(mw);
		err = 0;
	}
	write_unlock(&mw->lock);
	return err;
}

/**
 * srnic_mw_set_init() - no windows yet
 * @set: windows of a QP
 *
 * Context: Any.
 */
void srnic_mw_set_init(struct srnic_mw_set *set)
{
	spin_lock_init(&set->lock);
	INIT_LIST_HEAD(&set->windows);
}

/**
 * srnic_mw_set_clear() - unbind all windows that are bound to a QP
 * @set: windows of the QP, to which none is added meanwhile
 *
 * Context: BHs off.
 */
void srnic_mw_set_clear(struct srnic_mw_set *set)
{
	struct srnic_mw *mw;

	/* Keeps windows that are being destroyed in memory. */
	rcu_read_lock();
	for (;;) {
		spin_lock(&set->lock);
		mw = list_first_entry_or_null(&set->windows, struct srnic_mw, link);
		spin_unlock(&set->lock);
		if (!mw)
			break;
		write_lock(&mw->lock);
		if (mw->set == set)
			unbind(mw);
		write_unlock(&mw->lock);
	}
	rcu_read_unlock();
}
