// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/**
 * @file
 * The part of the provider that talks to libibverbs: who we are, which functions
 * we have, and calls into the kernel. This, glue_memory.c and glue_srq.c are the only files
 * that include libibverbs' private headers, which do not compile as C++; the data path
 * is in the C++ core.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/driver.h>

#include "core.h"
#include "glue.h"

/* Arguments that later private ABIs have added. */
#if IBVERBS_PABI_VERSION == 34 /* rdma-core 44 to 56 */
#define SRNIC_NO_FD_ARR
#define SRNIC_NO_CQ_PROV_ATTR
#define SRNIC_NO_QP_DRIVER
#elif IBVERBS_PABI_VERSION == 65
#define SRNIC_NO_FD_ARR NULL,
#define SRNIC_NO_CQ_PROV_ATTR NULL,
#define SRNIC_NO_QP_DRIVER , NULL
#else
#error "unknown private ABI of libibverbs: compare its driver.h with the calls here"
#endif

/* What the core mirrors of the private headers. */
static_assert(sizeof(struct srnic_verbs_qp) == sizeof(struct verbs_qp), "verbs_qp");
static_assert(offsetof(struct srnic_verbs_qp, comp_mask) == offsetof(struct verbs_qp, comp_mask),
	      "verbs_qp.comp_mask");
static_assert(offsetof(struct srnic_verbs_qp, xrcd) == offsetof(struct verbs_qp, xrcd),
	      "verbs_qp.xrcd");
static_assert(offsetof(struct verbs_qp, qp) == 0 && offsetof(struct verbs_qp, qp_ex) == 0,
	      "verbs_qp starts with the QP");
static_assert(sizeof(struct srnic_verbs_cq) == sizeof(struct verbs_cq), "verbs_cq");
static_assert(offsetof(struct verbs_cq, cq) == 0 && offsetof(struct verbs_cq, cq_ex) == 0,
	      "verbs_cq starts with the CQ");
static_assert(offsetof(struct srnic_ah, verbs) == 0, "srnic_ah starts with the AH");

/*
 * Commands and answers as the ibv_cmd_ functions want them: the core's struct, then
 * ours, without padding.
 */
#define NO_PADDING(type, core, ours)                                 \
	static_assert(sizeof(type) == sizeof(core) + sizeof(ours) && \
			      offsetof(type, drv) == sizeof(core),   \
		      "padding in a command")

struct get_context_cmd {
	struct ibv_get_context ibv;
	struct srnic_alloc_ucontext_cmd drv;
};
struct get_context_resp {
	struct ib_uverbs_get_context_resp ibv;
	struct srnic_alloc_ucontext_resp drv;
};
struct create_cq_cmd {
	struct ibv_create_cq_ex ibv;
	struct srnic_create_cq_cmd drv;
};
struct create_cq_resp {
	struct ib_uverbs_ex_create_cq_resp ibv;
	struct srnic_create_cq_resp drv;
};
struct create_qp_cmd {
	struct ibv_create_qp_ex ibv;
	struct srnic_create_qp_cmd drv;
};
struct create_qp_resp {
	struct ib_uverbs_ex_create_qp_resp ibv;
	struct srnic_create_qp_resp drv;
};
struct resize_cq_cmd {
	struct ibv_resize_cq ibv;
	struct srnic_resize_cq_cmd drv;
};
struct resize_cq_resp {
	struct ib_uverbs_resize_cq_resp ibv;
	struct srnic_resize_cq_resp drv;
};
/* Its first half has 4 bytes, so nothing in it may be aligned to 8. */
struct create_ah_resp {
	struct ib_uverbs_create_ah_resp ibv;
	struct srnic_create_ah_resp drv;
};

NO_PADDING(struct get_context_cmd, struct ibv_get_context, struct srnic_alloc_ucontext_cmd);
NO_PADDING(struct get_context_resp, struct ib_uverbs_get_context_resp,
	   struct srnic_alloc_ucontext_resp);
NO_PADDING(struct create_cq_cmd, struct ibv_create_cq_ex, struct srnic_create_cq_cmd);
NO_PADDING(struct create_cq_resp, struct ib_uverbs_ex_create_cq_resp, struct srnic_create_cq_resp);
NO_PADDING(struct create_qp_cmd, struct ibv_create_qp_ex, struct srnic_create_qp_cmd);
NO_PADDING(struct create_qp_resp, struct ib_uverbs_ex_create_qp_resp, struct srnic_create_qp_resp);
NO_PADDING(struct resize_cq_cmd, struct ibv_resize_cq, struct srnic_resize_cq_cmd);
NO_PADDING(struct resize_cq_resp, struct ib_uverbs_resize_cq_resp, struct srnic_resize_cq_resp);
NO_PADDING(struct create_ah_resp, struct ib_uverbs_create_ah_resp, struct srnic_create_ah_resp);

