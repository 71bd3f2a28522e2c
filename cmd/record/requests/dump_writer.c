/* dump_writer.c: writes the profiles and snapshots that a program requested, each up to the moment of its request. */
#include "cmd/record/requests/dump_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/profile_sum.h"
#include "analyze/replay/replay.h"
#include "analyze/trace/trace.h"
#include "analyze/window/window.h"
#include "cmd/shared/message.h"
#include "convert/io/paths.h"
#include "convert/native/native.h"
#include "convert/tau/tau_profile.h"
#include "cmd/shared/tau_variables.h"

/* ---- places ---- */

/* The directory of the files, as TAU has it: PROFILEDIR, or where the program was. */
static char *place(const struct dump_request *d)
{
	const char *to = tau_variable("PROFILEDIR"), *at = *d->directory ? d->directory : ".";

	if (!to || !*to)
		return mem_string(at);
	return *to == '/' ? mem_string(to) : mem_printf("%s/%s", at, to);
}

/* "dump__Mon-Jan-1-12:00:00-2024__" */
static char *dated(const struct dump_request *d)
{
	time_t seconds = (time_t)(d->head.real_ns / 1000000000);
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%a-%b-%-d-%H:%M:%S-%Y", &tm);
	return mem_printf("%s__%s__", d->name, text);
}

/* ---- one thread of one request ---- */

static struct dump_series *series_of(struct dump_writer *w, const struct dump_request *d,
				     const struct profile_thread *t)
{
	struct dump_series *s;
	char *folder;

	for (size_t i = 0; i < w->series_n; i++)
		if (w->series[i]->process_id == d->head.process_id &&
		    w->series[i]->thread == t->thread)
			return w->series[i];
	if (d->series)
		return NULL;
	s = mem_alloc(sizeof(*s));
	folder = place(d);
	s->process_id = d->head.process_id;
	s->thread = t->thread;
	s->path = mem_printf("%s/snapshot.%d.%d.%d", folder, t->node, t->context, t->thread);
	free(folder);
	*array_add(w, series) = s;
	return s;
}

static int snapshot_write(struct dump_writer *w, const struct dump_request *d,
			  const struct profile *p, uint32_t thread, struct error *e)
{
	const struct snapshot_moment at = {d->name, d->head.real_ns / 1000, d->head.pid};
	struct dump_series *s = series_of(w, d, &p->thread[thread]);
	FILE *f;
	int bad;

	if (!s)
		return 0;
	f = fopen(s->path, s->has.metric.name_n ? "ae" : "we");
	if (!f)
		return error_set(e, ERROR_SYSTEM, "%s: %s", s->path, strerror(errno));
	snapshot_append(f, &s->has, p, thread, &at);
	bad = ferror(f);
	if (fclose(f) || bad)
		return error_set(e, ERROR_SYSTEM, "%s: %s", s->path, strerror(errno));
	return 0;
}

static int profile_dump(const struct dump_request *d, const struct profile *p, uint32_t thread,
			struct error *e)
{
	char *folder = place(d),
	     *name = d->head.kind == TAU_DUMP_DATED ? dated(d) : mem_string(d->name);
	int code = tau_profile_dump(folder, name, p, thread, e);

	free(folder);
	free(name);
	return code;
}

/* ---- chosen regions ---- */

/* Is the name one of these lines, or what a line has before its place? */
static int is_chosen(const char *lines, const char *name)
{
	const char *place = strstr(name, " [{");
	size_t n = strlen(name), short_n = place ? (size_t)(place - name) : n;

	for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
		size_t line = (size_t)(end - lines);

		if ((line == n || line == short_n) && !memcmp(lines, name, line))
			return 1;
	}
	return 0;
}

/* Removes rows of all other regions. */
static void rows_choose(struct profile *p, const char *lines)
{
	unsigned char *chosen = mem_alloc(p->timer_n + 1);

	for (size_t i = 0; i < p->timer_n; i++)
		chosen[i] = (unsigned char)is_chosen(lines, p->timer[i].name);
	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];
		size_t n = 0;

		for (size_t k = 0; k < t->row_n; k++)
			if (chosen[p->path[t->row[k].path].timer])
				t->row[n++] = t->row[k];
		t->row_n = n;
	}
	free(chosen);
}

