# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# SCSI targets of the kernel (LIO) by configfs: iSER and SRP; their initiators. Sourced.

lio=/sys/kernel/config/target iqn=iqn.2026-01.org.example:srnic
iqn_client=iqn.2026-01.org.example:client
srp_port=5555

# lio_disk DISK: as a back end of the name disk.
lio_disk() {
	config_fs
	modprobe -a target_core_mod target_core_iblock && mkdir -p $lio/core/iblock_0/disk &&
		echo "udev_path=$1" > $lio/core/iblock_0/disk/control &&
		echo 1 > $lio/core/iblock_0/disk/enable
}
lio_disk_down() { rmdir $lio/core/iblock_0/disk $lio/core/iblock_0; }

# iser_target_up DISK ADDRESS...: serves the disk at each address.
iser_target_up() {
	local t=$lio/iscsi/$iqn/tpgt_1 portal
	lio_disk "$1" || return
	shift
	modprobe -a iscsi_target_mod ib_isert && mkdir -p $t/lun/lun_0 &&
		ln -s $lio/core/iblock_0/disk $t/lun/lun_0/disk || return
	for portal; do
		[[ $portal != *:* ]] || portal="[$portal]"
		mkdir "$t/np/$portal:3260" && echo 1 > "$t/np/$portal:3260/iser" || return
	done
	echo 0 > $t/attrib/authentication
	echo 1 > $t/attrib/generate_node_acls
	echo 1 > $t/attrib/cache_dynamic_acls
	echo 0 > $t/attrib/demo_mode_write_protect
	echo 1 > $t/enable
}
iser_target_down() {
	local t=$lio/iscsi/$iqn/tpgt_1
	echo 0 > $t/enable
	rm -f $t/lun/lun_0/disk
	rmdir $t/lun/lun_0 $t/np/* $t $lio/iscsi/$iqn $lio/iscsi
	lio_disk_down
	modprobe -r ib_isert
}

# The disk of a SCSI host whose driver is one of ours.
scsi_disk() {
	local d
	for d in /sys/block/sd*; do
		[ -e "$d" ] && [ -b "/dev/${d##*/}" ] && grep -q LIO-ORG "$d/device/vendor" &&
			echo "/dev/${d##*/}" && return
	done
	return 1
}
scsi_gone() { ! scsi_disk; }

iscsid_up() {
	modprobe -a sd_mod ib_iser libiscsi scsi_transport_iscsi || return
	mkdir -p /etc/iscsi /run/lock/iscsi
	echo "InitiatorName=$iqn_client" > /etc/iscsi/initiatorname.iscsi
	cat > /etc/iscsi/iscsid.conf <<- C
	iscsid.startup = /bin/true
	node.startup = manual
	node.leading_login = No
	node.session.timeo.replacement_timeout = 120
	node.conn[0].timeo.login_timeout = 15
	node.conn[0].timeo.noop_out_interval = 3
	node.conn[0].timeo.noop_out_timeout = 4
	node.session.err_timeo.abort_timeout = 15
	node.session.initial_login_retry_max = 8
	node.session.cmds_max = 128
	node.session.queue_depth = 32
	node.session.iscsi.InitialR2T = No
	node.session.iscsi.ImmediateData = Yes
	node.session.iscsi.FirstBurstLength = 262144
	node.session.iscsi.MaxBurstLength = 16776192
	node.conn[0].iscsi.MaxRecvDataSegmentLength = 262144
	C
	pgrep -x iscsid > /dev/null || iscsid
}
# iser_up ADDRESS: discovers the target by iSER, and logs in.
iser_up() {
	local portal=$1
	[[ $portal != *:* ]] || portal="[$portal]"
	iscsid_up && iscsiadm -m discovery -t sendtargets -I iser -p "$portal:3260" &&
		iscsiadm -m node -T $iqn -p "$portal:3260" -I iser --login && wait_for 30 scsi_disk
}
iser_down() {
	iscsiadm -m node -T $iqn --logout && wait_for 30 scsi_gone && iscsiadm -m node -o delete
}
iscsid_down() { iscsiadm -k 0; pkill -x iscsid; modprobe -r ib_iser; }