struct srnic_context {
	struct verbs_context verbs;
	struct srnic_core *core;
	pthread_mutex_t resize_lock; /* one resize at a time */
};

static struct srnic_context *to_context(struct ibv_context *context)
{
	return container_of(context, struct srnic_context, verbs.context);
}

struct srnic_core *srnic_core_of(struct ibv_context *context)
{
	return to_context(context)->core;
}

/* The core's mirrors as libibverbs knows them; the asserts above allow it. */
static struct verbs_qp *to_verbs_qp(struct srnic_verbs_qp *qp)
{
	return (struct verbs_qp *)qp;
}

static struct verbs_cq *to_verbs_cq(struct srnic_verbs_cq *cq)
{
	return (struct verbs_cq *)cq;
}

/* ---- device, port, clock ------------------------------------------------ */

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	unsigned long long version;
	int ret;

	ret = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp, &resp_size);
	if (ret)
		return ret;
	version = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%llu.%llu.%llu",
		 version >> 32 & 0xffff, version >> 16 & 0xffff, version & 0xffff);
	return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd = {};

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

/* The clock of completion timestamps; its unit is the nanosecond. */
static int query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	(void)context;
	if (!check_comp_mask(values->comp_mask, IBV_VALUES_MASK_RAW_CLOCK))
		return EINVAL;
	if (values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK) {
		struct timespec now;

		if (clock_gettime(CLOCK_MONOTONIC, &now))
			return errno;
		/* Cycles in tv_nsec, as read_completion_ts has them. */
		values->raw_clock.tv_sec = 0;
		values->raw_clock.tv_nsec = now.tv_sec * 1000000000L + now.tv_nsec;
	}
	return 0;
}

/* ---- address handles ----------------------------------------------------- */

static struct ibv_ah *create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct create_ah_resp resp = {};
	struct srnic_ah *ah = calloc(1, sizeof(*ah));
	int ret;

	if (!ah)
		return NULL;
	ret = ibv_cmd_create_ah(pd, &ah->verbs, attr, &resp.ibv, sizeof(resp));
	if (ret)
		goto err_free;
	if (resp.drv.comp_mask) {
		ret = EPROTO;
		goto err_destroy;
	}
	ah->handle = resp.drv.ah;
	return &ah->verbs;

err_destroy:
	ah->verbs.context = pd->context;
	ibv_cmd_destroy_ah(&ah->verbs);
err_free:
	free(ah);
	errno = ret;
	return NULL;
}

static int destroy_ah(struct ibv_ah *ah)
{
	int ret = ibv_cmd_destroy_ah(ah);

	if (!ret)
		free(container_of(ah, struct srnic_ah, verbs));
	return ret;
}

/* ---- completion queues --------------------------------------------------- */

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

static struct ibv_cq *create_cq(struct ibv_context *context, int cqe,
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

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
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
	    (!attr->parent_domain || !srnic_pd_is_parent(attr->parent_domain))) {
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

static int resize_cq(struct ibv_cq *cq, int cqe)
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

static int modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(cq, attr, &cmd, sizeof(cmd));
}

static int destroy_cq(struct ibv_cq *cq)
{
	int ret = ibv_cmd_destroy_cq(cq);

	if (!ret)
		srnic_cq_free((struct srnic_verbs_cq *)cq);
	return ret;
}

/* ---- queue pairs --------------------------------------------------------- */

/*
 * The kick. write() is the quickest way into the kernel, but is refused to a process
 * that has changed its credentials since it opened the device; libibverbs knows a
 * slower way with the same effect.
 */
