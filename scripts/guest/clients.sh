#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Real clients between two guests: rdma-core's pingpongs and every program of
# perftest, in the transports where it applies.
#
#   clients.sh [TYPE-IN-A [TYPE-IN-B [all|brief|few|operations [CLIENT-SIDES [MTU [DEPTH MTU]...]]]]]
#
# The types are srnic or rxe; CLIENT-SIDES are a, b or both words.
. "$(dirname "$0")/lib.sh"
. "$GUEST_DIR/pair.sh"

types=("${1:-srnic}" "${2:-${1:-srnic}}") sides=${4:-a}
sweeps=("${3:-all}" "${5:-4096}" "${@:6}")

# The lines are: program, arguments. Iterations are few: emulated guests are slow.
pingpongs() {
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

all() {
	cat <<- E
	ib_write_bw -a -n 5
	ib_write_bw -s 65536 -n 100
	ib_write_bw -s 1000 -n 200 -q 8
	ib_write_bw -s 65536 -n 50 -b
	ib_write_bw -s 8192 -n 50 -c UC -b
	ib_write_bw -c UC -s 65536 -n 100
	ib_write_lat -s 2 -n 200
	ib_write_lat -s 5000 -n 100
	ib_write_lat -c UC -s 2 -n 200
	ib_write_lat -s 64 -I 64 -n 100
	ib_read_bw -s 65536 -n 100
	ib_read_bw -s 1000 -n 100 -q 8
	ib_read_bw -s 65536 -n 50 -b
	ib_read_bw -s 4096 -n 100 -e
	ib_read_bw -s 1048576 -n 5 -o 1
	ib_read_lat -s 2 -n 200
	ib_read_lat -s 5000 -n 100 -e
	ib_send_bw -s 65536 -n 100
	ib_send_bw -s 64 -n 500
	ib_send_bw -s 1000 -n 200 -q 8
	ib_send_bw -s 65536 -n 50 -b
	ib_send_bw -s 4096 -n 100 -e
	ib_send_bw -c UC -s 65536 -n 50
	ib_send_bw -c UD -s 1000 -n 200
	ib_send_bw -c UD -s 1000 -n 200 -b
	ib_send_bw -c UD -s 1000 -n 200 -e
	ib_send_lat -s 2 -n 200
	ib_send_lat -s 5000 -n 100 -e
	ib_send_lat -c UC -s 2 -n 200
	ib_send_lat -c UD -s 2 -n 200
	ib_send_bw --use-srq -s 65536 -n 50
	ib_send_bw --use-srq -s 1000 -n 100 -q 4
	ib_send_lat --use-srq -s 64 -n 100
	ib_send_bw -c XRC -s 65536 -n 50
	ib_send_bw -c XRC -s 1000 -n 100 -q 4
	ib_send_lat -c XRC -s 64 -n 100
	ib_write_bw -c XRC -s 65536 -n 50
	ib_read_bw -c XRC -s 65536 -n 50
	ib_atomic_bw -c XRC -A FETCH_AND_ADD -n 50
	ib_atomic_bw -A CMP_AND_SWAP -n 100
	ib_atomic_bw -A FETCH_AND_ADD -n 100 -q 4
	ib_atomic_bw -A FETCH_AND_ADD -n 50 -b
	ib_atomic_lat -A CMP_AND_SWAP -n 100
	ib_atomic_lat -A FETCH_AND_ADD -n 100 -e
	E
}

if ! pair_up "${types[@]}"; then
	not_ok "devices in both guests"
	tap_end
fi
ok "devices in both guests: ${side_dev[a]} and ${side_dev[b]}"

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

for ((i = 0; i < ${#sweeps[@]}; i += 2)); do
	sweep "${sweeps[i]}" "${sweeps[i + 1]}"
done
if [ "${sweeps[0]}" = all ] || [ "${sweeps[0]}" = operations ]; then
	pair_ip=6
	client_server "ibv_rc_pingpong over IPv6" a ibv_rc_pingpong -d DEV -g GID -p 18515 -n 100 -c
	client_server "ib_write_bw over IPv6" a ib_write_bw -d DEV -x GID -p 18515 -F -s 10000 -n 50
fi
tap_end
