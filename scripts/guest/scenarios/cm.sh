#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Connection management: rdma_cm's programs between two guests and in one, over
# IPv4 and IPv6, and what is built on it.
#
#   cm.sh [TYPE [few]]
#
# TYPE is that of the devices, srnic or rxe; few: not all programs.
#
# guests: 2
# kernels: stock
# vm: --cpus 1 --timeout 1200
# To follow what is sourced takes shellcheck minutes here.
# shellcheck disable=SC2154 source=/dev/null
. "$(dirname "$0")/../lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/cm.sh"

type=${1:-srnic} few=${2:-}
rs=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so

# Programs of librdmacm's utilities.
utilities() {
	local s=$1 c=$2 where="$1 serves $2"

	client_says='rdma-ping-19:' server_says='rdma-ping-19:' \
		cm_test "rping, $where" "$s" - rping -s -v -V -C 20 -a SERVER -- \
		"$c" rping -c -v -V -C 20 -a SERVER
	client_says='return status 0' server_says='return status 0' \
		cm_test "ucmatose, $where" "$s" - ucmatose -b SERVER -c 4 -C 10 -- \
		"$c" ucmatose -s SERVER -b CLIENT -c 4 -C 10
	client_says='return status 0' server_says='return status 0' \
		cm_test "udaddy, $where" "$s" - udaddy -b SERVER -c 2 -C 10 -- \
		"$c" udaddy -s SERVER -b CLIENT -c 2 -C 10
}

multicast() {
	local group=$1

	client_says='return status 0' server_says='return status 0' \
		cm_test "mckey to $group" b 'joined dgid' \
		mckey -m "$group" -b SERVER -C 10 -- a mckey -m "$group" -b CLIENT -s -C 10
}

sockets() {
	cm_test "rstream" b - rstream -b SERVER -S 65536 -C 20 -T v -- \
		a rstream -s SERVER -S 65536 -C 20 -T v
	cm_test "rstream without blocking" b - rstream -b SERVER -S 4096 -C 50 -T n -T v -- \
		a rstream -s SERVER -S 4096 -C 50 -T n -T v
	cm_test "riostream" b - riostream -b SERVER -S 65536 -C 20 -T v -- \
		a riostream -s SERVER -S 65536 -C 20 -T v
}

copy() {
	head -c 3000000 /dev/urandom > /run/sent
	endless=1 cm_test "rcopy" b - rcopy -- a rcopy /run/sent SERVER:/run/received
	is "$(on_b sha256sum < /dev/null /run/received | cut -d ' ' -f 1)" \
		"$(sha256sum /run/sent | cut -d ' ' -f 1)" "rcopy brought the file, IPv$ip"
	on_b rm -f /run/received
}

# Its server never ends.
times() {
	endless=1 client_says='^connect *:' cm_test "cmtime" b - cmtime -b SERVER -c 20 -- \
		a cmtime -s SERVER -b CLIENT -c 20
}

# Its two ends shake hands on one connection; then the client connects again while
# the server is about to listen again. If the client comes first it is rejected, and
# its way of trying once more uses what it has freed: it dies, which is not the
# kernel's complaint.
perftest() {
	local program arguments
	sysctl -qw debug.exception-trace=0
	while read -r program arguments; do
		# shellcheck disable=SC2086
		retries=2 client_says='bytes' cm_test "$program -R $arguments" b - \
			"$program" -R -F $arguments -- a "$program" -R -F $arguments SERVER
	done <<- E
	ib_write_bw -s 65536 -n 50
	ib_read_lat -s 2 -n 50
	ib_send_bw -s 4096 -n 50 -q 2
	ib_send_bw -c UD -s 1000 -n 50
	ib_atomic_bw -n 50
	E
	sysctl -qw debug.exception-trace=1
}

# An unmodified TCP program, which does not know that its sockets are RDMA's: the
# server is waited for by rdma_cm's port. (socat, iperf3 and Python do not work with librspreload,
# on rdma_rxe neither.)
preload() {
	local six=()
	[ $ip = 4 ] || six=(-V)
	endless=1 client_says='0\.0000-.* MBytes .*bits/sec' cm_test "iperf over rsockets" b - \
		env LD_PRELOAD=$rs iperf -s "${six[@]}" -B SERVER -- \
		a env LD_PRELOAD=$rs iperf -c SERVER "${six[@]}" -n 4M
}

# Requests name an address of a VLAN, and are answered only if that is told apart.
vlan() {
	local n=0 side
	for side in a b; do
		n=$((n + 1))
		on $side ip link add link eth0 name eth0.5 type vlan id 5
		on $side ip addr add "10.77.5.$n/24" dev eth0.5
		on $side ip link set eth0.5 up
	done
	wait_for 10 gid_index "${side_dev[a]}" 10.77.5.1
	wait_for 10 on_b_fn gid_index "${side_dev[b]}" 10.77.5.2
	side_ip=([a]=10.77.5.1 [b]=10.77.5.2)
	for side in a b; do
		client_says='rdma-ping-9:' server_says='rdma-ping-9:' \
			cm_test "rping on a VLAN, b serves $side" b - rping -s -v -V -C 10 -a SERVER -- \
			$side rping -c -v -V -C 10 -a SERVER
	done
}

if ! pair_up "$type" "$type"; then
	not_ok "devices in both guests"
	tap_end
fi
ok "devices in both guests"
# rdma_cm joins no IPv6 group on Ethernet; rcopy and this perftest take no IPv6 address.
for ip in 4 6; do
	utilities b a
	[ $ip = 6 ] || multicast 239.1.2.3
	[ -z "$few" ] || continue
	utilities a b
	utilities a a
	sockets
	times
	preload
	[ $ip = 6 ] || { copy; perftest; }
done

# Nothing is left, and the GSI comes back with its device.
for side in a b; do
	is "$(on $side rdma resource show qp | grep -vc 'type GSI')" 0 "no QP is left in $side"
	run_ok "the device goes in $side" on $side rdma link delete "${side_dev[$side]}"
done
run_ok "devices again" pair_up "$type" "$type"
ip=4
[ -n "$few" ] || utilities b a
vlan
tap_end
