// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// One process reads the memory of another one by RDMA READ; the other one
// does nothing meanwhile. Then it tries an RDMA READ with immediate, which
// some tutorials post and which does not exist: the reader is the one who
// gets data, so there is nobody at the other end to take an immediate value.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "verbs_steps.h"

static constexpr uint32_t kBytes = 10000;

// WRITE is 0 and WRITE_WITH_IMM 1, SEND 2 and SEND_WITH_IMM 3, but what comes
// after READ is COMPARE_AND_SWAP; so they compose an operation of their own.
static constexpr auto kReadWithImmediate = static_cast<ibv_wr_opcode>(0x10 | IBV_WR_RDMA_READ);

static uint8_t secret(uint32_t i)
{
	return static_cast<uint8_t>(i * i + 3 * i + 1);
}

struct Side {
	ibv_context *context;
	ibv_pd *pd;
	ibv_cq *cq;
	ibv_qp *qp;
	ibv_mr *mr;
	Address peer;
	uint8_t buffer[kBytes];
};

/// Makes everything and connects. @access is what the peer may do with our memory.
static void set_up(Side &side, const std::string &device, int socket, unsigned access)
{
	side.context = open_device(device);
	side.pd = need(ibv_alloc_pd(side.context), "ibv_alloc_pd");
	side.cq = need(ibv_create_cq(side.context, 16, nullptr, nullptr, 0), "ibv_create_cq");
	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = side.cq;
	init.qp_type = IBV_QPT_RC;
	init.cap = {8, 8, 1, 1, 0};
	side.qp = need(ibv_create_qp(side.pd, &init), "ibv_create_qp");
	side.mr = need(ibv_reg_mr(side.pd, side.buffer, kBytes, IBV_ACCESS_LOCAL_WRITE | access),
		       "ibv_reg_mr");
	Address mine{
		side.qp->qp_num, 0, {}, reinterpret_cast<uintptr_t>(side.buffer), side.mr->rkey};
	uint8_t gid_index = first_gid(side.context, &mine.gid);
	side.peer = exchange(socket, mine);
	to_init(side.qp, access);
	to_ready_to_receive(side.qp, gid_index, side.peer);
	to_ready_to_send(side.qp, 0);
	hand_over(socket);
	wait_for_turn(socket);
}

static void tear_down(Side &side)
{
	need_zero(ibv_destroy_qp(side.qp), "ibv_destroy_qp");
	need_zero(ibv_dereg_mr(side.mr), "ibv_dereg_mr");
	need_zero(ibv_destroy_cq(side.cq), "ibv_destroy_cq");
	need_zero(ibv_dealloc_pd(side.pd), "ibv_dealloc_pd");
	need_zero(ibv_close_device(side.context), "ibv_close_device");
}

/// Posts @opcode for the peer's whole memory; returns the errno.
static int post_read(Side &side, ibv_wr_opcode opcode)
{
	ibv_sge place{reinterpret_cast<uintptr_t>(side.buffer), kBytes, side.mr->lkey};
	ibv_send_wr request{}, *bad;
	request.sg_list = &place;
	request.num_sge = 1;
	request.opcode = opcode;
	request.send_flags = IBV_SEND_SIGNALED;
	request.imm_data = 0x12345678;
	request.wr.rdma.remote_addr = side.peer.memory;
	request.wr.rdma.rkey = side.peer.remote_key;
	return ibv_post_send(side.qp, &request, &bad);
}

/// True if the second process saw what it should.
static bool reader(const std::string &device, int socket)
{
	Story story("reader", device);
	static Side side;
	set_up(side, device, socket, 0);
	story.control("connected; the peer told address and rkey of its memory");

	need_zero(post_read(side, IBV_WR_RDMA_READ), "ibv_post_send");
	story.data("ibv_post_send: RDMA READ");
	ibv_wc completion = poll_one(side.cq);
	need_success(completion);
	story.data("ibv_poll_cq: the peer's memory is here; no code of the peer ran");
	for (uint32_t i = 0; i < kBytes; i++) {
		if (side.buffer[i] != secret(i)) {
			fprintf(stderr, "byte %u is wrong\n", i);
			return false;
		}
	}
	printf("%21s all %u bytes are right\n", "", kBytes);

	bool refused = true;
	int error = post_read(side, kReadWithImmediate);
	if (error) {
		printf("%21s RDMA READ with immediate: ibv_post_send says %s (%s)\n", "",
		       error == EINVAL ? "EINVAL" : "an error, but not EINVAL", strerror(error));
		refused = error == EINVAL;
	} else {
		completion = poll_one(side.cq);
		printf("%21s RDMA READ with immediate: not refused at once, but then: %s\n", "",
		       ibv_wc_status_str(completion.status));
		refused = completion.status != IBV_WC_SUCCESS;
	}
	hand_over(socket);
	tear_down(side);
	return refused;
}

static void owner(const std::string &device, int socket)
{
	static Side side;
	for (uint32_t i = 0; i < kBytes; i++)
		side.buffer[i] = secret(i);
	set_up(side, device, socket, IBV_ACCESS_REMOTE_READ);
	wait_for_turn(socket); // blocked in read(): nothing runs here while the other one reads
	tear_down(side);
}

int main(int argc, char **argv)
{
	std::string device = device_option(argc, argv);
	int sockets[2];
	need_zero(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), "socketpair");
	pid_t child = fork();
	if (child == 0) {
		close(sockets[0]);
		owner(device, sockets[1]);
		return 0;
	}
	close(sockets[1]);
	bool good = reader(device, sockets[0]);
	int status = 1;
	waitpid(child, &status, 0);
	printf("%s\n", good && !status ? "OK" : "FAILED");
	return good && !status ? 0 : 1;
}
