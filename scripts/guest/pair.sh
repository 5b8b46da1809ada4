# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A server in one guest, a client in the other. Sourced.
#
# side_type[a|b] and side_dev[a|b] name the RDMA devices, set by pair_up.

declare -A side_type side_dev side_ip=([a]=10.77.0.1 [b]=10.77.0.2)
pair_log=/run/pair pair_timeout=${PAIR_TIMEOUT:-60}

# pair_up TYPE-IN-A TYPE-IN-B: devices on eth0 of both guests.
pair_up() {
	side_type=([a]=$1 [b]=$2)
	rdma_up "$1" eth0 && on_b_fn rdma_up "$2" eth0 || return
	side_dev[a]=$(device_on eth0)
	side_dev[b]=$(on_b_fn device_on eth0)
}

# on SIDE COMMAND...: in guest a or b.
on() {
	local side=$1
	shift
	if [ "$side" = a ]; then "$@"; else on_b "$@"; fi
}
other() { if [ "$1" = a ]; then echo b; else echo a; fi; }

# Finds the GID index of a side's IPv4 (or with pair_ip=6 IPv6) address once.
declare -A side_gid
side_gid_index() {
	local key=$1${pair_ip:-4} address=${side_ip[$1]}
	if [ -z "${side_gid[$key]:-}" ]; then
		[ "${pair_ip:-4}" = 4 ] || address=fd77::${address##*.}
		side_gid[$key]=$(on "$1" bash -c ". $GUEST_DIR/lib.sh; gid_index ${side_dev[$1]} $address")
	fi
	[ -n "${side_gid[$key]}" ]
}

# client_server NAME CLIENT-SIDE COMMAND...: runs COMMAND in the other guest, which
# has to listen on TCP port 18515, then COMMAND with that guest's address. In
# COMMAND the words DEV and GID stand for the side's device and GID index. One
# result; what the client said is in $pair_log.client, and the command that
# pair_judge names has a say in it: pair_judge FILE COMMAND...
client_server() {
	local name=$1 client=$2 server status=0 server_status=0 pid text words
	shift 2
	server=$(other "$client")
	if ! side_gid_index a || ! side_gid_index b; then
		not_ok "$name" "no GID index"
		return 1
	fi
	: > $pair_log.server
	pair_words "$server" "$@"
	on "$server" bash "$GUEST_DIR/serve.sh" 18515 timeout "$pair_timeout" stdbuf -oL "${words[@]}" \
		> $pair_log.server 2>&1 &
	pid=$!
	wait_for "$pair_timeout" pair_server_settled $pid
	if ! grep -q '^READY$' $pair_log.server; then
		not_ok "$name" "the server does not listen" "$(head -n 12 $pair_log.server)"
		pair_stop $pid
		return 1
	fi
	pair_words "$client" "$@"
	# Line by line, or what it says of the CPU's clock (stderr) lands inside of a figure.
	on "$client" timeout "$pair_timeout" stdbuf -oL "${words[@]}" "${side_ip[$server]}" \
		> $pair_log.client 2>&1 || status=$?
	if [ $status != 0 ]; then
		# A server without its client would wait for ever.
		sleep 1
		pair_stop $pid
	fi
	wait $pid 2>/dev/null || server_status=$?
	if [ $status = 0 ] && [ $server_status = 0 ] && [ -n "${pair_judge:-}" ] &&
		! text=$($pair_judge $pair_log.client "$@"); then
		not_ok "$name" "$text" "$(tail -n 12 $pair_log.client)"
		return 1
	fi
	text=$(grep -iE 'couldn.t|failed|error|mismatch|invalid|unable|bad' $pair_log.client $pair_log.server | head -n 5)
	if [ $status = 0 ] && [ $server_status = 0 ]; then
		ok "$name"
	else
		not_ok "$name" "client $status, server $server_status: $*" "${text:-$(tail -n 12 $pair_log.client $pair_log.server)}"
		return 1
	fi
}

# Ends a server in either guest: the process here is a shell, with the server as
# its child or at the other end of its connection.
pair_stop() {
	pkill -P "$1"
	kill "$1"
	wait "$1"
} 2> /dev/null

# Whether the server, by its process here, listens or has ended.
pair_server_settled() { ! kill -0 "$1" 2> /dev/null || grep -q '^READY$' $pair_log.server; }

# The command for a side, as the array words.
pair_words() {
	local side=$1 w
	shift
	words=()
	for w; do
		case $w in
		DEV) w=${side_dev[$side]} ;;
		GID) w=${side_gid[$side${pair_ip:-4}]} ;;
		esac
		words+=("$w")
	done
}
