/* memory_sites.c: the type of a site from other runs, and levels of memory at the ends of windows. */
#include "analyze/memory/memory_sites.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/stream/counters.h"
#include "analyze/summary/live_memory.h"
#include "tap.h"

static struct memory_row row(const char *type, const char *site, enum memory_kind kind, double bytes, double blocks)
{
	struct memory_row r = {.type = (char *)type, .site = (char *)site, .kind = kind};

	r.value[MEMORY_LIVE] = (struct memory_value){.known = 1, .bytes = bytes, .objects = blocks};
	return r;
}

/* Two runs of 2 and 4 PEs: what a site is in the second, and what is known of the same site in the first. */
static void test_sites(void)
{
	static const struct {
		double blocks; /* in the run of 2 PEs, untyped */
		int slab;      /* in the run of 4 it is a slab */
		const char *site, *asked;
		int known;
	} cases[] = {
		{2, 1, "a.c:1", "a.c:1", 1},
		{3, 1, "a.c:1", "a.c:1", 0}, /* another number of blocks per PE */
		{2, 0, "a.c:1", "a.c:1", 0},
		{2, 1, "a.c:1", "b.c:2", 0},
		{2, 1, "a.c:1", NULL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct memory_row small[] = {row("untyped", cases[i].site, MEMORY_UNTYPED, 100, cases[i].blocks)};
		struct memory_row large[] = {row(cases[i].slab ? "proc_t[]" : "untyped", cases[i].site, cases[i].slab ? MEMORY_SLAB : MEMORY_UNTYPED, 800, 4)};
		struct memory a = {.row = small, .row_n = 1, .pes_counted = 2}, b = {.row = large, .row_n = 1, .pes_counted = 4};
		const struct memory *const run[] = {&a, &b};
		struct memory_sites *m = memory_sites_new(run, 2, MEMORY_LIVE);
		struct memory_row asked = row("untyped", cases[i].asked, MEMORY_UNTYPED, 1, 1);
		const struct memory_row *type = memory_sites_type(m, 0, &asked);

		ok(!!type == cases[i].known && (!type || !strcmp(type->type, "proc_t[]")), "case %zu: %s", i, type ? type->type : "unknown");
		ok(!memory_sites_type(m, 0, large) || large[0].kind == MEMORY_UNTYPED, "a row with a type needs none");
		memory_sites_free(m);
	}
	memory_sites_free(NULL);
}

static void change(struct live_memory *l, int64_t time, int64_t bytes)
{
	live_memory_note(l, (struct level_change){.time = time, .type = 0, .bytes = bytes, .blocks = bytes > 0 ? 1 : -1});
}

/* Two windows, 0 to 100 and 100 to 200; changes are noted in any order. */
static void test_levels(void)
{
	struct trace_memtype memtype = {.name = "list_t"};
	struct trace t = {.path = "t", .memtype = &memtype, .memtype_n = 1};
	static struct segment segment[] = {{0, 100, 0, 1}, {100, 200, 1, 1}};
	static uint32_t member[] = {0, 1};
	const struct segments of = {.v = segment, .v_n = 2, .member = member, .member_n = 2};
	struct counters c;
	struct live_memory l;
	uint32_t all;

	counters_init(&c, &t, 0);
	ok(c.level.names.name_n > 0 && counters_object(&c, 1u << 30) == NULL, "a type has levels; a number that is none has no object");
	live_memory_init(&l, &c, &of, 2, 1000);
	all = c.type[0].level[0];
	change(&l, 50, 300);
	change(&l, 10, 100);
	change(&l, 60, -300);
	change(&l, 150, 40);
	live_memory_advance(&l, 120);
	ok(!l.window_now[all].bytes, "a window ends with the first change after it");
	live_memory_advance(&l, 151);
	ok(l.window_now[all].bytes == 100 && l.window_peak[all].bytes == 400, "first window: %lld live, at most %lld", (long long)l.window_now[all].bytes,
	   (long long)l.window_peak[all].bytes);
	live_memory_advance(&l, INT64_MAX);
	ok(l.window_now[l.row_n + all].bytes == 140 && l.window_peak[l.row_n + all].bytes == 140 && l.window_base[l.row_n + all].bytes == 100,
	   "the second begins with what is live");
	live_memory_release(&l);
	live_memory_init(&l, &c, &of, 2, 180);
	l.gone = 180;
	change(&l, 10, 100);
	live_memory_advance(&l, INT64_MAX);
	ok(l.window_now[all].bytes == 100 && !l.window_now[l.row_n + all].bytes && l.window_peak[l.row_n + all].bytes == 100,
	   "the process is gone before the second window ends: nothing of it is live then, its peak remains");
	live_memory_release(&l);
	counters_release(&c);
}

static void test_names(void)
{
	ok(counters_pathless("Message size sent to node 3") != counters_pathless("Bytes Read"), "messages have no path, transfers of files may");
}

/* The levels of types with a site, an owner, and of a leak: alone they are the same as with all counters. */
static void test_levels_alone(void)
{
	struct trace_memtype memtype[] = {
		{.name = "list_t", .owner = TRACE_NONE, .call = TRACE_NONE},
		{.name = "item_t", .owner = 0, .site = "a.c:1", .call = TRACE_NONE},
		{.name = "item_t", .owner = TRACE_NONE, .leak = LEAK_LOST, .call = TRACE_NONE},
		{.name = "item_t", .owner = TRACE_NONE, .site = "b.c:2", .call = TRACE_NONE},
	};
	struct trace t = {.path = "t", .memtype = memtype, .memtype_n = sizeof(memtype) / sizeof(*memtype)};
	struct counters all, alone;
	size_t wrong = 0;

	counters_init(&all, &t, 0);
	counters_init_levels(&alone, &t);
	ok(all.level.names.name_n == 6 && alone.level.names.name_n == 6 && !alone.names.name_n, "6 levels, without names of counters");
	for (size_t i = 0; i < alone.level.names.name_n; i++)
		wrong += !!strcmp(alone.level.names.name[i], all.level.names.name[i]);
	for (size_t i = 0; i < t.memtype_n; i++)
		wrong += !!memcmp(alone.type[i].level, all.type[i].level, sizeof(all.type[i].level));
	ok(!wrong, "the same levels as with all counters");
	counters_release(&all);
	counters_release(&alone);
}

int main(void)
{
	test_sites();
	test_levels();
	test_levels_alone();
	test_names();
	return tap_end();
}
