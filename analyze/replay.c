/* replay.c: plays all streams of a trace through the windows and fills the profiles. */
#include "replay.h"

#include <stdio.h>
#include <string.h>

#include "player.h"

#define ROOT_NAME ".TAU application"
#define ROOT_GROUP "TAU_UTILITY"
#define CONTEXT_DEPTH 2		/* of context events, as TAU has it, unless call paths are deeper */

/* One window's profile while it is being filled, with the trace's ids turned into the profile's. */
struct sheet {
	struct profile *profile;
	uint32_t *timer, *flat;	/* by region; [region_n] is the root; PROFILE_FLAT: not there yet */
	uint32_t *counter;	/* by counter */
	size_t counter_n;
};

struct replay {
	struct player_shared shared;
	struct sheet *sheet;
	uint64_t repaired;
	struct window_spans *spans;	/* [process * window_n + window] */
	struct segments segments;	/* of the current process */
	struct stack_places places;
};

/* ---- filling profiles ---- */

static uint32_t sheet_timer(struct replay *r, struct sheet *s, uint32_t region)
{
	const struct trace *t = r->shared.trace;

	if (s->timer[region] != PROFILE_FLAT)
		return s->timer[region];
	if (region == t->region_n) {
		s->timer[region] = profile_add_timer(s->profile, ROOT_NAME, ROOT_GROUP, NULL, 0);
	} else {
		const struct trace_region *g = &t->region[region];

		s->timer[region] =
			profile_add_timer(s->profile, g->name, g->groups, g->file, g->line);
	}
	s->flat[region] = profile_add_path(s->profile, s->timer[region], PROFILE_FLAT);
	return s->timer[region];
}

static uint32_t sheet_path(struct replay *r, struct sheet *s, uint32_t path)
{
	const struct machine_path *p = &r->shared.paths.v[path];
	uint32_t timer = sheet_timer(r, s, p->region);

	if (p->length == 1)
		return s->flat[p->region];
	return profile_add_path(s->profile, timer, sheet_path(r, s, p->parent));
}

static uint32_t sheet_counter(struct replay *r, struct sheet *s, uint32_t counter)
{
	const struct names *names = &r->shared.counters.names;

	if (counter >= s->counter_n) {
		s->counter = mem_resize(s->counter, names->name_n, sizeof(*s->counter));
		memset(s->counter + s->counter_n, 0xff,
		       (names->name_n - s->counter_n) * sizeof(*s->counter));
		s->counter_n = names->name_n;
	}
	if (s->counter[counter] == UINT32_MAX)
		s->counter[counter] =
			profile_add_counter(s->profile, names->name[counter], COUNTER_EVENT);
	return s->counter[counter];
}

static int row_empty(const struct machine_row *r)
{
	return !r->calls && !r->subrs && !r->excl && !r->incl;
}

/* What a metric gained in the row of a region or path; NULL: nothing. */
static const struct machine_row *metric_row(const struct meter_tally *t, uint32_t i, int path)
{
	if (path)
		return i < t->path_row_n ? &t->path_row[i] : NULL;
	return &t->row[i];
}

/* Does nothing stand in the row of a region or path, neither of time nor of a metric? */
static int all_empty(const struct machine_row *time, const struct meter_tally *metric, size_t n,
		     uint32_t i, int path)
{
	for (size_t k = 0; k < n; k++) {
		const struct machine_row *r = metric_row(&metric[k], i, path);

		if (r && (r->incl || r->excl))
			return 0;
	}
	return !time || row_empty(time);
}

static void fill_metrics(struct replay *r, struct profile *p, uint32_t thread,
			 const struct meter_tally *metric, uint32_t i, int path)
{
	const struct trace *t = r->shared.trace;
	struct profile_thread *to = &p->thread[thread];
	const struct profile_row *row = &to->row[to->row_n - 1];

	for (size_t k = 0; k < t->metric_n; k++) {
		const struct machine_row *from = metric_row(&metric[k], i, path);

		if (!from)
			continue;
		profile_incl(to, row)[k + 1] = (double)from->incl / t->metric[k].divide;
		profile_excl(p, to, row)[k + 1] = (double)from->excl / t->metric[k].divide;
	}
}

