/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Doorbells of a user context.
 */
#ifndef SRNIC_VERBS_CONTEXT_H
#define SRNIC_VERBS_CONTEXT_H

struct srnic_qp;
struct srnic_ucontext;

int srnic_context_get_doorbell(struct srnic_ucontext *ucontext,
			       struct srnic_qp *qp);
void srnic_context_put_doorbell(struct srnic_qp *qp);

#endif /* SRNIC_VERBS_CONTEXT_H */
