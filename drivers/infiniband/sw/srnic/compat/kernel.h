/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The core kernel's API.
 */
#ifndef SRNIC_COMPAT_KERNEL_H
#define SRNIC_COMPAT_KERNEL_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/workqueue.h>

#ifndef HAVE_HRTIMER_SETUP
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *timer),
	      clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif /* HAVE_HRTIMER_SETUP */

/* Flags were not protected. */
#ifndef HAVE_VM_FLAGS_CLEAR
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif /* HAVE_VM_FLAGS_CLEAR */

/* Where it was not asked for otherwise, it was so. */
#ifndef HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

/* It had another name, which warns since this one is there. */
#ifndef HAVE_SYSTEM_DFL_WQ
#define system_dfl_wq system_unbound_wq
#endif

/* The name of a namespace was no string. */
#ifndef HAVE_IMPORT_NS_STRING
#undef MODULE_IMPORT_NS
#define MODULE_IMPORT_NS(ns) MODULE_INFO(import_ns, ns)
#endif

/* There was no lock that callers might hold. */
#ifndef HAVE_DMA_BUF_VMAP_UNLOCKED
#define dma_buf_vmap_unlocked dma_buf_vmap
#define dma_buf_vunmap_unlocked dma_buf_vunmap
#endif

#endif /* SRNIC_COMPAT_KERNEL_H */
