/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Found only where the kernel has none: its own folders are searched before.
 */
#include <asm/unaligned.h>
