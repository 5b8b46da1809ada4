// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UDP sockets on the RoCEv2 port: one pair for each network namespace that has
 * devices.
 *
 * They are kernel sockets, which do not keep their namespace alive. If it goes before
 * its devices have, the sockets are closed then, and what is left of the listener
 * waits for the last srnic_net_put().
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/sock.h>
#include <net/udp_tunnel.h>

#include "../wire/format.h"
#include "local.h"
#include "membership.h"
#include "net.h"
#include "netdev.h"
#include "path.h"
#include "receive.h"
#include "transmit.h"

/**
 * struct srnic_listener - the sockets of a namespace
 * @net: the namespace, or NULL if it has gone
 * @ipv4: socket, or NULL if it has been closed
 * @ipv6: socket, or NULL if there is no IPv6 or it has been closed
 * @users: devices
 *
 * All under listener_lock.
 */
struct srnic_listener {
	struct net *net;
	struct socket *ipv4;
	struct socket *ipv6;
	u32 users;
};

/**
 * struct srnic_pernet - what a namespace has
 * @listener: listener, or NULL while there are no devices; written under
 *	listener_lock
 * @ipv4: its IPv4 socket, for senders, who may have it for a grace period after it
 *	has been closed
 */
struct srnic_pernet {
	struct srnic_listener *listener;
	struct sock __rcu *ipv4;
};

/* Guards every &struct srnic_pernet and &struct srnic_listener. */
static DEFINE_MUTEX(listener_lock);

static unsigned int pernet_id;

/*
 * Locks of sockets are told apart by family only. A program that holds its own
 * socket's lock and goes through RDMA takes ours below it, which lockdep would take
 * for a circle.
 */
static struct lock_class_key socket_key[2], socket_slock_key[2];

static void reclassify(struct sock *sk)
{
	if (!IS_ENABLED(CONFIG_DEBUG_LOCK_ALLOC))
		return;
	if (WARN_ON_ONCE(!sock_allow_reclassification(sk)))
		return;

	if (sk->sk_family == AF_INET)
		sock_lock_init_class_and_name(sk, "slock-AF_INET-SRNIC",
					      &socket_slock_key[0],
					      "sk_lock-AF_INET-SRNIC",
					      &socket_key[0]);
	else
		sock_lock_init_class_and_name(sk, "slock-AF_INET6-SRNIC",
					      &socket_slock_key[1],
					      "sk_lock-AF_INET6-SRNIC",
					      &socket_key[1]);

	/*
	 * That took a reference to this module, which would keep it from being
	 * unloaded; srnic_net_exit() waits for the sockets to be gone instead.
	 */
	sk_owner_put(sk);
	sk_owner_clear(sk);
}

static struct socket *open_socket(struct net *net, u8 family)
{
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = srnic_udp_receive,
	};
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = htons(SRNIC_UDP_PORT),
		.ipv6_v6only = family == AF_INET6,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(net, &port, &sock);
	if (err)
		return ERR_PTR(err);

	/* An ICMP message, which anybody can make, must not say how long packets are. */
	if (family == AF_INET)
		ip_sock_set_mtu_discover(sock->sk, IP_PMTUDISC_INTERFACE);
	else
		inet6_sk(sock->sk)->pmtudisc = IPV6_PMTUDISC_INTERFACE;
	reclassify(sock->sk);
	setup_udp_tunnel_sock(net, sock->sk, &tunnel);
	return sock;
}

static void close_sockets(struct srnic_listener *listener)
{
	struct srnic_pernet *pernet = net_generic(listener->net, pernet_id);

	lockdep_assert_held(&listener_lock);

	rcu_assign_pointer(pernet->ipv4, NULL);
	if (listener->ipv6)
		udp_tunnel_sock_release(listener->ipv6->sk);
	if (listener->ipv4)
		udp_tunnel_sock_release(listener->ipv4->sk);
	listener->ipv6 = NULL;
	listener->ipv4 = NULL;
}

static int open_sockets(struct srnic_listener *listener)
{
	struct srnic_pernet *pernet = net_generic(listener->net, pernet_id);
	struct socket *sock;

	lockdep_assert_held(&listener_lock);

	sock = open_socket(listener->net, AF_INET);
	if (IS_ERR(sock))
		goto failed;
	listener->ipv4 = sock;
	rcu_assign_pointer(pernet->ipv4, sock->sk);

	if (!IS_ENABLED(CONFIG_IPV6))
		return 0;
	sock = open_socket(listener->net, AF_INET6);
	if (sock == ERR_PTR(-EAFNOSUPPORT))
		return 0;
	if (IS_ERR(sock))
		goto failed;
	listener->ipv6 = sock;
	return 0;

failed:
	close_sockets(listener);
	if (sock == ERR_PTR(-EADDRINUSE))
		pr_err(KBUILD_MODNAME ": UDP port %d is in use in this network namespace, perhaps by rdma_rxe\n",
		       SRNIC_UDP_PORT);
	else
		pr_err(KBUILD_MODNAME ": cannot open UDP port %d: %pe\n", SRNIC_UDP_PORT, sock);
	return PTR_ERR(sock);
}

