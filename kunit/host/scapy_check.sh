#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Packets made by scapy, judged by hex_test. Usage: scapy_check.sh HEX_TEST
set -eu

packets=$(mktemp)
trap 'rm -f "$packets"' EXIT
status=0
/usr/bin/python3 "$(dirname "$0")/scapy_packets.py" 520 > "$packets" || status=$?
if [ "$status" = 77 ] || [ "$status" = 127 ]; then
	printf 'TAP version 13\n1..0 # SKIP python3-scapy is not installed\n'
	exit 0
fi
[ "$status" = 0 ]
"$1" < "$packets"
