/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The verbs, as &struct ib_device_ops wants them: one file a resource.
 *
 * All of them are called by the core, which keeps the objects of their arguments
 * alive and does not destroy one that others refer to.
 */
#ifndef SRNIC_VERBS_VERBS_H
#define SRNIC_VERBS_VERBS_H

#include <rdma/ib_verbs.h>

struct ib_dmah;
struct srnic_dev;
struct srnic_qp;
struct srnic_sge;
struct uverbs_attr_bundle;

/* ops.c */
extern const struct ib_device_ops srnic_device_ops;

/* attr.c */
int srnic_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		       struct ib_udata *udata);
void srnic_get_dev_fw_str(struct ib_device *ibdev, char *str);

/* port.c */
int srnic_query_port(struct ib_device *ibdev, u32 port,
		     struct ib_port_attr *attr);
int srnic_get_port_immutable(struct ib_device *ibdev, u32 port,
			     struct ib_port_immutable *immutable);
enum rdma_link_layer srnic_get_link_layer(struct ib_device *ibdev, u32 port);
int srnic_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
enum ib_mtu srnic_active_mtu(const struct srnic_dev *dev);

/* stats.c */
u64 srnic_counter_sum(struct srnic_dev *dev, int which);
struct rdma_hw_stats *srnic_alloc_hw_port_stats(struct ib_device *ibdev,
						u32 port);
int srnic_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		       u32 port, int index);

struct rdma_hw_stats *srnic_counter_alloc_stats(struct rdma_counter *counter);
int srnic_counter_update_stats(struct rdma_counter *counter);
int srnic_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp,
			  u32 port);
int srnic_counter_unbind_qp(struct ib_qp *ibqp, u32 port);
int srnic_counter_dealloc(struct rdma_counter *counter);

/* pma.c */
void srnic_pma_init(struct srnic_dev *dev);
int srnic_process_mad(struct ib_device *ibdev, int mad_flags, u32 port,
		      const struct ib_wc *in_wc, const struct ib_grh *in_grh,
		      const struct ib_mad *in, struct ib_mad *out,
		      size_t *out_mad_size, u16 *out_mad_pkey_index);

/* context.c */
int srnic_alloc_ucontext(struct ib_ucontext *ibucontext,
			 struct ib_udata *udata);
int srnic_query_ucontext(struct ib_ucontext *ibucontext,
			 struct uverbs_attr_bundle *attrs);
void srnic_dealloc_ucontext(struct ib_ucontext *ibucontext);
void srnic_disassociate_ucontext(struct ib_ucontext *ibucontext);

/* pd.c */
int srnic_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int srnic_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

/* ah.c */
int srnic_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		    struct ib_udata *udata);
int srnic_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int srnic_destroy_ah(struct ib_ah *ibah, u32 flags);

/* cq.c */
int srnic_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *init,
		    struct uverbs_attr_bundle *attrs);
int srnic_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);

/* poll_cq.c */
int srnic_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int srnic_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
int srnic_pre_destroy_cq(struct ib_cq *ibcq);

/* cq_modify.c */
int srnic_resize_cq(struct ib_cq *ibcq, unsigned int cqe,
		    struct ib_udata *udata);
int srnic_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);

/* gid.c */
int srnic_add_gid(const struct ib_gid_attr *attr, void **context);
int srnic_del_gid(const struct ib_gid_attr *attr, void **context);

/* multicast.c */
int srnic_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int srnic_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
/* srq.c */
int srnic_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata);
int srnic_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata);
int srnic_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int srnic_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

/* xrcd.c */
int srnic_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int srnic_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

/* mr.c */
struct ib_mr *srnic_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata);
struct ib_mr *srnic_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				  u64 length, u64 iova, int access,
				  struct ib_pd *ibpd, struct ib_udata *udata);
struct ib_mr *srnic_get_dma_mr(struct ib_pd *ibpd, int access);
int srnic_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/* fast_reg.c */
struct ib_mr *srnic_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			     u32 max_num_sg);
int srnic_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset);

/* mw.c */
int srnic_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int srnic_dealloc_mw(struct ib_mw *ibmw);

/* qp.c */
int srnic_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		    struct ib_udata *udata);
int srnic_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* post_send.c */
int srnic_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr);

/* post_recv.c */
void srnic_fill_sges(struct srnic_sge *to, const struct ib_sge *from,
		     u32 num_sge);
int srnic_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr);
int srnic_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr);

/* qp_modify.c */
int srnic_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata);

/* qp_query.c */
bool srnic_qp_draining(const struct srnic_qp *qp);
int srnic_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init);

#endif /* SRNIC_VERBS_VERBS_H */
