/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * State of the core for one ucontext.
 */
#pragma once

#include "core.h"
#include "doorbell.hpp"

struct srnic_core {
	int fd;
	srnic_kick_fn kick;
	srnic::DoorbellPages doorbells;
};
