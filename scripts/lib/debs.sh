# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Debian packages into a folder, without installing them and without root. What apt
# takes is signed, and its index holds the hashes of the rest. Sourced.

# debs_apt FOLDER [OPTION...]: an apt that touches nothing of the system's. Sets $apt;
# says what fails in FOLDER/log.
debs_apt() {
	local folder=$1
	shift
	mkdir -p "$folder"/{lists,cache/archives}/partial
	apt=(apt-get -q -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o Debug::NoLocking=1
		-o "APT::Sandbox::User=$(id -un)" -o Acquire::Retries=3 -o Acquire::http::Timeout=30 "$@")
	# That one of the sources does not answer is no error.
	"${apt[@]}" update > "$folder/log" 2>&1 || true
}

# debs_plan FOLDER PACKAGE...: these and what they depend on, less what that apt takes
# for installed, as lines of NAME=VERSION.
debs_plan() {
	local folder=$1
	shift
	if ! "${apt[@]}" -s --no-install-recommends --no-upgrade install "$@" > "$folder/plan" 2>> "$folder/log"; then
		tail -n 20 "$folder/plan" "$folder/log" >&2
		say "apt-get knows no way to get $*"
		return 1
	fi
	sed -nE 's/^Inst ([^ ]+) (\[[^]]*\] )?\(([^ ]+) .*/\1=\3/p' "$folder/plan" | sort
}

# debs_unpack FOLDER TREE NAME=VERSION...: downloads and unpacks them, without
# documentation and services. TREE has /usr merged, as the root below it has.
debs_unpack() {
	local folder=$1 tree=$2 deb
	shift 2
	mkdir -p "$folder/debs" "$tree"/usr/{bin,sbin,lib,lib64}
	ln -s usr/{bin,sbin,lib,lib64} "$tree"
	[ $# != 0 ] || return 0
	if ! (cd "$folder/debs" && "${apt[@]}" download "$@" >> "$folder/log" 2>&1); then
		tail -n 20 "$folder/log" >&2
		say "apt-get cannot download $*"
		return 1
	fi
	for deb in "$folder"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$tree" --keep-directory-symlink --no-same-owner \
			--exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='*/systemd' \
			--exclude='./etc/init.d' --exclude='./usr/share/initramfs-tools' || return
	done
	chmod -R ug-s "$tree"
	chmod 755 "$tree"
}
