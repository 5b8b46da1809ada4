// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DMA buffers as memory of a region.
 *
 * An importer with hardware attaches its device and gets device addresses. There is
 * no such device here: the CPU copies. So the buffer is used as the CPU's own: it is
 * mapped into the kernel, which keeps it where it is, and what the CPU does with it
 * is announced to its exporter, for as long as the region lives. Packets come in
 * softirq, where an exporter cannot be asked each time.
 */
#include "dmabuf.h"

#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/overflow.h>

#include "extent.h"

MODULE_IMPORT_NS("DMA_BUF");

static bool inside(const struct dma_buf *buf, u64 offset, u64 length)
{
	u64 end;

	return length && !check_add_overflow(offset, length, &end) &&
	       end <= buf->size;
}

static int map(struct dma_buf *buf, struct iosys_map *map)
{
	int err;

	if (!buf->ops->vmap)
		return -EOPNOTSUPP;
	err = dma_buf_vmap_unlocked(buf, map);
	if (err)
		return err;
	/* Atomics and memcpy() are of no use on a device's own memory. */
	if (map->is_iomem) {
		err = -EOPNOTSUPP;
		goto err_unmap;
	}
	/* Waits for what devices still do with the buffer. */
	err = dma_buf_begin_cpu_access(buf, DMA_BIDIRECTIONAL);
	if (err)
		goto err_unmap;
	return 0;

err_unmap:
	dma_buf_vunmap_unlocked(buf, map);
	return err;
}

/**
 * srnic_dmabuf_map() - hold a DMA buffer, and map it into the kernel
 * @dmabuf: what is held, for srnic_dmabuf_unmap()
 * @fd: its file descriptor in the calling process
 * @offset: first byte that is wanted
 * @length: bytes that are wanted
 * @extents: where these are
 *
 * Context: Process context, may sleep.
 * Return: 0; -EBADF: no file; -EINVAL: no DMA buffer, nothing wanted, or more than
 * there is; -EOPNOTSUPP: the CPU cannot address it, or not as memory; -EINTR or
 * -ERESTARTSYS: a signal came while a device was busy with it; or what its exporter
 * says.
 */
int srnic_dmabuf_map(struct srnic_dmabuf *dmabuf, int fd, u64 offset, u64 length,
		     struct srnic_extents *extents)
{
	struct dma_buf *buf = dma_buf_get(fd);
	int err;

	if (IS_ERR(buf))
		return PTR_ERR(buf);
	err = inside(buf, offset, length) ? map(buf, &dmabuf->map) : -EINVAL;
	if (err) {
		dma_buf_put(buf);
		return err;
	}
	dmabuf->buf = buf;
	srnic_extents_init_flat(extents, dmabuf->map.vaddr + offset);
	return 0;
}

/**
 * srnic_dmabuf_unmap() - let go of a DMA buffer
 * @dmabuf: from srnic_dmabuf_map(), or zeroed. Nobody uses its extents any more.
 *
 * Context: Process context, may sleep.
 */
void srnic_dmabuf_unmap(struct srnic_dmabuf *dmabuf)
{
	if (!dmabuf->buf)
		return;
	dma_buf_end_cpu_access(dmabuf->buf, DMA_BIDIRECTIONAL);
	dma_buf_vunmap_unlocked(dmabuf->buf, &dmabuf->map);
	dma_buf_put(dmabuf->buf);
	dmabuf->buf = NULL;
}
