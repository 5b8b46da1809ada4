// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Endpoints in the peer process, reached through a TCP side channel.
#pragma once

#include <memory>

#include "endpoint.h"

namespace conformance {

/// Connects to the peer process; throws if it cannot be reached.
void connect_peer(const std::string &host, uint16_t port);
/// Tells the peer process that this one is done.
void dismiss_peer();
/// Serves one test program after the other until one of them is done.
int serve(uint16_t port);

std::unique_ptr<Endpoint> make_remote_endpoint(const QpSpec &spec);
bool remote_has(Family family);

} // namespace conformance
