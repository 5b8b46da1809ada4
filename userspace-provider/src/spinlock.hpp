/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * Lock of a queue. Verbs are thread-safe; a queue is held for tens of
 * nanoseconds and mostly by the same thread, so it spins.
 */
#pragma once

#include <pthread.h>

namespace srnic {

/** pthread_spinlock_t with an owner of its life. */
class SpinLock {
public:
	SpinLock() { pthread_spin_init(&lock_, PTHREAD_PROCESS_PRIVATE); }
	~SpinLock() { pthread_spin_destroy(&lock_); }
	SpinLock(const SpinLock &) = delete;
	SpinLock &operator=(const SpinLock &) = delete;

	void lock() { pthread_spin_lock(&lock_); }
	void unlock() { pthread_spin_unlock(&lock_); }

private:
	pthread_spinlock_t lock_;
};

/** pthread_mutex_t likewise: for who waits for a system call. */
class SleepLock {
public:
	SleepLock() { pthread_mutex_init(&lock_, nullptr); }
	~SleepLock() { pthread_mutex_destroy(&lock_); }
	SleepLock(const SleepLock &) = delete;
	SleepLock &operator=(const SleepLock &) = delete;

	void lock() { pthread_mutex_lock(&lock_); }
	void unlock() { pthread_mutex_unlock(&lock_); }

private:
	pthread_mutex_t lock_;
};

/** A lock, unless the program has promised to use its owner from one thread. */
struct OptionalLock {
	SpinLock spin;
	bool off = false;

	void lock()
	{
		if (!off)
			spin.lock();
	}
	void unlock()
	{
		if (!off)
			spin.unlock();
	}
};

/** Holds a lock while in scope. */
template <class Lock> class Guard {
public:
	explicit Guard(Lock &lock) : lock_(lock) { lock_.lock(); }
	~Guard() { lock_.unlock(); }
	Guard(const Guard &) = delete;
	Guard &operator=(const Guard &) = delete;

private:
	Lock &lock_;
};

} // namespace srnic
