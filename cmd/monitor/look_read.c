/* look_read.c: reads what is new in a run, and adds it to what is known. */
#include "cmd/monitor/look_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/memory/memory.h"
#include "analyze/profile/message_counter.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/profile_sum.h"
#include "analyze/profile/recorder_rows.h"
#include "analyze/profile/region_rows.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/replay/replay.h"
#include "analyze/trace/region_work.h"
#include "analyze/trace/trace.h"
#include "analyze/window/window.h"
#include "cmd/monitor/hosts.h"
#include "cmd/monitor/look_carry.h"
#include "cmd/monitor/look_hang.h"
#include "cmd/monitor/look_ranks.h"
#include "cmd/monitor/look_threads.h"
#include "cmd/monitor/open_regions.h"
#include "convert/formats.h"
#include "convert/native/live/native_kept.h"

/* ---- what is new ---- */

struct parts {
	struct profile *p[2]; /* settled now, and what comes after it */
	size_t first;	      /* 1: nothing was settled since the look before */
};

static int part_receive(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct parts *parts = to;

	(void)n;
	(void)e;
	recorder_rows_remove(p);
	parts->p[parts->first + at] = p;
	return 0;
}

/* Only calls' times are carried from look to look (look_carry.h). */
static void time_squares_only(struct profile *p)
{
	for (size_t i = 0; i < p->thread_n && p->metric_n > 1; i++)
		for (size_t k = 0; k < p->thread[i].squares_n; k++)
			if (k % p->metric_n)
				p->thread[i].squares[k] = NAN;
}

/* Profiles of [settled, then) and [then, end). */
static int parts_read(struct look_run *r, struct trace *t, int64_t then, struct open_streams *open,
		      struct parts *parts, struct error *e)
{
	const struct replay_sink sink = {part_receive, parts};
	const struct window_between whole = {.span = {r->settled_ns, INT64_MAX}};
	const struct window_between both[] = {{.span = {r->settled_ns, then}},
					      {.span = {then, INT64_MAX}}};
	struct window_options w = {.index = INDEX_USE};
	struct windows windows = {0};
	struct replay_options o = {.windows = &windows,
				   .index = INDEX_USE,
				   .resolution = STACK_FUNCTION,
				   .callpath_depth = r->paths ? REPLAY_UNLIMITED : 0,
				   .squares = r->squares,
				   .ends = open_streams_receive,
				   .ends_to = open};
	uint64_t repaired;
	int code;

	parts->first = then <= r->settled_ns;
	w.between = parts->first ? &whole : both;
	w.n = 2 - parts->first;
	code = windows_resolve(t, &w, &windows, e);
	if (code)
		return code;
	if (r->squares)
		o.carry = look_carry_begin(&r->carry, t);
	code = replay_each(t, &o, &sink, &repaired, e);
	if (r->squares)
		look_carry_end(&r->carry, t, o.carry);
	for (size_t i = 0; i < 2 && r->squares; i++)
		if (parts->p[i])
			time_squares_only(parts->p[i]);
	windows_release(&windows);
	return code;
}

static void settle(struct look_run *r, struct profile *p, int64_t then)
{
	if (!p)
		return;
	if (!r->settled)
		r->settled = profile_new();
	profile_add_window(r->settled, p);
	r->settled_ns = then;
	profile_free(p);
}

static void forget(struct look_run *r)
{
	if (r->settled)
		profile_free(r->settled);
	look_carry_release(&r->carry);
	r->settled = NULL;
	r->settled_ns = 0;
}

/* Everything up to the trace's end. */
static int everything(struct look_run *r, struct trace *t, struct open_streams *open,
		      struct profile **out, struct error *e)
{
	struct parts parts = {0};
	int64_t then = t->end - LOOK_SETTLED_NS;
	int code;

	if (t->end < r->end_ns)
		forget(r); /* another run is in its place */
	code = parts_read(r, t, then, open, &parts, e);
	if (code) {
		for (size_t i = 0; i < 2; i++)
			if (parts.p[i])
				profile_free(parts.p[i]);
		if (r->squares)
			forget(r);
		return code;
	}
	settle(r, parts.p[0], then);
	*out = profile_new();
	if (r->settled)
		profile_add_window(*out, r->settled);
	profile_add_window(*out, parts.p[1]);
	profile_free(parts.p[1]);
	return 0;
}

/* ---- regions ---- */

static size_t name_id(struct look_run *r, const char *name)
{
	size_t id = names_add(&r->name, name, strlen(name));

	if (id < r->name_cap)
		return id;
	r->name_cap = r->name.name_cap;
	r->calls = mem_resize(r->calls, r->name_cap, sizeof(*r->calls));
	r->excl = mem_resize(r->excl, r->name_cap, sizeof(*r->excl));
	r->share = mem_resize(r->share, r->name_cap, sizeof(*r->share));
	for (size_t i = id; i < r->name_cap; i++) {
		r->calls[i] = r->excl[i] = 0;
		memset(r->share[i], 0, sizeof(r->share[i]));
	}
	return id;
}

