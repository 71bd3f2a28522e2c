/* native_run.c: what opening a run fills in: clocks, ids, regions, communicators, locks, call sites, code; and the files below it. */
#include <stdlib.h>
#include <string.h>

#include "convert/native/define/native_address.h"
#include "convert/native/define/native_align.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/define/native_code.h"
#include "convert/native/define/native_comm.h"
#include "convert/native/define/native_define.h"
#include "convert/native/live/native_fold.h"
#include "convert/native/live/native_live.h"
#include "convert/native/define/native_lock.h"
#include "convert/native/define/native_module.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/live/native_running.h"
#include "convert/native/define/native_site.h"
#include "convert/native/events/native_snapshot.h"
#include "tap.h"

/* Ticks of a clock that runs at hz, or counts nanoseconds, or whose readings are ns apart, as ns. */
static void test_align(void)
{
	static const struct {
		uint8_t kind, shift;
		uint64_t hz, read_ticks, read_ns, ticks;
		int64_t ns;
		const char *what;
	} cases[] = {
		{TAU_CLOCK_MONOTONIC, 0, 0, 0, 0, 12345, 12345, "a clock in ns"},
		{TAU_CLOCK_MONOTONIC, 4, 0, 0, 0, 10, 160, "a clock in units of 16 ns"},
		{TAU_CLOCK_TSC, 0, 2000000000, 0, 0, 2000000000, 1000000000, "a clock of 2 GHz"},
		{TAU_CLOCK_TSC, 0, 2000000000, 40000000, 10000000, 4000, 1000, "two readings 10 ms apart, 4 ticks each ns"},
		{TAU_CLOCK_TSC, 0, 2000000000, 40000000, 9999999, 4000, 2000, "two readings that are closer together"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct native_file f = {.head = {.clock = cases[i].kind, .shift = cases[i].shift, .ticks_hz = cases[i].hz, .start_tick = 1000}};
		struct native_stream s = {.file = &f}, *one = &s;
		struct trace_process p = {.host = "h"};
		struct trace t = {.path = "t", .process = &p, .process_n = 1};
		struct native_run run = {.stream = &one, .stream_n = 1};

		if (cases[i].read_ticks) {
			f.sync[0] = (struct native_sync){1000, 1, 1};
			f.sync[1] = (struct native_sync){1000 + cases[i].read_ticks, 1 + cases[i].read_ns, 1 + cases[i].read_ns};
			f.sync_n = 1;
		}
		native_align(&t, &run);
		ok(native_time(run.clock, 1000 + cases[i].ticks) - native_time(run.clock, 1000) == cases[i].ns, "%s: %lld ns", cases[i].what,
		   (long long)native_duration(run.clock, cases[i].ticks));
		free(run.clock->host);
		free(run.clock);
	}
}

static void test_ids(void)
{
	static const struct {
		uint64_t id;
		uint32_t value, then;
	} cases[] = {{0, 7, 7}, {3, 1, 1}, {3, 2, 2}, {NATIVE_IDS_NEAR - 1, 4, 4}, {NATIVE_IDS_NEAR, 5, 5}, {1ull << 60, 6, 6},
		     {1ull << 60, TRACE_NONE, 6}, {3, TRACE_NONE, TRACE_NONE}};
	struct native_ids ids = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		native_ids_set(&ids, cases[i].id, cases[i].value);
		ok(native_id(&ids, cases[i].id) == cases[i].then, "id %llu is %u", (unsigned long long)cases[i].id, cases[i].then);
	}
	ok(native_id(&ids, 1) == TRACE_NONE && native_id(&ids, 99) == TRACE_NONE, "others are not defined");
	free(ids.v);
	map_release(&ids.far);
}

static void test_regions(void)
{
	static const struct {
		const char *name, *file;
		uint32_t region;
	} cases[] = {{"f", "a.c", 0}, {"g", "", 1}, {"f", "b.c", 0}};
	struct native_run run = {0};
	struct trace t = {.path = "t"};

	for (size_t i = 0; i < 3; i++)
		ok(native_region_add(&t, &run, cases[i].name, "TAU_USER", cases[i].file, 1) == cases[i].region, "%s is region %u", cases[i].name,
		   cases[i].region);
	ok(t.region_n == 2 && !strcmp(t.region[0].file, "a.c") && !t.region[1].file, "the first definition of a name holds");
}

