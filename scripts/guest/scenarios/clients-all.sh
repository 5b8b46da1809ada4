#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Every combination of options of perftest's programs between two guests.
# guests: 2
# kernels: none, for it is 265 runs of a client
# vm: --timeout 7200
exec bash scripts/guest/clients.sh srnic srnic full a 4096
