# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What guest scenarios share. Sourced by the scripts that scripts/vm runs.

GUEST_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$GUEST_DIR/tap.sh"
. "$GUEST_DIR/control.sh"
. "$GUEST_DIR/rdma.sh"
. "$GUEST_DIR/netns.sh"
. "$GUEST_DIR/resources.sh"

# Somebody who exports DMA buffers that can be mapped, for the conformance program.
dma_buffers() {
	local exporter
	exporter=$SRNIC_BUILD/$(uname -r)/kunit/srnic_dmabuf_exporter.ko
	if [ -e "$exporter" ]; then insmod "$exporter"; else modprobe vgem; fi
}

# share I N: on the debug kernel, which is slow, the test programs run only every
# N-th test, starting with the I-th, and those small; all with SRNIC_THOROUGH=1.
share() {
	[ "$SRNIC_KERNEL" = debug ] || return 0
	export SRNIC_TEST_SCALE=quick
	[ -n "${SRNIC_THOROUGH:-}" ] || export GTEST_SHARD_INDEX=$1 GTEST_TOTAL_SHARDS=$2
}
