#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Real clients between two guests, srnic on both sides.
# guests: 2
# kernels: stock
# vm: --cpus 1 --timeout 900
exec bash scripts/guest/clients.sh srnic srnic pairs a 4096
