// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "context.hpp"

#include "memory.hpp"

srnic_core *srnic_core_new(int cmd_fd, srnic_kick_fn kick)
{
	auto *core = srnic::create<srnic_core>();

	if (core) {
		core->fd = cmd_fd;
		core->kick = kick;
	}
	return core;
}

void srnic_core_free(srnic_core *core)
{
	srnic::destroy(core);
}
