#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Bad networks between two namespaces, each kind alone and all together: every
# request is executed exactly once.
# kernels: stock
# vm: --timeout 900
. "$(dirname "$0")/../lib.sh"
program=$SRNIC_BUILD/tests/srnic_conformance
rounds=${1:-2}
export SRNIC_TEST_ROUNDS=$rounds

# What happens to RoCE packets that leave either namespace; the test program's
# own connection is spared.
bad_wire() {
	local side
	for side in left right; do
		tc -n $side qdisc replace dev $side root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 &&
			tc -n $side qdisc replace dev $side parent 1:2 netem limit 10000 "$@" &&
			tc -n $side filter replace dev $side parent 1: protocol ip prio 1 handle 1 flower \
				ip_proto udp dst_port 4791 classid 1:2 &&
			tc -n $side filter replace dev $side parent 1: protocol ipv6 prio 2 handle 1 flower \
				ip_proto udp dst_port 4791 classid 1:2 || return
	done
}

# run_on NAME NETEM...: the test, on a wire like that.
run_on() {
	local name=$1 server text
	shift
	if ! text=$(bad_wire "$@" 2>&1); then
		not_ok "$name: the wire" "$text"
		return
	fi
	right "$program" --device srnicr --server > /run/server 2>&1 &
	server=$!
	if text=$(left "$program" --device srnicl --connect 10.78.1.2 --tap --gtest_filter='*AdverseTest.*' 2>&1); then
		ok "$name: $*"
	else
		not_ok "$name: $*" "$(tail -n 40 <<< "$text")"
	fi
	wait $server || not_ok "$name: the server's exit status" "$(tail -n 20 /run/server)"
}

modprobe -a sch_netem sch_prio cls_flower 2>/dev/null
load_srnic && two_netns &&
	left rdma link add srnicl type srnic netdev left &&
	right rdma link add srnicr type srnic netdev right ||
	{ not_ok "srnic in two namespaces"; tap_end; }

run_on "as good as it gets" delay 0ms
run_on "loss" loss 0.1%
run_on "more loss" loss 1%
run_on "much loss" loss 5%
# Of these packets, one in some thousands is lost eight times, itself or its answer.
SRNIC_TEST_BREAKS=3 run_on "a fifth lost" loss 20%
run_on "reordering" delay 2ms reorder 75% 50%
run_on "duplication" duplicate 10%
run_on "corruption" corrupt 3%
run_on "jitter" delay 2ms 1500us
run_on "all of it" delay 1ms 1ms reorder 90% 50% loss 2% duplicate 2% corrupt 1%
for side in left right; do
	left=$(tc -n $side -s qdisc show dev $side | grep -A1 netem | sed -nE 's/.*dropped ([0-9]+),.*/\1/p')
	is "$((left > 0))" 1 "the wire of $side did lose packets"
done
run_ok "namespaces with devices go away" no_netns
tap_end
