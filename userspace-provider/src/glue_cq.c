// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/**
 * @file
 * The glue of completion queues.
 */
#include "glue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* What the core mirrors of the private headers. */
static_assert(sizeof(struct srnic_verbs_cq) == sizeof(struct verbs_cq), "verbs_cq");
static_assert(offsetof(struct verbs_cq, cq) == 0 && offsetof(struct verbs_cq, cq_ex) == 0,
	      "verbs_cq starts with the CQ");

struct create_cq_cmd {
	struct ibv_create_cq_ex ibv;
	struct srnic_create_cq_cmd drv;
};
struct create_cq_resp {
	struct ib_uverbs_ex_create_cq_resp ibv;
	struct srnic_create_cq_resp drv;
};
struct resize_cq_cmd {
	struct ibv_resize_cq ibv;
	struct srnic_resize_cq_cmd drv;
};
struct resize_cq_resp {
	struct ib_uverbs_resize_cq_resp ibv;
	struct srnic_resize_cq_resp drv;
};

NO_PADDING(struct create_cq_cmd, struct ibv_create_cq_ex, struct srnic_create_cq_cmd);
NO_PADDING(struct create_cq_resp, struct ib_uverbs_ex_create_cq_resp, struct srnic_create_cq_resp);
NO_PADDING(struct resize_cq_cmd, struct ibv_resize_cq, struct srnic_resize_cq_cmd);
NO_PADDING(struct resize_cq_resp, struct ib_uverbs_resize_cq_resp, struct srnic_resize_cq_resp);

/* The core's mirror as libibverbs knows it; the asserts above allow it. */
static struct verbs_cq *to_verbs_cq(struct srnic_verbs_cq *cq)
{
	return (struct verbs_cq *)cq;
}

static struct srnic_verbs_cq *make_cq(struct ibv_context *context,
				      const struct ibv_cq_init_attr_ex *attr, bool extended)
{
	struct srnic_cq_config config = {
		.wc_flags = attr->wc_flags,
		.extended = extended,
		.single_threaded = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
				   attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
		.domain = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD ? attr->parent_domain : NULL,
	};
	/* Fields are ours to choose: the kernel fills all of them, timestamps too. */
	struct ibv_cq_init_attr_ex kernel_attr = *attr;
	struct create_cq_resp resp = {};
	struct create_cq_cmd cmd = {};
	struct srnic_verbs_cq *cq = srnic_cq_new();
	int ret;

	if (!cq) {
		errno = ENOMEM;
		return NULL;
	}
	config.single_threaded |= srnic_pd_is_single_threaded(config.domain);
	kernel_attr.wc_flags = 0;
	kernel_attr.comp_mask &= ~IBV_CQ_INIT_ATTR_MASK_PD;
	ret = ibv_cmd_create_cq_ex(context, &kernel_attr, SRNIC_NO_CQ_PROV_ATTR to_verbs_cq(cq),
				   &cmd.ibv, sizeof(cmd), &resp.ibv, sizeof(resp), 0);
	if (ret)
		goto err_free;
	config.ring = resp.drv;
	ret = srnic_cq_attach(to_context(context)->core, cq, &config);
	if (ret)
		goto err_destroy;
	return cq;

err_destroy:
	ibv_cmd_destroy_cq(&cq->cq);
err_free:
	srnic_cq_free(cq);
	errno = ret;
	return NULL;
}

struct ibv_cq *srnic_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		/* A negative number is too large for the kernel as well. */
		.cqe = cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct srnic_verbs_cq *cq = make_cq(context, &attr, false);

	return cq ? &cq->cq : NULL;
}

struct ibv_cq_ex *srnic_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	const uint32_t flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED |
			       IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	struct srnic_verbs_cq *cq;

	if (!check_comp_mask(attr->wc_flags, srnic_cq_supported_wc_flags()) ||
	    !check_comp_mask(attr->comp_mask,
			     IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD) ||
	    (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	     !check_comp_mask(attr->flags, flags))) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
	    (!attr->parent_domain || srnic_is_foreign(attr->parent_domain, context) ||
	     !srnic_pd_is_parent(attr->parent_domain))) {
		errno = EINVAL;
		return NULL;
	}
	cq = make_cq(context, attr, true);
	return cq ? &cq->cq_ex : NULL;
}

static int resize_step(struct ibv_cq *cq, int cqe, enum srnic_resize_cq_step step,
		       struct srnic_resize_cq_resp *answer)
{
	struct resize_cq_cmd cmd = {.drv.step = step};
	struct resize_cq_resp resp = {};
	int ret = ibv_cmd_resize_cq(cq, cqe, &cmd.ibv, sizeof(cmd), &resp.ibv, sizeof(resp));

	*answer = resp.drv;
	return ret;
}

int srnic_resize_cq(struct ibv_cq *cq, int cqe)
{
	struct srnic_context *ctx = to_context(cq->context);
	struct srnic_resize_cq_resp answer;
	int ret, err;

	pthread_mutex_lock(&ctx->resize_lock);
	ret = resize_step(cq, cqe, SRNIC_RESIZE_CQ_PREPARE, &answer);
	if (!ret)
		ret = srnic_cq_resize_map(ctx->core, cq, &answer, cqe);
	if (!ret) {
		srnic_cq_resize_begin(cq);
		ret = resize_step(cq, cqe, SRNIC_RESIZE_CQ_SWITCH, &answer);
		err = srnic_cq_resize_end(cq, ret ? NULL : &answer);
		ret = ret ?: err;
	}
	pthread_mutex_unlock(&ctx->resize_lock);
	return ret;
}

int srnic_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(cq, attr, &cmd, sizeof(cmd));
}

int srnic_destroy_cq(struct ibv_cq *cq)
{
	int ret = ibv_cmd_destroy_cq(cq);

	if (!ret)
		srnic_cq_free((struct srnic_verbs_cq *)cq);
	return ret;
}
