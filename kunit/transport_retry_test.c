// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completer: time-outs, losses and receivers that are not ready, and how often
 * (rules 2.12, 4.6 to 4.8, 4.10).
 */
#include <kunit/test.h>

#include "transport_sender.h"

/* Some messages of two packets, all sent: PSNs 0xfffffe .. 3. */
static struct sender *sent(struct kunit *test, u8 retry_cnt, u8 rnr_retry)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 0xfffffe);
	u32 i;

	sender_set_retries(s, retry_cnt, rnr_retry);
	for (i = 0; i < 3; i++)
		sender_post_kind(s, SRNIC_MSG_SEND, 500);
	sender_send_all(s);
	return s;
}

static void rnr_wait_is_over(struct sender *s)
{
	KUNIT_EXPECT_EQ(s->test, (int)sender_verdict(s), (int)SRNIC_REQ_RNR);
	s->req.rnr_wait = false;
	sender_send_all(s);
}

/* ---- time-outs ---- */

static void n_retries_then_failure(struct kunit *test)
{
	u8 n, i;

	/* 7 is a number like the others (4.7). */
	for (n = 0; n <= 7; n++) {
		struct sender *s = sent(test, n, 7);

		for (i = 0; i < n; i++) {
			SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
			KUNIT_EXPECT_EQ(test, sender_send_all(s), 6U);
		}
		SENDER_EXPECT_FAIL(test, sender_timeout(s), SRNIC_CMP_ERR_RETRY, 0);
		kunit_kfree(test, s);
	}
}

static void retries_fail_the_oldest(struct kunit *test)
{
	struct sender *s = sent(test, 1, 7);

	sender_ack(s, 0);			/* first packet of the second message */
	sender_timeout(s);
	SENDER_EXPECT_FAIL(test, sender_timeout(s), SRNIC_CMP_ERR_RETRY, 1);
}

static void progress_gives_the_retries_back(struct kunit *test)
{
	struct sender *s = sent(test, 2, 7);
	u32 psn;

	/* Of every packet, of the middle of a message too. */
	for (psn = 0; psn < 5; psn++) {
		SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
		SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
		sender_send_all(s);
		sender_ack(s, srnic_psn_add(0xfffffe, psn));
	}
	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
	SENDER_EXPECT_FAIL(test, sender_timeout(s), SRNIC_CMP_ERR_RETRY, 2);
}

static void each_read_response_is_progress(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 0);
	u32 psn;

	sender_set_retries(s, 1, 7);
	sender_post_kind(s, SRNIC_MSG_READ, 256 * 5);
	sender_send_all(s);
	for (psn = 0; psn < 4; psn++) {
		SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
		sender_send_all(s);
		SENDER_EXPECT_ACTION(test, sender_read(s, SRNIC_OP_READ_RESP_FIRST, psn, 256),
				     SRNIC_CMP_PLACE);
	}
	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
	SENDER_EXPECT_FAIL(test, sender_timeout(s), SRNIC_CMP_ERR_RETRY, 0);
}

static void nothing_outstanding_nothing_times_out(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 0);

	sender_set_retries(s, 0, 0);
	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_NONE);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);
	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_NONE);
	sender_send_all(s);
	sender_ack(s, 0);
	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_NONE);
}

/* ---- losses that the responder tells of ---- */

static void sequence_naks_count_as_retries(struct kunit *test)
{
	u8 n, i;

	for (n = 0; n <= 7; n++) {
		struct sender *s = sent(test, n, 7);

		/* The retry that a NAK starts gets lost, and so times out. */
		for (i = 0; i < n; i++) {
			SENDER_EXPECT_ACTION(test,
					     i ? sender_timeout(s) :
						 sender_nak(s, 0xfffffe, SRNIC_NAK_PSN_SEQ),
					     SRNIC_CMP_GO_BACK);
			sender_send_all(s);
		}
		SENDER_EXPECT_FAIL(test,
				   n ? sender_timeout(s) :
				       sender_nak(s, 0xfffffe, SRNIC_NAK_PSN_SEQ),
				   SRNIC_CMP_ERR_RETRY, 0);
		kunit_kfree(test, s);
	}
}

/* What the NAK acknowledges is progress: a first loss there. */
static void a_sequence_nak_with_progress(struct kunit *test)
{
	struct sender *s = sent(test, 1, 7);

	sender_timeout(s);
	sender_send_all(s);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 1, SRNIC_NAK_PSN_SEQ), SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, s->req.tail, 1U);
	sender_send_all(s);
	SENDER_EXPECT_FAIL(test, sender_timeout(s), SRNIC_CMP_ERR_RETRY, 1);

	/* No retries at all: the first loss is the end. */
	s = sent(test, 0, 7);
	SENDER_EXPECT_FAIL(test, sender_nak(s, 1, SRNIC_NAK_PSN_SEQ), SRNIC_CMP_ERR_RETRY, 1);
}

