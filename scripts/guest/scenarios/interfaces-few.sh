#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What interfaces and addresses do to routes and groups, under the kernel's checkers.
# kernels: debug
# vm: --timeout 900 --append kmemleak=off
exec bash "$(dirname "$0")/interfaces.sh" moved parts
