// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completer: what a response, or its absence, means for the requester.
 *
 * Rule numbers are those of the transport rules in Documentation/transport.rst.
 */
#include "completer.h"

#include "../wire/aeth.h"
#include "../wire/psn.h"

static const struct srnic_msg *message(const struct srnic_req *req,
				       const struct srnic_msg *msgs, u32 index)
{
	return &msgs[index & req->mask];
}

static void begin(const struct srnic_req *req, struct srnic_cmp_step *step)
{
	*step = (struct srnic_cmp_step){
		.tail = req->tail,
		.una = req->una,
	};
}

/* Messages of no packets are complete as soon as all before them is. */
static void complete_local(const struct srnic_req *req,
			   const struct srnic_msg *msgs,
			   struct srnic_cmp_step *step)
{
	while (step->tail != req->started &&
	       message(req, msgs, step->tail)->kind == SRNIC_MSG_LOCAL)
		step->tail++;
}

/*
 * All packets before PSN @end have arrived: complete what they complete, up to
 * a READ or atomic, which only its own response completes (2.6, 2.7).
 *
 * Return: true if nothing stands in the way of @end; false if a READ or atomic
 * does, whose response must have been lost.
 */
static bool acknowledge(const struct srnic_req *req,
			const struct srnic_msg *msgs, u32 end,
			struct srnic_cmp_step *step)
{
	u32 goal = srnic_psn_sub(end, req->una);

	while (step->tail != req->started) {
		const struct srnic_msg *msg = message(req, msgs, step->tail);
		u32 msg_end = srnic_psn_add(msg->first_psn, msg->packets);

		if (srnic_psn_sub(step->una, req->una) >= goal)
			return true;
		if (srnic_msg_has_response(msg))
			return false;
		if (srnic_psn_sub(msg_end, req->una) > goal) {
			step->una = end;
			return true;
		}
		step->una = msg_end;
		step->tail++;
		complete_local(req, msgs, step);
	}
	return true;
}

static bool progress(const struct srnic_req *req,
		     const struct srnic_cmp_step *step)
{
	return step->una != req->una;
}

static void fail(struct srnic_cmp_step *step, enum srnic_cmp_error error)
{
	step->action = SRNIC_CMP_FAIL;
	step->error = error;
}

/*
 * Something was lost. One retry an event: until the oldest PSN moves, whatever
 * says so again says it of the same loss (4.10).
 */
static void go_back(const struct srnic_req *req, struct srnic_cmp_step *step)
{
	if (req->rnr_wait && !progress(req, step))
		return;
	if (req->retried && !progress(req, step))
		return;
	if (!progress(req, step) && !req->retry_left)
		return fail(step, SRNIC_CMP_ERR_RETRY);
	if (progress(req, step) && !req->retry_cnt)
		return fail(step, SRNIC_CMP_ERR_RETRY);
	step->action = SRNIC_CMP_GO_BACK;
}

static void rnr_nak(const struct srnic_req *req, u8 syndrome,
		    struct srnic_cmp_step *step)
{
	u8 left = progress(req, step) ? req->rnr_retry : req->rnr_left;

	if (req->rnr_wait && !progress(req, step))
		return;
	if (!left)
		return fail(step, SRNIC_CMP_ERR_RNR);
	step->action = SRNIC_CMP_RNR;
	step->wait_ns = srnic_rnr_timer_ns(srnic_aeth_value(syndrome));
}

