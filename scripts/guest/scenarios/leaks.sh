#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A third of the conformance tests under kmemleak, which finds what is left when
# the module has gone. It doubles the time of a guest, so most others do without.
# kernels: debug
# vm: --timeout 900
. "$(dirname "$0")/../lib.sh"
export SRNIC_TEST_SCALE=quick GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=1
rdma_up srnic eth0 || { not_ok "srnic on eth0"; tap_end; }
exec "$SRNIC_BUILD/tests/srnic_conformance" --device srnic0 --tap