/* As TAU writes names of regions: their number, then one per line. */
static int names_write(const struct dump_request *d, const struct profile *p, uint32_t thread,
		       struct error *e)
{
	const struct profile_thread *t = &p->thread[thread];
	char *folder = place(d),
	     *path = mem_printf("%s/%s.%d.%d.%d", folder, d->name, t->node, t->context, t->thread);
	unsigned char *seen = mem_alloc(p->timer_n + 1);
	FILE *f = fopen(path, "we");
	size_t n = 0;
	int bad = !f;

	for (size_t i = 0; i < t->row_n; i++) {
		uint32_t timer = p->path[t->row[i].path].timer;

		n += !seen[timer];
		seen[timer] = 1;
	}
	if (f) {
		fprintf(f, "number of functions %zu\n", n);
		for (size_t i = 0; i < p->timer_n; i++)
			if (seen[i])
				fprintf(f, "%s\n", p->timer[i].name);
		bad = ferror(f);
		bad |= fclose(f) != 0;
	}
	if (bad)
		error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	free(seen);
	free(path);
	free(folder);
	return bad ? e->code : 0;
}

/* ---- requests of one process ---- */

/*
 * Another thread may be about to write a record whose time it has read already. What is older than this is in the trace, and is
 * not read again.
 */
#define SETTLED_NS 3000000000

/* The requests of a replay: two windows for each, of what is settled since the one before, and of the rest. */
struct dump_batch {
	struct dump_writer *writer;
	const struct dump_request **dump;
	size_t dump_n, dump_cap;
	struct profile *settled;	/* up to the first window of the request at hand */
	uint64_t events;		/* that were read */
};

static void complain(const struct dump_request *d, const char *why)
{
	message_print("tau-record", "%s '%s': %s",
		      d->head.kind == TAU_DUMP_SNAPSHOT ? "snapshot" : "profile", d->name, why);
}

static int thread_write(struct dump_writer *w, const struct dump_request *d,
			const struct profile *p, uint32_t thread, struct error *e)
{
	switch (d->head.kind) {
	case TAU_DUMP_SNAPSHOT:
		return snapshot_write(w, d, p, thread, e);
	case TAU_DUMP_NAMES:
		return names_write(d, p, thread, e);
	default:
		return profile_dump(d, p, thread, e);
	}
}

/* Files that cannot be written do not end the replay. */
static void request_write(struct dump_batch *b, const struct dump_request *d, struct profile *p)
{
	struct error why = {0};

	p->name = path_name(b->writer->run);
	if (*d->regions)
		rows_choose(p, d->regions);
	for (uint32_t i = 0; i < p->thread_n; i++) {
		if (d->head.thread != TAU_DUMP_ALL &&
		    p->thread[i].thread != (int32_t)d->head.thread)
			continue;
		if (thread_write(b->writer, d, p, i, &why))
			complain(d, why.text);
	}
}

static int profile_receive(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct dump_batch *b = to;
	struct profile *all;

	(void)n;
	(void)e;
	if (at % 2 == 0) {
		profile_add_window(b->settled, p);
		profile_free(p);
		return 0;
	}
	all = profile_new();
	profile_add_window(all, b->settled);
	profile_add_window(all, p);
	profile_free(p);
	request_write(b, b->dump[at / 2], all);
	profile_free(all);
	return 0;
}

static void count(void *to, enum replay_stage stage, uint64_t done, uint64_t all)
{
	struct dump_batch *b = to;

	(void)all;
	if (stage == REPLAY_READING && done > b->events)
		b->events = done;
}

/* Would b replace what a writes? */
static int replaces(const struct dump_request *a, const struct dump_request *b)
{
	return a->head.kind == TAU_DUMP_PROFILE && b->head.kind == TAU_DUMP_PROFILE &&
	       (a->head.thread == b->head.thread || b->head.thread == TAU_DUMP_ALL) &&
	       !strcmp(a->name, b->name) && !strcmp(a->directory, b->directory);
}

