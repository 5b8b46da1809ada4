// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "resources.h"

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "verbs.h"

namespace conformance {

namespace {

using Bytes = std::span<const uint8_t>;

/// Calls @visit(type, payload) with each netlink attribute in @bytes.
void for_each_attribute(Bytes bytes, const std::function<void(int, Bytes)> &visit)
{
	while (bytes.size() >= sizeof(nlattr)) {
		nlattr head;
		memcpy(&head, bytes.data(), sizeof(head));
		if (head.nla_len < sizeof(head) || head.nla_len > bytes.size())
			return;
		visit(head.nla_type & NLA_TYPE_MASK,
		      bytes.subspan(NLA_HDRLEN, head.nla_len - NLA_HDRLEN));
		bytes = bytes.subspan(std::min<size_t>(NLA_ALIGN(head.nla_len), bytes.size()));
	}
}

std::string text_of(Bytes bytes)
{
	auto *start = reinterpret_cast<const char *>(bytes.data());
	return {start, strnlen(start, bytes.size())};
}

/// One device's summary; false if it is of another device.
bool read_summary(Bytes message, const std::string &device, std::map<std::string, uint64_t> &counts)
{
	bool right = false;
	std::map<std::string, uint64_t> found;
	for_each_attribute(message, [&](int type, Bytes payload) {
		if (type == RDMA_NLDEV_ATTR_DEV_NAME)
			right = text_of(payload) == device;
		if (type != RDMA_NLDEV_ATTR_RES_SUMMARY)
			return;
		for_each_attribute(payload, [&](int, Bytes entry) {
			std::string name;
			uint64_t count = 0;
			for_each_attribute(entry, [&](int kind, Bytes value) {
				if (kind == RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME)
					name = text_of(value);
				if (kind == RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR)
					memcpy(&count, value.data(), sizeof(count));
			});
			found[name] = count;
		});
	});
	if (right)
		counts = found;
	return right;
}

} // namespace

std::map<std::string, uint64_t> resources(const std::string &device)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	nlmsghdr request{};
	request.nlmsg_len = sizeof(request);
	request.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_GET);
	request.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	if (fd < 0 || send(fd, &request, sizeof(request), 0) < 0)
		throw VerbsError("asking netlink", errno);

	std::map<std::string, uint64_t> counts;
	std::vector<uint8_t> buffer(65536);
	for (bool done = false; !done;) {
		ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
		if (got <= 0)
			throw VerbsError("netlink", errno);
		Bytes rest(buffer.data(), static_cast<size_t>(got));
		while (rest.size() >= sizeof(nlmsghdr) && !done) {
			nlmsghdr head;
			memcpy(&head, rest.data(), sizeof(head));
			done = head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR;
			if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > rest.size())
				break;
			if (!done)
				read_summary(
					rest.subspan(NLMSG_HDRLEN, head.nlmsg_len - NLMSG_HDRLEN),
					device, counts);
			rest = rest.subspan(
				std::min<size_t>(NLMSG_ALIGN(head.nlmsg_len), rest.size()));
		}
	}
	close(fd);
	return counts;
}

std::string resources_text(const std::map<std::string, uint64_t> &counts)
{
	std::string text;
	for (const auto &[name, count] : counts)
		text += name + " " + std::to_string(count) + " ";
	return text;
}

} // namespace conformance
