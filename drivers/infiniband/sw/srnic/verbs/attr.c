// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of a device. What is said here is kept: each limit can be reached
 * and not passed, each capability is there.
 */
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "../engine/device.h"
#include "../mem/fast_reg.h"
#include "../queue/wqe.h"
#include "verbs.h"

#define FW_VERSION_MAJOR	0
#define FW_VERSION_MINOR	1
#define FW_VERSION_PATCH	0

/* For drivers without a vendor's OUI. */
#define VENDOR_ID		0xffffff

/* 134 ms until a request that has arrived is acknowledged, at the worst. */
#define LOCAL_CA_ACK_DELAY	15

/* CQE timestamps are nanoseconds; the core wants kHz. */
#define CLOCK_KHZ		1000000

#define DEVICE_CAPS							\
	(IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |		\
	 IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_PORT_ACTIVE_EVENT |	\
	 IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_SYS_IMAGE_GUID |		\
	 IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B |		\
	 IB_DEVICE_MEM_MGT_EXTENSIONS |					\
	 IB_DEVICE_SRQ_RESIZE | IB_DEVICE_UD_AV_PORT_ENFORCE |		\
	 IB_DEVICE_XRC | IB_DEVICE_ATOMIC_WRITE)

static void describe_objects(struct ib_device_attr *attr)
{
	attr->max_qp = SRNIC_MAX_QP;
	attr->max_qp_wr = SRNIC_MAX_QP_WR;
	attr->max_send_sge = SRNIC_MAX_SGE;
	attr->max_recv_sge = SRNIC_MAX_SGE;
	attr->max_sge_rd = SRNIC_MAX_SGE;
	attr->max_cq = SRNIC_MAX_CQ;
	attr->max_cqe = SRNIC_MAX_CQE;
	attr->cq_caps.max_cq_moderation_count = U16_MAX;
	attr->cq_caps.max_cq_moderation_period = U16_MAX;
	attr->max_mr = SRNIC_MAX_MR;
	attr->max_mw = SRNIC_MAX_MW;
	attr->max_fast_reg_page_list_len = SRNIC_MAX_FAST_REG_PAGES;
	attr->max_pd = SRNIC_MAX_PD;
	attr->max_ah = SRNIC_MAX_AH;
	attr->max_srq = SRNIC_MAX_SRQ;
	attr->max_srq_wr = SRNIC_MAX_SRQ_WR;
	attr->max_srq_sge = SRNIC_MAX_SGE;
	attr->max_qp_rd_atom = SRNIC_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = SRNIC_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = SRNIC_MAX_QP * SRNIC_MAX_RD_ATOMIC;
	attr->max_pkeys = 1;
	attr->max_mcast_grp = SRNIC_MAX_MCAST_GROUPS;
	attr->max_mcast_qp_attach = SRNIC_MAX_MCAST_QP_ATTACH;
	attr->max_total_mcast_qp_attach = SRNIC_MAX_MCAST_TOTAL_ATTACH;
}

/**
 * srnic_query_device() - attributes of the device (ib_device_ops.query_device)
 * @ibdev: device
 * @attr: zeroed by the core
 * @udata: has to be empty
 *
 * Context: Process context. May sleep.
 * Return: 0; -EOPNOTSUPP or -EFAULT: @udata.
 */
int srnic_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		       struct ib_udata *udata)
{
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	attr->fw_ver = (u64)FW_VERSION_MAJOR << 32 | FW_VERSION_MINOR << 16 |
		       FW_VERSION_PATCH;
	attr->sys_image_guid = ibdev->node_guid;
	attr->vendor_id = VENDOR_ID;
	attr->device_cap_flags = DEVICE_CAPS;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_SG_GAPS_REG |
				 IBK_BLOCK_MULTICAST_LOOPBACK;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = PAGE_MASK;
	attr->atomic_cap = IB_ATOMIC_GLOB;
	attr->masked_atomic_cap = IB_ATOMIC_NONE;
	attr->local_ca_ack_delay = LOCAL_CA_ACK_DELAY;
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = CLOCK_KHZ;
	describe_objects(attr);
	return 0;
}

/**
 * srnic_get_dev_fw_str() - version of what other NICs have firmware for
 *			    (ib_device_ops.get_dev_fw_str)
 * @ibdev: device
 * @str: result, IB_FW_VERSION_NAME_MAX bytes
 *
 * Context: Any.
 */
void srnic_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "%d.%d.%d", FW_VERSION_MAJOR,
		 FW_VERSION_MINOR, FW_VERSION_PATCH);
}
