#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Addresses that are taken away under a connection: nothing more is sent from them.
# vm: --timeout 300
# kernels: stock
. "$(dirname "$0")/../lib.sh"

load_srnic && two_netns 4200 || { not_ok "srnic and two namespaces"; tap_end; }
ip -n left addr add 10.78.1.11/24 dev left
ip -n left addr add fd78:1::11/64 dev left nodad
left rdma link add srnicl type srnic netdev left
right rdma link add srnicr type srnic netdev right

gid_in() {
	# shellcheck disable=SC2016 # that shell expands them
	ip netns exec "$1" bash -c '. "$0"; wait_for 10 gid_index "$@" && gid_index "$@"' \
		"$GUEST_DIR/lib.sh" "$2" "$3"
}

# Bytes of packets from an address within some seconds.
sent_from() { right timeout 4 tcpdump -i right -c 100 -w - "src host $1" 2> /dev/null | wc -c; }
# The server of ibv_rc_pingpong, on its usual TCP port.
listening() { right grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6; }
sends() { [ "$(sent_from "$1")" -gt 1000 ]; }

# taken_away ADDRESS/PREFIX PEER-ADDRESS
taken_away() {
	local address=${1%/*} server client
	right ibv_rc_pingpong -d srnicr -g "$(gid_in right srnicr "$2")" -n 10000000 > /dev/null 2>&1 &
	server=$!
	wait_for 60 listening
	left ibv_rc_pingpong -d srnicl -g "$(gid_in left srnicl "$address")" -n 10000000 10.78.1.2 > /run/client 2>&1 &
	client=$!
	run_ok "traffic from $address" wait_for 60 sends "$address"
	ip -n left addr del "$1" dev left
	is "$(sent_from "$address")" "24" "no packet from $address after it was taken away"
	kill $server $client 2> /dev/null
	wait $server $client 2> /dev/null
	note < /run/client
}

taken_away 10.78.1.11/24 10.78.1.2
taken_away fd78:1::11/64 fd78:1::2
no_netns
tap_end
