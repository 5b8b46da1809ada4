#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Connections that come to nothing: wrong addresses, refusals, peers that vanish.
#
#   cm-errors.sh [TYPE]    srnic or rxe
#
# vm: --cpus 1 --timeout 600 --append kmemleak=off
. "$(dirname "$0")/../lib.sh"

rdma_up "${1:-srnic}" eth0 || { not_ok "a device on eth0"; tap_end; }
modprobe rdma_ucm
# A local address that is no device's, and a host that was there a moment ago.
ip addr add 10.99.0.9/32 dev lo
ip neigh replace 10.77.0.66 lladdr 52:54:00:77:00:66 dev eth0 nud permanent
resources_mark
"$SRNIC_BUILD/tests/srnic_cm" 10.77.0.1 10.77.0.66 || not_ok "exit status $?"
no_resources_left "of them"
exit $((tap_failed > 0))
