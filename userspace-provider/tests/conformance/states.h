// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The table of QP state transitions: IBA 11.2.5.2, as rdma-core documents it.
#pragma once

#include <vector>

#include "device.h"

namespace conformance {

struct Transition {
	ibv_qp_state from;
	ibv_qp_state to;
	int required;
	int optional;
};

/// All legal transitions of @type, but for those to RESET and ERR, which take
/// no attributes. SQE is entered by errors only.
std::vector<Transition> transitions(ibv_qp_type type);

/// Attributes that fit @device, for every bit a transition may want.
ibv_qp_attr valid_attributes(const Device &device, uint32_t dest_qpn);

/// Moves @qp from RESET to @state by the legal way.
void bring(ibv_qp *qp, ibv_qp_state state, const ibv_qp_attr &attr);

const char *state_name(ibv_qp_state state);

} // namespace conformance