static void one_retry_an_event(struct kunit *test)
{
	struct sender *s = sent(test, 2, 7);

	SENDER_EXPECT_ACTION(test, sender_nak(s, 0xffffff, SRNIC_NAK_PSN_SEQ),
			     SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 0xffffffU);
	/* The same NAK, delivered twice: nothing starts from the beginning. */
	SENDER_EXPECT_ACTION(test, sender_nak(s, 0xffffff, SRNIC_NAK_PSN_SEQ), SRNIC_CMP_NONE);
	KUNIT_EXPECT_EQ(test, s->req.retry_left, (u8)1);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 0U);
	/* A time-out is an event of its own. */
	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 0xffffffU);
}

static void implied_naks_count_as_retries(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 0);

	sender_set_retries(s, 1, 7);
	sender_post_kind(s, SRNIC_MSG_READ, 8);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);
	sender_send_all(s);
	SENDER_EXPECT_ACTION(test, sender_ack(s, 1), SRNIC_CMP_GO_BACK);
	sender_send_all(s);
	SENDER_EXPECT_ACTION(test, sender_ack(s, 1), SRNIC_CMP_NONE);
	SENDER_EXPECT_FAIL(test, sender_timeout(s), SRNIC_CMP_ERR_RETRY, 0);

	s = sender_new(test, SRNIC_SERVICE_RC, 256, 0);
	sender_set_retries(s, 0, 7);
	sender_post_kind(s, SRNIC_MSG_FETCH_ADD, 8);
	sender_post_kind(s, SRNIC_MSG_SEND, 8);
	sender_send_all(s);
	SENDER_EXPECT_FAIL(test, sender_ack(s, 1), SRNIC_CMP_ERR_RETRY, 0);
}

/* ---- RNR ---- */

static void rnr_waits_and_goes_back(struct kunit *test)
{
	/* Code and nanoseconds, from table 2.11. */
	static const struct {
		u8 code;
		u64 ns;
	} rows[] = {
		{ 0, 655360000 }, { 1, 10000 }, { 12, 640000 }, { 31, 491520000 },
	};
	struct srnic_cmp_step step;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sender *s = sent(test, 7, 7);

		step = sender_nak(s, 0, SRNIC_AETH_RNR | rows[i].code);
		SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_RNR);
		KUNIT_EXPECT_EQ(test, step.wait_ns, rows[i].ns);
		KUNIT_EXPECT_EQ(test, step.tail, 1U);
		KUNIT_EXPECT_EQ(test, step.una, 0U);
		KUNIT_EXPECT_EQ(test, (int)sender_verdict(s), (int)SRNIC_REQ_RNR);
		s->req.rnr_wait = false;
		KUNIT_EXPECT_EQ(test, sender_send(s).psn, 0U);
		kunit_kfree(test, s);
	}
}

/* In the middle of a message: a WRITE with immediate takes its WQE at the end. */
static void rnr_of_the_last_packet(struct kunit *test)
{
	struct sender *s = sender_new(test, SRNIC_SERVICE_RC, 256, 0xffffff);
	struct srnic_req_segment seg;

	sender_post(s, (struct srnic_msg){
		.kind = SRNIC_MSG_WRITE, .imm = true, .length = 700, .signaled = true });
	sender_send_all(s);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 1, srnic_aeth_rnr(1)), SRNIC_CMP_RNR);
	s->req.rnr_wait = false;
	seg = sender_send(s);
	KUNIT_EXPECT_EQ(test, seg.psn, 1U);
	KUNIT_EXPECT_EQ(test, seg.opcode, (u8)SRNIC_OP_WRITE_LAST_IMM);
	KUNIT_EXPECT_EQ(test, seg.offset, 512U);
}

static void n_rnr_retries_then_failure(struct kunit *test)
{
	u8 n, i;

	for (n = 0; n <= 6; n++) {
		struct sender *s = sent(test, 7, n);

		for (i = 0; i < n; i++) {
			SENDER_EXPECT_ACTION(test, sender_nak(s, 0xfffffe, srnic_aeth_rnr(1)),
					     SRNIC_CMP_RNR);
			rnr_wait_is_over(s);
		}
		SENDER_EXPECT_FAIL(test, sender_nak(s, 0xfffffe, srnic_aeth_rnr(1)),
				   SRNIC_CMP_ERR_RNR, 0);
		kunit_kfree(test, s);
	}
}