static void fill_row(struct profile *p, uint32_t thread, uint32_t path, const struct machine_row *r)
{
	struct profile_row *row = profile_add_row(p, thread, path);

	if (!r)
		return;
	row->calls = (double)r->calls;
	row->subrs = (double)r->subrs;
	*profile_incl(&p->thread[thread], row) = (double)r->incl / 1000;
	*profile_excl(p, &p->thread[thread], row) = (double)r->excl / 1000;
}

static void fill_sample(struct replay *r, struct sheet *s, uint32_t thread, const struct sample *x)
{
	uint32_t counter = sheet_counter(r, s, x->counter);
	uint32_t path = x->path ? sheet_path(r, s, x->path) : PROFILE_FLAT;
	struct profile_sample *to = profile_add_sample(s->profile, thread, counter, path);

	to->n = (double)x->n;
	to->max = x->max;
	to->min = x->min;
	to->mean = exact_value(&x->sum) / (double)x->n;
	to->sumsq = exact_value(&x->sumsq);
}

/* A thread stands in a profile when something happened on it. */
static int tally_empty(const struct tally *t, const struct meter_tally *metric, size_t metric_n,
		       size_t region_n)
{
	for (uint32_t i = 0; i <= region_n; i++)
		if (!all_empty(&t->row[i], metric, metric_n, i, 0))
			return 0;
	for (size_t i = 0; i < t->samples.v_n; i++)
		if (t->samples.v[i].n)
			return 0;
	return stacks_empty(&t->stacks);
}

/* Rows of call paths; paths of one region alone are the region's own row. */
static void fill_paths(struct replay *r, struct sheet *s, uint32_t thread,
		       const struct tally *tally, const struct meter_tally *metric)
{
	const size_t metric_n = r->shared.trace->metric_n;
	size_t n = tally->path_row_n;

	for (size_t k = 0; k < metric_n; k++)
		n = metric[k].path_row_n > n ? metric[k].path_row_n : n;
	for (uint32_t i = 0; i < n; i++) {
		const struct machine_row *row = i < tally->path_row_n ? &tally->path_row[i] : NULL;

		if (all_empty(row, metric, metric_n, i, 1) || r->shared.paths.v[i].length < 2)
			continue;
		fill_row(s->profile, thread, sheet_path(r, s, i), row);
		fill_metrics(r, s->profile, thread, metric, i, 1);
	}
}

/* Where the samples' contexts are asked for. */
struct context_of {
	struct replay *replay;
	struct sheet *sheet;
};

static uint32_t context_path(void *to, uint32_t number)
{
	struct context_of *c = to;

	if (c->replay->shared.paths.depth)
		return sheet_path(c->replay, c->sheet, number);
	sheet_timer(c->replay, c->sheet, number);
	return c->sheet->flat[number];
}

static void meta_us(struct profile *p, uint32_t thread, const char *name, int64_t ps)
{
	char text[40];

	snprintf(text, sizeof(text), "%.3f", (double)ps / 1e6);
	profile_set_meta(p, thread, name, text);
}

static void fill_paid(struct profile *p, uint32_t thread, const struct tally *tally)
{
	meta_us(p, thread, "TAU Compensated (us)", tally->paid);
	meta_us(p, thread, "TAU Compensation Error (us)", tally->doubt);
}

static void fill_thread(struct replay *r, struct sheet *s, uint32_t stream,
			const struct tally *tally, const struct meter_tally *metric)
{
	const struct trace *t = r->shared.trace;
	const struct trace_stream *x = &t->stream[stream];
	uint32_t thread;

	if (tally_empty(tally, metric, t->metric_n, t->region_n))
		return;
	thread = profile_add_thread(s->profile, t->process[x->process].node, 0, (int32_t)x->thread);
	for (uint32_t i = 0; i <= t->region_n; i++) {
		if (all_empty(&tally->row[i], metric, t->metric_n, i, 0))
			continue;
		sheet_timer(r, s, i);
		fill_row(s->profile, thread, s->flat[i], &tally->row[i]);
		fill_metrics(r, s->profile, thread, metric, i, 0);
	}
	fill_paths(r, s, thread, tally, metric);
	for (size_t i = 0; i < tally->samples.v_n; i++)
		if (tally->samples.v[i].n)
			fill_sample(r, s, thread, &tally->samples.v[i]);
	stacks_fill(&tally->stacks, &r->shared.tree, &r->places, s->profile, thread, context_path,
		    &(struct context_of){ r, s });
	if (r->shared.compensate)
		fill_paid(s->profile, thread, tally);
	if (x->label)
		profile_set_meta(s->profile, thread, "Thread Name", x->label);
}

