/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions as the core knows them.
 */
#ifndef SRNIC_VERBS_MR_H
#define SRNIC_VERBS_MR_H

#include <rdma/ib_verbs.h>

#include "../engine/device.h"
#include "../mem/mr.h"

/**
 * struct srnic_user_mr - a memory region, of a process or a consumer in the kernel
 * @ibmr: what the core knows of it
 * @mr: what is found by its key
 */
struct srnic_user_mr {
	struct ib_mr ibmr;
	struct srnic_mr *mr;
};

static inline struct srnic_user_mr *to_srnic_user_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct srnic_user_mr, ibmr);
}

struct srnic_user_mr *srnic_begin_mr(struct srnic_dev *dev);
struct ib_mr *srnic_finish_mr(struct srnic_dev *dev, struct srnic_user_mr *user,
			      struct srnic_mr *mr);

#endif /* SRNIC_VERBS_MR_H */
