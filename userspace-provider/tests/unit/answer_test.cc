// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Answers of the kernel that cannot be are refused, before they do harm.
#include <cerrno>
#include <functional>
#include <string>

#include "answer.hpp"
#include "fake_kernel.hpp"

namespace {

using fake::Qp;
using fake::QpOptions;

class Answer : public fake::Fixture {
protected:
	/** Attaches a QP whose answer has been changed. */
	int attach(const std::function<void(srnic_qp_config &)> &change)
	{
		QpOptions options;
		srnic_qp_config config = Qp::make_config(kernel, doorbells, options);
		srnic_verbs_qp *qp = Qp::make_object(options, cq.cq(), cq.cq());

		change(config);

		const int err = srnic_qp_attach(core, qp, &config);

		srnic_qp_free(qp);
		return err;
	}

	int attach_cq(const std::function<void(srnic_create_cq_resp &)> &change, int cqe = 16)
	{
		srnic_cq_config config = cq.config;
		srnic_verbs_cq *other = srnic_cq_new();

		change(config.ring);
		other->cq.cqe = cqe;

		const int err = srnic_cq_attach(core, other, &config);

		srnic_cq_free(other);
		return err;
	}
};

TEST_F(Answer, GoodQpIsTaken)
{
	EXPECT_EQ(attach([](srnic_qp_config &) {}), 0);
}

TEST_F(Answer, QpWithoutQueuesIsTaken)
{
	EXPECT_EQ(attach([](srnic_qp_config &c) {
			  c.queues.sq_entries = c.queues.rq_entries = 0;
			  c.cap.max_send_wr = c.cap.max_recv_wr = 0;
		  }),
		  0);
}

TEST_F(Answer, BadQpIsRefused)
{
	const struct {
		const char *what;
		std::function<void(srnic_qp_config &)> change;
	} cases[] = {
		{"unknown extension", [](auto &c) { c.queues.comp_mask = 1; }},
		{"SQ of 0 entries", [](auto &c) { c.queues.sq_entries = 0; }},
		{"SQ not a power of two",
		 [](auto &c) {
			 c.queues.sq_entries = 9;
			 c.queues.sq_mmap_bytes = 4096;
		 }},
		{"SQ smaller than promised", [](auto &c) { c.queues.sq_entries = 4; }},
		{"RQ smaller than promised", [](auto &c) { c.queues.rq_entries = 4; }},
		{"SQ stride 0", [](auto &c) { c.queues.sq_stride = 0; }},
		{"SQ stride below a header", [](auto &c) { c.queues.sq_stride = 32; }},
		{"SQ stride not aligned", [](auto &c) { c.queues.sq_stride = 96; }},
		{"RQ stride 0", [](auto &c) { c.queues.rq_stride = 0; }},
		{"SGEs do not fit", [](auto &c) { c.cap.max_send_sge = 5; }},
		{"receive SGEs do not fit", [](auto &c) { c.cap.max_recv_sge = 8; }},
		{"inline data does not fit", [](auto &c) { c.queues.max_inline_data = 65; }},
		{"less inline data than promised", [](auto &c) { c.queues.max_inline_data = 8; }},
		{"SQ mapping empty", [](auto &c) { c.queues.sq_mmap_bytes = 0; }},
		{"SQ mapping too short", [](auto &c) { --c.queues.sq_mmap_bytes; }},
		{"RQ mapping too short", [](auto &c) { --c.queues.rq_mmap_bytes; }},
		{"SQ mapping wraps", [](auto &c) { c.queues.sq_mmap_bytes = ~0ULL; }},
		{"SQ offset not on a page", [](auto &c) { c.queues.sq_mmap_offset += 64; }},
		{"SQ offset negative", [](auto &c) { c.queues.sq_mmap_offset = 1ULL << 63; }},
		{"entries times stride is large",
		 [](auto &c) {
			 c.queues.sq_entries = 1U << 31;
			 c.queues.sq_stride = 1U << 31;
		 }},
		{"doorbell mapping empty", [](auto &c) { c.queues.doorbell_mmap_bytes = 0; }},
		{"line behind the page", [](auto &c) { c.queues.doorbell_line = 64; }},
		{"bit behind the line", [](auto &c) { c.queues.doorbell_bit = 64; }},
	};

	for (const auto &each : cases)
		EXPECT_EQ(attach(each.change), EPROTO) << each.what;
}

TEST_F(Answer, MmapErrorIsReturned)
{
	// A file descriptor that cannot be mapped, as of a device that is gone.
	srnic_core *broken = srnic_core_new(-1, Qp::kick);
	QpOptions options;
	srnic_qp_config config = Qp::make_config(kernel, doorbells, options);
	srnic_verbs_qp *qp = Qp::make_object(options, cq.cq(), cq.cq());
	srnic_verbs_cq *other = srnic_cq_new();

	EXPECT_EQ(srnic_qp_attach(broken, qp, &config), EBADF);
	EXPECT_EQ(srnic_cq_attach(broken, other, &cq.config), EBADF);
	srnic_qp_free(qp);
	srnic_cq_free(other);
	srnic_core_free(broken);
}

TEST_F(Answer, CapsAreTheRingSizes)
{
	QpOptions options;
	srnic_qp_config config = Qp::make_config(kernel, doorbells, options);
	srnic_verbs_qp *qp = Qp::make_object(options, cq.cq(), cq.cq());
	ibv_qp_cap cap{};

	config.cap.max_send_wr = 5;
	config.cap.max_recv_wr = 7;
	ASSERT_EQ(srnic_qp_attach(core, qp, &config), 0);
	EXPECT_EQ(config.cap.max_send_wr, 8U);
	EXPECT_EQ(config.cap.max_recv_wr, 8U);
	srnic_qp_get_cap(&qp->qp, &cap);
	EXPECT_EQ(cap.max_send_wr, 8U);
	EXPECT_EQ(cap.max_recv_wr, 8U);
	EXPECT_EQ(cap.max_send_sge, 4U);
	EXPECT_EQ(cap.max_inline_data, 64U);
	srnic_qp_free(qp);
}

TEST_F(Answer, BadCqIsRefused)
{
	const struct {
		const char *what;
		std::function<void(srnic_create_cq_resp &)> change;
	} cases[] = {
		{"unknown extension", [](auto &r) { r.comp_mask = 4; }},
		{"no entries", [](auto &r) { r.entries = 0; }},
		{"not a power of two",
		 [](auto &r) {
			 r.entries = 24;
			 r.mmap_bytes = 4096;
		 }},
		{"smaller than promised", [](auto &r) { r.entries = 8; }},
		{"mapping too short", [](auto &r) { --r.mmap_bytes; }},
		{"mapping shorter than a header", [](auto &r) { r.mmap_bytes = 64; }},
		{"offset not on a page", [](auto &r) { r.mmap_offset += 1; }},
	};

	EXPECT_EQ(attach_cq([](auto &) {}), 0);
	for (const auto &each : cases)
		EXPECT_EQ(attach_cq(each.change), EPROTO) << each.what;
	EXPECT_EQ(attach_cq([](auto &) {}, -1), EPROTO);
}

} // namespace
