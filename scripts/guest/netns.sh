# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Network namespaces of one guest, and what goes over a wire. Sourced.

# two_netns [MTU]: namespaces left and right, joined by veth interfaces of the
# same names with 10.78.1.1/.2 and fd78:1::1/::2. RDMA devices follow their
# netdev (RDMA's exclusive mode).
two_netns() {
	local mtu=${1:-9000} n=0 ns
	# Possible only while there are no namespaces.
	rdma system set netns exclusive && ip netns add left && ip netns add right || return
	ip link add left netns left mtu "$mtu" type veth peer name right netns right mtu "$mtu" || return
	for ns in left right; do
		n=$((n + 1))
		ip netns exec $ns sysctl -qw "net.ipv6.conf.$ns.accept_dad=0"
		ip -n $ns link set lo up
		ip -n $ns addr add "10.78.1.$n/24" dev $ns
		ip -n $ns addr add "fd78:1::$n/64" dev $ns nodad
		ip -n $ns link set $ns up
	done
}

left() { ip netns exec left "$@"; }
right() { ip netns exec right "$@"; }
no_netns() { ip netns del left; ip netns del right; }

# capture INTERFACE FILE [FILTER...]: records packets until capture_end.
capture() {
	local interface=$1 file=$2
	shift 2
	tcpdump -i "$interface" --immediate-mode -s 0 -B 65536 -U -w "$file" "$@" 2> /run/capture &
	capture_pid=$!
	wait_for 10 grep -q 'listening on' /run/capture
}
capture_end() {
	sleep 0.3
	kill -INT "$capture_pid"
	wait "$capture_pid"
	sed -n 's/^/# capture: /; /packets/p' /run/capture
}