/* Times are whole nanoseconds; sums of microseconds are not exact. */
static double whole_ns(double us)
{
	return round(us * 1000) / 1000;
}

static void regions_add(struct look_run *r, struct look *l)
{
	struct waiting *waiting =
		waiting_find((const struct profile *const *)&l->profile, 1, TIMER_MEASURED);
	struct region_rows rows;

	region_rows_with_devices(&rows, l->profile, waiting, 0,
				 r->paths ? ROWS_PATHS : ROWS_FLAT);
	for (size_t i = 0; i < rows.kind_n[TIMER_MEASURED] + rows.kind_n[TIMER_SAMPLE]; i++) {
		const struct region_row *from = &rows.v[i];
		struct look_region *to = array_add(l, region);

		to->name = profile_path_text(l->profile, from->path);
		to->groups = mem_string(
			l->profile->timer[l->profile->path[from->path].timer].groups);
		to->id = name_id(r, to->name);
		to->calls = from->calls;
		to->excl = whole_ns(from->excl);
		to->incl = whole_ns(from->incl);
		to->new_calls = r->looks_here ? from->calls - r->calls[to->id] : NAN;
		to->new_excl = r->looks_here ? whole_ns(to->excl - r->excl[to->id]) : NAN;
	}
	region_rows_release(&rows);
	waiting_free(waiting);
}

/* What the next look here compares with. */
static void regions_keep(struct look_run *r, const struct look *l)
{
	for (size_t i = 0; i < l->region_n; i++) {
		r->calls[l->region[i].id] = l->region[i].calls;
		r->excl[l->region[i].id] = l->region[i].excl;
	}
}

static void shares_keep(struct look_run *r, const struct look *l)
{
	size_t at = r->looks % LOOK_HISTORY;
	double whole = 0;

	for (size_t i = 0; i < l->region_n; i++)
		whole += l->region[i].new_excl > 0 ? l->region[i].new_excl : 0;
	for (size_t i = 0; i < r->name.name_n; i++)
		r->share[i][at] = 0;
	for (size_t i = 0; i < l->region_n; i++) {
		const struct look_region *x = &l->region[i];

		if (whole > 0 && x->new_excl > 0)
			r->share[x->id][at] = (float)(x->new_excl / whole);
	}
}

/* ---- memory, messages and processes ---- */

static void memory_add(struct look *l)
{
	struct memory *m = memory_new(l->profile);

	for (size_t i = 0; i < m->row_n; i++) {
		const struct memory_row *row = &m->row[i];
		struct look_memory *to;

		if (!memory_row_whole(row) || !row->value[MEMORY_LIVE].known)
			continue;
		to = array_add(l, memory);
		to->type = mem_string(row->type);
		to->bytes = row->value[MEMORY_LIVE].bytes;
		to->blocks = row->value[MEMORY_LIVE].objects;
	}
	memory_free(m);
	if (l->memory_n)
		qsort(l->memory, l->memory_n, sizeof(*l->memory), look_memory_order);
}

/* Messages that were sent and are not received: by the counters that TAU has of them. */
static void messages_count(struct look *l)
{
	const struct profile *p = l->profile;

	l->messages = l->bytes = NAN;
	for (size_t i = 0; i < p->counter_n; i++) {
		const char *name = p->counter[i].name;
		int sent = !strcmp(name, message_counter_all(MESSAGE_SENT));

		if (!sent && strcmp(name, message_counter_all(MESSAGE_RECEIVED)) != 0)
			continue;
		if (isnan(l->messages))
			l->messages = l->bytes = 0;
		for (size_t k = 0; k < p->thread_n; k++) {
			const struct profile_sample *s = profile_sample_get(
				&p->thread[k], (uint32_t)i, PROFILE_FLAT);

			if (!s)
				continue;
			l->messages += sent ? s->n : -s->n;
			l->bytes += (sent ? 1 : -1) * s->n * s->mean;
		}
	}
}

static int by_node(const void *va, const void *vb)
{
	const struct look_process *a = va, *b = vb;

	return (a->node > b->node) - (a->node < b->node);
}