static void fill_level(struct sheet *s, uint32_t thread, const char *what, const char *name,
		       uint32_t kind, int64_t value)
{
	char *full = mem_printf("%s %s", what, name);
	uint32_t counter = profile_add_counter(s->profile, full, kind);
	struct profile_sample *x = profile_add_sample(s->profile, thread, counter, PROFILE_FLAT);

	x->n = 1;
	x->max = x->min = x->mean = (double)value;
	x->sumsq = (double)value * (double)value;
	free(full);
}

/* The process's levels stand on its thread 0, if there is anything to say. */
static void fill_levels(struct replay *r, struct sheet *s, size_t w, uint32_t process,
			const struct levels *l)
{
	const struct level *now = &l->window_now[w * l->row_n],
			   *peak = &l->window_peak[w * l->row_n];
	uint32_t thread;

	for (size_t i = 0; i < l->row_n; i++) {
		const char *name = r->shared.counters.level.name[i];

		if (!now[i].bytes && !now[i].blocks && !peak[i].bytes && !peak[i].blocks)
			continue;
		thread = profile_add_thread(s->profile, r->shared.trace->process[process].node, 0,
					    0);
		fill_level(s, thread, "live", name, COUNTER_LEVEL, now[i].bytes);
		fill_level(s, thread, "live objects", name, COUNTER_LEVEL, now[i].blocks);
		fill_level(s, thread, "peak", name, COUNTER_PEAK, peak[i].bytes);
		fill_level(s, thread, "peak objects", name, COUNTER_PEAK, peak[i].blocks);
	}
}

/* ---- playing ---- */

/* Plays n streams of one process side by side, as their memory needs it, and fills their rows. */
static int play_group(struct replay *r, uint32_t process, const uint32_t *stream, size_t n,
		      struct levels *levels, struct error *e)
{
	struct player *p = mem_alloc(n * sizeof(*p));
	int64_t end = r->shared.trace->process[process].end, before = 0;
	int code = 0;

	for (size_t i = 0; i < n && code >= 0; i++)
		code = player_open(&p[i], &r->shared, &r->segments, levels, stream[i], end, e);
	while (code >= 0 && before != INT64_MAX) {
		before = INT64_MAX;
		for (size_t i = 0; i < n && levels; i++)
			if (player_head(&p[i]) < before)
				before = player_head(&p[i]);
		/* What is at hand of the slowest is played whole; memory cannot change earlier any more. */
		before += before != INT64_MAX;
		for (size_t i = 0; i < n && code >= 0; i++)
			code = player_advance(&p[i], before, e);
		if (levels)
			levels_advance(levels, before);
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t w = 0; w < r->shared.window_n && code >= 0; w++)
			fill_thread(r, &r->sheet[w], stream[i], &p[i].tally[w],
				    &p[i].meter.tally[w * p[i].meter.n]);
		r->repaired += p[i].machine.repaired;
		player_close(&p[i]);
	}
	free(p);
	return code < 0 ? code : 0;
}

static int play_process(struct replay *r, uint32_t process, struct error *e)
{
	const struct trace *t = r->shared.trace;
	const struct trace_process *q = &t->process[process];
	uint32_t *with = mem_alloc(q->stream_n * sizeof(*with));
	size_t with_n = 0;
	int code = 0;

	segments_make(&r->segments, r->spans + process * r->shared.window_n, r->shared.window_n);
	for (size_t i = 0; i < q->stream_n && !code; i++) {
		if (t->stream[q->stream[i]].has_memory)
			with[with_n++] = q->stream[i];
		else
			code = play_group(r, process, &q->stream[i], 1, NULL, e);
	}
	if (with_n && !code) {
		struct levels levels;

		levels_init(&levels, &r->shared.counters, &r->segments, r->shared.window_n, q->end);
		code = play_group(r, process, with, with_n, &levels, e);
		for (size_t w = 0; w < r->shared.window_n && !code; w++)
			if (levels.window_seen[w])
				fill_levels(r, &r->sheet[w], w, process, &levels);
		levels_release(&levels);
	}
	segments_release(&r->segments);
	free(with);
	return code;
}

