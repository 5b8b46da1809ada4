#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# srnic in guest a, the kernel's rdma_rxe in guest b; each side is client once.
# guests: 2
# kernels: stock
# vm: --cpus 1 --timeout 900
exec bash scripts/guest/clients.sh srnic rxe brief "a b" 4096 few 1024
