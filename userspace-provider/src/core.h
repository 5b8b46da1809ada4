/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * The boundary between the C glue, which knows libibverbs' private headers, and
 * the C++ core, which knows only the public ones.
 *
 * Objects are made by the core, because they hold its state, and start with what
 * libibverbs expects of a provider's object. The private headers' structs are
 * mirrored here from public types; srnic_glue.c asserts that they agree.
 *
 * Functions that return int return 0 or a positive errno.
 */
#ifndef SRNIC_CORE_H
#define SRNIC_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>
#include <rdma/srnic-abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Mirror of struct verbs_qp. */
struct srnic_verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
	uint32_t comp_mask;
	void *xrcd;
};

/** Mirror of struct verbs_cq. */
struct srnic_verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex cq_ex;
	};
};

/** Mirror of struct verbs_srq. */
struct srnic_verbs_srq {
	struct ibv_srq srq;
	enum ibv_srq_type srq_type;
	void *xrcd;
	struct ibv_cq *cq;
	uint32_t srq_num;
};

/** An address handle; the glue makes it, the core puts @c handle into WQEs. */
struct srnic_ah {
	struct ibv_ah verbs;
	uint32_t handle;
	uint32_t reserved;
};

/**
 * Tells the kernel to run the send queue of a QP now: the only system call of the
 * data path, made when the engine does not poll the QP's doorbell line.
 */
typedef int (*srnic_kick_fn)(struct ibv_qp *qp);

/** State of the core for one ucontext. */
struct srnic_core;

/** Makes the state for a ucontext, or returns NULL for want of memory. */
struct srnic_core *srnic_core_new(int cmd_fd, srnic_kick_fn kick);

/** Takes NULL too. All QPs and CQs of the ucontext have been freed before. */
void srnic_core_free(struct srnic_core *core);

/** A protection domain, or a parent domain, which contains one. */
struct srnic_pd {
	struct ibv_pd verbs;
	struct ibv_pd *protection_domain; /**< of a parent domain, else NULL */
	struct ibv_td *td;		  /**< of a parent domain, or NULL */
	uint32_t users;			  /**< queues and parent domains */
	uint32_t reserved;
};

/** Verbs of thread domains and parent domains, as their man pages say. @{ */
struct ibv_td *srnic_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int srnic_dealloc_td(struct ibv_td *td);
struct ibv_pd *srnic_alloc_parent_domain(struct ibv_context *context,
					 struct ibv_parent_domain_init_attr *attr);
/** @} */

/** Makes an empty object for ibv_cmd_alloc_pd; NULL for want of memory. */
struct srnic_pd *srnic_pd_new(void);

/** Frees an object that is not in use. */
void srnic_pd_free(struct srnic_pd *pd);

bool srnic_pd_is_parent(struct ibv_pd *pd);

/** Whether objects of this domain are used from one thread. Takes NULL too. */
bool srnic_pd_is_single_threaded(struct ibv_pd *pd);

/** Objects that refer to a domain are counted. @{ */
bool srnic_pd_in_use(struct ibv_pd *pd);
void srnic_pd_use(struct ibv_pd *pd);
void srnic_pd_unuse(struct ibv_pd *pd);
/** @} */

/** What of a created CQ the core has to know. */
struct srnic_cq_config {
	struct srnic_create_cq_resp ring;
	uint64_t wc_flags;     /**< ibv_create_cq_wc_flags; fields to offer lazily */
	bool extended;	       /**< lazy polling was asked for */
	bool single_threaded;  /**< the program promises to use it from one thread */
	struct ibv_pd *domain; /**< parent domain that it is made in, or NULL */
};

/** wc_flags that an extended CQ can offer. */
uint64_t srnic_cq_supported_wc_flags(void);

/** Makes an empty object for ibv_cmd_create_cq*; NULL for want of memory. */
struct srnic_verbs_cq *srnic_cq_new(void);

