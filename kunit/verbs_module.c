// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic_verbs_kunit.ko: suites of the verbs of consumers in the kernel. It is such a
 * consumer itself, calls nothing of srnic.ko, and wants a device of it with an IPv4
 * address. The suites run when it is loaded, before its init.
 */
#include <linux/module.h>

#include "verbs_rig.h"

static int __init verbs_kunit_init(void)
{
	return 0;
}

static void __exit verbs_kunit_exit(void)
{
	rig_client_end();
}

module_init(verbs_kunit_init);
module_exit(verbs_kunit_exit);

MODULE_SOFTDEP("pre: srnic");
MODULE_DESCRIPTION("KUnit suites of srnic's verbs in the kernel");
MODULE_LICENSE("Dual BSD/GPL");
