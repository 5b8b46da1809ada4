// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/module.h>

/* Older kernels put quotes around it: a longer string. */
#undef MODULE_INFO
#define MODULE_INFO(tag, info) static const char probe[sizeof(info) == 2 ? 1 : -1]

MODULE_IMPORT_NS("A");
