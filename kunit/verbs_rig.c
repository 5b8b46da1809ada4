// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects of a device, and QPs that are connected to themselves.
 */
#include "verbs_rig.h"

#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#define MR_ACCESS							\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

static struct ib_device *device;

static int add_device(struct ib_device *dev)
{
	if (!device && !strncmp(dev_name(&dev->dev), "srnic", 5))
		device = dev;
	return 0;
}

static void remove_device(struct ib_device *dev, void *data)
{
	if (device == dev)
		device = NULL;
}

static struct ib_client client = {
	.name = "srnic_kunit",
	.add = add_device,
	.remove = remove_device,
};

static bool registered;

/* Devices that are there already are told to it at once. */
static struct ib_device *find_device(void)
{
	if (!registered)
		registered = !ib_register_client(&client);
	return device;
}

void rig_client_end(void)
{
	if (registered)
		ib_unregister_client(&client);
}

static void on_completion(struct ib_cq *cq, void *context)
{
	struct rig *rig = context;

	atomic_inc(&rig->events);
}

static void on_event(struct ib_event *event, void *context)
{
	struct rig *rig = context;

	if (event->event == IB_EVENT_CQ_ERR)
		atomic_inc(&rig->cq_errors);
}

int rig_init(struct kunit *test)
{
	struct ib_cq_init_attr attr = { .cqe = 4 * RIG_DEPTH };
	struct rig *rig;
	u32 i;

	KUNIT_ASSERT_NOT_NULL_MSG(test, find_device(), "there is no srnic device");
	rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig);
	test->priv = rig;
	rig->test = test;
	rig->dev = device;
	rig->from = kunit_kzalloc(test, RIG_BYTES, GFP_KERNEL);
	rig->to = kunit_kzalloc(test, RIG_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->from);
	KUNIT_ASSERT_NOT_NULL(test, rig->to);
	for (i = 0; i < RIG_BYTES; i++)
		rig->from[i] = i * 7 + 1;

	rig->pd = ib_alloc_pd(rig->dev, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rig->pd));
	rig->mr = rig->dev->ops.get_dma_mr(rig->pd, MR_ACCESS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rig->mr));
	rig->mr->device = rig->dev;
	rig->cq = ib_create_cq(rig->dev, on_completion, on_event, rig, &attr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rig->cq));
	return 0;
}

void rig_exit(struct kunit *test)
{
	struct rig *rig = test->priv;

	if (!rig)
		return;
	ib_destroy_cq(rig->cq);
	KUNIT_EXPECT_EQ(test, rig->dev->ops.dereg_mr(rig->mr, NULL), 0);
	ib_dealloc_pd(rig->pd);
}

struct ib_qp *rig_qp(struct rig *rig, const struct ib_qp_init_attr *init)
{
	struct ib_qp_init_attr attr = *init;
	struct ib_qp *qp;

	if (!attr.send_cq)
		attr.send_cq = rig->cq;
	if (!attr.recv_cq)
		attr.recv_cq = rig->cq;
	attr.cap = (struct ib_qp_cap) {
		.max_send_wr = RIG_DEPTH,
		.max_recv_wr = RIG_DEPTH,
		.max_send_sge = RIG_SGES,
		.max_recv_sge = RIG_SGES,
		.max_inline_data = RIG_INLINE,
	};
	qp = ib_create_qp(rig->pd, &attr);
	KUNIT_ASSERT_FALSE(rig->test, IS_ERR(qp));
	return qp;
}

struct ib_qp *rig_plain_qp(struct rig *rig, enum ib_qp_type type)
{
	struct ib_qp_init_attr init = {
		.qp_type = type,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
	};

	return rig_qp(rig, &init);
}

