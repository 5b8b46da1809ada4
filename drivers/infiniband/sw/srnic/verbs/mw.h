/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory windows as the core knows them.
 */
#ifndef SRNIC_VERBS_MW_H
#define SRNIC_VERBS_MW_H

#include <rdma/ib_verbs.h>

struct srnic_mw;

/**
 * struct srnic_user_mw - a memory window
 * @ibmw: what the core knows of it; freed by the core
 * @mw: what is found by its key
 */
struct srnic_user_mw {
	struct ib_mw ibmw;
	struct srnic_mw *mw;
};

static inline struct srnic_user_mw *to_srnic_user_mw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct srnic_user_mw, ibmw);
}

#endif /* SRNIC_VERBS_MW_H */
