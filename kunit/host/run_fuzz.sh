#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs fuzz targets one after the other for a bounded time and prints TAP.
#   run_fuzz.sh SECONDS FOLDER_OF_TARGETS CORPUS TARGET...
# New inputs and crashes stay in FOLDER_OF_TARGETS; the seeds are not touched.
set -u

seconds=$1 out=$2 corpus=$3
shift 3
n=0 failed=0
printf 'TAP version 13\n1..%d\n' "$#"
for target; do
	n=$((n + 1))
	found=$out/found/$target
	log=$out/fuzz_$target.log
	mkdir -p "$found" "$corpus/$target"
	if "$out/fuzz_$target" -max_total_time="$seconds" -max_len=1024 -timeout=10 \
		-print_final_stats=1 -artifact_prefix="$out/crash-$target-" \
		"$found" "$corpus/$target" > "$log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		cov=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
		echo "ok $n - fuzz $target: $runs runs, $cov edges, $seconds s"
	else
		failed=$((failed + 1))
		tail -n 40 "$log" | sed 's/^/# /'
		echo "not ok $n - fuzz $target: see $log"
	fi
done
[ "$failed" = 0 ]
