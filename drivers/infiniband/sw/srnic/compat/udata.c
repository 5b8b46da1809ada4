// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The driver's part of a system call: requests and responses may be shorter or
 * longer than what either side knows, and what is missing is zero.
 */
#include <rdma/ib_verbs.h>

#ifndef HAVE_IB_RESPOND_UDATA
/**
 * srnic_compat_udata_in() - take a request
 * @udata: the driver's part of the system call
 * @req: where it goes to, all of it written
 * @kernel_size: size of @req
 * @minimum_size: what the request had in its first version
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: too short; -EOPNOTSUPP: something that is not zero behind
 * what is known; -EFAULT.
 */
int srnic_compat_udata_in(struct ib_udata *udata, void *req,
			  size_t kernel_size, size_t minimum_size)
{
	int err;

	if (udata->inlen < minimum_size)
		return -EINVAL;
	err = copy_struct_from_user(req, kernel_size, udata->inbuf,
				    udata->inlen);
	return err == -E2BIG ? -EOPNOTSUPP : err;
}

/**
 * srnic_compat_udata_out() - give a response
 * @udata: the driver's part of the system call
 * @resp: response, cut off if the process does not want all of it
 * @len: size of @resp
 *
 * Context: Process context. May sleep.
 * Return: 0 or -EFAULT.
 */
int srnic_compat_udata_out(struct ib_udata *udata, const void *resp,
			   size_t len)
{
	size_t copied = min(len, udata->outlen);

	if (copied && copy_to_user(udata->outbuf, resp, copied))
		return -EFAULT;
	if (clear_user(udata->outbuf + copied, udata->outlen - copied))
		return -EFAULT;
	return 0;
}
#endif
