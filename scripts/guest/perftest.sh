# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Figures out of what perftest prints. Sourced.

# perftest_figure FILE: average MB/s of a bandwidth test, typical microseconds of
# a latency test; of the last size.
perftest_figure() {
	awk '/BW average/ { column = 4 } /t_typical/ { column = 5 }
		column && /^ *[0-9]+ +[0-9]+ +[0-9.]/ { figure = $column } END { print figure }' "$1"
}

# perftest_unit PROGRAM
perftest_unit() { case $1 in *_lat) echo us ;; *) echo MB/s ;; esac; }

# perftest_pair CLIENT-SIDE PROGRAM ARGUMENTS...: runs both ends, sets $figure.
perftest_pair() {
	local side=$1 program=$2
	shift 2
	figure=''
	client_server "$program $*" "$side" "$program" -d DEV -x GID -p 18515 -F "$@" || return
	figure=$(perftest_figure "$pair_log.client")
	[ -n "$figure" ]
}
