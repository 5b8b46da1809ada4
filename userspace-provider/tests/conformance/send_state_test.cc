// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// The states of a send queue that has failed or is drained, and privileged Q_Keys.
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link.h"

namespace conformance {
namespace {

class SendStateTest : public LinkTest {
protected:
	ibv_qp_attr query()
	{
		ibv_qp_attr attr{};
		ibv_qp_init_attr init{};
		must_be_zero(ibv_query_qp(a().qp.get(), &attr, IBV_QP_STATE, &init), "ibv_query_qp");
		return attr;
	}
	int modify(ibv_qp_attr attr, int mask)
	{
		return ibv_modify_qp(a().qp.get(), &attr, mask);
	}
	/// A send fails for a reason of its own, and one behind it is flushed.
	void fail_a_send()
	{
		Region near = a().reg(8);
		SendSpec bad{.wr_id = 1, .sges = {near.sge()}}, next{.wr_id = 2};
		bad.to = next.to = b().address();
		bad.sges[0].lkey ^= 0x100;
		ASSERT_EQ(a().post_send(bad), 0);
		ASSERT_EQ(a().post_send(next), 0);
		auto got = a().poll(Queue::kSend, 2);
		ASSERT_EQ(got.size(), 2u);
		EXPECT_EQ(got[0].status, IBV_WC_LOC_PROT_ERR);
		EXPECT_EQ(got[1].status, IBV_WC_WR_FLUSH_ERR);
	}
};

TEST_F(SendStateTest, SqeAndBack)
{
	for (ibv_qp_type type : {IBV_QPT_UC, IBV_QPT_UD}) {
		SCOPED_TRACE(type);
		QpSpec spec;
		spec.type = type;
		open(spec);
		Region into = b().reg(64), back = a().reg(64);
		fail_a_send();
		ASSERT_TRUE(eventually([&] { return query().qp_state == IBV_QPS_SQE; }));
		// The receive side goes on.
		SendSpec answer{};
		answer.to = a().address();
		ASSERT_EQ(a().post_recv(5, {back.sge()}), 0);
		ASSERT_EQ(b().post_send(answer), 0);
		EXPECT_EQ(one(a(), Queue::kReceive).status, IBV_WC_SUCCESS);
		ibv_qp_attr attr{};
		attr.qp_state = IBV_QPS_RTS;
		attr.cur_qp_state = IBV_QPS_RTS;
		EXPECT_EQ(modify(attr, IBV_QP_STATE | IBV_QP_CUR_STATE), EINVAL);
		attr.qp_state = IBV_QPS_SQD;
		EXPECT_EQ(modify(attr, IBV_QP_STATE), EINVAL);
		attr.qp_state = IBV_QPS_RTS;
		attr.cur_qp_state = IBV_QPS_SQE;
		ASSERT_EQ(modify(attr, IBV_QP_STATE | IBV_QP_CUR_STATE), 0);
		EXPECT_EQ(query().qp_state, IBV_QPS_RTS);
		ASSERT_EQ(b().post_recv(1, {into.sge()}), 0);
		SendSpec send{};
		send.to = b().address();
		complete(send);
		EXPECT_EQ(one(b(), Queue::kReceive).status, IBV_WC_SUCCESS);
	}
}

TEST_F(SendStateTest, NoSqeForRc)
{
	open();
	fail_a_send();
	EXPECT_TRUE(eventually([&] { return query().qp_state == IBV_QPS_ERR; }));
}

TEST_F(SendStateTest, AttributesOfADrainedQueue)
{
	open();
	expect_alive();
	ASSERT_EQ(a().move(IBV_QPS_SQD), 0);
	ASSERT_TRUE(eventually([&] { return !query().sq_draining; }));
	// What is posted waits.
	ASSERT_EQ(b().post_recv(1, {}), 0);
	ASSERT_EQ(a().post_send({.wr_id = 9}), 0);
	expect_quiet(a(), Queue::kSend);
	ibv_qp_attr attr = query();
	attr.max_rd_atomic = 2;
	attr.max_dest_rd_atomic = 3;
	attr.timeout = quick() ? 19 : 15;
	attr.retry_cnt = 5;
	attr.rnr_retry = 4;
	attr.min_rnr_timer = 20;
	attr.ah_attr.grh.traffic_class = 0x20;
	ASSERT_EQ(modify(attr, IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_TIMEOUT |
				       IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MIN_RNR_TIMER |
				       IBV_QP_AV | IBV_QP_PORT),
		  0);
	ibv_qp_attr got = query();
	EXPECT_EQ(got.qp_state, IBV_QPS_SQD);
	EXPECT_EQ(got.max_rd_atomic, 2);
	EXPECT_EQ(got.max_dest_rd_atomic, 3);
	EXPECT_EQ(got.timeout, attr.timeout);
	EXPECT_EQ(got.retry_cnt, 5);
	EXPECT_EQ(got.rnr_retry, 4);
	EXPECT_EQ(got.min_rnr_timer, 20);
	EXPECT_EQ(got.ah_attr.grh.traffic_class, 0x20);
	expect_quiet(a(), Queue::kSend);
	ASSERT_EQ(a().move(IBV_QPS_RTS), 0);
	EXPECT_EQ(one(a(), Queue::kSend).wr_id, 9u);
	EXPECT_EQ(one(b(), Queue::kReceive).wr_id, 1u);
	expect_alive();
}

TEST_F(SendStateTest, DrainedBehindWhatIsUnderWay)
{
	open();
	Region near = a().reg(1 << 20), far = b().reg(1 << 20);
	SendSpec write{.opcode = IBV_WR_RDMA_WRITE, .sges = {near.sge()}};
	write.remote_address = far.address;
	write.rkey = far.rkey;
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(a().post_send(write), 0);
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_SQD;
	attr.en_sqd_async_notify = 1;
	ASSERT_EQ(modify(attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	EXPECT_EQ(a().wait_event(patience()), IBV_EVENT_SQ_DRAINED);
	EXPECT_FALSE(query().sq_draining);
	size_t done = a().poll(Queue::kSend, 8, moment()).size();
	ASSERT_EQ(a().move(IBV_QPS_RTS), 0);
	EXPECT_EQ(a().poll(Queue::kSend, 8 - done).size(), 8 - done);
}

/// Opens @device anew, without CAP_NET_RAW; errno of setting a privileged Q_Key.
int privileged_qkey_without_capability(const Device &device)
{
	__user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
	__user_cap_data_struct data[2]{};
	if (syscall(SYS_capget, &header, data))
		return errno;
	data[0].effective &= ~(1u << CAP_NET_RAW);
	data[0].permitted &= ~(1u << CAP_NET_RAW);
	if (syscall(SYS_capset, &header, data))
		return errno;
	QpSpec spec;
	spec.type = IBV_QPT_UD;
	LocalEndpoint end(device, spec);
	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = kPort;
	attr.qkey = 0x80000001;
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
	int error = ibv_modify_qp(end.qp.get(), &attr, mask);
	return error < 0 ? errno : error;
}

class QkeyTest : public LocalTest {};

TEST_F(QkeyTest, PrivilegedForThePrivileged)
{
	QpSpec spec;
	spec.type = IBV_QPT_UD;
	LocalEndpoint end(local_device(), spec);
	PathSpec path;
	path.qkey = 0x80000001;
	EXPECT_NO_THROW(end.connect(end.address(), path));
}

TEST_F(QkeyTest, PrivilegedForNobodyElse)
{
	int status = 0;
	pid_t child = fork();
	ASSERT_GE(child, 0);
	if (child == 0)
		_exit(privileged_qkey_without_capability(local_device()));
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_TRUE(WIFEXITED(status));
	if (WEXITSTATUS(status) == 0)
		GTEST_SKIP() << "the kernel does not restrict privileged Q_Keys";
	EXPECT_EQ(WEXITSTATUS(status), EPERM);
}

} // namespace
} // namespace conformance
