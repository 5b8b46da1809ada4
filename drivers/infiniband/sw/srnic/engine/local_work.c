// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests that send nothing: bind of a memory window, local invalidate.
 */
#include "send.h"

/**
 * srnic_do_local() - carry out a work request that sends nothing
 * @qp: queue pair
 * @wr: SRNIC_WR_BIND_MW or SRNIC_WR_LOCAL_INV
 *
 * Context: Run owner.
 * Return: 0, or -EINVAL: it is refused, and nothing has changed.
 */
int srnic_do_local(struct srnic_qp *qp, const struct srnic_send_wr *wr)
{
	struct srnic_key_table *keys = &qp->dev->keys;
	const struct srnic_mw_bind bind = {
		.rkey = wr->rkey,
		.lkey = wr->bind_lkey,
		.addr = wr->bind_addr,
		.length = wr->bind_length,
		.access = wr->bind_access,
	};

	if (wr->opcode == SRNIC_WR_LOCAL_INV)
		return srnic_mw_invalidate(keys, qp->ibqp.pd, &qp->windows,
					   wr->inv_rkey);
	return srnic_mw_bind(keys, qp->ibqp.pd, &qp->windows, &bind);
}
