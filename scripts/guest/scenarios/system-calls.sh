#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Counts the system calls of the data path.
# kernels: stock
# slots: 2
. "$(dirname "$0")/../lib.sh"
rdma_up srnic eth0 || { not_ok "srnic on eth0"; tap_end; }
exec "$SRNIC_BUILD/tests/syscall_count"
