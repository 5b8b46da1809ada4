// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <net/flow.h>
#include <net/inet_dscp.h>

void probe(struct flowi4 *flow, __u8 dsfield)
{
	flow->flowi4_dscp = inet_dsfield_to_dscp(dsfield);
}
