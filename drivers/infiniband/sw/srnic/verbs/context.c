// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Processes that have opened the device, and their doorbells.
 */
#include "context.h"

#include <linux/slab.h>
#include <rdma/srnic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "../engine/engine.h"
#include "../engine/qp.h"
#include "verbs.h"

/**
 * srnic_alloc_ucontext() - a process opens the device
 *			    (ib_device_ops.alloc_ucontext)
 * @ibucontext: allocated by the core
 * @udata: a struct srnic_alloc_ucontext_cmd and room for a struct
 *	   srnic_alloc_ucontext_resp
 *
 * Context: Process context. May sleep.
 * Return: 0; -EPROTONOSUPPORT: the provider speaks another version of the ABI;
 * -EOPNOTSUPP: an extension that is not known; -EINVAL: too short; -EFAULT.
 */
int srnic_alloc_ucontext(struct ib_ucontext *ibucontext, struct ib_udata *udata)
{
	struct srnic_ucontext *ucontext = to_srnic_ucontext(ibucontext);
	struct srnic_alloc_ucontext_resp resp = {
		.abi_version = SRNIC_ABI_VERSION,
		.max_inline_data = SRNIC_MAX_INLINE,
		.max_sge = SRNIC_MAX_SGE,
	};
	struct srnic_alloc_ucontext_cmd cmd;
	int err;

	err = ib_copy_validate_udata_in_cm(udata, cmd, caps, 0);
	if (err)
		return err;
	if (cmd.abi_version != SRNIC_ABI_VERSION)
		return -EPROTONOSUPPORT;

	mutex_init(&ucontext->lock);
	INIT_LIST_HEAD(&ucontext->doorbells);
	return ib_respond_udata(udata, resp);
}

/**
 * srnic_query_ucontext() - another process uses the context, too
 *			    (ib_device_ops.query_ucontext)
 * @ibucontext: context
 * @attrs: of the system call
 *
 * What it has to know of the context it learns from each object it makes.
 *
 * Context: Process context.
 * Return: 0.
 */
int srnic_query_ucontext(struct ib_ucontext *ibucontext,
			 struct uverbs_attr_bundle *attrs)
{
	return 0;
}

/**
 * srnic_dealloc_ucontext() - a process has closed the device
 *			      (ib_device_ops.dealloc_ucontext)
 * @ibucontext: freed by the core; all its objects are gone
 *
 * Context: Process context. May sleep.
 */
void srnic_dealloc_ucontext(struct ib_ucontext *ibucontext)
{
	struct srnic_ucontext *ucontext = to_srnic_ucontext(ibucontext);
	struct srnic_dev *dev = to_srnic_dev(ibucontext->device);
	struct srnic_doorbell_page *page, *next;

	list_for_each_entry_safe(page, next, &ucontext->doorbells, list) {
		list_del(&page->list);
		srnic_engine_remove_page(dev->engine, page);
		srnic_doorbell_page_destroy(page);
	}
	/* The process has ended its registrations without waiting. */
	srnic_release_flush(&dev->keys.release);
	mutex_destroy(&ucontext->lock);
}

/**
 * srnic_disassociate_ucontext() - the device goes away under a process
 *				   (ib_device_ops.disassociate_ucontext)
 * @ibucontext: the process' context
 *
 * Nothing is left to do: the core has destroyed the objects before, and what the
 * process has mapped are pages of memory that stay until it unmaps them.
 *
 * Context: Process context.
 */
void srnic_disassociate_ucontext(struct ib_ucontext *ibucontext)
{
}

static struct srnic_doorbell_page *add_page(struct srnic_ucontext *ucontext)
{
	struct srnic_dev *dev = to_srnic_dev(ucontext->ibucontext.device);
	struct srnic_doorbell_page *page;

	lockdep_assert_held(&ucontext->lock);

	page = srnic_doorbell_page_create(&ucontext->ibucontext);
	if (IS_ERR(page))
		return page;
	srnic_engine_add_page(dev->engine, page);
	list_add_tail(&page->list, &ucontext->doorbells);
	return page;
}

/**
 * srnic_context_get_doorbell() - give a QP a doorbell
 * @ucontext: context it belongs to
 * @qp: queue pair that is started: from now on the engine may find it
 *
 * Pages are made as they are needed and stay as long as the context: a process
 * maps each of them once and goes by its offset, which must not come to mean
 * another page.
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int srnic_context_get_doorbell(struct srnic_ucontext *ucontext,
			       struct srnic_qp *qp)
{
	struct srnic_doorbell_page *page;
	int err = 0;

	mutex_lock(&ucontext->lock);
	list_for_each_entry(page, &ucontext->doorbells, list)
		if (srnic_doorbell_get(page, qp, &qp->doorbell))
			goto unlock;

	page = add_page(ucontext);
	if (IS_ERR(page))
		err = PTR_ERR(page);
	else if (!srnic_doorbell_get(page, qp, &qp->doorbell))
		err = -ENOMEM;
unlock:
	mutex_unlock(&ucontext->lock);
	return err;
}

/**
 * srnic_context_put_doorbell() - take a QP's doorbell back
 * @qp: queue pair; the engine may still have found it and must not see it freed
 *	before a grace period has gone by
 *
 * Context: Process context. May sleep.
 */
void srnic_context_put_doorbell(struct srnic_qp *qp)
{
	struct srnic_ucontext *ucontext =
		to_srnic_ucontext(qp->doorbell.page->map->entry.ucontext);

	mutex_lock(&ucontext->lock);
	srnic_doorbell_put(&qp->doorbell);
	mutex_unlock(&ucontext->lock);
}
