#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Garbage in uverbs commands and in mapped queues.
# vm: --timeout 600 --append kmemleak=off
. "$(dirname "$0")/../lib.sh"
[ "$SRNIC_KERNEL" = stock ] || export SRNIC_TEST_SCALE=quick
rdma_up srnic eth0 || { not_ok "srnic on eth0"; tap_end; }
resources_mark
"$SRNIC_BUILD/tests/srnic_hostile" || not_ok "the hostile program's exit status"
no_resources_left "of the hostile program"
exit $((tap_failed > 0))
