// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <rdma/ib_verbs.h>

u64 srnic_probe(void)
{
	return IB_DEVICE_ATOMIC_WRITE + IB_WR_ATOMIC_WRITE + IB_UVERBS_WC_ATOMIC_WRITE;
}
