# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Whether what a client printed is what its arguments asked for: an exit status of 0
# says little. Sourced.

# option LETTER DEFAULT WORD...: the value of an option among the words.
option() {
	local letter=$1 value=$2
	shift 2
	while [ $# -gt 1 ]; do
		[ "$1" != "$letter" ] || value=$2
		shift
	done
	echo "$value"
}

# client_verdict FILE PROGRAM ARGUMENT...: says what is wrong in FILE, and fails then.
client_verdict() {
	local file=$1
	shift
	case $1 in
	ibv_*pingpong) pingpong_verdict "$file" "$@" ;;
	*) perftest_verdict "$file" "$@" ;;
	esac
}

# "8192000 bytes in 0.10 seconds = 600.00 Mbit/sec", "1000 iters in 0.10 seconds = ..."
pingpong_verdict() {
	local file=$1 iterations size bytes
	shift
	# It tells no more.
	if [ "$1" = ibv_xsrq_pingpong ]; then
		grep -qx success "$file" && return
		echo "no success"
		return 1
	fi
	iterations=$(option -n 1000 "$@")
	size=$(option -s 4096 "$@")
	bytes=$((2 * size * iterations))
	if ! grep -qE "^$bytes bytes in [0-9.]+ seconds" "$file"; then
		echo "no line of $bytes bytes"
		return 1
	fi
	if ! grep -qE "^$iterations iters in [0-9.]+ seconds = [0-9.]+ usec/iter" "$file"; then
		echo "no line of $iterations iterations"
		return 1
	fi
}

# A table with a line a message size: its bytes, its messages, and in the fifth column
# a rate of messages or a typical time. That may be 0: perftest measures the CPU's clock
# first, and takes 0 Hz for it where others disturb that.
perftest_verdict() {
	local file=$1 iterations size queues lines=1 verb
	shift
	verb=${1#ib_}
	iterations=$(option -n 1000 "$@")
	queues=$(option -q 1 "$@")
	size=$(option -s "$([[ $verb != *_lat ]] && echo 65536 || echo 2)" "$@")
	[[ $verb != atomic_* ]] || size=8
	[[ " $* " != *" -a "* ]] || lines=23 size=8388608
	awk -v n="$((iterations * queues))" -v size="$size" -v lines="$lines" '
		/^ *#bytes/ { table = 1; next }
		table && /^ *[0-9]+ +[0-9]+ +[0-9.]/ {
			seen++
			bytes = $1
			if ($2 != n) print "size " $1 ": " $2 " messages, not " n
			if ($5 !~ /^[0-9.]+$/) print "size " $1 ": " $5 " is no figure"
		}
		END {
			if (seen != lines) print seen + 0 " lines of results, not " lines
			else if (bytes != size) print "the last size is " bytes ", not " size
		}' "$file" > "$file.verdict"
	cat "$file.verdict"
	[ ! -s "$file.verdict" ]
}
