/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The net room: RoCEv2 over UDP. What main.c and verbs/ see of it.
 */
#ifndef SRNIC_NET_NET_H
#define SRNIC_NET_NET_H

#include "../engine/net_ops.h"

struct net;
struct sock;
struct srnic_listener;

extern const struct srnic_net_ops srnic_net_ops;

int srnic_net_init(void);
void srnic_net_exit(void);
struct srnic_listener *srnic_net_get(struct net *net);
void srnic_net_put(struct srnic_listener *listener);
bool srnic_net_listens(struct net *net);
struct sock *srnic_net_ipv4_socket(struct net *net);

#endif /* SRNIC_NET_NET_H */
