# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What is asked of a consumer that gives the client a disk. Sourced.
#
# $consumer names it, and its file has
#   NAME_serve SIDE, NAME_serve_no_more SIDE
#                       /dev/ram0 of the guest at all of its addresses, or not
#   NAME_up ADDRESS, NAME_down
#                       the client's connection
#   NAME_disk           prints the client's disk
#   NAME_seen           results about what is connected
#   NAME_noticed        whether the client has found the connection lost
#   NAME_other          an address of b to come back by
#   NAME_end            after all parts

block_up() { "${consumer}_up" 10.77.0.2; }
block_back() { "${consumer}_up" "$("${consumer}_other")"; }

block_basic() {
	local disk
	run_ok "$consumer: connects" block_up || return
	disk=$("${consumer}_disk")
	"${consumer}_seen"
	fio_check "$consumer: every block size" "$disk"
	same_on_both "$consumer: a disk" "$disk" b /dev/ram0
	file_system "$consumer: ext4" "${consumer}_disk" "${consumer}_down" block_back
	run_ok "$consumer: disconnects" "${consumer}_down"
	no_queues "$consumer" a
}

block_loss() {
	local disk
	run_ok "$consumer: connects" block_up || return
	disk=$("${consumer}_disk")
	survives_all "$disk" "${consumer}_noticed"
	same_on_both "$consumer: after all that" "$disk" b /dev/ram0
	run_ok "$consumer: disconnects" "${consumer}_down"
}

block_ipv6() {
	[ "$("${consumer}_other")" = fd77::2 ] || return 0
	run_ok "$consumer: connects over IPv6" "${consumer}_up" fd77::2 || return
	fio_check "$consumer: every block size over IPv6" "$("${consumer}_disk")"
	run_ok "$consumer: disconnects" "${consumer}_down"
}

# Server and client in one guest on one device.
block_one() {
	run_ok "$consumer: connects on one device" "${consumer}_up" 10.77.0.1 || return
	fio_check "$consumer: every block size on one device" "$("${consumer}_disk")"
	same_on_both "$consumer: one device" "$("${consumer}_disk")" a /dev/ram0
	run_ok "$consumer: disconnects" "${consumer}_down"
}
