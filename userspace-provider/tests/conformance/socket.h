// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The side channel: messages over TCP, each with its length in front.
#pragma once

#include <string>
#include <vector>

#include "archive.h"

namespace conformance {

enum class Command : uint32_t {
	kHasFamily,
	kBye,
	kCreate,
	kDestroy,
	kAddress,
	kConnect,
	kMove,
	kReady,
	kState,
	kReg,
	kRegPart,
	kDereg,
	kFill,
	kMismatch,
	kPeek,
	kPoke,
	kPostRecv,
	kPostSend,
	kPoll,
	kEvent,
	kAttach,
	kDetach,
	kAllocWindow,
	kDeallocWindow,
	kBindWindow,
};

class Socket {
public:
	Socket() = default;
	explicit Socket(int fd) : fd_(fd) {}
	Socket(Socket &&other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
	Socket &operator=(Socket &&other) noexcept;
	~Socket();

	static Socket connect(const std::string &host, uint16_t port);
	static Socket listen(uint16_t port);
	Socket accept();

	void send(const std::vector<uint8_t> &message);
	/// Throws std::runtime_error when the other side is gone.
	std::vector<uint8_t> receive();

private:
	int fd_ = -1;
};

} // namespace conformance
