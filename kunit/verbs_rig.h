/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What suites of the verbs of consumers in the kernel share: objects of a device
 * that is there already, and QPs that are connected to themselves.
 */
#ifndef SRNIC_KUNIT_VERBS_RIG_H
#define SRNIC_KUNIT_VERBS_RIG_H

#include <linux/delay.h>
#include <kunit/test.h>
#include <rdma/ib_verbs.h>

#define RIG_DEPTH	16
#define RIG_SGES	4
#define RIG_INLINE	128
#define RIG_BYTES	8192
#define RIG_QKEY	0x1234

/**
 * struct rig - objects that a test works with
 * @test: the test
 * @dev: device
 * @pd: protection domain
 * @mr: all of the kernel's memory, for peers as well
 * @cq: of all QPs of the test; wr_id tells completions apart
 * @events: calls of the CQ's completion handler
 * @cq_errors: calls of its event handler
 * @from: memory that is sent from
 * @to: memory that is sent to
 */
struct rig {
	struct kunit *test;
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_mr *mr;
	struct ib_cq *cq;
	atomic_t events;
	atomic_t cq_errors;
	u8 *from;
	u8 *to;
};

void rig_client_end(void);
int rig_init(struct kunit *test);
void rig_exit(struct kunit *test);

struct ib_qp *rig_qp(struct rig *rig, const struct ib_qp_init_attr *init);
struct ib_qp *rig_plain_qp(struct rig *rig, enum ib_qp_type type);
void rig_modify(struct rig *rig, struct ib_qp *qp, enum ib_qp_state state);
void rig_connect(struct rig *rig, struct ib_qp *qp);
void rig_ah_attr(struct rig *rig, struct rdma_ah_attr *attr, bool ipv4);

struct ib_sge rig_sge(struct rig *rig, void *addr, u32 length);
int rig_post_recv(struct rig *rig, struct ib_qp *qp, u64 wr_id, void *to,
		  u32 length);
int rig_post_send(struct rig *rig, struct ib_qp *qp, u64 wr_id, void *from,
		  u32 length);
struct ib_wc rig_wait_for(struct rig *rig, u64 wr_id);
void rig_expect_flushed(struct rig *rig, u64 wr_id);

/* Until @condition, or not for ever. What it does last is what it comes to. */
#define rig_until(condition)						\
({									\
	unsigned long rig_end = jiffies + 20 * HZ;			\
	bool rig_is;							\
									\
	while (!(rig_is = (condition)) && time_before(jiffies, rig_end))	\
		usleep_range(50, 100);					\
	rig_is;								\
})

#endif /* SRNIC_KUNIT_VERBS_RIG_H */
