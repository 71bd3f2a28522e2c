/* load.c: tells what a path holds and loads it as profiles. The formats of traces are in formats.c.
 */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../analyze/focus.h"
#include "formats.h"
#include "profile_format.h"
#include "tau_profile.h"

void load_report_release(struct load_report *r)
{
	for (size_t i = 0; i < r->note_n; i++)
		free(r->note[i]);
	free(r->note);
	memset(r, 0, sizeof(*r));
}

/* Sum of a counter over all threads; 0 when there is none. */
static double counter_sum(const struct profile *p, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < p->thread_n; i++)
		for (size_t k = 0; k < p->thread[i].sample_n; k++) {
			const struct profile_sample *s = &p->thread[i].sample[k];

			if (s->path == PROFILE_FLAT && !strcmp(p->counter[s->counter].name, name))
				sum += s->n * s->mean;
		}
	return sum;
}

static void report_samples(struct load_report *r, const struct trace *t, const struct profile *p)
{
	double inside = counter_sum(p, "Sampling periods inside the recorder");
	double missed = counter_sum(p, "Sampling periods missed");

	if (inside)
		*array_add(r, note) = mem_printf(
			"%s: %.0f sampling periods ended inside the recorder and are in no sample",
			t->path, inside);
	if (missed)
		*array_add(r, note) = mem_printf(
			"%s: %.0f sampling periods were missed: the program blocked the signal, "
			"was in a handler with a stack of its own or long in a system call, or the "
			"machine stood still",
			t->path, missed);
}

/* Sum over the processes of a number that a recorder wrote, the last that each did. */
static double meta_sum(const struct trace *t, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < t->process_n; i++)
		for (size_t k = t->process[i].meta_n; k > 0; k--)
			if (!strcmp(t->process[i].meta[k - 1].name, name)) {
				sum += strtod(t->process[i].meta[k - 1].value, NULL);
				break;
			}
	return sum;
}

/* What no number of a profile shows, but is in it. */
static void report_odd(struct load_report *r, const struct trace *t)
{
	double pauses = meta_sum(t, "TAU Recording Paused"),
	       stops = meta_sum(t, "TAU Unmatched Stops");

	if (pauses > 0)
		*array_add(r, note) = mem_printf(
			"%s: recording was off %.0f time%s, %.3g s in all: regions that were "
			"open then have that in their times",
			t->path, pauses, plural((size_t)pauses),
			meta_sum(t, "TAU Recording Paused (us)") / 1e6);
	if (stops > 0)
		*array_add(r, note) = mem_printf(
			"%s: %.0f stop%s of timers that were not running: nothing was recorded "
			"of %s",
			t->path, stops, plural((size_t)stops), stops == 1 ? "it" : "them");
}

static void report_take(struct load_report *r, const struct trace *t, const struct profile *p)
{
	const char *repaired = profile_meta(p, UINT32_MAX, "TAU Repaired Frames");
	int one = repaired && !strcmp(repaired, "1");

	for (size_t i = 0; i < t->note_n; i++)
		*array_add(r, note) = mem_string(t->note[i]);
	if (repaired && strcmp(repaired, "0"))
		*array_add(r, note) = mem_printf(
			"%s: the begin or end of %s region%s was not recorded and was repaired: %s "
			"with the region around it, or with the process",
			t->path, repaired, one ? "" : "s",
			one ? "it begins or ends" : "they begin or end");
	report_odd(r, t);
	report_samples(r, t, p);
	r->bytes_read += t->bytes_read;
	r->index_read += t->index_read;
	r->bytes_total += t->bytes_total;
	r->events += t->events;
}

char *load_name(const char *path)
{
	size_t n = strlen(path), begin;

	while (n > 1 && path[n - 1] == '/')
		n--;
	for (begin = n; begin > 0 && path[begin - 1] != '/'; begin--)
		;
	return begin < n ? mem_printf("%.*s", (int)(n - begin), path + begin) : mem_string(path);
}

/* The windows of a trace, at least one of which touches it; without any, and uncut, there is nothing to resolve. */
static int windows_of(struct trace *t, const struct load_options *o, struct windows *out,
		      struct error *e)
{
	static const char *const everything = ":";
	struct window_options w = {.text = o->window,
				   .n = o->window_n,
				   .series = o->series,
				   .only = o->only,
				   .threads = o->threads,
				   .skip = o->index != REPLAY_INDEX_NEVER,
				   .index = o->ranks                          ? 0
					    : o->index == REPLAY_INDEX_ALWAYS ? 2
					    : o->index == REPLAY_INDEX_AUTO   ? 1
									      : 0};
	int code;

	if (!w.n) {
		w.text = &everything;
		w.n = 1;
	}
	code = windows_resolve(t, &w, out, e);
	if (!code && out->outside == w.n) {
		code = error_set(e, ERROR_INPUT, "%s: %s", t->path, out->note[0]);
		windows_release(out);
	}
	return code;
}

