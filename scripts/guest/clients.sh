#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Real clients between two guests: rdma-core's pingpongs and every program of
# perftest, in the transports where it applies.
#
#   clients.sh [TYPE-IN-A [TYPE-IN-B [DEPTH [CLIENT-SIDES [MTU [DEPTH MTU]...]]]]]
#
# The types are srnic or rxe; CLIENT-SIDES are a, b or both words. DEPTH is one of
#   pairs        any two options of perftest, and path MTUs, together at least once
#   full         every combination of them, with the path MTUs in turn: half an hour
#   brief, few, operations
# An MTU is none of pairs' and full's, which have all of them.
. "$(dirname "$0")/lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/verdict.sh"

types=("${1:-srnic}" "${2:-${1:-srnic}}") sides=${4:-a}
sweeps=("${3:-pairs}" "${5:-4096}" "${@:6}")

# The lines are: program, arguments. Iterations are few: emulated guests are slow.
pingpongs() {
	[ "$depth" != full ] || return 0
	if [ "$depth" = few ]; then
		echo "ibv_rc_pingpong -n 50 -e -c"
		echo "ibv_ud_pingpong -n 50 -s 1000 -c"
		return
	fi
	cat <<- E
	ibv_rc_pingpong -n 200 -c
	ibv_rc_pingpong -n 100 -e -c
	ibv_uc_pingpong -n 200 -c
	ibv_uc_pingpong -n 100 -e -c
	ibv_ud_pingpong -n 200 -s 1000 -c
	ibv_ud_pingpong -n 100 -s 1000 -e -c
	ibv_srq_pingpong -q 4 -n 200 -c
	ibv_srq_pingpong -q 4 -n 100 -e -c
	E
	# rdma_rxe has no XRC.
	[ "${types[*]}" != "srnic srnic" ] || cat <<- E
	ibv_xsrq_pingpong -n 100
	ibv_xsrq_pingpong -n 100 -e
	E
}

brief() {
	cat <<- E
	ib_write_bw -s 65536 -n 50
	ib_write_lat -s 2 -n 100
	ib_read_bw -s 65536 -n 50
	ib_read_lat -s 2 -n 100
	ib_send_bw -s 65536 -n 50
	ib_send_lat -s 2 -n 100
	ib_send_bw --use-srq -s 65536 -n 50
	ib_send_bw -c UD -s 1000 -n 100
	ib_atomic_bw -A CMP_AND_SWAP -n 50
	ib_atomic_lat -A FETCH_AND_ADD -n 50
	E
}

# For the kernel's checkers, under which a guest takes half a minute a program; the
# timeout of a second is for guests that share their cores with others.
few() {
	cat <<- E
	ib_write_bw -s 65536 -n 50 -q 2 -u 18
	ib_read_lat -s 2 -n 50 -u 18
	ib_send_bw -c UC -s 5000 -n 50 -e -u 18
	ib_send_bw -s 65536 -n 50 -b -u 18
	ib_atomic_bw -A CMP_AND_SWAP -n 50 -u 18
	E
}

# Each operation once, few packets: for a look at the wire.
operations() {
	cat <<- E
	ib_write_bw -s 10000 -n 5
	ib_read_bw -s 10000 -n 5
	ib_send_bw -s 10000 -n 5
	ib_send_bw -s 3 -n 5
	ib_send_bw -c UC -s 10000 -n 5
	ib_write_bw -c UC -s 10000 -n 5
	ib_send_bw -c UD -s 1000 -n 5
	ib_atomic_bw -A CMP_AND_SWAP -n 5
	ib_atomic_bw -A FETCH_AND_ADD -n 5
	E
}

# What the combinations lack: all sizes, long messages, one READ at a time. With the
# timeout of half a second that the combinations have, for guests that share their cores.
pairs() {
	cat <<- E
	ib_write_bw -a -n 5 -u 19
	ib_write_bw -s 65536 -n 100 -u 17
	ib_read_bw -s 1048576 -n 5 -o 1 -u 17
	ib_send_bw -s 1048576 -n 5 -u 17
	ib_send_bw -s 64 -n 500 -u 17
	E
}
full() { pairs; }

if ! pair_up "${types[@]}"; then
	not_ok "devices in both guests"
	tap_end
fi
ok "devices in both guests: ${side_dev[a]} and ${side_dev[b]}"
resources_mark

# sweep DEPTH MTU: the clients of that depth, on each side that is to have them.
sweep() {
	local depth=$1 mtu=$2 side where program arguments opt
	for side in $sides; do
		where="$(other "$side") (${side_type[$(other "$side")]}) serves $side (${side_type[$side]}), MTU $mtu"
		while read -r program arguments; do
			opt=-m
			[ "$program" != ibv_ud_pingpong ] || opt=''
			# shellcheck disable=SC2086
			client_server "$program $arguments: $where" "$side" \
				"$program" -d DEV -g GID -p 18515 ${opt:+$opt $mtu} $arguments
		done < <(pingpongs)
		while read -r program arguments; do
			# shellcheck disable=SC2086
			client_server "$program $arguments: $where" "$side" \
				"$program" -d DEV -x GID -p 18515 -F -m "$mtu" $arguments
		done < <("$depth")
	done
}

# combinations DEPTH: what client-matrix makes, between guest a and its server.
combinations() {
	local mtu program arguments
	while read -r mtu program arguments; do
		# shellcheck disable=SC2086
		client_server "$program $arguments: MTU $mtu" a \
			"$program" -d DEV -x GID -p 18515 -F -u 17 -m "$mtu" $arguments
	done < <("$GUEST_DIR/client-matrix" "$1")
}

pair_judge=client_verdict
for ((i = 0; i < ${#sweeps[@]}; i += 2)); do
	sweep "${sweeps[i]}" "${sweeps[i + 1]}"
	case ${sweeps[i]} in pairs | full) combinations "${sweeps[i]}" ;; esac
done
if [ "${sweeps[0]}" = pairs ] || [ "${sweeps[0]}" = operations ]; then
	pair_ip=6
	client_server "ibv_rc_pingpong over IPv6" a ibv_rc_pingpong -d DEV -g GID -p 18515 -n 100 -c
	client_server "ib_write_bw over IPv6" a ib_write_bw -d DEV -x GID -p 18515 -F -s 10000 -n 50
fi
no_resources_left "in guest a"
is "$(on_b_fn resources_held)" "" "rdma resource: nothing is left in guest b"
tap_end
