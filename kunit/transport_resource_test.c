// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: how many READs and atomics may be outstanding (rules 3.2 e, 3.5).
 */
#include <kunit/test.h>

#include "transport_receiver.h"

static struct receiver *rc(struct kunit *test, u32 psn)
{
	return receiver_new(test, SRNIC_SERVICE_RC, psn);
}

/* Row e. */
static void no_reads_or_atomics_without_resources(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	r->rsp.max_rd_atomic = 0;
	receiver_expect_nak(test, r, read_request(0, 8), SRNIC_NAK_INV_REQ);
	receiver_expect_nak(test, r, request(0x13, 0, 0), SRNIC_NAK_INV_REQ);
	receiver_expect_nak(test, r, request(0x14, 0, 0), SRNIC_NAK_INV_REQ);
	receiver_take_ok(r, request(0x04, 0, 8));
}

static void as_many_reads_and_atomics_as_there_are_resources(struct kunit *test)
{
	static const u32 limits[] = { 1, 2, 5, 32, SRNIC_RSP_RESOURCES };
	u32 i, psn, k;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		struct receiver *r = rc(test, 0xfffffe);

		psn = 0xfffffe;
		r->rsp.max_rd_atomic = limits[i];
		for (k = 0; k < limits[i]; k++)
			receiver_take_ok(r, k % 2 ? request(0x14, psn++, 0) :
						    read_request(psn++, 8));
		receiver_expect_nak(test, r, read_request(psn, 8), SRNIC_NAK_INV_REQ);
		receiver_expect_nak(test, r, request(0x13, psn, 0), SRNIC_NAK_INV_REQ);
		/* Others need none. An answer frees one, more than once round. */
		receiver_take_ok(r, request(0x04, psn++, 8));
		for (k = 0; k < 100; k++) {
			receiver_next(r);
			receiver_take_ok(r, read_request(psn++, 8));
			receiver_expect_nak(test, r, read_request(psn, 8), SRNIC_NAK_INV_REQ);
		}
		kunit_kfree(test, r);
	}
}

/* A READ is unanswered until its last packet is out. */
static void a_read_is_outstanding_to_its_last_packet(struct kunit *test)
{
	struct receiver *r = rc(test, 0);

	r->rsp.max_rd_atomic = 1;
	receiver_take_ok(r, read_request(0, 600));
	receiver_next(r);
	receiver_next(r);
	receiver_expect_nak(test, r, read_request(3, 8), SRNIC_NAK_INV_REQ);
	receiver_next(r);
	receiver_take_ok(r, read_request(3, 8));
}

/*
 * A request that the network has doubled makes the responder answer again what the
 * peer has got long ago. That takes nothing from the peer, who keeps to the limit.
 */
static void answering_again_takes_no_resource(struct kunit *test)
{
	struct srnic_rsp_reply reply;
	u32 limit, k, psn;

	for (limit = 1; limit <= SRNIC_RSP_RESOURCES; limit *= 2) {
		struct receiver *r = rc(test, 0);

		psn = 0;
		r->rsp.max_rd_atomic = limit;
		for (k = 0; k < limit; k++)
			receiver_take_ok(r, read_request(psn++, 8));
		for (k = 0; k < limit; k++)
			receiver_expect_read(r, SRNIC_OP_READ_RESP_ONLY, k, RECEIVER_VA, 8);
		RECEIVER_EXPECT_VERDICT(test, receiver_take(r, read_request(0, 8)),
					SRNIC_RSP_DUPLICATE);
		for (k = 0; k < limit; k++)
			receiver_take_ok(r, read_request(psn++, 8));
		receiver_expect_nak(test, r, read_request(psn, 8), SRNIC_NAK_INV_REQ);

		/* Again or not: the new ones are answered, each once and in order. */
		reply = receiver_next(r);
		if (!reply.psn)
			reply = receiver_next(r);
		for (k = limit; k < 2 * limit; k++) {
			KUNIT_EXPECT_EQ(test, reply.psn, k);
			reply = receiver_next(r);
		}
		KUNIT_EXPECT_EQ(test, (int)reply.kind, (int)SRNIC_REPLY_NONE);
		receiver_take_ok(r, read_request(psn++, 8));
		kunit_kfree(test, r);
	}
}

static struct kunit_case resource_cases[] = {
	KUNIT_CASE(no_reads_or_atomics_without_resources),
	KUNIT_CASE(as_many_reads_and_atomics_as_there_are_resources),
	KUNIT_CASE(a_read_is_outstanding_to_its_last_packet),
	KUNIT_CASE(answering_again_takes_no_resource),
	{}
};

static struct kunit_suite resource_suite = {
	.name = "srnic_transport_resource",
	.test_cases = resource_cases,
};

kunit_test_suite(resource_suite);
