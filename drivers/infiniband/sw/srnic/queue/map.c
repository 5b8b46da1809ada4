// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that a queue shares with the process it belongs to.
 *
 * Life of a map: the queue owns one reference of the entry from creation to
 * srnic_queue_map_destroy(), each mmap() under way owns another. Whichever goes
 * last frees the map, so mmap() and destruction need no lock between them: an
 * mmap() that came first finishes on memory that is still there, one that came
 * later finds nothing. A mapping that exists holds the pages themselves, not
 * the map.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "map.h"

static struct srnic_queue_map *to_map(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct srnic_queue_map, entry);
}

static void map_free(struct srnic_queue_map *map)
{
	vfree(map->memory);
	kfree(map);
}

/**
 * srnic_queue_map_create() - allocate zeroed memory and offer it to mmap()
 * @ucontext: process that shares it, or NULL: the kernel alone uses it
 * @bytes: length, rounded up to whole pages
 *
 * The memory is charged to the caller's memory cgroup. The process can map it
 * from now on, before it is told where: what it needs to find there must be
 * written later, or be harmless to miss.
 *
 * Context: Process context. May sleep.
 * Return: the map, or ERR_PTR: -EINVAL: no sensible length; -ENOMEM.
 */
struct srnic_queue_map *srnic_queue_map_create(struct ib_ucontext *ucontext,
					       size_t bytes)
{
	struct srnic_queue_map *map;
	int err;

	if (!bytes || bytes > INT_MAX)
		return ERR_PTR(-EINVAL);

	map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	if (!map)
		return ERR_PTR(-ENOMEM);
	map->bytes = PAGE_ALIGN(bytes);

	/* Not vmalloc_user(), which does not charge. */
	map->memory = __vmalloc(map->bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!map->memory) {
		err = -ENOMEM;
		goto err_free_map;
	}

	if (ucontext) {
		err = rdma_user_mmap_entry_insert(ucontext, &map->entry,
						  map->bytes);
		if (err)
			goto err_free_memory;
	}
	return map;

err_free_memory:
	vfree(map->memory);
err_free_map:
	kfree(map);
	return ERR_PTR(err);
}

/**
 * srnic_queue_map_destroy() - give up a queue's memory
 * @map: from srnic_queue_map_create(); no kernel context uses its memory any
 *	 more
 *
 * Context: Process context. May sleep.
 */
void srnic_queue_map_destroy(struct srnic_queue_map *map)
{
	if (map->entry.ucontext)
		rdma_user_mmap_entry_remove(&map->entry);
	else
		map_free(map);
}

/**
 * srnic_queue_map_offset() - where a process finds the memory
 * @map: from srnic_queue_map_create() with a context
 *
 * Context: Any.
 * Return: the offset to be passed to mmap(), or 0 if no process has it.
 */
u64 srnic_queue_map_offset(const struct srnic_queue_map *map)
{
	return rdma_user_mmap_get_offset(&map->entry);
}

/*
 * Page by page with a reference each, as remap_vmalloc_range() does, which
 * wants memory of vmalloc_user().
 */
static int insert_pages(struct vm_area_struct *vma,
			const struct srnic_queue_map *map)
{
	size_t done;
	int err;

	for (done = 0; done < map->bytes; done += PAGE_SIZE) {
		err = vm_insert_page(vma, vma->vm_start + done,
				     vmalloc_to_page(map->memory + done));
		if (err)
			return err;
	}
	return 0;
}

/**
 * srnic_queue_mmap() - map a queue into a process (ib_device_ops.mmap)
 * @ucontext: context of the process
 * @vma: what mmap() was called for; the caller unmaps it upon failure
 *
 * Context: Process context, mmap lock held for writing. May sleep.
 * Return: 0; -EINVAL: not shared, or offset and length are not those of one
 * map; -EPERM: executable, which mprotect() cannot make it later, either; -ENOMEM or
 * another failure of the memory manager.
 */
int srnic_queue_mmap(struct ib_ucontext *ucontext, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int err;

	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYEXEC);

	/* Refuses what is not shared or not of the entry's length. */
	entry = rdma_user_mmap_entry_get(ucontext, vma);
	if (!entry)
		return -EINVAL;

	err = insert_pages(vma, to_map(entry));
	rdma_user_mmap_entry_put(entry);
	return err;
}

/**
 * srnic_queue_mmap_free() - last reference of an entry is gone
 *			     (ib_device_ops.mmap_free)
 * @entry: of a &struct srnic_queue_map
 *
 * Context: Process context. May sleep.
 */
void srnic_queue_mmap_free(struct rdma_user_mmap_entry *entry)
{
	map_free(to_map(entry));
}
