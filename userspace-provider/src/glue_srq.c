// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/**
 * @file
 * The glue of shared receive queues and XRC.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "glue.h"

/* What the core mirrors of the private headers. */
static_assert(sizeof(struct srnic_verbs_srq) == sizeof(struct verbs_srq), "verbs_srq");
static_assert(offsetof(struct srnic_verbs_srq, srq_type) == offsetof(struct verbs_srq, srq_type),
	      "verbs_srq.srq_type");
static_assert(offsetof(struct srnic_verbs_srq, xrcd) == offsetof(struct verbs_srq, xrcd),
	      "verbs_srq.xrcd");
static_assert(offsetof(struct srnic_verbs_srq, cq) == offsetof(struct verbs_srq, cq),
	      "verbs_srq.cq");
static_assert(offsetof(struct srnic_verbs_srq, srq_num) == offsetof(struct verbs_srq, srq_num),
	      "verbs_srq.srq_num");
static_assert(offsetof(struct verbs_srq, srq) == 0, "verbs_srq starts with the SRQ");

struct create_srq_cmd {
	struct ibv_create_srq ibv;
	struct srnic_create_srq_cmd drv;
};
struct create_xsrq_cmd {
	struct ibv_create_xsrq ibv;
	struct srnic_create_srq_cmd drv;
};
struct create_srq_resp {
	struct ib_uverbs_create_srq_resp ibv;
	struct srnic_create_srq_resp drv;
};
struct modify_srq_cmd {
	struct ibv_modify_srq ibv;
	struct srnic_modify_srq_cmd drv;
};

NO_PADDING(struct create_srq_cmd, struct ibv_create_srq, struct srnic_create_srq_cmd);
NO_PADDING(struct create_xsrq_cmd, struct ibv_create_xsrq, struct srnic_create_srq_cmd);
NO_PADDING(struct create_srq_resp, struct ib_uverbs_create_srq_resp, struct srnic_create_srq_resp);
NO_PADDING(struct modify_srq_cmd, struct ibv_modify_srq, struct srnic_modify_srq_cmd);

static struct verbs_srq *to_verbs_srq(struct srnic_verbs_srq *srq)
{
	return (struct verbs_srq *)srq;
}

/* ---- shared receive queues ----------------------------------------------- */

/* The kernel has made it: the core's part of that, or the end of it. */
static struct ibv_srq *attach(struct ibv_pd *pd, struct srnic_verbs_srq *srq,
			      const struct srnic_create_srq_resp *ring,
			      const struct ibv_srq_attr *granted)
{
	const struct srnic_srq_config config = {
		.ring = *ring,
		.max_wr = granted->max_wr,
		.max_sge = granted->max_sge,
		.domain = pd,
	};
	int ret = srnic_srq_attach(srnic_core_of(pd->context), srq, &config);

	if (!ret)
		return &srq->srq;
	srq->srq.context = pd->context;
	ibv_cmd_destroy_srq(&srq->srq);
	srnic_srq_free(srq);
	errno = ret;
	return NULL;
}

struct ibv_srq *srnic_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct srnic_verbs_srq *srq = srnic_srq_new();
	struct create_srq_resp resp = {};
	struct create_srq_cmd cmd = {};
	int ret;

	if (!srq) {
		errno = ENOMEM;
		return NULL;
	}
	ret = ibv_cmd_create_srq(pd, &srq->srq, attr, &cmd.ibv, sizeof(cmd), &resp.ibv,
				 sizeof(resp));
	if (ret) {
		srnic_srq_free(srq);
		errno = ret;
		return NULL;
	}
	return attach(pd, srq, &resp.drv, &attr->attr);
}

static int check_srq_attr(struct ibv_context *context, const struct ibv_srq_init_attr_ex *attr)
{
	const uint32_t known = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			       IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	const uint32_t xrc = IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	enum ibv_srq_type type = attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE ? attr->srq_type
									  : IBV_SRQT_BASIC;

	if (!check_comp_mask(attr->comp_mask, known))
		return EOPNOTSUPP;
	if (type != IBV_SRQT_BASIC && type != IBV_SRQT_XRC)
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || srnic_is_foreign(attr->pd, context))
		return EINVAL;
	if (type != IBV_SRQT_XRC)
		return 0;
	if ((attr->comp_mask & xrc) != xrc || !attr->xrcd || !attr->cq)
		return EINVAL;
	if (srnic_is_foreign(attr->xrcd, context) || srnic_is_foreign(attr->cq, context))
		return EINVAL;
	return 0;
}

