// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// srnic_churn: processes that use everything at once, change it while it is in use, and
// are killed in the middle. What counts is what the kernel says about it.
//
//	srnic_churn SECONDS [PROCESSES [SEED]]
#include <infiniband/verbs.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr size_t kBytes = 64 * 1024;
constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND;
constexpr uint32_t kPsn = 0xfffff0;
constexpr uint32_t kQkey = 0x1234;
constexpr size_t kSlots = 256;
constexpr size_t kMostProcesses = 64;

/// QPs of all processes, so that they can send to each other; stale ones, too.
struct Shared {
	std::array<std::atomic<uint32_t>, kSlots> qpn;
	std::array<std::atomic<uint64_t>, kSlots> memory; // rkey
	std::array<std::atomic<bool>, kMostProcesses> running;
	std::atomic<uint64_t> rounds, completions, refusals;
};
Shared *shared;

struct Random : std::mt19937 {
	using std::mt19937::mt19937;
	uint32_t below(uint32_t n) { return static_cast<uint32_t>((*this)() % n); }
	bool one_in(uint32_t n) { return below(n) == 0; }
};

class Worker {
public:
	explicit Worker(uint32_t seed) : random_(seed) {}
	bool open();
	void run();

private:
	static constexpr size_t kQps = 6;
	static constexpr size_t kMrs = 4;

	bool make_qp(size_t i);
	void connect(size_t i);
	void post(Random &random);
	void receive(Random &random);
	void poll(Random &random);
	void change(Random &random);
	void bind(Random &random);
	ibv_qp_type type_of(size_t i) const { return kTypes[i]; }

	static constexpr ibv_qp_type kTypes[kQps] = {IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC,
						     IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_RC};
	Random random_;
	ibv_context *context_ = nullptr;
	ibv_gid gid_{};
	uint8_t gid_index_ = 0;
	ibv_pd *pd_ = nullptr;
	std::array<ibv_cq *, 2> cqs_{};
	ibv_srq *srq_ = nullptr;
	ibv_ah *ah_ = nullptr;
	std::array<ibv_qp *, kQps> qps_{};
	std::array<std::atomic<ibv_mr *>, kMrs> mrs_{};
	std::array<ibv_mw *, 2> mws_{};
	std::vector<uint8_t *> memory_;
};

bool Worker::open()
{
	int count = 0;
	ibv_device **list = ibv_get_device_list(&count);
	if (!list || !count)
		return false;
	context_ = ibv_open_device(list[random_.below(static_cast<uint32_t>(count))]);
	ibv_free_device_list(list);
	if (!context_)
		return false;
	for (gid_index_ = 0; gid_index_ < 8; gid_index_++) {
		if (!ibv_query_gid(context_, 1, gid_index_, &gid_) && gid_.raw[0] != 0xfe &&
		    random_.one_in(2))
			break;
	}
	pd_ = ibv_alloc_pd(context_);
	for (ibv_cq *&cq : cqs_)
		cq = ibv_create_cq(context_, 256, nullptr, nullptr, 0);
	if (!pd_ || !cqs_[0] || !cqs_[1])
		return false;
	for (auto &mr : mrs_) {
		void *at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memory_.push_back(static_cast<uint8_t *>(at));
		mr = ibv_reg_mr(pd_, at, kBytes, kAccess);
		if (!mr)
			return false;
	}
	ibv_srq_init_attr srq{};
	srq.attr = {64, 4, 0};
	srq_ = ibv_create_srq(pd_, &srq);
	mws_[0] = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
	mws_[1] = ibv_alloc_mw(pd_, IBV_MW_TYPE_2);
	ibv_ah_attr attr{};
	attr.is_global = 1;
	attr.grh.dgid = gid_;
	attr.grh.sgid_index = gid_index_;
	attr.port_num = 1;
	ah_ = ibv_create_ah(pd_, &attr);
	for (size_t i = 0; i < kQps; i++) {
		if (!make_qp(i))
			return false;
	}
	for (size_t i = 0; i < kQps; i++)
		connect(i);
	return srq_ && ah_;
}

bool Worker::make_qp(size_t i)
{
	ibv_qp_init_attr init{};
	init.send_cq = cqs_[i % 2];
	init.recv_cq = cqs_[(i + 1) % 2];
	init.srq = i == 1 || i == 5 ? srq_ : nullptr;
	init.cap = {64, 64, 4, 4, 64};
	init.qp_type = type_of(i);
	qps_[i] = ibv_create_qp(pd_, &init);
	if (!qps_[i])
		return false;
	shared->qpn[random_.below(kSlots)] = qps_[i]->qp_num;
	shared->memory[random_.below(kSlots)] = mrs_[0].load()->rkey;
	return true;
}

