# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Two network namespaces of one guest, left and right, with RDMA devices in them, and
# programs that connect: what the scenario of interfaces is made of. Sourced.

log=/run/interfaces

# A process in each namespace, whose view of sysfs others share: `ip netns exec` takes
# its time.
declare -A inside
enter() {
	ip netns exec "$1" sleep infinity &
	inside[$1]=$!
	wait_for 10 is_inside "$1"
}
is_inside() { [ "$(< "/proc/${inside[$1]}/comm")" = sleep ]; }
at() { nsenter -t "${inside[$1]}" -n -m -- "${@:2}"; }
# The same to be started with &: the process is that of the command itself.
run_at() { exec nsenter -t "${inside[$1]}" -n -m -- "${@:2}"; }
in_sys() { echo "/proc/${inside[$1]}/root/sys/$2"; }
port_dir() { in_sys "$1" "class/infiniband/$2/ports/1"; }
devices_of() { ls "$(in_sys "$1" class/infiniband)"; }

# wired [MTU]: left has 10.78.1.1 and fd78:1::1, right 10.78.1.2 and fd78:1::2. The wire
# is long, so that a connection that sends all the time leaves some CPU to others.
wired() {
	local ns n=0 mtu=${1:-4200}
	ip netns add left && ip netns add right && enter left && enter right || return
	ip link add left netns left mtu "$mtu" type veth peer name right netns right mtu "$mtu" || return
	for ns in left right; do
		n=$((n + 1))
		at $ns sysctl -qw net.ipv6.conf.default.keep_addr_on_down=1 \
			net.ipv6.conf.$ns.keep_addr_on_down=1 net.ipv6.conf.$ns.accept_dad=0 \
			net.ipv6.conf.default.accept_dad=0
		ip -n $ns link set lo up
		addresses_on $ns $ns 78:1 $n
		ip -n $ns link set $ns up
	done
	tc -n right qdisc add dev right root netem delay 4ms
}
unwired() {
	kill "${inside[@]}"
	wait "${inside[@]}" 2> /dev/null
	ip netns del left && ip netns del right
}

# link_local NAMESPACE INTERFACE: its address, which the default GID is made like.
link_local() { ip -n "$1" -6 -o addr show dev "$2" scope link | sed -E 's/.*inet6 ([^/]*).*/\1/'; }

# addresses_on NAMESPACE INTERFACE A:B N: 10.A.B.N and fdA:B::N.
addresses_on() {
	ip -n "$1" addr add "10.${3/:/.}.$4/24" dev "$2" &&
		ip -n "$1" addr add "fd$3::$4/64" dev "$2" nodad
}

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
gid_in() { wait_for 10 has_gid "$@" && has_gid "$@"; }
# gid_is_of NAMESPACE DEVICE ADDRESS INTERFACE
gid_is_of() {
	local index
	index=$(has_gid "$1" "$2" "$3") &&
		[ "$(< "$(port_dir "$1" "$2")/gid_attrs/ndevs/$index")" = "$4" ]
}

port() { at "$1" rdma link show "$2/1"; }
port_is() { [[ $(port "$1" "$2") == *"$3"* ]]; }
counter() { cat "$(port_dir "$1" "$2")/counters/$3"; }
grown() { [ "$(counter "$1" "$2" "$3")" -ge "$4" ]; }

# Servers are in the namespace $server, clients in $client.
server=right client=left
listens() { at $server rdma resource show cm_id | grep -q "LISTEN.*comm ${1:-rping}"; }
on_port() { at $server ss -Hltn "sport = :$1" | grep -q .; }

# both_end NAME REGEX CLIENT...: what the server $pid and the client say.
both_end() {
	local name=$1 says=$2 status=0 server_status=0
	shift 2
	at $client timeout 60 "$@" > $log.client 2>&1 || status=$?
	[ $status = 0 ] || kill "$pid" 2> /dev/null
	wait "$pid" || server_status=$?
	if [ $status$server_status = 00 ] && grep -q "$says" $log.client && grep -q "$says" $log.server; then
		ok "$name"
	else
		not_ok "$name" "client $status, server $server_status" \
			"client: $(tail -n 5 $log.client)" "server: $(tail -n 5 $log.server)"
	fi
}

