# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Programs that connect by rdma_cm, a server in one guest and a client in another one
# or the same. Sourced after lib.sh and pair.sh.

log=/run/cm

# address SIDE: of the IP version that ip says.
ip=4
address() {
	if [ $ip = 4 ]; then echo "${side_ip[$1]}"; else echo "fd77::${side_ip[$1]##*.}"; fi
}

listening() { on "$1" rdma resource show cm_id | grep LISTEN; }
nobody_listens() { ! listening "$1"; }

# said REGEX FILE: one that is empty wants nothing.
said() { [ -z "$1" ] || grep -qE "$1" "$2"; }

# cm_test NAME SERVER-SIDE READY SERVER... -- CLIENT-SIDE CLIENT...: one result.
# In both commands SERVER and CLIENT stand for the addresses of the two sides.
# READY is a regular expression for what the server says when it is ready, or -:
# when it listens. Both have to say what the regular expressions in
# server_says and client_says want, and to end with status 0, but for a server
# that goes on for ever (endless).
cm_test() {
	local name="$1, IPv$ip" server=$2 ready=$3 client status=0 server_status=0 pid
	local words=() sv=() cl=() all=("$@")
	shift 3
	while [ "$1" != -- ]; do sv+=("$1"); shift; done
	client=$2
	shift 2
	cl=("$@")
	words=("${sv[@]}" "${cl[@]}")
	words=("${words[@]//SERVER/$(address "$server")}")
	words=("${words[@]//CLIENT/$(address "$client")}")
	sv=("${words[@]:0:${#sv[@]}}") cl=("${words[@]:${#sv[@]}}")

	on "$server" timeout "${cm_timeout:-60}" stdbuf -oL "${sv[@]}" > $log.server 2>&1 &
	pid=$!
	if [ "$ready" = - ]; then
		wait_for 30 listening "$server"
	else
		wait_for 30 grep -qE "$ready" $log.server
	fi || {
		not_ok "$name" "the server is not ready" "$(tail -n 12 $log.server)"
		pair_stop $pid
		return 1
	}
	on "$client" timeout "${cm_timeout:-60}" stdbuf -oL "${cl[@]}" > $log.client 2>&1 || status=$?
	if [ $status != 0 ] || [ -n "${endless:-}" ]; then
		sleep 1
		pair_stop $pid
		wait_for 10 nobody_listens "$server"
	else
		wait $pid || server_status=$?
	fi
	if [ $status = 0 ] && [ $server_status = 0 ] &&
		said "${client_says:-}" $log.client && said "${server_says:-}" $log.server; then
		ok "$name"
	elif [ "${retries:-0}" -gt 0 ] && grep -q RDMA_CM_EVENT_REJECTED $log.client; then
		note "$name: rejected, once more"
		retries=$((retries - 1)) cm_test "${all[@]}"
	else
		not_ok "$name" "client $status, server $server_status" \
			"client: $(tail -n 8 $log.client)" "server: $(tail -n 8 $log.server)"
		return 1
	fi
}