static struct srnic_listener *new_listener(struct net *net)
{
	struct srnic_listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	int err;

	if (!listener)
		return ERR_PTR(-ENOMEM);
	listener->net = net;
	err = open_sockets(listener);
	if (err) {
		kfree(listener);
		return ERR_PTR(err);
	}
	return listener;
}

/**
 * srnic_net_get() - receive packets in a network namespace
 * @net: the namespace, alive
 *
 * Once for each device. The first one opens the sockets.
 *
 * Context: Process context, may sleep.
 * Return: what to give to srnic_net_put(), or ERR_PTR; -EADDRINUSE if somebody else
 * has the port.
 */
struct srnic_listener *srnic_net_get(struct net *net)
{
	struct srnic_pernet *pernet = net_generic(net, pernet_id);
	struct srnic_listener *listener;

	mutex_lock(&listener_lock);
	listener = pernet->listener;
	if (!listener)
		listener = new_listener(net);
	if (!IS_ERR(listener)) {
		listener->users++;
		WRITE_ONCE(pernet->listener, listener);
	}
	mutex_unlock(&listener_lock);
	return listener;
}

static void leave_namespace(struct srnic_listener *listener)
{
	struct srnic_pernet *pernet = net_generic(listener->net, pernet_id);

	lockdep_assert_held(&listener_lock);
	close_sockets(listener);
	WRITE_ONCE(pernet->listener, NULL);
	listener->net = NULL;
}

/**
 * srnic_net_put() - a device needs no packets any more
 * @listener: from srnic_net_get()
 *
 * The last one closes the sockets. Packets may still be on their way to the engine
 * until an RCU grace period has passed.
 *
 * Context: Process context, may sleep.
 */
void srnic_net_put(struct srnic_listener *listener)
{
	mutex_lock(&listener_lock);
	if (!--listener->users) {
		if (listener->net)
			leave_namespace(listener);
		kfree(listener);
	}
	mutex_unlock(&listener_lock);
}

/**
 * srnic_net_listens() - whether a network namespace has devices
 * @net: namespace
 *
 * Context: Any. The answer may be old when it is there.
 * Return: whether packets are received in it.
 */
bool srnic_net_listens(struct net *net)
{
	struct srnic_pernet *pernet = net_generic(net, pernet_id);

	return READ_ONCE(pernet->listener);
}

/**
 * srnic_net_ipv4_socket() - the socket that IPv4 packets are sent in the name of
 * @net: namespace
 *
 * Context: RCU read section.
 * Return: the socket, or NULL if there is none any more.
 */
struct sock *srnic_net_ipv4_socket(struct net *net)
{
	struct srnic_pernet *pernet = net_generic(net, pernet_id);

	return rcu_dereference(pernet->ipv4);
}

static void __net_exit pernet_exit(struct net *net)
{
	struct srnic_pernet *pernet = net_generic(net, pernet_id);

	mutex_lock(&listener_lock);
	if (pernet->listener)
		leave_namespace(pernet->listener);
	mutex_unlock(&listener_lock);
}

static struct pernet_operations pernet_ops = {
	.exit = pernet_exit,
	.id = &pernet_id,
	.size = sizeof(struct srnic_pernet),
};

/* The engine's way down. */
const struct srnic_net_ops srnic_net_ops = {
	.path_init = srnic_path_init,
	.path_release = srnic_path_release,
	.begin = srnic_tx_begin,
	.end = srnic_tx_end,
	.cancel = srnic_tx_cancel,
	.flush = srnic_tx_flush,
	.deliver = srnic_local_deliver,
	.join = srnic_net_join,
	.leave = srnic_net_leave,
};

/**
 * srnic_net_init() - before there are devices
 *
 * Context: Process context, may sleep.
 * Return: 0 or a negative errno.
 */
int srnic_net_init(void)
{
	int err;

	srnic_local_init();
	err = register_pernet_subsys(&pernet_ops);
	if (err)
		goto err_local_exit;
	err = srnic_netdev_init();
	if (err)
		goto err_unregister_pernet;
	return 0;

err_unregister_pernet:
	unregister_pernet_subsys(&pernet_ops);
err_local_exit:
	srnic_local_exit();
	return err;
}

/**
 * srnic_net_exit() - after the last device
 *
 * Context: Process context, may sleep.
 */
void srnic_net_exit(void)
{
	srnic_netdev_exit();
	unregister_pernet_subsys(&pernet_ops);

	/* Softirqs may still be in srnic_udp_receive(); closed sockets die by RCU. */
	rcu_barrier();
	srnic_local_exit();
}
