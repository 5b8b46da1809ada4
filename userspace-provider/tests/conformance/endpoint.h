// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// One end of a connection: a QP with its CQs and memory. It lives in this
// process or in the peer process of another guest; tests see no difference.
#pragma once

#include <memory>
#include <vector>

#include "device.h"
#include "verbs.h"

namespace conformance {

/// What to create. Every endpoint has a device context of its own.
///
/// With IBV_QPT_XRC_SEND it has an initiator and a target QP, and an SRQ of XRC.
struct QpSpec {
	ibv_qp_type type = IBV_QPT_RC;
	uint32_t send_wr = 64;
	uint32_t recv_wr = 64;
	uint32_t send_sge = 4;
	uint32_t recv_sge = 4;
	uint32_t inline_bytes = 0;
	uint32_t send_cqe = 256;
	uint32_t recv_cqe = 256;
	bool signal_all = false;
	bool channel = false;
	bool extended = false; // created by ibv_create_qp_ex, for ibv_wr_*
	Family family = Family::kIpv4;
	uint32_t srq_wr = 0; // if not 0 receives are posted to an SRQ of this size

	bool xrc() const { return type == IBV_QPT_XRC_SEND; }
	bool reliable() const { return type == IBV_QPT_RC || xrc(); }
	bool has_srq() const { return srq_wr || xrc(); }
};

/// How to connect. Both ends use the same, but for the PSNs.
struct PathSpec {
	ibv_mtu mtu = IBV_MTU_1024;
	uint32_t sq_psn = 0x123456;
	uint32_t rq_psn = 0x123456;
	uint8_t timeout = quick() ? 18 : 14;
	uint8_t retry_cnt = 7;
	uint8_t rnr_retry = 7;
	uint8_t min_rnr_timer = 12;
	uint8_t max_rd_atomic = 8;
	uint8_t max_dest_rd_atomic = 8;
	uint32_t qkey = 0x11111111;
	int access = kAllAccess;
	bool stop_at_rtr = false;
};

struct Address {
	uint32_t qpn = 0;
	ibv_gid gid{};
	uint32_t target_qpn = 0; // XRC
	uint32_t srqn = 0;
};

/// Registered memory of an endpoint.
struct Region {
	uint32_t id = 0;
	uint32_t lkey = 0;
	uint32_t rkey = 0;
	uint64_t address = 0;
	uint64_t length = 0;

	ibv_sge sge(uint64_t offset, uint32_t bytes) const
	{
		return {address + offset, bytes, lkey};
	}
	ibv_sge sge() const { return sge(0, static_cast<uint32_t>(length)); }
};

struct SendSpec {
	uint64_t wr_id = 1;
	ibv_wr_opcode opcode = IBV_WR_SEND;
	unsigned flags = IBV_SEND_SIGNALED;
	std::vector<ibv_sge> sges{};
	uint64_t remote_address = 0;
	uint32_t rkey = 0;
	uint32_t immediate = 0; // host order
	uint64_t compare_add = 0;
	uint64_t swap = 0;
	Address to{}; // UD, XRC
	uint32_t qkey = 0x11111111;
	uint32_t invalidate = 0; // the key to invalidate
};

/// A memory window of an endpoint.
struct Window {
	uint32_t id = 0;
	uint32_t rkey = 0; // the present one, or the one it gets next
};

/// What a window is bound to.
struct BindSpec {
	uint64_t wr_id = 1;
	unsigned flags = IBV_SEND_SIGNALED;
	Window window{};
	Region region{};
	uint64_t address = 0;
	uint64_t length = 0;
	unsigned access = 0;
	bool no_region = false;
};

/// errno of the bind, and the key that peers are to use if it is 0.
struct Bound {
	int error = 0;
	uint32_t rkey = 0;
};

enum class Queue : uint32_t { kSend, kReceive };

class Endpoint {
public:
	virtual ~Endpoint() = default;

	virtual Address address() = 0;
	/// RESET to RTS (or RTR); throws on failure.
	virtual void connect(const Address &peer, const PathSpec &path) = 0;
	/// ibv_modify_qp with nothing but the state.
	virtual int move(ibv_qp_state state) = 0;
	/// RTR to RTS with the attributes of @path.
	virtual int ready_to_send(const PathSpec &path) = 0;
	virtual ibv_qp_state state() = 0;

