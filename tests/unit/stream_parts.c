/* stream_parts.c: what a stream's events are played through besides its call stack: recording cost, heap at regions, loops, texts of calls. */
#include <stdlib.h>
#include <string.h>

#include "analyze/stream/compensate.h"
#include "analyze/stream/heap_at_regions.h"
#include "analyze/summary/summary_apply.h"
#include "analyze/summary/summary_filter.h"
#include "analyze/trace/call_text.h"
#include "analyze/window/instances_skip.h"
#include "analyze/window/loop_frames.h"
#include "record/metadata.h"
#include "tap.h"

enum { LEAST = COMPENSATOR_LEAST, MOST = COMPENSATOR_MOST };

/* A call of region 0 by the root: the least and the most that recording it costs the region and the root. */
static void test_compensate(void)
{
	static const struct {
		const char *title;
		struct trace_attribute meta[7];
		size_t meta_n;
		int64_t now;	/* ps: the cost in the state; 0: it has none */
		int on;
		int64_t in[2], out[2]; /* ps after one call and a pass of 2 ns */
	} cases[] = {
		{"limits", {{TAU_META_CALL_COST_INSIDE_PS, "1000"}, {TAU_META_CALL_COST_OUTSIDE_PS, "3000"},
			    {TAU_META_CALL_COST_LEAST_INSIDE_PS, "0"}, {TAU_META_CALL_COST_LEAST_OUTSIDE_PS, "500"},
			    {TAU_META_CALL_COST_MOST_INSIDE_PS, "2000"}, {TAU_META_CALL_COST_MOST_OUTSIDE_PS, "6000"}},
		 6, 0, 1, {0, 2000}, {2500, 8000}},
		{"limits, and a call costs twice as much now", {{TAU_META_CALL_COST_INSIDE_PS, "1000"}, {TAU_META_CALL_COST_OUTSIDE_PS, "3000"},
			    {TAU_META_CALL_COST_LEAST_INSIDE_PS, "0"}, {TAU_META_CALL_COST_LEAST_OUTSIDE_PS, "500"},
			    {TAU_META_CALL_COST_MOST_INSIDE_PS, "2000"}, {TAU_META_CALL_COST_MOST_OUTSIDE_PS, "6000"}},
		 6, 8000, 1, {0, 4000}, {3000, 14000}},
		{"an older run's cost and spread", {{TAU_META_CALL_COST_INSIDE_PS, "1000"}, {TAU_META_CALL_COST_OUTSIDE_PS, "3000"},
			    {TAU_META_CALL_COST_SPREAD_PS, "2000"}},
		 3, 0, 1, {500, 1500}, {3500, 6500}},
		{"a cost", {{TAU_META_CALL_COST_INSIDE_PS, "1000"}, {TAU_META_CALL_COST_OUTSIDE_PS, "3000"}},
		 2, 0, 1, {1000, 1000}, {5000, 5000}},
		{"no cost", {{0}}, 0, 0, 0, {0}, {0}},
		{"a negative cost", {{TAU_META_CALL_COST_INSIDE_PS, "-5"}, {TAU_META_CALL_COST_OUTSIDE_PS, "0"}}, 2, 0, 0, {0}, {0}},
		{"a damaged cost", {{TAU_META_CALL_COST_INSIDE_PS, "99999999999"}, {TAU_META_CALL_COST_OUTSIDE_PS, "1"}},
		 2, 0, 1, {0, 0}, {2001, 2001}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace_process p = {.meta = (struct trace_attribute *)cases[i].meta, .meta_n = cases[i].meta_n};
		struct event event[] = {{10, EVENT_ENTER, 0}, {20, EVENT_LEAVE, 0}};
		struct event_batch b = {.event = event, .n = 2};
		struct event_state s = {.time = 0, .in_use = 1, .first = 1, .cost_inside = cases[i].now / 4, .cost_outside = cases[i].now * 3 / 4};
		struct callstack_paths paths;
		struct compensator c;

		callstack_paths_init(&paths, 0);
		compensator_init(&c, &p, 1, &paths);
		ok(!!c.on == cases[i].on, "%s: costs are %sknown", cases[i].title, cases[i].on ? "" : "not ");
		compensator_state(&c, &s);
		compensator_begin(&c);
		compensator_pass(&c, 2);
		compensator_pass(&c, -7);
		compensator_play(&c, &b, 0, 2);
		compensator_end(&c);
		for (int k = LEAST; c.on && k <= MOST; k++) {
			const struct callstack_row *row = c.limit[k].callstack.row;

			ok(row[0].excl == cases[i].in[k] && row[1].excl == cases[i].out[k], "%s: a call costs %s %lld ps inside and %lld outside",
			   cases[i].title, k == LEAST ? "at least" : "at most", (long long)row[0].excl, (long long)row[1].excl);
		}
		compensator_finish(&c);
		compensator_release(&c);
		callstack_paths_release(&paths);
	}
}

/* Any number of folded calls that a trace can contain. */
static void test_many_folded(void)
{
	struct trace_attribute meta[] = {{TAU_META_CALL_COST_INSIDE_PS, "1000"}, {TAU_META_CALL_COST_OUTSIDE_PS, "3000"}};
	struct trace_process p = {.meta = meta, .meta_n = 2};
	struct event event[] = {{10, EVENT_ENTER, 0}, {20, EVENT_FOLD, 0}, {30, EVENT_FOLD, 0}, {40, EVENT_FOLD, 1}};
	struct event_args args[] = {{.fold = {.path = {0, 1}, .calls = 5}}, {.fold = {.path = {0, 1}, .calls = UINT64_C(1) << 60}}};
	uint32_t regions[] = {1};
	struct event_batch b = {.event = event, .n = 4, .args = args, .regions = regions};
	struct callstack_paths paths;
	struct compensator c;
	const struct cost_clock *most = &c.limit[MOST];

	callstack_paths_init(&paths, 0);
	compensator_init(&c, &p, 2, &paths);
	compensator_state(&c, &(struct event_state){.in_use = 1, .first = 1});
	compensator_begin(&c);
	compensator_play(&c, &b, 0, 3);
	ok(most->now == 4000 + 2 * 5 * 4000, "ten folded calls: %lld ps", (long long)most->now);
	compensator_play(&c, &b, 3, 1);
	compensator_play(&c, &b, 3, 1);
	ok(most->now > 44000 && most->now <= INT64_MAX / 4, "more than any clock can count: it ends at %lld ps", (long long)most->now);
	compensator_end(&c);
	ok(most->callstack.row[1].excl > 10000 && most->callstack.row[1].excl <= most->now, "their cost is %lld ps", (long long)most->callstack.row[1].excl);
	compensator_release(&c);
	callstack_paths_release(&paths);
}

/* One folded call of region 0 by the root, in which 5 calls of region 1 are folded: region 0 pays for these, not the root. */
static void test_folded_in_folded(void)
{
	struct trace_attribute meta[] = {{TAU_META_CALL_COST_INSIDE_PS, "1000"}, {TAU_META_CALL_COST_OUTSIDE_PS, "3000"}};
	struct trace_process p = {.meta = meta, .meta_n = 2};
	struct event event[] = {{10, EVENT_FOLD, 0}, {20, EVENT_FOLD, 1}};
	struct event_args args[] = {{.fold = {.path = {0, 1}, .calls = 1}}, {.fold = {.path = {0, 2}, .calls = 5}}};
	uint32_t regions[] = {0, 1};
	struct event_batch b = {.event = event, .n = 2, .args = args, .regions = regions};
	struct callstack_paths paths;
	struct compensator c;
	const struct callstack_row *row;

	callstack_paths_init(&paths, 0);
	compensator_init(&c, &p, 2, &paths);
	compensator_state(&c, &(struct event_state){.in_use = 1, .first = 1});
	compensator_begin(&c);
	compensator_play(&c, &b, 0, 2);
	compensator_end(&c);
	row = c.limit[MOST].callstack.row;
	ok(row[0].excl == 1000 + 5 * 3000 && row[0].incl == 1000 + 5 * 4000 && row[1].excl == 5 * 1000 && row[2].excl == 3000,
	   "folded calls in a folded call: %lld of %lld ps, %lld and %lld", (long long)row[0].excl, (long long)row[0].incl,
	   (long long)row[1].excl, (long long)row[2].excl);
	compensator_release(&c);
	callstack_paths_release(&paths);
}

static void test_heap_metrics(void)
{
	static const struct {
		const char *name;
		int is;
	} cases[] = {{".TAU heap", 1}, {".TAU headroom", 1}, {"TIME", 0}, {".TAU heap2", 0}, {"", 0}};
	struct trace_metric metric[] = {{.name = "TIME"}, {.name = ".TAU heap"}};
	struct trace t = {.metric = metric, .metric_n = 2};
	struct heap_at_regions n;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace_metric m = {.name = (char *)cases[i].name};

		ok(!!heap_at_regions_metric(&m) == cases[i].is, "metric '%s' is %sof entries", cases[i].name, cases[i].is ? "" : "not ");
	}
	heap_at_regions_init(&n, &t, 1);
	ok(n.on && n.heap == 1 && n.headroom == SIZE_MAX, "a trace with the heap alone");
	heap_at_regions_release(&n);
	t.metric_n = 1;
	heap_at_regions_init(&n, &t, 1);
	ok(!n.on, "one without");
	heap_at_regions_release(&n);
}

