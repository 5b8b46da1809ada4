#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Interfaces and addresses below connections: namespaces in both modes of `rdma
# system`, several devices in one host, VLANs, bonds and bridges, and what an
# administrator does to them while connections stand.
#
#     left                            right
#     left  10.78.1.1 ------ veth --- right 10.78.1.2
#     v5    10.75.5.1 ------ VLAN --- v5    10.75.5.2
#     bond0 10.78.2.1                 br0   10.78.2.2
#       +- l1 -------------- veth --- r1 -+
#       +- l2 -------------- veth --- r2 -+
#
# interfaces.sh [SUBJECT...]: without, all but what is in interfaces-above.sh.
# kernels: stock
# vm: --timeout 900
# To follow what is sourced takes shellcheck minutes here, and all of the memory.
# shellcheck disable=SC2154,SC2034 source=/dev/null
. "$(dirname "$0")/../lib.sh"
# shellcheck source=/dev/null
. "$GUEST_DIR/interfaces.sh"

devices() {
	at left rdma link add srnicl type srnic netdev left &&
		at right rdma link add srnicr type srnic netdev right &&
		wait_for 10 port_is left srnicl ACTIVE && wait_for 10 port_is right srnicr ACTIVE
}

# namespaces MODE: each has a device, at once. In shared mode all see both.
namespaces() {
	local mode=$1
	note "rdma system netns $mode"
	run_ok "a device in each namespace" devices
	like "$(port left srnicl)" "state ACTIVE physical_state LINK_UP netdev left" "rdma link"
	if [ "$mode" = shared ]; then
		is "$(devices_of left | xargs)" "srnicl srnicr" "each namespace sees both"
	else
		is "$(devices_of left | xargs), $(devices_of right | xargs), $(ls /sys/class/infiniband)" \
			"srnicl, srnicr, " "each namespace sees its own, the first one none"
	fi
	pingpong "pingpong between namespaces" srnicr fd78:1::2 srnicl fd78:1::1
	connect "rdma_cm between namespaces, IPv4" 10.78.1.2
	connect "rdma_cm between namespaces, IPv6" fd78:1::2
	client=right connect "rdma_cm within a namespace" 10.78.1.2
	truth "$mode"
}

# What the tools say of a connection, while it stands and after it.
truth() {
	local own said
	stand 10.78.1.2
	run_ok "its packets are counted" flows srnicl
	run_ok "those of the peer as well" flows srnicl port_rcv_packets
	stand_still
	own="pid $standing comm rping"
	like "$(resources_in left qp link srnicl)" \
		"link srnicl/1 lqpn [0-9]+ rqpn [0-9]+ type RC state RTS .*$own" "rdma resource show qp"
	like "$(resources_in left cm_id link srnicl)" \
		"lqpn [0-9]+ qp-type RC state CONNECT ps TCP $own src-addr 10.78.1.1:[0-9]+ dst-addr 10.78.1.2:7174" \
		"rdma resource show cm_id"
	like "$(resources_in left cq dev srnicl)" "users 2 .*$own" "rdma resource show cq"
	like "$(resources_in left mr dev srnicl)" "$own" "rdma resource show mr"
	if [ "$1" = exclusive ]; then
		is "$(resources_in right qp | grep -c srnicl)" 0 "the other namespace does not see it"
	fi
	stand_on
	run_ok "it goes on" goes_on srnicl
	stand_end
	is "$(resources_in left | sed 's/.*\(srnicl: \)/\1/; s/ *$//' | grep srnicl)" \
		"srnicl: pd 1 cq 1 qp 1 cm_id 0 mr 0 ctx 0 srq 0" "nothing of it is left"
	said=$(at left rdma statistic show link srnicl/1)
	like "$said" "tx_packets $(< "$(port_dir left srnicl)/hw_counters/tx_packets") " \
		"rdma statistic, and hw_counters in sysfs"
	like "$said" "tx_packets $(counter left srnicl port_xmit_packets) " "and the port's counters there"
}

# Addresses come and go under a connection, others and its own.
addresses() {
	local address
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
	run_ok "the connection from the other address goes on" goes_on srnicl
	ip -n left addr del 10.78.1.1/24 dev left
	run_ok "without its address nothing is sent" still srnicl
	ip -n left addr add 10.78.1.1/24 dev left
	run_ok "the address comes back, and the connection goes on" goes_on srnicl
	stand_end
	ip -n left addr del 10.99.0.1/32 dev left
}

