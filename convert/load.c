/*
 * load.c: recognizes what a path holds and loads it as profiles. The formats of traces are in
 * formats.c.
 */
#include "convert/io/paths.h"
#include "convert/load.h"

#include <dirent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/base/note.h"
#include "analyze/base/quantity.h"
#include "analyze/profile/deep_paths.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/recorder_rows.h"
#include "analyze/summary/filter_cursor.h"
#include "analyze/trace/filter.h"
#include "analyze/trace/region_work.h"
#include "analyze/trace/trace.h"
#include "analyze/window/window.h"
#include "convert/commands_noted.h"
#include "convert/formats.h"
#include "convert/io/listing.h"
#include "convert/profile_format.h"
#include "convert/io/regular.h"
#include "convert/spool.h"
#include "convert/tau/tau_profile.h"
#include "convert/throttled.h"
#include "record/metadata.h"

void load_report_release(struct load_report *r)
{
	notes_free(r->note, r->note_n);
	memset(r, 0, sizeof(*r));
}

/* Takes the text. */
static void report_note(struct load_report *r, enum note_kind kind, double number, char *text)
{
	*array_add(r, note) = (struct note){.kind = kind, .number = number, .text = text};
}

int load_before_finalize(const char *window)
{
	return window && !strcmp(window, LOAD_BEFORE_FINALIZE);
}

const char *load_window_words(const char *window)
{
	return !window                        ? "everything"
	       : load_before_finalize(window) ? "everything before finalize"
					      : window;
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

/* What the first window has of sampling periods that ended without a sample. */
struct periods {
	double inside, missed;
};

/* Sum over the processes of a number that a recorder wrote, the last that each did. */
static double meta_sum(const struct trace *t, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < t->process_n; i++) {
		double number = trace_process_meta_number(&t->process[i], name);

		sum += isnan(number) ? 0 : number;
	}
	return sum;
}

#define INSIDE_FEW 0.02 /* of all samples of the run */

static void report_samples(struct load_report *r, const struct trace *t, const struct periods *x)
{
	const double samples = meta_sum(t, TAU_META_SAMPLES);

	/* A few change nothing: the uncertainty of samples is the square root of their number. */
	if (x->inside > INSIDE_FEW * samples && x->inside * x->inside > samples)
		report_note(r, NOTE_SAMPLES, x->inside,
			    mem_printf("%s: %.0f sampling period%s ended inside the recorder, "
				       "without a sample",
				       t->path, x->inside, plural((size_t)x->inside)));
	if (x->missed)
		report_note(r, NOTE_SAMPLES, x->missed,
			    mem_printf("%s: %.0f sampling period%s missed: the program blocked "
				       "the signal, ran a handler on an alternate stack or a long "
				       "system call, or the machine was suspended",
				       t->path, x->missed,
				       x->missed == 1 ? " was" : "s were"));
}

/* What no number of a profile shows, but is in it. */
static void report_odd(struct load_report *r, const struct trace *t)
{
	double pauses = meta_sum(t, TAU_META_RECORDING_PAUSED),
	       seconds = meta_sum(t, TAU_META_RECORDING_PAUSED_US) / 1e6,
	       stops = meta_sum(t, TAU_META_UNMATCHED_STOPS);
	char *throttled = throttled_in_trace(t, t->path), text[QUANTITY_TEXT];

	if (throttled)
		report_note(r, NOTE_THROTTLED, 0, throttled);
	if (pauses > 0) {
		report_note(
			r, NOTE_PAUSED, pauses,
			mem_printf("%s: recording was off %.0f time%s, %s in all: the region "
				   "MEASUREMENT OFF has that time",
				   t->path, pauses, plural((size_t)pauses),
				   quantity_time_text(1e9 * seconds, text)));
		r->note[r->note_n - 1].seconds = seconds;
	}
	if (stops > 0)
		report_note(r, NOTE_UNMATCHED, stops,
			    mem_printf("%s: %.0f stop%s of timers that were not running %s not "
				       "recorded",
				       t->path, stops, plural((size_t)stops),
				       stops == 1 ? "was" : "were"));
}