static void nak(const struct srnic_req *req, const struct srnic_msg *msgs,
		const struct srnic_pkt *pkt, struct srnic_cmp_step *step)
{
	enum srnic_cmp_error error;

	switch (pkt->syndrome) {
	case SRNIC_NAK_PSN_SEQ:
		acknowledge(req, msgs, pkt->psn, step);
		return go_back(req, step);
	case SRNIC_NAK_INV_REQ:
		error = SRNIC_CMP_ERR_REM_INV_REQ;
		break;
	case SRNIC_NAK_REM_ACCESS:
		error = SRNIC_CMP_ERR_REM_ACCESS;
		break;
	case SRNIC_NAK_REM_OP:
		error = SRNIC_CMP_ERR_REM_OP;
		break;
	case SRNIC_NAK_INV_RD_REQ:
		if (req->service == SRNIC_SERVICE_XRC) {
			error = SRNIC_CMP_ERR_REM_INV_SRQ;
			break;
		}
		fallthrough;
	default:
		/* It has no meaning, not even of an acknowledgment (2.9). */
		step->action = SRNIC_CMP_GHOST;
		return;
	}
	/* If a READ stands in the way, the error is the READ's: it is older. */
	acknowledge(req, msgs, pkt->psn, step);
	fail(step, error);
}

static void acknowledgment(const struct srnic_req *req,
			   const struct srnic_msg *msgs,
			   const struct srnic_pkt *pkt,
			   struct srnic_cmp_step *step)
{
	bool all;

	switch (srnic_aeth_class(pkt->syndrome)) {
	case SRNIC_AETH_ACK:
		if (!acknowledge(req, msgs, srnic_psn_add(pkt->psn, 1), step))
			go_back(req, step);
		return;
	case SRNIC_AETH_RNR:
		all = acknowledge(req, msgs, pkt->psn, step);
		if (all)
			rnr_nak(req, pkt->syndrome, step);
		else
			go_back(req, step);
		return;
	case SRNIC_AETH_NAK:
		return nak(req, msgs, pkt, step);
	default:
		step->action = SRNIC_CMP_GHOST;
	}
}

/*
 * Does a READ response packet have the length that its place demands? That of an
 * atomic write is empty (1.4.4).
 */
static bool read_length_ok(const struct srnic_req *req,
			   const struct srnic_msg *msg, u32 offset,
			   const struct srnic_pkt *pkt)
{
	u32 rest = msg->kind == SRNIC_MSG_READ ? msg->length - offset : 0;

	if (pkt->info->ends)
		return pkt->payload_bytes == rest && rest <= req->mtu;
	return pkt->payload_bytes == req->mtu && rest > req->mtu;
}

/*
 * An answer starts with FIRST or ONLY, and goes on without. One that was asked for
 * again starts in the middle, unless the rest of the first one is faster (4.11).
 */
static bool in_place(const struct srnic_req *req, u32 offset,
		     const struct srnic_pkt *pkt)
{
	if (!offset)
		return pkt->info->starts;
	return !pkt->info->starts || req->resumed;
}

static void data_response(const struct srnic_req *req,
			  const struct srnic_msg *msgs,
			  const struct srnic_pkt *pkt,
			  struct srnic_cmp_step *step)
{
	const struct srnic_msg *msg;
	bool atomic;
	u32 offset;

	acknowledge(req, msgs, pkt->psn, step);
	msg = message(req, msgs, step->tail);
	if (step->una != pkt->psn)
		return go_back(req, step);
	atomic = msg->kind >= SRNIC_MSG_CMP_SWAP;
	if (!srnic_msg_has_response(msg) || atomic != pkt->info->atomic)
		return fail(step, SRNIC_CMP_ERR_BAD_RESP);

	offset = srnic_psn_sub(pkt->psn, msg->first_psn) * req->mtu;
	if (!atomic && !in_place(req, offset, pkt))
		return fail(step, SRNIC_CMP_ERR_BAD_RESP);
	if (!atomic && !read_length_ok(req, msg, offset, pkt))
		return fail(step, SRNIC_CMP_ERR_LENGTH);
	if (msg->kind != SRNIC_MSG_ATOMIC_WRITE)
		step->action = SRNIC_CMP_PLACE;
	step->index = step->tail;
	step->offset = offset;
	step->una = srnic_psn_add(pkt->psn, 1);
	if (step->una == srnic_psn_add(msg->first_psn, msg->packets)) {
		step->tail++;
		step->responses++;
		complete_local(req, msgs, step);
	}
}

