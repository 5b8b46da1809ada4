#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The conformance program in one guest: a device against itself, and two network
# namespaces.
# vm: --timeout 1800 --append kmemleak=off
. "$(dirname "$0")/../lib.sh"
program=$SRNIC_BUILD/tests/srnic_conformance

run_ok "an exporter of DMA buffers" dma_buffers

share 0 2
rdma_up srnic eth0 || { not_ok "srnic on eth0"; tap_end; }
resources_mark
"$program" --device srnic0 --tap || not_ok "the conformance program's exit status"
no_resources_left "of the conformance program"
rdma link delete srnic0

if run_ok "two namespaces" two_netns &&
	left rdma link add srnicl type srnic netdev left &&
	right rdma link add srnicr type srnic netdev right; then
	share 0 4
	right "$program" --device srnicr --server > /run/server 2>&1 &
	left "$program" --device srnicl --connect 10.78.1.2 --tap ||
		not_ok "the conformance program's exit status between namespaces"
	wait $! || not_ok "the conformance server's exit status" "$(tail -n 20 /run/server)"
	run_ok "namespaces with devices go away" no_netns
else
	not_ok "srnic in two namespaces"
fi
exit $((tap_failed > 0))
