#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# iSER, which is iSCSI over RDMA: the kernel's target in guest b, its initiator
# and open-iscsi in guest a, then both in guest a.
#
#   iser.sh [TYPE-IN-A [TYPE-IN-B [PARTS]]]    srnic or rxe
#
# guests: 2
# kernels: none, until it was seen to pass on a quiet machine
# vm: --timeout 900
. "$(dirname "$0")/../lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/storage.sh"
# shellcheck source=scripts/guest/storage/lio.sh
. "$storage_dir/lio.sh"
types=("${1:-srnic}" "${2:-${1:-srnic}}") parts=${3:-basic loss ipv6 one}

back() { iser_up 10.77.0.2; }
transport() { iscsiadm -m session -P 1 | sed -nE 's/^.*Iface Transport: *//p'; }

basic() {
	local disk
	run_ok "discovery and login" iser_up 10.77.0.2 || return
	disk=$(scsi_disk)
	is "$(transport)" iser "by iSER"
	fio_check "every block size" "$disk"
	same_on_both "a disk" "$disk" b /dev/ram0
	file_system "ext4" "$disk" iser_down back
	run_ok "logout" iser_down
	is "$(queues a)" 0 "no QP is left"
}

loss() {
	local disk lost='detected conn error|connection[0-9]+:[0-9]+: (ping timeout|detected)'
	run_ok "login" iser_up 10.77.0.2 || return
	disk=$(scsi_disk)
	survives_all "$disk" "$lost"
	same_on_both "after all that" "$disk" b /dev/ram0
	run_ok "logout" iser_down
}

ipv6() {
	run_ok "login over IPv6" iser_up fd77::2 || return
	fio_check "every block size over IPv6" "$(scsi_disk)"
	run_ok "logout" iser_down
}

one() {
	run_ok "a target here" disks_up && run_ok "on the same device" iser_target_up /dev/ram0 10.77.0.1 || return
	if run_ok "login on one device" iser_up 10.77.0.1; then
		fio_check "every block size on one device" "$(scsi_disk)"
		same_on_both "one device" "$(scsi_disk)" a /dev/ram0
		run_ok "logout" iser_down
	fi
	run_ok "the target here goes" iser_target_down
}

if ! pair_up "${types[@]}" || ! there b disks_up; then
	not_ok "devices in both guests"
	tap_end
fi
ok "devices in both guests: ${side_dev[a]} and ${side_dev[b]}"
wire_up
run_ok "a target" there b iser_target_up /dev/ram0 10.77.0.2 fd77::2 || tap_end
for part in $parts; do
	[ "$part" = one ] || $part
done
run_ok "the target goes" there b iser_target_down
[[ " $parts " != *" one "* ]] || one
iscsid_down
nothing_left
tap_end
