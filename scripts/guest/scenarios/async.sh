#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Asynchronous events of the port and the device, as ibv_asyncwatch shows them.
# kernels: stock
. "$(dirname "$0")/../lib.sh"
log=/run/asyncwatch

told() { grep -q "$1" $log; }
port_down() { grep -q DOWN /sys/class/infiniband/srnicd/ports/1/state; }

load_srnic
ip link add dummy0 type dummy
ip link set dummy0 up mtu 9000
ip addr add 10.79.0.1/24 dev dummy0
run_ok "a device on a dummy interface" rdma_up srnic dummy0 srnicd
stdbuf -oL ibv_asyncwatch -d srnicd > $log 2>&1 &
watcher=$!
run_ok "ibv_asyncwatch watches" wait_for 10 told 'async event FD'
ip link set dummy0 down
run_ok "the port goes down" wait_for 10 port_down
run_ok "PORT_ERR" wait_for 10 told EVENT_PORT_ERR
ip link set dummy0 up
run_ok "the port comes up" wait_for 10 rdma_active srnicd
run_ok "PORT_ACTIVE" wait_for 10 told EVENT_PORT_ACTIVE
before=$(grep -c EVENT_GID_CHANGE $log)
ip addr add 10.79.0.2/24 dev dummy0
more_gids() { [ "$(grep -c EVENT_GID_CHANGE $log)" -gt "$before" ]; }
run_ok "GID_CHANGE with a new address" wait_for 10 more_gids
before=$(grep -c EVENT_GID_CHANGE $log)
ip addr del 10.79.0.2/24 dev dummy0
run_ok "GID_CHANGE when it goes" wait_for 10 more_gids
run_ok "rdma link delete under the watcher" timeout 30 rdma link delete srnicd
run_ok "DEVICE_FATAL" wait_for 10 told EVENT_DEVICE_FATAL
kill $watcher 2> /dev/null
wait $watcher 2> /dev/null
note < $log
run_ok "rmmod" rmmod srnic
tap_end
