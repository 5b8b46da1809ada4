#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Counters against known traffic, between two network namespaces: by the formula of
# Documentation/counters.rst, and by what a capture of the wire has seen.
# kernels: stock
# vm: --cpus 1 --timeout 600
. "$(dirname "$0")/../lib.sh"

load_srnic && two_netns || { not_ok "srnic and two namespaces"; tap_end; }
for side in left right; do
	# A capture is to see packets as they are on the wire.
	$side ethtool -K $side tx-udp-segmentation off 2> /dev/null
	$side rdma link add "srnic${side:0:1}" type srnic netdev $side &&
		$side bash -c ". $GUEST_DIR/lib.sh; wait_for 10 rdma_active srnic${side:0:1}" ||
		{ not_ok "srnic in $side"; tap_end; }
done

# snap SIDE: takes all counters of a side.
declare -A before after
snap() {
	local side=$1 into=$2 name value
	# Older than what the core keeps for others who ask.
	sleep 0.05
	local -n to=$into
	while IFS=: read -r name value; do
		to["$side:$name"]=$value
	done < <(ip netns exec "$side" bash -c \
		"cd /sys/class/infiniband/srnic${side:0:1}/ports/1 && exec grep . counters/* hw_counters/*")
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

# capture of the helpers, in the namespace of left.
capture_left() {
	# Not through a function, whose shell would be what is ended.
	ip netns exec left tcpdump -i left --immediate-mode -s 200 -B 65536 -U -w /run/left.pcap udp port 4791 2> /run/capture &
	capture_pid=$!
	wait_for 10 grep -q 'listening on' /run/capture
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
	read -ra sum <<< "$(capture_sum "/run/$side.pcap" src host "$2")"
	is "$(grown "$side" port_xmit_packets)" "${sum[0]}" "$side: packets out are those on the wire"
	about "$(grown "$side" port_xmit_data)" $((sum[1] / 4)) "$side: and bytes"
	read -ra sum <<< "$(capture_sum "/run/$side.pcap" dst host "$2")"
	is "$(grown "$side" port_rcv_packets)" "${sum[0]}" "$side: packets in, too"
	about "$(grown "$side" port_rcv_data)" $((sum[1] / 4)) "$side: and bytes"
}

clean() {
	local c
	for c in port_rcv_errors port_xmit_discards link_downed hw:retry_timeout hw:rx_out_of_sequence; do
		is "$(grown left $c)/$(grown right $c)" 0/0 "no $c"
	done
}

# Whether something was sent twice: two CPUs of a busy machine may let packets pass
# each other, on veth, too. Then the formula does not hold.
resent() {
	[ $(($(grown left hw:rx_nak_seq) + $(grown left hw:retry_timeout) + $(grown left hw:retry_implied_nak))) -gt 0 ]
}

# writes IP-VERSION COUNT BYTES MTU
writes() {
	local version=$1 n=$2 bytes=$3 mtu=$4 gid header address peers try
	if [ "$version" = 4 ]; then header=20 peers=(10.78.1.1 10.78.1.2); else header=40 peers=(fd78:1::1 fd78:1::2); fi
	# perftest's own connection is IPv4.
	peer=10.78.1.2
	gid=$(left bash -c ". $GUEST_DIR/lib.sh; gid_index srnicl ${peers[0]}")
	address=$(right bash -c ". $GUEST_DIR/lib.sh; gid_index srnicr ${peers[1]}")
	is "$address" "$gid" "both ends have their IPv$version GID at the same index"
	for ((try = 1; try <= 5; try++)); do
		capture_left
		start
		between "$n writes of $bytes bytes, IPv$version, MTU $mtu" \
			ib_write_bw -F -u 18 -x "$gid" -p 18515 -n "$n" -s "$bytes" -m "$mtu"
		stop
		capture_end > /dev/null
		resent || break
	done
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

datagrams() {
	start
	between "50 datagrams of 1000 bytes" ib_send_bw -c UD -F -x "$gid4" -p 18515 -n 50 -s 1000
	stop
	is "$(grown left port_xmit_packets)" 50 "each is a packet"
	# DETH, no RETH.
	about "$(grown left port_xmit_data)" $((50 * (14 + 20 + 8 + 12 + 8 + 1000 + 4) / 4)) "of this size"
	is "$(grown right port_rcv_packets)" 50 "which comes in"
	is "$(grown right port_xmit_packets)" 0 "and has no answer"
	clean
}

multicast() {
	local sum
	capture_left
	start
	run_ok "datagrams to a group" left "$SRNIC_BUILD/tests/srnic_conformance" --device srnicl \
		--gtest_filter='Ip/MulticastTest.SeveralGroupsOfAQp/*'
	stop
	capture_end > /dev/null
	read -ra sum <<< "$(capture_sum /run/left.pcap 'ip multicast or ip6 multicast')"
	[ "${sum[0]}" -gt 0 ] || not_ok "packets to a group are seen on the wire"
	is "$(grown left multicast_xmit_packets)" "${sum[0]}" "multicast packets out are those on the wire"
	is "$(grown left unicast_xmit_packets)" $(($(grown left port_xmit_packets) - sum[0])) "the others are unicast"
	is "$(grown left multicast_rcv_packets)" "$(grown left hw:rx_multicast)" "multicast packets in"
}

errors() {
	start
	right bash -c 'echo garbage > /dev/udp/10.78.1.1/4791; echo rubbish and more of it > /dev/udp/10.78.1.1/4791'
	ip -n right link set right down
	ip -n right link set right up
	# IPv6 forgets its addresses with the link.
	ip -n right addr replace fd78:1::2/64 dev right nodad
	run_ok "the port is active again" left bash -c ". $GUEST_DIR/lib.sh; wait_for 10 rdma_active srnicl"
	stop
	is "$(grown left port_rcv_errors)" 2 "two malformed packets are errors"
	is "$(grown left port_rcv_packets)" 2 "and packets"
	is "$(grown left link_downed)" 1 "the link was down once"
}

# What netlink says is what sysfs says.
statistic() {
	local line name bad=''
	snap left after
	line=$(left rdma statistic show link srnicl/1)
	for name in tx_packets rx_packets tx_bytes rx_bytes send_wqes cqes; do
		[[ " $line " == *" $name ${after[left:hw_counters/$name]} "* ]] || bad+=" $name"
	done
	is "$bad" "" "rdma statistic agrees with sysfs"
}

# resource: a QP as `rdma resource` shows it, against what perftest says of it.
resource() {
	local said=$1 words qpn psn rpsn rqpn
	words=$(sed -n 's/^ local address: LID 0000 QPN \(0x[0-9a-f]*\) PSN \(0x[0-9a-f]*\).*/\1 \2/p
		s/^ remote address: LID 0000 QPN \(0x[0-9a-f]*\) PSN \(0x[0-9a-f]*\).*/\1 \2/p' /run/left)
	read -r -d '' qpn psn rqpn rpsn <<< "${words//$'\n'/ }"
	like "$said" "link srnicl/1 lqpn $((qpn)) rqpn $((rqpn)) type RC state RTS rq-psn $((rpsn)) " \
		"rdma resource: the QP, its peer, what it expects (WRITEs have no answer that counts)"
	[[ $said =~ sq-psn\ ([0-9]+) ]]
	[ $(((BASH_REMATCH[1] - psn) & 0xffffff)) -le 5000 ] && [ "${BASH_REMATCH[1]}" != $((psn)) ] &&
		ok "and the next PSN to be sent" || not_ok "the next PSN to be sent" "$said" "first: $((psn))"
	like "$said" "pid $client comm ib_write_bw" "and whose it is"
}

# A QP's own counters: while it lives, and in the sum of the port afterwards.
per_qp() {
	local server client seen shown i
	run_ok "counters for each QP type" left rdma statistic qp set link srnicl/1 auto type on
	start
	right ib_write_bw -d srnicr -F -u 18 -x "$gid4" -p 18515 -n 5000 -s 64 > /run/right 2>&1 &
	server=$!
	wait_for 20 bash -c "ip netns exec right ss -ltn | grep -q :18515"
	ip netns exec left ib_write_bw -d srnicl -F -u 18 -x "$gid4" -p 18515 -n 5000 -s 64 10.78.1.2 \
		> /run/left 2>&1 &
	client=$!
	for ((i = 0; i < 100; i++)); do
		seen=$(left rdma statistic qp show link srnicl/1 2>&1)
		[[ ! $seen =~ send_wqes\ [1-9] ]] || break
		sleep 0.05
	done
	shown=$(left rdma resource show qp link srnicl | grep 'type RC')
	like "$seen" "LQPN: <[0-9]+>" "a QP counts for itself"
	like "$seen" "send_wqes [1-9]" "its work requests, too"
	wait $client && wait $server || not_ok "5000 writes" "$(tail -n 12 /run/left /run/right)"
	resource "$shown"
	stop
	is "$(grown left hw:send_wqes)" 5000 "when it is gone the port has its work requests"
	is "$(grown left port_xmit_packets)" "$(grown left hw:tx_packets)" "and its packets"
	is "$(grown right port_rcv_packets)" "$(grown left port_xmit_packets)" "all of them"
	run_ok "no counters for QPs" left rdma statistic qp set link srnicl/1 auto off
}

# As another host sees them. By IPv6: the core matches an answer with its question by
# the destination GID of what it takes for an IPv6 header (rcv_has_same_gid()).
pma() { right "$GUEST_DIR/pma.py" srnicr "$gid6" fd78:1::1 "$@"; }
field() { awk -v name="$2" '$1 == name { print $2 }' <<< "$1"; }

management() {
	local said name gid6
	if [ ! -e /sys/class/infiniband_mad/umad0 ]; then
		skip "performance management over the wire" "no management datagrams"
		return
	fi
	gid6=$(right bash -c ". $GUEST_DIR/lib.sh; gid_index srnicr fd78:1::2")
	run_ok "ClassPortInfo" pma info
	like "$(pma info)" "class_version 1.*capability_mask 512" "with extended counters"
	said=$(pma extended)
	snap left after
	for name in multicast_xmit_packets multicast_rcv_packets; do
		is "$(field "$said" $name)" "${after[left:counters/$name]}" "another host sees $name"
	done
	# The question itself came in, and its answer went out after it was made.
	is "$(field "$said" port_xmit_packets)" $((${after[left:counters/port_xmit_packets]} - 1)) \
		"it sees packets out but for the answer"
	is "$(field "$said" port_rcv_packets)" "${after[left:counters/port_rcv_packets]}" \
		"and packets in with the question"
	said=$(pma counters)
	is "$(field "$said" link_downed)" "${after[left:counters/link_downed]}" "another host sees link_downed"
	said=$(pma counters SELECT=0x4)
	is "$(field "$said" link_downed)" 0 "it may set a counter to 0"
	snap left after
	is "${after[left:counters/link_downed]}" 0 "for all"
	[ "$(field "$said" port_xmit_packets)" -gt 0 ] || not_ok "others stay"
	is "$(pma samples)" "method 0x81 status 0xc" "an attribute that there is not"
	is "$(pma counters PORT=2)" "method 0x81 status 0x1c" "a port that there is not"
	is "$(pma counters VERSION=2)" "method 0x81 status 0x4" "a version of the class that there is not"
}

gid4=$(left bash -c ". $GUEST_DIR/lib.sh; gid_index srnicl 10.78.1.1")
writes 4 100 10000 4096
writes 4 64 1 1024
writes 6 50 4097 2048
datagrams
multicast
errors
statistic
per_qp
management
run_ok "namespaces with devices go away" no_netns
tap_end
