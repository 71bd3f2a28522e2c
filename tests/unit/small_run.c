/*
 * small_run.c: a run of two ranks that is small enough to know each number: its files, counters, activity, selections, instances,
 * events through a window and as lines.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "analyze/messages/activity.h"
#include "analyze/messages/files.h"
#include "analyze/messages/locks.h"
#include "analyze/messages/samples.h"
#include "analyze/messages/selection.h"
#include "analyze/replay/player.h"
#include "analyze/summary/filter_cursor.h"
#include "analyze/window/instances.h"
#include "convert/clip.h"
#include "convert/native/native_names.h"
#include "convert/text/event_line.h"
#include "convert/text/follow.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define START 1000000

static char dir[] = "/tmp/tau-small.XXXXXX";
enum { MAIN, WORK, SEND };

/* offset: -1: the record ends before it, as those of earlier recorders; more: a later version has one more field. */
static void put_io(struct writer *w, uint64_t at, uint64_t bytes, int64_t offset, int more)
{
	struct buffer f = {0};

	put_varint(&f, TAU_IO_WRITE);
	put_varint(&f, 1);
	put_varint(&f, bytes);
	put_varint(&f, 10);
	if (offset >= 0)
		put_varint(&f, (uint64_t)offset);
	if (more)
		put_varint(&f, 77);
	writer_extended(w, at, TAU_REC_IO, &f);
}

/* Each rank: main 0 to 1000, in it work 100 to 300 and MPI_Send() 400 to 500. */
static void write_rank(const char *run, int rank)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, START, START);
	w.limit = 4;
	writer_rank(&w, (uint32_t)rank, 2);
	writer_region(&w, MAIN, "main", "TAU_USER");
	writer_region(&w, WORK, "work", "TAU_USER");
	writer_region(&w, SEND, "MPI_Send()", "MPI");
	writer_event(&w, 0, "count", 0);
	writer_event(&w, 1, "out.txt", 0);
	writer_enter(&w, START, MAIN);
	writer_enter(&w, START + 100, WORK);
	writer_value(&w, START + 150, 0, 5);
	writer_value(&w, START + 250, 0, 7.5);
	put_io(&w, START + 260, 100, rank ? 5000 : -1, rank);
	writer_leave(&w, START + 300);
	writer_enter(&w, START + 400, SEND);
	writer_leave(&w, START + 500);
	writer_leave(&w, START + 1000);
	writer_close(&w);
}

static struct trace *opened(void)
{
	struct trace *t = run_open(dir, 2, write_rank);

	if (!t)
		exit(1);
	return t;
}

static void test_uses(void)
{
	struct trace *t = opened();
	struct messages_use use[3];
	struct messages m = {.trace = t, .use = use, .use_n = 3};
	static struct activity a;
	struct files f;
	struct samples s;
	struct error e = {0};
	int64_t sum[3] = {0}, third[3] = {0};

	use[0] = files_use(&f, &m);
	use[1] = samples_use(&s, &m);
	use[2] = activity_use(&a, &m, 10);
	ok(!messages_read(&m, &e), "the run is read");
	files_end(&f);
	samples_end(&s);
	activity_end(&a);
	ok(f.row_n == 1 && f.row[0].op == IO_WRITE && f.row[0].calls == 2 && f.row[0].bytes == 200 && f.row[0].small == 2, "one file is written");
	ok(f.row[0].ns == 20 && f.row[0].least == 100 && f.row[0].most == 100 && f.size[7].calls[IO_WRITE] == 2, "in 20 ns, by calls of 100 bytes");
	ok(f.row[0].placed == 1 && f.row[0].unaligned == 1, "the offset of one call is known, and at no multiple of a block");
	ok(s.all_n == 1 && s.row_n == 2 && s.all[0].n == 4 && samples_mean(&s.all[0]) == 6.25, "a counter of four samples");
	ok(s.all[0].min == 5 && s.all[0].max == 7.5 && s.all[0].last == 7.5 && isnan(samples_rate(&s.all[0])), "its values; it has no rate");
	ok(samples_begin(&s, SAMPLES_BINS) == s.end && isnan(samples_at(&s, &s.all[0], SAMPLES_BINS - 1)), "bins end with the window, the last is empty");
	activity_regions(&a, sum);
	ok(sum[0] == 1400 && sum[1] == 400 && sum[2] == 200, "times of the innermost regions of two threads: %d %d %d", (int)sum[0], (int)sum[1], (int)sum[2]);
	for (size_t i = 0; i < a.row[0].part_n; i++)
		third[a.row[0].part[i].region] += a.row[0].part[i].cell == 2 ? a.row[0].part[i].ns : 0;
	ok(third[0] == 0 && third[1] == 100 && third[2] == 0, "the third cell is all work");
	ok(activity_edge(&a, 10) == a.end && activity_edge(&a, 0) == a.begin, "cells fill the window");
	activity_line(&a, 0, 1, 5, 6);
	ok(a.message_n == 1 && a.message[0].to == 1, "a line is kept");
	activity_release(&a);
	files_release(&f);
	samples_release(&s);
	messages_release(&m);
	trace_free(t);
}