/* ---- metadata ---- */

static const char *process_meta(const struct trace_process *p, const char *name)
{
	for (size_t i = 0; i < p->meta_n; i++)
		if (!strcmp(p->meta[i].name, name))
			return p->meta[i].value;
	return NULL;
}

/* What all processes agree on describes the trial; the rest stands with thread 0 of each process. */
static void fill_meta(struct replay *r, struct profile *p)
{
	const struct trace *t = r->shared.trace;
	uint64_t lost = 0;
	char number[32];

	for (size_t i = 0; t->process_n && i < t->process[0].meta_n; i++) {
		const struct trace_attribute *a = &t->process[0].meta[i];
		size_t same = 1;

		while (same < t->process_n) {
			const char *other = process_meta(&t->process[same], a->name);

			if (!other || strcmp(other, a->value))
				break;
			same++;
		}
		if (same == t->process_n)
			profile_set_meta(p, UINT32_MAX, a->name, a->value);
	}
	for (size_t i = 0; i < p->thread_n; i++) {
		if (p->thread[i].thread != 0)
			continue;
		for (size_t q = 0; q < t->process_n; q++)
			for (size_t j = 0;
			     t->process[q].node == p->thread[i].node && j < t->process[q].meta_n;
			     j++)
				profile_set_meta(p, (uint32_t)i, t->process[q].meta[j].name,
						 t->process[q].meta[j].value);
	}
	for (size_t s = 0; s < t->stream_n; s++)
		lost += t->stream[s].lost;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)lost);
	profile_set_meta(p, UINT32_MAX, "TAU Lost Events", number);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)r->repaired);
	profile_set_meta(p, UINT32_MAX, "TAU Repaired Frames", number);
	if (t->note_n) {
		char *all = mem_string("");

		for (size_t i = 0; i < t->note_n; i++) {
			char *longer = mem_printf("%s%s%s", all, i ? "\n" : "", t->note[i]);

			free(all);
			all = longer;
		}
		profile_set_meta(p, UINT32_MAX, "TAU Notes", all);
		free(all);
	}
}

/* ---- the whole ---- */

static void sheet_open(struct sheet *s, const struct trace *t, const struct window *w,
		       const struct window_spans *spans, size_t stride)
{
	size_t n = (t->region_n + 1) * sizeof(*s->timer);
	int64_t begin = INT64_MAX, end = INT64_MIN;

	s->profile = profile_new();
	profile_add_metric(s->profile, "TIME");
	for (size_t k = 0; k < t->metric_n; k++)
		profile_add_metric(s->profile, t->metric[k].name);
	s->timer = memset(mem_alloc(n), 0xff, n);
	s->flat = memset(mem_alloc(n), 0xff, n);
	s->profile->source = 999;
	s->profile->window = w ? mem_string(w->text) : NULL;
	for (size_t p = 0; p < t->process_n; p++) {
		const struct window_spans *x = &spans[p * stride];

		if (!x->v_n)
			continue;
		if (x->v[0].begin < begin)
			begin = x->v[0].begin;
		if (x->v[x->v_n - 1].end > end)
			end = x->v[x->v_n - 1].end;
	}
	/* The end of the trace lies one ns behind its last record, so that this is inside. */
	if (end >= t->end)
		end = t->end - 1 > begin ? t->end - 1 : begin;
	s->profile->begin_us = begin <= end ? (double)begin / 1000 : 0;
	s->profile->end_us = begin <= end ? (double)end / 1000 : -1;
}

static void sheet_release(struct sheet *s)
{
	free(s->timer);
	free(s->flat);
	free(s->counter);
}

