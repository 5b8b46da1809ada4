// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic_core_kunit.ko: suites of the pure rooms. KUnit runs them when the module is
 * loaded; the suites register themselves.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of srnic's pure rooms");
MODULE_LICENSE("Dual BSD/GPL");
