// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic_kunit.ko: suites of what is not pure. KUnit runs them when the module is
 * loaded; the suites register themselves.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of srnic's queues");
MODULE_LICENSE("Dual BSD/GPL");
