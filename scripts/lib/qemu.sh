# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Starts one QEMU. Sourced by scripts/vm, whose settings it reads:
# vm_dir emulator cpus mem mtu append pcap initrd kernel_image kernel_modules guests
# out storage.

# Whether KVM runs ordinary guests here. The device may be there without.
qemu_kvm() { [ -w /dev/kvm ] && grep -qwE 'vmx|svm' /proc/cpuinfo && [ -z "${SRNIC_TCG:-}" ]; }

# KVM, else multi-threaded TCG. What is taken out of the CPU is emulated so slowly
# that it would distort every comparison.
qemu_cpu() {
	if qemu_kvm; then
		echo -accel kvm -cpu host
	else
		echo -accel tcg,thread=multi,tb-size=512 -cpu max,-erms,-fsrm,-la57,-pclmulqdq
	fi
}

# The wire named $1 as seen from guest $2: a listens, b connects.
qemu_wire() {
	local side=on
	[ "$2" = a ] || side=off
	if [ "$guests" = 1 ]; then
		echo hubport,id="$1",hubid=0
	else
		echo stream,id="$1",server=$side,addr.type=unix,addr.path="$vm_dir/$1.sock"
	fi
}

# Starts guest $1 in the background; its process is in qemu_pid.
qemu_start() {
	local g=$1 n=1 args line
	[ "$g" = a ] || n=2
	line="console=ttyS0 mitigations=off nokaslr quiet loglevel=5 panic=-1 no_timer_check pci=noacpi"
	line+=" tsc=reliable cryptomgr.notests random.trust_cpu=on printk.time=1 net.ifnames=0 kvm-intel.nested=0"
	line+=" oops=panic watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=120 workqueue.watchdog_thresh=120"
	# shellcheck disable=SC2153
	line+=" srnic.init=$SRNIC_TOP/scripts/qemu/init srnic.guest=$g srnic.mtu=$mtu"
	[ -z "$kernel_modules" ] || line+=" srnic.modules=$kernel_modules"
	[ -z "$storage" ] || line+=" srnic.layer"
	# shellcheck disable=SC2054
	args=(
		-M pc -nodefaults -no-user-config -display none -no-reboot -monitor none
		-smp "$cpus" -m "$mem" -name "srnic-$g"
		-kernel "$kernel_image" -initrd "$initrd" -append "$line $append"
		-serial "file:$vm_dir/$g.console"
		-fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap
		-device virtio-9p-pci,fsdev=root,mount_tag=root
		-fsdev "local,id=ctl,path=$vm_dir/$g,security_model=none"
		-device virtio-9p-pci,fsdev=ctl,mount_tag=ctl
		-fsdev "local,id=out,path=$out,security_model=none"
		-device virtio-9p-pci,fsdev=out,mount_tag=out
		-device virtio-serial-pci -chardev "file,id=text,path=$vm_dir/$g.pipe"
		-device virtserialport,chardev=text,name=srnic.text
		-netdev "$(qemu_wire data "$g")"
		-device "virtio-net-pci,netdev=data,mac=52:54:00:77:00:0$n,romfile="
	)
	if [ "$guests" = 2 ]; then
		args+=(-netdev "$(qemu_wire ctl "$g")"
			-device "virtio-net-pci,netdev=ctl,mac=52:54:00:78:00:0$n,romfile=")
	fi
	if [ -n "$storage" ]; then
		args+=(-fsdev "local,id=layer,path=$storage,security_model=none,readonly=on"
			-device "virtio-9p-pci,fsdev=layer,mount_tag=layer")
	fi
	if [ -n "$pcap" ] && [ "$g" = a ]; then
		args+=(-object "filter-dump,id=dump,netdev=data,file=$out/wire.pcap")
	fi
	# shellcheck disable=SC2046,SC2154
	"$emulator" $(qemu_cpu) "${args[@]}" < /dev/null \
		> "$vm_dir/$g.qemu" 2>&1 &
	qemu_pid=$!
}
