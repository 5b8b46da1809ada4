// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// What `rdma resource` shows, asked of the kernel directly.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace conformance {

/// Number of objects of each kind that exist on @device: "qp", "mr" and so on.
std::map<std::string, uint64_t> resources(const std::string &device);

std::string resources_text(const std::map<std::string, uint64_t> &counts);

} // namespace conformance