/* End-to-end credits, which all AETHs but those of NAKs have (4.14). */
static void hear_credits(const struct srnic_pkt *pkt, struct srnic_cmp_step *step)
{
	if (!pkt->info->has_aeth ||
	    srnic_aeth_class(pkt->syndrome) != SRNIC_AETH_ACK)
		return;
	step->told = true;
	step->credits = srnic_aeth_credits(srnic_aeth_value(pkt->syndrome));
	step->msn = pkt->msn;
}

/**
 * srnic_cmp_response() - decide about a response packet
 * @req: requester
 * @msgs: ring of messages
 * @pkt: the packet, a response
 * @step: the decision
 *
 * Context: Send side owner.
 */
void srnic_cmp_response(const struct srnic_req *req,
			const struct srnic_msg *msgs,
			const struct srnic_pkt *pkt,
			struct srnic_cmp_step *step)
{
	begin(req, step);
	/* Only what was sent and is not acknowledged has an answer (2.3). */
	if (srnic_psn_sub(pkt->psn, req->una) >=
	    srnic_psn_sub(req->top_psn, req->una)) {
		step->action = SRNIC_CMP_GHOST;
		/* Nothing new, but perhaps that there are receives now (2.3). */
		if (pkt->info->ack && pkt->psn == srnic_psn_sub(req->una, 1))
			hear_credits(pkt, step);
		return;
	}
	hear_credits(pkt, step);
	if (pkt->info->ack)
		acknowledgment(req, msgs, pkt, step);
	else
		data_response(req, msgs, pkt, step);
}

/**
 * srnic_cmp_timeout() - decide what no answer means
 * @req: requester
 * @step: the decision
 *
 * Context: Send side owner.
 */
void srnic_cmp_timeout(const struct srnic_req *req, struct srnic_cmp_step *step)
{
	begin(req, step);
	if (!srnic_req_outstanding(req) || req->rnr_wait)
		return;
	if (!req->retry_left)
		return fail(step, SRNIC_CMP_ERR_RETRY);
	step->action = SRNIC_CMP_GO_BACK;
}

/* An acknowledgment that was overtaken has nothing to say: the limit only grows. */
static void commit_credits(struct srnic_req *req,
			   const struct srnic_cmp_step *step)
{
	u32 lsn;

	if (!step->told || req->unlimited)
		return;
	if (step->credits == SRNIC_CREDITS_UNLIMITED) {
		req->limited = false;
		req->unlimited = true;
		return;
	}
	lsn = srnic_psn_add(step->msn, step->credits);
	/*
	 * What was started without a limit may count on its successor to ask for the
	 * acknowledgment: that must not have to wait now.
	 */
	if (!req->limited)
		req->lsn = req->ssn;
	if (srnic_psn_after(lsn, req->lsn))
		req->lsn = lsn;
	req->limited = true;
}

/**
 * srnic_cmp_commit() - apply a decision
 * @req: requester
 * @step: the decision
 *
 * Context: Send side owner.
 */
void srnic_cmp_commit(struct srnic_req *req, const struct srnic_cmp_step *step)
{
	u32 advance = srnic_psn_sub(step->una, req->una);

	if (advance) {
		req->retry_left = req->retry_cnt;
		req->rnr_left = req->rnr_retry;
		req->retried = false;
	}
	/* What was being resent has arrived meanwhile: go on behind it. */
	if (srnic_psn_sub(req->send_psn, req->una) < advance) {
		req->send_psn = step->una;
		req->next = step->tail;
	}
	if (req->tail != step->tail)
		req->resumed = false;
	req->una = step->una;
	req->tail = step->tail;
	req->rd_atomic -= step->responses;
	commit_credits(req, step);

	switch (step->action) {
	case SRNIC_CMP_GO_BACK:
		req->retry_left--;
		req->retried = true;
		srnic_req_go_back(req);
		break;
	case SRNIC_CMP_RNR:
		if (req->rnr_retry != SRNIC_RNR_RETRY_ENDLESS)
			req->rnr_left--;
		req->rnr_wait = true;
		req->retried = false;
		srnic_req_go_back(req);
		break;
	default:
		break;
	}
}
