// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/**
 * @file
 * The part of the provider that talks to libibverbs: who we are, which functions
 * we have, contexts, QPs and address handles. This and the other glue_*.c are the only
 * files that include libibverbs' private headers, which do not compile as C++; the data
 * path is in the C++ core.
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

/* What the core mirrors of the private headers. */
static_assert(sizeof(struct srnic_verbs_qp) == sizeof(struct verbs_qp), "verbs_qp");
static_assert(offsetof(struct srnic_verbs_qp, comp_mask) == offsetof(struct verbs_qp, comp_mask),
	      "verbs_qp.comp_mask");
static_assert(offsetof(struct srnic_verbs_qp, xrcd) == offsetof(struct verbs_qp, xrcd),
	      "verbs_qp.xrcd");
static_assert(offsetof(struct verbs_qp, qp) == 0 && offsetof(struct verbs_qp, qp_ex) == 0,
	      "verbs_qp starts with the QP");
static_assert(offsetof(struct srnic_ah, verbs) == 0, "srnic_ah starts with the AH");

struct get_context_cmd {
	struct ibv_get_context ibv;
	struct srnic_alloc_ucontext_cmd drv;
};
struct get_context_resp {
	struct ib_uverbs_get_context_resp ibv;
	struct srnic_alloc_ucontext_resp drv;
};
struct create_qp_cmd {
	struct ibv_create_qp_ex ibv;
	struct srnic_create_qp_cmd drv;
};
struct create_qp_resp {
	struct ib_uverbs_ex_create_qp_resp ibv;
	struct srnic_create_qp_resp drv;
};
/* Its first half has 4 bytes, so nothing in it may be aligned to 8. */
struct create_ah_resp {
	struct ib_uverbs_create_ah_resp ibv;
	struct srnic_create_ah_resp drv;
};

NO_PADDING(struct get_context_cmd, struct ibv_get_context, struct srnic_alloc_ucontext_cmd);
NO_PADDING(struct get_context_resp, struct ib_uverbs_get_context_resp,
	   struct srnic_alloc_ucontext_resp);
NO_PADDING(struct create_qp_cmd, struct ibv_create_qp_ex, struct srnic_create_qp_cmd);
NO_PADDING(struct create_qp_resp, struct ib_uverbs_ex_create_qp_resp, struct srnic_create_qp_resp);
NO_PADDING(struct create_ah_resp, struct ib_uverbs_create_ah_resp, struct srnic_create_ah_resp);

/* The core's mirrors as libibverbs knows them; the asserts above allow it. */
static struct verbs_qp *to_verbs_qp(struct srnic_verbs_qp *qp)
{
	return (struct verbs_qp *)qp;
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
	srnic_pd_use(pd);
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

	if (ret)
		return ret;
	srnic_pd_unuse(ah->pd);
	free(container_of(ah, struct srnic_ah, verbs));
	return 0;
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

/* What the type does not use is not looked at. */
static bool has_foreign_parts(struct ibv_context *context, const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->qp_type == IBV_QPT_XRC_RECV)
		return srnic_is_foreign(attr->xrcd, context);
	return srnic_is_foreign(attr->pd, context) || srnic_is_foreign(attr->send_cq, context) ||
	       (attr->qp_type != IBV_QPT_XRC_SEND && srnic_is_foreign(attr->recv_cq, context)) ||
	       srnic_is_foreign(attr->srq, context);
}

static int check_qp_attr(struct ibv_context *context, const struct ibv_qp_init_attr_ex *attr)
{
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS |
			       IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (!check_comp_mask(attr->comp_mask, known))
		return EOPNOTSUPP;
	if (!has_qp_parts(attr) || has_foreign_parts(context, attr))
		return EINVAL;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS &&
	    attr->create_flags & ~(uint32_t)IBV_QP_CREATE_BLOCK_SELF_MCAST_LB)
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

	ret = check_qp_attr(context, attr);
	if (ret)
		goto err;
	/* ibv_wr_atomic_write() has its word in the slot. */
	if (config.send_ops & IBV_QP_EX_WITH_ATOMIC_WRITE &&
	    attr->cap.max_inline_data < sizeof(uint64_t))
		attr->cap.max_inline_data = sizeof(uint64_t);
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
	ret = srnic_qp_attach(srnic_core_of(context), qp, &config);
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
	.create_cq = srnic_create_cq,
	.create_cq_ex = srnic_create_cq_ex,
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
	.destroy_cq = srnic_destroy_cq,
	.destroy_qp = destroy_qp,
	.destroy_srq = srnic_destroy_srq,
	.free_context = free_context,
	.get_srq_num = srnic_get_srq_num,
	.import_mr = srnic_import_mr,
	.import_pd = srnic_import_pd,
	.modify_cq = srnic_modify_cq,
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
	.reg_dmabuf_mr = srnic_reg_dmabuf_mr,
	.reg_mr = srnic_reg_mr,
	.resize_cq = srnic_resize_cq,
	.req_notify_cq = srnic_req_notify_cq,
	.rereg_mr = srnic_rereg_mr,
	.unimport_mr = srnic_unimport_mr,
	.unimport_pd = srnic_unimport_pd,
};

/* The kernel's context is there: what is left to be made. */
static int start_context(struct srnic_context *ctx, int cmd_fd)
{
	ctx->core = srnic_core_new(cmd_fd, kick);
	if (!ctx->core)
		return ENOMEM;
	pthread_mutex_init(&ctx->resize_lock, NULL);
	verbs_set_ops(&ctx->verbs, &context_ops);
	return 0;
}

static int get_context(struct srnic_context *ctx)
{
	struct get_context_cmd cmd = {.drv.abi_version = SRNIC_ABI_VERSION};
	struct get_context_resp resp = {};
	int ret;

	ret = ibv_cmd_get_context(&ctx->verbs, &cmd.ibv, sizeof(cmd), SRNIC_NO_FD_ARR & resp.ibv,
				  sizeof(resp));
	if (ret)
		return ret;
	if (resp.drv.abi_version != SRNIC_ABI_VERSION || resp.drv.comp_mask) {
		verbs_err(&ctx->verbs, "kernel module speaks ABI %u, this provider %u\n",
			  resp.drv.abi_version, SRNIC_ABI_VERSION);
		return EPROTO;
	}
	return 0;
}

static struct verbs_context *make_context(struct ibv_device *device, int cmd_fd, bool import)
{
	struct srnic_context *ctx;
	int ret;

	ctx = verbs_init_and_alloc_context(device, cmd_fd, ctx, verbs, SRNIC_DRIVER_ID);
	if (!ctx)
		return NULL;
	/* Of a context that another process has made nothing has to be known. */
	ret = import ? ibv_cmd_query_context(&ctx->verbs.context, NULL) : get_context(ctx);
	if (!ret)
		ret = start_context(ctx, cmd_fd);
	if (!ret)
		return &ctx->verbs;
	verbs_uninit_context(&ctx->verbs);
	free(ctx);
	errno = ret;
	return NULL;
}

static struct verbs_context *alloc_context(struct ibv_device *device, int cmd_fd,
					   void *private_data)
{
	(void)private_data;
	return make_context(device, cmd_fd, false);
}

static struct verbs_context *import_context(struct ibv_device *device, int cmd_fd)
{
	return make_context(device, cmd_fd, true);
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
