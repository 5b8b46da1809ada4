/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Operations that had other arguments. To be included by the file that has the
 * table of operations, and by no other: there, the names of the verbs stand for
 * what the kernel at hand can call.
 */
#ifndef SRNIC_COMPAT_OPS_H
#define SRNIC_COMPAT_OPS_H

#ifndef HAVE_CREATE_CQ_ATTRS
static inline int srnic_compat_create_cq(struct ib_cq *ibcq,
					 const struct ib_cq_init_attr *init,
					 struct ib_udata *udata)
{
	return srnic_create_cq(ibcq, init, udata ?
			       rdma_udata_to_uverbs_attr_bundle(udata) : NULL);
}

#define srnic_create_cq srnic_compat_create_cq
#endif

/* Since then a counter has a driver's part, which there is no need for. */
#ifdef HAVE_COUNTER_INIT
struct srnic_rdma_counter {
	struct rdma_counter counter;
};

static inline void srnic_counter_init(struct rdma_counter *counter)
{
}

#define SRNIC_COUNTER_OBJECT						\
	.counter_init = srnic_counter_init,				\
	INIT_RDMA_OBJ_SIZE(rdma_counter, srnic_rdma_counter, counter),
#else
static inline int srnic_compat_counter_bind_qp(struct rdma_counter *counter,
					       struct ib_qp *ibqp)
{
	return srnic_counter_bind_qp(counter, ibqp, counter->port);
}

static inline int srnic_compat_counter_unbind_qp(struct ib_qp *ibqp)
{
	return srnic_counter_unbind_qp(ibqp, ibqp->port);
}

#define srnic_counter_bind_qp srnic_compat_counter_bind_qp
#define srnic_counter_unbind_qp srnic_compat_counter_unbind_qp
#define SRNIC_COUNTER_OBJECT
#endif

/* Without it, an event that moderation holds back may come late. */
#ifdef HAVE_PRE_DESTROY_CQ
#define SRNIC_OP_PRE_DESTROY_CQ	.pre_destroy_cq = srnic_pre_destroy_cq,
#else
#define SRNIC_OP_PRE_DESTROY_CQ
#endif

#ifndef HAVE_REG_USER_MR_DMAH
static inline struct ib_mr *
srnic_compat_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
			 int access, struct ib_udata *udata)
{
	return srnic_reg_user_mr(ibpd, start, length, iova, access, NULL,
				 udata);
}

#define srnic_reg_user_mr srnic_compat_reg_user_mr
#endif

#ifndef HAVE_REG_USER_MR_DMABUF_DMAH
#ifdef HAVE_REG_USER_MR_DMABUF_ATTRS
static inline struct ib_mr *
srnic_compat_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length,
				u64 iova, int fd, int access,
				struct uverbs_attr_bundle *attrs)
{
	return srnic_reg_user_mr_dmabuf(ibpd, offset, length, iova, fd, access,
					NULL, attrs);
}
#else
static inline struct ib_mr *
srnic_compat_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length,
				u64 iova, int fd, int access,
				struct ib_udata *udata)
{
	return srnic_reg_user_mr_dmabuf(ibpd, offset, length, iova, fd, access,
					NULL, rdma_udata_to_uverbs_attr_bundle(udata));
}
#endif

#define srnic_reg_user_mr_dmabuf srnic_compat_reg_user_mr_dmabuf
#endif

#ifndef HAVE_RESIZE_USER_CQ
static inline int srnic_compat_resize_cq(struct ib_cq *ibcq, int cqe,
					 struct ib_udata *udata)
{
	return cqe < 0 ? -EINVAL : srnic_resize_cq(ibcq, cqe, udata);
}

#define resize_user_cq resize_cq
#define srnic_resize_cq srnic_compat_resize_cq
#endif

#endif /* SRNIC_COMPAT_OPS_H */
