// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// What both examples need around the verbs that they show: a place for each
// step's story, the driver's counters, and the exchange of addresses.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <map>
#include <string>

/// What one side must know of the other before they can talk RDMA.
struct Address {
	uint32_t qp_number;
	uint32_t packet_sequence_number;
	ibv_gid gid;
	uint64_t memory;
	uint32_t remote_key;
};

/// Says what failed, and errno, and ends the process.
[[noreturn]] void fail(const char *what);

/// @pointer if it is set; else the process ends.
template <typename T> T *need(T *pointer, const char *what)
{
	if (!pointer)
		fail(what);
	return pointer;
}

/// Ends the process unless @error is 0.
void need_zero(int error, const char *what);

/// Tells the story: who does what, and what the driver counted meanwhile.
class Story {
public:
	Story(const char *who, const std::string &device);

	/// What was counted up to now is not ours: the other process had its turn.
	void resume();
	/// A step that goes through the kernel: it makes or changes something.
	void control(const char *text);
	/// A step in memory that is shared with the device: no system call.
	void data(const char *text);

private:
	std::map<std::string, uint64_t> read_counters() const;
	void tell(const char *path, const char *text);

	const char *who_;
	std::string folder_;
	std::map<std::string, uint64_t> before_;
};

/// The two processes speak in turns over a socket pair.
void hand_over(int socket);
void wait_for_turn(int socket);
Address exchange(int socket, const Address &mine);

/// The name given by `-d DEV`, or that of the first device.
std::string device_option(int argc, char **argv);
ibv_context *open_device(const std::string &name);

/// Index of the first RoCEv2 GID of port 1, which goes to @gid.
uint8_t first_gid(ibv_context *context, ibv_gid *gid);

/// INIT: the QP belongs to port 1, and may do what @access says.
void to_init(ibv_qp *qp, unsigned access);
/// RTR: it knows its peer and can receive.
void to_ready_to_receive(ibv_qp *qp, uint8_t gid_index, const Address &peer);
/// RTS: it can send.
void to_ready_to_send(ibv_qp *qp, uint32_t packet_sequence_number);

/// Polls until the next completion. It busy-waits as long as that takes, 10 s at most.
ibv_wc poll_one(ibv_cq *cq);
/// Ends the process unless @completion is a success.
void need_success(const ibv_wc &completion);
