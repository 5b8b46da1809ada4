#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# SRP, which is SCSI over RDMA, by rdma_cm: the kernel's target in guest b, its
# initiator in guest a, then both in guest a.
#
#   srp.sh [TYPE-IN-A [TYPE-IN-B [PARTS]]]    srnic or rxe
#
# guests: 2
# kernels: none, until it was seen to pass on a quiet machine
# vm: --timeout 900
. "$(dirname "$0")/../lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/storage.sh"
# shellcheck source=scripts/guest/storage/lio.sh
. "$storage_dir/lio.sh"
types=("${1:-srnic}" "${2:-${1:-srnic}}") parts=${3:-basic loss one}

back() { srp_up "${side_dev[a]}" 10.77.0.2; }

basic() {
	local disk
	run_ok "login" back || return
	disk=$(scsi_disk)
	fio_check "every block size" "$disk"
	same_on_both "a disk" "$disk" b /dev/ram0
	file_system "ext4" "$disk" srp_down back
	run_ok "logout" srp_down
	is "$(queues a)" 0 "no QP is left"
}

loss() {
	local disk lost='failed RECV|failed send|reconnect|SRP abort called'
	run_ok "login" back || return
	disk=$(scsi_disk)
	survives_all "$disk" "$lost"
	same_on_both "after all that" "$disk" b /dev/ram0
	run_ok "logout" srp_down
}

one() {
	run_ok "a target here" disks_up &&
		run_ok "on the same device" srp_target_up /dev/ram0 "${side_dev[a]}" 10.77.0.1 || return
	if run_ok "login on one device" srp_up "${side_dev[a]}" 10.77.0.1; then
		fio_check "every block size on one device" "$(scsi_disk)"
		same_on_both "one device" "$(scsi_disk)" a /dev/ram0
		run_ok "logout" srp_down
	fi
	run_ok "the target here goes" srp_target_down "${side_dev[a]}"
}

if ! pair_up "${types[@]}" || ! there b disks_up; then
	not_ok "devices in both guests"
	tap_end
fi
ok "devices in both guests: ${side_dev[a]} and ${side_dev[b]}"
wire_up
run_ok "a target" there b srp_target_up /dev/ram0 "${side_dev[b]}" 10.77.0.1 || tap_end
for part in $parts; do
	[ "$part" = one ] || $part
done
run_ok "the target goes" there b srp_target_down "${side_dev[b]}"
[[ " $parts " != *" one "* ]] || one
run_ok "the initiator unloads" modprobe -r ib_srp
nothing_left
tap_end
