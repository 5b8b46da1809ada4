// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The fixture of tests of memory windows: `a` accesses what `b` opens.
#pragma once

#include "link.h"

namespace conformance {

constexpr int kBindable = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND;
constexpr unsigned kAllRemote = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				IBV_ACCESS_REMOTE_ATOMIC;

class WindowTest : public LinkTest {
protected:
	static bool has(ibv_mw_type type)
	{
		unsigned flag = type == IBV_MW_TYPE_1 ? IBV_DEVICE_MEM_WINDOW :
							IBV_DEVICE_MEM_WINDOW_TYPE_2B;
		return local_device().attr().device_cap_flags & flag;
	}

	/// Two ends, and @length bytes at either that only their owner may access.
	void open_regions(const QpSpec &spec = {}, const PathSpec &path = {},
			  uint64_t length = 16384)
	{
		open(spec, path);
		near_ = a().reg(length);
		far_ = b().reg(length, kBindable);
	}

	/// Binds and waits for that; @return the completion.
	ibv_wc bind(const BindSpec &spec)
	{
		Bound bound = b().bind_window(spec);
		must_be_zero(bound.error, "bind");
		rkey_ = bound.rkey;
		return one(b(), Queue::kSend);
	}

	/// A window on @length bytes of far_ from @offset on.
	BindSpec part(const Window &window, uint64_t offset, uint64_t length,
		      unsigned access = kAllRemote) const
	{
		BindSpec spec;
		spec.wr_id = 0xb1d;
		spec.window = window;
		spec.region = far_;
		spec.address = far_.address + offset;
		spec.length = length;
		spec.access = access;
		return spec;
	}

	void bind_well(const BindSpec &spec)
	{
		ibv_wc wc = bind(spec);
		ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_EQ(wc.opcode, IBV_WC_BIND_MW);
		EXPECT_EQ(wc.wr_id, spec.wr_id);
	}

	/// Allocates and binds.
	Window window(ibv_mw_type type, uint64_t offset, uint64_t length,
		      unsigned access = kAllRemote)
	{
		Window window = b().alloc_window(type);
		bind_well(part(window, offset, length, access));
		return window;
	}

	/// An access by @rkey to @bytes of far_ from @offset on.
	SendSpec access(ibv_wr_opcode opcode, uint32_t rkey, uint64_t offset, uint32_t bytes)
	{
		SendSpec send{.opcode = opcode, .sges = {near_.sge(0, bytes)}};
		send.remote_address = far_.address + offset;
		send.rkey = rkey;
		return send;
	}

	/// near_ goes to far_ by @rkey, and gets there.
	void expect_write(uint32_t rkey, uint64_t offset, uint32_t bytes)
	{
		static uint64_t seed = 100;
		a().fill(near_.address, bytes, ++seed);
		complete(access(IBV_WR_RDMA_WRITE, rkey, offset, bytes));
		EXPECT_EQ(b().mismatch(far_.address + offset, bytes, seed), -1);
	}

	/// It does not, and that is the end of the connection.
	void expect_refused(const SendSpec &send) { complete(send, IBV_WC_REM_ACCESS_ERR); }

	Region near_;
	Region far_;
	uint32_t rkey_ = 0; // of the last bind
};

#define NEED_WINDOWS(type)                                          \
	do {                                                        \
		if (!has(type))                                     \
			GTEST_SKIP() << "no windows of this type";  \
	} while (0)

} // namespace conformance
