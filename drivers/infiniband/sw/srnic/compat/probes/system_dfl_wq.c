// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/workqueue.h>

bool probe(struct work_struct *work)
{
	return queue_work(system_dfl_wq, work);
}
