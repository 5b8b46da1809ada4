// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: what goes back, in the order of the PSNs, and what goes back again.
 */
#include "responder.h"

#include "../wire/psn.h"

static const struct srnic_rsp_resource *resource(const struct srnic_rsp *rsp,
						 u32 index)
{
	return &rsp->resource[index % SRNIC_RSP_RESOURCES];
}

static bool replaying(const struct srnic_rsp *rsp)
{
	return rsp->replay.index != rsp->replay_end;
}

/* The request that @pkt repeats, if it is still remembered (3.4). */
static bool find(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		 u32 *index)
{
	u32 kept = min_t(u32, rsp->head, SRNIC_RSP_RESOURCES);
	u32 i;

	for (i = 1; i <= kept; i++) {
		const struct srnic_rsp_resource *res;

		res = resource(rsp, rsp->head - i);
		if (!srnic_psn_in_range(pkt->psn, res->first_psn, res->packets))
			continue;
		*index = rsp->head - i;
		return true;
	}
	return false;
}

/* The repeated request asks for the end of what the first one asked for. */
static bool repeats(const struct srnic_rsp *rsp,
		    const struct srnic_rsp_resource *res,
		    const struct srnic_pkt *pkt, u32 packet)
{
	u32 offset = packet * rsp->mtu;

	switch (res->kind) {
	case SRNIC_MSG_ATOMIC_WRITE:
		return srnic_opcode_op(pkt->opcode) == SRNIC_OP_ATOMIC_WRITE;
	case SRNIC_MSG_CMP_SWAP:
		return srnic_opcode_op(pkt->opcode) == SRNIC_OP_CMP_SWAP;
	case SRNIC_MSG_FETCH_ADD:
		return srnic_opcode_op(pkt->opcode) == SRNIC_OP_FETCH_ADD;
	default:
		break;
	}
	return pkt->info->read && res->rkey == pkt->rkey &&
	       res->srqn == pkt->srqn &&
	       res->va + offset == pkt->va &&
	       res->length - offset == pkt->dma_len;
}

/**
 * srnic_rsp_replay() - a READ or atomic came again
 * @rsp: responder
 * @pkt: the request
 *
 * Arranges the answer that it had. Never changes what is expected next (3.4.2).
 *
 * Context: Responder lock.
 * Return: true if it is remembered, false if it is to be ignored.
 */
bool srnic_rsp_replay(struct srnic_rsp *rsp, const struct srnic_pkt *pkt)
{
	const struct srnic_rsp_resource *res;
	u32 index, packet;

	if (!find(rsp, pkt, &index))
		return false;
	res = resource(rsp, index);
	packet = srnic_psn_sub(pkt->psn, res->first_psn);
	if (!repeats(rsp, res, pkt, packet))
		return false;

	/* Not, or not wholly, answered for the first time yet. */
	if ((s32)(index - rsp->emit.index) >= 0) {
		if (index == rsp->emit.index && packet < rsp->emit.packet) {
			rsp->emit.start = packet;
			rsp->emit.packet = packet;
		}
		return true;
	}
	if (!replaying(rsp)) {
		rsp->replay_end = index + 1;
	} else if ((s32)(index - rsp->replay.index) > 0) {
		/* Behind what is being repeated: that goes on up to here. */
		if ((s32)(index - rsp->replay_end) >= 0)
			rsp->replay_end = index + 1;
		return true;
	} else if (index == rsp->replay.index &&
		   packet >= rsp->replay.packet) {
		return true;
	}
	rsp->replay = (struct srnic_rsp_cursor){ index, packet, packet };
	return true;
}

static u8 read_operation(const struct srnic_rsp_cursor *at, u32 packets)
{
	bool first = at->packet == at->start;
	bool last = at->packet + 1 == packets;

	if (first)
		return last ? SRNIC_OP_READ_RESP_ONLY :
			      SRNIC_OP_READ_RESP_FIRST;
	return last ? SRNIC_OP_READ_RESP_LAST : SRNIC_OP_READ_RESP_MIDDLE;
}

