// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <rdma/uverbs_ioctl.h>

struct probe_cmd {
	u32 comp_mask;
	u32 reserved;
};

int probe(struct ib_udata *udata)
{
	struct probe_cmd cmd;

	if (ib_no_udata_io(udata) || ib_is_udata_in_empty(udata) ||
	    ib_copy_validate_udata_in_cm(udata, cmd, reserved, 0))
		return -EINVAL;
	return ib_respond_udata(udata, cmd);
}
