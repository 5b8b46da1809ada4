// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Datagrams: payload limits, the GRH area, Q_Keys, and what is dropped.
#include <netinet/ip.h>

#include "link.h"

namespace conformance {
namespace {

constexpr uint32_t kGrh = 40;

class UdTest : public LinkTest, public testing::WithParamInterface<Family> {
protected:
	void SetUp() override
	{
		NEED_FAMILY(GetParam());
		open_ud({});
	}
	void open_ud(const PathSpec &path_b)
	{
		QpSpec spec;
		spec.type = IBV_QPT_UD;
		spec.family = GetParam();
		spec.inline_bytes = 32;
		open(spec, {}, spec, path_b);
		near_ = a().reg(8192);
		far_ = b().reg(8192);
		a().fill(near_.address, 8192, 1);
		b().fill(far_.address, 8192, 2);
	}
	SendSpec datagram(uint32_t size, ibv_wr_opcode opcode = IBV_WR_SEND)
	{
		SendSpec send{.opcode = opcode};
		if (size)
			send.sges = {near_.sge(0, size)};
		send.to = b().address();
		send.immediate = 0x12345678;
		return send;
	}
	ibv_sge receive_sge(uint32_t payload) { return far_.sge(0, kGrh + payload); }
	/// Nothing arrived, and the receive is still there for the next good datagram.
	void expect_dropped()
	{
		expect_quiet(b(), Queue::kReceive);
		complete(datagram(5));
		ibv_wc wc = one(b(), Queue::kReceive);
		EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
		EXPECT_EQ(wc.byte_len, kGrh + 5);
	}

