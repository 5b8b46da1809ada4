// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// What the tests of shared receive queues share.
#pragma once

#include <vector>

#include "link.h"

namespace conformance {

#define NEED_SRQ()                                                \
	do {                                                      \
		if (local_device().attr().max_srq == 0)           \
			GTEST_SKIP() << "the device has no SRQs"; \
	} while (0)

#define NEED_SRQ_RESIZE()                                                              \
	do {                                                                           \
		NEED_SRQ();                                                            \
		if (!(local_device().attr().device_cap_flags & IBV_DEVICE_SRQ_RESIZE)) \
			GTEST_SKIP() << "the device does not resize SRQs";             \
	} while (0)

inline int post(ibv_srq *srq, uint64_t wr_id, const std::vector<ibv_sge> &sges = {})
{
	ibv_recv_wr wr{}, *bad = nullptr;
	wr.wr_id = wr_id;
	wr.sg_list = const_cast<ibv_sge *>(sges.data());
	wr.num_sge = static_cast<int>(sges.size());
	int error = ibv_post_srq_recv(srq, &wr, &bad);
	EXPECT_EQ(bad, error ? &wr : nullptr);
	return error;
}

inline ibv_srq_attr query(ibv_srq *srq)
{
	ibv_srq_attr attr{};
	must_be_zero(ibv_query_srq(srq, &attr), "ibv_query_srq");
	return attr;
}

} // namespace conformance