struct ibv_srq *srnic_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	struct create_srq_resp resp = {};
	struct create_xsrq_cmd cmd = {};
	struct srnic_verbs_srq *srq;
	int ret;

	ret = check_srq_attr(context, attr);
	if (ret)
		goto err;
	srq = srnic_srq_new();
	if (!srq) {
		ret = ENOMEM;
		goto err;
	}
	ret = ibv_cmd_create_srq_ex(context, to_verbs_srq(srq), attr, &cmd.ibv, sizeof(cmd),
				    &resp.ibv, sizeof(resp));
	if (ret)
		goto err_free;
	return attach(attr->pd, srq, &resp.drv, &attr->attr);

err_free:
	srnic_srq_free(srq);
err:
	errno = ret;
	return NULL;
}

/* Nobody posts while the kernel goes over to another ring. */
static int resize_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct srnic_create_srq_resp ring = {};
	struct modify_srq_cmd cmd = {.drv.response = (uintptr_t)&ring};
	int attached, ret;

	srnic_srq_begin_resize(srq);
	ret = ibv_cmd_modify_srq(srq, attr, mask, &cmd.ibv, sizeof(cmd));
	attached = srnic_srq_end_resize(srq, ret ? NULL : &ring);
	return ret ? ret : attached;
}

int srnic_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct modify_srq_cmd cmd = {};

	if (mask & IBV_SRQ_MAX_WR)
		return resize_srq(srq, attr, mask);
	return ibv_cmd_modify_srq(srq, attr, mask, &cmd.ibv, sizeof(cmd));
}

int srnic_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

int srnic_destroy_srq(struct ibv_srq *srq)
{
	int ret = ibv_cmd_destroy_srq(srq);

	if (ret)
		return ret;
	srnic_srq_free((struct srnic_verbs_srq *)srq);
	return 0;
}

int srnic_get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	const struct srnic_verbs_srq *object = (const struct srnic_verbs_srq *)srq;

	/* Others have no number that a peer could use. */
	if (object->srq_type != IBV_SRQT_XRC)
		return EOPNOTSUPP;
	*number = object->srq_num;
	return 0;
}

/* ---- XRC ------------------------------------------------------------------ */

struct ibv_xrcd *srnic_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
{
	struct ib_uverbs_open_xrcd_resp resp = {};
	struct ibv_open_xrcd cmd = {};
	struct verbs_xrcd *xrcd = calloc(1, sizeof(*xrcd));
	int ret;

	if (!xrcd)
		return NULL;
	ret = ibv_cmd_open_xrcd(context, xrcd, sizeof(*xrcd), attr, &cmd, sizeof(cmd), &resp,
				sizeof(resp));
	if (ret) {
		free(xrcd);
		errno = ret;
		return NULL;
	}
	return &xrcd->xrcd;
}

int srnic_close_xrcd(struct ibv_xrcd *ibxrcd)
{
	struct verbs_xrcd *xrcd = container_of(ibxrcd, struct verbs_xrcd, xrcd);
	int ret = ibv_cmd_close_xrcd(xrcd);

	if (!ret)
		free(xrcd);
	return ret;
}

/* A target QP has no queues, so there is nothing for the core to do. */
struct ibv_qp *srnic_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ibv_open_qp cmd = {};
	struct srnic_verbs_qp *qp;
	int ret;

	if (attr->comp_mask & IBV_QP_OPEN_ATTR_XRCD && srnic_is_foreign(attr->xrcd, context)) {
		errno = EINVAL;
		return NULL;
	}
	qp = srnic_qp_new();
	if (!qp) {
		errno = ENOMEM;
		return NULL;
	}
	ret = ibv_cmd_open_qp(context, (struct verbs_qp *)qp, sizeof(*qp), attr, &cmd, sizeof(cmd),
			      &resp, sizeof(resp));
	if (ret) {
		srnic_qp_free(qp);
		errno = ret;
		return NULL;
	}
	return &qp->qp;
}