/* Equal definitions are one communicator, also of groups in the other order; two of one file are two. */
static void test_comms(void)
{
	static const struct {
		int file;
		uint64_t id;
		uint32_t rank[4];
		size_t n, first;
		uint64_t number;
		uint32_t comm;
	} cases[] = {
		{0, 1, {0, 1}, 2, 0, 0, 0}, {1, 9, {0, 1}, 2, 0, 0, 0},		     {0, 2, {0, 1}, 2, 0, 0, 1},	   {0, 3, {1, 0}, 2, 0, 0, 2},
		{0, 4, {0, 1}, 2, 0, 5, 3}, {0, 5, {0, 1, 2}, 3, 2, 0, 4}, {1, 6, {2, 0, 1}, 3, 1, 0, 4},
	};
	struct map file[2] = {{0}, {0}};
	struct native_run run = {0};
	struct trace t = {.path = "t"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t rank[4];

		memcpy(rank, cases[i].rank, sizeof(rank));
		ok(native_comm_add(&t, &run, &file[cases[i].file], cases[i].id, "comm", rank, cases[i].n, cases[i].first, cases[i].number) ==
		   cases[i].comm, "case %zu is communicator %u", i, cases[i].comm);
	}
	ok(t.comm_n == 6 && t.comm[4].n == 2 && t.comm[5].n == 1 && t.comm[4].inter == 6 && t.comm[5].inter == 5, "an intercommunicator has two groups");
}

static void test_locks(void)
{
	static const struct {
		uint32_t process;
		uint64_t address;
		const char *kind, *name;
		uint32_t event;
		const char *text;
	} cases[] = {{0, 0x10, "mutex", "a", 0, "Holder of mutex a"}, {0, 0x10, "mutex", "b", 0, NULL},	      {1, 0x10, "mutex", "b", 1, "Holder of mutex b"},
		     {0, 0x10, "spin", NULL, 2, "Holder of spin 0x10"}, {0, 0, "mutex", NULL, 3, "Holder of mutex others"}};
	struct native_run run = {0};
	struct trace t = {.path = "t"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct native_stream s = {.process = cases[i].process};
		struct native_lock_said said = {mem_string(cases[i].kind), cases[i].address, 0, cases[i].name ? mem_string(cases[i].name) : NULL, NULL};

		ok(native_lock_event(&t, &run, &s, &said) == cases[i].event, "lock %zu is event %u", i, cases[i].event);
	}
	native_lock_name(&t, &run, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (cases[i].text)
			ok(!strcmp(t.event[cases[i].event].name, cases[i].text), "%s", t.event[cases[i].event].name);
}

/* The same place of a module has the same key wherever the module is; the last definition of a range holds. */
static void test_sites(void)
{
	struct native_module here[] = {{.begin = 100, .end = 200, .bias = 100, .path = "lib"}, {.begin = 150, .end = 160, .bias = 0, .path = "new"}},
			     there[] = {{.begin = 1100, .end = 1200, .bias = 1100, .path = "lib"}};
	struct native_stream a = {.module = here, .module_n = 2}, b = {.module = there, .module_n = 1};
	static const struct {
		uint64_t address;
		const char *path;
	} cases[] = {{99, NULL}, {100, "lib"}, {149, "lib"}, {150, "new"}, {160, "lib"}, {200, NULL}};
	struct native_run run = {0};
	uint32_t one = native_memtype_id(&run, native_module_at(&a, 111), 0, TRACE_NONE, 0, 111, NULL, TRACE_NONE),
		 two = native_memtype_id(&run, native_module_at(&b, 1111), 0, TRACE_NONE, 0, 1111, NULL, TRACE_NONE),
		 lost = native_memtype_id(&run, native_module_at(&a, 111), 0, TRACE_NONE, TAU_MEM_LOST, 111, NULL, TRACE_NONE),
		 placed = native_memtype_id(&run, NULL, 0, TRACE_NONE, 0, 0, "lib", TRACE_NONE),
		 empty = native_memtype_id(&run, NULL, 0, TRACE_NONE, 0, 0, "", TRACE_NONE),
		 none = native_memtype_id(&run, NULL, 0, TRACE_NONE, 0, 0, NULL, TRACE_NONE);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct native_module *m = native_module_at(&a, cases[i].address);

		ok(m ? cases[i].path && !strcmp(m->path, cases[i].path) : !cases[i].path, "address %llu is in %s", (unsigned long long)cases[i].address,
		   m ? m->path : "no module");
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct native_where w = native_where(&a, cases[i].address);

		ok(w.at + w.bias == cases[i].address && !w.path == !cases[i].path, "it is at %llu of %s", (unsigned long long)w.at,
		   native_where_module(&w) ? native_where_module(&w) : "nothing");
		native_where_release(&w);
	}
	ok(one == 0 && two == one && lost == 1, "a site of two processes is one type, and lost blocks are another");
	ok(placed == 2 && empty == 3 && none == 4, "a place by name, one without a name, and none");
	names_release(&run.memtype);
	names_release(&run.memtype_text);
}