static void row_add(struct summary *s, uint32_t path, uint64_t calls, int64_t excl)
{
	struct summary_row *r = summary_row_add(s, path, 0);

	r->calls = calls;
	r->excl = excl;
}

/* Paths 1: main, 2: main => work. Two spans are added. */
static void test_apply(void)
{
	struct summary_names names;
	struct summary s;
	struct summary_build g;
	struct callstack_paths paths;
	struct callstack_row row[3] = {{0}}, *path_row = NULL;
	uint32_t main_path, work_path;
	size_t path_row_n = 0;

	summary_names_init(&names);
	main_path = callstack_path_find(&names.paths, 0, 0);
	work_path = callstack_path_find(&names.paths, main_path, 1);
	summary_init(&s, 0);
	row_add(&s, main_path, 1, 30);
	row_add(&s, work_path, 4, 70);
	callstack_paths_init(&paths, 0);
	summary_build_init(&g, 0, 2);
	ok(!g.any, "nothing has been added");
	summary_build_add(&g, &names, &s);
	summary_build_add(&g, &names, &s);
	summary_build_end(&g);
	summary_build_rows(&g, &g.callstack, &paths, row, &path_row, &path_row_n);
	ok(row[0].calls == 2 && row[0].excl == 60 && row[0].incl == 200, "main: calls, exclusive and inclusive time of both");
	ok(row[1].calls == 8 && row[1].excl == 140 && row[1].incl == 140, "work");
	summary_build_clear(&g);
	ok(!g.any, "cleared");
	summary_build_release(&g);
	callstack_paths_release(&paths);
	free(path_row);
	summary_release(&s);
	summary_names_release(&names);
}

