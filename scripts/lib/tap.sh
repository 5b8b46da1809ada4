# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Reads results in the Test Anything Protocol. Sourced.

# count_tap LOG STATUS: sets tap_passed, tap_failed, tap_skipped. A stage that
# fails without a failed result, that bails out, that has fewer results than its
# plan or none at all counts as one failure more.
count_tap() {
	local log=$1 status=$2 plan
	tap_skipped=$(grep -cE '^ok\b.*# SKIP' "$log") || true
	tap_passed=$(($(grep -cE '^ok\b' "$log" || true) - tap_skipped))
	tap_failed=$(grep -E '^not ok\b' "$log" | grep -vcE '# TODO') || true
	# A stage may run several programs, each with its plan.
	plan=$(awk '/^1\.\.[0-9]+/ { sub(/^1\.\./, ""); n += $1 } END { print n + 0 }' "$log")
	if [ "$tap_failed" = 0 ]; then
		if [ "$status" != 0 ]; then
			echo "not ok - the stage ends with status $status" >> "$log"
			tap_failed=1
		elif [ $((tap_passed + tap_skipped)) = 0 ]; then
			echo "not ok - the stage ran no test" >> "$log"
			tap_failed=1
		elif [ "$(grep -cE '^(not )?ok\b' "$log")" -lt "$plan" ]; then
			echo "not ok - $plan results were planned" >> "$log"
			tap_failed=1
		fi
	fi
}

# Results of GoogleTest on stdin as TAP, the rest as comments.
gtest_to_tap() {
	sed -E '/^(not )?ok\b/b
		s/^\[       OK \] (.*) \([0-9]+ ms\)$/ok - \1/; t
		s/^\[  SKIPPED \] (.*) \([0-9]+ ms\)$/ok - \1 # SKIP/; t
		s/^\[  FAILED  \] (.*) \([0-9]+ ms\)$/not ok - \1/; t
		s/^/# /'
}

# The failures of a log with what belongs to them, in short.
show_failures() {
	awk '/^not ok/ && !/# TODO/ { show = 12; print "    " $0; next }
		/^(ok|not ok|1\.\.)/ { show = 0 }
		show > 0 && /^(#|vm:|  \|)/ { show--; print "    " substr($0, 1, 200) }
		/^vm: / { show = 30; print "    " $0 }' "$1" | head -n 80 >&2
}
