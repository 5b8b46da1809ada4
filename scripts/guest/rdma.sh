# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# RDMA devices of a guest: srnic, rdma_rxe, their GIDs. Sourced.
#
# SRNIC_KO        the module file; default <release>/srnic.ko of what was built
# SRNIC_PROVIDER  folder with libsrnic-rdmav*.so and srnic.driver

rdma_core() {
	modprobe -a ib_core ib_uverbs rdma_ucm ib_umad udp_tunnel ip6_udp_tunnel crc32_generic 2>/dev/null
	# libibverbs wants the device files; there is no udev here.
	mkdir -p /dev/infiniband
}

# install_provider: where libibverbs finds it, in this guest only.
install_provider() {
	local dir=${SRNIC_PROVIDER:-$SRNIC_BUILD/provider}
	mkdir -p /usr/lib/x86_64-linux-gnu/libibverbs /etc/libibverbs.d
	cp "$dir"/libsrnic-rdmav*.so /usr/lib/x86_64-linux-gnu/libibverbs/ &&
		cp "$dir"/srnic.driver /etc/libibverbs.d/
}

# load_srnic [PARAMETER...]: the module with all that it needs, and the provider.
load_srnic() {
	rdma_core
	install_provider || return
	insmod "${SRNIC_KO:-$SRNIC_BUILD/$(uname -r)/srnic.ko}" "$@"
}

# rdma_up TYPE [NETDEV [NAME]]: a device srnic0 or rxe0 on the netdev.
rdma_up() {
	local type=$1 netdev=${2:-eth0} name=${3:-}
	case $type in
	srnic)
		[ -e /sys/module/srnic ] || load_srnic || return
		rdma link add "${name:-srnic0}" type srnic netdev "$netdev" || return
		;;
	rxe)
		rdma_core
		modprobe rdma_rxe && rdma link add "${name:-rxe0}" type rxe netdev "$netdev" || return
		;;
	*) echo "unknown RDMA type $type" >&2; return 1 ;;
	esac
	wait_for 10 rdma_active "${name:-${type}0}"
}

rdma_active() { [[ $(< "/sys/class/infiniband/$1/ports/1/state") == *ACTIVE ]]; }

# The RDMA device of a netdev.
device_on() {
	local d
	for d in /sys/class/infiniband/*; do
		if grep -qx "$1" "$d"/ports/1/gid_attrs/ndevs/0 2>/dev/null; then
			echo "${d##*/}"
			return
		fi
	done
	return 1
}

# gid_index DEVICE ADDRESS: the index of the RoCE v2 GID of an IPv4 or IPv6 address.
gid_index() {
	local dir=/sys/class/infiniband/$1/ports/1 want f i
	want=$(gid_of "$2")
	for f in "$dir"/gids/*; do
		i=${f##*/}
		if [ "$(< "$f")" = "$want" ] &&
			[ "$(cat "$dir/gid_attrs/types/$i" 2>/dev/null)" = "RoCE v2" ]; then
			echo "$i"
			return
		fi
	done
	echo "no RoCE v2 GID $want on $1" >&2
	return 1
}

# The GID of an address as sysfs writes it.
gid_of() {
	local a=$1 left right n i words=()
	case $a in
	*:*)
		left=${a%%::*} right=''
		[[ $a != *::* ]] || right=${a#*::}
		n=0
		for i in ${left//:/ } ${right//:/ }; do n=$((n + 1)); done
		for i in ${left//:/ }; do words+=("$i"); done
		for ((i = n; i < 8; i++)); do words+=(0); done
		for i in ${right//:/ }; do words+=("$i"); done
		printf '%04x' "0x${words[0]}"
		for i in "${words[@]:1}"; do printf ':%04x' "0x$i"; done
		echo
		;;
	*)
		# shellcheck disable=SC2086
		printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' ${a//./ }
		;;
	esac
}
