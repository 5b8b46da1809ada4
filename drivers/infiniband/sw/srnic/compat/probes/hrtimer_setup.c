// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/hrtimer.h>

void probe(struct hrtimer *timer,
	   enum hrtimer_restart (*function)(struct hrtimer *timer))
{
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}
