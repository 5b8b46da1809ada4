/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * The QPs that complete into a CQ, by number.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace srnic {

struct QueuePair;

/**
 * Hash table with open addressing. Each CQ has its own, used under the CQ's lock:
 * a QP that was found stays until the lock is released.
 */
class QpTable {
public:
	QpTable() = default;
	~QpTable();
	QpTable(const QpTable &) = delete;
	QpTable &operator=(const QpTable &) = delete;

	/** Adds a QP, or puts it in the place of another one; @return 0 or ENOMEM. */
	int insert(std::uint32_t qpn, QueuePair *qp);
	void erase(std::uint32_t qpn);

	/** The QP of this number, or nullptr. */
	QueuePair *find(std::uint32_t qpn)
	{
		// Completions come in runs of one QP.
		if (last_.qp && last_.qpn == qpn)
			return last_.qp;
		return look_up(qpn);
	}

private:
	struct Entry {
		QueuePair *qp;
		std::uint32_t qpn;
	};

	std::size_t home(std::uint32_t qpn) const;
	std::size_t slot_of(std::uint32_t qpn) const;
	QueuePair *look_up(std::uint32_t qpn);
	int grow();

	Entry *entries_ = nullptr;
	std::size_t mask_ = 0;
	std::size_t used_ = 0;
	Entry last_{};
};

} // namespace srnic
