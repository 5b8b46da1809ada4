#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Addresses below connections of rdma_cm: others come and go, and their own goes and
# comes back.
# left has 10.78.1.1, right 10.78.1.2; both are joined by veth.
# kernels: stock
# vm: --timeout 600
. "$(dirname "$0")/../lib.sh"
log=/run/interfaces

# sysfs of the namespaces: mounted once, since `ip netns exec` takes its time.
sys=/run/sys
see() { mkdir -p $sys/"$1" && nsenter --net=/run/netns/"$1" mount -t sysfs "$1" $sys/"$1"; }
at() { nsenter --net=/run/netns/"$1" "${@:2}"; }
port_dir() { echo "$sys/$1/class/infiniband/$2/ports/1"; }

# has_gid NAMESPACE DEVICE ADDRESS: prints its index.
has_gid() {
	local dir f
	dir=$(port_dir "$1" "$2")
	while read -r f; do
		if grep -qx 'RoCE v2' "$dir/gid_attrs/types/${f##*/}" 2> /dev/null; then
			echo "${f##*/}"
			return
		fi
	done < <(grep -lx "$(gid_of "$3")" "$dir"/gids/* 2> /dev/null)
	return 1
}
no_gid() { ! has_gid "$@"; }
port() { at "$1" rdma link show "$2/1"; }
port_is() { [[ $(port "$1" "$2") == *"$3"* ]]; }
counter() { cat "$(port_dir "$1" "$2")/counters/$3"; }

server=right client=left
listens() { at "$server" rdma resource show cm_id | grep -q LISTEN; }

# connect NAME ADDRESS [ARGUMENT...]: rping; rdma_cm picks device and GID.
connect() {
	local name=$1 address=$2 pid status=0 server_status=0
	ip netns exec "$server" timeout 120 rping -s -v -C 5 -a "$address" > $log.server 2>&1 &
	pid=$!
	wait_for 20 listens
	ip netns exec "$client" timeout 120 rping -c -v -C 5 -a "$address" "${@:3}" > $log.client 2>&1 || status=$?
	[ $status = 0 ] || kill $pid 2> /dev/null
	wait $pid || server_status=$?
	if [ $status$server_status = 00 ] && grep -q 'rdma-ping-4:' $log.client; then
		ok "$name"
	else
		not_ok "$name" "client $status, server $server_status" "$(tail -n 5 $log.client $log.server)"
	fi
}

# A connection that stands until stand_end, and sends all the time.
stand() {
	ip netns exec "$server" rping -s -P -a "$1" > $log.standing.server 2>&1 &
	standing_server=$!
	wait_for 20 listens
	ip netns exec "$client" rping -c -a "$1" > $log.standing 2>&1 &
	standing=$!
	wait_for 20 rts
}
rts() { at "$client" rdma resource show qp | grep -q "state RTS .*comm rping"; }
stand_end() {
	kill "$standing" "$standing_server" 2> /dev/null
	wait "$standing" "$standing_server" 2> /dev/null
	wait_for 20 nothing_of_rping
}
nothing_of_rping() { ! at "$client" rdma resource show qp | grep -q 'comm rping'; }
standing() { kill -0 "$standing" 2> /dev/null && rts; }
# flows DEVICE [COUNTER]: the counter of the client's device grows, and not by what
# is sent again and again.
flows() {
	local before
	before=$(counter "$client" "$1" "${2:-port_xmit_packets}")
	wait_for 20 grown "$client" "$1" "${2:-port_xmit_packets}" $((before + 50))
}
grown() { [ "$(counter "$1" "$2" "$3")" -ge "$4" ]; }
# still DEVICE: nothing is sent.
still() {
	local before
	sleep 0.5
	before=$(counter "$client" "$1" port_xmit_packets)
	sleep 1.5
	[ "$(counter "$client" "$1" port_xmit_packets)" = "$before" ]
}

# Addresses come and go under a connection, others and its own.
addresses() {
	ip -n left addr add 10.78.1.11/24 dev left
	ip -n left addr add 10.99.0.1/32 dev left
	ip -n left addr add fd78:1::11/64 dev left nodad
	for address in 10.78.1.11 10.99.0.1 fd78:1::11; do
		run_ok "a GID for $address" wait_for 10 has_gid left srnicl $address
	done
	connect "rdma_cm from a second address" 10.78.1.2 -I 10.78.1.11
	stand 10.78.1.2
	ip -n left addr del 10.78.1.11/24 dev left
	ip -n left addr del fd78:1::11/64 dev left
	run_ok "the GID goes with its address" wait_for 10 no_gid left srnicl 10.78.1.11
	run_ok "the connection from the other address stands" flows srnicl
	ip -n left addr del 10.78.1.1/24 dev left
	run_ok "without its address nothing is sent" still srnicl
	ip -n left addr add 10.78.1.1/24 dev left
	run_ok "the address comes back, and the connection goes on" wait_for 5 flows srnicl
	run_ok "it stands" standing
	stand_end
	ip -n left addr del 10.99.0.1/32 dev left
}

# The two namespaces.
wired() {
	local n=0 ns
	ip netns add left && ip netns add right && see left && see right || return
	ip link add left netns left mtu 4200 type veth peer name right netns right mtu 4200 || return
	for ns in left right; do
		n=$((n + 1))
		ip -n $ns link set lo up
		ip -n $ns addr add "10.78.1.$n/24" dev $ns
		ip -n $ns addr add "fd78:1::$n/64" dev $ns nodad
		ip netns exec $ns sysctl -qw net.ipv6.conf.$ns.keep_addr_on_down=1
		ip -n $ns link set $ns up
	done
}

run_ok "srnic loads" load_srnic || tap_end
run_ok "rdma system netns exclusive" wait_for 20 rdma system set netns exclusive
wired || not_ok "namespaces"
at left rdma link add srnicl type srnic netdev left
at right rdma link add srnicr type srnic netdev right
run_ok "the port is active" wait_for 20 port_is left srnicl ACTIVE
addresses
tap_end
