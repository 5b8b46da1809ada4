// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests that send nothing: bind of a memory window, registration of a region,
 * local invalidate.
 */
#include "send.h"

#include "../mem/access.h"

static int bind(struct srnic_qp *qp, const struct srnic_send_wr *wr)
{
	const struct srnic_mw_bind bind = {
		.rkey = wr->rkey,
		.lkey = wr->bind_lkey,
		.addr = wr->bind_addr,
		.length = wr->bind_length,
		.access = wr->bind_access,
	};

	return srnic_mw_bind(&qp->dev->keys, qp->ibqp.pd, &qp->windows, &bind);
}

static int fast_register(struct srnic_qp *qp, const struct srnic_send_wr *wr)
{
	const struct srnic_fast_reg reg = {
		.key = wr->rkey,
		.iova = wr->bind_addr,
		.access = wr->bind_access,
	};

	return srnic_fast_mr_register(&qp->dev->keys, qp->ibqp.pd, &reg);
}

/**
 * srnic_do_local() - carry out a work request that sends nothing
 * @qp: queue pair
 * @wr: SRNIC_WR_BIND_MW, SRNIC_WR_REG_MR or SRNIC_WR_LOCAL_INV
 *
 * Context: Run owner.
 * Return: 0, or -EINVAL: it is refused, and nothing has changed.
 */
int srnic_do_local(struct srnic_qp *qp, const struct srnic_send_wr *wr)
{
	switch (wr->opcode) {
	case SRNIC_WR_LOCAL_INV:
		return srnic_mem_invalidate(&qp->dev->keys, qp->ibqp.pd,
					    &qp->windows, wr->inv_rkey, false);
	case SRNIC_WR_REG_MR:
		return fast_register(qp, wr);
	default:
		return bind(qp, wr);
	}
}
