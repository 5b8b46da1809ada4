/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sending packets.
 */
#ifndef SRNIC_NET_TRANSMIT_H
#define SRNIC_NET_TRANSMIT_H

#include "../engine/net_ops.h"

u8 *srnic_tx_begin(struct srnic_tx *tx, u32 bytes);
bool srnic_tx_end(struct srnic_tx *tx);
void srnic_tx_cancel(struct srnic_tx *tx);
void srnic_tx_flush(struct srnic_tx *tx);

#endif /* SRNIC_NET_TRANSMIT_H */
