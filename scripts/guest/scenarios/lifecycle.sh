#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Devices come and go: module parameter, rdma link, netdev, namespace, in use.
# kernels: stock
. "$(dirname "$0")/../lib.sh"

devices() { local d; for d in /sys/class/infiniband/*; do [ -e "$d" ] && printf '%s ' "${d##*/}"; done; }
holds() { [ "$(devices)" = "$1" ]; }
no_gid() { ! gid_index "$@"; }
kernel_said() { dmesg | tail -n "${2:-5}" | grep -q "srnic.*$1"; }

rdma_core
run_ok "the provider installs" install_provider
run_fail "an unknown netdev is refused" load_srnic netdev=nosuch
run_ok "the kernel tells about it" kernel_said nosuch
is "$(devices)" "" "nothing is left of it"
[ ! -e /sys/module/srnic ] || not_ok "the module stays in spite of its error"

ip link add dummy0 type dummy
ip link set dummy0 up mtu 9000
ip addr add 10.79.0.1/24 dev dummy0
run_ok "insmod netdev=eth0,dummy0" load_srnic netdev=eth0,dummy0
is "$(devices)" "srnic0 srnic1 " "one device each"
like "$(ibv_devices)" "srnic0.*srnic1" "ibv_devices shows them"
run_fail "a netdev has one device only" rdma link add other type srnic netdev eth0
run_ok "rdma link delete" rdma link delete srnic1
is "$(devices)" "srnic0 " "one is left"
run_ok "rdma link add under any name" rdma link add anyname type srnic netdev dummy0
like "$(ibv_devinfo -d anyname)" "transport:.*InfiniBand" "libibverbs knows it"
run_fail "a name is taken once" rdma link add anyname type srnic netdev lo

like "$(rdma link show srnic0/1)" "state ACTIVE physical_state LINK_UP netdev eth0" "port is active"
ip link set eth0 down
run_ok "port follows the interface down" wait_for 5 grep -q DOWN /sys/class/infiniband/srnic0/ports/1/state
ip link set eth0 up
run_ok "and up" wait_for 5 rdma_active srnic0
ip link set eth0 mtu 1500
run_ok "active MTU follows the interface's" wait_for 5 \
	bash -c 'ibv_devinfo -d srnic0 | grep -q "active_mtu:.*1024"'
ip link set eth0 mtu 9000
ip addr add 10.77.0.77/24 dev eth0
run_ok "a new address has a GID" wait_for 5 gid_index srnic0 10.77.0.77
ip addr del 10.77.0.77/24 dev eth0
run_ok "and loses it" wait_for 5 no_gid srnic0 10.77.0.77

ip link del dummy0
run_ok "a device goes with its netdev" wait_for 5 holds "srnic0 "

# In use: a server that waits for its client.
ibv_rc_pingpong -d srnic0 -g 0 -n 1000 > /run/pp 2>&1 &
sleep 2
run_ok "delete in use" timeout 30 rdma link delete srnic0
run_ok "it is gone" wait_for 5 holds ""
kill $! 2>/dev/null
wait $! 2>/dev/null
run_ok "module alias: rdma link add loads nothing twice" rdma link add srnic0 type srnic netdev eth0
run_ok "rmmod with a device" rmmod srnic
is "$(devices)" "" "no device after rmmod"

# UDP port 4791 in use by somebody else.
socat -u UDP4-LISTEN:4791,fork /dev/null &
sleep 1
run_fail "UDP port 4791 taken: error" load_srnic netdev=eth0
run_ok "the kernel tells about the port" kernel_said 4791
is "$(devices)" "" "nothing half-made"
kill $!
wait $! 2>/dev/null
[ -e /sys/module/srnic ] && rmmod srnic
run_ok "port free again: works" load_srnic netdev=eth0
run_ok "namespace with a device" bash -c 'rdma system set netns exclusive && ip netns add x &&
	ip link add v0 type veth peer name v1 netns x && ip -n x link set v1 up &&
	ip netns exec x rdma link add srnicx type srnic netdev v1'
run_ok "namespace goes away with its device" ip netns del x
run_ok "rmmod" rmmod srnic
tap_end
