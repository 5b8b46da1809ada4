#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The two programs of userspace-provider/examples.
# kernels: stock
. "$(dirname "$0")/../lib.sh"
rdma_up srnic eth0 || { not_ok "srnic on eth0"; tap_end; }
for program in rdma_walkthrough rdma_remote_read; do
	run_ok "$program" timeout 60 "$SRNIC_BUILD/tests/$program"
done
tap_end
