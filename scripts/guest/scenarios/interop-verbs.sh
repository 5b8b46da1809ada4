#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The conformance program with srnic at one end and the kernel's rdma_rxe at the
# other, each of them once the end that the tests are about: all operations that
# both have, of messages of all sizes, with immediate data and invalidation, atomic
# operations, datagrams, multicast, shared receive queues, memory windows.
# guests: 2
# kernels: stock
# vm: --timeout 900
. "$(dirname "$0")/../lib.sh"
. "$GUEST_DIR/pair.sh"
program=$SRNIC_BUILD/tests/srnic_conformance
expected=userspace-provider/tests/conformance/expected_failures_rxe.txt
filter=${SRNIC_FILTER:-*MessageTest.*:SgeTest.*:AtomicTest.*:CompletionTest.*:*UdTest.*:InvalidateTest.*:*EitherWindowTest.*:SrqTest.*:ChannelTest.*}

pair_up srnic rxe || { not_ok "devices in both guests"; tap_end; }
resources_mark

# ends SIDE-OF-THE-TESTS SERVER-SIDE
ends() {
	on "$2" "$program" --device "${side_dev[$2]}" --server > /run/server 2>&1 &
	on "$1" "$program" --device "${side_dev[$1]}" --connect "${side_ip[$2]}" --tap \
		--expected "$expected" --gtest_filter="$filter" ||
		not_ok "the tests about ${side_type[$1]}"
	wait $! || not_ok "their server" "$(tail -n 20 /run/server)"
}
ends a b
ends b a
no_resources_left "in guest a"
exit $((tap_failed > 0))
