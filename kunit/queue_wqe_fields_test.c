// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests: what gets through, and where it lies in a slot (srnic-abi.h).
 */
#include "queue_wqe_slot.h"

#define WR_ID	0x1122334455667788ULL

/* The layout is a promise to providers that are built already. */
static void layout(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sizeof(struct srnic_send_wqe), (size_t)64);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, opcode), (size_t)8);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, flags), (size_t)9);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, num_sge), (size_t)10);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, imm), (size_t)12);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, inline_length), (size_t)16);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, rdma.remote_addr), (size_t)24);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, rdma.rkey), (size_t)32);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, rdma.compare_add), (size_t)40);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, rdma.swap), (size_t)48);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, ud.ah), (size_t)24);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, ud.remote_qpn), (size_t)28);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_send_wqe, ud.remote_qkey), (size_t)32);
	KUNIT_EXPECT_EQ(test, sizeof(struct srnic_recv_wqe), (size_t)16);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_recv_wqe, num_sge), (size_t)8);
	KUNIT_EXPECT_EQ(test, sizeof(struct srnic_sge), (size_t)16);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_sge, length), (size_t)8);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_sge, lkey), (size_t)12);
	KUNIT_EXPECT_EQ(test, sizeof(struct srnic_queue_header), (size_t)128);
	KUNIT_EXPECT_EQ(test, sizeof(struct srnic_cq_header), (size_t)128);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_cq_header, notified), (size_t)64);
	KUNIT_EXPECT_EQ(test, sizeof(struct srnic_cqe), (size_t)64);
	KUNIT_EXPECT_EQ(test, offsetof(struct srnic_cqe, phase), (size_t)62);
	KUNIT_EXPECT_EQ(test, sizeof(struct srnic_doorbell_line), (size_t)64);
}

static void fields_of_rdma(struct kunit *test)
{
	static const u32 eight[SLOT_SGE] = { 8 };
	struct srnic_send_wqe wqe = {
		.wr_id = WR_ID,
		.opcode = SRNIC_WR_ATOMIC_CMP_AND_SWP,
		.flags = SRNIC_SEND_SIGNALED | SRNIC_SEND_FENCE,
		.num_sge = 1,
		.imm = 0x12345678,
		.rdma = {
			.remote_addr = 0xfedcba9876543210ULL,
			.rkey = 0x89abcdef,
			.compare_add = 0x0123456789abcdefULL,
			.swap = 0xfedcba9876543211ULL,
		},
	};
	struct srnic_send_wr wr;

	KUNIT_ASSERT_EQ(test, (u32)slot_decode(test, SRNIC_WQE_RC, &wqe, eight, &wr), 0U);
	KUNIT_EXPECT_EQ(test, wr.wr_id, WR_ID);
	KUNIT_EXPECT_EQ(test, wr.flags, 3);
	KUNIT_EXPECT_EQ(test, wr.length, 8U);
	KUNIT_EXPECT_EQ(test, wr.remote_addr, 0xfedcba9876543210ULL);
	KUNIT_EXPECT_EQ(test, wr.rkey, 0x89abcdefU);
	KUNIT_EXPECT_EQ(test, wr.compare_add, 0x0123456789abcdefULL);
	KUNIT_EXPECT_EQ(test, wr.swap, 0xfedcba9876543211ULL);
	KUNIT_EXPECT_TRUE(test, !wr.imm && !wr.ah && !wr.remote_qpn && !wr.remote_qkey);

	wqe.opcode = SRNIC_WR_RDMA_WRITE_WITH_IMM;
	KUNIT_ASSERT_EQ(test, (u32)slot_decode(test, SRNIC_WQE_UC, &wqe, eight, &wr), 0U);
	KUNIT_EXPECT_EQ(test, wr.remote_addr, 0xfedcba9876543210ULL);
	KUNIT_EXPECT_EQ(test, wr.rkey, 0x89abcdefU);
	KUNIT_EXPECT_EQ(test, (__force u32)wr.imm, 0x12345678U);
	KUNIT_EXPECT_TRUE(test, !wr.compare_add && !wr.swap);
}