static void rnr_retry_7_is_endless(struct kunit *test)
{
	struct sender *s = sent(test, 0, 7);
	u32 i;

	for (i = 0; i < 1000; i++) {
		SENDER_EXPECT_ACTION(test, sender_nak(s, 0xfffffe, srnic_aeth_rnr(1)),
				     SRNIC_CMP_RNR);
		rnr_wait_is_over(s);
	}
	/* Nor is it counted against the other retries (4.8). */
	KUNIT_EXPECT_EQ(test, s->req.retry_left, (u8)0);
	SENDER_EXPECT_FAIL(test, sender_timeout(s), SRNIC_CMP_ERR_RETRY, 0);
}

static void progress_gives_the_rnr_retries_back(struct kunit *test)
{
	struct sender *s = sent(test, 7, 2);
	u32 i;

	for (i = 0; i < 3; i++) {
		/* The NAK acknowledges the message before: that is progress. */
		u32 psn = srnic_psn_add(0xfffffe, 2 * i);

		SENDER_EXPECT_ACTION(test, sender_nak(s, psn, srnic_aeth_rnr(1)), SRNIC_CMP_RNR);
		rnr_wait_is_over(s);
		SENDER_EXPECT_ACTION(test, sender_nak(s, psn, srnic_aeth_rnr(1)), SRNIC_CMP_RNR);
		rnr_wait_is_over(s);
	}
	SENDER_EXPECT_FAIL(test, sender_nak(s, 2, srnic_aeth_rnr(1)), SRNIC_CMP_ERR_RNR, 2);
}

static void rnr_retry_0_fails_with_progress_too(struct kunit *test)
{
	struct sender *s = sent(test, 7, 0);

	SENDER_EXPECT_FAIL(test, sender_nak(s, 0, srnic_aeth_rnr(1)), SRNIC_CMP_ERR_RNR, 1);
}

static void while_waiting_for_the_receiver(struct kunit *test)
{
	struct sender *s = sent(test, 1, 2);
	struct srnic_cmp_step step;

	sender_nak(s, 0, srnic_aeth_rnr(1));
	/* The transport timer has no say (4.6), and a repeated NAK is no second one. */
	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_NONE);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 0, srnic_aeth_rnr(1)), SRNIC_CMP_NONE);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 0, SRNIC_NAK_PSN_SEQ), SRNIC_CMP_NONE);
	KUNIT_EXPECT_EQ(test, s->req.rnr_left, (u8)1);
	KUNIT_EXPECT_EQ(test, s->req.retry_left, (u8)1);

	/* A late ACK counts all the same. */
	step = sender_ack(s, 1);
	SENDER_EXPECT_ACTION(test, step, SRNIC_CMP_NONE);
	KUNIT_EXPECT_EQ(test, s->req.tail, 2U);
	s->req.rnr_wait = false;
	KUNIT_EXPECT_EQ(test, sender_send(s).psn, 2U);
}

static void rnr_and_retries_count_apart(struct kunit *test)
{
	struct sender *s = sent(test, 2, 2);

	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
	sender_send_all(s);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 0xfffffe, srnic_aeth_rnr(1)), SRNIC_CMP_RNR);
	rnr_wait_is_over(s);
	SENDER_EXPECT_ACTION(test, sender_timeout(s), SRNIC_CMP_GO_BACK);
	sender_send_all(s);
	SENDER_EXPECT_ACTION(test, sender_nak(s, 0xfffffe, srnic_aeth_rnr(1)), SRNIC_CMP_RNR);
	rnr_wait_is_over(s);
	SENDER_EXPECT_FAIL(test, sender_timeout(s), SRNIC_CMP_ERR_RETRY, 0);
}

static struct kunit_case retry_cases[] = {
	KUNIT_CASE(n_retries_then_failure),
	KUNIT_CASE(retries_fail_the_oldest),
	KUNIT_CASE(progress_gives_the_retries_back),
	KUNIT_CASE(each_read_response_is_progress),
	KUNIT_CASE(nothing_outstanding_nothing_times_out),
	KUNIT_CASE(sequence_naks_count_as_retries),
	KUNIT_CASE(a_sequence_nak_with_progress),
	KUNIT_CASE(one_retry_an_event),
	KUNIT_CASE(implied_naks_count_as_retries),
	KUNIT_CASE(rnr_waits_and_goes_back),
	KUNIT_CASE(rnr_of_the_last_packet),
	KUNIT_CASE(n_rnr_retries_then_failure),
	KUNIT_CASE(rnr_retry_7_is_endless),
	KUNIT_CASE(progress_gives_the_rnr_retries_back),
	KUNIT_CASE(rnr_retry_0_fails_with_progress_too),
	KUNIT_CASE(while_waiting_for_the_receiver),
	KUNIT_CASE(rnr_and_retries_count_apart),
	{}
};

static struct kunit_suite retry_suite = {
	.name = "srnic_transport_retry",
	.test_cases = retry_cases,
};

kunit_test_suite(retry_suite);
