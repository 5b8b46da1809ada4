#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Some of the real clients between two guests under the kernel's checkers.
# guests: 2
# kernels: debug
# vm: --cpus 1 --timeout 1200 --append kmemleak=off
export PAIR_TIMEOUT=180
exec bash scripts/guest/clients.sh srnic srnic few a 4096
