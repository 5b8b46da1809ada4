/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRC domains: SRQs that any target of the same domain takes work requests from,
 * as its peer names them by number.
 */
#ifndef SRNIC_ENGINE_XRCD_H
#define SRNIC_ENGINE_XRCD_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

struct srnic_dev;
struct srnic_qp;
struct srnic_srq;

/**
 * struct srnic_xrcd - an XRC domain
 * @ibxrcd: what the core knows of it
 * @lock: guards @targets; outside of responder locks
 * @targets: target QPs
 */
struct srnic_xrcd {
	struct ib_xrcd ibxrcd;
	struct mutex lock; /* guards @targets */
	struct list_head targets;
};

static inline struct srnic_xrcd *to_srnic_xrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct srnic_xrcd, ibxrcd);
}

void srnic_xrcd_init(struct srnic_xrcd *xrcd);
void srnic_xrcd_add_target(struct srnic_qp *qp);
void srnic_xrcd_remove_target(struct srnic_qp *qp);
int srnic_xrcd_add_srq(struct srnic_srq *srq);
void srnic_xrcd_remove_srq(struct srnic_srq *srq);
struct srnic_srq *srnic_xrcd_find_srq(struct srnic_dev *dev,
				      const struct srnic_xrcd *xrcd, u32 number);

#endif /* SRNIC_ENGINE_XRCD_H */
