/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The core kernel's API.
 */
#ifndef SRNIC_COMPAT_KERNEL_H
#define SRNIC_COMPAT_KERNEL_H

#include <linux/hrtimer.h>

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

#endif /* SRNIC_COMPAT_KERNEL_H */
