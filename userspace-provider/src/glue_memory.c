// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/**
 * @file
 * The part of the glue that is about memory: protection domains, memory regions and
 * memory windows, of this process and imported ones.
 */
#include "glue.h"

#include <errno.h>
#include <stdlib.h>

struct ibv_pd *srnic_alloc_pd(struct ibv_context *context)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct ibv_alloc_pd cmd = {};
	struct srnic_pd *pd = srnic_pd_new();
	int ret;

	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	ret = ibv_cmd_alloc_pd(context, &pd->verbs, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		srnic_pd_free(pd);
		errno = ret;
		return NULL;
	}
	return &pd->verbs;
}

int srnic_dealloc_pd(struct ibv_pd *pd)
{
	int ret;

	if (srnic_pd_in_use(pd))
		return EBUSY;
	ret = srnic_pd_is_parent(pd) ? 0 : ibv_cmd_dealloc_pd(pd);
	if (!ret)
		srnic_pd_free(container_of(pd, struct srnic_pd, verbs));
	return ret;
}

/* What a registration has come to: the region, or errno from @ret. */
static struct ibv_mr *registered(struct verbs_mr *mr, struct ibv_pd *pd, int ret)
{
	if (ret) {
		free(mr);
		errno = ret;
		return NULL;
	}
	mr->ibv_mr.pd = pd;
	srnic_pd_use(pd);
	return &mr->ibv_mr;
}

struct ibv_mr *srnic_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	struct ib_uverbs_reg_mr_resp resp = {};
	struct ibv_reg_mr cmd = {};
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return NULL;
	ret = ibv_cmd_reg_mr(pd, addr, length, iova, access, mr, &cmd, sizeof(cmd), &resp,
			     sizeof(resp));
	return registered(mr, pd, ret);
}

struct ibv_mr *srnic_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
				   int fd, int access)
{
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return NULL;
	ret = ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access,
				    mr SRNIC_NO_DMABUF_DRIVER);
	return registered(mr, pd, ret);
}

static void free_mr(struct verbs_mr *mr)
{
	srnic_pd_unuse(mr->ibv_mr.pd);
	free(mr);
}

int srnic_dereg_mr(struct verbs_mr *mr)
{
	int ret = ibv_cmd_dereg_mr(mr);

	if (!ret)
		free_mr(mr);
	return ret;
}

int srnic_rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		   int access)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ibv_rereg_mr cmd = {};
	int ret;

	if (flags & IBV_REREG_MR_CHANGE_PD && srnic_is_foreign(pd, mr->ibv_mr.context)) {
		errno = EINVAL;
		return EINVAL;
	}
	ret = ibv_cmd_rereg_mr(mr, flags, addr, length, (uintptr_t)addr, access, pd, &cmd,
			       sizeof(cmd), &resp, sizeof(resp));
	/* libibverbs writes the new domain down when this has returned. */
	if (!ret && flags & IBV_REREG_MR_CHANGE_PD) {
		srnic_pd_use(pd);
		srnic_pd_unuse(mr->ibv_mr.pd);
	}
	return ret;
}

struct ibv_mw *srnic_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ibv_alloc_mw cmd = {};
	struct ibv_mw *mw;
	int ret;

	/* The command has a byte for the type. */
	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2) {
		errno = EINVAL;
		return NULL;
	}
	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;
	ret = ibv_cmd_alloc_mw(pd, type, mw, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(mw);
		errno = ret;
		return NULL;
	}
	srnic_pd_use(pd);
	return mw;
}

int srnic_dealloc_mw(struct ibv_mw *mw)
{
	int ret = ibv_cmd_dealloc_mw(mw);

	if (ret)
		return ret;
	srnic_pd_unuse(mw->pd);
	free(mw);
	return 0;
}

/* Objects of another process that has opened the device: a number names them. */
struct ibv_pd *srnic_import_pd(struct ibv_context *context, uint32_t handle)
{
	struct srnic_pd *pd = srnic_pd_new();

	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	pd->verbs.context = context;
	pd->verbs.handle = handle;
	return &pd->verbs;
}

void srnic_unimport_pd(struct ibv_pd *pd)
{
	srnic_pd_free(container_of(pd, struct srnic_pd, verbs));
}

struct ibv_mr *srnic_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return NULL;
	ret = ibv_cmd_query_mr(pd, mr, handle);
	return registered(mr, pd, ret);
}

void srnic_unimport_mr(struct ibv_mr *mr)
{
	free_mr(verbs_get_mr(mr));
}