static void window_add(struct windows *w, const struct dump_request *d, int64_t begin, int64_t end)
{
	struct window *x = array_add(w, v);

	x->text = mem_string(d->name);
	x->of = mem_alloc(sizeof(*x->of));
	x->of_n = 1;
	*array_add(&x->of[0], v) = (struct window_span){begin, end > begin ? end : begin};
}

/* By TAU_CALLPATH and TAU_CALLPATH_DEPTH. */
static uint32_t callpath_depth(void)
{
	const char *on = tau_variable("TAU_CALLPATH"), *depth = tau_variable("TAU_CALLPATH_DEPTH");
	long n = depth ? strtol(depth, NULL, 10) : 2;

	if (!on || !*on || !strcmp(on, "0"))
		return 0;
	return n < 2 ? 2 : n > REPLAY_DEPTH_MAX ? REPLAY_DEPTH_MAX : (uint32_t)n;
}

/* The first tick that is not before this time. */
static uint64_t tick_at(const struct trace *t, int64_t ns)
{
	uint64_t low = 0, high = 1ull << 62;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (native_moment(t, middle) < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct dump_sum *sum_of(struct dump_writer *w, uint64_t process_id)
{
	for (size_t i = 0; i < w->sum_n; i++)
		if (w->sum[i].process_id == process_id)
			return &w->sum[i];
	*array_add(w, sum) = (struct dump_sum){.process_id = process_id, .profile = profile_new()};
	return &w->sum[w->sum_n - 1];
}

/* Requests come in the order of their times, except of threads that request at the same time: the earlier one settles those. */
static int64_t windows_add(struct windows *w, const struct dump_batch *b, const struct trace *t,
			   int64_t from)
{
	for (size_t i = 0; i < b->dump_n; i++) {
		const struct dump_request *d = b->dump[i];
		int64_t end = d->head.tick == DUMP_NOW ? t->end : native_moment(t, d->head.tick),
			settled = end - SETTLED_NS > from ? end - SETTLED_NS : from;

		window_add(w, d, from, settled);
		window_add(w, d, settled, end);
		from = settled;
	}
	return from;
}

static int write_all(struct dump_batch *b, struct trace *t, struct error *e)
{
	struct dump_sum *sum = sum_of(b->writer, b->dump[0]->head.process_id);
	struct windows windows = {0};
	const struct replay_options o = {.windows = &windows,
					 .callpath_depth = callpath_depth(),
					 .index = INDEX_USE,
					 .progress = count,
					 .progress_to = b};
	const struct replay_sink sink = {profile_receive, b};
	uint64_t repaired = 0;
	int64_t from;
	int code;

	if (t->process[0].rank < 0)
		t->process[0].node = b->writer->node;
	b->settled = sum->profile;
	from = windows_add(&windows, b, t, sum->tick ? native_moment(t, sum->tick) : 0);
	code = replay_each(t, &o, &sink, &repaired, e);
	windows_release(&windows);
	if (code) {
		profile_free(sum->profile);
		sum->profile = profile_new();
	}
	sum->tick = code ? 0 : tick_at(t, from);
	return code;
}

void dump_write(struct dump_writer *w, const struct dump_request *d, size_t n)
{
	struct dump_batch b = {.writer = w};
	struct error e = {0};
	struct trace *t;

	for (size_t i = 0; i < n; i++) {
		size_t k = i + 1;

		while (k < n && !replaces(&d[i], &d[k]))
			k++;
		if (k == n)
			*array_add(&b, dump) = &d[i];
	}
	if (!native_open_process(w->run, d->files, &t, &e)) {
		write_all(&b, t, &e);
		trace_free(t);
	}
	if (e.code)
		complain(d, e.text);
	else if (w->verbose)
		message_print("tau-record", "profile '%s': %llu events read", d->name,
			      (unsigned long long)b.events);
	free(b.dump);
}

void dump_writer_release(struct dump_writer *w)
{
	for (size_t i = 0; i < w->series_n; i++) {
		snapshot_series_release(&w->series[i]->has);
		free(w->series[i]->path);
		free(w->series[i]);
	}
	free(w->series);
	for (size_t i = 0; i < w->sum_n; i++)
		profile_free(w->sum[i].profile);
	free(w->sum);
	free(w->run);
}