/* Nothing waits for a lock. */
static void test_locks(void)
{
	struct trace *t = opened();
	struct messages_use use[1];
	struct messages m = {.trace = t, .use = use, .use_n = 1};
	struct locks x;
	struct error e = {0};

	use[0] = locks_use(&x, &m);
	ok(!messages_read(&m, &e), "a pass for waits");
	locks_waits(&x);
	messages_release(&m);
	m = (struct messages){.trace = t, .use = use, .use_n = 1};
	use[0] = locks_use_holders(&x);
	ok(!messages_read(&m, &e), "a pass for holders");
	locks_end(&x);
	ok(!x.row_n && !x.wait_n && !x.holder_n, "no lock, no wait, no holder");
	locks_release(&x);
	messages_release(&m);
	trace_free(t);
}

static void test_selection(void)
{
	static const struct {
		const char *rank, *region;
		int code, streams, regions;
	} cases[] = {{NULL, NULL, 0, 0, 0}, {"1", NULL, 0, 1, 0}, {NULL, "work", 0, 0, 1}, {"7", NULL, ERROR_INPUT, 0, 0}, {NULL, "missing", ERROR_INPUT, 0, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace *t = opened();
		struct selection s = {.trace = NULL};
		struct filter f = {.rank = {.v_n = 0}};
		struct error e = {0};
		int code;

		if (cases[i].rank)
			filter_parse(cases[i].rank, "rank", &f.rank, &e);
		if (cases[i].region)
			filter_name(cases[i].region, 0, &f.region);
		code = selection_make(&s, t, &f, &e);
		ok(code == cases[i].code, "selection %zu: %s", i, code ? e.text : "made");
		if (!code) {
			ok(selection_streams(&s) == cases[i].streams && selection_regions(&s) == cases[i].regions, "of streams %d, of regions %d",
			   cases[i].streams, cases[i].regions);
			ok(selection_stream(&s, 0) + selection_stream(&s, 1) == 2 - cases[i].streams, "it has its streams");
		}
		selection_release(&s);
		filter_release(&f);
		trace_free(t);
	}
	ok(selection_stream(NULL, 5) && selection_path(NULL, 3) == 3 && !selection_streams(NULL), "no selection selects everything");
}

static size_t count(struct trace *t, struct window_span span, int plain, size_t *open)
{
	struct error e = {0};
	struct clip_event ev;
	struct clip c;
	size_t n = 0;

	*open = 0;
	if (clip_open(&c, t, 0, span, plain, &e))
		return SIZE_MAX;
	while (clip_next(&c, &ev, &e) == 1) {
		n++;
		*open += ev.open != 0;
	}
	clip_close(&c);
	return n;
}

static void test_clip(void)
{
	static const struct {
		int64_t begin, end;
		int plain;
		size_t events, open;
	} cases[] = {
		{INT64_MIN, INT64_MAX, 0, 9, 0},
		{INT64_MIN, INT64_MAX, 1, 11, 0}, /* with the thread's begin and end */
		{200, 450, 0, 4, 0},		  /* value, io, leave, enter */
		{200, 450, 1, 4 + 3 + 3, 3},	  /* thread, main and work are open; thread, main and MPI_Send() end */
		{300, 300, 0, 0, 0},
	};
	struct trace *t = opened();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t open, n = count(t, (struct window_span){cases[i].begin, cases[i].end}, cases[i].plain, &open);

		ok(n == cases[i].events && open == cases[i].open, "window %zu: %zu events, %zu were open before", i, n, open);
	}
	trace_free(t);
}

static void test_filter(void)
{
	struct trace *t = opened();
	struct filter f = {.rank = {.v_n = 0}};
	struct error e = {0};
	size_t open;

	filter_name("work", 0, &f.region);
	ok(!filter_cursor_install(t, &f, &e), "a filter of a region");
	ok(count(t, (struct window_span){INT64_MIN, INT64_MAX}, 0, &open) == 5, "its enter and leave, and what is inside");
	filter_release(&f);
	trace_free(t);
	t = opened();
	f = (struct filter){.rank = {.v_n = 0}};
	filter_name("absent", 0, &f.region);
	ok(filter_cursor_install(t, &f, &e) == ERROR_INPUT, "a region that is not there: %s", e.text);
	filter_release(&f);
	trace_free(t);
}

