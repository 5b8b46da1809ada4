/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The network stack's API.
 */
#ifndef SRNIC_COMPAT_NET_H
#define SRNIC_COMPAT_NET_H

#include <linux/types.h>
#include <net/inet_dscp.h>
#include <net/ip_fib.h>
#include <net/ip6_route.h>
#include <net/route.h>
#include <net/sock.h>
#include <net/udp_tunnel.h>

/* A tunnel's socket was a struct socket. */
#ifndef HAVE_UDP_TUNNEL_SOCK
static inline void
srnic_compat_setup_udp_tunnel_sock(struct net *net, struct sock *sk,
				   struct udp_tunnel_sock_cfg *cfg)
{
	setup_udp_tunnel_sock(net, sk->sk_socket, cfg);
}

#define setup_udp_tunnel_sock srnic_compat_setup_udp_tunnel_sock

static inline void srnic_compat_udp_tunnel_sock_release(struct sock *sk)
{
	udp_tunnel_sock_release(sk->sk_socket);
}

#define udp_tunnel_sock_release srnic_compat_udp_tunnel_sock_release
#endif /* HAVE_UDP_TUNNEL_SOCK */

/* Sockets whose locks were reclassified did not pin the module. */
#ifndef HAVE_SK_OWNER
static inline void sk_owner_clear(struct sock *sk)
{
}

static inline void sk_owner_put(struct sock *sk)
{
}
#endif /* HAVE_SK_OWNER */

/* A flow had a TOS, without a type of its own. */
#ifndef HAVE_FLOWI4_DSCP
static inline __u8 srnic_compat_dsfield_to_tos(__u8 dsfield)
{
	return inet_dscp_to_dsfield(inet_dsfield_to_dscp(dsfield));
}

#define inet_dsfield_to_dscp srnic_compat_dsfield_to_tos
#define flowi4_dscp flowi4_tos
#endif /* HAVE_FLOWI4_DSCP */

#endif /* SRNIC_COMPAT_NET_H */
