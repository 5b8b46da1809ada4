// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "hostile.h"

namespace conformance {

void HostileTest::open(ibv_qp_type type) {
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

void HostileTest::expect_error_state(const std::string &what) {
    bool in_error = eventually([&] {
        queues().kick();
        return attacker().state() == IBV_QPS_ERR;
    });
    EXPECT_TRUE(in_error) << what << ": the QP is in state " << attacker().state();
}

void HostileTest::expect_error_completion(const std::string &what) {
    auto completions = attacker().poll(Queue::kSend, 1);
    if (completions.empty())
        ADD_FAILURE() << what << ": no completion";
    else
        EXPECT_NE(completions[0].status, IBV_WC_SUCCESS) << what;
    expect_error_state(what);
}

}  // namespace conformance
