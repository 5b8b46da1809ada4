// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// What can be tested on its own: index arithmetic of rings, the table of QPs.
#include <map>
#include <random>

#include "fake_kernel.hpp"
#include "qp_table.hpp"
#include "ring.hpp"

namespace {

using srnic::QpTable;
using srnic::QueuePair;
using srnic::WorkRing;

TEST(WorkRing, IndicesWrapAt32Bits)
{
	fake::Kernel kernel;
	const std::uint64_t offset = kernel.allocate(fake::kPage);
	auto *header = kernel.at<srnic_queue_header>(offset);
	WorkRing ring;

	ASSERT_EQ(ring.attach(kernel.fd, offset, fake::kPage, 4, 64), 0);
	// 2^32 requests later.
	ring.restart(0xfffffffe);
	for (int i = 0; i < 4; ++i)
		ASSERT_NE(ring.reserve(), nullptr);
	EXPECT_EQ(ring.reserve(), nullptr);
	ASSERT_TRUE(ring.publish());
	EXPECT_EQ(header->producer, 2U);
	EXPECT_EQ(ring.reserve(), nullptr);
	ring.complete(0xffffffff);
	EXPECT_NE(ring.reserve(), nullptr);
	EXPECT_EQ(ring.reserve(), nullptr);
	ring.complete(1);
	EXPECT_NE(ring.reserve(), nullptr);
	EXPECT_NE(ring.reserve(), nullptr);
	EXPECT_EQ(ring.reserve(), nullptr);
	ring.discard();
	EXPECT_FALSE(ring.publish());
	// Behind and ahead of what is in flight.
	ring.complete(0);
	ring.complete(3);
	for (int i = 0; i < 3; ++i)
		EXPECT_NE(ring.reserve(), nullptr);
	EXPECT_EQ(ring.reserve(), nullptr);
}

TEST(QpTable, AgreesWithAMap)
{
	QpTable table;
	std::map<std::uint32_t, QueuePair *> model;
	std::mt19937 random(20240229);

	// Few numbers, so that they collide, are replaced and taken out again.
	for (std::uintptr_t step = 1; step < 50000; ++step) {
		const std::uint32_t qpn = random() % 300 * 0x8001;
		auto *qp = reinterpret_cast<QueuePair *>(step * 64);

		switch (random() % 3) {
		case 0:
			ASSERT_EQ(table.insert(qpn, qp), 0);
			model[qpn] = qp;
			break;
		case 1:
			table.erase(qpn);
			model.erase(qpn);
			break;
		default:
			break;
		}

		// Often the one just touched: the table remembers the last it found.
		const std::uint32_t wanted = random() % 2 ? qpn : random() % 300 * 0x8001;
		const auto found = model.find(wanted);

		ASSERT_EQ(table.find(wanted), found == model.end() ? nullptr : found->second);
	}
	for (const auto &[qpn, qp] : model)
		ASSERT_EQ(table.find(qpn), qp);
}

TEST(Mapping, TakesAnotherInPlaceOfTheFirst)
{
	fake::Kernel kernel;
	const std::uint64_t one = kernel.allocate(fake::kPage);
	const std::uint64_t two = kernel.allocate(fake::kPage);
	srnic::Mapping mapping;

	*kernel.at<char>(two) = 'b';
	ASSERT_EQ(mapping.map(kernel.fd, one, fake::kPage), 0);

	std::byte *first = mapping.data();

	ASSERT_EQ(mapping.map(kernel.fd, two, fake::kPage), 0);
	EXPECT_EQ(static_cast<char>(*mapping.data()), 'b');
	// Not mapped any more.
	EXPECT_NE(msync(first, fake::kPage, MS_ASYNC), 0);
	mapping.unmap();
	EXPECT_EQ(mapping.data(), nullptr);
}

TEST(QpTable, EmptyFindsNothing)
{
	QpTable table;

	EXPECT_EQ(table.find(0), nullptr);
	EXPECT_EQ(table.find(0xffffffff), nullptr);
	table.erase(0);
}

} // namespace
