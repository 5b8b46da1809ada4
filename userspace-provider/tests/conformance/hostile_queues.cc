// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Garbage in every field of the send queue, one at a time.
#include <functional>

#include "hostile.h"

namespace conformance {
namespace {

class HostileQueueTest : public HostileTest {
protected:
	using Spoil = std::function<void(srnic_send_wqe &)>;

	/// A request that is valid but for what @spoil does must fail alone.
	void send_spoiled(const std::string &what, const Spoil &spoil,
			  ibv_qp_type type = IBV_QPT_RC)
	{
		SCOPED_TRACE(what);
		open(type);
		spoil(queues().next_send());
		queues().submit_send();
		expect_error_completion(what);
	}
};

TEST_F(HostileQueueTest, RequestsByHandWork)
{
	// The same way without garbage: else the tests below would show nothing.
	open();
	Region near = attacker().reg(100), far = victim().reg(100);
	attacker().fill(near.address, 100, 1);
	srnic_send_wqe &wqe = queues().next_send();
	wqe.num_sge = 1;
	*SharedQueues::elements(wqe) = {near.address, 100, near.lkey};
	wqe.rdma.remote_addr = far.address;
	wqe.rdma.rkey = far.rkey;
	queues().submit_send();
	auto completions = attacker().poll(Queue::kSend, 1);
	ASSERT_EQ(completions.size(), 1u);
	EXPECT_EQ(completions[0].status, IBV_WC_SUCCESS);
	EXPECT_EQ(victim().mismatch(far.address, 100, 1), -1);
}

TEST_F(HostileQueueTest, SendProducerIndex)
{
	for (uint32_t jump : {0u, 1000u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0xfffffff0u}) {
		SCOPED_TRACE(jump);
		open();
		if (jump == 0)
			jump = attacker().caps.max_send_wr + 1;
		queues().sq().producer += jump;
		queues().kick();
		expect_error_state("producer + " + std::to_string(jump));
	}
}

TEST_F(HostileQueueTest, Opcodes)
{
	for (unsigned opcode = 7; opcode < 256;
	     opcode += opcode < 48 ? scaled(1u, 7u) : scaled(13u, 60u)) {
		if (opcode == SRNIC_WR_SEND_WITH_INV)
			continue; // it is good
		send_spoiled("opcode " + std::to_string(opcode),
			     [&](auto &wqe) { wqe.opcode = static_cast<uint8_t>(opcode); });
	}
	for (unsigned opcode : {0u, 1u, 4u, 5u, 6u, 7u, 8u, 9u})
		send_spoiled(
			"UD opcode " + std::to_string(opcode),
			[&](auto &wqe) { wqe.opcode = static_cast<uint8_t>(opcode); }, IBV_QPT_UD);
	for (unsigned opcode : {4u, 5u, 6u, 9u})
		send_spoiled(
			"UC opcode " + std::to_string(opcode),
			[&](auto &wqe) { wqe.opcode = static_cast<uint8_t>(opcode); }, IBV_QPT_UC);
	// To register kernel memory is the kernel's own (IB_WR_REG_MR), whatever the key.
	for (ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD})
		for (uint32_t key : {0u, 0x100u, 0xffffffffu})
			send_spoiled(
				"registration, key " + std::to_string(key),
				[&](auto &wqe) {
					wqe.opcode = 32;
					wqe.num_sge = 0;
					wqe.bind = {};
					wqe.bind.rkey = key;
					wqe.bind.access = 7;
				},
				type);
}

TEST_F(HostileQueueTest, ReservedFieldsAndFlags)
{
	for (unsigned bit = 4; bit < 8; bit++)
		send_spoiled("flag",
			     [&](auto &wqe) { wqe.flags |= static_cast<uint8_t>(1u << bit); });
	send_spoiled("reserved0", [](auto &wqe) { wqe.reserved0 = 1; });
	send_spoiled("srqn", [](auto &wqe) { wqe.srqn = 1; });
	send_spoiled("reserved2", [](auto &wqe) { wqe.reserved2 = 1ull << 63; });
	send_spoiled("rdma.reserved", [](auto &wqe) { wqe.rdma.reserved = 1; });
	send_spoiled(
		"ud.reserved", [](auto &wqe) { wqe.ud.reserved[4] = 1; }, IBV_QPT_UD);
	send_spoiled(
		"ud.remote_qpn", [](auto &wqe) { wqe.ud.remote_qpn = 1u << 24; }, IBV_QPT_UD);
}

TEST_F(HostileQueueTest, CountsAndLengths)
{
	for (unsigned count : {0u, 33u, 64u, 255u})
		send_spoiled("num_sge " + std::to_string(count), [&](auto &wqe) {
			wqe.num_sge = static_cast<uint8_t>(
				count ? count : attacker().caps.max_send_sge + 1);
		});
	for (uint32_t length : {0u, 65536u, 0x7fffffffu, 0xffffffffu})
		send_spoiled("inline_length " + std::to_string(length), [&](auto &wqe) {
			wqe.flags |= SRNIC_SEND_INLINE;
			wqe.inline_length = length ? length : attacker().caps.max_inline_data + 1;
		});
	send_spoiled("inline_length without the flag", [](auto &wqe) { wqe.inline_length = 8; });
	send_spoiled("inline with elements", [](auto &wqe) {
		wqe.flags |= SRNIC_SEND_INLINE;
		wqe.num_sge = 1;
	});
	send_spoiled("inline READ", [](auto &wqe) {
		wqe.opcode = SRNIC_WR_RDMA_READ;
		wqe.flags |= SRNIC_SEND_INLINE;
		wqe.inline_length = 8;
	});
}

TEST_F(HostileQueueTest, Elements)
{
	struct {
		uint64_t address;
		uint32_t length;
	} const cases[] = {{0, 1},
			   {UINT64_MAX, 1},
			   {UINT64_MAX - 10, 100},
			   {0xffff888000000000, 4096},
			   {0x1000, 0xffffffff},
			   {UINT64_MAX, 0xffffffff}};
	for (auto [address, length] : cases) {
		for (uint32_t key : {0u, 0xffffffffu, 1u}) {
			send_spoiled("element", [=](auto &wqe) {
				wqe.num_sge = 1;
				*SharedQueues::elements(wqe) = {address, length, key};
			});
		}
	}
	// Sums that overflow 32 bits.
	for (uint32_t length : {0x80000000u, 0xffffffffu, 0x40000000u})
		send_spoiled("sum of lengths", [=](auto &wqe) {
			wqe.num_sge = 4;
			for (int i = 0; i < 4; i++)
				SharedQueues::elements(wqe)[i] = {0x1000, length, 0};
		});
}

TEST_F(HostileQueueTest, ElementsOfARealRegion)
{
	for (int kind = 0; kind < 4; kind++) {
		open();
		Region near = attacker().reg(4096), far = victim().reg(8192);
		srnic_send_wqe &wqe = queues().next_send();
		wqe.num_sge = 1;
		wqe.rdma.remote_addr = far.address;
		wqe.rdma.rkey = far.rkey;
		srnic_sge sge{near.address, 4096, near.lkey};
		if (kind == 0)
			sge.length = 4097;
		else if (kind == 1)
			sge.addr -= 1;
		else if (kind == 2)
			sge.addr = near.address - (1ull << 32);
		else
			sge.lkey ^= 1;
		*SharedQueues::elements(wqe) = sge;
		queues().submit_send();
		EXPECT_EQ(expect_error_completion("element"), IBV_WC_LOC_PROT_ERR)
			<< "kind " << kind;
	}
}

TEST_F(HostileQueueTest, Atomics)
{
	for (uint32_t length : {0u, 4u, 7u, 16u})
		send_spoiled("atomic of a wrong length", [=](auto &wqe) {
			wqe.opcode = SRNIC_WR_ATOMIC_FETCH_AND_ADD;
			wqe.num_sge = 1;
			*SharedQueues::elements(wqe) = {0x1000, length, 0};
		});
	open();
	Region near = attacker().reg(8), far = victim().reg(16);
	srnic_send_wqe &wqe = queues().next_send();
	wqe.opcode = SRNIC_WR_ATOMIC_CMP_AND_SWP;
	wqe.num_sge = 1;
	*SharedQueues::elements(wqe) = {near.address, 8, near.lkey};
	wqe.rdma.remote_addr = far.address + 4;
	wqe.rdma.rkey = far.rkey;
	queues().submit_send();
	expect_error_completion("misaligned");
}

TEST_F(HostileQueueTest, Invalidates)
{
	for (uint32_t key : {0u, 1u, 0xffu, 0x100u, 0xffffffffu})
		send_spoiled("local invalidate", [=](auto &wqe) {
			wqe.opcode = SRNIC_WR_LOCAL_INV;
			wqe.imm = key;
		});
	send_spoiled("local invalidate with elements", [](auto &wqe) {
		wqe.opcode = SRNIC_WR_LOCAL_INV;
		wqe.num_sge = 1;
	});
	// Somebody else's region and window.
	send_spoiled("a region of others", [&](auto &wqe) {
		wqe.opcode = SRNIC_WR_LOCAL_INV;
		wqe.imm = victim().reg(64).rkey;
	});
	send_spoiled("a window of others", [&](auto &wqe) {
		wqe.opcode = SRNIC_WR_LOCAL_INV;
		wqe.imm = victim().alloc_window(IBV_MW_TYPE_2).rkey;
	});
}

TEST_F(HostileQueueTest, Binds)
{
	constexpr int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND;
	using Bind = decltype(srnic_send_wqe::bind);
	// Each of these makes a good bind a bad one.
	const std::function<void(srnic_send_wqe &, Bind &)> spoils[] = {
		[](auto &, auto &bind) { bind.rkey = 0; },
		[](auto &, auto &bind) { bind.rkey = 0xffffffff; },
		[](auto &, auto &bind) { bind.rkey = bind.lkey; },
		[&](auto &, auto &bind) { bind.rkey = victim().alloc_window(IBV_MW_TYPE_2).rkey; },
		[](auto &, auto &bind) { bind.lkey ^= 1; },
		[](auto &, auto &bind) { bind.lkey = bind.rkey; },
		[&](auto &, auto &bind) { bind.lkey = victim().reg(4096, access).lkey; },
		[](auto &, auto &bind) { bind.addr--; },
		[](auto &, auto &bind) { bind.addr = UINT64_MAX; },
		[](auto &, auto &bind) { bind.addr = 0xffff888000000000; },
		[](auto &, auto &bind) { bind.length = 0; },
		[](auto &, auto &bind) { bind.length++; },
		[](auto &, auto &bind) { bind.length = UINT64_MAX; },
		[](auto &, auto &bind) { bind.length = -bind.addr; },
		[](auto &, auto &bind) { bind.access = 0xffffffff; },
		[](auto &, auto &bind) { bind.access |= IBV_ACCESS_MW_BIND; },
		[](auto &, auto &bind) { bind.access |= IBV_ACCESS_ON_DEMAND; },
		[](auto &, auto &bind) { bind.reserved = 1; },
		[](auto &wqe, auto &) { wqe.num_sge = 1; },
		[](auto &wqe, auto &) { wqe.inline_length = 8; },
		[](auto &wqe, auto &) { wqe.flags |= SRNIC_SEND_INLINE; },
		[](auto &wqe, auto &) { wqe.reserved2 = 1; },
	};
	for (size_t i = 0; i <= std::size(spoils); i++) {
		SCOPED_TRACE(i);
		open();
		Region region = attacker().reg(4096, access);
		Window window = attacker().alloc_window(IBV_MW_TYPE_2);
		srnic_send_wqe &wqe = queues().next_send();
		wqe.opcode = SRNIC_WR_BIND_MW;
		wqe.num_sge = 0;
		wqe.bind = {region.address, 4096, window.rkey, region.lkey, kAllAccess, 0};
		if (i < std::size(spoils)) {
			spoils[i](wqe, wqe.bind);
			queues().submit_send();
			expect_error_completion("bind");
			continue;
		}
		// And without garbage it is good.
		queues().submit_send();
		auto completions = attacker().poll(Queue::kSend, 1);
		ASSERT_EQ(completions.size(), 1u);
		EXPECT_EQ(completions[0].status, IBV_WC_SUCCESS);
	}
}

TEST_F(HostileQueueTest, AddressHandles)
{
	// A handle of another PD, that of the pair opened here, is as wrong as one that is not
	// there.
	LocalEndpoint other(local_device(), {.type = IBV_QPT_UD});
	LocalEndpoint other_peer(peer_device(), {.type = IBV_QPT_UD});
	other_peer.connect(other.address(), {});
	other.connect(other_peer.address(), {});
	SharedQueues other_queues(other, other_peer);
	uint32_t foreign = other_queues.first_send().ud.ah;
	for (uint32_t ah : {foreign, 0u, 1u, 2u, 77u, 0x7fffffffu, 0xffffffffu}) {
		send_spoiled(
			"ah " + std::to_string(ah),
			[&](auto &wqe) {
				uint32_t own = queues().first_send().ud.ah;
				wqe.ud.ah = ah == own ? ~own : ah;
				wqe.ud.remote_qpn = victim().address().qpn;
			},
			IBV_QPT_UD);
	}
}

} // namespace
} // namespace conformance