/* One number for the same code of two processes. */
static void test_code(void)
{
	struct native_module here = {.begin = 100, .end = 200, .bias = 100, .path = "lib"}, there = {.begin = 1100, .end = 1200, .bias = 1100, .path = "lib"};
	struct native_stream a = {.module = &here, .module_n = 1}, b = {.module = &there, .module_n = 1};
	struct native_run run = {.code_lock = PTHREAD_MUTEX_INITIALIZER};
	struct trace t = {.path = "t", .reader = &run};
	uint32_t code = native_code(&t, &a, 111, 0), elsewhere = native_code(&t, &a, 999, 0);

	ok(native_code(&t, &b, 1111, 0) == code && native_code(&t, &a, 112, 0) != code, "the same code in two processes is one");
	ok(elsewhere != code && native_code(&t, &b, 5, 0) == elsewhere, "code in no module is all the same");
}

/* A snapshot of two sections, with an open region or one that is not defined, whole or cut. */
static void test_snapshot(void)
{
	static const struct {
		unsigned char bytes[8];
		size_t n;
		int code;
		size_t frames, rest;
	} cases[] = {
		{{0, 9}, 2, 0, 0, 1},
		{{1, TAU_SNAP_STACK, 3, 1, 0, 5}, 6, 0, 1, 0},
		{{1, TAU_SNAP_STACK, 3, 1, 1, 5}, 6, -1, 0, 0},
		{{1, TAU_SNAP_STACK, 3, 1, 0}, 5, -1, 0, 0},
		{{2, TAU_SNAP_THREAD, 0, TAU_SNAP_STACK, 3, 1, 0, 5}, 8, 0, 1, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t region = 0;
		struct native_stream s = {.region = {.v = &region, .v_n = 1}};
		struct native_clock clock = {.mult = 1};
		struct native_columns c = {.head = {.first_tick = 100}};
		struct event_state state = {0};
		unsigned char copy[8];
		struct bytes rest;
		int code;

		memcpy(copy, cases[i].bytes, sizeof(copy));
		c.data[TAU_ARGS] = copy;
		c.length[TAU_ARGS] = cases[i].n;
		code = native_snapshot(&s, &clock, &c, &state, &rest);
		ok(code == cases[i].code && (code || (state.frame_n == cases[i].frames && bytes_left(&rest) == cases[i].rest)),
		   "snapshot %zu: %d, %zu frames", i, code, state.frame_n);
		if (!code && state.frame_n)
			ok(state.frame[0].enter == 95, "the region is open since %lld ns", (long long)state.frame[0].enter);
		free(state.frame);
	}
}

/* A file that is all in memory. */
static void test_files(void)
{
	static const struct {
		size_t from, found;
	} cases[] = {{0, 1}, {1, 1}, {2, 3}, {3, 3}, {4, 4}};
	struct native_chunk chunk[] = {{.records = 1}, {.defs_stored = 9}, {.records = 3}, {.defs_stored = 1}};
	struct native_file f = {.path = "nothing.tau", .fd = -1, .chunk = chunk, .chunk_n = 4};
	struct native_columns c = {0};
	struct tau_live_header live = {0};
	struct native_fold fold;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(native_file_defined(&f, cases[i].from) == cases[i].found, "from chunk %zu on, definitions are in %zu", cases[i].from, cases[i].found);
	ok(native_file_chunk(&f, 2)->records == 3, "a chunk");
	ok(!native_live_open(&f, NULL), "no live chunk is no damage");
	native_fold_read(&f, &fold);
	ok(!native_fold_add(&fold, &c, &live, (struct native_fold_chunk){0}) && !c.length[TAU_ARGS], "nor are folded calls that there are none of");
	native_file_damage(&f, 2, "first");
	native_file_damage(&f, 1, "second");
	ok(f.damage && strstr(f.damage, "first"), "%s", f.damage);
	ok(native_crc("123456789", 9) == 0xcbf43926, "CRC-32 of the usual check");
	free(f.damage);
}

/* Streams without definitions; processes whose files are closed, or that are on another host. */
static void test_open(void)
{
	struct native_file f = {.path = "nothing.tau", .fd = -1};
	struct native_stream s = {.file = &f}, *one = &s;
	struct native_clock clock = {.mult = 1};
	struct trace_process p = {.host = "a host that is not this one"};
	struct trace_stream stream = {0};
	struct trace t = {.path = "t", .process = &p, .process_n = 1, .stream = &stream, .stream_n = 1};
	struct native_run run = {.stream = &one, .stream_n = 1, .clock = &clock, .clock_n = 1};
	struct error e;

	ok(native_define(&t, &run, &s, 0, &e) == 0 && !t.region_n && !f.damage, "no chunk, no definition");
	native_running(&t, &run);
	ok(!p.running && !p.elsewhere, "a process without a live chunk has ended");
	f.live_path = "nothing.live";
	f.live.magic[0] = 1;
	native_running(&t, &run);
	ok(!p.running && p.elsewhere, "one of another host may run there");
}

int main(void)
{
	test_align();
	test_ids();
	test_regions();
	test_comms();
	test_locks();
	test_sites();
	test_code();
	test_snapshot();
	test_files();
	test_open();
	return tap_end();
}