# connect NAME ADDRESS [ARGUMENT...]: rping; rdma_cm picks device and GID. The server
# listens everywhere if $everywhere says so: the address of that.
connect() {
	local pid
	run_at $server timeout 60 rping -s -v -V -C 5 -a "${everywhere:-${2/%\%left/%right}}" > $log.server 2>&1 &
	pid=$!
	wait_for 20 listens rping
	both_end "$1" 'rdma-ping-4:' rping -c -v -V -C 5 -a "$2" "${@:3}"
}

# pingpong NAME SERVER-DEVICE SERVER-ADDRESS CLIENT-DEVICE CLIENT-ADDRESS: the GIDs are
# those of the addresses; the programs meet at $meet.
meet=10.78.1.2
pingpong() {
	local name=$1 sg cg pid
	sg=$(gid_in $server "$2" "$3") && cg=$(gid_in $client "$4" "$5") ||
		{ not_ok "$name" "no GID of $3 or $5"; return 1; }
	run_at $server timeout 60 ibv_rc_pingpong -d "$2" -g "$sg" -p 18515 -e -n 20 -c > $log.server 2>&1 &
	pid=$!
	wait_for 20 on_port 18515
	both_end "$name" '^20 iters' \
		ibv_rc_pingpong -d "$4" -g "$cg" -p 18515 -e -n 20 -c $meet
}

# group NAME GROUP SERVER-ADDRESS CLIENT-ADDRESS: mckey.
group() {
	local pid
	run_at $server timeout 60 stdbuf -oL mckey -m "$2" -b "$3" -C 5 > $log.server 2>&1 &
	pid=$!
	wait_for 20 grep -q 'joined dgid' $log.server
	both_end "$1" 'return status 0' mckey -m "$2" -b "$4" -s -C 5
}

# stand ADDRESS [ARGUMENT...]: a connection that stands until stand_end, and sends all
# the time. One result.
stand() {
	run_at $server rping -s -P -a "$1" > $log.standing.server 2>&1 &
	standing_server=$!
	wait_for 20 listens rping
	run_at $client rping -c -a "$@" > $log.standing 2>&1 &
	standing=$!
	run_ok "a connection to $1" wait_for 20 rts
}
# It does nothing between the two.
stand_still() { kill -STOP "$standing"; }
stand_on() { kill -CONT "$standing"; }
stand_end() {
	kill "$standing" "$standing_server" 2> /dev/null
	wait "$standing" "$standing_server" 2> /dev/null
	wait_for 20 nothing_of_rping
}
resources_in() { at "$1" rdma resource show "${@:2}"; }
rts() { resources_in $client qp | grep -q 'state RTS .*comm rping'; }
nothing_of_rping() {
	! { resources_in left qp; resources_in right qp; } | grep -q 'comm rping'
}
standing() { kill -0 "$standing" 2> /dev/null && rts; }
ended() { ! kill -0 "$standing" 2> /dev/null; }
# flows DEVICE [COUNTER]: the counter of the client's device grows, and not by what
# is sent again and again.
flows() {
	local before
	before=$(counter $client "$1" "${2:-port_xmit_packets}")
	wait_for 10 grown $client "$1" "${2:-port_xmit_packets}" $((before + 30))
}
# goes_on DEVICE: it does, and the connection is the same.
goes_on() { flows "$1" && standing; }
# still DEVICE: nothing is sent. Either that was tried, or the time has passed after
# which it would have been: that depends on whose turn it was.
still() {
	local before tried
	sleep 0.3
	tried=$(no_route "$1")
	before=$(counter $client "$1" port_xmit_packets)
	wait_for 6 tried "$1" "$tried"
	[ "$(counter $client "$1" port_xmit_packets)" = "$before" ]
}
no_route() { cat "$(port_dir $client "$1")/hw_counters/tx_no_route"; }
tried() { [ "$(no_route "$1")" -gt "$2" ]; }
