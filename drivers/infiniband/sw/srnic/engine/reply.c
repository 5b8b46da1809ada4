// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reply: send what the responder owes.
 */
#include "engine.h"
#include "recv.h"

/* Packets of one run; what is beyond is the engine's. */
#define REPLY_BUDGET	32

static void fill_headers(struct srnic_qp *qp, const struct srnic_rsp_reply *reply,
			 struct srnic_pkt *pkt)
{
	*pkt = (struct srnic_pkt){
		.opcode = reply->opcode,
		.psn = reply->psn,
		.dest_qp = qp->peer,
		.pkey = IB_DEFAULT_PKEY_FULL,
		.payload_bytes = reply->bytes,
		.pad = srnic_pkt_pad_bytes(reply->bytes),
		.syndrome = reply->syndrome,
		.msn = reply->msn,
		.atomic_orig = reply->original,
	};
}

/* Memory of a READ; it may be gone since the request was checked. */
static int read_memory(struct srnic_qp *qp, const struct srnic_rsp_reply *reply,
		       u8 *to)
{
	const struct ib_pd *pd = qp->ibqp.pd;
	struct srnic_mem_ref ref;
	struct srnic_srq *srq;

	if (qp->xrcd) {
		srq = srnic_xrcd_find_srq(qp->dev, qp->xrcd, reply->srqn);
		if (!srq)
			return -EFAULT;
		pd = srq->ibsrq.pd;
	}
	if (srnic_mem_find_remote(&qp->dev->keys, pd, &qp->windows,
				  reply->rkey, reply->va, reply->bytes,
				  IB_ACCESS_REMOTE_READ, &ref) != SRNIC_MEM_OK)
		return -EFAULT;
	srnic_mem_read(ref.mr, ref.va, to, reply->bytes);
	srnic_mem_release(&ref);
	srnic_count_add(qp->counters, SRNIC_COUNTER_COPY_BYTES,
			reply->bytes);
	return 0;
}

/*
 * Return: 0; -EBUSY: the netdev takes nothing more for now; -EFAULT: the memory of
 * a READ is gone.
 */
static int send_reply(struct srnic_qp *qp, struct srnic_tx *tx,
		      const struct srnic_rsp_reply *reply)
{
	const struct srnic_net_ops *ops = qp->dev->net_ops;
	struct srnic_pkt pkt;
	u32 header;
	u8 *to;

	to = ops->begin(tx, srnic_pkt_wire_bytes(reply->opcode, reply->bytes));
	if (unlikely(!to))
		return -EBUSY;
	fill_headers(qp, reply, &pkt);
	header = srnic_pkt_build(&pkt, to);
	if (reply->bytes && read_memory(qp, reply, to + header)) {
		ops->cancel(tx);
		return -EFAULT;
	}
	memset(to + header + reply->bytes, 0, pkt.pad);
	return ops->end(tx) ? 0 : -EBUSY;
}

static void count_reply(struct srnic_qp *qp, const struct srnic_rsp_reply *reply)
{
	enum srnic_counter which;

	if (reply->kind == SRNIC_REPLY_ACK)
		which = SRNIC_COUNTER_TX_ACK;
	else if (reply->kind != SRNIC_REPLY_NAK)
		return;
	else if (srnic_aeth_class(reply->syndrome) == SRNIC_AETH_RNR)
		which = SRNIC_COUNTER_TX_NAK_RNR;
	else if (reply->syndrome == SRNIC_NAK_PSN_SEQ)
		which = SRNIC_COUNTER_TX_NAK_SEQ;
	else
		which = SRNIC_COUNTER_TX_NAK_ERROR;
	srnic_count(qp->counters, which);
}

/*
 * The memory of a READ is gone. If the answer was sent before, that is that: who
 * asked may have got it. Otherwise a NAK takes its place, and that is the end.
 */
static void refuse_read(struct srnic_qp *qp, const struct srnic_rsp_reply *reply,
			struct srnic_events *events)
{
	srnic_rsp_refuse(&qp->recv.rsp, reply, SRNIC_NAK_REM_ACCESS);
	if (reply->again)
		return;
	events->qp |= BIT(SRNIC_QP_EVENT_ACCESS_ERR);
	qp->recv.failed = true;
}

/*
 * The receive of a message that is under way counts, for the message does not yet. An
 * SRQ's are not ours alone (3.5.4).
 */
static u32 credits(const struct srnic_qp *qp)
{
	if (!qp->rq.map)
		return SRNIC_CREDITS_UNLIMITED;
	return srnic_rq_credits(&qp->rq) + qp->recv.wr_held;
}

/**
 * srnic_reply() - send what the responder owes, up to a budget
 * @qp: queue pair
 * @events: what is to be told at the end of the run
 *
 * When the NAK of a fatal error is out, the QP goes to ERR.
 *
 * Context: Responder lock.
 * Return: true if there is more to send.
 */
bool srnic_reply(struct srnic_qp *qp, struct srnic_events *events)
{
	struct srnic_recv_side *recv = &qp->recv;
	struct srnic_tx tx = {
		.dev = qp->dev,
		.counters = qp->counters,
		.path = &qp->path,
	};
	struct srnic_rsp_reply reply;
	bool done = false;
	bool more = true;
	int budget, ret;

	lockdep_assert_held(&recv->lock);

	recv->rsp.credits = credits(qp);
	for (budget = REPLY_BUDGET; budget; budget--) {
		srnic_rsp_next(&recv->rsp, &reply);
		if (reply.kind == SRNIC_REPLY_NONE) {
			more = false;
			done = true;
			break;
		}
		/* UC says nothing, whatever the state machine would. */
		if (recv->rsp.service == SRNIC_SERVICE_UC) {
			srnic_rsp_sent(&recv->rsp, &reply);
			continue;
		}
		ret = send_reply(qp, &tx, &reply);
		if (ret == -EBUSY) {
			srnic_engine_pause(qp);
			more = false;
			break;
		}
		if (ret) {
			refuse_read(qp, &reply, events);
			continue;
		}
		count_reply(qp, &reply);
		srnic_rsp_sent(&recv->rsp, &reply);
	}
	qp->dev->net_ops->flush(&tx);
	if (done && recv->failed)
		srnic_qp_to_error_locked(qp);
	return more;
}
