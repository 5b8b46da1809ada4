// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The fixture of all data tests: two connected endpoints. `a` is always in
// this process; `b` may be in another guest.
#pragma once

#include <functional>
#include <memory>

#include "endpoint.h"

namespace conformance {

struct Link {
	std::unique_ptr<LocalEndpoint> a;
	std::unique_ptr<Endpoint> b;
};

class LinkTest : public testing::Test {
protected:
	/// Two endpoints after @spec, connected after @path.
	void open(const QpSpec &spec = {}, const PathSpec &path = {});
	/// Ends that differ.
	void open(const QpSpec &spec_a, const PathSpec &path_a, const QpSpec &spec_b,
		  const PathSpec &path_b);

	LocalEndpoint &a() { return *link_.a; }
	Endpoint &b() { return *link_.b; }
	Link take() { return std::move(link_); }

	/// Exactly one completion, or a failure.
	ibv_wc one(Endpoint &end, Queue queue, Milliseconds timeout = patience());
	/// Nothing more arrives in @queue.
	void expect_quiet(Endpoint &end, Queue queue);
	/// Posts @send at a() and expects its completion with @status.
	ibv_wc complete(const SendSpec &send, ibv_wc_status status = IBV_WC_SUCCESS);
	/// A small SEND from a() to b() arrives: everything before it did too.
	void expect_alive();

private:
	Link link_;
};

/// Tests of one process, which need not run again between two guests.
class LocalTest : public testing::Test {
protected:
	void SetUp() override;
};

/// Runs @check until it holds or patience is over.
bool eventually(const std::function<bool()> &check, Milliseconds timeout = patience());

/// Ends a test that the device or its set-up cannot run.
#define NEED_FAMILY(family)                                                  \
	do {                                                                 \
		if (!local_device().gid(family) || !peer_has(family))        \
			GTEST_SKIP() << "no GID of " << family_name(family); \
	} while (0)

#define NEED_XRC()                                                              \
	do {                                                                    \
		if (!(local_device().attr().device_cap_flags & IBV_DEVICE_XRC)) \
			GTEST_SKIP() << "the device has no XRC";                \
	} while (0)

#define NEED_MTU(mtu)                                                                       \
	do {                                                                                \
		if (local_device().port().active_mtu < (mtu))                               \
			GTEST_SKIP() << "the netdev does not carry MTU " << mtu_bytes(mtu); \
	} while (0)

} // namespace conformance