static int kick(struct ibv_qp *qp)
{
	struct ib_uverbs_post_send_resp resp = {};
	struct ibv_post_send cmd = {
		.hdr =
			{
				.command = IB_USER_VERBS_CMD_POST_SEND,
				.in_words = sizeof(cmd) / 4,
				.out_words = sizeof(resp) / 4,
			},
		.response = (uintptr_t)&resp,
		.qp_handle = qp->handle,
		.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	struct ibv_send_wr *bad_wr = NULL;
	ssize_t written;

	do {
		written = write(qp->context->cmd_fd, &cmd, sizeof(cmd));
	} while (written < 0 && errno == EINTR);
	if (written == (ssize_t)sizeof(cmd))
		return 0;
	if (written >= 0)
		return EIO;
	return errno == EACCES ? ibv_cmd_post_send(qp, NULL, &bad_wr) : errno;
}

/* What a QP of this type cannot do without. */
static bool has_qp_parts(const struct ibv_qp_init_attr_ex *attr)
{
	switch (attr->qp_type) {
	case IBV_QPT_XRC_RECV:
		return attr->comp_mask & IBV_QP_INIT_ATTR_XRCD && attr->xrcd;
	case IBV_QPT_XRC_SEND:
		return attr->comp_mask & IBV_QP_INIT_ATTR_PD && attr->send_cq;
	default:
		return attr->comp_mask & IBV_QP_INIT_ATTR_PD && attr->send_cq && attr->recv_cq;
	}
}

static int check_qp_attr(const struct ibv_qp_init_attr_ex *attr)
{
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS |
			       IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (!check_comp_mask(attr->comp_mask, known))
		return EOPNOTSUPP;
	if (!has_qp_parts(attr))
		return EINVAL;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && attr->create_flags)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	    !srnic_qp_supports_send_ops(attr->qp_type, attr->send_ops_flags))
		return EOPNOTSUPP;
	return 0;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	const bool extended = attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	struct srnic_qp_config config = {
		.send_ops = extended ? attr->send_ops_flags : 0,
		.sq_sig_all = attr->sq_sig_all,
	};
	struct create_qp_resp resp = {};
	struct create_qp_cmd cmd = {};
	struct srnic_verbs_qp *qp;
	int ret;

	ret = check_qp_attr(attr);
	if (ret)
		goto err;
	qp = srnic_qp_new();
	if (!qp) {
		ret = ENOMEM;
		goto err;
	}
	ret = ibv_cmd_create_qp_ex2(context, to_verbs_qp(qp), attr, &cmd.ibv, sizeof(cmd),
				    &resp.ibv, sizeof(resp) SRNIC_NO_QP_DRIVER);
	if (ret)
		goto err_free;
	config.queues = resp.drv;
	config.cap = attr->cap;
	ret = srnic_qp_attach(to_context(context)->core, qp, &config);
	if (ret)
		goto err_destroy;
	attr->cap = config.cap;
	if (extended)
		qp->comp_mask |= VERBS_QP_EX;
	return &qp->qp;

err_destroy:
	ibv_cmd_destroy_qp(&qp->qp);
err_free:
	srnic_qp_free(qp);
err:
	errno = ret;
	return NULL;
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex attr_ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = create_qp_ex(pd->context, &attr_ex);

	if (qp)
		attr->cap = attr_ex.cap;
	return qp;
}

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_modify_qp cmd = {};
	int ret = ibv_cmd_modify_qp(qp, attr, mask, &cmd, sizeof(cmd));

	if (!ret && mask & IBV_QP_STATE)
		srnic_qp_set_state(qp, attr->qp_state);
	return ret;
}

static int query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd = {};
	int ret = ibv_cmd_query_qp(qp, attr, mask, init_attr, &cmd, sizeof(cmd));

	if (ret)
		return ret;
	srnic_qp_get_cap(qp, &attr->cap);
	srnic_qp_get_cap(qp, &init_attr->cap);
	return 0;
}

static int destroy_qp(struct ibv_qp *qp)
{
	int ret = ibv_cmd_destroy_qp(qp);

	if (!ret)
		srnic_qp_free((struct srnic_verbs_qp *)qp);
	return ret;
}

/* ---- contexts and the device --------------------------------------------- */

static void free_context(struct ibv_context *context)
{
	struct srnic_context *ctx = to_context(context);

	srnic_core_free(ctx->core);
	pthread_mutex_destroy(&ctx->resize_lock);
	verbs_uninit_context(&ctx->verbs);
	free(ctx);
}