static void report_add(struct load_report *r, const struct trace *t, uint64_t repaired,
		       const struct periods *periods)
{
	for (size_t i = 0; i < t->note_n; i++)
		*array_add(r, note) = note_copy(&t->note[i]);
	if (repaired)
		report_note(r, NOTE_REPAIRED, (double)repaired,
			    mem_printf("%s: the begin or end of %llu region%s was not recorded and "
				       "was repaired: %s with the enclosing region, or with the "
				       "process",
				       t->path, (unsigned long long)repaired,
				       repaired == 1 ? "" : "s",
				       repaired == 1 ? "it begins or ends" : "they begin or end"));
	report_odd(r, t);
	report_samples(r, t, periods);
	r->bytes_read += t->bytes_read;
	r->index_read += t->index_read;
	r->bytes_total += t->bytes_total;
	r->events += t->events;
}

/* The windows of a trace, at least one of which touches it; without any, and uncut, there is nothing to resolve. */
static int windows_of(struct trace *t, const struct load_options *o, struct windows *out,
		      struct error *e)
{
	static const char *const everything = ":";
	struct window_options w = {.text = o->window,
				   .between = o->between,
				   .n = o->window_n,
				   .series = o->series,
				   .only = o->only,
				   .threads = o->threads,
				   .index = o->ranks && o->index != INDEX_NEVER ? INDEX_USE
										: o->index};

	if (!w.n) {
		w.text = &everything;
		w.n = 1;
	}
	return windows_resolve_inside(t, &w, out, e);
}

/* What passes the profiles of a replay on to their sink. */
struct handing {
	const struct replay_sink *sink;
	const char *path;
	struct periods periods;
	const struct load_options *options;
	size_t deep; /* the largest number of paths that were added up in a profile */
};

static int hand(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct handing *h = to;

	p->name = path_name(h->path);
	if (h->options->no_recorder)
		recorder_rows_remove(p);
	if (h->options->callpath_depth < 0 && !h->options->all_levels) {
		size_t deep = deep_paths_merge(p, DEEP_PATHS_LEVELS);

		if (deep)
			profile_sort(p);
		h->deep = deep > h->deep ? deep : h->deep;
	}
	if (!at) {
		h->periods.inside = counter_sum(p, TAU_COUNTER_SAMPLES_INSIDE);
		h->periods.missed = counter_sum(p, TAU_COUNTER_SAMPLES_MISSED);
	}
	return h->sink->receive(h->sink->to, p, at, n, e);
}

/* Then flat profiles need to know what encloses these regions. */
static int has_recorder(const struct trace *t)
{
	for (size_t i = 0; i < t->region_n; i++)
		if (region_is_recorder(t->region[i].name, t->region[i].groups))
			return 1;
	return 0;
}

/* The sum of what all ranks have of a group of windows is rank 0's. */
static int gather(void *to, struct trace *t, struct replay_part *part, int mine, struct error *e)
{
	struct ranks *ranks = to;
	int code = ranks_agree(ranks, mine, e);

	if (!code)
		code = ranks_share(ranks, t, part, e);
	if (code)
		replay_part_release(part);
	ranks_mark(ranks, t);
	return code;
}

/* Each rank reads its share of the streams. */
static void share(struct replay_options *r, struct ranks *ranks, const struct trace *t)
{
	r->share = ranks_rank(ranks);
	r->shares = ranks_size(ranks);
	r->gather = gather;
	r->gather_to = ranks;
	ranks_mark(ranks, t);
}