/// To a neighbour, to itself, or to whoever it may be.
void Worker::connect(size_t i)
{
	bool datagram = type_of(i) == IBV_QPT_UD, reliable = type_of(i) == IBV_QPT_RC;
	ibv_qp *peer = qps_[i ^ 1];
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = 1;
	attr.qkey = kQkey;
	attr.qp_access_flags = kAccess;
	ibv_modify_qp(qps_[i], &attr,
		      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			      (datagram ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = i == 5 || !peer     ? shared->qpn[random_.below(kSlots)].load()
			   : random_.one_in(8) ? qps_[i]->qp_num
					       : peer->qp_num;
	attr.rq_psn = attr.sq_psn = kPsn;
	attr.max_dest_rd_atomic = attr.max_rd_atomic = 4;
	attr.min_rnr_timer = 1;
	attr.ah_attr.is_global = 1;
	attr.ah_attr.grh.dgid = gid_;
	attr.ah_attr.grh.sgid_index = gid_index_;
	attr.ah_attr.port_num = 1;
	int mask = IBV_QP_STATE;
	if (!datagram)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (reliable)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	ibv_modify_qp(qps_[i], &attr, mask);
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 8;
	attr.retry_cnt = 3;
	attr.rnr_retry = random_.one_in(2) ? 7 : 1;
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (reliable)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	ibv_modify_qp(qps_[i], &attr, mask);
}

void Worker::post(Random &random)
{
	size_t i = random.below(kQps);
	const ibv_mr *near = mrs_[random.below(kMrs)], *far = mrs_[random.below(kMrs)];
	ibv_send_wr wr{}, *bad;
	ibv_sge sge[4];
	static constexpr ibv_wr_opcode kOpcodes[] = {IBV_WR_SEND,
						     IBV_WR_SEND_WITH_IMM,
						     IBV_WR_RDMA_WRITE,
						     IBV_WR_RDMA_READ,
						     IBV_WR_RDMA_WRITE_WITH_IMM,
						     IBV_WR_ATOMIC_FETCH_AND_ADD,
						     IBV_WR_SEND_WITH_INV,
						     IBV_WR_LOCAL_INV};
	wr.opcode = kOpcodes[random.below(type_of(i) == IBV_QPT_UD ? 2
					  : random.one_in(20)	   ? 8
								   : 6)];
	wr.num_sge = static_cast<int>(random.below(4));
	for (int s = 0; s < wr.num_sge; s++)
		sge[s] = {reinterpret_cast<uint64_t>(near->addr) + random.below(4096),
			  random.below(random.one_in(4) ? 8000 : 200), near->lkey};
	if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.num_sge = 1;
		sge[0].addr = reinterpret_cast<uint64_t>(near->addr);
		sge[0].lkey = near->lkey;
		sge[0].length = 8;
	}
	wr.sg_list = sge;
	wr.send_flags = (random.one_in(2) ? IBV_SEND_SIGNALED : 0) |
			(random.one_in(9) ? IBV_SEND_FENCE : 0) |
			(random.one_in(9) ? IBV_SEND_SOLICITED : 0);
	uint32_t rkey = random.one_in(30)
				? static_cast<uint32_t>(shared->memory[random.below(kSlots)].load())
			: random.one_in(8) ? mws_[random.below(2)]->rkey
					   : far->rkey;
	uint64_t va = reinterpret_cast<uint64_t>(far->addr) + 8 * random.below(4096);
	if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = va;
		wr.wr.atomic.rkey = rkey;
	} else if (type_of(i) == IBV_QPT_UD) {
		wr.wr.ud = {ah_, shared->qpn[random.below(kSlots)], kQkey};
	} else if (wr.opcode == IBV_WR_SEND_WITH_INV || wr.opcode == IBV_WR_LOCAL_INV) {
		wr.invalidate_rkey = mws_[1]->rkey;
	} else {
		wr.wr.rdma.remote_addr = va;
		wr.wr.rdma.rkey = rkey;
	}
	if (ibv_post_send(qps_[i], &wr, &bad))
		shared->refusals++;
}

