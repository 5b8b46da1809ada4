// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registration by work request, which only the kernel may post.
 */
#include <kunit/test.h>

#include "queue_wqe_slot.h"

/* Its number in enum ib_wr_opcode. */
#define REG_MR	0x20

static u32 decode(enum srnic_wqe_transport transport, bool kernel,
		  const struct srnic_send_wqe *wqe, struct srnic_send_wr *wr)
{
	const struct srnic_wqe_limits limits = {
		.transport = transport,
		.max_sge = SLOT_SGE,
		.max_inline = SLOT_INLINE,
		.kernel = kernel,
	};

	return srnic_send_wqe_decode(wqe, &limits, wr);
}

static void fields(struct kunit *test)
{
	struct srnic_send_wqe wqe = {
		.wr_id = 78,
		.opcode = REG_MR,
		.flags = SRNIC_SEND_SIGNALED,
		.bind = { .addr = 0xffff888012345678ULL, .rkey = 0x12345678, .access = 7 },
	};
	struct srnic_send_wr wr;

	KUNIT_ASSERT_EQ(test, decode(SRNIC_WQE_RC, true, &wqe, &wr), (u32)SRNIC_WQE_OK);
	KUNIT_EXPECT_EQ(test, wr.wr_id, 78ULL);
	KUNIT_EXPECT_EQ(test, (u32)wr.opcode, (u32)REG_MR);
	KUNIT_EXPECT_EQ(test, wr.bind_addr, 0xffff888012345678ULL);
	KUNIT_EXPECT_EQ(test, wr.rkey, 0x12345678U);
	KUNIT_EXPECT_EQ(test, wr.bind_access, 7U);
	KUNIT_EXPECT_EQ(test, wr.length, 0U);
}

/* Whatever kind of QP: a process gets nowhere near a region of the kernel. */
static void not_in_the_ring_of_a_process(struct kunit *test)
{
	const struct srnic_send_wqe wqe = { .wr_id = 3, .opcode = REG_MR };
	enum srnic_wqe_transport transport;
	struct srnic_send_wr wr;

	for (transport = SRNIC_WQE_RC; transport <= SRNIC_WQE_XRC; transport++) {
		KUNIT_EXPECT_EQ(test, decode(transport, false, &wqe, &wr),
				(u32)SRNIC_WQE_BAD_OPCODE);
		KUNIT_EXPECT_TRUE(test, slot_wr_is_blank(&wr, 3));
	}
}

/* The kernel may post it, but to what has memory at a peer's disposal only. */
static void connected_only(struct kunit *test)
{
	const struct srnic_send_wqe wqe = { .opcode = REG_MR };
	struct srnic_send_wr wr;

	KUNIT_EXPECT_EQ(test, decode(SRNIC_WQE_UC, true, &wqe, &wr), (u32)SRNIC_WQE_OK);
	KUNIT_EXPECT_EQ(test, decode(SRNIC_WQE_UD, true, &wqe, &wr), (u32)SRNIC_WQE_BAD_OPCODE);
	KUNIT_EXPECT_EQ(test, decode(SRNIC_WQE_XRC, true, &wqe, &wr), (u32)SRNIC_WQE_BAD_OPCODE);
}

/* For the kernel, too, opcodes between those that there are do not exist. */
static void gaps_between_opcodes(struct kunit *test)
{
	struct srnic_send_wr wr;
	u32 opcode;

	for (opcode = SRNIC_WR_SEND_WITH_INV + 1; opcode <= U8_MAX; opcode++) {
		const struct srnic_send_wqe wqe = { .opcode = opcode };

		if (opcode == SRNIC_WR_ATOMIC_WRITE)
			continue;
		KUNIT_EXPECT_EQ(test, decode(SRNIC_WQE_RC, true, &wqe, &wr),
				(u32)(opcode == REG_MR ? SRNIC_WQE_OK : SRNIC_WQE_BAD_OPCODE));
	}
}

static struct kunit_case reg_cases[] = {
	KUNIT_CASE(fields),
	KUNIT_CASE(not_in_the_ring_of_a_process),
	KUNIT_CASE(connected_only),
	KUNIT_CASE(gaps_between_opcodes),
	{}
};

static struct kunit_suite reg_suite = {
	.name = "srnic_queue_wqe_reg",
	.test_cases = reg_cases,
};

kunit_test_suite(reg_suite);
