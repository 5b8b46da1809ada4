# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Files that a judge of style has found nothing in, by their contents, in the cache: in
# another checkout they need not be judged again. Sourced.

# judged_place JUDGE WORD...: prints the folder for what JUDGE has found clean. A WORD is
# whatever its judgement depends on: versions, its own text.
judged_place() {
	local judge=$1
	shift
	echo "$SRNIC_CACHE/style/$judge-$(sha256sum <<< "$*" | cut -c 1-16)"
}

# judged_new PLACE FILE...: prints the files that are not known to be clean.
judged_new() {
	local place=$1 sum file
	shift
	sha256sum -- "$@" | while read -r sum file; do
		[ -e "$place/$sum" ] || echo "$file"
	done
}

# judged_clean PLACE FILE...: from now on they are.
judged_clean() {
	local place=$1 sum file
	shift
	mkdir -p "$place"
	# shellcheck disable=SC2034
	sha256sum -- "$@" | while read -r sum file; do : > "$place/$sum"; done
}
