#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# KUnit: the suites of the pure rooms and of the module, in the kernel.
# kernels: debug
. "$(dirname "$0")/../lib.sh"

dir=$SRNIC_BUILD/$(uname -r)
results=/sys/kernel/debug/kunit

modules=("$dir"/kunit/*.ko)
[ -e "${modules[0]}" ] || not_ok "KUnit modules in $dir/kunit"
for ko in "${modules[@]}"; do
	if grep -qw srnic <<< "$(modinfo -F depends "$ko")"; then
		[ -e /sys/module/srnic ] || run_ok "srnic loads" load_srnic
	fi
	insmod "$ko" || not_ok "$(basename "$ko") loads"
done

# Cases only: a suite's own line comes after its cases, less indented.
for suite in "$results"/*/; do
	name=$(basename "$suite")
	[ -e "$suite/results" ] || continue
	before=$tap_count
	while IFS= read -r line; do
		case $line in
		*'ok '*' - '*) label="$name: ${line#* - }" ;;
		*'ok '*) label="$name: $(sed -E 's/^ *(not )?ok [0-9]+ *//' <<< "$line")" ;;
		esac
		case $line in
		'    '*'not ok '*) not_ok "$label" "$(grep -B 12 -F -- "$line" "$suite/results" | grep '#' | tail -n 8)" ;;
		'    '*'# SKIP'*) skip "$label" ;;
		'    '*'ok '*) ok "$label" ;;
		esac
	done < <(sed -nE '/^ +(not )?ok /p' "$suite/results")
	[ "$tap_count" -gt "$before" ] || not_ok "$name: no case ran" "$(< "$suite/results")"
done
for ((i = ${#modules[@]} - 1; i >= 0; i--)); do
	run_ok "$(basename "${modules[i]}") unloads" rmmod "$(basename "${modules[i]}" .ko)"
done
tap_end
