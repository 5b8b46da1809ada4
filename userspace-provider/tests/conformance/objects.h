// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// One verbs object of each kind that a device has, for tests that use them wrongly.
#pragma once

#include "device.h"

namespace conformance {

/// An errno, or 0: what making @object came to, which is destroyed again.
template <typename Owner, typename T> int made(T *object)
{
	int error = errno;
	Owner owner(object);
	return owner ? 0 : error;
}

/// ibv_dealloc_td() is inline in each file: no argument for a template that several share.
inline int dealloc_td(ibv_td *td)
{
	return ibv_dealloc_td(td);
}
using Td = std::unique_ptr<ibv_td, Destroyer<dealloc_td>>;

/// All of a context of its own. What the device does not have is missing.
struct Objects {
	/// Handles count from 0 in each context: with @before protection domains that are made
	/// first, no handle is the same as one of a context without.
	explicit Objects(int before = 0);

	ibv_qp_init_attr qp_attr(ibv_qp_type type) const;
	ibv_qp_init_attr_ex qp_attr_ex(ibv_qp_type type) const;
	ibv_srq_init_attr_ex xrc_srq_attr() const;
	ibv_ah_attr ah_attr() const;
	/// Everything is as it was made.
	void expect_untouched() const;

	Context context;
	std::vector<Pd> fillers;
	Channel channel;
	Pd pd;
	Td td;
	Pd parent;
	Cq cq;
	Memory memory{8192};
	Mr mr;
	Mw window1, window2;
	Srq srq;
	Xrcd xrcd;
	Srq xrc_srq;
	Qp rc, ud, target;
	Ah ah;
};

} // namespace conformance
