# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Judges the console log of a guest: any complaint of the kernel is a failure. Sourced.

CONSOLE_COMPLAINTS='WARNING: |BUG: |BUG |KASAN|UBSAN|kernel BUG|Oops|Kernel panic|general protection'
CONSOLE_COMPLAINTS+='|possible (circular|recursive|irq lock)|inconsistent lock|suspicious RCU|bad unlock balance'
CONSOLE_COMPLAINTS+='|DEBUG_LOCKS_WARN_ON|held lock freed|lock held when returning|locks? held by .* exit|sleeping function'
CONSOLE_COMPLAINTS+='|scheduling while atomic|blocked for more than|soft lockup|hard LOCKUP|workqueue lockup'
CONSOLE_COMPLAINTS+='|detected stalls|self-detected stall|detected expedited stalls'
CONSOLE_COMPLAINTS+='|ODEBUG|refcount_t|list_(add|del) corruption|unreferenced object|usercopy: |stack-protector'
CONSOLE_COMPLAINTS+='|page allocation failure|waiting for .* to become free|Call Trace:|leaked|segfault at'
CONSOLE_COMPLAINTS+='|unable to handle|cut here|MAX_LOCKDEP_[A-Z]+ too low|turning off the locking correctness|srnic-vm: (COMPLAINT|initramfs)'

# Prints what the console log $1 complains about, with some lines around it.
# Lines that match the extended regular expression $2 are forgiven.
# Succeeds if there is nothing.
console_clean() {
	local log=$1 forgive=${2:-} text
	text=$(tr -d '\r\000' < "$log")
	if [ -n "$forgive" ]; then
		text=$(grep -vE -- "$forgive" <<< "$text")
	fi
	! grep -nE -B 2 -A 40 -m 5 -- "$CONSOLE_COMPLAINTS" <<< "$text"
}
