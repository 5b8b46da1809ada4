// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "doorbell.hpp"

#include <cerrno>

#include "memory.hpp"
#include "spinlock.hpp"

namespace srnic {
namespace {

/** pthread_mutex_t as Guard wants it. */
struct Mutex {
	pthread_mutex_t *mutex;
	void lock() const { pthread_mutex_lock(mutex); }
	void unlock() const { pthread_mutex_unlock(mutex); }
};

} // namespace

DoorbellPages::~DoorbellPages()
{
	while (first_) {
		Page *page = first_;

		first_ = page->next;
		destroy(page);
	}
	pthread_mutex_destroy(&lock_);
}

int DoorbellPages::acquire(int fd, std::uint64_t offset, std::uint32_t bytes, Page **page)
{
	Mutex mutex{&lock_};
	const Guard<Mutex> guard(mutex);

	for (Page *each = first_; each; each = each->next) {
		if (each->offset == offset) {
			++each->users;
			*page = each;
			return 0;
		}
	}

	Page *made = create<Page>();

	if (!made)
		return ENOMEM;
	if (const int err = made->mapping.map(fd, offset, bytes)) {
		destroy(made);
		return err;
	}
	made->offset = offset;
	made->users = 1;
	made->next = first_;
	first_ = made;
	*page = made;
	return 0;
}

void DoorbellPages::release(Page *page)
{
	Mutex mutex{&lock_};
	const Guard<Mutex> guard(mutex);

	if (--page->users)
		return;
	for (Page **link = &first_; *link; link = &(*link)->next) {
		if (*link == page) {
			*link = page->next;
			break;
		}
	}
	destroy(page);
}

} // namespace srnic
