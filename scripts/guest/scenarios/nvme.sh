#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# NVMe over RDMA, the kernel's target in guest b and its host in guest a, then
# both in guest a.
#
#   nvme.sh [TYPE-IN-A [TYPE-IN-B [PARTS]]]    srnic or rxe
#
# guests: 2
# kernels: none, until it was seen to pass on a quiet machine
# vm: --timeout 900
. "$(dirname "$0")/../lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/storage.sh"
# shellcheck source=scripts/guest/storage/nvme.sh
. "$storage_dir/nvme.sh"
types=("${1:-srnic}" "${2:-${1:-srnic}}") parts=${3:-basic loss ipv6 one}

discovered() {
	modprobe -a nvme_core nvme-rdma
	nvme discover -t rdma -a "$1" -s 4420 "${nvme_host[@]}" 2>&1
}
back() { nvme_up 10.77.0.2; }

basic() {
	local disk
	like "$(discovered 10.77.0.2)" "subnqn: *$nvme_nqn" "discovery"
	run_ok "connect" nvme_up 10.77.0.2 || return
	disk=$(nvme_disk)
	is "$(queues a)" 3 "an admin queue and two of I/O"
	fio_check "every block size" "$disk"
	same_on_both "a disk" "$disk" b /dev/ram0
	file_system "ext4" "$disk" nvme_down back
	run_ok "disconnect" nvme_down
	is "$(queues a)" 0 "no QP is left"
}

loss() {
	local disk lost='Reconnecting in'
	run_ok "connect" nvme_up 10.77.0.2 || return
	disk=$(nvme_disk)
	survives_all "$disk" "$lost" 2
	survives "the target disconnects" "$disk" "there b nvmet_unlink 1" "there b nvmet_link 1" 1 "$lost"
	same_on_both "after all that" "$disk" b /dev/ram0
	run_ok "disconnect" nvme_down
}

ipv6() {
	run_ok "connect over IPv6, with 8 short queues" nvme_up fd77::2 --nr-io-queues=8 --queue-size=16 || return
	fio_check "every block size over IPv6" "$(nvme_disk)"
	run_ok "disconnect" nvme_down
}

# Target and host in one guest on one device.
one() {
	run_ok "a target here" disks_up && run_ok "on the same device" nvmet_up /dev/ram0 10.77.0.1 || return
	if run_ok "connect on one device" nvme_up 10.77.0.1; then
		fio_check "every block size on one device" "$(nvme_disk)"
		same_on_both "one device" "$(nvme_disk)" a /dev/ram0
		run_ok "disconnect" nvme_down
	fi
	run_ok "the target here goes" nvmet_down
}

if ! pair_up "${types[@]}" || ! there b disks_up; then
	not_ok "devices in both guests"
	tap_end
fi
ok "devices in both guests: ${side_dev[a]} and ${side_dev[b]}"
wire_up
run_ok "a target" there b nvmet_up /dev/ram0 10.77.0.2 fd77::2 || tap_end
for part in $parts; do
	[ "$part" = one ] || $part
done
run_ok "the target goes" there b nvmet_down
[[ " $parts " != *" one "* ]] || one
nothing_left
tap_end
