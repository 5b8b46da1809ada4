#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Processes that use everything at once and are killed, while the administrator changes
# everything below them. The kernel must not complain.
#
# churn.sh [SECONDS [PROCESSES [SEED]]]
# kernels: stock
# vm: --timeout 600
. "$(dirname "$0")/../lib.sh"
seconds=${1:-60}
processes=${2:-3}
RANDOM=${3:-1}
program=$SRNIC_BUILD/tests/srnic_churn

new_dummy() {
	ip link add d0 type dummy 2> /dev/null
	ip link set d0 mtu 9000 up
	ip addr add 10.79.0.1/24 dev d0
	ip addr add fd79::1/64 dev d0 nodad
	rdma link add srnicd type srnic netdev d0
}

# What an administrator may do to a netdev and its device at any time.
disturb() {
	case $((RANDOM % 13)) in
	0) ip link set eth0 down; sleep 0.1; ip link set eth0 up ;;
	1) ip addr del 10.77.0.1/24 dev eth0; sleep 0.1; ip addr add 10.77.0.1/24 dev eth0 ;;
	2) ip addr add fd77::99/64 dev eth0 nodad; sleep 0.2; ip addr del fd77::99/64 dev eth0 ;;
	3) ip link set eth0 mtu 1000; sleep 0.1; ip link set eth0 mtu 9000 ;;
	4) rdma link delete srnicd; rdma link add srnicd type srnic netdev d0 ;;
	5) ip link del d0; new_dummy ;;
	6) ip link set d0 netns elsewhere && ip -n elsewhere link del d0; new_dummy ;;
	7) rdma link delete srnic0 & rdma link delete srnic0; wait $!; rdma link add srnic0 type srnic netdev eth0 ;;
	8) rdma link add a type srnic netdev d0 & ip link del d0; wait $!; new_dummy ;;
	9) echo $((RANDOM % 2)) > /sys/module/srnic/parameters/local_delivery ;;
	10) ip link add link eth0 name eth0.5 type vlan id 5; ip addr add 10.75.0.1/24 dev eth0.5
	   ip link set eth0.5 up; sleep 0.2; ip link del eth0.5 ;;
	11) ip link set d0 down; ip link set d0 name d1; ip link set d1 name d0; ip link set d0 up ;;
	12) cat /sys/class/infiniband/*/ports/1/hw_counters/* ;;
	esac
}

# Who looks at objects while they come and go.
look() {
	local what
	while :; do
		for what in qp cq mr pd srq ctx; do
			rdma resource show $what
		done
		rdma statistic show
	done
}

rdma_up srnic eth0 || { not_ok "srnic on eth0"; tap_end; }
ip netns add elsewhere
new_dummy > /dev/null 2>&1
"$program" "$seconds" "$processes" "${3:-1}" > /run/churn &
churn=$!
look > /dev/null 2>&1 &
look=$!
disturbed=0
while kill -0 $churn 2> /dev/null; do
	disturb > /dev/null 2>&1
	disturbed=$((disturbed + 1))
	sleep 0.$((RANDOM % 5))
done
wait $churn
is $? 0 "processes did something"
kill $look
wait $look 2> /dev/null
cat /run/churn
note "$disturbed disturbances"
echo 1 > /sys/module/srnic/parameters/local_delivery
new_dummy > /dev/null 2>&1
rdma link add srnic0 type srnic netdev eth0 2> /dev/null
wait_for 10 rdma_active srnic0
run_ok "a device still works" "$SRNIC_BUILD/tests/srnic_conformance" --device srnic0 \
	--gtest_filter='ParallelTest.ThreadsPostOnOneQp'
ip link del d0
ip netns del elsewhere
run_ok "the module goes" wait_for 30 rmmod srnic
tap_end
