// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/**
 * @file
 * Thread domains and parent domains. The kernel knows neither: to it, a parent
 * domain is the protection domain that it contains.
 */
#include <atomic>
#include <cerrno>

#include "core.h"
#include "memory.hpp"

namespace srnic {
namespace {

/** libibverbs knows this by its first member. */
struct ThreadDomain {
	ibv_td verbs;
	std::uint32_t users; /**< parent domains */
};

srnic_pd *to_pd(ibv_pd *pd)
{
	return reinterpret_cast<srnic_pd *>(pd);
}

ThreadDomain *to_td(ibv_td *td)
{
	return reinterpret_cast<ThreadDomain *>(td);
}

template <class Domain> void use(Domain *domain)
{
	std::atomic_ref(domain->users).fetch_add(1, std::memory_order_relaxed);
}

template <class Domain> void unuse(Domain *domain)
{
	std::atomic_ref(domain->users).fetch_sub(1, std::memory_order_release);
}

template <class Domain> bool in_use(Domain *domain)
{
	return std::atomic_ref(domain->users).load(std::memory_order_acquire) != 0;
}

} // namespace
} // namespace srnic

ibv_td *srnic_alloc_td(ibv_context *context, ibv_td_init_attr *attr)
{
	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return nullptr;
	}

	auto *td = srnic::create<srnic::ThreadDomain>();

	if (!td) {
		errno = ENOMEM;
		return nullptr;
	}
	td->verbs.context = context;
	return &td->verbs;
}

int srnic_dealloc_td(ibv_td *td)
{
	if (srnic::in_use(srnic::to_td(td)))
		return EBUSY;
	srnic::destroy(srnic::to_td(td));
	return 0;
}

ibv_pd *srnic_alloc_parent_domain(ibv_context *context, ibv_parent_domain_init_attr *attr)
{
	// Queues are memory of the kernel, so there is nothing that an allocator of the
	// program could be asked for; and a context without allocators is for nobody.
	if (!attr->pd || attr->pd->context != context || srnic_pd_is_parent(attr->pd) ||
	    (attr->td && attr->td->context != context)) {
		errno = EINVAL;
		return nullptr;
	}
	if (attr->comp_mask & ~std::uint32_t{IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT}) {
		errno = EOPNOTSUPP;
		return nullptr;
	}

	auto *parent = srnic::create<srnic_pd>();

	if (!parent) {
		errno = ENOMEM;
		return nullptr;
	}
	parent->verbs.context = context;
	parent->verbs.handle = attr->pd->handle;
	parent->protection_domain = attr->pd;
	parent->td = attr->td;
	srnic::use(srnic::to_pd(attr->pd));
	if (attr->td)
		srnic::use(srnic::to_td(attr->td));
	return &parent->verbs;
}

srnic_pd *srnic_pd_new()
{
	return srnic::create<srnic_pd>();
}

void srnic_pd_free(srnic_pd *pd)
{
	if (pd->protection_domain)
		srnic::unuse(srnic::to_pd(pd->protection_domain));
	if (pd->td)
		srnic::unuse(srnic::to_td(pd->td));
	srnic::destroy(pd);
}

bool srnic_pd_is_parent(ibv_pd *pd)
{
	return srnic::to_pd(pd)->protection_domain != nullptr;
}

bool srnic_pd_is_single_threaded(ibv_pd *pd)
{
	return pd && srnic::to_pd(pd)->td;
}

bool srnic_pd_in_use(ibv_pd *pd)
{
	return srnic::in_use(srnic::to_pd(pd));
}

void srnic_pd_use(ibv_pd *pd)
{
	srnic::use(srnic::to_pd(pd));
}

void srnic_pd_unuse(ibv_pd *pd)
{
	srnic::unuse(srnic::to_pd(pd));
}