/* An address of the device itself. */
void rig_ah_attr(struct rig *rig, struct rdma_ah_attr *attr, bool ipv4)
{
	const struct ib_gid_attr *found;
	struct ib_port_attr port;
	union ib_gid gid = {};
	int index = -1;
	int i;

	KUNIT_ASSERT_EQ(rig->test, ib_query_port(rig->dev, 1, &port), 0);
	for (i = 0; i < port.gid_tbl_len && index < 0; i++) {
		found = rdma_get_gid_attr(rig->dev, 1, i);
		if (IS_ERR(found))
			continue;
		if (found->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((struct in6_addr *)&found->gid) == ipv4) {
			index = i;
			gid = found->gid;
		}
		rdma_put_gid_attr(found);
	}
	KUNIT_ASSERT_GE_MSG(rig->test, index, 0, "the device has no address");

	memset(attr, 0, sizeof(*attr));
	attr->type = rdma_ah_find_type(rig->dev, 1);
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_grh(attr, &gid, 0, index, 64, 0);
}

static int to_init(struct ib_qp *qp, struct ib_qp_attr *attr)
{
	if (qp->qp_type == IB_QPT_UD)
		return IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY;
	attr->qp_access_flags = MR_ACCESS & ~IB_ACCESS_LOCAL_WRITE;
	return IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS;
}

static int to_rtr(struct rig *rig, struct ib_qp *qp, struct ib_qp_attr *attr)
{
	int mask = IB_QP_STATE;

	if (qp->qp_type == IB_QPT_UD)
		return mask;
	rig_ah_attr(rig, &attr->ah_attr, true);
	attr->path_mtu = IB_MTU_1024;
	attr->dest_qp_num = qp->qp_num;
	attr->max_dest_rd_atomic = 4;
	attr->min_rnr_timer = 1;
	mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return mask;
}

static int to_rts(struct ib_qp *qp, struct ib_qp_attr *attr)
{
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	attr->timeout = 18;
	attr->retry_cnt = 7;
	attr->rnr_retry = 7;
	attr->max_rd_atomic = 4;
	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return mask;
}

void rig_modify(struct rig *rig, struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = {
		.qp_state = state,
		.port_num = 1,
		.qkey = RIG_QKEY,
	};
	int mask = IB_QP_STATE;

	if (state == IB_QPS_INIT)
		mask = to_init(qp, &attr);
	else if (state == IB_QPS_RTR)
		mask = to_rtr(rig, qp, &attr);
	else if (state == IB_QPS_RTS)
		mask = to_rts(qp, &attr);
	KUNIT_ASSERT_EQ(rig->test, ib_modify_qp(qp, &attr, mask), 0);
}

void rig_connect(struct rig *rig, struct ib_qp *qp)
{
	rig_modify(rig, qp, IB_QPS_INIT);
	rig_modify(rig, qp, IB_QPS_RTR);
	rig_modify(rig, qp, IB_QPS_RTS);
}

struct ib_sge rig_sge(struct rig *rig, void *addr, u32 length)
{
	return (struct ib_sge) {
		.addr = (uintptr_t)addr,
		.length = length,
		.lkey = rig->pd->local_dma_lkey,
	};
}

int rig_post_recv(struct rig *rig, struct ib_qp *qp, u64 wr_id, void *to,
		  u32 length)
{
	struct ib_sge sge = rig_sge(rig, to, length);
	struct ib_recv_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ib_post_recv(qp, &wr, NULL);
}

int rig_post_send(struct rig *rig, struct ib_qp *qp, u64 wr_id, void *from,
		  u32 length)
{
	struct ib_sge sge = rig_sge(rig, from, length);
	struct ib_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};

	return ib_post_send(qp, &wr, NULL);
}

/* The next completion, which is the one of this work request. */
struct ib_wc rig_wait_for(struct rig *rig, u64 wr_id)
{
	unsigned long end = jiffies + 20 * HZ;
	struct ib_wc wc = {};
	int count;

	do {
		count = ib_poll_cq(rig->cq, 1, &wc);
		if (!count)
			usleep_range(50, 100);
	} while (!count && time_before(jiffies, end));
	KUNIT_EXPECT_EQ_MSG(rig->test, count, 1, "no completion of %llu", wr_id);
	KUNIT_EXPECT_EQ(rig->test, wc.wr_id, wr_id);
	return wc;
}

void rig_expect_flushed(struct rig *rig, u64 wr_id)
{
	KUNIT_EXPECT_EQ(rig->test, rig_wait_for(rig, wr_id).status,
			IB_WC_WR_FLUSH_ERR);
}
