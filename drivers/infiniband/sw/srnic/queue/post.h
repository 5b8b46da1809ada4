/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The other end of send and receive queues: how a consumer in the kernel fills
 * them. A process does this in its provider.
 */
#ifndef SRNIC_QUEUE_POST_H
#define SRNIC_QUEUE_POST_H

#include "rq.h"
#include "sq.h"

void *srnic_sq_slot(const struct srnic_sq *sq, u32 ahead);
void srnic_sq_publish(struct srnic_sq *sq, u32 count);
void *srnic_rq_slot(const struct srnic_rq *rq, u32 ahead);
void srnic_rq_publish(struct srnic_rq *rq, u32 count);

#endif /* SRNIC_QUEUE_POST_H */