void Worker::bind(Random &random)
{
	ibv_mr *mr = mrs_[random.below(kMrs)];
	ibv_mw_bind_info info{mr, reinterpret_cast<uint64_t>(mr->addr), 4096 * random.below(3),
			      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
	ibv_qp *qp = qps_[random.below(2)];
	if (random.one_in(2)) {
		ibv_mw_bind window{};
		window.bind_info = info;
		ibv_bind_mw(qp, mws_[0], &window);
		return;
	}
	ibv_send_wr wr{}, *bad;
	wr.opcode = IBV_WR_BIND_MW;
	wr.bind_mw = {mws_[1], ibv_inc_rkey(mws_[1]->rkey), info};
	if (!ibv_post_send(qp, &wr, &bad))
		mws_[1]->rkey = wr.bind_mw.rkey;
}

void Worker::receive(Random &random)
{
	size_t i = random.below(kQps);
	const ibv_mr *mr = mrs_[random.below(kMrs)];
	ibv_sge sge{reinterpret_cast<uint64_t>(mr->addr) + random.below(100),
		    random.one_in(10) ? 10u : 40000u, mr->lkey};
	ibv_recv_wr wr{}, *bad;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	if (qps_[i]->srq)
		ibv_post_srq_recv(srq_, &wr, &bad);
	else
		ibv_post_recv(qps_[i], &wr, &bad);
}

void Worker::poll(Random &random)
{
	ibv_wc wc[16];
	int got = ibv_poll_cq(cqs_[random.below(2)], 16, wc);
	if (got > 0)
		shared->completions += static_cast<uint64_t>(got);
}

void Worker::change(Random &random)
{
	size_t i = random.below(kQps), m = random.below(kMrs);
	ibv_qp_attr attr{};
	ibv_qp_init_attr init;
	ibv_srq_attr srq{64u << random.below(3), 0, random.below(20)};
	switch (random.below(9)) {
	case 0:
		ibv_resize_cq(cqs_[random.below(2)], 64 << random.below(4));
		break;
	case 1:
		ibv_modify_srq(srq_, &srq, IBV_SRQ_MAX_WR);
		break;
	case 2:
		ibv_modify_srq(srq_, &srq, IBV_SRQ_LIMIT);
		break;
	case 3:
		ibv_rereg_mr(mrs_[m], IBV_REREG_MR_CHANGE_TRANSLATION, pd_, memory_[m], kBytes,
			     kAccess);
		break;
	case 4: {
		ibv_mr *fresh = ibv_reg_mr(pd_, memory_[m], kBytes, kAccess);
		// The old one is left alone: others may look at it. Its memory is not.
		if (fresh)
			mrs_[m] = fresh;
		madvise(memory_[m], kBytes, MADV_DONTNEED);
		break;
	}
	case 5:
		attr.qp_state = random.one_in(2) ? IBV_QPS_ERR : IBV_QPS_SQD;
		ibv_modify_qp(qps_[i], &attr, IBV_QP_STATE);
		break;
	case 6:
		attr.qp_state = IBV_QPS_RTS;
		ibv_modify_qp(qps_[i], &attr, IBV_QP_STATE);
		break;
	case 7:
		attr.qp_state = IBV_QPS_RESET;
		ibv_modify_qp(qps_[i], &attr, IBV_QP_STATE);
		connect(i);
		break;
	default:
		ibv_query_qp(qps_[i], &attr, IBV_QP_STATE, &init);
	}
}

void Worker::run()
{
	std::atomic<bool> over = false;
	auto loop = [&](auto step) {
		return std::thread([&, step, seed = random_()] {
			Random random(seed);
			while (!over)
				step(random);
		});
	};
	std::vector<std::thread> threads;
	threads.push_back(loop([&](Random &random) {
		post(random);
		if (random.one_in(30))
			bind(random);
		receive(random);
		poll(random);
	}));
	threads.push_back(loop([&](Random &random) {
		change(random);
		usleep(random.below(3000));
	}));
	usleep(50000 + random_.below(400000));
	over = true;
	for (auto &thread : threads)
		thread.join();
	// With packets under way: some by hand, the rest by exit.
	for (ibv_qp *qp : qps_) {
		if (random_.one_in(2))
			ibv_destroy_qp(qp);
	}
	shared->rounds++;
}

pid_t start(size_t place, uint32_t seed)
{
	shared->running[place] = false;
	pid_t child = fork();
	if (child)
		return child;
	alarm(60);
	Worker worker(seed);
	if (!worker.open()) {
		usleep(20000);
		_exit(0);
	}
	shared->running[place] = true;
	worker.run();
	_exit(0);
}

} // namespace

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? atol(argv[1]) : 10;
	size_t count = argc > 2 ? std::min(strtoul(argv[2], nullptr, 0), kMostProcesses) : 3;
	Random random(argc > 3 ? static_cast<uint32_t>(atol(argv[3])) : 1);
	shared = static_cast<Shared *>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	auto begin = std::chrono::steady_clock::now();
	// On a slow machine it takes longer until something has happened.
	auto over = [&] {
		auto gone = std::chrono::steady_clock::now() - begin;
		return gone > std::chrono::seconds(shared->rounds ? seconds : 4 * seconds);
	};
	std::vector<pid_t> children(count);
	uint64_t killed = 0;
	for (size_t i = 0; i < count; i++)
		children[i] = start(i, random());
	while (!over()) {
		usleep(20000);
		size_t i = random.below(static_cast<uint32_t>(count));
		if (shared->running[i] && random.one_in(20) && !kill(children[i], SIGKILL))
			killed++;
		if (waitpid(children[i], nullptr, WNOHANG) == children[i])
			children[i] = start(i, random());
	}
	for (pid_t child : children) {
		kill(child, SIGKILL);
		waitpid(child, nullptr, 0);
	}
	printf("# %lu rounds, %lu killed, %lu completions, %lu posts refused\n",
	       shared->rounds.load(), killed, shared->completions.load(), shared->refusals.load());
	return shared->completions ? 0 : 1;
}
