# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The stages of scripts/check. Sourced.
#
# A stage's file says in its head what the scheduler has to know:
#   # after: NAME...     stages that have to have passed before
#   # slots: N           of the two that run at once; 0: in the background
# and a scenario (scripts/guest/scenarios/NAME.sh) also
#   # guests: N          default 1
#   # kernels: NAME...   stock, debug or both (default)
#   # vm: OPTIONS        for scripts/vm

stages=()
declare -A stage_command stage_after stage_slots

# The value of the line "# $2: VALUE" in the head of file $1, else $3.
head_value() {
	local value
	value=$(sed -nE "1,20s/^# $2: *//p" "$1" | head -n 1)
	echo "${value:-$3}"
}

find_stages() {
	local f name kernel
	for f in "$SRNIC_TOP"/scripts/check.d/[0-9]*; do
		name=$(basename "$f")
		name=${name#*-}
		stages+=("$name")
		stage_command[$name]=$f
		stage_after[$name]=$(head_value "$f" after '')
		stage_slots[$name]=$(head_value "$f" slots 1)
	done
	for kernel in stock debug; do
		for f in "$SRNIC_TOP"/scripts/guest/scenarios/*.sh; do
			[[ " $(head_value "$f" kernels 'stock debug') " == *" $kernel "* ]] || continue
			name=$(basename "$f" .sh)-$kernel
			stages+=("$name")
			stage_command[$name]="scripts/vm --tap --kernel $kernel --guests $(head_value "$f" guests 1)"
			stage_command[$name]+=" --out $SRNIC_BUILD/check/$name $(head_value "$f" vm '')"
			stage_command[$name]+=" -- bash scripts/guest/scenarios/$(basename "$f")"
			stage_after[$name]="provider module-$kernel $(head_value "$f" after '')"
			stage_slots[$name]=$(head_value "$f" slots 1)
		done
	done
}

# Leaves the stages that one of the words names, or is part of the names of, and
# those they need.
select_stages() {
	local s word more=1 chosen=() d
	declare -A wanted=()
	[ $# -gt 0 ] || return 0
	for word; do
		if [ -n "${stage_command[$word]:-}" ]; then
			wanted[$word]=1
			continue
		fi
		for s in "${stages[@]}"; do
			[[ $s != *"$word"* ]] || wanted[$s]=1
		done
	done
	[ ${#wanted[@]} -gt 0 ] || die "no stage of that name; scripts/check --list shows them"
	while [ "$more" = 1 ]; do
		more=0
		for s in "${!wanted[@]}"; do
			for d in ${stage_after[$s]}; do
				[ -n "${stage_command[$d]:-}" ] || die "stage $s needs $d, which does not exist"
				[ -n "${wanted[$d]:-}" ] || { wanted[$d]=1; more=1; }
			done
		done
	done
	for s in "${stages[@]}"; do
		[ -z "${wanted[$s]:-}" ] || chosen+=("$s")
	done
	stages=("${chosen[@]}")
}
