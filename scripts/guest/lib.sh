# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What guest scenarios share. Sourced by the scripts that scripts/vm runs.

GUEST_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$GUEST_DIR/tap.sh"
. "$GUEST_DIR/control.sh"
. "$GUEST_DIR/rdma.sh"
. "$GUEST_DIR/netns.sh"
. "$GUEST_DIR/resources.sh"