static void fields_of_ud(struct kunit *test)
{
	struct srnic_send_wqe wqe = {
		.opcode = SRNIC_WR_SEND_WITH_IMM,
		.imm = 0x12345678,
		.ud = { .ah = 77, .remote_qpn = 0xabcdef, .remote_qkey = 0x80010000 },
	};
	struct srnic_send_wr wr;

	KUNIT_ASSERT_EQ(test, (u32)slot_decode(test, SRNIC_WQE_UD, &wqe, NULL, &wr), 0U);
	KUNIT_EXPECT_EQ(test, wr.ah, 77U);
	KUNIT_EXPECT_EQ(test, wr.remote_qpn, 0xabcdefU);
	KUNIT_EXPECT_EQ(test, wr.remote_qkey, 0x80010000U);
	KUNIT_EXPECT_EQ(test, (__force u32)wr.imm, 0x12345678U);
	KUNIT_EXPECT_TRUE(test, !wr.remote_addr && !wr.rkey && !wr.compare_add && !wr.swap);
}

/* A SEND of a connected QP has nothing in the union, and nothing of it gets through. */
static void fields_of_send(struct kunit *test)
{
	struct srnic_send_wqe wqe = { .opcode = SRNIC_WR_SEND, .imm = 0x12345678 };
	struct srnic_send_wr wr;

	memset(&wqe.rdma, 0xff, sizeof(wqe.rdma));
	KUNIT_ASSERT_EQ(test, (u32)slot_decode(test, SRNIC_WQE_RC, &wqe, NULL, &wr), 0U);
	KUNIT_EXPECT_TRUE(test, !wr.remote_addr && !wr.rkey && !wr.compare_add && !wr.swap);
	KUNIT_EXPECT_TRUE(test, !wr.ah && !wr.remote_qpn && !wr.remote_qkey && !wr.imm);
}

static void qpn_has_24_bits(struct kunit *test)
{
	static const u32 bad[] = { 0x1000000, 0x80000000, U32_MAX };
	struct srnic_send_wqe wqe = { .opcode = SRNIC_WR_SEND, .ud.remote_qpn = 0xffffff };
	struct srnic_send_wr wr;
	size_t i;

	KUNIT_EXPECT_EQ(test, (u32)slot_decode(test, SRNIC_WQE_UD, &wqe, NULL, &wr),
			(u32)SRNIC_WQE_OK);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		wqe.ud.remote_qpn = bad[i];
		KUNIT_EXPECT_EQ(test, (u32)slot_decode(test, SRNIC_WQE_UD, &wqe, NULL, &wr),
				(u32)SRNIC_WQE_BAD_RESERVED);
	}
}

struct tail_row {
	u8 flags;
	u8 num_sge;
	u32 inline_length;
	u32 bytes;
};

static const struct tail_row tail_rows[] = {
	{ 0, 0, 0, 0 },
	{ 0, 1, 0, 16 },
	{ 0, 4, 0, 64 },
	{ 0, 5, 0, 64 },
	{ 0, 255, U32_MAX, 64 },
	{ SRNIC_SEND_INLINE, 0, 0, 0 },
	{ SRNIC_SEND_INLINE, 0, 1, 1 },
	{ SRNIC_SEND_INLINE, 255, 99, 99 },
	{ SRNIC_SEND_INLINE, 0, 100, 100 },
	{ SRNIC_SEND_INLINE, 0, 101, 100 },
	{ 0xff, 0xff, U32_MAX, 100 },
};

static void tail_fits_whatever_it_says(struct kunit *test)
{
	const struct srnic_wqe_limits limits = { SRNIC_WQE_RC, SLOT_SGE, SLOT_INLINE };
	const struct srnic_wqe_limits none = { SRNIC_WQE_RC, 0, 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tail_rows); i++) {
		const struct tail_row *row = &tail_rows[i];
		struct srnic_send_wqe wqe = {
			.flags = row->flags,
			.num_sge = row->num_sge,
			.inline_length = row->inline_length,
		};

		KUNIT_EXPECT_EQ_MSG(test, srnic_send_wqe_tail_bytes(&wqe, &limits), row->bytes,
				    "row %zu", i);
		KUNIT_EXPECT_EQ(test, srnic_send_wqe_tail_bytes(&wqe, &none), 0U);
	}
}

