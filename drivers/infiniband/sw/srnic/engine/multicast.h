/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Multicast groups and the UD QPs that are attached to them.
 */
#ifndef SRNIC_ENGINE_MULTICAST_H
#define SRNIC_ENGINE_MULTICAST_H

#include "qp.h"

int srnic_multicast_attach(struct srnic_qp *qp, const struct in6_addr *mgid);
int srnic_multicast_detach(struct srnic_qp *qp, const struct in6_addr *mgid);
struct srnic_dev *
srnic_multicast_receive(struct srnic_rx *rx,
			void (*receive)(struct srnic_qp *qp,
					struct srnic_rx *rx));

#endif /* SRNIC_ENGINE_MULTICAST_H */
