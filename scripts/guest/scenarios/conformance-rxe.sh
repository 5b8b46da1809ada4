#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The conformance program on the kernel's rdma_rxe: what it does not do is known
# and told in Documentation/peers.rst.
# kernels: none, for it tests somebody else's driver
. "$(dirname "$0")/../lib.sh"
rdma_up rxe eth0 || { not_ok "rdma_rxe on eth0"; tap_end; }
# What does not come is not waited for too long.
export SRNIC_TEST_PATIENCE=${SRNIC_TEST_PATIENCE:-2000}
exec "$SRNIC_BUILD/tests/srnic_conformance" --device rxe0 --tap \
	--expected userspace-provider/tests/conformance/expected_failures_rxe.txt "$@"
