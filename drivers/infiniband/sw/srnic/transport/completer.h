/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completer: what a response, or its absence, means for the requester.
 *
 * Pure: srnic_cmp_response() and srnic_cmp_timeout() decide, srnic_cmp_commit()
 * applies. In between the caller places the data of a READ or atomic response,
 * and does not commit if it cannot.
 */
#ifndef SRNIC_TRANSPORT_COMPLETER_H
#define SRNIC_TRANSPORT_COMPLETER_H

#include "../wire/packet.h"
#include "requester.h"

/**
 * enum srnic_cmp_action - what to do about an event
 * @SRNIC_CMP_NONE: nothing but to commit
 * @SRNIC_CMP_GHOST: a response to what is acknowledged already, or was never
 *	sent: to be counted and forgotten
 * @SRNIC_CMP_PLACE: the payload, or the original value of an atomic, is for the
 *	scatter list of message &struct srnic_cmp_step.index
 * @SRNIC_CMP_GO_BACK: something was lost: commit goes back, then send
 * @SRNIC_CMP_RNR: commit goes back; send after &struct srnic_cmp_step.wait_ns
 * @SRNIC_CMP_FAIL: message &struct srnic_cmp_step.tail fails, the QP with it
 */
enum srnic_cmp_action {
	SRNIC_CMP_NONE,
	SRNIC_CMP_GHOST,
	SRNIC_CMP_PLACE,
	SRNIC_CMP_GO_BACK,
	SRNIC_CMP_RNR,
	SRNIC_CMP_FAIL,
};

/**
 * enum srnic_cmp_error - why a message fails
 * @SRNIC_CMP_ERR_NONE: it does not
 * @SRNIC_CMP_ERR_RETRY: no answer, retries exhausted
 * @SRNIC_CMP_ERR_RNR: receiver not ready, retries exhausted
 * @SRNIC_CMP_ERR_REM_INV_REQ: NAK: invalid request
 * @SRNIC_CMP_ERR_REM_ACCESS: NAK: key or permission
 * @SRNIC_CMP_ERR_REM_OP: NAK: responder's own trouble
 * @SRNIC_CMP_ERR_REM_INV_SRQ: NAK of XRC: no such SRQ
 * @SRNIC_CMP_ERR_BAD_RESP: a response that does not belong to the request
 * @SRNIC_CMP_ERR_LENGTH: a READ response of the wrong length
 */
enum srnic_cmp_error {
	SRNIC_CMP_ERR_NONE,
	SRNIC_CMP_ERR_RETRY,
	SRNIC_CMP_ERR_RNR,
	SRNIC_CMP_ERR_REM_INV_REQ,
	SRNIC_CMP_ERR_REM_ACCESS,
	SRNIC_CMP_ERR_REM_OP,
	SRNIC_CMP_ERR_REM_INV_SRQ,
	SRNIC_CMP_ERR_BAD_RESP,
	SRNIC_CMP_ERR_LENGTH,
};

/**
 * struct srnic_cmp_step - a decision
 * @action: what to do
 * @error: with SRNIC_CMP_FAIL: why
 * @tail: messages before it are complete, with success
 * @una: oldest unacknowledged PSN after it
 * @index: with SRNIC_CMP_PLACE: message that the data is for
 * @offset: with SRNIC_CMP_PLACE: where in the message it goes
 * @wait_ns: with SRNIC_CMP_RNR: how long to wait
 * @responses: READs and atomics among the completed messages
 * @told: the peer says how many receives it has: @credits
 * @credits: for so many messages after the first @msn, or SRNIC_CREDITS_UNLIMITED
 * @msn: messages that it has completed
 */
struct srnic_cmp_step {
	enum srnic_cmp_action action;
	enum srnic_cmp_error error;
	u32 tail;
	u32 una;
	u32 index;
	u32 offset;
	u64 wait_ns;
	u32 responses;
	bool told;
	u32 credits;
	u32 msn;
};

void srnic_cmp_response(const struct srnic_req *req,
			const struct srnic_msg *msgs,
			const struct srnic_pkt *pkt,
			struct srnic_cmp_step *step);
void srnic_cmp_timeout(const struct srnic_req *req,
		       struct srnic_cmp_step *step);
void srnic_cmp_commit(struct srnic_req *req, const struct srnic_cmp_step *step);

#endif /* SRNIC_TRANSPORT_COMPLETER_H */