static void processes_add(struct look *l, const struct trace *t)
{
	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *from = &t->process[i];
		struct look_process *to = array_add(l, process);

		*to = look_process_none();
		to->node = from->node;
		to->pid = from->pid;
		to->host = mem_string(from->host ? from->host : "");
		to->running = from->running;
		to->ended = from->ended;
		to->end_value = from->end_value;
		to->id = from->id;
		to->rank = from->rank;
		to->unknown = from->elsewhere && !from->running &&
			      from->ended == TRACE_END_UNKNOWN;
		l->running += to->running != 0;
		l->unknown += to->unknown != 0;
		l->ended += !to->running && !to->unknown;
	}
	if (l->process_n)
		qsort(l->process, l->process_n, sizeof(*l->process), by_node);
	for (size_t i = 0; i < t->stream_n; i++)
		l->records += (double)t->stream[i].records;
	l->lost = (double)trace_lost(t);
	l->pes = profile_pes(l->profile);
	l->threads = l->profile->thread_n;
}

/* ---- one look ---- */

/* What is recorded here. */
static int look_here(struct look_run *r, unsigned wants, struct look *out, struct error *e)
{
	struct open_streams open;
	struct trace *t;
	int code;

	if (!r->files)
		r->files = native_kept_new();
	code = trace_open_again(r->path, r->own, r->files, &t, e);
	if (code)
		return code;
	*out = (struct look){.elapsed = NAN};
	open_streams_init(&open, t);
	code = everything(r, t, &open, &out->profile, e);
	if (!code && (wants & LOOK_THREADS))
		code = look_threads(r, t, &open, out, e);
	open_streams_release(&open);
	if (!code) {
		out->now = (double)t->end / 1e9;
		if (r->looks_here)
			out->elapsed = (double)(t->end - r->end_ns) / 1e9;
		regions_add(r, out);
		messages_count(out);
		processes_add(out, t);
		if (wants & LOOK_MEMORY)
			memory_add(out);
		if (wants & LOOK_RANKS)
			look_ranks(&r->ranks, out);
		if ((wants & (LOOK_HANG | LOOK_WAITS)) && !r->own)
			look_hang(&r->hang, t, (wants & LOOK_WAITS) != 0);
		out->hang = r->hang.found;
		regions_keep(r, out);
		r->end_ns = t->end;
		r->looks_here++;
	} else {
		look_release(out);
	}
	trace_free(t);
	return code;
}

/* Helpers look while this host does. A look that fails here is no failure if another host has one. */
static int look_all(struct look_run *r, unsigned wants, struct look *out, struct error *e)
{
	struct look here = {0};
	struct error why = {0};
	int code = 0;

	hosts_request(r->hosts, wants, r->threads);
	if (r->here)
		code = look_here(r, wants, &here, &why);
	if (r->profile)
		profile_free(r->profile);
	r->profile = here.profile;
	here.profile = NULL;
	code = hosts_receive(r->hosts,
			     r->here ? &(struct hosts_here){r->name_here, code ? NULL : &here,
							    code ? why.text : NULL}
				     : NULL,
			     out, e);
	look_release(&here);
	for (size_t i = 0; !code && i < out->region_n; i++)
		out->region[i].id = name_id(r, out->region[i].name);
	return code;
}

int look_read(struct look_run *r, unsigned wants, struct look *out, struct error *e)
{
	int squares = r->squares || ((wants & LOOK_CELLS) && !r->hosts), code;

	if (r->hosts)
		wants &= ~(unsigned)(LOOK_HANG | LOOK_WAITS | LOOK_CELLS);
	if (r->paths != !!(wants & LOOK_PATHS) || r->squares != squares) {
		struct look_run fresh = {.path = r->path,
					 .own = r->own,
					 .files = r->files,
					 .hosts = r->hosts,
					 .here = r->here,
					 .name_here = r->name_here,
					 .threads = r->threads,
					 .paths = !!(wants & LOOK_PATHS),
					 .squares = squares};

		r->files = NULL;
		fresh.hang = r->hang;
		fresh.ranks = r->ranks;
		r->hang = (struct hang_watch){0};
		r->ranks = (struct look_ranks){0};
		look_run_release(r);
		*r = fresh;
	}
	code = r->hosts ? look_all(r, wants, out, e) : look_here(r, wants, out, e);
	if (code)
		return code;
	shares_keep(r, out);
	r->looks++;
	return 0;
}

int look_profile(struct look_run *r, const struct look *l, struct profile **out, struct error *e)
{
	if (r->hosts)
		return hosts_profile(r->hosts, r->profile, out, e);
	*out = profile_new();
	profile_add_window(*out, l->profile);
	return 0;
}

void look_run_release(struct look_run *r)
{
	forget(r);
	look_ranks_release(&r->ranks);
	hang_watch_release(&r->hang);
	if (r->profile)
		profile_free(r->profile);
	native_kept_free(r->files);
	names_release(&r->name);
	free(r->calls);
	free(r->excl);
	free(r->share);
	map_release(&r->thread_calls);
	free(r->thread_before);
}