/* Of what is not here libibverbs says EOPNOTSUPP. */
static const struct verbs_context_ops context_ops = {
	.alloc_mw = srnic_alloc_mw,
	.alloc_parent_domain = srnic_alloc_parent_domain,
	.alloc_pd = srnic_alloc_pd,
	.alloc_td = srnic_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = srnic_bind_mw,
	.close_xrcd = srnic_close_xrcd,
	.create_ah = create_ah,
	.create_cq = create_cq,
	.create_cq_ex = create_cq_ex,
	.create_qp = create_qp,
	.create_qp_ex = create_qp_ex,
	.create_srq = srnic_create_srq,
	.create_srq_ex = srnic_create_srq_ex,
	.dealloc_mw = srnic_dealloc_mw,
	.dealloc_pd = srnic_dealloc_pd,
	.dealloc_td = srnic_dealloc_td,
	.dereg_mr = srnic_dereg_mr,
	.destroy_ah = destroy_ah,
	.detach_mcast = ibv_cmd_detach_mcast,
	.destroy_cq = destroy_cq,
	.destroy_qp = destroy_qp,
	.destroy_srq = srnic_destroy_srq,
	.free_context = free_context,
	.get_srq_num = srnic_get_srq_num,
	.import_mr = srnic_import_mr,
	.import_pd = srnic_import_pd,
	.modify_cq = modify_cq,
	.modify_qp = modify_qp,
	.modify_srq = srnic_modify_srq,
	.open_qp = srnic_open_qp,
	.open_xrcd = srnic_open_xrcd,
	.poll_cq = srnic_poll_cq,
	.post_recv = srnic_post_recv,
	.post_send = srnic_post_send,
	.post_srq_recv = srnic_post_srq_recv,
	.query_device_ex = query_device_ex,
	.query_port = query_port,
	.query_qp = query_qp,
	.query_rt_values = query_rt_values,
	.query_srq = srnic_query_srq,
	.reg_mr = srnic_reg_mr,
	.resize_cq = resize_cq,
	.req_notify_cq = srnic_req_notify_cq,
	.rereg_mr = srnic_rereg_mr,
	.unimport_mr = srnic_unimport_mr,
	.unimport_pd = srnic_unimport_pd,
};

static struct verbs_context *alloc_context(struct ibv_device *device, int cmd_fd,
					   void *private_data)
{
	struct get_context_cmd cmd = {.drv.abi_version = SRNIC_ABI_VERSION};
	struct get_context_resp resp = {};
	struct srnic_context *ctx;
	int ret;

	(void)private_data;
	ctx = verbs_init_and_alloc_context(device, cmd_fd, ctx, verbs, SRNIC_DRIVER_ID);
	if (!ctx)
		return NULL;
	ret = ibv_cmd_get_context(&ctx->verbs, &cmd.ibv, sizeof(cmd), SRNIC_NO_FD_ARR & resp.ibv,
				  sizeof(resp));
	if (ret)
		goto err;
	if (resp.drv.abi_version != SRNIC_ABI_VERSION || resp.drv.comp_mask) {
		verbs_err(&ctx->verbs, "kernel module speaks ABI %u, this provider %u\n",
			  resp.drv.abi_version, SRNIC_ABI_VERSION);
		ret = EPROTO;
		goto err;
	}
	ctx->core = srnic_core_new(cmd_fd, kick);
	if (!ctx->core) {
		ret = ENOMEM;
		goto err;
	}
	pthread_mutex_init(&ctx->resize_lock, NULL);
	verbs_set_ops(&ctx->verbs, &context_ops);
	return &ctx->verbs;

err:
	verbs_uninit_context(&ctx->verbs);
	free(ctx);
	errno = ret;
	return NULL;
}

/* Of a context that another process has made nothing has to be known. */
static struct verbs_context *import_context(struct ibv_device *device, int cmd_fd)
{
	struct srnic_context *ctx;
	int ret;

	ctx = verbs_init_and_alloc_context(device, cmd_fd, ctx, verbs, SRNIC_DRIVER_ID);
	if (!ctx)
		return NULL;
	ret = ibv_cmd_query_context(&ctx->verbs.context, NULL);
	if (ret)
		goto err;
	ctx->core = srnic_core_new(cmd_fd, kick);
	if (!ctx->core) {
		ret = ENOMEM;
		goto err;
	}
	verbs_set_ops(&ctx->verbs, &context_ops);
	return &ctx->verbs;

err:
	verbs_uninit_context(&ctx->verbs);
	free(ctx);
	errno = ret;
	return NULL;
}

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs)
{
	(void)sysfs;
	return calloc(1, sizeof(struct verbs_device));
}

static void uninit_device(struct verbs_device *device)
{
	free(device);
}

/* By the driver's number under any name; by name where the kernel cannot tell it. */
static const struct verbs_match_ent match_table[] = {
	VERBS_DRIVER_ID(SRNIC_DRIVER_ID),
	VERBS_NAME_MATCH("srnic", NULL),
	{},
};

static const struct verbs_device_ops device_ops = {
	.name = "srnic",
	.match_min_abi_version = SRNIC_ABI_VERSION,
	.match_max_abi_version = SRNIC_ABI_VERSION,
	.match_table = match_table,
	.alloc_device = alloc_device,
	.uninit_device = uninit_device,
	.alloc_context = alloc_context,
	.import_context = import_context,
};

PROVIDER_DRIVER(srnic, device_ops);
