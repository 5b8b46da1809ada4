/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * What the files of the glue share. They are C, and the only ones that include
 * libibverbs' private headers.
 */
#ifndef SRNIC_GLUE_H
#define SRNIC_GLUE_H

#include <pthread.h>
#include <stddef.h>

#include <infiniband/driver.h>

#include "core.h"

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

#ifdef SRNIC_HAVE_DMABUF_DRIVER
#define SRNIC_NO_DMABUF_DRIVER , NULL
#else
#define SRNIC_NO_DMABUF_DRIVER
#endif

/*
 * Commands and answers as the ibv_cmd_ functions want them: the core's struct, then
 * ours, without padding.
 */
#define NO_PADDING(type, core, ours)                                 \
	static_assert(sizeof(type) == sizeof(core) + sizeof(ours) && \
			      offsetof(type, drv) == sizeof(core),   \
		      "padding in a command")

/** A process that has opened the device. */
struct srnic_context {
	struct verbs_context verbs;
	struct srnic_core *core;
	pthread_mutex_t resize_lock; /* one resize at a time */
};

static inline struct srnic_context *to_context(struct ibv_context *context)
{
	return container_of(context, struct srnic_context, verbs.context);
}

/** The core's state of a ucontext. */
static inline struct srnic_core *srnic_core_of(struct ibv_context *context)
{
	return to_context(context)->core;
}

/*
 * An object of another context is none of this one, though its number may be that of an
 * object here. Null where there need not be one.
 */
#define srnic_is_foreign(object, here) ((object) && (object)->context != (here))

/** glue_cq.c: verbs of CQs, for verbs_context_ops. @{ */
struct ibv_cq *srnic_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector);
struct ibv_cq_ex *srnic_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
int srnic_resize_cq(struct ibv_cq *cq, int cqe);
int srnic_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
int srnic_destroy_cq(struct ibv_cq *cq);
/** @} */

/** glue_memory.c: verbs of PDs, MRs and MWs, for verbs_context_ops. @{ */
struct ibv_pd *srnic_alloc_pd(struct ibv_context *context);
int srnic_dealloc_pd(struct ibv_pd *pd);
struct ibv_pd *srnic_import_pd(struct ibv_context *context, uint32_t handle);
void srnic_unimport_pd(struct ibv_pd *pd);
struct ibv_mr *srnic_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			    int access);
struct ibv_mr *srnic_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
				   int fd, int access);
int srnic_dereg_mr(struct verbs_mr *mr);
int srnic_rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		   int access);
struct ibv_mr *srnic_import_mr(struct ibv_pd *pd, uint32_t handle);
void srnic_unimport_mr(struct ibv_mr *mr);
struct ibv_mw *srnic_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int srnic_dealloc_mw(struct ibv_mw *mw);
/** @} */

/** glue_srq.c: verbs of SRQs and XRC, for verbs_context_ops. @{ */
int srnic_close_xrcd(struct ibv_xrcd *xrcd);
struct ibv_srq *srnic_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
struct ibv_srq *srnic_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr);
int srnic_destroy_srq(struct ibv_srq *srq);
int srnic_get_srq_num(struct ibv_srq *srq, uint32_t *number);
int srnic_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
struct ibv_qp *srnic_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr);
struct ibv_xrcd *srnic_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr);
int srnic_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
/** @} */

#endif /* SRNIC_GLUE_H */
