// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "device.h"

#include <net/if.h>

#include <cstdlib>
#include <fstream>

namespace conformance {

namespace {

bool is_ipv4(const ibv_gid &gid)
{
	static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	return memcmp(gid.raw, prefix, sizeof(prefix)) == 0;
}

bool is_link_local(const ibv_gid &gid)
{
	return gid.raw[0] == 0xfe && (gid.raw[1] & 0xc0) == 0x80;
}

} // namespace

Device::Device(const std::string &name) : name_(name)
{
	Context context = open();
	must_be_zero(ibv_query_device(context.get(), &attr_), "ibv_query_device");
	ibv_device_attr_ex extended{};
	if (ibv_query_device_ex(context.get(), nullptr, &extended) == 0)
		cap_flags_ = extended.device_cap_flags_ex;
}

Context Device::open() const
{
	int count = 0;
	ibv_device **list = must(ibv_get_device_list(&count), "ibv_get_device_list");
	ibv_context *context = nullptr;
	errno = ENODEV;
	for (int i = 0; i < count; i++) {
		if (name_ == ibv_get_device_name(list[i]))
			context = ibv_open_device(list[i]);
	}
	int error = errno;
	ibv_free_device_list(list);
	errno = error;
	return Context(must(context, ("opening device " + name_).c_str()));
}

ibv_port_attr Device::port() const
{
	ibv_port_attr port{};
	must_be_zero(ibv_query_port(open().get(), kPort, &port), "ibv_query_port");
	return port;
}

std::vector<ibv_gid_entry> Device::gid_table() const
{
	std::vector<ibv_gid_entry> entries(256);
	ssize_t count = ibv_query_gid_table(open().get(), entries.data(), entries.size(), 0);
	if (count < 0)
		throw VerbsError("ibv_query_gid_table", static_cast<int>(-count));
	entries.resize(static_cast<size_t>(count));
	return entries;
}

std::optional<Gid> Device::gid(Family family) const
{
	std::optional<Gid> found;
	for (const ibv_gid_entry &entry : gid_table()) {
		if (entry.gid_type != IBV_GID_TYPE_ROCE_V2 || entry.port_num != kPort)
			continue;
		if (is_ipv4(entry.gid) != (family == Family::kIpv4))
			continue;
		if (!found || (is_link_local(found->gid) && !is_link_local(entry.gid)))
			found = Gid{entry.gid, static_cast<uint8_t>(entry.gid_index)};
	}
	return found;
}

std::string Device::netdev() const
{
	for (const ibv_gid_entry &entry : gid_table()) {
		char name[IF_NAMESIZE];
		if (entry.ndev_ifindex && if_indextoname(entry.ndev_ifindex, name))
			return name;
	}
	std::ifstream file("/sys/class/infiniband/" + name_ + "/ports/1/gid_attrs/ndevs/0");
	std::string name;
	file >> name;
	return name;
}

namespace {

std::string from_environment(const char *name)
{
	const char *value = getenv(name);
	return value ? value : "";
}

std::string first_device()
{
	int count = 0;
	ibv_device **list = must(ibv_get_device_list(&count), "ibv_get_device_list");
	std::string name = count ? ibv_get_device_name(list[0]) : "";
	ibv_free_device_list(list);
	if (name.empty())
		throw VerbsError("looking for an RDMA device", ENODEV);
	return name;
}

} // namespace

Options &options()
{
	static Options value = [] {
		Options fresh;
		fresh.device = from_environment("SRNIC_DEVICE");
		fresh.peer = from_environment("SRNIC_PEER");
		return fresh;
	}();
	return value;
}

Device &local_device()
{
	static Device device(options().device.empty() ? first_device() : options().device);
	return device;
}

Device &peer_device()
{
	static Device device(options().peer.empty() ? local_device().name() : options().peer);
	return device;
}

} // namespace conformance
