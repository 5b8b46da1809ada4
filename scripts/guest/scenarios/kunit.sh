#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# KUnit: the suites of the pure rooms and of the module, in the kernel.
# kernels: debug
. "$(dirname "$0")/../lib.sh"

dir=$SRNIC_BUILD/$(uname -r)
results=/sys/kernel/debug/kunit

rdma_core # srnic_kunit.ko calls it
modules=("$dir"/kunit/*.ko)
[ -e "${modules[0]}" ] || not_ok "KUnit modules in $dir/kunit"
for ko in "${modules[@]}"; do
	if grep -qw srnic <<< "$(modinfo -F softdep "$ko")"; then
		run_ok "a device for $(basename "$ko")" rdma_up srnic eth0
	fi
	insmod "$ko" || not_ok "$(basename "$ko") loads"
done

# Cases only: a suite's own line comes after its cases, less indented. One awk for
# all: a process costs a tenth of a second here.
awk '
	FNR == 1 { suite = FILENAME; sub(/\/results$/, "", suite); sub(/.*\//, "", suite); said = "" }
	/^ +# / { said = said "# " $0 "\n"; next }
	/^    +(not )?ok / {
		bad = $1 == "not"
		sub(/^ *(not )?ok [0-9]+ *(- )?/, "")
		printf "%sok - %s: %s\n%s", bad ? "not " : "", suite, $0, bad ? said : ""
		said = ""
		cases[suite]++
	}
	END { for (i = 1; i < ARGC; i++) {
		suite = ARGV[i]; sub(/\/results$/, "", suite); sub(/.*\//, "", suite)
		if (!cases[suite]) print "not ok - " suite ": no case ran"
	} }
' "$results"/*/results
for ((i = ${#modules[@]} - 1; i >= 0; i--)); do
	run_ok "$(basename "${modules[i]}") unloads" rmmod "$(basename "${modules[i]}" .ko)"
done
exit $((tap_failed > 0))