/* Says how many receives there are, too (3.5.4). */
static u8 ack_syndrome(const struct srnic_rsp *rsp)
{
	return SRNIC_AETH_ACK | srnic_aeth_credit_code(rsp->credits);
}

static void reply_resource(const struct srnic_rsp *rsp,
			   const struct srnic_rsp_cursor *at,
			   struct srnic_rsp_reply *reply)
{
	const struct srnic_rsp_resource *res = resource(rsp, at->index);
	u32 offset = at->packet * rsp->mtu;

	reply->psn = srnic_psn_add(res->first_psn, at->packet);
	reply->syndrome = ack_syndrome(rsp);
	if (res->kind >= SRNIC_MSG_CMP_SWAP) {
		reply->kind = SRNIC_REPLY_ATOMIC;
		reply->opcode = SRNIC_OP_ATOMIC_ACK;
		reply->original = res->original;
		return;
	}
	reply->kind = SRNIC_REPLY_READ;
	reply->opcode = read_operation(at, res->packets);
	reply->va = res->va + offset;
	reply->rkey = res->rkey;
	reply->srqn = res->srqn;
	reply->bytes = min(res->length - offset, rsp->mtu);
}

/**
 * srnic_rsp_next() - the next packet that goes back
 * @rsp: responder
 * @reply: the packet; its kind is SRNIC_REPLY_NONE if there is none
 *
 * Context: Responder lock.
 */
void srnic_rsp_next(const struct srnic_rsp *rsp, struct srnic_rsp_reply *reply)
{
	*reply = (struct srnic_rsp_reply){ .msn = rsp->msn };

	if (replaying(rsp)) {
		reply->again = true;
		reply_resource(rsp, &rsp->replay, reply);
	} else if (rsp->emit.index != rsp->head) {
		reply_resource(rsp, &rsp->emit, reply);
	} else if (rsp->nak) {
		reply->kind = SRNIC_REPLY_NAK;
		reply->opcode = SRNIC_OP_ACK;
		reply->psn = rsp->nak_psn;
		reply->syndrome = rsp->nak;
	} else if (rsp->ack_due) {
		reply->kind = SRNIC_REPLY_ACK;
		reply->opcode = SRNIC_OP_ACK;
		reply->psn = srnic_psn_sub(rsp->epsn, 1);
		reply->syndrome = ack_syndrome(rsp);
	}
	reply->opcode |= rsp->service;
}

static void advance(const struct srnic_rsp *rsp, struct srnic_rsp_cursor *at)
{
	if (++at->packet < resource(rsp, at->index)->packets)
		return;
	at->index++;
	at->start = 0;
	at->packet = 0;
}

/**
 * srnic_rsp_sent() - a reply has been sent
 * @rsp: responder
 * @reply: what srnic_rsp_next() gave
 *
 * Context: Responder lock.
 */
void srnic_rsp_sent(struct srnic_rsp *rsp, const struct srnic_rsp_reply *reply)
{
	switch (reply->kind) {
	case SRNIC_REPLY_READ:
	case SRNIC_REPLY_ATOMIC:
		if (replaying(rsp))
			advance(rsp, &rsp->replay);
		else
			advance(rsp, &rsp->emit);
		break;
	case SRNIC_REPLY_NAK:
		/* It acknowledges all before it, too. */
		rsp->nak = 0;
		rsp->ack_due = false;
		break;
	case SRNIC_REPLY_ACK:
		rsp->ack_due = false;
		break;
	case SRNIC_REPLY_NONE:
		break;
	}
}

/**
 * srnic_rsp_refuse() - a reply cannot be made
 * @rsp: responder
 * @reply: what srnic_rsp_next() gave
 * @syndrome: NAK that takes its place
 *
 * One that was sent before is not missed: a duplicate is never refused (3.4).
 *
 * Context: Responder lock.
 */
void srnic_rsp_refuse(struct srnic_rsp *rsp, const struct srnic_rsp_reply *reply,
		      u8 syndrome)
{
	rsp->replay.index = rsp->replay_end;
	if (reply->again)
		return;
	rsp->emit.index = rsp->head;
	srnic_rsp_nak(rsp, syndrome);
	rsp->nak_psn = reply->psn;
}
