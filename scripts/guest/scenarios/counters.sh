#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Counters against known traffic, between two network namespaces: by the formula of
# Documentation/counters.rst, and by what a capture of the wire has seen.
# kernels: stock
# vm: --timeout 600
. "$(dirname "$0")/../lib.sh"

load_srnic && two_netns || { not_ok "srnic and two namespaces"; tap_end; }
for side in left right; do
	# A capture is to see packets as they are on the wire.
	$side ethtool -K $side tx-udp-segmentation off 2> /dev/null
	$side rdma link add "srnic${side:0:1}" type srnic netdev $side &&
		$side bash -c ". $GUEST_DIR/lib.sh; wait_for 10 rdma_active srnic${side:0:1}" ||
		{ not_ok "srnic in $side"; tap_end; }
done

# sysfs of a device is seen in its namespace.
port() { ip netns exec "$1" cat "/sys/class/infiniband/srnic${1:0:1}/ports/1/$2"; }

# snap SIDE: takes all counters of a side.
declare -A before after
snap() {
	local side=$1 into=$2 line
	# Older than what the core keeps for others who ask.
	sleep 0.05
	local -n to=$into
	while read -r line; do
		to[$side:${line%% *}]=${line#* }
	done < <(ip netns exec "$side" bash -c "
		cd /sys/class/infiniband/srnic${side:0:1}/ports/1
		for f in counters/* hw_counters/*; do
			[ \${f##*/} = lifespan ] || echo \$f \$(< \$f)
		done")
}
start() { snap left before; snap right before; }
stop() { snap left after; snap right after; }
# grown SIDE NAME: of counters, or of hw_counters with hw: before it.
grown() {
	local name=counters/$2
	[[ $2 != hw:* ]] || name=hw_counters/${2#hw:}
	echo $((${after[$1:$name]} - ${before[$1:$name]}))
}

# Data of counters is in words of bytes that are summed up first: off by one.
about() {
	local off=$(($1 - $2))
	if [ ${off#-} -le 1 ]; then ok "$3"; else not_ok "$3" "got: $1" "wanted: $2"; fi
}

# message_bytes BYTES MTU IP-BYTES: frames of one RDMA WRITE; a SEND has 16 less.
message_bytes() {
	local bytes=$1 mtu=$2 ip=$3 packets
	packets=$(((bytes + mtu - 1) / mtu))
	echo $((packets * (14 + ip + 8 + 12 + 4) + 16 + (bytes + 3) / 4 * 4))
}

# capture_sum FILE [FILTER...]: packets and bytes of frames.
capture_sum() {
	local file=$1
	shift
	tcpdump -e -nn -r "$file" "$@" 2> /dev/null |
		awk 'match($0, /length [0-9]+:/) { n++; b += substr($0, RSTART + 7) } END { print n + 0, b + 0 }'
}

# between NAME COMMAND...: COMMAND in both namespaces, from left to right.
between() {
	local name=$1 pid status=0
	shift
	right "$@" -d srnicr > /run/right 2>&1 &
	pid=$!
	wait_for 20 bash -c "ip netns exec right ss -ltn | grep -q :18515"
	left "$@" -d srnicl "$peer" > /run/left 2>&1 || status=$?
	wait $pid || status=$?
	if [ $status = 0 ]; then ok "$name"; else not_ok "$name" "$(tail -n 12 /run/left /run/right)"; fi
}

# same_as_captured SIDE INTERFACE-ADDRESS
same_as_captured() {
	local side=$1 sum
	read -ra sum <<< "$(capture_sum /run/$side.pcap src host "$2")"
	is "$(grown $side port_xmit_packets)" "${sum[0]}" "$side: packets out are those on the wire"
	about "$(grown $side port_xmit_data)" $((sum[1] / 4)) "$side: and bytes"
	read -ra sum <<< "$(capture_sum /run/$side.pcap dst host "$2")"
	is "$(grown $side port_rcv_packets)" "${sum[0]}" "$side: packets in, too"
	about "$(grown $side port_rcv_data)" $((sum[1] / 4)) "$side: and bytes"
}

clean() {
	local c
	for c in port_rcv_errors port_xmit_discards link_downed hw:retry_timeout hw:rx_out_of_sequence; do
		is "$(grown left $c)/$(grown right $c)" 0/0 "no $c"
	done
}

# writes IP-VERSION COUNT BYTES MTU
writes() {
	local version=$1 n=$2 bytes=$3 mtu=$4 gid header address peers
	if [ "$version" = 4 ]; then header=20 peers=(10.78.1.1 10.78.1.2); else header=40 peers=(fd78:1::1 fd78:1::2); fi
	# perftest's own connection is IPv4.
	peer=10.78.1.2
	gid=$(left bash -c ". $GUEST_DIR/lib.sh; gid_index srnicl ${peers[0]}")
	address=$(right bash -c ". $GUEST_DIR/lib.sh; gid_index srnicr ${peers[1]}")
	is "$address" "$gid" "both ends have their IPv$version GID at the same index"
	left bash -c ". $GUEST_DIR/lib.sh; capture left /run/left.pcap udp port 4791; echo \$capture_pid > /run/capture.pid; exec sleep infinity" &
	wait_for 10 grep -qs . /run/capture.pid
	start
	between "$n writes of $bytes bytes, IPv$version, MTU $mtu" \
		ib_write_bw -F -x "$gid" -p 18515 -n "$n" -s "$bytes" -m "$mtu"
	stop
	sleep 0.5
	kill -INT "$(< /run/capture.pid)" && rm /run/capture.pid
	kill %?infinity
	is "$(grown left port_xmit_packets)" $((n * ((bytes + mtu - 1) / mtu))) "packets out are N * ceil(M / MTU)"
	is "$(grown left unicast_xmit_packets)" "$(grown left port_xmit_packets)" "all of them unicast"
	about "$(grown left port_xmit_data)" $((n * $(message_bytes "$bytes" "$mtu" $header) / 4)) "bytes are as the formula says"
	is "$(grown right port_rcv_packets)" "$(grown left port_xmit_packets)" "all come in"
	is "$(grown right port_rcv_data)" "$(grown left port_xmit_data)" "whole"
	is "$(grown right port_xmit_packets)" "$(grown right hw:tx_ack)" "back come acknowledgements"
	about "$(grown right port_xmit_data)" $(($(grown right hw:tx_ack) * (14 + header + 8 + 12 + 4 + 4) / 4)) "of their size"
	is "$(grown right hw:rx_bytes)" $((n * bytes)) "the payload is what was written"
	is "$(grown left hw:send_wqes)" "$n" "work requests"
	same_as_captured left "${peers[0]}"
	clean
}

writes 4 100 10000 4096
writes 4 64 1 1024
writes 6 50 4097 2048

tap_end
