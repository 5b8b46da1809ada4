// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the RDMA core calls.
 */
#include "verbs.h"

#include <linux/module.h>
#include <rdma/srnic-abi.h>

#include "../compat/ops.h"
#include "../engine/qp.h"
#include "../engine/xrcd.h"
#include "../queue/srq.h"
#include "device.h"
#include "mw.h"
#include "pd.h"

const struct ib_device_ops srnic_device_ops = {
	.owner = THIS_MODULE,
	.driver_id = SRNIC_DRIVER_ID,
	.uverbs_abi_ver = SRNIC_ABI_VERSION,

	.add_gid = srnic_add_gid,
	.alloc_hw_port_stats = srnic_alloc_hw_port_stats,
	.alloc_mr = srnic_alloc_mr,
	.alloc_mw = srnic_alloc_mw,
	.alloc_pd = srnic_alloc_pd,
	.alloc_ucontext = srnic_alloc_ucontext,
	.alloc_xrcd = srnic_alloc_xrcd,
	.attach_mcast = srnic_attach_mcast,
	.counter_alloc_stats = srnic_counter_alloc_stats,
	.counter_bind_qp = srnic_counter_bind_qp,
	.counter_dealloc = srnic_counter_dealloc,
	.counter_unbind_qp = srnic_counter_unbind_qp,
	.counter_update_stats = srnic_counter_update_stats,
	.create_ah = srnic_create_ah,
	.create_cq = srnic_create_cq,
	.create_qp = srnic_create_qp,
	.create_srq = srnic_create_srq,
	.create_user_ah = srnic_create_ah,
	.dealloc_driver = srnic_device_free,
	.dealloc_mw = srnic_dealloc_mw,
	.dealloc_pd = srnic_dealloc_pd,
	.dealloc_ucontext = srnic_dealloc_ucontext,
	.dealloc_xrcd = srnic_dealloc_xrcd,
	.del_gid = srnic_del_gid,
	.dereg_mr = srnic_dereg_mr,
	.destroy_ah = srnic_destroy_ah,
	.destroy_cq = srnic_destroy_cq,
	.destroy_qp = srnic_destroy_qp,
	.destroy_srq = srnic_destroy_srq,
	.detach_mcast = srnic_detach_mcast,
	.disassociate_ucontext = srnic_disassociate_ucontext,
	.get_dev_fw_str = srnic_get_dev_fw_str,
	.get_dma_mr = srnic_get_dma_mr,
	.get_hw_stats = srnic_get_hw_stats,
	.get_link_layer = srnic_get_link_layer,
	.get_port_immutable = srnic_get_port_immutable,
	.map_mr_sg = srnic_map_mr_sg,
	.mmap = srnic_queue_mmap,
	.mmap_free = srnic_queue_mmap_free,
	.modify_cq = srnic_modify_cq,
	.modify_qp = srnic_modify_qp,
	.modify_srq = srnic_modify_srq,
	.poll_cq = srnic_poll_cq,
	.post_recv = srnic_post_recv,
	.post_send = srnic_post_send,
	.post_srq_recv = srnic_post_srq_recv,
	SRNIC_OP_PRE_DESTROY_CQ
	.process_mad = srnic_process_mad,
	.query_ah = srnic_query_ah,
	.query_device = srnic_query_device,
	.query_pkey = srnic_query_pkey,
	.query_port = srnic_query_port,
	.query_qp = srnic_query_qp,
	.query_srq = srnic_query_srq,
	.query_ucontext = srnic_query_ucontext,
	.reg_user_mr = srnic_reg_user_mr,
	.req_notify_cq = srnic_req_notify_cq,
	.rereg_user_mr = srnic_rereg_user_mr,
	.resize_user_cq = srnic_resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, srnic_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, srnic_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, srnic_user_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, srnic_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, srnic_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, srnic_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, srnic_ucontext, ibucontext),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, srnic_xrcd, ibxrcd),
	SRNIC_COUNTER_OBJECT
};