/* Alone, or with the other ranks. Profiles are rank 0's; then the others have none. */
static int replay_shared(struct trace *t, struct replay_options *r, struct ranks *ranks,
			 struct profile **out, size_t *out_n, struct error *e)
{
	struct replay_part part;
	int code;

	if (!ranks)
		return replay_profiles(t, r, out, e);
	r->share = ranks_rank(ranks);
	r->shares = ranks_size(ranks);
	ranks_mark(ranks, t);
	code = replay_part(t, r, &part, e);
	if (code)
		return code;
	code = ranks_share(ranks, t, &part, e);
	if (code)
		replay_part_release(&part);
	else if (ranks_rank(ranks))
		*out_n = 0;
	else
		replay_finish(t, &part, out);
	return code;
}

static int replay(struct trace *t, const struct load_options *o, struct profile ***out,
		  size_t *out_n, struct error *e)
{
	int whole = !o->window_n && !o->series.every_n && !o->series.every_ns && !o->series.slices;
	struct windows w = {0};
	struct replay_options r = {.windows = whole ? NULL : &w,
				   .only = o->only,
				   .resolution = o->resolution,
				   .paths = o->paths,
				   .compensate = o->compensate,
				   .index = o->index,
				   .threads = o->threads,
				   .progress = o->progress,
				   .progress_to = o->progress_to};
	int code = only_check(o->only, t, e);

	if (!code && !whole)
		code = windows_of(t, o, &w, e);
	if (!code)
		code = focus_install(t, o->only, e);
	if (code) {
		windows_release(&w);
		return code;
	}
	*out_n = whole ? 1 : w.v_n;
	*out = mem_alloc((*out_n + 1) * sizeof(**out));
	r.callpath_depth = o->callpath_depth < 0 ? REPLAY_UNLIMITED : (uint32_t)o->callpath_depth;
	code = replay_shared(t, &r, o->ranks, *out, out_n, e);
	for (size_t i = 0; i < w.note_n && o->report; i++)
		*array_add(o->report, note) = mem_printf("%s: %s", t->path, w.note[i]);
	windows_release(&w);
	return code;
}

static int load_trace(const char *path, const struct load_options *o, struct profile ***out,
		      size_t *out_n, struct error *e)
{
	struct trace *t;
	int code = trace_open(path, &t, e);

	if (code)
		return code;
	code = replay(t, o, out, out_n, e);
	for (size_t i = 0; i < *out_n && !code; i++)
		(*out)[i]->name = load_name(path);
	if (!code && o->report && *out_n)
		report_take(o->report, t, (*out)[0]);
	trace_free(t);
	return code;
}

static int load_any(const char *path, const struct load_options *o, struct profile ***out,
		    size_t *out_n, struct error *e)
{
	const char *left_out, *missing;
	struct stat st;
	int code;

	if (stat(path, &st))
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (trace_format_of(path) || !profile_is(path))
		return load_trace(path, o, out, out_n, e);
	if (o->window_n || o->series.every_n || o->series.every_ns || o->series.slices)
		return error_set(e, ERROR_INPUT,
				 "%s: a profile has no time, so there are no windows in it", path);
	if (o->only)
		return error_set(e, ERROR_INPUT,
				 "%s: a profile has no events to choose from, so it has to be "
				 "taken whole",
				 path);
	*out = mem_alloc(sizeof(**out));
	if (o->ranks && (ranks_share(o->ranks, NULL, NULL, e) || ranks_rank(o->ranks)))
		return e->code;
	*out_n = 1;
	code = profile_read(path, NULL, *out, e);
	left_out = code ? NULL : profile_meta(**out, UINT32_MAX, "Cube Metrics Left Out");
	if (left_out && o->report)
		*array_add(o->report, note) =
			mem_printf("%s: metrics that are left out: %s", path, left_out);
	missing = code ? NULL : profile_meta(**out, UINT32_MAX, TAU_PROFILE_MISSING);
	if (missing && o->report)
		*array_add(o->report, note) = mem_printf(
			"%s: timers of which a metric says nothing, so that its value is 0: %s",
			path, missing);
	return code;
}

int load_profiles(const char *path, const struct load_options *o, struct profile ***out,
		  size_t *out_n, struct error *e)
{
	int code = 0;

	*out = NULL;
	*out_n = 0;
	for (size_t i = 0; i < o->window_n && !code; i++)
		code = window_check(o->window[i], e);
	if (!code && o->callpath_depth > REPLAY_DEPTH_MAX)
		code = error_set(e, ERROR_USAGE, "a call path depth is at most %d",
				 REPLAY_DEPTH_MAX);
	if (!code)
		code = load_any(path, o, out, out_n, e);
	if (code) {
		free(*out);
		*out = NULL;
		*out_n = 0;
	}
	return code;
}
