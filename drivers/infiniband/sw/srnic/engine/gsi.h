/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The general services interface: QP 1 of each device.
 */
#ifndef SRNIC_ENGINE_GSI_H
#define SRNIC_ENGINE_GSI_H

struct srnic_qp;
struct srnic_rx;

int srnic_gsi_add(struct srnic_qp *qp);
void srnic_gsi_remove(struct srnic_qp *qp);
struct srnic_qp *srnic_gsi_find(const struct srnic_rx *rx);

#endif /* SRNIC_ENGINE_GSI_H */
