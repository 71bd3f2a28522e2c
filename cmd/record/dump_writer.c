/* dump_writer.c: writes the profiles and snapshots that a program requested, each up to the moment of its request. */
#include "cmd/record/dump_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/replay/replay.h"
#include "convert/native/native.h"
#include "convert/profile_format.h"
#include "convert/tau/tau_profile.h"

/* ---- places ---- */

/* The directory of the files, as TAU has it: PROFILEDIR, or where the program was. */
static char *place(const struct dump_request *d)
{
	const char *to = getenv("PROFILEDIR"), *at = *d->directory ? d->directory : ".";

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

/* ---- requests of one process ---- */

/* The requests of a replay, by window. */
struct batch {
	struct dump_writer *writer;
	const struct dump_request **dump;
	size_t dump_n, dump_cap;
};

static void complain(const struct dump_request *d, const char *why)
{
	fprintf(stderr, "tau-record: %s '%s': %s\n",
		d->head.kind == TAU_DUMP_SNAPSHOT ? "snapshot" : "profile", d->name, why);
}

/* The profile of one window; files that cannot be written do not end the replay. */
static int take(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct batch *b = to;
	const struct dump_request *d = b->dump[at];
	struct error why = {0};

	(void)n;
	(void)e;
	p->name = profile_name_of(b->writer->run);
	for (uint32_t i = 0; i < p->thread_n; i++) {
		if (d->head.thread != TAU_DUMP_ALL &&
		    p->thread[i].thread != (int32_t)d->head.thread)
			continue;
		if (d->head.kind == TAU_DUMP_SNAPSHOT ? snapshot_write(b->writer, d, p, i, &why)
						      : profile_dump(d, p, i, &why))
			complain(d, why.text);
	}
	profile_free(p);
	return 0;
}

/* Would b replace what a writes? */
static int replaces(const struct dump_request *a, const struct dump_request *b)
{
	return a->head.kind == TAU_DUMP_PROFILE && b->head.kind == TAU_DUMP_PROFILE &&
	       (a->head.thread == b->head.thread || b->head.thread == TAU_DUMP_ALL) &&
	       !strcmp(a->name, b->name) && !strcmp(a->directory, b->directory);
}

static void window_add(struct windows *w, const struct dump_request *d, int64_t end)
{
	struct window *x = array_add(w, v);

	x->text = mem_string(d->name);
	x->of = mem_alloc(sizeof(*x->of));
	x->of_n = 1;
	*array_add(&x->of[0], v) = (struct window_span){0, end};
}

/* As TAU_CALLPATH and TAU_CALLPATH_DEPTH say. */
static uint32_t callpath_depth(void)
{
	const char *on = getenv("TAU_CALLPATH"), *depth = getenv("TAU_CALLPATH_DEPTH");
	long n = depth ? strtol(depth, NULL, 10) : 2;

	if (!on || !*on || !strcmp(on, "0"))
		return 0;
	return n < 2 ? 2 : n > REPLAY_DEPTH_MAX ? REPLAY_DEPTH_MAX : (uint32_t)n;
}

static int write_all(struct batch *b, struct trace *t, struct error *e)
{
	struct windows windows = {0};
	const struct replay_options o = {.windows = &windows,
					 .callpath_depth = callpath_depth(),
					 .index = INDEX_USE};
	const struct replay_sink sink = {take, b};
	uint64_t repaired = 0;
	int code;

	if (t->process[0].rank < 0)
		t->process[0].node = b->writer->node;
	for (size_t i = 0; i < b->dump_n; i++)
		window_add(&windows, b->dump[i],
			   b->dump[i]->head.tick == DUMP_NOW
				   ? INT64_MAX
				   : native_moment(t, b->dump[i]->head.tick));
	code = replay_each(t, &o, &sink, &repaired, e);
	windows_release(&windows);
	return code;
}

void dump_write(struct dump_writer *w, const struct dump_request *d, size_t n)
{
	struct batch b = {.writer = w};
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
	free(w->run);
}
