// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The peer process: holds endpoints and does what it is told.
#include <map>

#include "remote.h"
#include "socket.h"

namespace conformance {

namespace {

using Endpoints = std::map<uint32_t, std::unique_ptr<LocalEndpoint>>;

/// Commands to an endpoint that exists.
void command_endpoint(LocalEndpoint &end, Command command, Reader &in, Writer &out)
{
	switch (command) {
	case Command::kAddress:
		return out.put(end.address());
	case Command::kConnect: {
		auto to = in.get<Address>();
		return end.connect(to, in.get<PathSpec>());
	}
	case Command::kMove:
		return out.put(end.move(in.get<ibv_qp_state>()));
	case Command::kReady:
		return out.put(end.ready_to_send(in.get<PathSpec>()));
	case Command::kState:
		return out.put(end.state());
	case Command::kReg: {
		auto length = in.get<uint64_t>();
		auto access = in.get<int>();
		return out.put(end.reg(length, access, in.get<unsigned>()));
	}
	case Command::kRegPart: {
		auto whole = in.get<Region>();
		auto offset = in.get<uint64_t>();
		auto length = in.get<uint64_t>();
		return out.put(end.reg_part(whole, offset, length, in.get<int>()));
	}
	case Command::kDereg:
		return out.put(end.dereg(in.get<Region>()));
	case Command::kFill: {
		auto address = in.get<uint64_t>();
		auto length = in.get<uint64_t>();
		auto seed = in.get<uint64_t>();
		return end.fill(address, length, seed, in.get<uint64_t>());
	}
	case Command::kMismatch: {
		auto address = in.get<uint64_t>();
		auto length = in.get<uint64_t>();
		auto seed = in.get<uint64_t>();
		return out.put(end.mismatch(address, length, seed, in.get<uint64_t>()));
	}
	case Command::kPeek: {
		auto address = in.get<uint64_t>();
		return out.put(end.peek(address, in.get<uint32_t>()));
	}
	case Command::kPoke: {
		auto address = in.get<uint64_t>();
		return end.poke(address, in.get<std::vector<uint8_t>>());
	}
	case Command::kPostRecv: {
		auto wr_id = in.get<uint64_t>();
		return out.put(end.post_recv(wr_id, in.get<std::vector<ibv_sge>>()));
	}
	case Command::kPostSend:
		return out.put(end.post_send(in.get<SendSpec>()));
	case Command::kPoll: {
		auto queue = in.get<Queue>();
		auto count = in.get<uint64_t>();
		return out.put(end.poll(queue, count, in.get<Milliseconds>()));
	}
	case Command::kEvent:
		return out.put(end.wait_event(in.get<Milliseconds>()));
	case Command::kAttach:
		return out.put(end.attach(in.get<ibv_gid>()));
	case Command::kDetach:
		return out.put(end.detach(in.get<ibv_gid>()));
	case Command::kAllocWindow:
		return out.put(end.alloc_window(in.get<ibv_mw_type>()));
	case Command::kDeallocWindow:
		return out.put(end.dealloc_window(in.get<Window>()));
	case Command::kBindWindow:
		return out.put(end.bind_window(in.get<BindSpec>()));
	default:
		throw std::runtime_error("unknown command");
	}
}

/// Destroys an endpoint and returns what went wrong with that.
std::vector<char> destroy(Endpoints &ends, uint32_t id)
{
	auto failures = [] {
		return testing::UnitTest::GetInstance()->ad_hoc_test_result().total_part_count();
	};
	int before = failures();
	ends.erase(id);
	std::string text = failures() > before ? "destroying failed, see the peer's output" : "";
	return {text.begin(), text.end()};
}

/// False when the caller says good-bye.
bool serve_command(Endpoints &ends, Reader in, Writer &out)
{
	static uint32_t next_id = 0;
	out.put(int32_t{0});
	auto command = in.get<Command>();
	switch (command) {
	case Command::kBye:
		return false;
	case Command::kHasFamily:
		out.put(local_device().gid(in.get<Family>()).has_value());
		return true;
	case Command::kCreate: {
		auto end = std::make_unique<LocalEndpoint>(local_device(), in.get<QpSpec>());
		ends[++next_id] = std::move(end);
		out.put(next_id);
		return true;
	}
	case Command::kDestroy:
		out.put(destroy(ends, in.get<uint32_t>()));
		return true;
	default:
		command_endpoint(*ends.at(in.get<uint32_t>()), command, in, out);
		return true;
	}
}

/// True if the caller said good-bye, false if it just vanished.
bool serve_caller(Socket socket)
{
	Endpoints ends;
	for (;;) {
		std::vector<uint8_t> message;
		try {
			message = socket.receive();
		} catch (const std::exception &) {
			return false;
		}
		Writer out;
		bool go_on = true;
		try {
			go_on = serve_command(ends, Reader(std::move(message)), out);
		} catch (const std::exception &error) {
			out.bytes.clear();
			std::string text = error.what();
			out.put(int32_t{1});
			out.put(std::vector<char>(text.begin(), text.end()));
		}
		socket.send(out.bytes);
		if (!go_on)
			return true;
	}
}

} // namespace

int serve(uint16_t port)
{
	Socket listener = Socket::listen(port);
	printf("# serving on port %u\n", port);
	fflush(stdout);
	while (!serve_caller(listener.accept())) {}
	return 0;
}

} // namespace conformance
