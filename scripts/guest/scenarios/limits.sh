#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# As many objects, and as long a message, as the device says are possible.
# kernels: none, for it takes ten minutes
# vm: --timeout 900 --mem 8192
. "$(dirname "$0")/../lib.sh"
rdma_up srnic eth0 || { not_ok "srnic on eth0"; tap_end; }
# A QP is two mappings.
sysctl -q vm.max_map_count=1000000
export SRNIC_TEST_HUGE=1
exec "$SRNIC_BUILD/tests/srnic_conformance" --device srnic0 --tap \
	--gtest_filter='LimitsTest.*:SgeTest.TwoGibibytes'