# The interface goes down, is renamed, and comes up.
interface() {
	stand 10.78.1.2
	ip -n left link set left down
	run_ok "the port is down with its interface" \
		wait_for 5 port_is left srnicl "state DOWN physical_state DISABLED"
	run_ok "that of the peer has no carrier" \
		wait_for 5 port_is right srnicr "state DOWN physical_state POLLING"
	run_ok "nothing is sent" still srnicl
	ip -n left link set left name renamed
	run_ok "rdma link has an interface's new name" port_is left srnicl "netdev renamed"
	run_ok "so has the GID table" gid_is_of left srnicl 10.78.1.1 renamed
	ip -n left link set renamed up
	run_ok "the port is up again" wait_for 5 port_is left srnicl "state ACTIVE physical_state LINK_UP"
	run_ok "the connection goes on" goes_on srnicl
	stand_end
	pingpong "IPv6 after that" srnicr fd78:1::2 srnicl fd78:1::1
	ip -n left link set renamed down
	ip -n left link set renamed name left
	ip -n left link set left up
}

# The default GID is that of the link-local address.
default_gid() {
	local address
	address=$(link_local left left)
	is "$(< "$(port_dir left srnicl)/gids/0")" "$(gid_of "$address")" "the default GID is the link-local address"
	address=$(link_local right right)
	pingpong "pingpong from it" srnicr "$address" srnicl "$(link_local left left)"
	connect "rdma_cm to a link-local address" "$address%left"
}

# A VLAN on top of the devices' interfaces.
vlans() {
	local ns n=0
	for ns in left right; do
		n=$((n + 1))
		ip -n $ns link add link $ns name v5 type vlan id 5
		addresses_on $ns v5 75:5 $n
		ip -n $ns link set v5 up
	done
	gid_in left srnicl 10.75.5.1 > /dev/null
	run_ok "an address of a VLAN has a GID, with the VLAN's interface" gid_is_of left srnicl 10.75.5.1 v5
	run_fail "a VLAN has no device of its own" at left rdma link add v type srnic netdev v5
	pingpong "pingpong on a VLAN" srnicr fd75:5::2 srnicl fd75:5::1
	connect "rdma_cm on a VLAN, IPv6" fd75:5::2
	client=right connect "rdma_cm on a VLAN within a namespace" 10.75.5.2
	group "rdma_cm's multicast on a VLAN" 239.5.5.5 10.75.5.2 10.75.5.1
	vlan_groups
	stand 10.75.5.2
	run_ok "its packets are on the VLAN" tagged left left 5
	ip -n left link set v5 down
	run_ok "the VLAN down: nothing is sent" still srnicl
	run_ok "the port is that of the interface below" port_is left srnicl "state ACTIVE"
	ip -n left link set v5 up
	run_ok "up: the connection goes on" goes_on srnicl
	ip -n left link del v5
	run_ok "the VLAN's GIDs go with it" wait_for 10 no_gid left srnicl 10.75.5.1
	run_ok "nothing is sent" still srnicl
	ip -n left link add link left name v5 type vlan id 5
	addresses_on left v5 75:5 1
	ip -n left link set v5 up
	run_ok "the VLAN comes back, and the connection goes on" goes_on srnicl
	stand_end
	ip -n left link del v5
	ip -n right link del v5
}
# A QP that is attached to a group hears it on all VLANs, and nobody else has joined
# these: mckey is bound to the interface below.
vlan_groups() {
	run_at right mckey -m 239.5.5.7 -b 10.78.1.2 -C 5 > "$log.other" 2>&1 &
	wait_for 20 in_group right v5 239.5.5.7
	run_ok "a group is joined on a VLAN" in_group right v5 239.5.5.7
	ip -n right link add link right name v6 type vlan id 6
	run_ok "and on a VLAN that comes later" wait_for 2 in_group right v6 239.5.5.7
	ip -n right link set v6 mtu 60
	run_ok "not where there is no IPv4 for a while" wait_for 2 not_in_group right v6 239.5.5.7
	ip -n right link set v6 mtu 1500
	run_ok "but when it comes back" wait_for 2 in_group right v6 239.5.5.7
	ip -n right link del v6
	run_ok "which goes in spite of it" no_interface right v6
	kill $!
	wait $!
	run_ok "it is left with the last QP" wait_for 5 not_in_group right v5 239.5.5.7
	group "multicast is heard on all VLANs" 239.5.5.8 10.78.1.2 10.75.5.1
}
in_group() { ip -n "$1" maddr show dev "$2" | grep -qw "$3"; }
not_in_group() { ! in_group "$@"; }
no_interface() { ! ip -n "$1" link show dev "$2"; }
# tagged NAMESPACE INTERFACE VLAN: RoCE packets with that tag are on the wire.
tagged() {
	at "$1" timeout 10 tcpdump -c 1 -e -nn -i "$2" "vlan $3 and udp port 4791" 2> /dev/null | grep -q .
}

