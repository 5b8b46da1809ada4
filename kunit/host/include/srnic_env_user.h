/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User side of the driver's env.h: the kernel's names for pure code, on the host.
 *
 * Kept to what pure rooms may use: types, bit and byte order helpers, checked
 * arithmetic, CRC-32. Include it through env.h only. In C++ the names that would
 * break the standard library's headers (min, max, swap...) are left out.
 */
#ifndef SRNIC_ENV_USER_H
#define SRNIC_ENV_USER_H

#include <asm/byteorder.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef __u64 u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef __s64 s64;

#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define S64_MAX		((s64)(U64_MAX >> 1))

/* compiler */
#ifndef __packed
#define __packed	__attribute__((packed))
#endif
#ifndef __aligned
#define __aligned(x)	__attribute__((aligned(x)))
#endif
#ifndef __always_inline
#define __always_inline	inline __attribute__((always_inline))
#endif
#define noinline	__attribute__((noinline))
#define __must_check	__attribute__((warn_unused_result))
#ifndef __cplusplus
#define __maybe_unused	__attribute__((unused))
#define fallthrough	__attribute__((fallthrough))
#endif
#define __force
#define __user
#define __iomem
#define __rcu
#define __read_mostly
#define __ro_after_init
#define ____cacheline_aligned	__attribute__((aligned(64)))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define barrier()	__asm__ __volatile__("" ::: "memory")

#ifndef __cplusplus
#define static_assert(expr, ...) \
	srnic_static_assert_(expr, ##__VA_ARGS__, #expr)
#define srnic_static_assert_(expr, msg, ...)	_Static_assert(expr, msg)
#endif

#define BUILD_BUG_ON(cond) \
	((void)sizeof(char[1 - 2 * !!(cond)]))

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val)	(*(volatile __typeof__(x) *)&(x) = (val))
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)

/* A warning is a failed test here. */
#define WARN_ON_ONCE(cond) ({						\
	bool srnic_warn_ = !!(cond);					\
									\
	if (srnic_warn_) {						\
		fprintf(stderr, "WARNING: %s at %s:%d\n", #cond,	\
			__FILE__, __LINE__);				\
		abort();						\
	}								\
	srnic_warn_;							\
})
#define WARN_ON(cond)	WARN_ON_ONCE(cond)

/* bits */
#define BITS_PER_LONG	((int)sizeof(long) * 8)
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define GENMASK(h, l) \
	((~0UL - (1UL << (l)) + 1) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#define GENMASK_ULL(h, l) \
	((~0ULL - (1ULL << (l)) + 1) & (~0ULL >> (63 - (h))))
#define srnic_bf_shift_(mask)	(__builtin_ffsll(mask) - 1)
#define FIELD_GET(mask, reg) \
	((__typeof__(mask))(((reg) & (mask)) >> srnic_bf_shift_(mask)))
#define FIELD_PREP(mask, val) \
	(((__typeof__(mask))(val) << srnic_bf_shift_(mask)) & (mask))
#define FIELD_MAX(mask) \
	((__typeof__(mask))((mask) >> srnic_bf_shift_(mask)))
#define FIELD_FIT(mask, val) \
	(!((((__typeof__(mask))(val)) << srnic_bf_shift_(mask)) & ~(mask)))

/* arithmetic */
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d)	DIV_ROUND_UP((u64)(n), (u64)(d))
#define round_up(x, y)		((((x) - 1) | ((__typeof__(x))((y) - 1))) + 1)
#define round_down(x, y)	((x) & ~((__typeof__(x))((y) - 1)))
#define roundup(x, y)		((((x) + ((y) - 1)) / (y)) * (y))
#define rounddown(x, y)		((x) - ((x) % (y)))
#define ALIGN(x, a)		round_up(x, a)
#define ALIGN_DOWN(x, a)	round_down(x, a)
#define IS_ALIGNED(x, a)	(((x) & ((__typeof__(x))(a) - 1)) == 0)
#define PTR_ALIGNED_(p, a)	(((uintptr_t)(p) & ((a) - 1)) == 0)
#define sizeof_field(t, f)	sizeof(((t *)0)->f)
#define offsetofend(t, f)	(offsetof(t, f) + sizeof_field(t, f))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#ifndef __cplusplus
#define min(x, y) ({							\
	__typeof__(x) srnic_min1_ = (x);				\
	__typeof__(y) srnic_min2_ = (y);				\
									\
	(void)(&srnic_min1_ == &srnic_min2_);				\
	srnic_min1_ < srnic_min2_ ? srnic_min1_ : srnic_min2_;		\
})
#define max(x, y) ({							\
	__typeof__(x) srnic_max1_ = (x);				\
	__typeof__(y) srnic_max2_ = (y);				\
									\
	(void)(&srnic_max1_ == &srnic_max2_);				\
	srnic_max1_ > srnic_max2_ ? srnic_max1_ : srnic_max2_;		\
})
#define min3(x, y, z)		min((__typeof__(x))min(x, y), z)
#define max3(x, y, z)		max((__typeof__(x))max(x, y), z)
#define clamp(val, lo, hi)	min((__typeof__(val))max(val, lo), hi)
#define swap(a, b) do {							\
	__typeof__(a) srnic_tmp_ = (a);					\
									\
	(a) = (b);							\
	(b) = srnic_tmp_;						\
} while (0)
#endif /* !__cplusplus */

