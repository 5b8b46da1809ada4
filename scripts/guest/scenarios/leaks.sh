#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Some of the conformance tests and bad commands under kmemleak, which finds what is left when
# the module has gone. It doubles the time of a guest, so most others do without.
# kernels: debug
# vm: --timeout 900
. "$(dirname "$0")/../lib.sh"
# The others than conformance runs.
share 1 6
run_ok "an exporter of DMA buffers" dma_buffers
rdma_up srnic eth0 || { not_ok "srnic on eth0"; tap_end; }
"$SRNIC_BUILD/tests/srnic_conformance" --device srnic0 --tap ||
	not_ok "the conformance program's exit status"
unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
"$SRNIC_BUILD/tests/srnic_hostile" --gtest_filter='HostileCommandTest.*' ||
	not_ok "the hostile program's exit status"
exit $((tap_failed > 0))
