/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The seam of the pure rooms.
 *
 * A pure file (no locks, no skb, no ib_core, no allocation) includes this header
 * for everything that it needs from its surroundings, and nothing else from
 * outside its own and lower rooms. The kernel side below pulls in the real
 * headers; the user side (kunit/host/include/srnic_env_user.h) supplies the same
 * names, so that the same source runs under sanitizers and fuzzers.
 */
#ifndef SRNIC_ENV_H
#define SRNIC_ENV_H

#ifdef __KERNEL__

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>

/* Since 6.14 crc32_le() itself uses what the CPU has. */
#define SRNIC_CRC32_LE_IS_FAST	IS_ENABLED(CONFIG_CRC32_ARCH)

#else /* !__KERNEL__ */

#include <srnic_env_user.h>

#endif /* __KERNEL__ */

#endif /* SRNIC_ENV_H */
