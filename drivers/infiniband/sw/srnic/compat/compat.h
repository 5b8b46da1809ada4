/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The newest kernel's API on older kernels.
 *
 * Included in front of every file of the module by its Makefile. The rest of the
 * driver is written as if there were only the newest kernel; this folder alone
 * knows better. Which kernel has what is found out by compiling the files in
 * probes/, not by version: distributions backport. HAVE_NAME stands for
 * probes/name.c.
 */
#ifndef SRNIC_COMPAT_COMPAT_H
#define SRNIC_COMPAT_COMPAT_H

#include "../srnic_config.h"

#include "kernel.h"
#include "net.h"
#include "rdma.h"

#endif /* SRNIC_COMPAT_COMPAT_H */
