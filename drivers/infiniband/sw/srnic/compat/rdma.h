/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The RDMA core's API.
 */
#ifndef SRNIC_COMPAT_RDMA_H
#define SRNIC_COMPAT_RDMA_H

#include <linux/netdevice.h>
#include <linux/uaccess.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

/* Nobody knew of atomic writes. These numbers of theirs were free. */
#ifndef HAVE_IB_ATOMIC_WRITE
#define IB_DEVICE_ATOMIC_WRITE		BIT_ULL(40)
#define IB_WR_ATOMIC_WRITE		15
#define IB_UVERBS_WC_ATOMIC_WRITE	9
#endif

/* Devices were made in the first namespace, and moved if need be. */
#ifndef HAVE_IB_ALLOC_DEVICE_WITH_NET
static inline void *srnic_compat_device_in_net(void *dev, struct net *net)
{
	/* It comes first, as ib_alloc_device() makes sure. */
	struct ib_device *ibdev = dev;

	if (ibdev)
		write_pnet(&ibdev->coredev.rdma_net, net);
	return dev;
}

#define ib_alloc_device_with_net(drv_struct, member, net) \
	srnic_compat_device_in_net(ib_alloc_device(drv_struct, member), net)
#endif

#ifndef HAVE_IB_UMEM_GET_VA
#define ib_umem_get_va ib_umem_get
#endif

/* The core did not watch the netdev for the driver: port_event.c does. */
#ifndef HAVE_IB_PORT_STATE_EVENT
static inline enum ib_port_state ib_get_curr_port_state(struct net_device *netdev)
{
	return netif_running(netdev) && netif_carrier_ok(netdev) ?
		IB_PORT_ACTIVE : IB_PORT_DOWN;
}

void ib_dispatch_port_state_event(struct ib_device *ibdev,
				  struct net_device *netdev);
#endif

/* Each driver copied its part of a system call as it liked: udata.c. */
#ifndef HAVE_IB_RESPOND_UDATA
int srnic_compat_udata_in(struct ib_udata *udata, void *req,
			  size_t kernel_size, size_t minimum_size);
int srnic_compat_udata_out(struct ib_udata *udata, const void *resp,
			   size_t len);

#define ib_copy_validate_udata_in(udata, req, end_member)	\
	srnic_compat_udata_in(udata, &(req), sizeof(req),	\
			      offsetofend(typeof(req), end_member))

#define ib_copy_validate_udata_in_cm(udata, req, end_member, valid_mask)	\
({										\
	typeof(req) *udata_req = &(req);					\
	int udata_err = ib_copy_validate_udata_in(udata, *udata_req,		\
						  end_member);			\
										\
	if (!udata_err && udata_req->comp_mask & ~(valid_mask))			\
		udata_err = -EOPNOTSUPP;					\
	udata_err;								\
})

#define ib_respond_udata(udata, resp) \
	srnic_compat_udata_out(udata, &(resp), sizeof(resp))

static inline int ib_is_udata_in_empty(struct ib_udata *udata)
{
	if (!udata || !udata->inlen)
		return 0;
	return srnic_compat_udata_in(udata, NULL, 0, 0);
}

static inline int ib_no_udata_io(struct ib_udata *udata)
{
	int err = ib_is_udata_in_empty(udata);

	if (err || !udata || !udata->outlen)
		return err;
	return srnic_compat_udata_out(udata, NULL, 0);
}
#endif /* HAVE_IB_RESPOND_UDATA */

#endif /* SRNIC_COMPAT_RDMA_H */
