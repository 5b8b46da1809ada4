// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles.
 *
 * A process names one by number in each UD send, and the data path looks the
 * number up under RCU. Who may still hold an entry when its handle is destroyed,
 * and what is done about it:
 *
 *  1. The number goes: nobody finds the entry any more.
 *  2. A grace period: who has found it has done so in an RCU read section that
 *     spans the use. The core, which frees its own object right away, is not
 *     kept waiting: the entry is an object of its own.
 *  3. A work item: releasing a path may sleep.
 *  4. The device does not go before srnic_ah_flush(), because a path holds a GID.
 */
#include "ah.h"

#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/srnic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "../engine/device.h"
#include "limit.h"
#include "verbs.h"

static struct workqueue_struct *release_wq;

/**
 * srnic_ah_init() - be ready for address handles
 *
 * Context: Module init.
 * Return: 0 or -ENOMEM.
 */
int srnic_ah_init(void)
{
	release_wq = alloc_workqueue("srnic_ah", WQ_UNBOUND, 0);
	return release_wq ? 0 : -ENOMEM;
}

/**
 * srnic_ah_exit() - undo srnic_ah_init()
 *
 * Context: Module exit, all devices are gone.
 */
void srnic_ah_exit(void)
{
	destroy_workqueue(release_wq);
}

/**
 * srnic_ah_flush() - wait until all that was destroyed is released
 *
 * Context: Process context. Sleeps for a grace period or more.
 */
void srnic_ah_flush(void)
{
	rcu_barrier();
	flush_workqueue(release_wq);
	/* A GID that is let go of is freed by a work item of the core. */
	flush_workqueue(ib_wq);
}

static void free_entry(struct srnic_ah_entry *entry)
{
	entry->dev->net_ops->path_release(&entry->path);
	kfree(entry);
}

static void release_work(struct work_struct *work)
{
	free_entry(container_of(to_rcu_work(work), struct srnic_ah_entry,
				release));
}

static void unpublish(struct srnic_ah_entry *entry)
{
	unsigned long flags;

	xa_lock_irqsave(&entry->dev->ahs, flags);
	__xa_erase(&entry->dev->ahs, entry->number);
	xa_unlock_irqrestore(&entry->dev->ahs, flags);
	queue_rcu_work(release_wq, &entry->release);
}

/* Numbers are given and taken back in any context: with interrupts off. */
static int publish(struct srnic_dev *dev, struct srnic_ah_entry *entry, gfp_t gfp)
{
	unsigned long flags;
	int err;

	xa_lock_irqsave(&dev->ahs, flags);
	/* Never negative but for an error: 1 tells of a wrap. */
	err = __xa_alloc_cyclic(&dev->ahs, &entry->number, entry, xa_limit_31b,
				&dev->ah_next, gfp);
	xa_unlock_irqrestore(&dev->ahs, flags);
	return err < 0 ? err : 0;
}

static struct srnic_ah_entry *make_entry(struct srnic_dev *dev,
					 const struct ib_pd *pd,
					 const struct rdma_ah_attr *attr,
					 gfp_t gfp)
{
	struct srnic_ah_entry *entry;
	int err;

	entry = kzalloc(sizeof(*entry), gfp);
	if (!entry)
		return ERR_PTR(-ENOMEM);
	INIT_RCU_WORK(&entry->release, release_work);
	entry->dev = dev;
	entry->pd = pd;

	err = dev->net_ops->path_init(dev, &entry->path, attr, 0, 0, gfp);
	if (err)
		goto err_free;

	err = publish(dev, entry, gfp);
	if (err)
		goto err_path_release;
	return entry;

err_path_release:
	dev->net_ops->path_release(&entry->path);
err_free:
	kfree(entry);
	return ERR_PTR(err);
}

static int respond(const struct srnic_ah_entry *entry, struct ib_udata *udata)
{
	struct srnic_create_ah_resp resp = { .ah = entry->number };

	return udata ? ib_respond_udata(udata, resp) : 0;
}

static void remember(struct srnic_ah *ah, const struct rdma_ah_attr *attr)
{
	ah->attr = *attr;
	/* The reference is the path's and the core's own. */
	ah->attr.grh.sgid_attr = NULL;
}

/**
 * srnic_create_ah() - make an address handle (ib_device_ops.create_ah and
 *		       create_user_ah)
 * @ibah: allocated by the core
 * @init: where to; the core has resolved the destination
 * @udata: room for a struct srnic_create_ah_resp; NULL for a kernel consumer
 *
 * Context: Any; may sleep if the caller says that it may.
 * Return: 0; -EINVAL: no such way; -ENOMEM: SRNIC_MAX_AH reached, or no memory;
 * -EOPNOTSUPP: @udata has input; -EFAULT.
 */
int srnic_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		    struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic_dev(ibah->device);
	struct srnic_ah *ah = to_srnic_ah(ibah);
	gfp_t gfp = init->flags & RDMA_CREATE_AH_SLEEPABLE ?
		    GFP_KERNEL_ACCOUNT : GFP_ATOMIC;
	int err;

	err = ib_is_udata_in_empty(udata);
	if (err)
		return err;

	err = srnic_limit_get(&dev->ah_count, SRNIC_MAX_AH);
	if (err)
		return err;
	ah->entry = make_entry(dev, ibah->pd, init->ah_attr, gfp);
	if (IS_ERR(ah->entry)) {
		err = PTR_ERR(ah->entry);
		goto err_limit_put;
	}
	remember(ah, init->ah_attr);

	err = respond(ah->entry, udata);
	if (err)
		goto err_unpublish;
	return 0;

err_unpublish:
	unpublish(ah->entry);
err_limit_put:
	srnic_limit_put(&dev->ah_count);
	return err;
}

/**
 * srnic_query_ah() - what an address handle was made from
 *		      (ib_device_ops.query_ah)
 * @ibah: address handle
 * @attr: result
 *
 * Context: Any.
 * Return: 0.
 */
int srnic_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_srnic_ah(ibah)->attr;
	return 0;
}

/**
 * srnic_destroy_ah() - end an address handle (ib_device_ops.destroy_ah)
 * @ibah: freed by the core
 * @flags: not looked at: this never sleeps
 *
 * Context: Any.
 * Return: 0.
 */
int srnic_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	unpublish(to_srnic_ah(ibah)->entry);
	srnic_limit_put(&to_srnic_dev(ibah->device)->ah_count);
	return 0;
}
