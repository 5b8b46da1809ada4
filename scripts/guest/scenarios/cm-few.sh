#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Some of rdma_cm's programs between two guests under the kernel's checkers.
# guests: 2
# kernels: debug
# vm: --cpus 1 --timeout 900 --append kmemleak=off
export cm_timeout=180
exec bash "$(dirname "$0")/cm.sh" srnic few
