// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "uverbs_file.h"

#include <fcntl.h>

namespace conformance {

UverbsFile::UverbsFile(const ibv_context &context)
{
	std::string path = std::string("/dev/infiniband/") + context.device->dev_name;
	fd_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
	if (fd_ < 0)
		throw VerbsError(path, errno);
}

int UverbsFile::get_context(const std::vector<uint8_t> &udata, size_t response_bytes)
{
	static uint64_t response[64];
	Command command(IB_USER_VERBS_CMD_GET_CONTEXT);
	command.put(reinterpret_cast<uint64_t>(response));
	command.put(udata);
	return command.send(fd_, sizeof(ib_uverbs_get_context_resp) + response_bytes);
}

} // namespace conformance
