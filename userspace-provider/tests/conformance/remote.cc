// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The caller's half of the side channel; mirror.cc has the other one.
#include "remote.h"

#include "socket.h"

namespace conformance {

namespace {

Socket &peer()
{
	static Socket socket;
	return socket;
}

/// One command and its answer.
template <typename... Args> Reader call(Command command, const Args &...args)
{
	Writer writer;
	writer.put(command);
	(writer.put(args), ...);
	peer().send(writer.bytes);
	Reader answer(peer().receive());
	if (answer.get<int32_t>() != 0) {
		auto text = answer.get<std::vector<char>>();
		throw std::runtime_error("peer: " + std::string(text.begin(), text.end()));
	}
	return answer;
}

class RemoteEndpoint : public Endpoint {
public:
	explicit RemoteEndpoint(const QpSpec &spec)
		: id_(call(Command::kCreate, spec).get<uint32_t>())
	{
	}
	~RemoteEndpoint() override
	{
		try {
			auto complaints = call(Command::kDestroy, id_).get<std::vector<char>>();
			EXPECT_EQ(std::string(complaints.begin(), complaints.end()), "")
				<< "at the peer";
		} catch (const std::exception &error) {
			ADD_FAILURE() << error.what();
		}
	}

	Address address() override { return call(Command::kAddress, id_).get<Address>(); }
	void connect(const Address &to, const PathSpec &path) override
	{
		call(Command::kConnect, id_, to, path);
	}
	int move(ibv_qp_state state) override { return number(Command::kMove, state); }
	int ready_to_send(const PathSpec &path) override { return number(Command::kReady, path); }
	ibv_qp_state state() override { return call(Command::kState, id_).get<ibv_qp_state>(); }
	Region reg(uint64_t length, int access, unsigned misalign) override
	{
		return call(Command::kReg, id_, length, access, misalign).get<Region>();
	}
	Region reg_part(const Region &whole, uint64_t offset, uint64_t length, int access) override
	{
		return call(Command::kRegPart, id_, whole, offset, length, access).get<Region>();
	}
	int dereg(const Region &region) override { return number(Command::kDereg, region); }
	void fill(uint64_t address, uint64_t length, uint64_t seed, uint64_t first) override
	{
		call(Command::kFill, id_, address, length, seed, first);
	}
	int64_t mismatch(uint64_t address, uint64_t length, uint64_t seed, uint64_t first) override
	{
		return call(Command::kMismatch, id_, address, length, seed, first).get<int64_t>();
	}
	std::vector<uint8_t> peek(uint64_t address, uint32_t length) override
	{
		return call(Command::kPeek, id_, address, length).get<std::vector<uint8_t>>();
	}
	void poke(uint64_t address, const std::vector<uint8_t> &bytes) override
	{
		call(Command::kPoke, id_, address, bytes);
	}
	int post_recv(uint64_t wr_id, const std::vector<ibv_sge> &sges) override
	{
		return number(Command::kPostRecv, wr_id, sges);
	}
	int post_send(const SendSpec &spec) override { return number(Command::kPostSend, spec); }
	std::vector<ibv_wc> poll(Queue queue, size_t count, Milliseconds timeout) override
	{
		return call(Command::kPoll, id_, queue, static_cast<uint64_t>(count), timeout)
			.get<std::vector<ibv_wc>>();
	}
	Window alloc_window(ibv_mw_type type) override
	{
		return call(Command::kAllocWindow, id_, type).get<Window>();
	}
	int dealloc_window(const Window &window) override
	{
		return number(Command::kDeallocWindow, window);
	}
	Bound bind_window(const BindSpec &spec) override
	{
		return call(Command::kBindWindow, id_, spec).get<Bound>();
	}
	int wait_event(Milliseconds timeout) override { return number(Command::kEvent, timeout); }
	int attach(const ibv_gid &group) override { return number(Command::kAttach, group); }
	int detach(const ibv_gid &group) override { return number(Command::kDetach, group); }

private:
	template <typename... Args> int number(Command command, const Args &...args)
	{
		return call(command, id_, args...).template get<int>();
	}

	uint32_t id_;
};

} // namespace

void connect_peer(const std::string &host, uint16_t port)
{
	peer() = Socket::connect(host, port);
}

void dismiss_peer()
{
	call(Command::kBye);
}

std::unique_ptr<Endpoint> make_remote_endpoint(const QpSpec &spec)
{
	return std::make_unique<RemoteEndpoint>(spec);
}

bool remote_has(Family family)
{
	return call(Command::kHasFamily, family).get<bool>();
}

} // namespace conformance
