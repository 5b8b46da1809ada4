#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# NFS over RDMA, the kernel's server in guest b and its client in guest a, then
# both in guest a.
#
#   nfs.sh [TYPE-IN-A [TYPE-IN-B [PARTS]]]    srnic or rxe
#
# guests: 2
# kernels: stock
# vm: --timeout 900
. "$(dirname "$0")/../lib.sh"
. "$GUEST_DIR/pair.sh"
. "$GUEST_DIR/storage.sh"
. "$storage_dir/nfs.sh"
types=("${1:-srnic}" "${2:-${1:-srnic}}") parts=${3:-basic loss ipv6 one}
export_dir=/srv/nfs

# reads NAME: what the client wrote is on the server's disk, and back in the
# client when its caches are dropped.
reads() {
	local name=$1 server=$2 sums
	files /mnt/nfs
	sums=$(sums_of /mnt/nfs)
	is "$(there "$server" sums_of $export_dir)" "$sums" "$name: written here, read there"
	there "$server" files $export_dir
	sums=$(there "$server" sums_of $export_dir)
	# Attributes are cached for some seconds.
	nfs_down && nfs_up "$version" "$address" $export_dir
	is "$(sums_of /mnt/nfs)" "$sums" "$name: written there, read here"
}

# A version's requests and replies: long ones, small ones, names.
version_of() {
	local name="NFS $1 over ${2}" server=$3
	version=$1 address=$2
	run_ok "$name: mount" nfs_up "$version" "$address" $export_dir || return
	like "$(nfs_proto)" 'proto=rdma6?$' "$name: by RDMA"
	reads "$name" "$server"
	smallest=4k fio_check "$name: every block size" /mnt/nfs/fio
	# shellcheck disable=SC2016 # the inner bash expands it
	run_ok "$name: many names" bash -c 'cd /mnt/nfs && mkdir names && cd names && touch name-{1..400} &&
		[ $(ls | wc -l) = 400 ] && mv name-1 other && ln other again && rm -f name-* && [ "$(ls | xargs)" = "again other" ] &&
		cd .. && rm -r names'
	run_ok "$name: removes" rm -rf /mnt/nfs/fio /mnt/nfs/many
	run_ok "$name: umount" nfs_down
}

basic() {
	version_of 4.2 10.77.0.2 b
	version_of 3 10.77.0.2 b
}

loss() {
	run_ok "mount" nfs_up 4.1 10.77.0.2 $export_dir || return
	survives "some seconds of silence, which the transport repairs" /mnt/nfs/load "silence b" "speech b" 2 ''
	survives "a silence too long" /mnt/nfs/load "silence b" "speech b" 25 ''
	survives "the client's interface goes down" /mnt/nfs/load "unplug a" "plug a" 25 ''
	survives "the server's interface goes down" /mnt/nfs/load "unplug b" "plug b" 25 ''
	version=4.1 address=10.77.0.2
	reads "after all that" b
	run_ok "umount" nfs_down
}

ipv6() { version_of 4.0 fd77::2 b; }

one() {
	run_ok "a server here" disks_up && run_ok "on the same device" nfsd_up $export_dir || return
	version_of 4.2 10.77.0.1 a
	run_ok "the server here goes" nfsd_down $export_dir
}

if ! pair_up "${types[@]}" || ! there b disks_up; then
	not_ok "devices in both guests"
	tap_end
fi
ok "devices in both guests: ${side_dev[a]} and ${side_dev[b]}"
wire_up
run_ok "a server" there b nfsd_up $export_dir || tap_end
for part in $parts; do
	[ "$part" = one ] || $part
done
run_ok "the server goes" there b nfsd_down $export_dir
[[ " $parts " != *" one "* ]] || one
nothing_left
tap_end
