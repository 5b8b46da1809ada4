// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "dma_buffer.h"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace conformance {
namespace {

constexpr uint32_t kPage = 4096;

class File {
public:
	explicit File(const std::string &path) : fd_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {}
	explicit File(int fd) : fd_(fd) {}
	~File()
	{
		if (fd_ >= 0)
			close(fd_);
	}
	File(const File &) = delete;
	File &operator=(const File &) = delete;
	int fd() const { return fd_; }

private:
	int fd_;
};

// Of <drm/drm.h> and <drm/drm_mode.h>, which are not installed everywhere.
struct DrmVersion {
	int major, minor, patch;
	size_t name_length;
	char *name;
	size_t date_length;
	char *date;
	size_t description_length;
	char *description;
};
struct DrmCreateDumb {
	uint32_t height, width, bits, flags, handle, pitch;
	uint64_t size;
};
struct DrmPrimeHandle {
	uint32_t handle, flags;
	int fd;
};
constexpr unsigned long kDrmVersion = _IOWR('d', 0x00, DrmVersion);
constexpr unsigned long kDrmCreateDumb = _IOWR('d', 0xb2, DrmCreateDumb);
constexpr unsigned long kDrmPrimeHandleToFd = _IOWR('d', 0x2d, DrmPrimeHandle);

bool is_vgem(const File &card)
{
	char name[16] = {};
	DrmVersion version{};
	version.name = name;
	version.name_length = sizeof(name) - 1;
	return !ioctl(card.fd(), kDrmVersion, &version) && std::string(name) == "vgem";
}

/// vgem: a graphics driver without graphics.
int from_vgem(uint64_t length)
{
	for (int i = 0; i < 8; i++) {
		File card("/dev/dri/card" + std::to_string(i));
		if (card.fd() < 0 || !is_vgem(card))
			continue;
		DrmCreateDumb dumb{};
		dumb.width = kPage;
		dumb.height = static_cast<uint32_t>(length / kPage);
		dumb.bits = 8;
		if (ioctl(card.fd(), kDrmCreateDumb, &dumb))
			return -1;
		DrmPrimeHandle prime{dumb.handle, O_RDWR | O_CLOEXEC, -1};
		return ioctl(card.fd(), kDrmPrimeHandleToFd, &prime) ? -1 : prime.fd;
	}
	return -1;
}

/// udmabuf: pages of a memfd. That of Linux 6.1 cannot be mapped into the kernel.
int from_udmabuf(uint64_t length)
{
	File driver("/dev/udmabuf");
	if (driver.fd() < 0)
		return -1;
	File memory(memfd_create("conformance", MFD_ALLOW_SEALING));
	if (ftruncate(memory.fd(), static_cast<off_t>(length)) ||
	    fcntl(memory.fd(), F_ADD_SEALS, F_SEAL_SHRINK))
		return -1;
	udmabuf_create create{static_cast<uint32_t>(memory.fd()), UDMABUF_FLAGS_CLOEXEC, 0, length};
	return ioctl(driver.fd(), UDMABUF_CREATE, &create);
}

/// kunit/dmabuf_exporter.c: what is wanted is written, a descriptor read.
int from_exporter(DmaBuffer::Kind kind, uint64_t length)
{
	const uint64_t request[] = {length, static_cast<uint64_t>(kind)};

	File driver("/dev/srnic_dmabuf_exporter");
	int fd = -1;
	if (driver.fd() < 0 || write(driver.fd(), request, sizeof(request)) != sizeof(request) ||
	    read(driver.fd(), &fd, sizeof(fd)) != sizeof(fd))
		return -1;
	return fd;
}

} // namespace

std::unique_ptr<DmaBuffer> DmaBuffer::make(uint64_t length)
{
	if (auto buffer = make(Kind::kMemory, length))
		return buffer;
	for (auto exporter : {from_vgem, from_udmabuf})
		if (int fd = exporter(length); fd >= 0)
			return std::make_unique<DmaBuffer>(fd, length);
	return nullptr;
}

std::unique_ptr<DmaBuffer> DmaBuffer::make(Kind kind, uint64_t length)
{
	int fd = from_exporter(kind, length);
	return fd < 0 ? nullptr : std::make_unique<DmaBuffer>(fd, length);
}

DmaBuffer::DmaBuffer(int fd, uint64_t length) : fd_(fd), length_(length)
{
	void *map = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		throw VerbsError("mmap of a DMA buffer", errno);
	data_ = static_cast<uint8_t *>(map);
}

DmaBuffer::~DmaBuffer()
{
	munmap(data_, length_);
	close_file();
}

void DmaBuffer::close_file()
{
	if (fd_ >= 0)
		close(fd_);
	fd_ = -1;
}

} // namespace conformance