static int replay(struct trace *t, const struct load_options *o, const struct replay_sink *sink,
		  uint64_t *repaired, struct error *e)
{
	int whole = !o->window_n && !o->series.every_n && !o->series.every_ns && !o->series.slices;
	struct windows w = {0};
	struct replay_options r = {.windows = whole ? NULL : &w,
				   .only = o->only,
				   .resolution = o->resolution,
				   .paths = o->paths,
				   .no_memory = o->no_memory,
				   .freed = o->freed,
				   .compensate = o->compensate,
				   .all_threads = o->all_threads,
				   .squares = o->squares,
				   .sizes = o->sizes,
				   .index = o->index,
				   .threads = o->threads,
				   .group = o->group,
				   .progress = o->progress,
				   .progress_to = o->progress_to};
	int code = filter_check(o->only, t, e);

	if (!code && !whole)
		code = windows_of(t, o, &w, e);
	if (!code)
		code = filter_cursor_install(t, o->only, e);
	r.callpath_depth = o->callpath_depth < 0 ? REPLAY_UNLIMITED : (uint32_t)o->callpath_depth;
	r.recorder_paths = o->no_recorder && has_recorder(t);
	if (!code && o->ranks)
		share(&r, o->ranks, t);
	if (!code)
		code = replay_each(t, &r, sink, repaired, e);
	for (size_t i = 0; i < w.note_n && o->report && !code; i++) {
		struct note *n = array_add(o->report, note);

		*n = note_copy(&w.note[i]);
		n->run = mem_string(t->path);
	}
	if (o->report && !code)
		commands_note(t, &w, o->only, o->report);
	windows_release(&w);
	return code;
}

/* The kinds of data in a directory of which one is read; NULL: there is one kind. */
static char *kinds_in(struct input *in)
{
	const struct trace_format *first = trace_format_of(in), *f = first;
	const char *path = in->path;

	if (!first)
		return tau_profile_is(in) && snapshot_folder_is(in)
			       ? mem_printf("%s: contains profiles and snapshots of TAU: the "
					    "profiles are read", path)
			       : NULL;
	if (profile_is(in))
		return mem_printf("%s: contains %s and profiles: the trace is read",
				  path, f->about);
	while ((++f)->name)
		if (f->is(in))
			return mem_printf("%s: contains %s and %s: the first is read", path,
					  first->about, f->about);
	return NULL;
}

#define BESIDE_NAMED 8	  /* what is not read is named; more are counted */
#define BESIDE_LOOKED 256 /* directories and files that are looked at */

/* Files that directories of TAU's profiles consist of. */
static int is_own(const char *name)
{
	return *name == '.' || !strncmp(name, "profile.", 8) || !strncmp(name, "snapshot.", 9) ||
	       !strncmp(name, "MULTI__", 7);
}

/* Is it data, as TAU's spawn-N, and not part of what is read? files: so are files with a profile. */
static int is_beside(struct input *in, const struct listing_entry *x, int files)
{
	struct input *below;

	if (listing_is_directory(in->path, x)) {
		below = input_below(in, x->name);
		return trace_format_of(below) || profile_is(below);
	}
	return files && profile_file_is(input_below(in, x->name)->path);
}

/* What a directory has beside the data that are read; NULL: nothing. */
static char *beside(struct input *in)
{
	int files = !trace_format_of(in) && (tau_profile_is(in) || snapshot_folder_is(in));
	const struct listing *l = input_names(in);
	const char *path = in->path;
	char *names = NULL, *all = NULL;
	size_t found = 0;
	int looked = 0;

	for (size_t i = 0; l && i < l->entry_n; i++) {
		const struct listing_entry *x = &l->entry[i];

		if (!is_own(x->name) && (files || x->type != DT_REG) &&
		    looked++ < BESIDE_LOOKED && is_beside(in, x, files) &&
		    found++ < BESIDE_NAMED) {
			char *more = mem_printf("%s%s%s", names ? names : "", names ? ", " : "",
						x->name);

			free(names);
			names = more;
		}
	}
	if (found > BESIDE_NAMED)
		all = mem_printf("%s: also contains %s and %zu more, which are not read: name one "
				 "of them to read it", path, names, found - BESIDE_NAMED);
	else if (found)
		all = mem_printf("%s: also contains %s, which %s not read: name %s to read it",
				 path, names, found > 1 ? "are" : "is",
				 found > 1 ? "one of them" : "it");
	free(names);
	return all;
}

