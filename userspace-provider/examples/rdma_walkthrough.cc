// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The textbook sequence of RDMA between two processes, each step told as it
// happens, with what the driver counted of it. In front of each step stands
// the way it takes: `kernel` is the control path, a system call that makes or
// changes something; `memory` is the data path, queues that the process and
// the device share.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "verbs_steps.h"

static constexpr uint32_t kBytes = 4096;
static constexpr char kGreeting[] = "hello from the other address space";

/// The objects a process needs, in the order in which they are made.
struct Objects {
	ibv_context *context;
	ibv_pd *pd;
	ibv_cq *cq;
	ibv_qp *qp;
	ibv_mr *mr;
	char *buffer;
};

static Objects create(Story &story, const std::string &device)
{
	Objects o{};
	char text[200];
	o.context = open_device(device);
	story.control("ibv_open_device: a context of the device, with its doorbells mapped");
	o.pd = need(ibv_alloc_pd(o.context), "ibv_alloc_pd");
	story.control("ibv_alloc_pd: only objects of one protection domain work together");
	o.cq = need(ibv_create_cq(o.context, 16, nullptr, nullptr, 0), "ibv_create_cq");
	story.control("ibv_create_cq: room for 16 completions, written by the device");

	ibv_qp_init_attr init{};
	init.send_cq = init.recv_cq = o.cq;
	init.qp_type = IBV_QPT_RC;
	init.cap = {8, 8, 1, 1, 32};
	o.qp = need(ibv_create_qp(o.pd, &init), "ibv_create_qp");
	snprintf(text, sizeof(text),
		 "ibv_create_qp: RC QP %u; %u sends, %u receives, %u element each, %u bytes inline",
		 o.qp->qp_num, init.cap.max_send_wr, init.cap.max_recv_wr, init.cap.max_send_sge,
		 init.cap.max_inline_data);
	story.control(text);

	o.buffer = new char[kBytes]();
	o.mr = need(ibv_reg_mr(o.pd, o.buffer, kBytes, IBV_ACCESS_LOCAL_WRITE), "ibv_reg_mr");
	snprintf(text, sizeof(text), "ibv_reg_mr: %u bytes stay where they are; lkey 0x%x", kBytes,
		 o.mr->lkey);
	story.control(text);
	return o;
}

static void destroy(const Objects &o)
{
	need_zero(ibv_destroy_qp(o.qp), "ibv_destroy_qp");
	need_zero(ibv_dereg_mr(o.mr), "ibv_dereg_mr");
	need_zero(ibv_destroy_cq(o.cq), "ibv_destroy_cq");
	need_zero(ibv_dealloc_pd(o.pd), "ibv_dealloc_pd");
	need_zero(ibv_close_device(o.context), "ibv_close_device");
	delete[] o.buffer;
}

/// Exchanges addresses with the peer and takes the QP from RESET to RTS.
static void connect(const Objects &o, int socket)
{
	Address mine{o.qp->qp_num, o.qp->qp_num, {}, 0, 0};
	uint8_t gid_index = first_gid(o.context, &mine.gid);
	Address peer = exchange(socket, mine);
	to_init(o.qp, 0);
	to_ready_to_receive(o.qp, gid_index, peer);
	to_ready_to_send(o.qp, mine.packet_sequence_number);
}

static void receiver(int socket, const std::string &device)
{
	Story story("receiver", device);
	Objects o = create(story, device);
	hand_over(socket);
	connect(o, socket);
	wait_for_turn(socket);
	story.resume();
	story.control("ibv_modify_qp: INIT, RTR, RTS; it knows its peer");

	ibv_sge place{reinterpret_cast<uintptr_t>(o.buffer), kBytes, o.mr->lkey};
	ibv_recv_wr request{1, nullptr, &place, 1}, *bad;
	need_zero(ibv_post_recv(o.qp, &request, &bad), "ibv_post_recv");
	story.data("ibv_post_recv: where the next message may go");
	hand_over(socket);

	wait_for_turn(socket);
	story.resume();
	ibv_wc completion = poll_one(o.cq);
	need_success(completion);
	story.data("ibv_poll_cq: a message is in our memory");
	printf("%21s it says \"%s\" in %u bytes\n", "", o.buffer, completion.byte_len);
	bool right = completion.byte_len == kBytes && !strcmp(o.buffer, kGreeting);
	for (uint32_t i = sizeof(kGreeting); i < kBytes; i++)
		right &= o.buffer[i] == static_cast<char>(i * 7);
	destroy(o);
	if (!right) {
		fprintf(stderr, "the data is not what was sent\n");
		exit(1);
	}
}

static void sender(int socket, const std::string &device)
{
	wait_for_turn(socket);
	Story story("sender", device);
	Objects o = create(story, device);
	connect(o, socket);
	story.control("ibv_modify_qp: INIT, RTR, RTS; it knows its peer");
	hand_over(socket);
	wait_for_turn(socket);
	story.resume();

	for (uint32_t i = 0; i < kBytes; i++)
		o.buffer[i] = static_cast<char>(i * 7);
	strcpy(o.buffer, kGreeting);
	ibv_sge place{reinterpret_cast<uintptr_t>(o.buffer), kBytes, o.mr->lkey};
	ibv_send_wr request{}, *bad;
	request.wr_id = 2;
	request.sg_list = &place;
	request.num_sge = 1;
	request.opcode = IBV_WR_SEND;
	request.send_flags = IBV_SEND_SIGNALED;
	need_zero(ibv_post_send(o.qp, &request, &bad), "ibv_post_send");
	story.data("ibv_post_send: four packets of 1024 bytes (a `kick` is the one system call\n"
		   "                    of srnic's data path, made while its engine sleeps)");
	need_success(poll_one(o.cq));
	story.data("ibv_poll_cq: the receiver has acknowledged the whole message");
	hand_over(socket);
	destroy(o);
}

int main(int argc, char **argv)
{
	std::string device = device_option(argc, argv);
	int sockets[2];
	need_zero(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), "socketpair");
	printf("Two processes, one device: %s\n", device.c_str());
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		close(sockets[0]);
		sender(sockets[1], device);
		return 0;
	}
	close(sockets[1]);
	receiver(sockets[0], device);
	int status = 1;
	waitpid(child, &status, 0);
	if (status)
		return 1;
	printf("Three copies on the way: from the sender's memory into packets, over the wire, "
	       "from\n"
	       "packets into the receiver's memory. (Where both ends are on one host, srnic "
	       "copies\n"
	       "once, from memory to memory, without packets.)\n"
	       "OK\n");
	return 0;
}
