// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: what a request packet asks for.
 *
 * Rule numbers are those of the transport rules in Documentation/transport.rst.
 */
#include "responder.h"

#include "../wire/mtu.h"
#include "../wire/psn.h"

/**
 * srnic_rsp_init() - responder in its initial state
 * @rsp: responder
 * @service: RC, UC or XRC
 *
 * Path MTU, PSN, access and limits follow when the QP is modified.
 *
 * Context: Responder lock.
 */
void srnic_rsp_init(struct srnic_rsp *rsp, u8 service)
{
	memset(rsp, 0, sizeof(*rsp));
	rsp->mtu = SRNIC_MTU_MIN_BYTES;
	rsp->service = service;
	rsp->credits = SRNIC_CREDITS_UNLIMITED;
}

static void nak(struct srnic_rsp_step *step, u8 syndrome)
{
	step->verdict = SRNIC_RSP_NAK;
	step->syndrome = syndrome;
}

static enum srnic_msg_kind kind_of(const struct srnic_pkt *pkt)
{
	if (pkt->info->send)
		return SRNIC_MSG_SEND;
	if (pkt->info->write)
		return SRNIC_MSG_WRITE;
	if (pkt->info->read)
		return SRNIC_MSG_READ;
	if (pkt->info->atomic_write)
		return SRNIC_MSG_ATOMIC_WRITE;
	if ((pkt->opcode & SRNIC_OP_MASK) == SRNIC_OP_CMP_SWAP)
		return SRNIC_MSG_CMP_SWAP;
	return SRNIC_MSG_FETCH_ADD;
}

/* Does the packet continue what is under way, or start while nothing is? (c) */
static bool in_sequence(const struct srnic_rsp *rsp,
			const struct srnic_pkt *pkt, enum srnic_msg_kind kind)
{
	/* All packets of a message name the same SRQ (3.10). */
	if (rsp->in_message)
		return !pkt->info->starts && kind == rsp->current_op &&
		       pkt->srqn == rsp->srqn;
	return pkt->info->starts;
}

/* Is the operation one that this device knows and the QP grants? (d) */
static bool granted(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		    enum srnic_msg_kind kind)
{
	if (pkt->info->flush)
		return false;
	switch (kind) {
	case SRNIC_MSG_SEND:
		return true;
	case SRNIC_MSG_WRITE:
	case SRNIC_MSG_ATOMIC_WRITE:
		return rsp->access & SRNIC_ACCESS_REMOTE_WRITE;
	case SRNIC_MSG_READ:
		return rsp->access & SRNIC_ACCESS_REMOTE_READ;
	case SRNIC_MSG_CMP_SWAP:
	case SRNIC_MSG_FETCH_ADD:
	case SRNIC_MSG_LOCAL:
		break;
	}
	return rsp->access & SRNIC_ACCESS_REMOTE_ATOMIC;
}

/*
 * Is there a resource for one more READ or atomic? Those that are not answered
 * are in use (e). Those that are being answered again are not: the peer, which
 * keeps to the limit, may have got that answer and be waiting for newer ones.
 */
static bool resource_free(const struct srnic_rsp *rsp)
{
	return rsp->head - rsp->emit.index < rsp->max_rd_atomic;
}

/* Payload and position fit each other (g). */
static bool length_ok(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt)
{
	if (pkt->info->has_reth && pkt->dma_len > SRNIC_RSP_MAX_BYTES)
		return false;
	if (!pkt->info->has_payload)
		return !pkt->payload_bytes;
	if (!pkt->info->ends)
		return pkt->payload_bytes == rsp->mtu;
	if (pkt->info->last && !pkt->payload_bytes)
		return false;
	return pkt->payload_bytes <= rsp->mtu;
}

/* A WRITE's packets make up what its RETH announced, no more, no less (j). */
static bool write_length_ok(const struct srnic_rsp *rsp,
			    const struct srnic_pkt *pkt)
{
	u32 rest = pkt->info->starts ? pkt->dma_len : rsp->rest;

	if (pkt->info->ends)
		return pkt->payload_bytes == rest;
	return pkt->payload_bytes < rest;
}

static void plan_send(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		      struct srnic_rsp_step *step)
{
	step->place_send = true;
	step->offset = pkt->info->starts ? 0 : rsp->offset;
	/* A SEND has no announced length; the largest message bounds it. */
	if (step->offset > SRNIC_RSP_MAX_BYTES - pkt->payload_bytes)
		return nak(step, SRNIC_NAK_INV_REQ);
	step->message_bytes = step->offset + pkt->payload_bytes;
}

