#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# serve.sh PORT COMMAND...: runs the command, prints READY when it listens on the
# TCP port, and ends with its exit status.
port=$(printf '%04X' "$1")
shift
trap 'kill $pid 2>/dev/null' TERM
"$@" &
pid=$!
# Where nothing ever comes: a way to wait without a process.
exec {nothing}<> <(:)
while kill -0 $pid 2>/dev/null; do
	for table in /proc/net/tcp /proc/net/tcp6; do
		while read -r _ local _ state _; do
			if [[ $local == *:$port && $state = 0A ]]; then
				echo READY
				wait $pid
				exit
			fi
		done < $table
	done
	read -rt 0.05 -u "$nothing"
done
wait $pid
