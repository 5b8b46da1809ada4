# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What QEMU loads: the kernel, and the initramfs that gets a guest from the
# kernel to the host's root. Sourced.

# Modules that a guest needs before it sees the host's files, and the network
# ones, which load faster from here. Built-in ones are skipped.
INITRAMFS_MODULES="virtio_pci 9pnet_virtio 9p overlay virtio_net virtio_console"

# Lists the files of the modules $2... of the release $1 under the root $3, in
# the order in which they have to be loaded.
initramfs_files() {
	local root=$1 release=$2 m
	shift 2
	for m in "$@"; do
		modprobe -d "$root" -S "$release" --show-depends "$m" 2>/dev/null |
			sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | awk '!seen[$0]++'
}

# Prints the path of the initramfs for the release $2 with modules under $1,
# made when there is none yet.
initramfs() {
	local root=$1 release=$2 init=$SRNIC_TOP/scripts/qemu/initramfs-init
	local key out dir f
	key=$({ cat "$init" "${BASH_SOURCE[0]}" /bin/busybox "$root/lib/modules/$release/modules.dep"
		stat -c '%Y' "$root/lib/modules/$release"; } | sha256sum | cut -c 1-12)
	out=$SRNIC_CACHE/initramfs/$release-$key.cpio
	if [ ! -e "$out" ]; then
		mkdir -p "$SRNIC_CACHE/initramfs"
		dir=$(mktemp -d)
		mkdir -p "$dir"/{bin,dev,proc,sys,modules,lower,layer,upper,root}
		cp /bin/busybox "$dir/bin/"
		install -m 755 "$init" "$dir/init"
		# shellcheck disable=SC2086
		for f in $(initramfs_files "$root" "$release" $INITRAMFS_MODULES); do
			# Debian's newer kernels have compressed modules.
			case $f in
			*.xz) xz -dc "$f" > "$dir/modules/$(basename "${f%.xz}")" ;;
			*.zst) zstd -dqc "$f" > "$dir/modules/$(basename "${f%.zst}")" ;;
			*) cp "$f" "$dir/modules/" ;;
			esac
			f=${f##*/}
			echo "${f%.ko*}.ko" >> "$dir/modules/order"
		done
		touch "$dir/modules/order"
		(cd "$dir" && find . | cpio --quiet -o -H newc -R 0:0) > "$out.$$"
		mv "$out.$$" "$out"
		rm -rf "$dir"
	fi
	echo "$out"
}

# Prints the path of the kernel image $1 in the form that boots fastest: Debian's
# bzImage takes an emulated CPU four seconds to unpack, so its ELF file is taken
# out once (it has the PVH entry point that QEMU starts).
kernel_elf() {
	local image=$1 out offset
	offset=$(LC_ALL=C grep -abom 1 -P '\xfd7zXZ\x00' "$image" | head -n 1 | cut -d: -f1) || true
	[ -n "$offset" ] || { echo "$image"; return; }
	out=$SRNIC_CACHE/initramfs/$(basename "$image")-$(stat -c '%Y-%s' "$image").elf
	if [ ! -e "$out" ]; then
		mkdir -p "$SRNIC_CACHE/initramfs"
		# The compressed file is followed by more, which xz calls an error.
		tail -c "+$((offset + 1))" "$image" | xz -dcq > "$out.$$" 2>/dev/null || true
		if readelf -n "$out.$$" 2>/dev/null | grep -q Xen; then
			mv "$out.$$" "$out"
		else
			rm -f "$out.$$"
			out=$image
		fi
	fi
	echo "$out"
}
