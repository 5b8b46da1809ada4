// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Every operation that a consumer in the kernel can post, and what its completions
 * say.
 */
#include <linux/string.h>

#include "verbs_rig.h"

#define SEND_ID	1
#define RECV_ID	2

static struct ib_qp *connected(struct rig *rig, enum ib_qp_type type)
{
	struct ib_qp *qp = rig_plain_qp(rig, type);

	rig_connect(rig, qp);
	return qp;
}

/* The two completions of a message to oneself, in whatever order. */
static void await_both(struct rig *rig, struct ib_wc *send, struct ib_wc *recv)
{
	struct ib_wc wc[2] = {};
	int count = 0;

	rig_until((count += ib_poll_cq(rig->cq, 2 - count, wc + count)) == 2);
	KUNIT_ASSERT_EQ(rig->test, count, 2);
	*send = wc[wc[0].wr_id == SEND_ID ? 0 : 1];
	*recv = wc[wc[0].wr_id == SEND_ID ? 1 : 0];
	KUNIT_EXPECT_EQ(rig->test, send->wr_id, (u64)SEND_ID);
	KUNIT_EXPECT_EQ(rig->test, recv->wr_id, (u64)RECV_ID);
	KUNIT_EXPECT_EQ(rig->test, send->status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(rig->test, recv->status, IB_WC_SUCCESS);
}

static void expect_data(struct rig *rig, u32 bytes)
{
	KUNIT_EXPECT_EQ(rig->test, memcmp(rig->to, rig->from, bytes), 0);
	KUNIT_EXPECT_EQ(rig->test, rig->to[bytes], 0);
}

static void send_of(struct rig *rig, enum ib_qp_type type)
{
	struct ib_qp *qp = connected(rig, type);
	struct ib_wc send, recv;

	KUNIT_ASSERT_EQ(rig->test, rig_post_recv(rig, qp, RECV_ID, rig->to,
						 RIG_BYTES), 0);
	KUNIT_ASSERT_EQ(rig->test, rig_post_send(rig, qp, SEND_ID, rig->from,
						 5000), 0);
	await_both(rig, &send, &recv);
	KUNIT_EXPECT_EQ(rig->test, send.opcode, IB_WC_SEND);
	KUNIT_EXPECT_EQ(rig->test, recv.opcode, IB_WC_RECV);
	KUNIT_EXPECT_EQ(rig->test, recv.byte_len, 5000U);
	KUNIT_EXPECT_EQ(rig->test, recv.wc_flags, 0);
	KUNIT_EXPECT_PTR_EQ(rig->test, send.qp, qp);
	KUNIT_EXPECT_PTR_EQ(rig->test, recv.qp, qp);
	expect_data(rig, 5000);
	ib_destroy_qp(qp);
}

static void send_rc(struct kunit *test)
{
	send_of(test->priv, IB_QPT_RC);
}

static void send_uc(struct kunit *test)
{
	send_of(test->priv, IB_QPT_UC);
}

/* From four pieces into two. */
static void gather_and_scatter(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig, IB_QPT_RC);
	struct ib_sge from[] = {
		rig_sge(rig, rig->from, 1), rig_sge(rig, rig->from + 1, 2000),
		rig_sge(rig, rig->from + 2001, 0),
		rig_sge(rig, rig->from + 2001, 999),
	};
	struct ib_sge to[] = {
		rig_sge(rig, rig->to, 1500), rig_sge(rig, rig->to + 1500, 1500),
	};
	struct ib_recv_wr recv_wr = {
		.wr_id = RECV_ID, .sg_list = to, .num_sge = 2,
	};
	struct ib_send_wr send_wr = {
		.wr_id = SEND_ID, .sg_list = from, .num_sge = 4,
		.opcode = IB_WR_SEND_WITH_IMM, .send_flags = IB_SEND_SIGNALED,
		.ex.imm_data = cpu_to_be32(0x12345678),
	};
	struct ib_wc send, recv;

	KUNIT_ASSERT_EQ(test, ib_post_recv(qp, &recv_wr, NULL), 0);
	KUNIT_ASSERT_EQ(test, ib_post_send(qp, &send_wr, NULL), 0);
	await_both(rig, &send, &recv);
	KUNIT_EXPECT_EQ(test, recv.byte_len, 3000U);
	KUNIT_EXPECT_EQ(test, recv.wc_flags, (int)IB_WC_WITH_IMM);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(recv.ex.imm_data), 0x12345678U);
	expect_data(rig, 3000);
	ib_destroy_qp(qp);
}

