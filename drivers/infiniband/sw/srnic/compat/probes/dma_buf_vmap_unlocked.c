// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/dma-buf.h>

int (*probe)(struct dma_buf *, struct iosys_map *) = dma_buf_vmap_unlocked;
