#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Storage over RDMA by consumers in the kernel: servers in guest b, clients in
# guest a, then both in guest a.
#
#   storage.sh [TYPE-IN-A [TYPE-IN-B [CONSUMERS [PARTS]]]]
#
# The types are srnic or rxe; consumers are nvme, iser, srp and nfs; parts are
# basic, loss, ipv6 and one, of which ipv6 is only run when it is asked for or
# with SRNIC_THOROUGH=1, as are long jobs and more ways to lose a connection.
#
# guests: 2
# kernels: stock
# vm: --storage --timeout 1800
# To follow what is sourced takes shellcheck minutes here, and all of the memory.
# shellcheck disable=SC2154 source=/dev/null
. "$(dirname "$0")/../lib.sh"
# shellcheck source=/dev/null
. "$GUEST_DIR/pair.sh"
# shellcheck source=/dev/null
. "$GUEST_DIR/storage.sh"
for consumer in block nvme lio nfs; do
	# shellcheck source=/dev/null
	. "$storage_dir/$consumer.sh"
done
types=("${1:-srnic}" "${2:-${1:-srnic}}") consumers=${3:-nvme iser srp nfs}
parts=${4:-basic loss${SRNIC_THOROUGH:+ ipv6} one}

if ! pair_up "${types[@]}" || ! disks_up || ! there b disks_up; then
	not_ok "devices in both guests"
	tap_end
fi
ok "devices in both guests: ${side_dev[a]} and ${side_dev[b]}"
wire_up
for consumer in $consumers; do
	is_block=block
	[ "$consumer" != nfs ] || is_block=nfs
	if [ "$parts" != one ]; then
		run_ok "$consumer: a server" "${consumer}_serve" b || continue
		for part in $parts; do
			[ "$part" = one ] || "${is_block}_$part"
		done
		run_ok "$consumer: the server goes" "${consumer}_serve_no_more" b
	fi
	if [[ " $parts " == *" one "* ]]; then
		if run_ok "$consumer: a server on the client's device" "${consumer}_serve" a; then
			"${is_block}_one"
			run_ok "$consumer: that server goes" "${consumer}_serve_no_more" a
		fi
	fi
	no_queues "$consumer" a b
	"${consumer}_end"
done
for side in a b; do
	run_ok "the device goes in $side" on $side rdma link delete "${side_dev[$side]}"
done
tap_end