/* The memory may be used again at once. */
static void send_inline(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig, IB_QPT_RC);
	struct ib_sge sge[2] = {
		rig_sge(rig, rig->from, 50), rig_sge(rig, rig->from + 50, 50),
	};
	struct ib_send_wr wr = {
		.wr_id = SEND_ID, .sg_list = sge, .num_sge = 2,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED | IB_SEND_INLINE,
	};
	struct ib_wc send, recv;
	u8 copy[100];

	memcpy(copy, rig->from, sizeof(copy));
	/* A key is not looked at. */
	sge[0].lkey = 0;
	sge[1].lkey = 0;
	KUNIT_ASSERT_EQ(test, rig_post_recv(rig, qp, RECV_ID, rig->to, 200), 0);
	KUNIT_ASSERT_EQ(test, ib_post_send(qp, &wr, NULL), 0);
	memset(rig->from, 0, sizeof(copy));
	await_both(rig, &send, &recv);
	KUNIT_EXPECT_EQ(test, recv.byte_len, (u32)sizeof(copy));
	KUNIT_EXPECT_EQ(test, memcmp(rig->to, copy, sizeof(copy)), 0);
	ib_destroy_qp(qp);
}

static int post_rdma(struct rig *rig, struct ib_qp *qp, enum ib_wr_opcode opcode,
		     void *local, void *remote, u32 bytes)
{
	struct ib_sge sge = rig_sge(rig, local, bytes);
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_id = SEND_ID, .sg_list = &sge, .num_sge = 1,
			.opcode = opcode, .send_flags = IB_SEND_SIGNALED,
			.ex.imm_data = cpu_to_be32(77),
		},
		.remote_addr = (uintptr_t)remote,
		.rkey = rig->mr->rkey,
	};

	return ib_post_send(qp, &wr.wr, NULL);
}

static void write_and_read(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig, IB_QPT_RC);
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(test, post_rdma(rig, qp, IB_WR_RDMA_WRITE, rig->from,
					rig->to, 3000), 0);
	wc = rig_wait_for(rig, SEND_ID);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RDMA_WRITE);
	expect_data(rig, 3000);

	memset(rig->to, 0, 3000);
	KUNIT_ASSERT_EQ(test, post_rdma(rig, qp, IB_WR_RDMA_READ, rig->to,
					rig->from, 4000), 0);
	wc = rig_wait_for(rig, SEND_ID);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RDMA_READ);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 4000U);
	expect_data(rig, 4000);
	ib_destroy_qp(qp);
}

static void write_with_immediate(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig, IB_QPT_UC);
	struct ib_wc send, recv;

	KUNIT_ASSERT_EQ(test, rig_post_recv(rig, qp, RECV_ID, rig->to, 0), 0);
	KUNIT_ASSERT_EQ(test, post_rdma(rig, qp, IB_WR_RDMA_WRITE_WITH_IMM,
					rig->from, rig->to, 2000), 0);
	await_both(rig, &send, &recv);
	KUNIT_EXPECT_EQ(test, recv.opcode, IB_WC_RECV_RDMA_WITH_IMM);
	KUNIT_EXPECT_EQ(test, recv.byte_len, 2000U);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(recv.ex.imm_data), 77U);
	expect_data(rig, 2000);
	ib_destroy_qp(qp);
}

/* Local memory has a key of its own: the one for peers is not enough, nor is none. */
static void bad_keys(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig, IB_QPT_RC);
	struct ib_sge sge = rig_sge(rig, rig->from, 100);
	struct ib_send_wr wr = {
		.wr_id = SEND_ID, .sg_list = &sge, .num_sge = 1,
		.opcode = IB_WR_SEND,
	};

	sge.lkey ^= 1;
	KUNIT_ASSERT_EQ(test, ib_post_send(qp, &wr, NULL), 0);
	KUNIT_EXPECT_EQ(test, rig_wait_for(rig, SEND_ID).status,
			IB_WC_LOC_PROT_ERR);
	ib_destroy_qp(qp);
}

static u64 atomic(struct rig *rig, struct ib_qp *qp, enum ib_wr_opcode opcode,
		  u64 *target, u64 compare_add, u64 swap)
{
	u64 *original = (u64 *)rig->to;
	struct ib_sge sge = rig_sge(rig, original, sizeof(*original));
	struct ib_atomic_wr wr = {
		.wr = {
			.wr_id = SEND_ID, .sg_list = &sge, .num_sge = 1,
			.opcode = opcode, .send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = (uintptr_t)target,
		.rkey = rig->mr->rkey,
		.compare_add = compare_add,
		.swap = swap,
	};
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(rig->test, ib_post_send(qp, &wr.wr, NULL), 0);
	wc = rig_wait_for(rig, SEND_ID);
	KUNIT_EXPECT_EQ(rig->test, wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(rig->test, wc.opcode,
			opcode == IB_WR_ATOMIC_FETCH_AND_ADD ?
			IB_WC_FETCH_ADD : IB_WC_COMP_SWAP);
	return *original;
}

static void atomic_write(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig, IB_QPT_RC);
	struct ib_sge sge = rig_sge(rig, rig->from, sizeof(u64));
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_id = SEND_ID, .sg_list = &sge, .num_sge = 1,
			.opcode = (enum ib_wr_opcode)IB_WR_ATOMIC_WRITE,
			.send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = (uintptr_t)rig->to,
		.rkey = rig->mr->rkey,
	};

	*(u64 *)rig->from = 0x1122334455667788ULL;
	KUNIT_ASSERT_EQ(test, ib_post_send(qp, &wr.wr, NULL), 0);
	KUNIT_EXPECT_EQ(test, rig_wait_for(rig, SEND_ID).status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, *(u64 *)rig->to, 0x1122334455667788ULL);

	wr.remote_addr += 4;
	KUNIT_EXPECT_EQ(test, ib_post_send(qp, &wr.wr, NULL), -EINVAL);
	ib_destroy_qp(qp);
}

