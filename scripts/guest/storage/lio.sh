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

iser_serve() { there "$1" iser_target_up /dev/ram0 "${side_ip[$1]}" "$(ip6 "$1")"; }
iser_serve_no_more() { there "$1" iser_target_down; }

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
# iser_discover PORTAL: once in fifty times open-iscsi does not see the response to its
# login, over rdma_rxe as well: the kernel has it, and waits for nothing.
iser_discover() {
	local try
	for ((try = 1; try <= 3; try++)); do
		timeout 20 iscsiadm -m discovery -t sendtargets -I iser -p "$1" && return
	done
	return 1
}
# iser_up ADDRESS: discovers the target by iSER, and logs in.
iser_up() {
	local portal=$1
	[[ $portal != *:* ]] || portal="[$portal]"
	iscsid_up && iser_discover "$portal:3260" &&
		iscsiadm -m node -T $iqn -p "$portal:3260" -I iser --login && wait_for 30 scsi_disk
}
iser_down() {
	iscsiadm -m node -T $iqn --logout && wait_for 30 scsi_gone && iscsiadm -m node -o delete
}
iser_disk() { scsi_disk; }
iser_other() { echo fd77::2; }
iser_seen() { is "$(iscsiadm -m session -P 1 | sed -nE 's/^.*Iface Transport: *//p')" iser "iser: by iSER"; }
iser_noticed() { kernel_said 'detected conn error|connection[0-9]+:[0-9]+: (ping timeout|detected)'; }
iser_end() {
	iscsiadm -k 0
	pkill -x iscsid
	modprobe -r ib_iser
}

# SRP by rdma_cm. The target's port has the name of its first GID's second half.
srp_id=0002c90300000001
srpt_wwn() { cut -d : -f 5- "/sys/class/infiniband/$1/ports/1/gids/0"; }

# srp_target_up DISK DEVICE ADDRESS: serves the disk to who comes by this address of
# the target's, which ib_srpt takes for the initiator's.
srp_target_up() {
	local wwn t
	lio_disk "$1" && modprobe ib_srpt srpt_service_guid=0x$srp_id || return
	wwn=$(srpt_wwn "$2") t=$lio/srpt/$wwn/$wwn
	mkdir -p "$t/lun/lun_0" && ln -s $lio/core/iblock_0/disk "$t/lun/lun_0/disk" &&
		mkdir "$t/acls/$3" && mkdir "$t/acls/$3/lun_0" &&
		ln -s "$t/lun/lun_0" "$t/acls/$3/lun_0/disk" && echo 1 > "$t/enable" &&
		echo $srp_port > $lio/srpt/discovery_auth/rdma_cm_port
}
srp_target_down() {
	local wwn t
	wwn=$(srpt_wwn "$1") t=$lio/srpt/$wwn/$wwn
	echo 0 > $lio/srpt/discovery_auth/rdma_cm_port
	echo 0 > "$t/enable"
	rm -f "$t"/acls/*/lun_0/disk
	rmdir "$t"/acls/*/lun_0 "$t"/acls/*
	rm -f "$t/lun/lun_0/disk"
	rmdir "$t/lun/lun_0" "$t" "$lio/srpt/$wwn" $lio/srpt
	lio_disk_down
	modprobe -r ib_srpt
}

srp_serve() { there "$1" srp_target_up /dev/ram0 "${side_dev[$1]}" "${side_ip[$1]}"; }
srp_serve_no_more() { there "$1" srp_target_down "${side_dev[$1]}"; }

# An earlier login is in the way until a thread has taken it away, after its disk.
srp_login() {
	echo "id_ext=$srp_id,ioc_guid=$srp_id,tl_retry_count=2,queue_size=32,dest=$1:$srp_port" \
		> "/sys/class/infiniband_srp/srp-${side_dev[a]}-1/add_target"
}
# srp_up ADDRESS: logs in to the target there. With the seven retries of two seconds
# that are the default an abort comes before the connection is lost.
srp_up() {
	modprobe sd_mod && modprobe ib_srp reconnect_delay=1 fast_io_fail_tmo=100 dev_loss_tmo=120 || return
	wait_for 30 srp_login "$1" && wait_for 30 scsi_disk || return
	echo 10 > "/sys/block/$(basename "$(scsi_disk)")/device/timeout"
}
srp_down() {
	local p
	for p in /sys/class/srp_remote_ports/port-*; do
		[ ! -e "$p" ] || echo 1 > "$p/delete"
	done
	wait_for 30 scsi_gone
}

srp_disk() { scsi_disk; }
srp_other() { echo 10.77.0.2; }
srp_seen() { :; }
srp_noticed() { kernel_said 'failed RECV|failed send|reconnect'; }
srp_end() { run_ok "srp: the initiator unloads" modprobe -r ib_srp; }
