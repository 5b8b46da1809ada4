#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Interfaces on top of a device's: VLANs, bonds, bridges, and addresses that move
# among them. The subjects are in interfaces.sh.
# kernels: stock
# vm: --timeout 900
exec bash "$(dirname "$0")/interfaces.sh" vlans moved bonds parts
