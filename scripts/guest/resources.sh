# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What `rdma resource` shows, before and after. Sourced.

# resources_of DEVICE: the counts of one device, without its number.
resources_of() { rdma resource show "$1" | sed 's/^[0-9]*: //; s/ *$//'; }

# resources_held: objects of processes, one a line; the kernel's own have no pid.
resources_held() {
	local kind
	for kind in ctx pd cq qp mr srq cm_id; do
		rdma resource show $kind 2> /dev/null | grep ' pid ' | sed "s/^/$kind: /"
	done
}

# resources_mark: what is there now is what has to be there at the end.
declare -A resources_before
resources_mark() {
	local d
	for d in /sys/class/infiniband/*; do
		[ ! -e "$d" ] || resources_before[${d##*/}]=$(resources_of "${d##*/}")
	done
}

resources_are_back() {
	local d
	[ -z "$(resources_held)" ] || return
	for d in "${!resources_before[@]}"; do
		[ "$(resources_of "$d")" = "${resources_before[$d]}" ] || return
	done
}

# no_resources_left: one result: processes hold nothing, and the counts are those of
# resources_mark. A process that was killed may take a moment to go.
no_resources_left() {
	local d text
	if wait_for 10 resources_are_back; then
		ok "rdma resource: nothing is left${1:+ $1}"
	else
		text=$(for d in "${!resources_before[@]}"; do
			echo "before: ${resources_before[$d]}"
			echo "after:  $(resources_of "$d")"
		done)
		not_ok "rdma resource: nothing is left${1:+ $1}" "$text" "$(resources_held)"
	fi
}
