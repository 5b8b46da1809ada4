// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Fixture for the answers to the device's own requests. The program is the responder.
#pragma once

#include "fixture.h"

namespace packets {

class Requester : public PacketTest {
protected:
	static constexpr uint64_t kRemoteVa = 0x7f00deadbeef0000;
	static constexpr uint32_t kRemoteKey = 0xabcd01;

	/// A work request of @bytes: out of the peer's part of the arena, or into the inbox.
	SendSpec work(ibv_wr_opcode opcode, uint32_t bytes);
	void submit(const SendSpec &spec);
	void submit(ibv_wr_opcode opcode, uint32_t bytes) { submit(work(opcode, bytes)); }
	/// The bytes that such a request sends.
	Bytes outbox(uint32_t bytes) { return c().arena().far_bytes(0, bytes); }
	/// RETH or AtomicETH of such a request.
	void remote(Packet &packet, uint32_t bytes);

	/// The device sends @wanted now; whether it asks for an ACK is its own matter.
	void expect_request(Packet wanted);
	/// The device sends something with @psn.
	void expect_psn(uint32_t psn);
	void answer(const Packet &response) { expect_replies({response}, {}); }
	void answer_and_complete(const Packet &response, ibv_wc_status status = IBV_WC_SUCCESS);
	void expect_complete(ibv_wc_status status, uint64_t wr_id);
	void expect_not_complete();
	/// The rest of what was posted is flushed, and the QP is in ERR.
	void expect_flushed(size_t count);

	uint64_t last_wr_id_ = 0;
};

} // namespace packets
