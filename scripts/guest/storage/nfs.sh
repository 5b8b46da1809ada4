# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# NFS over RDMA: the kernel's server and client, without systemd. Sourced.

# nfsd_up FOLDER: serves an ext4 disk, /dev/ram0, at port 20049.
nfsd_up() {
	local folder=$1 f
	modprobe -a ext4 nfsd rpcrdma && mkdir -p "$folder" /run/rpcbind /var/lib/nfs/v4recovery || return
	mkfs.ext4 -q -F /dev/ram0 && mount -t ext4 /dev/ram0 "$folder" || return
	mkdir -p /var/lib/nfs/rpc_pipefs
	# The user that the package would have made.
	grep -q ^_rpc: /etc/passwd || echo '_rpc:x:104:65534::/run/rpcbind:/usr/sbin/nologin' >> /etc/passwd
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	# mountd reads about clients as they come and go, and the kernel's nfsd counts a
	# reference to one that is just freed (a warning of refcount_t); so it sees none.
	mountpoint -q /proc/fs/nfsd/clients || mount -t tmpfs tmpfs /proc/fs/nfsd/clients || return
	mountpoint -q /var/lib/nfs/rpc_pipefs || mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
	for f in /var/lib/nfs/{e,rm,x}tab /etc/exports; do : > "$f"; done
	# fsid=0: the root of version 4, which cannot be the guest's own root, an overlay.
	# A client that comes back after the server did should not wait for a minute.
	# Daemons keep what they are given; nobody should wait for them to close it.
	nfsdcld &> /dev/null && rpcbind -w &> /dev/null &&
		exportfs -o rw,no_root_squash,insecure,no_subtree_check,fsid=0 "*:$folder" &&
		rpc.nfsd --grace-time 10 --lease-time 10 --rdma=20049 4 && rpc.mountd &> /dev/null
}

nfsd_down() {
	rpc.nfsd 0
	pkill -x rpc.mountd
	pkill -x nfsdcld
	exportfs -ua
	exportfs -f
	pkill -x rpcbind
	wait_for 20 umount "$1"
}

# nfs_up VERSION ADDRESS FOLDER: mounts it at /mnt/nfs.
nfs_up() {
	local version=$1 address=$2 folder=$3 proto=rdma
	[[ $address != *:* ]] || address="[$address]" proto=rdma6
	[[ $version != 4* ]] || folder=/
	modprobe -a nfs nfsv3 nfsv4 rpcrdma
	mkdir -p /mnt/nfs
	timeout 60 mount.nfs "$address:$folder" /mnt/nfs \
		-o "vers=$version,proto=$proto,port=20049,hard,nolock,timeo=50${nfs_options:-}"
}
nfs_down() { umount /mnt/nfs; }
nfs_proto() { grep ' /mnt/nfs ' /proc/mounts | grep -oE 'proto=[a-z0-9]+' | head -n 1; }
# How often the client has connected since it mounted.
nfs_connects() {
	awk '$1 == "device" { ours = $5 == "/mnt/nfs" }
		ours && $1 == "xprt:" && $2 == "rdma" { print $5 }' /proc/self/mountstats
}
# The QP that there was before a break is gone. The client's kernel says nothing.
nfs_noticed() { [ "$(queue_numbers)" != "$queues_before" ]; }

nfs_serve() { there "$1" nfsd_up /srv/nfs; }
nfs_serve_no_more() { there "$1" nfsd_down /srv/nfs; }
nfs_end() { :; }

# nfs_reads NAME SIDE: what the client wrote is on the server's disk, and back in the
# client when its caches are dropped.
nfs_reads() {
	local name=$1 server=$2 sums
	files /mnt/nfs
	sums=$(sums_of /mnt/nfs)
	is "$(there "$server" sums_of /srv/nfs)" "$sums" "$name: written here, read there"
	there "$server" files /srv/nfs
	sums=$(there "$server" sums_of /srv/nfs)
	# Attributes are cached for some seconds.
	nfs_down && nfs_up "$version" "$address" /srv/nfs
	is "$(sums_of /mnt/nfs)" "$sums" "$name: written there, read here"
}

# nfs_version VERSION ADDRESS SIDE: its requests and replies, long ones and short.
nfs_version() {
	local version=$1 address=$2 server=$3 name="NFS $1 over $2"
	run_ok "$name: mount" nfs_up "$version" "$address" /srv/nfs || return
	like "$(nfs_proto)" 'proto=rdma6?$' "$name: by RDMA"
	nfs_reads "$name" "$server"
	smallest=4k fio_check "$name: every block size" /mnt/nfs/fio
	# shellcheck disable=SC2016 # the inner bash expands it
	run_ok "$name: many names" bash -c 'cd /mnt/nfs && mkdir names && cd names && touch name-{1..100} &&
		[ $(ls | wc -l) = 100 ] && mv name-1 other && ln other again && rm -f name-* &&
		[ "$(ls | xargs)" = "again other" ] && cd .. && rm -r names'
	run_ok "$name: removes" rm -rf /mnt/nfs/fio /mnt/nfs/many
	run_ok "$name: umount" nfs_down
}

nfs_basic() {
	nfs_version 4.2 10.77.0.2 b
	nfs_version 3 fd77::2 b
}

nfs_loss() {
	local version=4.1 address=10.77.0.2 before
	run_ok "nfs: mount" nfs_up $version $address /srv/nfs || return
	before=$(nfs_connects)
	survives_all /mnt/nfs/load nfs_noticed
	run_ok "nfs: it has connected again" [ "$(nfs_connects)" -gt "$before" ]
	nfs_reads "nfs: after all that" b
	run_ok "nfs: umount" nfs_down
}

nfs_ipv6() {
	nfs_version 4.0 fd77::2 b
	nfs_version 3 10.77.0.2 b
}

nfs_one() { nfs_version 4.2 10.77.0.1 a; }