char *load_choice(struct input *in)
{
	char *kinds, *more, *all;

	if (!in->is_directory)
		return NULL;
	kinds = kinds_in(in);
	more = beside(in);
	if (!kinds || !more)
		return kinds ? kinds : more;
	all = mem_printf("%s; %s", kinds, more);
	free(kinds);
	free(more);
	return all;
}

static int load_trace(struct input *in, const struct load_options *o,
		      const struct replay_sink *sink, struct error *e)
{
	const char *path = in->path;
	struct handing h = {.sink = sink, .path = path, .options = o};
	const struct replay_sink through = {hand, &h};
	struct trace *t;
	uint64_t repaired = 0;
	int noted = o->report && (!o->ranks || !ranks_rank(o->ranks));
	char *choice = noted ? load_choice(in) : NULL;
	int code = trace_open_input(in, o->kept, &t, e);

	if (choice && !code)
		report_note(o->report, NOTE_CHOICE, 0, choice);
	else
		free(choice);
	if (code)
		return code;
	code = replay(t, o, &through, &repaired, e);
	if (!code && noted)
		report_add(o->report, t, repaired, &h.periods);
	if (!code && noted && h.deep)
		report_note(o->report, NOTE_CHOICE, (double)h.deep,
			    mem_printf("%s: %zu call path%s of more than %d levels %s added up: %s "
				       "the first %d regions and the last one",
				       path, h.deep, plural(h.deep), DEEP_PATHS_LEVELS,
				       h.deep == 1 ? "is" : "are",
				       h.deep == 1 ? "it has" : "they have",
				       DEEP_PATHS_LEVELS));
	trace_free(t);
	return code;
}

/* Notes what a reader of profiles excluded or filled in, from the profile's metadata. */
static void report_profile(struct load_report *r, const char *path, const struct profile *p)
{
	static const char *const known[][2] = {
		{TAU_META_CUBE_METRICS_LEFT_OUT, "metrics that are not included"},
		{TAU_META_CUBE_PARAMETERS_LEFT_OUT,
		 "parameters of calls that are not included; calls that differ only in them are "
		 "one call path"},
		{TAU_META_VALUES_MISSING,
		 "timers without a value of a metric, which is then 0"},
		{TAU_META_FILES_LEFT_OUT, "damaged files that are not included"},
		{TAU_META_TEXT_IGNORED, "text that is not included"},
	};
	char *throttled;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const char *text = profile_meta(p, UINT32_MAX, known[i][0]);

		if (text)
			report_note(r, NOTE_LEFT_OUT, 0,
				    mem_printf("%s: %s: %s", path, known[i][1], text));
	}
	throttled = throttled_in_profile(p, path);
	if (throttled)
		report_note(r, NOTE_THROTTLED, 0, throttled);
}

static int load_any(struct input *in, const struct load_options *o, const struct replay_sink *sink,
		    struct error *e)
{
	const char *path = in->path;
	struct profile *p;
	int code;

	if (regular_check(path, e))
		return e->code;
	if (trace_format_of(in) || !profile_is(in))
		return load_trace(in, o, sink, e);
	if (o->window_n || o->series.every_n || o->series.every_ns || o->series.slices)
		return error_set(e, ERROR_INPUT,
				 "%s: a profile has no times, so it has no windows", path);
	if (o->only)
		return error_set(e, ERROR_INPUT,
				 "%s: a profile has no events, so --rank, --thread, --group, "
				 "--region and --inside do not apply",
				 path);
	if (o->ranks && ranks_rank(o->ranks))
		return 0;
	code = profile_read(in, NULL, &p, e);
	if (code)
		return code;
	if (o->no_recorder)
		recorder_rows_remove(p);
	if (o->report) {
		char *choice = load_choice(in);

		if (choice)
			report_note(o->report, NOTE_CHOICE, 0, choice);
		report_profile(o->report, path, p);
	}
	return sink->receive(sink->to, p, 0, 1, e);
}