/** Checks the kernel's answer, maps the ring, sets the lazy polling functions. */
int srnic_cq_attach(struct srnic_core *core, struct srnic_verbs_cq *cq,
		    const struct srnic_cq_config *config);

/** Unmaps and frees; the kernel's CQ is gone, or was never made. */
void srnic_cq_free(struct srnic_verbs_cq *cq);

/**
 * Resizing: map takes the kernel's answer to PREPARE. Between begin and end nobody
 * polls or arms, and the kernel is told to switch; end takes its answer, or NULL if it
 * has not switched. One resize at a time. @{
 */
int srnic_cq_resize_map(struct srnic_core *core, struct ibv_cq *cq,
			const struct srnic_resize_cq_resp *answer, int cqe);
void srnic_cq_resize_begin(struct ibv_cq *cq);
int srnic_cq_resize_end(struct ibv_cq *cq, const struct srnic_resize_cq_resp *answer);
/** @} */

/** What of a created SRQ the core has to know. */
struct srnic_srq_config {
	struct srnic_create_srq_resp ring;
	uint32_t max_wr; /**< the kernel's answers */
	uint32_t max_sge;
	struct ibv_pd *domain; /**< the program's; perhaps a parent domain; or NULL */
};

/** Makes an empty object for ibv_cmd_create_srq*; NULL for want of memory. */
struct srnic_verbs_srq *srnic_srq_new(void);

/**
 * Checks the kernel's answer, maps the ring and makes an SRQ of XRC known to its CQ.
 * Type, number and CQ of such a one are read from the object, where libibverbs has
 * put them.
 */
int srnic_srq_attach(struct srnic_core *core, struct srnic_verbs_srq *srq,
		     const struct srnic_srq_config *config);

/**
 * Unmaps and frees; the kernel's SRQ is gone, or was never made. Completions of an
 * SRQ of XRC that were not polled are dropped.
 */
void srnic_srq_free(struct srnic_verbs_srq *srq);

/** Between them the SRQ gets another ring, or NULL: it does not; nobody posts. @{ */
void srnic_srq_begin_resize(struct ibv_srq *srq);
int srnic_srq_end_resize(struct ibv_srq *srq, const struct srnic_create_srq_resp *ring);
/** @} */

/** What of a created QP the core has to know. */
struct srnic_qp_config {
	struct srnic_create_qp_resp queues;
	struct ibv_qp_cap cap; /**< in: the kernel's answer; out: the user's */
	uint64_t send_ops;     /**< ibv_qp_create_send_ops_flags for ibv_wr_* */
	bool sq_sig_all;
};

/** Whether QPs of this type offer all these ibv_wr_* operations. */
bool srnic_qp_supports_send_ops(enum ibv_qp_type type, uint64_t send_ops);

/** Makes an empty object for ibv_cmd_create_qp*; NULL for want of memory. */
struct srnic_verbs_qp *srnic_qp_new(void);

/**
 * Checks the kernel's answer, maps the queues and makes the QP known to its CQs.
 * Type, number, CQs and SRQ are read from the object, where libibverbs has put them.
 */
int srnic_qp_attach(struct srnic_core *core, struct srnic_verbs_qp *qp,
		    struct srnic_qp_config *config);

/**
 * Unmaps and frees; the kernel's QP is gone, or was never made. Completions of the
 * QP that were not polled are dropped.
 */
void srnic_qp_free(struct srnic_verbs_qp *qp);

/** The real sizes of the queues, for query_qp: what attach left in cap. */
void srnic_qp_get_cap(struct ibv_qp *qp, struct ibv_qp_cap *cap);

/** A modify_qp went through. */
void srnic_qp_set_state(struct ibv_qp *qp, enum ibv_qp_state state);

/** Verbs of the data path, as their man pages say. @{ */
int srnic_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int srnic_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int srnic_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int srnic_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
int srnic_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int srnic_req_notify_cq(struct ibv_cq *cq, int solicited_only);
/** @} */

#ifdef __cplusplus
}
#endif

#endif /* SRNIC_CORE_H */
