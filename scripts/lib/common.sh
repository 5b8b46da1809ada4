# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What every script here shares: places, messages, Debian packages. Sourced.

SRNIC_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
SRNIC_CACHE=${SRNIC_CACHE:-$HOME/.cache/srnic}
# Build output and logs; ignored by git.
SRNIC_BUILD=${SRNIC_BUILD:-$SRNIC_TOP/build}
export SRNIC_TOP SRNIC_CACHE SRNIC_BUILD

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

# The newest of the releases on stdin.
newest() { sort -V | tail -n 1; }

# Runs a command as root: directly, or through sudo.
as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Release of the newest Debian kernel that is installed with its headers. The
# flavours for clouds lack what is needed, those for real time are another matter.
stock_release() {
	local d
	for d in /lib/modules/*-amd64; do
		case $d in *-cloud-amd64 | *-rt-amd64) continue ;; esac
		if [ -e "$d/modules.dep" ] && [ -e "$d/build/Makefile" ] && [ -e "/boot/vmlinuz-${d##*/}" ]; then
			echo "${d##*/}"
		fi
	done | newest
}

# Folder to build modules against: the running kernel's, else that of the newest.
default_kdir() {
	local r
	r=$(uname -r)
	if [ -e "/lib/modules/$r/build/Makefile" ]; then
		echo "/lib/modules/$r/build"
	else
		r=$(stock_release)
		[ -n "$r" ] || die "no kernel headers installed; run scripts/setup"
		echo "/lib/modules/$r/build"
	fi
}

# The release of the kernel that is built against in folder $1. (Debian's
# kernel.release there has another number than its modules carry.)
release_of() { sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' "$1/include/generated/utsrelease.h"; }

# One line for a number of seconds since $1 (a value of SECONDS).
took() { printf '%d:%02d' $(((SECONDS - $1) / 60)) $(((SECONDS - $1) % 60)); }

# Prints a folder with the kernel's checkpatch and kernel-doc, taken once from
# Debian's source package.
kernel_scripts() {
	local version dir
	version=$(dpkg-query -W -f '${Version}' linux-source-6.1 2>/dev/null) || return 1
	dir=$SRNIC_CACHE/linux-scripts/$version
	if [ ! -e "$dir/scripts/checkpatch.pl" ]; then
		mkdir -p "$dir.$$"
		tar -xJf /usr/src/linux-source-6.1.tar.xz -C "$dir.$$" --strip-components=1 \
			linux-source-6.1/scripts linux-source-6.1/Documentation/dev-tools || return 1
		mv -T "$dir.$$" "$dir" 2>/dev/null || rm -rf "$dir.$$"
	fi
	echo "$dir"
}