#define min_t(t, x, y) ({						\
	t srnic_mt1_ = (x);						\
	t srnic_mt2_ = (y);						\
									\
	srnic_mt1_ < srnic_mt2_ ? srnic_mt1_ : srnic_mt2_;		\
})
#define max_t(t, x, y) ({						\
	t srnic_mt1_ = (x);						\
	t srnic_mt2_ = (y);						\
									\
	srnic_mt1_ > srnic_mt2_ ? srnic_mt1_ : srnic_mt2_;		\
})
#define clamp_t(t, val, lo, hi)	min_t(t, max_t(t, val, lo), hi)
#define clamp_val(val, lo, hi)	clamp_t(__typeof__(val), val, lo, hi)

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d)	__builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)

/* No speculation barrier: nothing here is a trust boundary. */
#define array_index_nospec(index, size)	((void)(size), (index))

#define ilog2(n)		(63 - __builtin_clzll((u64)(n)))
#define is_power_of_2(n)	((n) != 0 && (((n) & ((n) - 1)) == 0))
#define roundup_pow_of_two(n)	((n) <= 1 ? 1UL : 1UL << (ilog2((n) - 1) + 1))
#define rounddown_pow_of_two(n)	(1UL << ilog2(n))
#define order_base_2(n)		((n) > 1 ? ilog2((n) - 1) + 1 : 0)

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline unsigned long __ffs(unsigned long x)
{
	return __builtin_ctzl(x);
}

#define hweight32(x)	((unsigned int)__builtin_popcount(x))
#define hweight64(x)	((unsigned long)__builtin_popcountll(x))

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * mul) >> shift);
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	return (u64)((unsigned __int128)a * b / c);
}

#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L
#define USEC_PER_SEC	1000000L

/* byte order */
#define cpu_to_be16(x)	((__be16)htobe16(x))
#define cpu_to_be32(x)	((__be32)htobe32(x))
#define cpu_to_be64(x)	((__be64)htobe64(x))
#define be16_to_cpu(x)	((u16)be16toh(x))
#define be32_to_cpu(x)	((u32)be32toh(x))
#define be64_to_cpu(x)	((u64)be64toh(x))
#define cpu_to_le16(x)	((__le16)htole16(x))
#define cpu_to_le32(x)	((__le32)htole32(x))
#define cpu_to_le64(x)	((__le64)htole64(x))
#define le16_to_cpu(x)	((u16)le16toh(x))
#define le32_to_cpu(x)	((u32)le32toh(x))
#define le64_to_cpu(x)	((u64)le64toh(x))

#define SRNIC_UNALIGNED_(bits, end)					\
static inline u##bits get_unaligned_##end##bits(const void *p)		\
{									\
	u##bits v;							\
									\
	memcpy(&v, p, sizeof(v));					\
	return end##bits##toh(v);					\
}									\
									\
static inline void put_unaligned_##end##bits(u##bits v, void *p)	\
{									\
	v = hto##end##bits(v);						\
	memcpy(p, &v, sizeof(v));					\
}

SRNIC_UNALIGNED_(16, be)
SRNIC_UNALIGNED_(32, be)
SRNIC_UNALIGNED_(64, be)
SRNIC_UNALIGNED_(16, le)
SRNIC_UNALIGNED_(32, le)
SRNIC_UNALIGNED_(64, le)

#define get_unaligned(ptr) ({						\
	__typeof__(*(ptr)) srnic_una_;					\
									\
	memcpy((void *)&srnic_una_, (ptr), sizeof(srnic_una_));		\
	srnic_una_;							\
})
#define put_unaligned(val, ptr) do {					\
	__typeof__(*(ptr)) srnic_una_ = (val);				\
									\
	memcpy((ptr), &srnic_una_, sizeof(srnic_una_));			\
} while (0)

#define SRNIC_CRC32_LE_IS_FAST	0

/* kunit/host/crc32.c: raw CRC-32 state in and out, no inversion, as in the kernel. */
#ifdef __cplusplus
extern "C"
#endif
u32 crc32_le(u32 crc, unsigned char const *p, size_t len);

#endif /* SRNIC_ENV_USER_H */
