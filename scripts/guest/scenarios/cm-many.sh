#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Many connections: a thousand one after the other and 2,000 at once, made, used and
# taken down again and again. Nothing is left of them. The argument is the type of the
# devices, srnic or rxe.
# guests: 2
# kernels: stock
# vm: --cpus 1 --timeout 1200 --mem 3072
# To follow what is sourced takes shellcheck minutes here.
# shellcheck disable=SC2154 source=/dev/null
. "$(dirname "$0")/../lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/cm.sh"

type=${1:-srnic} cm_timeout=240 rounds=3

# KiB that the kernel holds in a guest, once it has freed what waits for that.
kernel_memory() {
	on "$1" sysctl -qw vm.drop_caches=3
	sleep 1
	on "$1" cat /proc/meminfo | awk '/^(SUnreclaim|VmallocUsed|Percpu|PageTables):/ { n += $2 } END { print n }'
}
nothing_left() { ! on "$1" rdma resource show qp | grep -qv 'type GSI'; }

if ! pair_up "$type" "$type"; then
	not_ok "devices in both guests"
	tap_end
fi
ok "devices in both guests"

endless=1 client_says='^connect *:' cm_test "cmtime, 1000 connections" b - cmtime -b SERVER -c 1000 -- \
	a cmtime -s SERVER -b CLIENT -c 1000

declare -A before
for ((round = 1; round <= rounds; round++)); do
	client_says='return status 0' server_says='return status 0' \
		cm_test "2000 connections at once, round $round" b - ucmatose -b SERVER -c 2000 -C 3 -- \
		a ucmatose -s SERVER -b CLIENT -c 2000 -C 3
	for side in a b; do
		run_ok "no QP is left in $side" wait_for 30 nothing_left $side
		[ $round != 1 ] || before[$side]=$(kernel_memory $side)
	done
done
for side in a b; do
	grown=$(($(kernel_memory $side) - before[$side]))
	note "since the first round the kernel's memory in $side has grown by $grown KiB"
	# 256 bytes a connection would make it this.
	run_ok "no memory is lost in $side" test $grown -lt 1024
done
for object in qp cq mr pd cm_id; do
	is "$(rdma resource show $object | grep -vcE 'type GSI|ib_core')" 0 "no $object is left"
done
tap_end