# into_bridge DEVICE BRIDGE INTERFACE ADDRESS: a connection stands while the interface,
# the device's or one above it, and its address move to a new bridge, and while the
# interface leaves it and comes back. The bridge has another part, so that it does not
# go down without the interface.
into_bridge() {
	ip -n left link add "$2" type bridge
	ip -n left link set "$2" address "$(< "$(in_sys left "class/net/$3/address")")"
	ip -n left link set "$2" mtu 4200 up
	ip -n left link add part1 type veth peer name part2
	ip -n left link set part1 master "$2" up
	ip -n left link set part2 up
	ip -n left link set "$3" master "$2"
	ip -n left addr del "$4/24" dev "$3"
	ip -n left addr add "$4/24" dev "$2"
	run_ok "the address of $3 moves to a bridge above: the connection goes on" goes_on "$1"
	run_ok "the GID is the bridge's" gid_is_of left "$1" "$4" "$2"
	ip -n left link set "$3" nomaster
	run_ok "$3 leaves the bridge: nothing is sent from the bridge's address" still "$1"
	ip -n left link set "$3" master "$2"
	run_ok "it is put into it again: the connection goes on" goes_on "$1"
}

# The address goes to a bridge that the interface is put into, and then away from it.
moved() {
	stand 10.78.1.2
	into_bridge srnicl br1 left 10.78.1.1
	ip -n left link add d2 type dummy
	ip -n left link set d2 up
	ip -n left addr del 10.78.1.1/24 dev br1
	ip -n left addr add 10.78.1.1/24 dev d2
	ip -n left route add 10.78.1.2 dev br1
	run_ok "it moves to somebody else's interface: nothing is sent from it" still srnicl
	ip -n left link del d2
	ip -n left addr add 10.78.1.1/24 dev left
	ip -n left link del br1
	ip -n left link del part1
	run_ok "it moves back: the connection goes on" goes_on srnicl
	stand_end
}

# A second pair of wires: a bond over them in left, a bridge in right.
bonded() {
	local n
	ip -n left link add bond0 type bond mode active-backup miimon 50 &&
		ip -n right link add br0 type bridge || return
	for n in 1 2; do
		ip link add l$n netns left mtu 4200 type veth peer name r$n netns right mtu 4200 &&
			ip -n left link set l$n master bond0 &&
			ip -n right link set r$n master br0 && ip -n right link set r$n up &&
			tc -n right qdisc add dev r$n root netem delay 4ms || return
	done
	addresses_on left bond0 78:2 1 && addresses_on right br0 78:2 2 || return
	ip -n left link set bond0 mtu 4200 up
	ip -n right link set br0 mtu 4200 up
	wait_for 10 active l1
}
active() { [ "$(< "$(in_sys left class/net/bond0/bonding/active_slave)")" = "$1" ]; }

# Devices on a bond and a bridge.
bonds() {
	local meet=10.78.2.2
	run_ok "a device on a bond" at left rdma link add srnicb type srnic netdev bond0
	run_ok "and one on a bridge" at right rdma link add srnicbr type srnic netdev br0
	run_ok "rdma link" wait_for 10 port_is left srnicb "state ACTIVE physical_state LINK_UP netdev bond0"
	gid_in left srnicb 10.78.2.1 > /dev/null
	run_ok "a bond's address has a GID" gid_is_of left srnicb 10.78.2.1 bond0
	pingpong "pingpong over a bond, IPv6" srnicbr fd78:2::2 srnicb fd78:2::1
	stand 10.78.2.2
	run_ok "rdma_cm over a bond" goes_on srnicb
	ip -n right link set r1 down
	run_ok "the first wire breaks: failover" wait_for 10 active l2
	run_ok "the connection goes on" goes_on srnicb
	ip -n right link set r2 down
	run_ok "the second one breaks: the port is down" wait_for 10 port_is left srnicb "state DOWN"
	ip -n right link set r1 up
	ip -n right link set r2 up
	run_ok "they are repaired: the port is active" wait_for 10 port_is left srnicb "state ACTIVE"
	run_ok "the connection goes on" goes_on srnicb
	stand_end
	ip -n left link add link bond0 name bv7 type vlan id 7
	ip -n right link add link br0 name bv7 type vlan id 7
	addresses_on left bv7 77:7 1
	addresses_on right bv7 77:7 2
	ip -n left link set bv7 up
	ip -n right link set bv7 up
	gid_in left srnicb 10.77.7.1 > /dev/null
	run_ok "a VLAN on a bond" gid_is_of left srnicb 10.77.7.1 bv7
	connect "rdma_cm on it" 10.77.7.2
	ip -n left link del bv7
	ip -n right link del bv7
	at left rdma link delete srnicb
	at right rdma link delete srnicbr
}

