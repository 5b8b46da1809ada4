// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs every registered suite and prints TAP.
 *
 * Usage: core_test [substring of suite.case ...]
 */
#include <kunit/test.h>

/* In front of each allocation's own malloc block, so that ASan guards both. */
struct kunit_alloc {
	struct kunit_alloc *next;
	void *mem;
};

static struct kunit_suite *suites;
static int passed, failed, skipped, number;

void srnic_kunit_register(struct kunit_suite *suite)
{
	struct kunit_suite **where = &suites;

	while (*where && strcmp((*where)->name, suite->name) < 0)
		where = &(*where)->next;
	suite->next = *where;
	*where = suite;
}

void srnic_kunit_fail(struct kunit *test, const char *file, int line,
		      const char *fmt, ...)
{
	va_list args;

	test->failed = true;
	printf("# %s:%d: %s", file, line, test->name);
	if (test->param_index >= 0)
		printf("[%d]", test->param_index);
	printf(": ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

void srnic_kunit_abort(struct kunit *test)
{
	longjmp(test->abort, 1);
}

void kunit_info(struct kunit *test, const char *fmt, ...)
{
	va_list args;

	printf("# %s: ", test->name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	if (!strchr(fmt, '\n'))
		printf("\n");
}

void *kunit_kzalloc(struct kunit *test, size_t size, unsigned int gfp)
{
	struct kunit_alloc *alloc = malloc(sizeof(*alloc));

	(void)gfp;
	alloc->mem = malloc(size);
	memset(alloc->mem, 0, size);
	alloc->next = test->allocs;
	test->allocs = alloc;
	return alloc->mem;
}

void kunit_kfree(struct kunit *test, const void *ptr)
{
	struct kunit_alloc **where = &test->allocs;

	while (*where && (*where)->mem != ptr)
		where = &(*where)->next;
	if (*where) {
		struct kunit_alloc *gone = *where;

		*where = gone->next;
		free(gone->mem);
		free(gone);
	}
}

static void free_all(struct kunit *test)
{
	while (test->allocs)
		kunit_kfree(test, test->allocs->mem);
}

static void run_once(struct kunit_suite *suite, struct kunit_case *c, struct kunit *test)
{
	if (!setjmp(test->abort)) {
		if (!suite->init || !suite->init(test))
			c->run_case(test);
		else
			test->failed = true;
	}
	if (suite->exit && !setjmp(test->abort))
		suite->exit(test);
	free_all(test);
}

static void run_case(struct kunit_suite *suite, struct kunit_case *c)
{
	struct kunit test = { .name = c->name, .param_index = -1 };
	char desc[KUNIT_PARAM_DESC_SIZE];

	if (c->generate_params) {
		while ((test.param_value = c->generate_params(test.param_value, desc))) {
			test.param_index++;
			test.priv = NULL;
			run_once(suite, c, &test);
		}
	} else {
		run_once(suite, c, &test);
	}

	number++;
	if (test.failed) {
		failed++;
		printf("not ok %d - %s.%s\n", number, suite->name, c->name);
	} else if (test.skipped) {
		skipped++;
		printf("ok %d - %s.%s # SKIP %s\n", number, suite->name, c->name,
		       test.skip_reason);
	} else {
		passed++;
		printf("ok %d - %s.%s\n", number, suite->name, c->name);
	}
	fflush(stdout);
}

static bool wanted(struct kunit_suite *suite, struct kunit_case *c, char **argv)
{
	char name[512];

	if (!argv[1])
		return true;
	snprintf(name, sizeof(name), "%s.%s", suite->name, c->name);
	for (int i = 1; argv[i]; i++)
		if (strstr(name, argv[i]))
			return true;
	return false;
}

static void run_suite(struct kunit_suite *suite, char **argv)
{
	if (suite->suite_init && suite->suite_init(suite)) {
		failed++;
		printf("not ok %d - %s suite_init\n", ++number, suite->name);
		return;
	}
	for (struct kunit_case *c = suite->test_cases; c->run_case; c++)
		if (wanted(suite, c, argv))
			run_case(suite, c);
	if (suite->suite_exit)
		suite->suite_exit(suite);
}

int main(int argc, char **argv)
{
	(void)argc;
	printf("TAP version 13\n");
	for (struct kunit_suite *suite = suites; suite; suite = suite->next)
		run_suite(suite, argv);
	printf("1..%d\n", number);
	printf("# core suites: %d passed, %d failed, %d skipped\n", passed, failed, skipped);
	return failed ? 1 : 0;
}
