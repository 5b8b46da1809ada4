# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the scenarios of storage over RDMA share: disks to serve, data that is
# checked, a wire that fails. Sourced after lib.sh and pair.sh; guest a is the
# client, guest b the server, and in the second part guest a is both.

storage_dir=$GUEST_DIR/storage
# To look takes an emulated guest a good part of a tenth of a second.
export wait_pause=0.5
# Sizes of the jobs: what scripts/check has time for, or more.
if [ -n "${SRNIC_THOROUGH:-}" ]; then
	job_sizes=(128k 2m 8m 16m 8m) file_sizes=(0 1 511 4096 5000 65536 100000 1000000 3000001)
	pattern_mib=4
else
	job_sizes=(32k 512k 2m 4m 2m) file_sizes=(0 1 511 4096 5000 65536 300001)
	pattern_mib=1
fi

# there SIDE FUNCTION ARGUMENT...: a function of these files in guest a or b.
there() {
	local side=$1
	shift
	if [ "$side" = a ]; then
		"$@"
	else
		on_b bash -c "for f in lib pair storage; do . $GUEST_DIR/\$f.sh; done
			for f in $storage_dir/*.sh; do . \$f; done; $(printf ' %q' "$@")"
	fi
}

# The kernel's configfs; a module here.
config_fs() {
	modprobe configfs
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
}

# disks_up: /dev/ram0 and /dev/ram1 of 64 MiB; memory is taken as they fill.
disks_up() { modprobe brd rd_nr=2 rd_size=65536; }

# What the kernel has said since the last kernel_mark matches.
kernel_mark() { echo "srnic-vm: mark $((++mark))" > /dev/kmsg; }
kernel_since() { dmesg | sed "1,/srnic-vm: mark $mark\$/d"; }
kernel_said() { kernel_since | grep -qE "$1"; }
mark=0

# wire_up: what the commands below need.
wire_up() {
	modprobe -a sch_ingress cls_flower act_gact
	on_b modprobe -a sch_ingress cls_flower act_gact
}

# queues SIDE: how many QPs consumers have there; queue_numbers: which.
queues() { on "$1" rdma resource show qp | grep -vc 'type GSI'; }
# no_queues NAME SIDE...: none is left there, once consumers have taken them away,
# which some leave to a thread.
no_queues() {
	local name=$1 side
	shift
	for side; do
		wait_for 30 has_no_queues "$side"
		is "$(queues "$side")" 0 "$name: no QP is left in $side"
	done
}
has_no_queues() { [ "$(queues "$1")" = 0 ]; }
queue_numbers() { rdma resource show qp | sed -nE '/type RC/s/.*lqpn ([0-9]+) .*/\1/p'; }

# ip6 SIDE: its IPv6 address.
ip6() { echo "fd77::${side_ip[$1]##*.}"; }

# silence SIDE, speech SIDE: no RoCE packet leaves or reaches the guest, while its
# interface stays up: a switch that fails.
silence() {
	local way p
	{
		echo "qdisc add dev eth0 clsact"
		for way in ingress egress; do
			for p in ip ipv6; do
				echo "filter add dev eth0 $way protocol $p flower ip_proto udp dst_port 4791 action drop"
			done
		done
	} > /run/silence
	on "$1" bash -c "tc -batch - <<< '$(< /run/silence)'"
}
speech() { on "$1" tc qdisc del dev eth0 clsact; }
# The same by the interface.
unplug() { on "$1" ip link set eth0 down; }
plug() {
	local peer=1
	[ "$1" = a ] && peer=2
	on "$1" bash -c "ip link set eth0 up
		ip addr replace fd77::${side_ip[$1]##*.}/64 dev eth0 nodad
		ip neigh replace 10.77.0.$peer lladdr 52:54:00:77:00:0$peer dev eth0
		ip neigh replace fd77::$peer lladdr 52:54:00:77:00:0$peer dev eth0"
}

# fio_jobs: many block sizes and depths at once, each in its own part of 48 MiB,
# every block with a checksum that is read back. $1: more global options.
fio_jobs() {
	cat <<- J
	[global]
	direct=1
	ioengine=libaio
	verify=crc32c
	verify_fatal=1
	verify_backlog=64
	thread=1
	$1
	[small]
	rw=randwrite
	bs=${smallest:-512}
	iodepth=1
	size=${job_sizes[0]}
	[pages]
	rw=randwrite
	bs=4k
	iodepth=16
	offset=1m
	size=${job_sizes[1]}
	[mixed]
	rw=randwrite
	bssplit=${smallest:-512}/20:4k/20:20k/20:64k/20:252k/20
	bs_unaligned=1
	iodepth=8
	offset=8m
	size=${job_sizes[2]}
	[large]
	rw=write
	bs=1m
	iodepth=4
	offset=16m
	size=${job_sizes[3]}
	[whole]
	rw=write
	bs=128k
	iodepth=32
	offset=32m
	size=${job_sizes[4]}
	J
}

# fio_clean FILE JOBS: every job ended without an error and has written.
fio_clean() {
	[ "$(grep -cE '^[a-z]+: \(groupid=.* err= 0:' "$1")" = "$2" ] &&
		grep -qE '^ +WRITE: .*io=[1-9]' "$1" && grep -qE '^ +READ: .*io=[1-9]' "$1" &&
		! grep -qiE 'verify( type)?.*(bad|fail)|bad magic|io_u error' "$1"
}

# fio_check NAME FILE: writes and verifies as fio_jobs; one result.
fio_check() {
	fio_jobs "filename=$2" > /run/fio.job
	if timeout 300 fio /run/fio.job > /run/fio.out 2>&1 && fio_clean /run/fio.out 5; then
		ok "$1 ($(grep -E '^ +WRITE: ' /run/fio.out | sed -E 's/.*bw=([^ ]+) .*/\1/') written)"
	else
		not_ok "$1" "$(grep -vE '^$|percentiles|\|' /run/fio.out | head -n 25)"
		return 1
	fi
}

# load_start FILE: load that is checked, over and over until load_end, which says
# what came of it. The wait ends with the first data written.
load_start() {
	rm -f /run/load.stop /run/load.out
	load "$1" > /run/load.out 2>&1 &
	load_pid=$!
	wait_for 60 grep -q 'WRITE: .*io=[1-9]' /run/load.out
}
load() {
	local end=$((SECONDS + 300))
	until [ -e /run/load.stop ]; do
		timeout $((end - SECONDS)) fio --name=load --filename="$1" --direct=1 --ioengine=libaio \
			--rw=randwrite --bs=16k --iodepth=4 --size=512k --rate_iops=40 --verify=crc32c \
			--verify_fatal=1 > /run/load.pass 2>&1 || { cat /run/load.pass; return 1; }
		fio_clean /run/load.pass 1 || { cat /run/load.pass; return 2; }
		grep WRITE: /run/load.pass
	done
	echo "load: ended"
}
load_runs() { kill -0 "$load_pid" 2> /dev/null; }
load_passes() { local lines; mapfile -t lines < /run/load.out; echo ${#lines[@]}; }
load_at_pass() { [ "$(load_passes)" -ge "$1" ] || ! load_runs; }
load_end() {
	local status=0
	# What was on its way may have been all that there was.
	wait_for 120 load_at_pass $(($(load_passes) + 2))
	touch /run/load.stop
	wait "$load_pid" || status=$?
	if [ $status = 0 ] && grep -q '^load: ended' /run/load.out; then
		ok "$1"
	else
		not_ok "$1" "the load ends with status $status" "$(tail -n 30 /run/load.out | cut -c 1-150)" \
			"$(dmesg | tail -n 15)"
		return 1
	fi
}

# survives NAME FILE BREAK MEND SECONDS [NOTICED]: load goes on over a wire that is
# broken by the command BREAK for so long and until the command NOTICED (if there is
# one) succeeds, then repaired by the command MEND.
survives() {
	local name=$1 file=$2 break=$3 mend=$4 seconds=$5 noticed=${6:-} passes

	kernel_mark
	load_start "$file" || not_ok "$name: the load starts" "$(tail -n 20 /run/load.pass)"
	queues_before=$(queue_numbers)
	$break || not_ok "$name: $break"
	sleep 2
	passes=$(load_passes)
	sleep "$seconds"
	[ -z "$noticed" ] || wait_for 60 "$noticed" ||
		not_ok "$name: the client notices" "$(kernel_since | tail -n 20)"
	is "$(load_passes)" "$passes" "$name: the load waits meanwhile"
	$mend || not_ok "$name: $mend"
	load_end "$name"
}

# pattern FILE MIB: data that is nowhere alike.
pattern() { head -c "$2M" /dev/urandom > "$1"; }

# sum_of FILE MIB: the checksum of its begin, read past the page cache.
sum_of() { dd if="$1" bs=1M count="$2" iflag=direct status=none | sha256sum | cut -d ' ' -f 1; }

# same_on_both NAME FILE-HERE SIDE FILE-THERE: what is written here is there, as
# the server's disk itself tells.
same_on_both() {
	local want
	pattern /run/pattern $pattern_mib
	want=$(sha256sum < /run/pattern | cut -d ' ' -f 1)
	if ! dd if=/run/pattern of="$2" bs=256k oflag=direct conv=notrunc,fsync status=none; then
		not_ok "$1: dd"
		return
	fi
	is "$(there "$3" sum_of "$4" $pattern_mib)" "$want" "$1: written here, read there"
	there "$3" dd if=/dev/urandom of="$4" bs=1M count=$pattern_mib oflag=direct conv=notrunc,fsync status=none
	is "$(sum_of "$2" $pattern_mib)" "$(there "$3" sum_of "$4" $pattern_mib)" "$1: written there, read here"
}

# file_system NAME DISK AWAY BACK: ext4 with files, checked after the disk, which
# the command DISK prints, went away and came back by the commands AWAY and BACK.
file_system() {
	local name=$1 away=$3 back=$4 sums disk

	disk=$($2)
	mkdir -p /mnt/fs
	modprobe ext4
	if ! mkfs.ext4 -q -F "$disk" > /run/mkfs 2>&1 || ! mount -t ext4 "$disk" /mnt/fs; then
		not_ok "$name" "$(cat /run/mkfs)"
		return 1
	fi
	files /mnt/fs
	sums=$(sums_of /mnt/fs)
	umount /mnt/fs && $away > /run/away 2>&1 && $back > /run/back 2>&1 && disk=$($2) &&
		mount -t ext4 "$disk" /mnt/fs ||
		not_ok "$name: it goes and comes back" "$(cat /run/away /run/back)" "$(dmesg | tail -n 10)"
	is "$(sums_of /mnt/fs)" "$sums" "$name: the same files after it came back"
	umount /mnt/fs
	run_ok "$name: and e2fsck finds nothing" e2fsck -fn "$disk"
}

# files FOLDER: files of every sort of size in it.
files() {
	local n
	for n in "${file_sizes[@]}"; do
		head -c "$n" /dev/urandom > "$1/file-$n"
	done
	mkdir -p "$1/many"
	for n in {1..30}; do echo "$n" > "$1/many/$n"; done
	ln -sf file-5000 "$1/link"
	sync
}

# sums_of FOLDER: one checksum over names and contents.
sums_of() {
	(cd "$1" && find . -type f -o -type l | sort | xargs sha256sum) | sha256sum | cut -d ' ' -f 1
}

# survives_all FILE NOTICED: load in a file or on a disk of b survives each break of
# the wire there is. The client gives a connection up after some seconds.
survives_all() {
	survives "$consumer: a silence too long: a new connection" "$1" "silence b" "speech b" 1 "$2"
	[ -n "${SRNIC_THOROUGH:-}" ] || return 0
	survives "$consumer: some seconds of silence, which the transport repairs" "$1" "silence b" "speech b" 0.5
	survives "$consumer: the client's interface goes down" "$1" "unplug a" "plug a" 1 "$2"
	survives "$consumer: the server's interface goes down" "$1" "unplug b" "plug b" 1 "$2"
	! declare -F "${consumer}_breaks" > /dev/null || "${consumer}_breaks" "$1"
}
