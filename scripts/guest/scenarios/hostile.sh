#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Garbage in uverbs commands and in mapped queues.
# kernels: stock
# vm: --timeout 600
. "$(dirname "$0")/../lib.sh"
share 0 1
rdma_up srnic eth0 || { not_ok "srnic on eth0"; tap_end; }
exec "$SRNIC_BUILD/tests/srnic_hostile"