int load_each(struct input *in, const struct load_options *o, const struct replay_sink *sink,
	      struct error *e)
{
	size_t met = o->ranks ? ranks_meetings(o->ranks) : 0;
	int code = 0;

	for (size_t i = 0; o->window && i < o->window_n && !code; i++)
		code = window_check(o->window[i], e);
	if (!code && o->callpath_depth > REPLAY_DEPTH_MAX)
		code = error_set(e, ERROR_USAGE, "a call path depth is at most %d",
				 REPLAY_DEPTH_MAX);
	if (!code)
		code = load_any(in, o, sink, e);
	/* What failed before the parts were there, or is no trace. */
	if (o->ranks && ranks_meetings(o->ranks) == met)
		code = ranks_agree(o->ranks, code, e);
	return code;
}

struct load_kept {
	struct profile **v;
	size_t v_n, v_cap;
};

static int keep(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct load_kept *k = to;

	(void)at;
	(void)n;
	(void)e;
	*array_add(k, v) = p;
	return 0;
}

int load_profiles(struct input *in, const struct load_options *o, struct profile ***out,
		  size_t *out_n, struct error *e)
{
	struct load_kept kept = {0};
	int code = load_each(in, o, &(struct replay_sink){keep, &kept}, e);

	*out = kept.v;
	*out_n = kept.v_n;
	if (!code)
		return 0;
	for (size_t i = 0; i < kept.v_n; i++)
		profile_free(kept.v[i]);
	free(kept.v);
	*out = NULL;
	*out_n = 0;
	return code;
}

int load_path_profiles(const char *path, const struct load_options *o, struct profile ***out,
		       size_t *out_n, struct error *e)
{
	struct input *in = input_new(path);
	int code = load_profiles(in, o, out, out_n, e);

	input_free(in);
	return code;
}

#define TWICE_KEPT 64 /* windows that stay in memory */

/* Profiles that were looked at and wait to be taken: few in memory, many in a file. */
struct twice {
	const struct replay_sink *look;
	struct load_kept kept;
	struct spool *spool; /* NULL: there are few */
	size_t n;
};

static int look_at(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct twice *t = to;
	int code = t->look->receive(t->look->to, p, at, n, e);

	t->n = n;
	if (!code && n <= TWICE_KEPT) {
		*array_add(&t->kept, v) = p;
		return 0;
	}
	if (!code && !t->spool)
		code = spool_open(&t->spool, e);
	if (!code)
		code = spool_put(t->spool, p, e);
	profile_free(p);
	return code;
}

static int pass_next(struct twice *t, size_t at, const struct replay_sink *receive, struct error *e)
{
	struct profile *p;
	int code = 0;

	if (t->spool) {
		code = spool_next(t->spool, &p, e);
	} else {
		p = t->kept.v[at];
		t->kept.v[at] = NULL;
	}
	return code ? code : receive->receive(receive->to, p, at, t->n, e);
}

int load_twice(struct input *in, const struct load_options *o, const struct replay_sink *look,
	       const struct replay_sink *receive, struct error *e)
{
	struct twice t = {.look = look};
	int code = load_each(in, o, &(struct replay_sink){look_at, &t}, e);

	for (size_t i = 0; i < t.n && !code; i++)
		code = pass_next(&t, i, receive, e);
	for (size_t i = 0; i < t.kept.v_n; i++)
		profile_free(t.kept.v[i]);
	free(t.kept.v);
	spool_close(t.spool);
	return code;
}