static int resolve(struct replay *r, struct trace *t, const struct replay_options *o,
		   struct error *e)
{
	if (o->window_n)
		return window_resolve(t, o->window, o->window_n, &r->spans, e);
	r->spans = mem_alloc((t->process_n + 1) * sizeof(*r->spans));
	for (size_t p = 0; p < t->process_n; p++)
		*array_add(&r->spans[p], v) = (struct window_span){ 0, INT64_MAX };
	return 0;
}

int replay_profiles(struct trace *t, const struct replay_options *o, struct profile **out,
		    struct error *e)
{
	struct replay r = { .shared = { .trace = t, .window_n = o->window_n ? o->window_n : 1 } };
	size_t n = r.shared.window_n;
	int code = resolve(&r, t, o, e);

	if (code)
		return code;
	r.places = (struct stack_places){ .trace = t, .resolution = o->resolution,
					  .progress = o->progress, .to = o->progress_to };
	stack_tree_init(&r.shared.tree);
	machine_paths_init(&r.shared.paths, o->callpath_depth);
	r.shared.compensate = o->compensate;
	counters_init(&r.shared.counters, t);
	r.shared.context_depth =
		o->callpath_depth > CONTEXT_DEPTH ? o->callpath_depth : CONTEXT_DEPTH;
	r.sheet = mem_alloc(n * sizeof(*r.sheet));
	for (size_t w = 0; w < n; w++)
		sheet_open(&r.sheet[w], t, o->window_n ? &o->window[w] : NULL, r.spans + w, n);
	for (size_t p = 0; p < t->process_n && !code; p++)
		code = play_process(&r, (uint32_t)p, e);
	for (size_t w = 0; w < n; w++) {
		if (code) {
			profile_free(r.sheet[w].profile);
		} else {
			profile_sort(r.sheet[w].profile);
			fill_meta(&r, r.sheet[w].profile);
			out[w] = r.sheet[w].profile;
		}
		sheet_release(&r.sheet[w]);
	}
	free(r.sheet);
	counters_release(&r.shared.counters);
	machine_paths_release(&r.shared.paths);
	stack_tree_release(&r.shared.tree);
	map_release(&r.places.asked);
	window_spans_free(r.spans, t->process_n * n);
	return code;
}

/* ---- instances ---- */

struct instances {
	struct window_spans *to;
	uint64_t most;
};

static void instance_ended(void *to, int64_t begin, int64_t end)
{
	struct instances *i = to;

	if (!i->most || i->to->v_n < i->most)
		*array_add(i->to, v) = (struct window_span){ begin, end };
}

static int stream_instances(struct trace *t, uint32_t stream, uint32_t region, struct instances *to,
			    struct error *e)
{
	struct machine_paths paths;
	struct machine_watch watch = { .region = region, .ended = instance_ended, .to = to };
	const struct trace_stream *s = &t->stream[stream];
	const struct trace_process *p = &t->process[s->process];
	struct trace_cursor *cursor;
	struct event_batch *b;
	struct machine m;
	int code = t->ops->open(t, stream, INT64_MIN, &cursor, e);

	if (code < 0)
		return code;
	machine_paths_init(&paths, 0);
	machine_init(&m, (uint32_t)t->region_n, &paths);
	m.watch = &watch;
	while ((code = t->ops->next(cursor, &b, e)) > 0 && (!to->most || to->to->v_n < to->most)) {
		if (b->state)
			machine_state(&m, b->state, b->state->time, 0);
		for (size_t i = 0; i < b->n; i++)
			machine_other(&m, b, &b->event[i]);
	}
	machine_finish(&m, s->damaged ? s->last : p->end);
	t->ops->close(cursor);
	machine_release(&m);
	machine_paths_release(&paths);
	return code < 0 ? code : 0;
}

int replay_instances(struct trace *t, uint32_t process, uint32_t region, uint64_t most,
		     struct window_spans *out, struct error *e)
{
	const struct trace_process *p = &t->process[process];
	struct instances to = { out, most };

	for (size_t i = 0; i < p->stream_n && !out->v_n; i++) {
		int code = stream_instances(t, p->stream[i], region, &to, e);

		if (code)
			return code;
	}
	return 0;
}
