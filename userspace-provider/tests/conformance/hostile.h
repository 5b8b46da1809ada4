// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Fixture of the hostile tests: an innocent process, an innocent pair in the
// same context family, and a pair whose queues are written to by hand.
#pragma once

#include "innocent.h"
#include "link.h"
#include "shared_queues.h"

namespace conformance {

class HostileTest : public testing::Test {
protected:
	static void SetUpTestSuite() { innocent_ = std::make_unique<Innocent>(); }
	static void TearDownTestSuite() { innocent_.reset(); }

	/// After each test the innocent process must be well.
	void TearDown() override
	{
		queues_.reset();
		attacker_.reset();
		victim_.reset();
		EXPECT_TRUE(innocent_->goes_on()) << innocent_->transfers() << " transfers, "
						  << innocent_->errors() << " errors";
	}

	/// A new pair; the attacker's queues are at hand.
	void open(ibv_qp_type type = IBV_QPT_RC);
	LocalEndpoint &attacker() { return *attacker_; }
	LocalEndpoint &victim() { return *victim_; }
	SharedQueues &queues() { return *queues_; }

	/// The attacker's QP ends up in ERR, kicked or not.
	void expect_error_state(const std::string &what);
	/// What was posted by hand completes in error, and the QP is in ERR. Returns the status.
	ibv_wc_status expect_error_completion(const std::string &what);
	/// Takes completions of queues that are garbage: what comes is the attacker's own matter.
	void poll_whatever(LocalEndpoint &end, Queue queue, Milliseconds timeout = Milliseconds(0));

private:
	static inline std::unique_ptr<Innocent> innocent_;
	std::unique_ptr<LocalEndpoint> attacker_, victim_;
	std::unique_ptr<SharedQueues> queues_;
};

} // namespace conformance
