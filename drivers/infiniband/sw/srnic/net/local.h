/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets of this host to itself.
 */
#ifndef SRNIC_NET_LOCAL_H
#define SRNIC_NET_LOCAL_H

#include <linux/types.h>

struct dst_entry;
struct sk_buff;

void srnic_local_init(void);
void srnic_local_exit(void);
bool srnic_local_wanted(const struct dst_entry *dst);
void srnic_local_send(struct sk_buff *skb);
void srnic_local_deliver(void);

#endif /* SRNIC_NET_LOCAL_H */
