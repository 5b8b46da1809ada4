// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Management datagrams by way of the GSI, QP 1, which the core's MAD layer owns.
 */
#include <linux/completion.h>
#include <rdma/ib_mad.h>

#include "verbs_rig.h"

/* One of those without RMPP and OUI. */
#define MGMT_CLASS	0x09
#define TID	0x1234

/**
 * struct talk - a question and its answer
 * @rig: objects of the test
 * @asks: who asks, and waits for the answer
 * @answers: who is asked
 * @question: what came with the question
 * @reply: the first byte of the answer
 * @failed: completions of sends with an error
 * @sent: completions of sends
 * @err: what went wrong in a handler
 * @done: the answer has come
 */
struct talk {
	struct rig *rig;
	struct ib_mad_agent *asks;
	struct ib_mad_agent *answers;
	struct ib_wc question;
	u8 reply;
	atomic_t failed;
	atomic_t sent;
	int err;
	struct completion done;
};

static void on_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct talk *talk = agent->context;

	if (wc->status != IB_WC_SUCCESS)
		atomic_inc(&talk->failed);
	rdma_destroy_ah(wc->send_buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(wc->send_buf);
	atomic_inc(&talk->sent);
}

static int say(struct ib_mad_agent *agent, struct ib_ah *ah, u8 method, u8 data)
{
	struct ib_mad_send_buf *buf;
	struct ib_mad *mad;
	int err;

	if (IS_ERR(ah))
		return PTR_ERR(ah);
	buf = ib_create_send_mad(agent, 1, 0, 0, IB_MGMT_MAD_HDR,
				 IB_MGMT_MAD_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	mad = buf->mad;
	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = MGMT_CLASS;
	mad->mad_hdr.class_version = 1;
	mad->mad_hdr.method = method;
	mad->mad_hdr.tid = cpu_to_be64((u64)agent->hi_tid << 32 | TID);
	mad->data[0] = data;
	buf->ah = ah;
	buf->timeout_ms = method == IB_MGMT_METHOD_GET ? 10000 : 0;
	err = ib_post_send_mad(buf, NULL);
	if (err)
		ib_free_send_mad(buf);
	return err;
}

/* The answer goes where the question says that it comes from. */
static void on_question(struct ib_mad_agent *agent, struct ib_mad_send_buf *buf,
			struct ib_mad_recv_wc *wc)
{
	struct talk *talk = agent->context;
	struct ib_mad *mad = (struct ib_mad *)wc->recv_buf.mad;
	struct ib_mad_send_buf *answer;
	struct ib_ah *ah;

	talk->question = *wc->wc;
	ah = ib_create_ah_from_wc(agent->qp->pd, wc->wc, wc->recv_buf.grh, 1);
	if (IS_ERR(ah)) {
		talk->err = PTR_ERR(ah);
		ib_free_recv_mad(wc);
		return;
	}
	answer = ib_create_send_mad(agent, wc->wc->src_qp, wc->wc->pkey_index, 0,
				    IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA,
				    GFP_KERNEL, IB_MGMT_BASE_VERSION);
	if (IS_ERR(answer)) {
		talk->err = PTR_ERR(answer);
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
		ib_free_recv_mad(wc);
		return;
	}
	memcpy(answer->mad, mad, sizeof(*mad));
	((struct ib_mad *)answer->mad)->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	((struct ib_mad *)answer->mad)->data[0]++;
	answer->ah = ah;
	talk->err = ib_post_send_mad(answer, NULL);
	ib_free_recv_mad(wc);
}

static void on_answer(struct ib_mad_agent *agent, struct ib_mad_send_buf *buf,
		      struct ib_mad_recv_wc *wc)
{
	struct talk *talk = agent->context;

	talk->reply = ((struct ib_mad *)wc->recv_buf.mad)->data[0];
	ib_free_recv_mad(wc);
	complete(&talk->done);
}

static struct talk *ask(struct kunit *test, bool ipv4)
{
	struct talk *talk = kunit_kzalloc(test, sizeof(*talk), GFP_KERNEL);
	struct ib_mad_reg_req request = {
		.mgmt_class = MGMT_CLASS, .mgmt_class_version = 1,
	};
	struct rig *rig = test->priv;
	struct rdma_ah_attr attr;

	KUNIT_ASSERT_NOT_NULL(test, talk);
	talk->rig = rig;
	init_completion(&talk->done);
	set_bit(IB_MGMT_METHOD_GET, request.method_mask);
	talk->asks = ib_register_mad_agent(rig->dev, 1, IB_QPT_GSI, NULL, 0,
					   on_sent, on_answer, talk, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(talk->asks));
	talk->answers = ib_register_mad_agent(rig->dev, 1, IB_QPT_GSI, &request,
					      0, on_sent, on_question, talk, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(talk->answers));

	rig_ah_attr(rig, &attr, ipv4);
	KUNIT_EXPECT_EQ(test, say(talk->asks,
				  rdma_create_ah(talk->asks->qp->pd, &attr,
						 RDMA_CREATE_AH_SLEEPABLE),
				  IB_MGMT_METHOD_GET, 41), 0);
	KUNIT_EXPECT_TRUE(test, rig_until(atomic_read(&talk->sent) >= 1));
	KUNIT_EXPECT_EQ(test, talk->err, 0);
	KUNIT_EXPECT_EQ(test, talk->question.src_qp, 1U);
	KUNIT_EXPECT_EQ(test, talk->question.pkey_index, (u16)0);
	KUNIT_EXPECT_EQ(test, talk->question.byte_len,
			(u32)(sizeof(struct ib_grh) + sizeof(struct ib_mad)));
	KUNIT_EXPECT_TRUE(test, talk->question.wc_flags & IB_WC_GRH);
	KUNIT_EXPECT_EQ(test, talk->question.network_hdr_type,
			(u8)(ipv4 ? RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6));
	return talk;
}

static void stop_talking(struct talk *talk)
{
	ib_unregister_mad_agent(talk->answers);
	ib_unregister_mad_agent(talk->asks);
}

static void question_and_answer(struct kunit *test)
{
	struct talk *talk = ask(test, false);

	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&talk->done, 20 * HZ),
			0UL);
	KUNIT_EXPECT_TRUE(test, rig_until(atomic_read(&talk->sent) == 2));
	KUNIT_EXPECT_EQ(test, talk->reply, (u8)42);
	KUNIT_EXPECT_EQ(test, atomic_read(&talk->failed), 0);
	stop_talking(talk);
}

/* The MAD layer finds no question to an answer that came over IPv4. */
static void question_over_ipv4(struct kunit *test)
{
	stop_talking(ask(test, true));
}

/* The MAD layer has the one that there is. */
static void there_is_one(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ib_qp_init_attr attr = {
		.send_cq = rig->cq, .recv_cq = rig->cq, .qp_type = IB_QPT_GSI,
		.port_num = 1,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ib_qp *qp = ib_create_qp(rig->pd, &attr);

	KUNIT_EXPECT_TRUE(test, IS_ERR(qp));
	if (IS_ERR(qp))
		KUNIT_EXPECT_EQ(test, PTR_ERR(qp), (long)-EBUSY);
	else
		ib_destroy_qp(qp);
}

static struct kunit_case gsi_cases[] = {
	KUNIT_CASE(question_and_answer),
	KUNIT_CASE(question_over_ipv4),
	KUNIT_CASE(there_is_one),
	{}
};

static struct kunit_suite gsi_suite = {
	.name = "srnic_verbs_gsi",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = gsi_cases,
};

kunit_test_suite(gsi_suite);
