#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What scripts/bench runs, in guest a: bench.sh ROUNDS
. "$(dirname "$0")/lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/perftest.sh"

rounds=$1
tests=("ib_write_bw -s 65536 -n 500" "ib_read_bw -s 65536 -n 500" "ib_send_bw -s 65536 -n 500"
	"ib_send_bw -s 64 -n 2000" "ib_write_lat -s 2 -n 1000" "ib_send_lat -s 2 -n 1000")
# The same on a wire that loses one RoCE packet of a hundred each way.
lossy=("ib_write_bw -s 65536 -n 100" "ib_read_bw -s 65536 -n 100")
declare -A samples

# The other driver takes UDP port 4791 for itself: only one is loaded at a time.
unload() {
	local m=srnic
	[ "$1" = srnic ] || m=rdma_rxe
	rmmod $m && on_b rmmod $m
}

# Only RoCE packets are lost, not those of perftest's own connection.
lose() {
	modprobe -a sch_netem sch_prio cls_flower 2> /dev/null
	tc qdisc add dev eth0 root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 &&
		tc qdisc add dev eth0 parent 1:2 netem limit 10000 loss "$1" &&
		tc filter add dev eth0 parent 1: protocol ip flower ip_proto udp dst_port 4791 classid 1:2
}
lose_nothing() { tc qdisc del dev eth0 root; }

# measure TYPE TEST NAME
measure() {
	local type=$1 program arguments
	read -r program arguments <<< "$2"
	# shellcheck disable=SC2086
	perftest_pair a "$program" $arguments > /run/result || { cat /run/result; return 1; }
	samples[$type $3]+="$figure "
	printf 'round %d/%d  %-6s %-32s %10s %s\n' "$round" "$rounds" "$type" "$3" "$figure" \
		"$(perftest_unit "$program")"
}

for ((round = 1; round <= rounds; round++)); do
	for type in rxe srnic; do
		pair_up $type $type || { echo "no $type devices"; exit 1; }
		side_gid=()
		for t in "${tests[@]}"; do
			measure $type "$t" "$t" || exit 1
		done
		{ lose 1% && on_b bash -c "$(declare -f lose); lose 1%"; } || exit 1
		for t in "${lossy[@]}"; do
			measure $type "$t" "$t, 1 % lost" || exit 1
		done
		{ lose_nothing && on_b tc qdisc del dev eth0 root; } || exit 1
		unload $type || exit 1
	done
done

median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

printf '\n%-32s %12s %12s  %s\n' "medians of $rounds" rdma_rxe srnic "srnic is"
for t in "${tests[@]}" "${lossy[@]/%/, 1 % lost}"; do
	# shellcheck disable=SC2086
	rxe=$(median ${samples[rxe $t]}) srnic=$(median ${samples[srnic $t]})
	awk -v t="$t" -v r="$rxe" -v s="$srnic" -v u="$(perftest_unit "${t%% *}")" 'BEGIN {
		ratio = u == "us" ? r / s : s / r
		printf "%-32s %7s %-4s %7s %-4s  %.2f times as fast\n", t, r, u, s, u, ratio }'
done
