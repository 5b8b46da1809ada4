/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * What the files of the glue share. They are C, and the only ones that include
 * libibverbs' private headers.
 */
#ifndef SRNIC_GLUE_H
#define SRNIC_GLUE_H

#include <infiniband/driver.h>

#include "core.h"

/** The core's state of a ucontext. */
struct srnic_core *srnic_core_of(struct ibv_context *context);

/** glue_memory.c: verbs of PDs, MRs and MWs, for verbs_context_ops. @{ */
struct ibv_pd *srnic_alloc_pd(struct ibv_context *context);
int srnic_dealloc_pd(struct ibv_pd *pd);
struct ibv_pd *srnic_import_pd(struct ibv_context *context, uint32_t handle);
void srnic_unimport_pd(struct ibv_pd *pd);
struct ibv_mr *srnic_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			    int access);
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
