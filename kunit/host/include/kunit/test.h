/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Enough of KUnit's API to run the suites of kunit/ on the host, as TAP.
 *
 * Same names and meaning as <linux/../kunit/test.h> of 6.1; each case is one TAP
 * line. Memory of kunit_kzalloc() is exactly as large as asked for and freed after
 * the case, so AddressSanitizer sees every overrun.
 */
#ifndef SRNIC_HOST_KUNIT_TEST_H
#define SRNIC_HOST_KUNIT_TEST_H

#include <srnic_env_user.h>

#include <setjmp.h>
#include <stdarg.h>

#define KUNIT_PARAM_DESC_SIZE	128

#ifndef GFP_KERNEL
#define GFP_KERNEL		0
#endif

struct kunit_alloc;

struct kunit {
	void *priv;
	const char *name;
	const void *param_value;
	int param_index;
	bool failed;
	bool skipped;
	char skip_reason[KUNIT_PARAM_DESC_SIZE];
	struct kunit_alloc *allocs;
	jmp_buf abort;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char name[256];
	int (*suite_init)(struct kunit_suite *suite);
	void (*suite_exit)(struct kunit_suite *suite);
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

void srnic_kunit_register(struct kunit_suite *suite);
void srnic_kunit_fail(struct kunit *test, const char *file, int line,
		      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void srnic_kunit_abort(struct kunit *test) __attribute__((noreturn));
void kunit_info(struct kunit *test, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void *kunit_kzalloc(struct kunit *test, size_t size, unsigned int gfp);
void kunit_kfree(struct kunit *test, const void *ptr);

#define kunit_kmalloc(test, size, gfp)		kunit_kzalloc(test, size, gfp)
#define kunit_kcalloc(test, n, size, gfp)	kunit_kzalloc(test, (n) * (size), gfp)
#define kunit_err	kunit_info
#define kunit_warn	kunit_info

#define KUNIT_CASE(test_name)	{ .run_case = test_name, .name = #test_name }
#define KUNIT_CASE_SLOW(test_name)	KUNIT_CASE(test_name)
#define KUNIT_CASE_PARAM(test_name, gen) \
	{ .run_case = test_name, .name = #test_name, .generate_params = gen }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)				\
	static const void *name##_gen_params(const void *prev, char *desc)	\
	{									\
		void (*describe)(__typeof__(&(array)[0]), char *) = get_desc;	\
		__typeof__(&(array)[0]) next = prev ?				\
			(__typeof__(&(array)[0]))prev + 1 : (array);		\
										\
		if ((size_t)(next - (array)) >= ARRAY_SIZE(array))		\
			return NULL;						\
		if (describe)							\
			describe(next, desc);					\
		return next;							\
	}

#define SRNIC_KUNIT_CAT_(a, b)	a##b
#define SRNIC_KUNIT_CAT(a, b)	SRNIC_KUNIT_CAT_(a, b)

#define kunit_test_suites(...)							\
	static void __attribute__((constructor))				\
	SRNIC_KUNIT_CAT(srnic_register_, __LINE__)(void)			\
	{									\
		struct kunit_suite *suites[] = { __VA_ARGS__ };			\
										\
		for (size_t i = 0; i < ARRAY_SIZE(suites); i++)			\
			srnic_kunit_register(suites[i]);			\
	}									\
	struct kunit_suite
#define kunit_test_suite(suite)	kunit_test_suites(&suite)

#define kunit_skip(test, fmt, ...) do {						\
	(test)->skipped = true;							\
	snprintf((test)->skip_reason, sizeof((test)->skip_reason), fmt,		\
		 ##__VA_ARGS__);						\
	srnic_kunit_abort(test);						\
} while (0)

#define SRNIC_KUNIT_CHECK_(test, fatal, cond, fmt, ...) do {			\
	if (!(cond)) {								\
		srnic_kunit_fail(test, __FILE__, __LINE__, fmt, ##__VA_ARGS__);	\
		if (fatal)							\
			srnic_kunit_abort(test);				\
	}									\
} while (0)

#define SRNIC_KUNIT_BINARY_(test, fatal, l, op, r, fmt, ...) do {		\
	__typeof__(l) srnic_l_ = (l);						\
	__typeof__(r) srnic_r_ = (r);						\
										\
	SRNIC_KUNIT_CHECK_(test, fatal, srnic_l_ op srnic_r_,			\
			   "%s " #op " %s: %lld (0x%llx), %lld (0x%llx) " fmt,	\
			   #l, #r, (long long)srnic_l_, (long long)srnic_l_,	\
			   (long long)srnic_r_, (long long)srnic_r_,		\
			   ##__VA_ARGS__);					\
} while (0)

#define SRNIC_KUNIT_STR_(test, fatal, l, op, r) do {				\
	const char *srnic_l_ = (l), *srnic_r_ = (r);				\
										\
	SRNIC_KUNIT_CHECK_(test, fatal, strcmp(srnic_l_, srnic_r_) op 0,	\
			   "%s " #op " %s: \"%s\", \"%s\"", #l, #r,		\
			   srnic_l_, srnic_r_);					\
} while (0)

#define KUNIT_SUCCEED(test)		do { (void)(test); } while (0)
#define KUNIT_FAIL(test, fmt, ...) \
	SRNIC_KUNIT_CHECK_(test, 0, 0, fmt, ##__VA_ARGS__)

#define KUNIT_EXPECT_TRUE(t, c)		SRNIC_KUNIT_CHECK_(t, 0, c, "%s is false", #c)
#define KUNIT_EXPECT_FALSE(t, c)	SRNIC_KUNIT_CHECK_(t, 0, !(c), "%s is true", #c)
#define KUNIT_ASSERT_TRUE(t, c)		SRNIC_KUNIT_CHECK_(t, 1, c, "%s is false", #c)
#define KUNIT_ASSERT_FALSE(t, c)	SRNIC_KUNIT_CHECK_(t, 1, !(c), "%s is true", #c)
#define KUNIT_EXPECT_TRUE_MSG(t, c, fmt, ...) \
	SRNIC_KUNIT_CHECK_(t, 0, c, "%s is false " fmt, #c, ##__VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(t, c, fmt, ...) \
	SRNIC_KUNIT_CHECK_(t, 0, !(c), "%s is true " fmt, #c, ##__VA_ARGS__)
#define KUNIT_ASSERT_TRUE_MSG(t, c, fmt, ...) \
	SRNIC_KUNIT_CHECK_(t, 1, c, "%s is false " fmt, #c, ##__VA_ARGS__)
#define KUNIT_ASSERT_FALSE_MSG(t, c, fmt, ...) \
	SRNIC_KUNIT_CHECK_(t, 1, !(c), "%s is true " fmt, #c, ##__VA_ARGS__)

#define KUNIT_EXPECT_EQ(t, l, r)	SRNIC_KUNIT_BINARY_(t, 0, l, ==, r, "")
#define KUNIT_EXPECT_NE(t, l, r)	SRNIC_KUNIT_BINARY_(t, 0, l, !=, r, "")
#define KUNIT_EXPECT_LT(t, l, r)	SRNIC_KUNIT_BINARY_(t, 0, l, <, r, "")
#define KUNIT_EXPECT_LE(t, l, r)	SRNIC_KUNIT_BINARY_(t, 0, l, <=, r, "")
#define KUNIT_EXPECT_GT(t, l, r)	SRNIC_KUNIT_BINARY_(t, 0, l, >, r, "")
#define KUNIT_EXPECT_GE(t, l, r)	SRNIC_KUNIT_BINARY_(t, 0, l, >=, r, "")
#define KUNIT_ASSERT_EQ(t, l, r)	SRNIC_KUNIT_BINARY_(t, 1, l, ==, r, "")
#define KUNIT_ASSERT_NE(t, l, r)	SRNIC_KUNIT_BINARY_(t, 1, l, !=, r, "")
#define KUNIT_ASSERT_LT(t, l, r)	SRNIC_KUNIT_BINARY_(t, 1, l, <, r, "")
#define KUNIT_ASSERT_LE(t, l, r)	SRNIC_KUNIT_BINARY_(t, 1, l, <=, r, "")
#define KUNIT_ASSERT_GT(t, l, r)	SRNIC_KUNIT_BINARY_(t, 1, l, >, r, "")
#define KUNIT_ASSERT_GE(t, l, r)	SRNIC_KUNIT_BINARY_(t, 1, l, >=, r, "")

#define KUNIT_EXPECT_EQ_MSG(t, l, r, ...) \
	SRNIC_KUNIT_BINARY_(t, 0, l, ==, r, __VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(t, l, r, ...) \
	SRNIC_KUNIT_BINARY_(t, 0, l, !=, r, __VA_ARGS__)
#define KUNIT_EXPECT_LT_MSG(t, l, r, ...) \
	SRNIC_KUNIT_BINARY_(t, 0, l, <, r, __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(t, l, r, ...) \
	SRNIC_KUNIT_BINARY_(t, 0, l, <=, r, __VA_ARGS__)
#define KUNIT_EXPECT_GT_MSG(t, l, r, ...) \
	SRNIC_KUNIT_BINARY_(t, 0, l, >, r, __VA_ARGS__)
#define KUNIT_EXPECT_GE_MSG(t, l, r, ...) \
	SRNIC_KUNIT_BINARY_(t, 0, l, >=, r, __VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, l, r, ...) \
	SRNIC_KUNIT_BINARY_(t, 1, l, ==, r, __VA_ARGS__)
#define KUNIT_ASSERT_NE_MSG(t, l, r, ...) \
	SRNIC_KUNIT_BINARY_(t, 1, l, !=, r, __VA_ARGS__)
#define KUNIT_ASSERT_LE_MSG(t, l, r, ...) \
	SRNIC_KUNIT_BINARY_(t, 1, l, <=, r, __VA_ARGS__)

#define KUNIT_EXPECT_PTR_EQ(t, l, r)	\
	SRNIC_KUNIT_BINARY_(t, 0, (uintptr_t)(l), ==, (uintptr_t)(r), "")
#define KUNIT_EXPECT_PTR_NE(t, l, r)	\
	SRNIC_KUNIT_BINARY_(t, 0, (uintptr_t)(l), !=, (uintptr_t)(r), "")
#define KUNIT_ASSERT_PTR_EQ(t, l, r)	\
	SRNIC_KUNIT_BINARY_(t, 1, (uintptr_t)(l), ==, (uintptr_t)(r), "")
#define KUNIT_ASSERT_PTR_NE(t, l, r)	\
	SRNIC_KUNIT_BINARY_(t, 1, (uintptr_t)(l), !=, (uintptr_t)(r), "")
#define KUNIT_EXPECT_NULL(t, p)		KUNIT_EXPECT_TRUE(t, !(p))
#define KUNIT_EXPECT_NOT_NULL(t, p)	KUNIT_EXPECT_TRUE(t, !!(p))
#define KUNIT_ASSERT_NULL(t, p)		KUNIT_ASSERT_TRUE(t, !(p))
#define KUNIT_ASSERT_NOT_NULL(t, p)	KUNIT_ASSERT_TRUE(t, !!(p))
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(t, p)	KUNIT_ASSERT_TRUE(t, !!(p))
#define KUNIT_EXPECT_NOT_NULL_MSG(t, p, ...)	KUNIT_EXPECT_TRUE_MSG(t, !!(p), __VA_ARGS__)
#define KUNIT_EXPECT_NULL_MSG(t, p, ...)	KUNIT_EXPECT_TRUE_MSG(t, !(p), __VA_ARGS__)
#define KUNIT_ASSERT_NOT_NULL_MSG(t, p, ...)	KUNIT_ASSERT_TRUE_MSG(t, !!(p), __VA_ARGS__)

#define KUNIT_EXPECT_STREQ(t, l, r)	SRNIC_KUNIT_STR_(t, 0, l, ==, r)
#define KUNIT_EXPECT_STRNEQ(t, l, r)	SRNIC_KUNIT_STR_(t, 0, l, !=, r)
#define KUNIT_ASSERT_STREQ(t, l, r)	SRNIC_KUNIT_STR_(t, 1, l, ==, r)

#endif /* SRNIC_HOST_KUNIT_TEST_H */
