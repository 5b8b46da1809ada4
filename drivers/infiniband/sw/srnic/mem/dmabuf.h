/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * DMA buffers as memory of a region.
 */
#ifndef SRNIC_MEM_DMABUF_H
#define SRNIC_MEM_DMABUF_H

#include <linux/iosys-map.h>
#include <linux/types.h>

struct dma_buf;
struct srnic_extents;

/**
 * struct srnic_dmabuf - a DMA buffer that is held and mapped
 * @buf: the buffer, or NULL if there is none
 * @map: where all of it is in the kernel's address space
 */
struct srnic_dmabuf {
	struct dma_buf *buf;
	struct iosys_map map;
};

int __must_check srnic_dmabuf_map(struct srnic_dmabuf *dmabuf, int fd, u64 offset,
				  u64 length, struct srnic_extents *extents);
void srnic_dmabuf_unmap(struct srnic_dmabuf *dmabuf);

#endif /* SRNIC_MEM_DMABUF_H */