static void plan_write(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		       struct srnic_rsp_step *step)
{
	if (!write_length_ok(rsp, pkt))
		return nak(step, SRNIC_NAK_INV_REQ);
	if (pkt->info->starts) {
		step->va = pkt->va;
		step->rkey = pkt->rkey;
		step->length = pkt->dma_len;
		step->check_key = pkt->dma_len;
		step->message_bytes = pkt->dma_len;
	} else {
		step->va = rsp->va;
		step->rkey = rsp->rkey;
		step->message_bytes = rsp->offset + pkt->payload_bytes;
	}
	step->place_write = pkt->payload_bytes;
}

static void plan_read(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		      struct srnic_rsp_step *step)
{
	step->va = pkt->va;
	step->rkey = pkt->rkey;
	step->length = pkt->dma_len;
	step->check_key = pkt->dma_len;
	step->psns = srnic_mtu_packets(pkt->dma_len, rsp->mtu);
}

static void plan_atomic(const struct srnic_pkt *pkt,
			struct srnic_rsp_step *step)
{
	if (pkt->va % sizeof(u64))
		return nak(step, SRNIC_NAK_INV_REQ);
	step->va = pkt->va;
	step->rkey = pkt->rkey;
	step->length = sizeof(u64);
	step->check_key = true;
}

/* Its payload is the word; the RETH has to fit (k). */
static void plan_atomic_write(const struct srnic_pkt *pkt,
			      struct srnic_rsp_step *step)
{
	if (pkt->payload_bytes != sizeof(u64) || pkt->dma_len != sizeof(u64))
		return nak(step, SRNIC_NAK_INV_REQ);
	plan_atomic(pkt, step);
}

static void plan(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		 struct srnic_rsp_step *step)
{
	step->verdict = SRNIC_RSP_EXECUTE;
	step->psns = 1;
	step->take_recv = pkt->info->takes_recv_wqe;
	step->complete_recv = pkt->info->completes_recv;
	switch (step->kind) {
	case SRNIC_MSG_SEND:
		return plan_send(rsp, pkt, step);
	case SRNIC_MSG_WRITE:
		return plan_write(rsp, pkt, step);
	case SRNIC_MSG_READ:
		return plan_read(rsp, pkt, step);
	case SRNIC_MSG_ATOMIC_WRITE:
		return plan_atomic_write(pkt, step);
	case SRNIC_MSG_LOCAL:
	case SRNIC_MSG_CMP_SWAP:
	case SRNIC_MSG_FETCH_ADD:
		return plan_atomic(pkt, step);
	}
}

static void rc_request(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		       struct srnic_rsp_step *step)
{
	s32 distance = srnic_psn_cmp(pkt->psn, rsp->epsn);

	if (distance < 0) {
		step->verdict = SRNIC_RSP_DUPLICATE;
		return;
	}
	if (distance > 0) {
		step->verdict = rsp->nak_sent ? SRNIC_RSP_DROP : SRNIC_RSP_GAP;
		return;
	}
	if (!in_sequence(rsp, pkt, step->kind) ||
	    !granted(rsp, pkt, step->kind) || !length_ok(rsp, pkt))
		return nak(step, SRNIC_NAK_INV_REQ);
	if (step->kind >= SRNIC_MSG_READ && !resource_free(rsp))
		return nak(step, SRNIC_NAK_INV_REQ);
	plan(rsp, pkt, step);
}

/* UC: nobody is told; a message with a flaw is lost as a whole (3.8). */
static void uc_request(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		       struct srnic_rsp_step *step)
{
	step->verdict = SRNIC_RSP_DROP;
	/* A new message ends an unfinished one, whatever it was. */
	if (!pkt->info->starts && (pkt->psn != rsp->epsn ||
				   !in_sequence(rsp, pkt, step->kind)))
		return;
	if (!granted(rsp, pkt, step->kind) || !length_ok(rsp, pkt))
		return;
	plan(rsp, pkt, step);
	if (step->verdict == SRNIC_RSP_NAK)
		step->verdict = SRNIC_RSP_DROP;
}

/**
 * srnic_rsp_request() - decide about a request packet
 * @rsp: responder
 * @pkt: the packet, a request of the QP's service
 * @step: the decision
 *
 * Context: Responder lock.
 */
