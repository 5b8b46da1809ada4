// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "verbs_steps.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

void need_zero(int error, const char *what)
{
	if (!error)
		return;
	if (error > 0)
		errno = error;
	fail(what);
}

Story::Story(const char *who, const std::string &device)
	: who_(who), folder_("/sys/class/infiniband/" + device + "/ports/1/hw_counters"),
	  before_(read_counters())
{
}

std::map<std::string, uint64_t> Story::read_counters() const
{
	// The kernel hands out the same numbers for 10 ms.
	usleep(20'000);
	std::map<std::string, uint64_t> counters;
	std::error_code error;
	for (const auto &entry : std::filesystem::directory_iterator(folder_, error)) {
		uint64_t value;
		if (entry.path().filename() != "lifespan" && std::ifstream(entry.path()) >> value)
			counters[entry.path().filename()] = value;
	}
	return counters;
}

void Story::tell(const char *path, const char *text)
{
	printf("[%-8s] %-6s  %s\n", who_, path, text);
	auto now = read_counters();
	for (const auto &[name, value] : now) {
		if (value != before_[name])
			printf("%21s driver: %s +%llu\n", "", name.c_str(),
			       static_cast<unsigned long long>(value - before_[name]));
	}
	fflush(stdout);
	before_ = now;
}

void Story::resume()
{
	before_ = read_counters();
}
void Story::control(const char *text)
{
	tell("kernel", text);
}
void Story::data(const char *text)
{
	tell("memory", text);
}

void hand_over(int socket)
{
	if (write(socket, "", 1) != 1)
		fail("the other process is gone");
}

void wait_for_turn(int socket)
{
	char turn;
	if (read(socket, &turn, 1) != 1)
		fail("the other process is gone");
}

Address exchange(int socket, const Address &mine)
{
	Address theirs;
	if (write(socket, &mine, sizeof(mine)) != sizeof(mine) ||
	    read(socket, &theirs, sizeof(theirs)) != sizeof(theirs))
		fail("exchange of addresses");
	return theirs;
}

std::string device_option(int argc, char **argv)
{
	std::string name;
	for (int option; (option = getopt(argc, argv, "d:")) != -1;) {
		if (option != 'd') {
			fprintf(stderr, "usage: %s [-d DEVICE]\n", argv[0]);
			exit(2);
		}
		name = optarg;
	}
	if (name.empty()) {
		ibv_device **list = need(ibv_get_device_list(nullptr), "ibv_get_device_list");
		errno = ENODEV;
		name = ibv_get_device_name(need(*list, "no RDMA device"));
		ibv_free_device_list(list);
	}
	return name;
}

ibv_context *open_device(const std::string &name)
{
	ibv_device **list = need(ibv_get_device_list(nullptr), "ibv_get_device_list");
	ibv_device **device = list;
	while (*device && ibv_get_device_name(*device) != name)
		device++;
	errno = ENODEV;
	ibv_context *context =
		need(ibv_open_device(need(*device, name.c_str())), "ibv_open_device");
	ibv_free_device_list(list);
	return context;
}

uint8_t first_gid(ibv_context *context, ibv_gid *gid)
{
	ibv_gid_entry entries[64];
	ssize_t count = ibv_query_gid_table(context, entries, 64, 0);
	for (ssize_t i = 0; i < count; i++) {
		bool link_local = entries[i].gid.raw[0] == 0xfe;
		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2 && !link_local) {
			*gid = entries[i].gid;
			return static_cast<uint8_t>(entries[i].gid_index);
		}
	}
	errno = EADDRNOTAVAIL;
	fail("no RoCEv2 GID: the network interface has no address");
}

void to_init(ibv_qp *qp, unsigned access)
{
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = 1;
	attr.qp_access_flags = access;
	need_zero(
		ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
		"to INIT");
}

void to_ready_to_receive(ibv_qp *qp, uint8_t gid_index, const Address &peer)
{
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = peer.qp_number;
	attr.rq_psn = peer.packet_sequence_number;
	attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 12;
	attr.ah_attr.is_global = 1;
	attr.ah_attr.port_num = 1;
	attr.ah_attr.grh.dgid = peer.gid;
	attr.ah_attr.grh.sgid_index = gid_index;
	attr.ah_attr.grh.hop_limit = 64;
	need_zero(ibv_modify_qp(qp, &attr,
				IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
					IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
					IBV_QP_MIN_RNR_TIMER),
		  "to RTR");
}

void to_ready_to_send(ibv_qp *qp, uint32_t packet_sequence_number)
{
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = packet_sequence_number;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 1;
	need_zero(ibv_modify_qp(qp, &attr,
				IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
		  "to RTS");
}

ibv_wc poll_one(ibv_cq *cq)
{
	ibv_wc completion;
	auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
	int got;
	while ((got = ibv_poll_cq(cq, 1, &completion)) == 0) {
		if (std::chrono::steady_clock::now() > end) {
			errno = ETIMEDOUT;
			fail("ibv_poll_cq");
		}
	}
	if (got < 0)
		fail("ibv_poll_cq");
	return completion;
}

void need_success(const ibv_wc &completion)
{
	if (completion.status == IBV_WC_SUCCESS)
		return;
	fprintf(stderr, "completion: %s\n", ibv_wc_status_str(completion.status));
	exit(1);
}
