// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "qp_table.hpp"

#include <cerrno>
#include <cstdlib>

namespace srnic {
namespace {

constexpr std::size_t kFirstSize = 8;

} // namespace

QpTable::~QpTable()
{
	std::free(entries_);
}

std::size_t QpTable::home(std::uint32_t qpn) const
{
	// Multiplicative hashing with 2^32 / golden ratio; the high bits are the good ones.
	return (qpn * std::uint32_t{2654435769U} >> 8) & mask_;
}

/** The slot that holds @p qpn, else the empty one where it would go. */
std::size_t QpTable::slot_of(std::uint32_t qpn) const
{
	std::size_t slot = home(qpn);

	while (entries_[slot].qp && entries_[slot].qpn != qpn)
		slot = (slot + 1) & mask_;
	return slot;
}

QueuePair *QpTable::look_up(std::uint32_t qpn)
{
	if (used_ == 0)
		return nullptr;

	const Entry &entry = entries_[slot_of(qpn)];

	if (entry.qp)
		last_ = entry;
	return entry.qp;
}

int QpTable::grow()
{
	const std::size_t old_size = entries_ ? mask_ + 1 : 0;
	const std::size_t size = old_size ? 2 * old_size : kFirstSize;
	Entry *const old = entries_;
	auto *fresh = static_cast<Entry *>(std::calloc(size, sizeof(Entry)));

	if (!fresh)
		return ENOMEM;
	entries_ = fresh;
	mask_ = size - 1;
	for (std::size_t i = 0; i < old_size; ++i) {
		if (old[i].qp)
			entries_[slot_of(old[i].qpn)] = old[i];
	}
	std::free(old);
	return 0;
}

int QpTable::insert(std::uint32_t qpn, QueuePair *qp)
{
	// At most half full, so that a search always meets an empty slot, and soon.
	if (!entries_ || 2 * (used_ + 1) > mask_ + 1) {
		if (const int err = grow())
			return err;
	}

	Entry &entry = entries_[slot_of(qpn)];

	if (!entry.qp)
		++used_;
	entry = Entry{qp, qpn};
	last_ = entry;
	return 0;
}

void QpTable::erase(std::uint32_t qpn)
{
	last_ = Entry{};
	if (used_ == 0)
		return;

	std::size_t hole = slot_of(qpn);

	if (!entries_[hole].qp)
		return;
	// Move back what could no longer be found behind the hole.
	for (std::size_t i = (hole + 1) & mask_; entries_[i].qp; i = (i + 1) & mask_) {
		const std::size_t displacement = (i - home(entries_[i].qpn)) & mask_;

		if (displacement >= ((i - hole) & mask_)) {
			entries_[hole] = entries_[i];
			hole = i;
		}
	}
	entries_[hole] = Entry{};
	--used_;
}

} // namespace srnic
