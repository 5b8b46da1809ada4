// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "hostile.h"

namespace conformance {

void HostileTest::open(ibv_qp_type type)
{
	queues_.reset();
	attacker_.reset();
	victim_.reset();
	QpSpec spec;
	spec.type = type;
	spec.inline_bytes = 64;
	PathSpec path;
	path.retry_cnt = 1;
	path.rnr_retry = 1;
	attacker_ = std::make_unique<LocalEndpoint>(local_device(), spec);
	victim_ = std::make_unique<LocalEndpoint>(peer_device(), spec);
	victim_->connect(attacker_->address(), path);
	attacker_->connect(victim_->address(), path);
	queues_ = std::make_unique<SharedQueues>(*attacker_, *victim_);
}

void HostileTest::expect_error_state(const std::string &what)
{
	// A failed send takes a UC or UD QP to SQE at least.
	bool connected = attacker().spec.type == IBV_QPT_RC;
	bool in_error = eventually([&] {
		queues().kick();
		ibv_qp_state state = attacker().state();
		return state == IBV_QPS_ERR || (state == IBV_QPS_SQE && !connected);
	});
	EXPECT_TRUE(in_error) << what << ": the QP is in state " << attacker().state();
}

ibv_wc_status HostileTest::expect_error_completion(const std::string &what)
{
	auto completions = attacker().poll(Queue::kSend, 1);
	ibv_wc_status status = IBV_WC_SUCCESS;
	if (completions.empty())
		ADD_FAILURE() << what << ": no completion";
	else
		status = completions[0].status;
	EXPECT_NE(status, IBV_WC_SUCCESS) << what;
	expect_error_state(what);
	return status;
}

void HostileTest::poll_whatever(LocalEndpoint &end, Queue queue, Milliseconds timeout)
{
	try {
		end.poll(queue, 16, timeout);
	} catch (const VerbsError &) {
		// poll_cq says that the CQ is broken, which it is.
	}
}

} // namespace conformance