	Region near_, far_;
};

TEST_P(UdTest, SizesUpToTheMtu)
{
	uint32_t mtu = mtu_bytes(local_device().port().active_mtu);
	for (auto opcode : {IBV_WR_SEND, IBV_WR_SEND_WITH_IMM}) {
		for (uint32_t size : {0u, 1u, 3u, 4u, 255u, 256u, 1023u, mtu - 1, mtu}) {
			SCOPED_TRACE(std::string(opcode_name(opcode)) + " of " +
				     std::to_string(size));
			b().fill(far_.address, 8192, 2);
			ASSERT_EQ(b().post_recv(size, {receive_sge(size)}), 0);
			complete(datagram(size, opcode));
			ibv_wc wc = one(b(), Queue::kReceive);
			EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
			EXPECT_EQ(wc.opcode, IBV_WC_RECV);
			EXPECT_EQ(wc.byte_len, kGrh + size);
			EXPECT_EQ(wc.src_qp, a().address().qpn);
			EXPECT_EQ(wc.qp_num, b().address().qpn);
			EXPECT_TRUE(wc.wc_flags & IBV_WC_GRH);
			EXPECT_EQ(wc.pkey_index, 0);
			bool imm = wc.wc_flags & IBV_WC_WITH_IMM;
			EXPECT_EQ(imm, has_immediate(opcode));
			EXPECT_EQ(imm ? be32toh(wc.imm_data) : 0x12345678, 0x12345678u);
			EXPECT_EQ(b().mismatch(far_.address + kGrh, size, 1), -1);
			EXPECT_EQ(b().mismatch(far_.address + kGrh + size, 100, 2, kGrh + size),
				  -1);
		}
	}
}

TEST_P(UdTest, GrhHoldsTheNetworkHeader)
{
	ASSERT_EQ(b().post_recv(1, {receive_sge(100)}), 0);
	complete(datagram(100));
	one(b(), Queue::kReceive);
	auto grh = b().peek(far_.address, kGrh);
	Address from = a().address(), to = b().address();
	if (GetParam() == Family::kIpv6) {
		EXPECT_EQ(grh[0] >> 4, 6);
		EXPECT_EQ(grh[4] << 8 | grh[5], 8 + 12 + 8 + 100 + 4)
			<< "UDP, BTH, DETH, payload, ICRC";
		EXPECT_EQ(grh[6], IPPROTO_UDP);
		EXPECT_EQ(memcmp(&grh[8], from.gid.raw, 16), 0);
		EXPECT_EQ(memcmp(&grh[24], to.gid.raw, 16), 0);
		return;
	}
	const uint8_t *ip = &grh[20];
	EXPECT_EQ(ip[0], 0x45);
	EXPECT_EQ(ip[2] << 8 | ip[3], 20 + 8 + 12 + 8 + 100 + 4);
	EXPECT_EQ(ip[9], IPPROTO_UDP);
	EXPECT_EQ(memcmp(ip + 12, from.gid.raw + 12, 4), 0);
	EXPECT_EQ(memcmp(ip + 16, to.gid.raw + 12, 4), 0);
	uint32_t sum = 0;
	for (int i = 0; i < 20; i += 2)
		sum += static_cast<uint32_t>(ip[i] << 8 | ip[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	EXPECT_EQ(sum, 0xffffu) << "IPv4 header checksum";
	EXPECT_NE(grh[0] >> 4, 6) << "would be taken for IPv6";
}

TEST_P(UdTest, AnswerByTheCompletion)
{
	if (!options().connect.empty())
		GTEST_SKIP() << "needs the peer's verbs objects";
	auto &peer = static_cast<LocalEndpoint &>(b());
	ASSERT_EQ(b().post_recv(1, {receive_sge(10)}), 0);
	complete(datagram(10));
	ibv_wc wc = one(b(), Queue::kReceive);
	Ah ah(ibv_create_ah_from_wc(peer.pd.get(), &wc, reinterpret_cast<ibv_grh *>(far_.address),
				    kPort));
	ASSERT_TRUE(ah) << strerror(errno);
	ASSERT_EQ(a().post_recv(2, {near_.sge(4096, 100)}), 0);
	ibv_send_wr wr{}, *bad;
	wr.opcode = IBV_WR_SEND;
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.wr.ud = {ah.get(), wc.src_qp, 0x11111111};
	ASSERT_EQ(ibv_post_send(peer.qp.get(), &wr, &bad), 0);
	EXPECT_EQ(one(a(), Queue::kReceive).src_qp, b().address().qpn);
	EXPECT_EQ(one(b(), Queue::kSend).status, IBV_WC_SUCCESS);
}

TEST_P(UdTest, WrongQkeyIsDropped)
{
	ASSERT_EQ(b().post_recv(1, {receive_sge(100)}), 0);
	SendSpec send = datagram(5);
	send.qkey = 0x11111112;
	complete(send);
	expect_dropped();
}

TEST_P(UdTest, QkeyWithBit31MeansThatOfTheQp)
{
	ASSERT_EQ(b().post_recv(1, {receive_sge(100)}), 0);
	SendSpec send = datagram(5);
	send.qkey = 0x80000000;
	complete(send);
	auto got = b().poll(Queue::kReceive, 1);
	ASSERT_EQ(got.size(), 1u);
	EXPECT_EQ(got[0].byte_len, kGrh + 5);
}

TEST_P(UdTest, UnknownQpIsDropped)
{
	ASSERT_EQ(b().post_recv(1, {receive_sge(100)}), 0);
	SendSpec send = datagram(5);
	send.to.qpn = 0xfffffe;
	complete(send);
	expect_dropped();
}

TEST_P(UdTest, NoReceiveNoRnr)
{
	complete(datagram(5));
	expect_quiet(b(), Queue::kReceive);
	ASSERT_EQ(b().post_recv(1, {receive_sge(100)}), 0);
	expect_quiet(b(), Queue::kReceive);
	complete(datagram(6));
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, kGrh + 6);
}

TEST_P(UdTest, ReceiveTooShortForTheGrhArea)
{
	ASSERT_EQ(b().post_recv(1, {receive_sge(9)}), 0);
	ASSERT_EQ(b().post_recv(2, {receive_sge(100)}), 0);
	complete(datagram(10));
	complete(datagram(7));
	// Dropped, or an error of that one receive; the QP goes on.
	ibv_wc wc = one(b(), Queue::kReceive);
	if (wc.status != IBV_WC_SUCCESS) {
		EXPECT_EQ(wc.status, IBV_WC_LOC_LEN_ERR);
		wc = one(b(), Queue::kReceive);
	}
	EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
	EXPECT_EQ(wc.byte_len, kGrh + 7);
}

TEST_P(UdTest, LongerThanTheMtuIsNotSent)
{
	// C10-93.1.1: nothing goes out. Devices refuse the post, complete it, or complete it in
	// error.
	uint32_t mtu = mtu_bytes(local_device().port().active_mtu);
	ASSERT_EQ(b().post_recv(1, {receive_sge(mtu + 1)}), 0);
	int error = a().post_send(datagram(mtu + 1));
	if (error) {
		EXPECT_EQ(error, EINVAL);
	} else {
		one(a(), Queue::kSend);
	}
	expect_quiet(b(), Queue::kReceive);
}

TEST_P(UdTest, InlineDatagram)
{
	ASSERT_EQ(b().post_recv(1, {receive_sge(32)}), 0);
	SendSpec send = datagram(32);
	send.flags |= IBV_SEND_INLINE;
	complete(send);
	EXPECT_EQ(one(b(), Queue::kReceive).byte_len, kGrh + 32);
	EXPECT_EQ(b().mismatch(far_.address + kGrh, 32, 1), -1);
}

TEST_P(UdTest, ABurstArrivesInOrder)
{
	constexpr uint32_t kCount = 60;
	for (uint32_t i = 0; i < kCount; i++)
		ASSERT_EQ(b().post_recv(i, {far_.sge(100 * i, 100)}), 0);
	for (uint32_t i = 0; i < kCount; i++) {
		SendSpec send = datagram(i % 32, IBV_WR_SEND_WITH_IMM);
		send.immediate = i;
		ASSERT_EQ(a().post_send(send), 0);
	}
	EXPECT_EQ(a().poll(Queue::kSend, kCount).size(), kCount);
	auto received = b().poll(Queue::kReceive, kCount);
	ASSERT_EQ(received.size(), kCount);
	for (uint32_t i = 0; i < kCount; i++) {
		EXPECT_EQ(received[i].wr_id, i);
		EXPECT_EQ(be32toh(received[i].imm_data), i);
	}
}

std::string name_of(const testing::TestParamInfo<Family> &info)
{
	return family_name(info.param);
}

INSTANTIATE_TEST_SUITE_P(Ip, UdTest, testing::Values(Family::kIpv4, Family::kIpv6), name_of);

} // namespace
} // namespace conformance
