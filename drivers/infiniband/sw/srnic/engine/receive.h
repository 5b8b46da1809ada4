/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where packets enter the engine.
 */
#ifndef SRNIC_ENGINE_RECEIVE_H
#define SRNIC_ENGINE_RECEIVE_H

#include "net_ops.h"

struct srnic_dev *srnic_engine_receive(struct srnic_rx *rx);

#endif /* SRNIC_ENGINE_RECEIVE_H */