void srnic_rsp_request(const struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		       struct srnic_rsp_step *step)
{
	*step = (struct srnic_rsp_step){ .kind = kind_of(pkt) };

	if (rsp->service == SRNIC_SERVICE_UC)
		uc_request(rsp, pkt, step);
	else
		rc_request(rsp, pkt, step);
}

static void commit_message(struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
			   const struct srnic_rsp_step *step)
{
	if (pkt->info->ends) {
		rsp->in_message = false;
		rsp->offset = 0;
		rsp->msn = srnic_psn_add(rsp->msn, 1);
		return;
	}
	rsp->in_message = true;
	rsp->current_op = step->kind;
	if (pkt->info->starts) {
		rsp->rkey = pkt->rkey;
		rsp->va = pkt->va;
		rsp->rest = pkt->dma_len;
		rsp->offset = 0;
		rsp->srqn = pkt->srqn;
	}
	rsp->va += pkt->payload_bytes;
	rsp->rest -= pkt->payload_bytes;
	rsp->offset += pkt->payload_bytes;
}

static void commit_resource(struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
			    const struct srnic_rsp_step *step, u64 original)
{
	u32 slot = rsp->head % SRNIC_RSP_RESOURCES;

	/* The oldest is forgotten; its answer, too, which nobody waits for. */
	if (rsp->replay.index != rsp->replay_end &&
	    rsp->head - rsp->replay.index == SRNIC_RSP_RESOURCES)
		rsp->replay = (struct srnic_rsp_cursor){
			.index = rsp->replay.index + 1,
		};
	rsp->resource[slot] = (struct srnic_rsp_resource){
		.kind = step->kind,
		.first_psn = pkt->psn,
		.packets = step->psns,
		.va = pkt->va,
		.rkey = pkt->rkey,
		.length = step->kind == SRNIC_MSG_READ ? step->length : 0,
		.srqn = pkt->srqn,
		.original = original,
	};
	rsp->head++;
	rsp->msn = srnic_psn_add(rsp->msn, 1);
}

static void commit_execute(struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
			   const struct srnic_rsp_step *step, u64 original)
{
	rsp->epsn = srnic_psn_add(pkt->psn, step->psns);
	/* A NAK that is not out yet asked for this very packet. */
	rsp->nak = 0;
	rsp->nak_sent = false;
	if (step->kind >= SRNIC_MSG_READ) {
		commit_resource(rsp, pkt, step, original);
		return;
	}
	commit_message(rsp, pkt, step);
	if (pkt->ack_req && rsp->service != SRNIC_SERVICE_UC)
		rsp->ack_due = true;
}

/**
 * srnic_rsp_commit() - apply a decision that has been carried out
 * @rsp: responder
 * @pkt: the packet
 * @step: the decision
 * @original: of an atomic: the value before
 *
 * Also for verdicts that carry out nothing. A duplicate READ must have been
 * given to srnic_rsp_replay() instead.
 *
 * Context: Responder lock.
 */
void srnic_rsp_commit(struct srnic_rsp *rsp, const struct srnic_pkt *pkt,
		      const struct srnic_rsp_step *step, u64 original)
{
	switch (step->verdict) {
	case SRNIC_RSP_EXECUTE:
		commit_execute(rsp, pkt, step, original);
		break;
	case SRNIC_RSP_NAK:
		srnic_rsp_nak(rsp, step->syndrome);
		break;
	case SRNIC_RSP_GAP:
		srnic_rsp_nak(rsp, SRNIC_NAK_PSN_SEQ);
		break;
	case SRNIC_RSP_DUPLICATE:
		if (step->kind >= SRNIC_MSG_READ)
			srnic_rsp_replay(rsp, pkt);
		else if (pkt->ack_req)
			rsp->ack_due = true;
		break;
	case SRNIC_RSP_DROP:
		if (rsp->service != SRNIC_SERVICE_UC)
			break;
		/* What is left of the message continues nothing. */
		rsp->in_message = false;
		rsp->epsn = srnic_psn_add(pkt->psn, 1);
		break;
	}
}

/**
 * srnic_rsp_nak() - the expected packet cannot be executed
 * @rsp: responder
 * @syndrome: RNR or one of enum srnic_nak
 *
 * Context: Responder lock.
 */
void srnic_rsp_nak(struct srnic_rsp *rsp, u8 syndrome)
{
	rsp->nak = syndrome;
	rsp->nak_psn = rsp->epsn;
	rsp->nak_sent = true;
}
