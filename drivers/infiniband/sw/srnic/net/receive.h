/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The receive edge.
 */
#ifndef SRNIC_NET_RECEIVE_H
#define SRNIC_NET_RECEIVE_H

struct sk_buff;
struct sock;

int srnic_udp_receive(struct sock *sk, struct sk_buff *skb);
void srnic_receive_local(struct sk_buff *skb);

#endif /* SRNIC_NET_RECEIVE_H */
