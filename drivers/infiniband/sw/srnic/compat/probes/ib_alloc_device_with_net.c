// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <rdma/ib_verbs.h>

struct probe_dev {
	struct ib_device ibdev;
};

struct probe_dev *probe(struct net *net)
{
	return ib_alloc_device_with_net(probe_dev, ibdev, net);
}