struct recv_row {
	u32 num_sge;
	u32 reserved;
	enum srnic_wqe_verdict verdict;
};

static const struct recv_row recv_rows[] = {
	{ 0, 0, SRNIC_WQE_OK },
	{ 1, 0, SRNIC_WQE_OK },
	{ 4, 0, SRNIC_WQE_OK },
	{ 5, 0, SRNIC_WQE_BAD_SGE_COUNT },
	{ U32_MAX, 0, SRNIC_WQE_BAD_SGE_COUNT },
	{ 1, 1, SRNIC_WQE_BAD_RESERVED },
	{ 1, 0x80000000, SRNIC_WQE_BAD_RESERVED },
};

static void receive_headers(struct kunit *test)
{
	struct srnic_recv_wr *wr = kunit_kzalloc(test, sizeof(*wr), GFP_KERNEL);
	size_t i;

	KUNIT_ASSERT_NOT_NULL(test, wr);
	for (i = 0; i < ARRAY_SIZE(recv_rows); i++) {
		const struct recv_row *row = &recv_rows[i];
		struct srnic_recv_wqe header = { WR_ID + i, row->num_sge, row->reserved };
		bool good = row->verdict == SRNIC_WQE_OK;

		memset(wr, 0xa5, sizeof(*wr));
		KUNIT_EXPECT_EQ(test, (u32)srnic_recv_wqe_decode(&header, SLOT_SGE, wr),
				(u32)row->verdict);
		KUNIT_EXPECT_EQ(test, wr->wr_id, WR_ID + i);
		KUNIT_EXPECT_EQ(test, wr->num_sge, good ? row->num_sge : 0);
		KUNIT_EXPECT_EQ(test, wr->length, 0ULL);
	}
}

static void sums_have_64_bits(struct kunit *test)
{
	struct srnic_sge *sge = kunit_kzalloc(test, SRNIC_MAX_SGE * sizeof(*sge), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, sge);
	for (i = 0; i < SRNIC_MAX_SGE; i++)
		sge[i].length = U32_MAX;
	KUNIT_EXPECT_EQ(test, srnic_sge_bytes(sge, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, srnic_sge_bytes(sge, 32), 32 * 0xffffffffULL);
}

static void verdicts_have_names(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < SRNIC_WQE_VERDICTS; i++) {
		KUNIT_ASSERT_NOT_NULL(test, srnic_wqe_verdict_name(i));
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_STRNEQ(test, srnic_wqe_verdict_name(i),
					    srnic_wqe_verdict_name(j));
	}
	KUNIT_EXPECT_STREQ(test, srnic_wqe_verdict_name(SRNIC_WQE_OK), "ok");
	KUNIT_EXPECT_STREQ(test, srnic_wqe_verdict_name(SRNIC_WQE_VERDICTS), "invalid");
	KUNIT_EXPECT_STREQ(test, srnic_wqe_verdict_name(-1), "invalid");
}

static struct kunit_case fields_cases[] = {
	KUNIT_CASE(layout),
	KUNIT_CASE(fields_of_rdma),
	KUNIT_CASE(fields_of_ud),
	KUNIT_CASE(fields_of_send),
	KUNIT_CASE(qpn_has_24_bits),
	KUNIT_CASE(tail_fits_whatever_it_says),
	KUNIT_CASE(receive_headers),
	KUNIT_CASE(sums_have_64_bits),
	KUNIT_CASE(verdicts_have_names),
	{}
};

static struct kunit_suite fields_suite = {
	.name = "srnic_queue_wqe_fields",
	.test_cases = fields_cases,
};

kunit_test_suite(fields_suite);
