# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Commands in guest b, over the control wire. Sourced in guest a.

# on_b COMMAND...: runs it there in the same folder with the same SRNIC_*
# variables; its output is the output, its exit status the status. Ending the
# local process ends the remote command.
on_b() {
	local line status=255 empty=0 fd v
	exec {fd}<> /dev/tcp/10.78.0.2/7700 || return 255
	{
		printf 'cd %q;' "$PWD"
		for v in $(compgen -v SRNIC_); do printf 'export %s=%q;' "$v" "${!v}"; done
		printf ' %q' "$@"
	} | base64 -w 0 >&"$fd"
	echo >&"$fd"
	# The agent puts a line end before its "rc"; an empty line is therefore kept
	# back until it is known what follows.
	while IFS= read -r line <&"$fd"; do
		case $line in
		'rc '*) status=${line#rc }; break ;;
		'') empty=$((empty + 1)); continue ;;
		esac
		for (( ; empty > 0; empty--)); do echo; done
		printf '%s\n' "$line"
	done
	for (( ; empty > 1; empty--)); do echo; done
	exec {fd}>&-
	return "$status"
}

# on_b_bg COMMAND...: the same in the background; $! is to be waited for or killed.
# Its output goes to the file BG_OUT if that is set.
on_b_bg() { on_b "$@" > "${BG_OUT:-/dev/stdout}" 2>&1 & }

# Both guests, one after the other.
on_both() { "$@" && on_b "$@"; }

# A function of this file's users, with what it needs, in guest b.
on_b_fn() { on_b bash -c ". $GUEST_DIR/lib.sh; $(printf ' %q' "$@")"; }

# Waits until guest b answers.
wait_b() { wait_for 60 on_b true; }