	virtual Region reg(uint64_t length, int access = kAllAccess, unsigned misalign = 0) = 0;
	/// Registers a part of an existing region once more, with other rights.
	virtual Region reg_part(const Region &whole, uint64_t offset, uint64_t length,
				int access) = 0;
	virtual int dereg(const Region &region) = 0;
	virtual void fill(uint64_t address, uint64_t length, uint64_t seed, uint64_t first = 0) = 0;
	virtual int64_t mismatch(uint64_t address, uint64_t length, uint64_t seed,
				 uint64_t first = 0) = 0;
	virtual std::vector<uint8_t> peek(uint64_t address, uint32_t length) = 0;
	virtual void poke(uint64_t address, const std::vector<uint8_t> &bytes) = 0;

	virtual Window alloc_window(ibv_mw_type type) = 0;
	virtual int dealloc_window(const Window &window) = 0;
	/// Posts the bind of a window, of either type.
	virtual Bound bind_window(const BindSpec &spec) = 0;

	/// errno of the post.
	virtual int post_recv(uint64_t wr_id, const std::vector<ibv_sge> &sges) = 0;
	virtual int post_send(const SendSpec &spec) = 0;
	virtual std::vector<ibv_wc> poll(Queue queue, size_t count,
					 Milliseconds timeout = patience()) = 0;
	/// The next asynchronous event, or -1 if none comes.
	virtual int wait_event(Milliseconds timeout) = 0;
	/// UD: attaches the QP to a multicast group; errno.
	virtual int attach(const ibv_gid &group) = 0;
	virtual int detach(const ibv_gid &group) = 0;

	uint64_t peek64(uint64_t address)
	{
		uint64_t value;
		memcpy(&value, peek(address, 8).data(), 8);
		return value;
	}
	void poke64(uint64_t address, uint64_t value)
	{
		std::vector<uint8_t> bytes(8);
		memcpy(bytes.data(), &value, 8);
		poke(address, bytes);
	}
};

/// The endpoint of this process; its verbs objects are at hand.
class LocalEndpoint : public Endpoint {
public:
	LocalEndpoint(const Device &device, const QpSpec &spec);
	~LocalEndpoint() override;

	Address address() override;
	void connect(const Address &peer, const PathSpec &path) override;
	int move(ibv_qp_state state) override;
	int ready_to_send(const PathSpec &path) override;
	ibv_qp_state state() override;
	Region reg(uint64_t length, int access, unsigned misalign) override;
	Region reg(uint64_t length, int access = kAllAccess) { return reg(length, access, 0); }
	Region reg_part(const Region &whole, uint64_t offset, uint64_t length, int access) override;
	int dereg(const Region &region) override;
	void fill(uint64_t address, uint64_t length, uint64_t seed, uint64_t first = 0) override;
	int64_t mismatch(uint64_t address, uint64_t length, uint64_t seed,
			 uint64_t first = 0) override;
	std::vector<uint8_t> peek(uint64_t address, uint32_t length) override;
	void poke(uint64_t address, const std::vector<uint8_t> &bytes) override;
	Window alloc_window(ibv_mw_type type) override;
	int dealloc_window(const Window &window) override;
	Bound bind_window(const BindSpec &spec) override;
	int post_recv(uint64_t wr_id, const std::vector<ibv_sge> &sges) override;
	int post_send(const SendSpec &spec) override;
	std::vector<ibv_wc> poll(Queue queue, size_t count,
				 Milliseconds timeout = patience()) override;
	int wait_event(Milliseconds timeout) override;
	int attach(const ibv_gid &group) override;
	int detach(const ibv_gid &group) override;

	/// An address handle to @peer that lives as long as the endpoint.
	ibv_ah *handle_to(const Address &peer);
	/// The verbs objects of a region and a window.
	ibv_mr *mr(const Region &region) const;
	ibv_mw *mw(const Window &window) const { return windows_.at(window.id).get(); }
	/// @spec as ibv_post_send wants it; valid while @spec is.
	ibv_send_wr work_request(const SendSpec &spec);

	const QpSpec spec;
	Context context;
	Gid gid;
	Channel channel;
	Pd pd;
	Cq send_cq;
	Cq recv_cq;
	Xrcd xrcd;
	Srq srq;
	Qp target; // XRC
	Qp qp;
	ibv_qp_cap caps{};

private:
	struct Registered;
	Region add(std::shared_ptr<Memory> memory, uint8_t *start, uint64_t length, int access);

	std::vector<std::unique_ptr<Registered>> regions_;
	std::vector<Mw> windows_; // behind the regions: they go first
	std::vector<std::pair<Address, Ah>> handles_;
};

/// RESET to RTS (or RTR) towards QP @qpn of @peer; throws on failure.
void connect_qp(ibv_qp *qp, const Gid &gid, const Address &peer, uint32_t qpn,
		const PathSpec &path);

/// A new endpoint at the peer: in the peer process if there is one.
std::unique_ptr<Endpoint> peer_endpoint(const QpSpec &spec);
bool peer_has(Family family);

} // namespace conformance
