#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What scripts/bench runs, in guest a: bench.sh ROUNDS
. "$(dirname "$0")/lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/perftest.sh"

rounds=$1
tests=("ib_write_bw -s 65536 -n 500" "ib_read_bw -s 65536 -n 500" "ib_send_bw -s 65536 -n 500"
	"ib_send_bw -s 64 -n 2000" "ib_write_lat -s 2 -n 1000" "ib_send_lat -s 2 -n 1000")
declare -A samples

# The other driver takes UDP port 4791 for itself: only one is loaded at a time.
unload() {
	local m=srnic
	[ "$1" = srnic ] || m=rdma_rxe
	rmmod $m && on_b rmmod $m
}

for ((round = 1; round <= rounds; round++)); do
	for type in rxe srnic; do
		pair_up $type $type || { echo "no $type devices"; exit 1; }
		side_gid=()
		for t in "${tests[@]}"; do
			read -r program arguments <<< "$t"
			# shellcheck disable=SC2086
			perftest_pair a "$program" $arguments > /run/result || { cat /run/result; exit 1; }
			samples[$type $t]+="$figure "
			printf 'round %d/%d  %-6s %-32s %10s %s\n' "$round" "$rounds" $type "$t" "$figure" \
				"$(perftest_unit "$program")"
		done
		unload $type || exit 1
	done
done

median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

printf '\n%-32s %12s %12s  %s\n' "medians of $rounds" rdma_rxe srnic "srnic is"
for t in "${tests[@]}"; do
	# shellcheck disable=SC2086
	rxe=$(median ${samples[rxe $t]}) srnic=$(median ${samples[srnic $t]})
	awk -v t="$t" -v r="$rxe" -v s="$srnic" -v u="$(perftest_unit "${t%% *}")" 'BEGIN {
		ratio = u == "us" ? r / s : s / r
		printf "%-32s %7s %-4s %7s %-4s  %.2f times as fast\n", t, r, u, s, u, ratio }'
done