static void atomics(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig, IB_QPT_RC);
	u64 *target = (u64 *)rig->from;

	*target = 100;
	KUNIT_EXPECT_EQ(test, atomic(rig, qp, IB_WR_ATOMIC_FETCH_AND_ADD,
				     target, 11, 0), 100ULL);
	KUNIT_EXPECT_EQ(test, *target, 111ULL);
	KUNIT_EXPECT_EQ(test, atomic(rig, qp, IB_WR_ATOMIC_CMP_AND_SWP, target,
				     111, 5), 111ULL);
	KUNIT_EXPECT_EQ(test, *target, 5ULL);
	KUNIT_EXPECT_EQ(test, atomic(rig, qp, IB_WR_ATOMIC_CMP_AND_SWP, target,
				     111, 6), 5ULL);
	KUNIT_EXPECT_EQ(test, *target, 5ULL);
	ib_destroy_qp(qp);
}

static void send_datagram(struct rig *rig, struct ib_qp *qp, struct ib_ah *ah)
{
	struct ib_sge sge = rig_sge(rig, rig->from, 1000);
	struct ib_ud_wr wr = {
		.wr = {
			.wr_id = SEND_ID, .sg_list = &sge, .num_sge = 1,
			.opcode = IB_WR_SEND_WITH_IMM,
			.send_flags = IB_SEND_SIGNALED,
			.ex.imm_data = cpu_to_be32(9),
		},
		.ah = ah,
		.remote_qpn = qp->qp_num,
		.remote_qkey = RIG_QKEY,
	};
	struct ib_wc send, recv;

	memset(rig->to, 0, RIG_BYTES);
	KUNIT_ASSERT_EQ(rig->test, rig_post_recv(rig, qp, RECV_ID, rig->to,
						 RIG_BYTES), 0);
	KUNIT_ASSERT_EQ(rig->test, ib_post_send(qp, &wr.wr, NULL), 0);
	await_both(rig, &send, &recv);
	KUNIT_EXPECT_EQ(rig->test, recv.byte_len, 1040U);
	KUNIT_EXPECT_EQ(rig->test, recv.src_qp, qp->qp_num);
	KUNIT_EXPECT_EQ(rig->test, be32_to_cpu(recv.ex.imm_data), 9U);
	KUNIT_EXPECT_EQ(rig->test, recv.wc_flags,
			IB_WC_GRH | IB_WC_WITH_IMM | IB_WC_WITH_NETWORK_HDR_TYPE);
	KUNIT_EXPECT_EQ(rig->test, recv.network_hdr_type,
			(u8)RDMA_NETWORK_IPV4);
	KUNIT_EXPECT_EQ(rig->test,
			memcmp(rig->to + 40, rig->from, 1000), 0);
}

static void datagrams(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig, IB_QPT_UD);
	struct rdma_ah_attr attr, got;
	struct ib_ah *ah;

	rig_ah_attr(rig, &attr, true);
	ah = rdma_create_ah(rig->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ah));
	KUNIT_EXPECT_EQ(test, rdma_query_ah(ah, &got), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&got.grh.dgid, &attr.grh.dgid,
				     sizeof(got.grh.dgid)), 0);
	send_datagram(rig, qp, ah);
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_destroy_qp(qp);
}

/* As the connection manager does it, with a lock held. */
static void address_handle_without_sleep(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp *qp = connected(rig, IB_QPT_UD);
	struct rdma_ah_attr attr;
	struct ib_ah *ah;

	rig_ah_attr(rig, &attr, true);
	local_irq_disable();
	ah = rdma_create_ah(rig->pd, &attr, 0);
	local_irq_enable();
	KUNIT_ASSERT_FALSE(test, IS_ERR(ah));
	send_datagram(rig, qp, ah);
	local_irq_disable();
	rdma_destroy_ah(ah, 0);
	local_irq_enable();
	ib_destroy_qp(qp);
}

static struct kunit_case operations_cases[] = {
	KUNIT_CASE(send_rc),
	KUNIT_CASE(send_uc),
	KUNIT_CASE(gather_and_scatter),
	KUNIT_CASE(send_inline),
	KUNIT_CASE(write_and_read),
	KUNIT_CASE(write_with_immediate),
	KUNIT_CASE(bad_keys),
	KUNIT_CASE(atomics),
	KUNIT_CASE(atomic_write),
	KUNIT_CASE(datagrams),
	KUNIT_CASE(address_handle_without_sleep),
	{}
};

static struct kunit_suite operations_suite = {
	.name = "srnic_verbs_operations",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = operations_cases,
};

kunit_test_suite(operations_suite);
