# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Results in the Test Anything Protocol. Sourced.

tap_count=0 tap_failed=0

# ok NAME, not_ok NAME [DETAIL]: one result.
ok() { echo "ok $((++tap_count)) - $*"; }
not_ok() {
	echo "not ok $((++tap_count)) - $1"
	tap_failed=$((tap_failed + 1))
	[ $# = 1 ] || printf '%s\n' "${@:2}" | note
}
skip() { echo "ok $((++tap_count)) - $1 # SKIP ${2:-}"; }
# Comment lines, from the arguments or stdin.
note() { if [ $# -gt 0 ]; then echo "# $*"; else sed 's/^/# /'; fi; }

# is GOT WANTED NAME
is() {
	if [ "$1" = "$2" ]; then ok "$3"; else not_ok "$3" "got: $1" "wanted: $2"; fi
}

# like GOT REGEX NAME
like() {
	if [[ $1 =~ $2 ]]; then ok "$3"; else not_ok "$3" "got: $1" "wanted: $2"; fi
}

# run_ok NAME COMMAND...: the command succeeds; shows its output if it does not.
run_ok() {
	local name=$1 text status
	shift
	text=$("$@" 2>&1) && status=0 || status=$?
	if [ $status = 0 ]; then ok "$name"; else not_ok "$name" "exit status $status of: $*" "$text"; fi
	return $status
}

# run_fail NAME COMMAND...: the command fails with a status of its own, not by a signal.
run_fail() {
	local name=$1 text status
	shift
	text=$("$@" 2>&1) && status=0 || status=$?
	if [ $status -gt 0 ] && [ $status -lt 124 ]; then
		ok "$name"
	else
		not_ok "$name" "exit status $status of: $*" "$text"
		return 1
	fi
}

# Ends a scenario: the plan, and an exit status that tells.
tap_end() {
	echo "1..$tap_count"
	[ $tap_failed = 0 ] || note "$tap_failed of $tap_count failed"
	exit $((tap_failed > 0))
}

# wait_for SECONDS COMMAND...: until the command succeeds; it is tried every
# wait_pause seconds.
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -le "$end" ] || return 1
		sleep "${wait_pause:-0.1}"
	done
}