/* work alone is selected: main's time goes to the root, as nothing selected is around it. */
static void test_filter(void)
{
	unsigned char region[] = {0, 1};
	struct filter_selected f = {.region_n = 2, .region = region};
	struct summary_names names;
	struct summary s;
	struct summary_filter x;
	uint32_t main_path, work_path;
	int64_t work = 0;
	uint64_t calls = 0;

	summary_names_init(&names);
	main_path = callstack_path_find(&names.paths, 0, 0);
	work_path = callstack_path_find(&names.paths, main_path, 1);
	summary_init(&s, 0);
	row_add(&s, main_path, 1, 30);
	row_add(&s, work_path, 4, 70);
	summary_filter_init(&x, &f, 0);
	x.open = FOCUS_NONE;
	ok(summary_filter_may(&x, &names, &s) == 1, "a sum without counters can be filtered");
	for (size_t i = 0; i < x.out.row_n; i++)
		if (x.names.paths.v[x.out.row[i].path].region == 1) {
			work += x.out.row[i].excl;
			calls += x.out.row[i].calls;
		}
	ok(work == 70 && calls == 4, "work has its time and calls");
	ok(x.out.row_n == 2, "the rest is one row");
	summary_filter_release(&x);
	summary_release(&s);
	summary_names_release(&names);
}

static struct loop_frame seen[4];
static size_t seen_n;

static void on_frame(void *to, const struct loop_frame *f)
{
	(void)to;
	if (seen_n < 4)
		seen[seen_n++] = *f;
}

/* The root calls solve, which calls step three times. */
static void test_frames(void)
{
	struct trace_region region[] = {{.name = "solve"}, {.name = "step"}, {.name = "MPI_Init"}};
	struct trace t = {.path = "t", .region = region, .region_n = 3};
	struct frames f;

	frames_init(&f, &t, on_frame, NULL);
	ok(f.any_setup && f.is_setup[2] && !f.is_setup[0], "a region that is setup");
	frames_begin(&f, 3, 0, 0);
	frames_begin(&f, 2, 1, 10);
	frames_end(&f, 1, 25);
	frames_begin(&f, 0, 1, 30);
	for (int i = 0; i < 3; i++) {
		frames_begin(&f, 1, 2, 40 + 10 * i);
		frames_end(&f, 2, 45 + 10 * i);
	}
	seen_n = 0;
	frames_end(&f, 1, 90);
	ok(seen_n == 1 && seen[0].region == 0 && seen[0].begin == 30 && seen[0].end == 90 && seen[0].setup == 15, "a frame, and the setup before it");
	ok(seen[0].call_n == 3 && seen[0].call[2].begin == 60 && seen[0].call[2].end == 65, "with its calls");
	frames_end(&f, 0, 100);
	ok(seen_n == 2 && seen[1].call_n == 2, "the root has two");
	frames_release(&f);
}

