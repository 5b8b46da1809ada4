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
	mountpoint -q /var/lib/nfs/rpc_pipefs || mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
	for f in etab rmtab xtab; do : > /var/lib/nfs/$f; done
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
	local version=$1 address=$2 folder=$3
	[[ $address != *:* ]] || address="[$address]"
	[[ $version != 4* ]] || folder=/
	modprobe -a nfs nfsv3 nfsv4 rpcrdma
	mkdir -p /mnt/nfs
	timeout 60 mount.nfs "$address:$folder" /mnt/nfs \
		-o "vers=$version,proto=rdma,port=20049,hard,nolock,timeo=50${nfs_options:-}"
}
nfs_down() { umount /mnt/nfs; }
nfs_proto() { grep ' /mnt/nfs ' /proc/mounts | grep -oE 'proto=[a-z0-9]+' | head -n 1; }
