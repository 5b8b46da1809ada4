// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "rig.h"

#include <sched.h>

#include <sstream>

namespace packets {

namespace {

/// No timer runs: nobody answers but when told to.
QpSpec spec_of(ibv_qp_type type, Family family)
{
	QpSpec spec;
	spec.type = type;
	spec.family = family;
	return spec;
}

/// Frames that are sent by one CPU arrive in order.
std::string stay_on_this_cpu(const std::string &netdev)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	must_be_zero(sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
	return netdev;
}

} // namespace

RigOptions &rig_options()
{
	static RigOptions value;
	return value;
}

Bystanders::Bystanders()
	: a_(local_device(), {}), b_(local_device(), {}), near_(a_.reg(kMost)),
	  far_(b_.reg(2 * kMost)), back_(a_.reg(kMost))
{
	b_.connect(a_.address(), {});
	a_.connect(b_.address(), {});
}

std::string Bystanders::transfer()
{
	uint64_t seed = ++round_;
	uint32_t size = static_cast<uint32_t>(seed * 997 % kMost) + 1;
	a_.fill(near_.address, size, seed);
	SendSpec write{.wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .sges = {near_.sge(0, size)}};
	SendSpec read{.wr_id = 3, .opcode = IBV_WR_RDMA_READ, .sges = {back_.sge(0, size)}};
	write.remote_address = read.remote_address = far_.address;
	write.rkey = read.rkey = far_.rkey;
	if (b_.post_recv(seed, {far_.sge(size, size)}) || a_.post_send(write) ||
	    a_.post_send({.wr_id = 2, .sges = {near_.sge(0, size)}}) || a_.post_send(read))
		return "a post fails";

	auto sent = a_.poll(Queue::kSend, 3);
	auto received = b_.poll(Queue::kReceive, 1);
	if (sent.size() != 3 || received.size() != 1)
		return "completions are missing";
	for (const ibv_wc &wc : {sent[0], sent[1], sent[2], received[0]}) {
		if (wc.status != IBV_WC_SUCCESS)
			return ibv_wc_status_str(wc.status);
	}
	if (b_.mismatch(far_.address, size, seed) != -1 ||
	    b_.mismatch(far_.address + size, size, seed) != -1 ||
	    a_.mismatch(back_.address, size, seed) != -1)
		return "data is wrong";
	return "";
}

Rig::Rig()
	: wire(rig_options().netns, rig_options().netdev,
	       stay_on_this_cpu(local_device().netdev())),
	  counters(local_device().name()), marker_(spec_of(IBV_QPT_RC, Family::kIpv4))
{
	marker_.connect();
	exchange({}); // throws if it does not work at all
}

Rig &rig()
{
	static Rig value;
	return value;
}

Connection &Rig::connection(ibv_qp_type type, Family family)
{
	auto &entry = connections_[{type, family}];
	if (!entry)
		entry = std::make_unique<Connection>(spec_of(type, family));
	return *entry;
}

/// A small WRITE, whose data and ACK are checked.
Bytes Rig::marker_frame()
{
	Bytes number(8);
	memcpy(number.data(), &++marked_, sizeof(marked_));
	marker_ack_ = marker_.ack(marker_.psn, marked_);
	Bytes frame = marker_.frame(marker_.write(kWriteOnly, marker_.arena().va(), 8, number));
	marker_.arena().expect_far(0, number);
	return frame;
}

bool Rig::is_marker(const Reply &reply)
{
	if (reply.packet.h.dest_qp != marker_.peer_qpn())
		return false;
	EXPECT_EQ(marker_.compare(reply, marker_ack_), "") << "a healthy connection is disturbed";
	EXPECT_EQ(marker_.arena().difference(), "") << "a healthy connection is disturbed";
	return true;
}

std::vector<Reply> Rig::exchange(const std::vector<Bytes> &frames, size_t wanted)
{
	std::vector<Reply> replies;
	if (dead_)
		throw std::runtime_error("the healthy connection is dead since an earlier test");
	for (const Bytes &frame : frames)
		wire.send(frame);
	while (replies.size() < wanted) {
		auto ip = wire.receive(patience());
		if (!ip)
			break;
		replies.push_back(decode(*ip));
	}
	wire.send(marker_frame());
	while (auto ip = wire.receive(patience())) {
		Reply reply = decode(*ip);
		if (is_marker(reply))
			return replies;
		replies.push_back(std::move(reply));
	}
	dead_ = true;
	throw std::runtime_error("a healthy connection gets no answer any more");
}

Reply Rig::next()
{
	auto ip = wire.receive(patience());
	if (!ip)
		throw std::runtime_error("the device sends nothing");
	return decode(*ip);
}

} // namespace packets