/* Instances that begin and end in a span that is skipped. */
static void test_skip(void)
{
	static const struct {
		uint64_t calls; /* of the region in the span */
		int skipped;
	} cases[] = {{0, 1}, {2, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace_region region[] = {{.name = "main"}, {.name = "step"}};
		struct trace t = {.path = "t", .region = region, .region_n = 2};
		static const uint32_t slot_of[] = {TRACE_NONE, 0, TRACE_NONE};
		uint32_t member[] = {1};
		struct instances_slot slot = {.region = {.v = member, .v_n = 1}};
		struct instances_selected w = {.slot = &slot, .slot_n = 1};
		struct summary_names names;
		struct instances_skip x;
		struct summary s;
		uint32_t main_path;

		summary_names_init(&names);
		summary_init(&s, 0);
		main_path = callstack_path_find(&names.paths, 0, 0);
		row_add(&s, main_path, 1, 10);
		if (cases[i].calls)
			row_add(&s, callstack_path_find(&names.paths, main_path, 1), cases[i].calls, 5);
		instances_skip_init(&x, &t, &w, slot_of);
		ok(instances_skip_over(&x, &names, &s) == cases[i].skipped, "a span with %d calls of the region is %s", (int)cases[i].calls,
		   cases[i].skipped ? "left out" : "read");
		instances_skip_release(&x);
		summary_release(&s);
		summary_names_release(&names);
	}
}

static const struct trace_code code[] = {{"alloc", "a.c", 3, "app"}, {"main", "a.c", 7, "app"}, {NULL, NULL, 0, "lib.so"}, {"start", NULL, 0, "libc.so"}};

static int on_code(struct trace *t, uint32_t number, struct trace_place *place, struct trace_address *a)
{
	(void)t;
	if (place)
		*place = (struct trace_place){.code = &code[number], .n = 1};
	if (a)
		a->at = 0x28e6;
	return a != NULL;
}

static void test_calls(void)
{
	static const struct trace_ops ops = {.code = on_code};
	static struct trace_call call[] = {{3, TRACE_NONE}, {1, 0}, {0, 1}, {2, TRACE_NONE}, {TRACE_NONE, TRACE_NONE}, {0, 4}};
	static const struct {
		uint32_t call;
		const char *text;
	} cases[] = {
		{2, "main [{a.c} {7}] => alloc [{a.c} {3}]"}, /* the callers of main are omitted */
		{1, "main [{a.c} {7}]"},
		{0, "start [libc.so]"},
		{3, "addr=<0x28e6> [lib.so]"},
		{5, CALLS_CUT CALLS_ARROW "alloc [{a.c} {3}]"},
		{TRACE_NONE, ""},
	};
	struct trace t = {.path = "t", .ops = &ops, .call = call, .call_n = 6, .code_n = 4};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = calls_text(&t, cases[i].call);

		ok(!strcmp(text, cases[i].text), "call %u: %s", cases[i].call, text);
		free(text);
	}
}

static uint32_t on_context(void *to, uint32_t number)
{
	(void)number;
	return *(uint32_t *)to;
}

/* A stack of a damaged file can be longer than recursion could follow. */
static void test_long_stack(void)
{
	enum { LONG = 400000 };
	static const struct trace_ops ops = {.code = on_code};
	uint32_t *at = mem_alloc(LONG * sizeof(*at)), main_path;
	struct trace t = {.path = "t", .ops = &ops, .code_n = 4};
	struct stack_places places = {.trace = &t, .resolution = STACK_LINE};
	struct profile *p = profile_new();
	struct summary_names names;
	struct stack_tree tree;
	struct summary_build g;
	struct callstack_paths paths;
	struct stacks to = {0};
	struct summary s;

	profile_add_metric(p, "TIME");
	profile_add_thread(p, 0, 0, 0);
	main_path = profile_add_path(p, profile_add_timer(p, "main", "", NULL, 0), PROFILE_FLAT);
	summary_names_init(&names);
	summary_init(&s, 0);
	stacks_add(&s.stacks, callstack_path_find(&names.paths, 0, 0), stack_tree_add(&names.stacks, at, LONG), 1, 1000);
	summary_build_init(&g, 0, 1);
	summary_build_add(&g, &names, &s);
	callstack_paths_init(&paths, 0);
	stack_tree_init(&tree);
	summary_build_stacks(&g, &tree, &paths, &to);
	ok(to.v_n == 1 && tree.v_n == LONG + 1, "a long stack from a summary: %d", (int)tree.v_n);
	stacks_fill(&to, &tree, &places, p, 0, on_context, &main_path);
	ok(p->path_n > LONG && p->thread[0].row_n > LONG, "and in a profile: %d paths", (int)p->path_n);
	summary_build_release(&g);
	summary_release(&s);
	summary_names_release(&names);
	callstack_paths_release(&paths);
	stack_tree_release(&tree);
	stacks_release(&to);
	profile_free(p);
	free(at);
}

int main(void)
{
	test_compensate();
	test_many_folded();
	test_folded_in_folded();
	test_heap_metrics();
	test_apply();
	test_filter();
	test_frames();
	test_skip();
	test_calls();
	test_long_stack();
	return tap_end();
}
