// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "mapping.hpp"

#include <cerrno>

#include <sys/mman.h>

namespace srnic {

int Mapping::map(int fd, std::uint64_t offset, std::uint64_t bytes)
{
	void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     static_cast<off_t>(offset));

	if (address == MAP_FAILED)
		return errno;
	// Refused for some kinds of mapping, which the kernel then does not copy anyway.
	(void)madvise(address, bytes, MADV_DONTFORK);
	unmap();
	data_ = static_cast<std::byte *>(address);
	bytes_ = bytes;
	return 0;
}

void Mapping::unmap()
{
	if (data_)
		munmap(data_, bytes_);
	data_ = nullptr;
	bytes_ = 0;
}

} // namespace srnic