static void test_instances(void)
{
	struct trace *t = opened();
	uint32_t region[] = {WORK};
	struct instances_slot slot = {.region = {.v = region, .v_n = 1}};
	struct instances_selected w = {.slot = &slot, .slot_n = 1, .index = INDEX_NEVER};
	struct instances x = {.slot = NULL};
	struct error e = {0};

	ok(!instances_find(t, 0, &w, NULL, NULL, &x, &e), "instances are found");
	ok(x.slot[0].v_n == 1 && x.slot[0].v[0].begin == 100 && x.slot[0].v[0].end == 300, "work has one");
	instances_release(&x, &w);
	trace_free(t);
}

static void test_player(void)
{
	struct trace *t = opened();
	struct segment segment = {0, INT64_MAX, 0, 1};
	uint32_t member = 0;
	const struct segments all = {.v = &segment, .v_n = 1, .member = &member, .member_n = 1};
	struct player_shared shared;
	struct player p;
	struct error e = {0};

	player_shared_init(&shared, t, 0, 0);
	shared.window_n = 1;
	shared.ops = t->ops;
	shared.end = 1000;
	ok(!player_open(&p, &shared, &all, NULL, 0, 1000, &e) && player_head(&p) <= 250, "a player has the first events at hand");
	ok(!player_advance(&p, 350, &e) && player_head(&p) < INT64_MAX && p.callstack.frame_n == 2, "up to a time: main is open");
	ok(!player_advance(&p, INT64_MAX, &e) && player_head(&p) == INT64_MAX, "to the end");
	ok(p.tally[0].row[WORK].calls == 1 && p.tally[0].row[WORK].excl == 200 && p.tally[0].row[MAIN].incl == 1000, "with the times of regions");
	player_close(&p);
	player_shared_release(&shared);
	trace_free(t);
}

static void test_lines(void)
{
	static const char *const csv[] = {"0,0,0,enter,main,", "0,0,150,value,count,", "0,0,260,write,out.txt,", "0,0,300,leave,"};
	struct trace *t = opened();
	char *text, *json;
	size_t n, m;
	FILE *f = open_memstream(&text, &n), *g = open_memstream(&json, &m);
	struct write_options o = {0};
	struct text x = {.f = f, .trace = t, .o = &o, .floor = INT64_MIN};
	struct error e = {0};
	struct clip_event ev;
	struct clip c;

	event_csv_head(&x);
	if (clip_open(&c, t, 0, (struct window_span){INT64_MIN, INT64_MAX}, 0, &e))
		exit(1);
	while (clip_next(&c, &ev, &e) == 1) {
		x.f = f;
		event_csv(&x, &ev);
		x.f = g;
		event_json(&x, &ev);
	}
	clip_close(&c);
	fclose(f);
	fclose(g);
	ok(!strncmp(text, "node,thread,time_ns,kind,name,", 30), "the names of the columns");
	for (size_t i = 0; i < sizeof(csv) / sizeof(*csv); i++)
		ok(strstr(text, csv[i]) != NULL, "line %s", csv[i]);
	ok(strstr(json, "{\"node\":0,\"thread\":0,\"time_ns\":100,\"kind\":\"enter\",\"name\":\"work\"}") != NULL, "an object of JSON");
	free(text);
	free(json);
	trace_free(t);
}

static void test_follow(void)
{
	struct trace *t = opened();
	char *text;
	size_t n, first;
	FILE *f = open_memstream(&text, &n);
	struct follow w = {.f = f};
	struct error e = {0};

	ok(!follow_look(&w, t, (struct follow_going){1, 0}, &e), "a look at a run that goes on");
	fflush(f);
	first = n;
	ok(strstr(text, "enter,main") && w.grown == 2, "both streams have events");
	ok(!follow_look(&w, t, (struct follow_going){1, 0}, &e), "a second look");
	fflush(f);
	ok(n == first, "writes nothing twice");
	ok(!follow_look(&w, t, (struct follow_going){0, 0}, &e), "a look when the run has ended");
	fflush(f);
	ok(!strcmp(text + first, "0,0,1000,thread end,,,,,\n1,0,1000,thread end,,,,,\n"), "ends the threads");
	follow_release(&w);
	fclose(f);
	free(text);
	trace_free(t);
}

/* Its regions have names, and no code. */
static void test_names(void)
{
	struct trace *t = opened();
	char *path = mem_printf("%s/names", t->path);

	ok(!native_names_store(t, t->path, 1000) && access(path, F_OK), "a run without code stores no names");
	free(path);
	trace_free(t);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	test_uses();
	test_names();
	test_locks();
	test_selection();
	test_clip();
	test_filter();
	test_instances();
	test_player();
	test_lines();
	test_follow();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		return 1;
	return tap_end();
}
