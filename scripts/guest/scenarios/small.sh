#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The scenarios that need little time, one after the other in one guest: to boot the
# debug kernel takes as long as one of them.
# kernels: debug
# vm: --timeout 1200 --append kmemleak=off
. "$(dirname "$0")/../lib.sh"
unload() { [ ! -e /sys/module/srnic ] || rmmod srnic; }

for name in examples hostile packets async; do
	echo "# $name"
	bash "$GUEST_DIR/scenarios/$name.sh" || not_ok "scenario $name"
	run_ok "the module unloads after it" unload
done
tap_end
