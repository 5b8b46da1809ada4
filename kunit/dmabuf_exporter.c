// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A driver that exports DMA buffers, where the kernel has none: for the conformance
 * program. To /dev/srnic_dmabuf_exporter a &struct request is written, and the
 * buffer's file descriptor is read.
 *
 * It complains if an importer does not give back what it took.
 */
#include <linux/dma-buf.h>
#include <linux/fs.h>
#include <linux/iosys-map.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#define MAX_LENGTH	(64UL << 20)

enum kind {
	KIND_MEMORY,	/* for the CPU */
	KIND_NO_MAP,	/* not for the CPU */
	KIND_IO,	/* a device's own memory, or so it says */
};

/**
 * struct request - what is written to the device
 * @length: of the buffer, a multiple of a page
 * @kind: enum kind
 */
struct request {
	u64 length;
	u64 kind;
};

/**
 * struct buffer - what is exported
 * @pages: its memory
 * @kind: of which kind
 * @maps: times that it is mapped into the kernel
 * @accesses: times that the CPU is allowed to use it
 */
struct buffer {
	void *pages;
	enum kind kind;
	atomic_t maps;
	atomic_t accesses;
};

static struct sg_table *map_for_device(struct dma_buf_attachment *attachment,
				       enum dma_data_direction direction)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void unmap_for_device(struct dma_buf_attachment *attachment,
			     struct sg_table *table,
			     enum dma_data_direction direction)
{
}

static int map_for_cpu(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct buffer *buffer = dmabuf->priv;

	if (buffer->kind == KIND_IO)
		iosys_map_set_vaddr_iomem(map, (void __iomem *)buffer->pages);
	else
		iosys_map_set_vaddr(map, buffer->pages);
	atomic_inc(&buffer->maps);
	return 0;
}

static void unmap_for_cpu(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct buffer *buffer = dmabuf->priv;

	atomic_dec(&buffer->maps);
}

static int begin_access(struct dma_buf *dmabuf, enum dma_data_direction direction)
{
	struct buffer *buffer = dmabuf->priv;

	atomic_inc(&buffer->accesses);
	return 0;
}

static int end_access(struct dma_buf *dmabuf, enum dma_data_direction direction)
{
	struct buffer *buffer = dmabuf->priv;

	atomic_dec(&buffer->accesses);
	return 0;
}

static int map_for_process(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct buffer *buffer = dmabuf->priv;

	return remap_vmalloc_range(vma, buffer->pages, vma->vm_pgoff);
}

static void release(struct dma_buf *dmabuf)
{
	struct buffer *buffer = dmabuf->priv;

	WARN_ON(atomic_read(&buffer->maps));
	WARN_ON(atomic_read(&buffer->accesses));
	vfree(buffer->pages);
	kfree(buffer);
}

static const struct dma_buf_ops mappable_ops = {
	.begin_cpu_access = begin_access,
	.end_cpu_access = end_access,
	.map_dma_buf = map_for_device,
	.mmap = map_for_process,
	.release = release,
	.unmap_dma_buf = unmap_for_device,
	.vmap = map_for_cpu,
	.vunmap = unmap_for_cpu,
};

static const struct dma_buf_ops unmappable_ops = {
	.map_dma_buf = map_for_device,
	.mmap = map_for_process,
	.release = release,
	.unmap_dma_buf = unmap_for_device,
};

static struct dma_buf *export(const struct request *request)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct buffer *buffer;
	struct dma_buf *dmabuf;

	buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	buffer->kind = request->kind;
	buffer->pages = vmalloc_user(request->length);
	if (!buffer->pages) {
		kfree(buffer);
		return ERR_PTR(-ENOMEM);
	}
	info.ops = request->kind == KIND_NO_MAP ? &unmappable_ops : &mappable_ops;
	info.size = request->length;
	info.flags = O_RDWR | O_CLOEXEC;
	info.priv = buffer;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		vfree(buffer->pages);
		kfree(buffer);
	}
	return dmabuf;
}

static ssize_t exporter_write(struct file *file, const char __user *from, size_t bytes,
			      loff_t *offset)
{
	struct request request;
	struct dma_buf *dmabuf;

	if (bytes != sizeof(request) || copy_from_user(&request, from, bytes))
		return -EINVAL;
	if (!request.length || request.length > MAX_LENGTH ||
	    !PAGE_ALIGNED(request.length) || request.kind > KIND_IO)
		return -EINVAL;
	dmabuf = export(&request);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	dmabuf = xchg(&file->private_data, dmabuf);
	if (dmabuf)
		dma_buf_put(dmabuf);
	return bytes;
}

static ssize_t exporter_read(struct file *file, char __user *to, size_t bytes,
			     loff_t *offset)
{
	struct dma_buf *dmabuf;
	int fd;

	if (bytes != sizeof(fd))
		return -EINVAL;
	dmabuf = xchg(&file->private_data, NULL);
	if (!dmabuf)
		return -ENODATA;
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0) {
		dma_buf_put(dmabuf);
		return fd;
	}
	return put_user(fd, (int __user *)to) ?: bytes;
}

static int exporter_open(struct inode *inode, struct file *file)
{
	file->private_data = NULL;
	return 0;
}

static int exporter_release(struct inode *inode, struct file *file)
{
	if (file->private_data)
		dma_buf_put(file->private_data);
	return 0;
}

static const struct file_operations exporter_fops = {
	.owner = THIS_MODULE,
	.open = exporter_open,
	.read = exporter_read,
	.release = exporter_release,
	.write = exporter_write,
};

static struct miscdevice exporter = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "srnic_dmabuf_exporter",
	.fops = &exporter_fops,
	.mode = 0600,
};
module_misc_device(exporter);

MODULE_DESCRIPTION("Exporter of DMA buffers, for tests of srnic");
MODULE_IMPORT_NS("DMA_BUF");
MODULE_LICENSE("Dual BSD/GPL");
