/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * QPs by number. One table for all devices of the module, so that a packet
 * finds its QP without asking which interface it came through.
 */
#ifndef SRNIC_ENGINE_QP_TABLE_H
#define SRNIC_ENGINE_QP_TABLE_H

#include <linux/types.h>

struct srnic_qp;

void srnic_qp_table_init(void);
void srnic_qp_table_exit(void);
int srnic_qp_table_reserve(struct srnic_qp *qp);
void srnic_qp_table_publish(struct srnic_qp *qp);
void srnic_qp_table_remove(struct srnic_qp *qp);
struct srnic_qp *srnic_qp_table_find(u32 number);

#endif /* SRNIC_ENGINE_QP_TABLE_H */
