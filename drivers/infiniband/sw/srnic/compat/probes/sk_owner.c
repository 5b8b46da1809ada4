// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <net/sock.h>

void probe(struct sock *sk)
{
	sk_owner_put(sk);
	sk_owner_clear(sk);
}
