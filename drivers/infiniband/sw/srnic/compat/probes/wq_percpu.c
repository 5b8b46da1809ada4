// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/workqueue.h>

unsigned int srnic_probe(void)
{
	return WQ_PERCPU;
}
