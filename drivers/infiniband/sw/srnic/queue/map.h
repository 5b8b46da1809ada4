/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that a queue shares with the process it belongs to.
 */
#ifndef SRNIC_QUEUE_MAP_H
#define SRNIC_QUEUE_MAP_H

#include <rdma/ib_verbs.h>

/**
 * struct srnic_queue_map - shared memory, owned by a queue
 * @entry: how the process finds it in mmap(); its reference count keeps the
 *	   memory while a mmap() call is under way
 * @memory: the kernel's mapping, zeroed at creation
 * @bytes: length, whole pages
 *
 * Freed by the last reference of @entry; a process may keep its own mapping of
 * the pages for longer, which hurts nobody.
 */
struct srnic_queue_map {
	struct rdma_user_mmap_entry entry;
	void *memory;
	size_t bytes;
};

struct srnic_queue_map *srnic_queue_map_create(struct ib_ucontext *ucontext,
					       size_t bytes);
void srnic_queue_map_destroy(struct srnic_queue_map *map);
u64 srnic_queue_map_offset(const struct srnic_queue_map *map);
int srnic_queue_mmap(struct ib_ucontext *ucontext, struct vm_area_struct *vma);
void srnic_queue_mmap_free(struct rdma_user_mmap_entry *entry);

#endif /* SRNIC_QUEUE_MAP_H */