# The bond is put into a bridge, which the address moves to, and taken out of it.
two_above() {
	stand 10.78.2.2
	into_bridge srnics br3 bond0 10.78.2.1
	ip -n left link del br3
	ip -n left link del part1
	ip -n left addr add 10.78.2.1/24 dev bond0
	run_ok "the address moves back to the bond: the connection goes on" goes_on srnics
	stand_end
}

# Devices on interfaces that are parts of the bond and of the bridge.
parts() {
	local meet=10.78.2.2 before
	ip -n left link set bond0 type bond active_slave l1
	wait_for 10 active l1
	run_ok "a device on an interface of a bond" at left rdma link add srnics type srnic netdev l1
	run_ok "and one on an interface of a bridge" at right rdma link add srnicp type srnic netdev r1
	gid_in left srnics 10.78.2.1 > /dev/null
	run_ok "has the GIDs of the bond" gid_is_of left srnics 10.78.2.1 bond0
	run_ok "has the GIDs of the bridge" gid_is_of right srnicp 10.78.2.2 br0
	pingpong "pingpong between them" srnicp 10.78.2.2 srnics 10.78.2.1
	connect "rdma_cm between them" 10.78.2.2
	group "rdma_cm's multicast between them" 239.5.5.6 10.78.2.2 10.78.2.1
	before=$(counter right srnicp port_rcv_errors)
	at left bash -c 'echo garbage > /dev/udp/10.78.2.2/4791'
	run_ok "what is malformed is counted" wait_for 5 grown right srnicp port_rcv_errors $((before + 1))
	two_above
	at left rdma link delete srnics
	at right rdma link delete srnicp
}

# Several devices in one namespace: rdma_cm takes the one that has the address.
several() {
	local before client=right
	ip -n right link add d1 mtu 4200 type dummy
	addresses_on right d1 79:1 1
	ip -n right link set d1 up
	run_ok "a device on a dummy interface, beside another" \
		at right rdma link add srnicd type srnic netdev d1
	gid_in right srnicd 10.79.1.1 > /dev/null
	before=$(counter right srnicr port_xmit_packets)
	connect "rdma_cm to its address" 10.79.1.1
	is "$(counter right srnicr port_xmit_packets)" "$before" "all went through it"
	before=$(counter right srnicd port_xmit_packets)
	everywhere=:: connect "rdma_cm to the other's address, the server listens on both" fd78:1::2
	is "$(counter right srnicd port_xmit_packets)" "$before" "all went through the other"
	meet=10.79.1.1 pingpong "pingpong on it" srnicd fd79:1::1 srnicd fd79:1::1
	ip -n right link del d1
	run_ok "it goes with its interface" wait_for 10 gone right srnicd
	client=left connect "the other one stays" 10.78.1.2
}
gone() { [ ! -e "$(in_sys "$1" "class/infiniband/$2")" ]; }

subjects=${*:-shared exclusive default_gid addresses interface several}
wants() { [[ " $subjects " == *" $1 "* ]]; }

run_ok "srnic loads" load_srnic || tap_end
modprobe -a 8021q bonding bridge dummy
if wants shared; then
	run_ok "rdma system netns shared" rdma system set netns shared
	wired || not_ok "namespaces"
	namespaces shared
	at left rdma link delete srnicl
	at right rdma link delete srnicr
	unwired
fi
run_ok "rdma system netns exclusive" wait_for 20 rdma system set netns exclusive
wired || not_ok "namespaces"
if wants exclusive; then namespaces exclusive; else devices; fi
for subject in default_gid addresses interface several vlans moved; do
	if wants $subject; then $subject; fi
done
if wants bonds || wants parts; then
	run_ok "a bond and a bridge" bonded
	for subject in bonds parts; do
		if wants $subject; then $subject; fi
	done
fi
at left rdma link delete srnicl
at right rdma link delete srnicr
unwired
run_ok "rmmod" rmmod srnic
tap_end
