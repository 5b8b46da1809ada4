#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Hand-made packets, good ones and bad ones, from the other end of the device's wire.
# kernels: stock
# vm: --timeout 600
. "$(dirname "$0")/../lib.sh"
program=$SRNIC_BUILD/tests/srnic_packets
share 0 1

load_srnic && two_netns || { not_ok "srnic and two namespaces"; tap_end; }
# What the device sends arrives packet by packet.
left ethtool -K left tx-udp-segmentation off 2> /dev/null
# A second address of the device, and addresses of this host that are not the device's.
ip -n left addr add 10.78.1.11/24 dev left
ip -n left addr add fd78:1::11/64 dev left nodad
ip -n left addr add 10.78.9.9/32 dev lo
ip -n left addr add fd78:9::9/128 dev lo
# The program answers for these; and one for a stranger.
mac=$(right cat /sys/class/net/right/address)
for address in 10.78.1.77 fd78:1::77 10.78.1.78 fd78:1::78; do
	ip -n left neigh add "$address" lladdr "$mac" dev left nud permanent
done
left rdma link add srnicl type srnic netdev left || { not_ok "srnic in a namespace"; tap_end; }
left "$program" --device srnicl --netns right --netdev right "$@" ||
	not_ok "the packets program's exit status"
run_ok "namespaces with devices go away" no_netns
exit $((tap_failed > 0))
