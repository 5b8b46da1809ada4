/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Protection domains.
 */
#ifndef SRNIC_VERBS_PD_H
#define SRNIC_VERBS_PD_H

#include <rdma/ib_verbs.h>

/**
 * struct srnic_pd - a protection domain
 * @ibpd: what the core knows of it; MRs, QPs and AHs compare its address
 */
struct srnic_pd {
	struct ib_pd ibpd;
};

#endif /* SRNIC_VERBS_PD_H */
