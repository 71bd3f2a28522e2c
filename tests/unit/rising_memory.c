/* rising_memory.c: allocations at known times, whose levels are known in closed form: what rises is found, with its bytes and its type. */
#include <string.h>

#include "analyze/anomalies/rising_memory.h"
#include "tap.h"

#define SLICE INT64_C(1000000) /* ns */
#define END   (RISING_SLICES * SLICE)
#define STEP  8192

enum { LEAK, KEPT, FOUND, TYPES };
enum { INIT, FINALIZE, STEPPING, REGIONS };
enum { ROOT, IN_INIT, IN_STEP, PATHS };

static struct trace_region region[REGIONS] = {
	{.name = "MPI_Init()"}, {.name = "MPI_Finalize()"}, {.name = "step"}};
static struct trace_memtype memtype[TYPES] = {
	{.name = "untyped [a]", .site = "grow"}, {.name = "untyped [b]"}, {.name = "found", .leak = LEAK_LOST}};
static struct trace_stream stream[2] = {{.process = 0}, {.process = 1}};
static uint32_t first[1] = {0}, second[1] = {1};
static struct trace_process process[2] = {{.node = 0, .end = END, .stream = first, .stream_n = 1},
					  {.node = 1, .end = END, .stream = second, .stream_n = 1}};
static struct trace trace = {.region = region, .region_n = REGIONS, .memtype = memtype, .memtype_n = TYPES,
			     .stream = stream, .stream_n = 2, .process = process, .process_n = 2};
static struct callstack_path path[PATHS] = {{.region = TRACE_NONE}, {.region = INIT}, {.region = STEPPING}};
static struct messages m = {.trace = &trace, .paths = {.v = path, .v_n = PATHS}};

static struct rising_memory x;
static struct messages_use use;

/* The events of each stream, as its cursor has them. */
static struct trace_cursor {
	struct event event[1000];
	struct event_args args[1000];
	struct event_batch batch;
	int is_read;
} cursor[2];

static int cursor_open(struct trace *t, uint32_t of, int64_t from, struct trace_cursor **out, struct error *e)
{
	(void)t, (void)from, (void)e;
	cursor[of].is_read = 0;
	*out = &cursor[of];
	return 0;
}

static int cursor_next(struct trace_cursor *c, struct event_batch **out, struct error *e)
{
	(void)e;
	c->batch.event = c->event;
	c->batch.args = c->args;
	*out = &c->batch;
	return !c->is_read++;
}

static void cursor_close(struct trace_cursor *c)
{
	(void)c;
}

static const struct trace_ops ops = {.open = cursor_open, .next = cursor_next, .close = cursor_close};

static void begin(void)
{
	trace.ops = &ops;
	cursor[0].batch.n = cursor[1].batch.n = 0;
	use = rising_memory_use(&x, &m);
}

static void block(uint32_t of, uint32_t in, uint32_t kind, uint32_t type, int64_t time, uint64_t bytes)
{
	struct trace_cursor *c = &cursor[of];
	size_t i = c->batch.n++;

	c->event[i] = (struct event){time, kind, (uint32_t)i};
	c->args[i] = (struct event_args){.block = {.type = type, .to = KEPT, .bytes = bytes}};
	use.block(use.to, of, in, &c->event[i], &c->args[i]);
}

/* Allocates bytes in the middle of each slice. */
static void each(uint32_t of, size_t from, size_t to, uint64_t bytes)
{
	for (size_t i = from; i < to; i++)
		block(of, IN_STEP, EVENT_ALLOC, LEAK, (int64_t)i * SLICE + SLICE / 2, bytes);
}

static void rose(const char *what, size_t processes, double from, double to, uint32_t cause)
{
	rising_memory_end(&x);
	ok(x.risen == processes && x.from == from && x.to == to && x.cause == cause, "%s", what);
	if (x.risen != processes || x.from != from || x.to != to)
		printf("# %zu from %.0f to %.0f\n", x.risen, x.from, x.to);
	rising_memory_release(&x);
}

/* Each part has 16 slices, and each slice adds `bytes`: the level at the end of the first slice of part i, from 1. */
static double level(int i, double bytes)
{
	return bytes * (16 * (i - 1) + 1);
}

static void leaks(void)
{
	begin();
	each(1, 0, RISING_SLICES, STEP);
	rose("a block in each slice", 1, level(4, STEP), level(8, STEP), LEAK);
	begin();
	each(0, 0, RISING_SLICES, STEP);
	each(1, 0, RISING_SLICES, 2 * STEP);
	rising_memory_end(&x);
	ok(x.risen == 2 && x.most == 1 && x.all == 3 * 64.0 * STEP, "two processes: the worst, and the sum");
	rising_memory_release(&x);
	begin();
	each(1, 0, RISING_SLICES, STEP);
	for (int i = 0; i < RISING_SLICES; i++) {
		block(1, IN_STEP, EVENT_ALLOC, KEPT, i * SLICE + SLICE / 4, 1 << 30);
		block(1, IN_STEP, EVENT_FREE, KEPT, i * SLICE + (i % 16 / 4 == 2 ? 5 : 1) * SLICE / 2, 1 << 30);
	}
	rose("beside blocks that are large and freed", 1, level(4, STEP), level(8, STEP), LEAK);
	begin();
	each(1, 0, RISING_SLICES, STEP);
	for (int i = 0; i < RISING_SLICES; i++)
		block(1, IN_STEP, EVENT_RETYPE, LEAK, i * SLICE + SLICE / 2, STEP);
	rose("a type that blocks get later is the cause", 1, level(4, STEP), level(8, STEP), KEPT);
	begin();
	each(1, 0, RISING_SLICES, STEP);
	block(0, IN_STEP, EVENT_ALLOC, KEPT, 100 * SLICE, 1 << 30);
	rose("what another process allocates is not the cause", 1, level(4, STEP), level(8, STEP), LEAK);
	begin();
	each(1, 0, RISING_SLICES, STEP);
	for (int i = 0; i < 10; i++)
		block(0, IN_STEP, EVENT_ALLOC, KEPT, 100 * SLICE, (UINT64_C(1) << 61) - 1);
	rose("damaged sizes of another one", 1, level(4, STEP), level(8, STEP), LEAK);
}

