#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What scripts/run shows, in guest a: srnic in two machines.
. "$(dirname "$0")/lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/perftest.sh"

title() { printf '\n== %s\n' "$*"; }
failures=0 rows=()

title "insmod srnic.ko netdev=eth0 in guest a (10.77.0.1) and guest b (10.77.0.2)"
load_srnic netdev=eth0 && on_b_fn load_srnic netdev=eth0 || { echo "srnic does not load"; dmesg | tail -n 5; exit 1; }
wait_for 10 rdma_active srnic0 && on_b_fn wait_for 10 rdma_active srnic0 || { echo "no active port"; exit 1; }
side_type=([a]=srnic [b]=srnic) side_dev=([a]=srnic0 [b]=srnic0)
modinfo -F description "${SRNIC_KO:-$SRNIC_BUILD/$(uname -r)/srnic.ko}"
dmesg | grep -E '\] srnic' | tail -n 3

title "ibv_devices, ibv_devinfo in guest a"
ibv_devices || failures=$((failures + 1))
ibv_devinfo -d srnic0 || failures=$((failures + 1))

# demo PROGRAM ARGUMENTS... [-- FIGURE-COMMAND]: one row of the table.
demo() {
	local program=$1 what
	shift
	title "$program $* (guest b serves guest a)"
	if [ "$program" = ibv_rc_pingpong ]; then
		what=$(client_server "$program" a "$program" -d DEV -g GID -p 18515 "$@")
		figure=$(sed -nE 's/.* = ([0-9.]+) usec\/iter.*/\1 us per round trip/p' "$pair_log.client")
	else
		what=$(perftest_pair a "$program" "$@"; echo "$figure" > /run/figure)
		figure="$(< /run/figure) $(perftest_unit "$program")"
	fi
	if [ -n "$SRNIC_VERBOSE" ]; then
		cat "$pair_log.client"
	else
		grep -E '^ *#?[0-9]+ |#bytes|bytes in|usec/iter|local address|remote address' "$pair_log.client"
	fi
	case $what in
	ok*) rows+=("$program $*|$figure|ok") ;;
	*) echo "$what"; rows+=("$program $*|-|FAILED"); failures=$((failures + 1)) ;;
	esac
}

demo ibv_rc_pingpong -n 500 -c
demo ib_write_bw -s 65536 -n 300
demo ib_read_bw -s 65536 -n 300
demo ib_send_bw -s 65536 -n 300
demo ib_write_lat -s 2 -n 500

title "srnic counters in guest a"
rdma statistic show link srnic0/1 2>/dev/null | xargs -n 2 | grep -v ' 0$' | head -n 24

title "summary: srnic between two guests, kernel $(uname -r)"
printf '%-34s %-24s %s\n' program result ''
for row in "${rows[@]}"; do
	IFS='|' read -r name result verdict <<< "$row"
	printf '%-34s %-24s %s\n' "$name" "$result" "$verdict"
done
exit $((failures > 0))
