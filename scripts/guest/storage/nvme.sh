# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# NVMe over RDMA: the kernel's target by configfs, its host by nvme-cli. Sourced.

nvme_nqn=nqn.2026-01.org.example:srnic nvmet=/sys/kernel/config/nvmet
nvme_host=(--hostnqn=nqn.2014-08.org.nvmexpress:uuid:6e5b0d60-2f0e-4b7e-9d3a-000000000001
	--hostid=6e5b0d60-2f0e-4b7e-9d3a-000000000001)

# nvmet_up DISK ADDRESS...: serves the disk at each address.
nvmet_up() {
	local disk=$1 n=0 family
	shift
	config_fs
	modprobe -a nvmet nvmet-rdma && mkdir "$nvmet/subsystems/$nvme_nqn" &&
		echo 1 > "$nvmet/subsystems/$nvme_nqn/attr_allow_any_host" &&
		mkdir "$nvmet/subsystems/$nvme_nqn/namespaces/1" &&
		echo "$disk" > "$nvmet/subsystems/$nvme_nqn/namespaces/1/device_path" &&
		echo 1 > "$nvmet/subsystems/$nvme_nqn/namespaces/1/enable" || return
	for address; do
		n=$((n + 1)) family=ipv4
		[[ $address != *:* ]] || family=ipv6
		mkdir "$nvmet/ports/$n" && echo rdma > "$nvmet/ports/$n/addr_trtype" &&
			echo $family > "$nvmet/ports/$n/addr_adrfam" &&
			echo "$address" > "$nvmet/ports/$n/addr_traddr" &&
			echo 4420 > "$nvmet/ports/$n/addr_trsvcid" && nvmet_link $n || return
	done
}

# nvmet_link PORT, nvmet_unlink PORT: the port serves the disk, or no longer.
nvmet_link() { ln -s "$nvmet/subsystems/$nvme_nqn" "$nvmet/ports/$1/subsystems/srnic"; }
nvmet_unlink() { rm "$nvmet/ports/$1/subsystems/srnic"; }

nvmet_down() {
	local p
	for p in "$nvmet"/ports/*; do
		rm -f "$p"/subsystems/*
		rmdir "$p"
	done
	echo 0 > "$nvmet/subsystems/$nvme_nqn/namespaces/1/enable"
	rmdir "$nvmet/subsystems/$nvme_nqn/namespaces/1" "$nvmet/subsystems/$nvme_nqn"
	modprobe -r nvmet-rdma
}

nvme_serve() { there "$1" nvmet_up /dev/ram0 "${side_ip[$1]}" "$(ip6 "$1")"; }
nvme_serve_no_more() { there "$1" nvmet_down; }

nvme_disk() { local d; for d in /dev/nvme*n1; do [ -b "$d" ] && echo "$d" && return; done; return 1; }
nvme_ready() { [ "$(cat /sys/class/nvme/nvme*/state)" = live ] && [ -b "$(nvme_disk)" ]; }
nvme_gone() { ! nvme_disk; }

# nvme_up ADDRESS [OPTION...]: connects to the disk there.
nvme_up() {
	local address=$1
	shift
	modprobe nvme_core io_timeout="${nvme_io_timeout:-5}" && modprobe nvme-rdma || return
	nvme connect -t rdma -a "$address" -s 4420 -n $nvme_nqn "${nvme_host[@]}" \
		--nr-io-queues=2 --keep-alive-tmo=10 --reconnect-delay=1 --ctrl-loss-tmo=120 "$@" &&
		wait_for 30 nvme_ready
}
nvme_down() { nvme disconnect -n $nvme_nqn > /dev/null && wait_for 30 nvme_gone; }

nvme_other() { echo fd77::2; }
nvme_seen() {
	is "$(queues a)" 3 "nvme: an admin queue and two of I/O"
	like "$(nvme discover -t rdma -a 10.77.0.2 -s 4420 "${nvme_host[@]}" 2>&1)" "subnqn: *$nvme_nqn" "nvme: discovery"
}
nvme_noticed() { kernel_said 'Reconnecting in'; }
nvme_breaks() {
	survives "nvme: the target disconnects" "$1" "there b nvmet_unlink 1" "there b nvmet_link 1" 1 nvme_noticed
}
nvme_end() { modprobe -r nvme-rdma; }