/* It stops for an eighth of the time, at any time, or for more. */
static void pauses(void)
{
	int found = 0, tries = 0;

	for (size_t at = 0; at <= RISING_SLICES - 16; at++) {
		begin();
		each(1, 0, at, 2 * STEP);
		each(1, at + 16, RISING_SLICES, 2 * STEP);
		rising_memory_end(&x);
		found += x.risen == 1 && x.cause == LEAK;
		tries++;
		rising_memory_release(&x);
	}
	ok(found == tries, "a leak that pauses for an eighth of the time is found: %d of %d", found, tries);
	begin();
	each(1, 0, 64, STEP);
	each(1, 96, RISING_SLICES, STEP);
	rose("a pause of a quarter", 0, 0, 0, TRACE_NONE);
	begin();
	each(1, 64, 65, UINT64_C(1) << 20);
	each(1, 80, 81, UINT64_C(1) << 20);
	each(1, 96, 97, UINT64_C(1) << 20);
	each(1, 112, 113, UINT64_C(1) << 20);
	rose("four blocks in the second half", 1, 0, 4.0 * (1 << 20), LEAK);
	begin();
	each(1, 64, 65, UINT64_C(1) << 20);
	each(1, 80, 81, UINT64_C(1) << 20);
	each(1, 112, 113, UINT64_C(1) << 20);
	rose("three blocks in the second half, and none before", 0, 0, 0, TRACE_NONE);
}

/* Paths that are as deep as the program has calls: each is visited once. */
static void deep(void)
{
	static struct callstack_path chain[200000] = {{.region = TRACE_NONE}};
	const struct callstack_paths kept = m.paths;

	for (uint32_t i = 1; i < 200000; i++)
		chain[i] = (struct callstack_path){.region = i == 1 ? INIT : STEPPING, .parent = i - 1};
	m.paths = (struct callstack_paths){.v = chain, .v_n = 200000};
	begin();
	for (int i = 0; i < 500; i++)
		block(1, 199999 - (uint32_t)i, EVENT_ALLOC, KEPT, 32 * SLICE - 1, 2);
	ok(x.process[1].set_up == 32 * SLICE - 1, "deep paths inside of MPI_Init");
	rising_memory_release(&x);
	m.paths = kept;
}

static void none(void)
{
	begin();
	rose("no block at all", 0, 0, 0, TRACE_NONE);
	begin();
	each(1, 0, 1, UINT64_C(1) << 30);
	rose("all at the begin", 0, 0, 0, TRACE_NONE);
	begin();
	each(1, 0, 98, STEP);
	rose("not in the last quarter", 0, 0, 0, TRACE_NONE);
	begin();
	each(1, 100, 101, UINT64_C(1) << 30);
	each(1, 0, RISING_SLICES, STEP);
	rose("most of it in a jump", 0, 0, 0, TRACE_NONE);
	begin();
	each(1, 0, RISING_SLICES, 4095);
	rose("less than 256 KiB", 0, 0, 0, TRACE_NONE);
	begin();
	each(1, 0, RISING_SLICES, 4096);
	rose("256 KiB", 1, level(4, 4096), level(8, 4096), LEAK);
	begin();
	block(1, IN_STEP, EVENT_ALLOC, KEPT, 0, 60000000);
	each(1, 0, RISING_SLICES, STEP);
	rose("less than 1 % of what is live", 0, 0, 0, TRACE_NONE);
	begin();
	for (int i = 0; i < RISING_SLICES; i++)
		block(1, IN_STEP, EVENT_ALLOC, FOUND, i * SLICE, STEP);
	rose("leaks that were found are no allocations", 0, 0, 0, TRACE_NONE);
}

/* The program starts at slice 32 and ends at slice 96, in parts of 8 slices. */
static void setup(void)
{
	const struct event end = {96 * SLICE, EVENT_ENTER, FINALIZE};

	begin();
	block(1, IN_INIT, EVENT_ALLOC, KEPT, 32 * SLICE - 1, 1000);
	each(1, 31, 96, 2 * STEP);
	use.ran(use.to, 1, &end, 1);
	block(1, ROOT, EVENT_FREE, LEAK, 97 * SLICE, 64 * STEP);
	rose("between initialisation and finalisation", 1, 1000 + 2 * STEP * (8 * 3 + 1.0),
	     1000 + 2 * STEP * (8 * 7 + 1.0), LEAK);
	begin();
	block(1, IN_INIT, EVENT_ALLOC, KEPT, 88 * SLICE, 1000);
	each(1, 0, 96, 16 * STEP);
	use.ran(use.to, 1, &end, 1);
	rose("too short a time between them", 0, 0, 0, TRACE_NONE);
}

static void window(void)
{
	static const struct window_span half[2] = {{0, END / 2}, {0, END / 2}};

	m.span = half;
	begin();
	for (int i = 0; i < RISING_SLICES; i++)
		block(1, IN_STEP, EVENT_ALLOC, LEAK, i * SLICE / 2 + SLICE / 4, STEP);
	each(1, 64, RISING_SLICES, STEP);
	rose("in a window", 1, level(4, STEP), level(8, STEP), LEAK);
	m.span = NULL;
}

int main(void)
{
	leaks();
	pauses();
	deep();
	none();
	setup();
	window();
	return tap_end();
}
