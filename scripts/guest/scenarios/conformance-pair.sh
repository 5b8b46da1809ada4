#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The conformance program between two guests.
# guests: 2
# vm: --timeout 1200 --append kmemleak=off
. "$(dirname "$0")/../lib.sh"
. "$GUEST_DIR/pair.sh"
program=$SRNIC_BUILD/tests/srnic_conformance
# Others than conformance does between namespaces.
share 1 4

pair_up srnic srnic || { not_ok "devices in both guests"; tap_end; }
on_b "$program" --device "${side_dev[b]}" --server > /run/server 2>&1 &
"$program" --device "${side_dev[a]}" --connect 10.77.0.2 --tap ||
	not_ok "the conformance program's exit status"
wait $! || not_ok "the conformance server's exit status" "$(tail -n 20 /run/server)"
exit $((tap_failed > 0))
