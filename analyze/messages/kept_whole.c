/* kept_whole.c: the critical path and the waits of a whole run as numbers. */
#include "analyze/messages/kept_whole.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/cuts.h"
#include "analyze/messages/messages.h"
#include "analyze/stream/callstack.h"
#include "analyze/trace/numbers.h"

#define LEAST 65536 /* numbers that are kept at most, */
#define SHARE 2    /* and this share of the records */

/* Files contain these numbers: others need another version (NUMBERS_MAJOR). */
_Static_assert(CRITICAL_CAUSES == 23 && WAIT_TEAM == 12 && WAIT_PATTERNS == 19, "as tau-trace(5)");

/* Is it about the whole run, and is the run so long that it is worth it? */
static int is_whole(const struct messages *m)
{
	const struct trace *t = m->trace;
	uint64_t records = 0;

	for (uint32_t s = 0; s < t->stream_n; s++)
		records += t->stream[s].records;
	return !m->span && !m->selection && !m->skip && records >= CUTS_RUN &&
	       t->ops->knows & TRACE_KNOWS_NUMBERS;
}

static int keep(struct kept_numbers *x, struct trace *t, enum trace_numbers which)
{
	uint64_t records = 0;
	int kept;

	for (uint32_t s = 0; s < t->stream_n; s++)
		records += t->stream[s].records;
	kept = x->v_n <= LEAST + records / SHARE && numbers_keep(x, t, which);
	numbers_release(x);
	return kept;
}

/* ---- what both have ---- */

static void put_double(struct kept_numbers *x, double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	numbers_put(x, bits);
}

/* Times and sums of times are finite. */
static double get_double(struct kept_numbers *x)
{
	const int64_t bits = numbers_get(x);
	double v;

	memcpy(&v, &bits, sizeof(v));
	x->bad |= !(v >= -1e300 && v <= 1e300);
	return x->bad ? 0 : v;
}

/* A number of things, or an index of one of n, or TRACE_NONE. */
static void put_index(struct kept_numbers *x, uint32_t v)
{
	numbers_put(x, v == TRACE_NONE ? -1 : (int64_t)v);
}

static uint32_t get_index(struct kept_numbers *x, size_t n)
{
	const int64_t v = numbers_get(x);

	x->bad |= v < -1 || v >= (int64_t)n;
	return v < 0 || x->bad ? TRACE_NONE : (uint32_t)v;
}

/* Of the names of regions, whose numbers are kept. */
static int64_t names_hash(const struct trace *t)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t r = 0; r < t->region_n; r++)
		h = hash_bytes(h, t->region[r].name, strlen(t->region[r].name) + 1);
	return (int64_t)(h >> 1);
}

static void put_found(struct kept_numbers *x, const struct messages *m,
		      const struct messages_found *f)
{
	const uint64_t v[] = {f->matched,   f->unsent, f->unreceived, f->meetings, f->unmet,
			      f->disagreed, f->teams,  f->early,      f->repaired};

	numbers_put(x, names_hash(m->trace));
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		numbers_put(x, (int64_t)v[i]);
	numbers_put(x, (int64_t)m->paths.v_n);
	for (size_t i = 1; i < m->paths.v_n; i++) {
		numbers_put(x, (int64_t)i - m->paths.v[i].parent);
		numbers_put(x, m->paths.v[i].region);
	}
}

/* Each path comes after its parent, so all get the numbers that they had. */
static void get_found(struct kept_numbers *x, struct messages *m)
{
	uint64_t *const v[] = {&m->found.matched,  &m->found.unsent, &m->found.unreceived,
			       &m->found.meetings, &m->found.unmet,  &m->found.disagreed,
			       &m->found.teams,    &m->found.early,  &m->found.repaired};
	size_t n;

	x->bad |= numbers_get(x) != names_hash(m->trace);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		*v[i] = numbers_below(x, INT64_MAX);
	n = numbers_count(x, 1);
	callstack_paths_init(&m->paths, CALLSTACK_WHOLE);
	for (size_t i = 1; i < n && !x->bad; i++) {
		const size_t up = numbers_below(x, i + 1);
		const size_t region = numbers_below(x, m->trace->region_n);

		x->bad |= !up || x->bad ||
			  callstack_path_find(&m->paths, (uint32_t)(i - up), (uint32_t)region) != i;
	}
	x->bad |= m->paths.v_n != n;
}

/* What was read is void. */
static void forget(struct messages *m)
{
	messages_release(m);
	m->found = (struct messages_found){0};
}

/* ---- the critical path ---- */

int kept_path_put(const struct critical_path *x, const struct critical_times *times,
		  const struct messages_found *found)
{
	struct trace *t = x->m->trace;
	struct kept_numbers to = {0};

	if (!is_whole(x->m))
		return 0;
	put_found(&to, x->m, found);
	numbers_put(&to, (int64_t)x->threads);
	numbers_put(&to, (int64_t)x->sum_n);
	for (size_t i = 0; i < x->sum_n; i++)
		put_double(&to, x->sum[i]);
	numbers_put(&to, (int64_t)times->by_path_n);
	for (size_t i = 0; i < times->by_path_n; i++)
		numbers_put(&to, times->by_path[i]);
	for (size_t s = 0; s < t->stream_n; s++)
		numbers_put(&to, times->by_stream[s]);
	numbers_put(&to, (int64_t)x->step_n);
	for (size_t i = 0; i < x->step_n; i++) {
		const struct critical_step *s = &x->step[i];

		numbers_put(&to, (int64_t)s->stream * CRITICAL_CAUSES + s->cause);
		numbers_put(&to, i ? s->begin - s[-1].end : s->begin);
		numbers_put(&to, s->end - s->begin);
		put_index(&to, s->path);
	}
	return keep(&to, t, TRACE_NUMBERS_PATH);
}

static void get_steps(struct critical_path *x, struct kept_numbers *from)
{
	const struct trace *t = x->m->trace;
	int64_t at = 0;

	for (size_t n = numbers_count(from, 4); n--;) {
		struct critical_step *s = array_add(x, step);
		uint64_t both = numbers_below(from, (uint64_t)t->stream_n * CRITICAL_CAUSES);
		int64_t begin;

		s->stream = (uint32_t)(both / CRITICAL_CAUSES);
		s->cause = (uint32_t)(both % CRITICAL_CAUSES);
		begin = numbers_get(from);
		from->bad |= begin < -INT64_MAX / 4 || begin > INT64_MAX / 4 || at > INT64_MAX / 2;
		s->begin = from->bad ? 0 : at + begin;
		at = s->end = s->begin + (int64_t)numbers_below(from, INT64_MAX / 4);
		s->path = get_index(from, x->m->paths.v_n);
	}
	from->bad |= !x->step_n;
}

static void get_path(struct critical_path *x, struct critical_times *times,
		     struct kept_numbers *from)
{
	const size_t streams = x->m->trace->stream_n;

	x->threads = (size_t)numbers_below(from, streams + 1);
	x->sum_n = numbers_count(from, 1);
	x->sum = mem_alloc((x->sum_n + 1) * sizeof(*x->sum));
	for (size_t i = 0; i < x->sum_n; i++)
		x->sum[i] = get_double(from);
	times->path = x;
	times->by_path_n = numbers_count(from, 1);
	times->by_path = mem_alloc((times->by_path_n + 1) * sizeof(*times->by_path));
	for (size_t i = 0; i < times->by_path_n; i++)
		times->by_path[i] = (int64_t)numbers_below(from, INT64_MAX);
	times->by_stream = mem_alloc((streams + 1) * sizeof(*times->by_stream));
	for (size_t s = 0; s < streams; s++)
		times->by_stream[s] = (int64_t)numbers_below(from, INT64_MAX);
	get_steps(x, from);
	if (!from->bad) {
		x->begin = x->step[0].begin;
		x->end = x->step[x->step_n - 1].end;
	}
}

int kept_path_get(struct critical_path *x, struct critical_times *times, struct messages *m)
{
	struct kept_numbers from;
	int known;

	*x = (struct critical_path){.m = m};
	*times = (struct critical_times){.path = x};
	if (!is_whole(m) || !numbers_load(&from, m->trace, TRACE_NUMBERS_PATH))
		return 0;
	get_found(&from, m);
	if (!from.bad)
		get_path(x, times, &from);
	known = !from.bad && from.at == from.v_n && x->threads;
	numbers_release(&from);
	if (!known) {
		critical_times_release(times);
		critical_path_release(x);
		forget(m);
	}
	return known;
}

/* ---- waits ---- */

static void put_rows(struct kept_numbers *to, const struct wait_rows *r)
{
	numbers_put(to, (int64_t)r->v_n);
	for (size_t i = 0; i < r->v_n; i++) {
		numbers_put(to, r->v[i].pattern);
		numbers_put(to, r->v[i].process);
		numbers_put(to, r->v[i].path);
		numbers_put(to, (int64_t)r->v[i].n);
		put_double(to, r->v[i].ns);
	}
}

static void get_rows(struct kept_numbers *from, struct wait_rows *r, const struct messages *m)
{
	for (size_t n = numbers_count(from, 5); n--;) {
		struct wait_row *w = array_add(r, v);

		w->pattern = (enum wait_pattern)numbers_below(from, WAIT_PATTERNS);
		w->process = (uint32_t)numbers_below(from, m->trace->process_n);
		w->path = (uint32_t)numbers_below(from, m->paths.v_n);
		w->n = numbers_below(from, INT64_MAX);
		w->ns = get_double(from);
	}
}

static void put_culprits(struct kept_numbers *to, const struct culprits *c)
{
	numbers_put(to, c->wanted);
	if (!c->wanted)
		return;
	numbers_put(to, (int64_t)c->who_n);
	for (size_t i = 0; i < c->who_n; i++) {
		numbers_put(to, c->who[i].culprit);
		numbers_put(to, c->who[i].stream);
		put_double(to, c->who[i].ns);
	}
	numbers_put(to, (int64_t)c->v_n);
	for (size_t i = 0; i < c->v_n; i++) {
		const struct culprit *v = &c->v[i];

		numbers_put(to, v->path);
		numbers_put(to, v->before);
		put_double(to, v->ns);
		for (int p = 0; p <= WAIT_TEAM; p++)
			put_double(to, v->pattern_ns[p]);
		numbers_put(to, v->waiting.n);
		for (uint32_t k = 0; k < v->waiting.n && k < CULPRIT_FEW; k++)
			numbers_put(to, v->waiting.v[k]);
		numbers_put(to, (int64_t)v->who);
		numbers_put(to, (int64_t)v->who_n);
	}
}

static void get_culprit(struct kept_numbers *from, struct culprits *c, const struct messages *m)
{
	struct culprit *v = array_add(c, v);

	v->path = (uint32_t)numbers_below(from, m->paths.v_n);
	v->before = (uint32_t)numbers_below(from, m->paths.v_n);
	v->ns = get_double(from);
	for (int p = 0; p <= WAIT_TEAM; p++)
		v->pattern_ns[p] = get_double(from);
	v->waiting.n = (uint32_t)numbers_below(from, CULPRIT_FEW + 2);
	for (uint32_t k = 0; k < v->waiting.n && k < CULPRIT_FEW; k++)
		v->waiting.v[k] = (uint32_t)numbers_below(from, m->trace->process_n);
	v->who = (size_t)numbers_below(from, c->who_n + 1);
	v->who_n = (size_t)numbers_below(from, c->who_n - v->who + 1);
	from->bad |= !v->who_n;
}

static void get_culprits(struct kept_numbers *from, struct culprits *c, const struct messages *m)
{
	c->wanted = (int)numbers_below(from, 2);
	if (!c->wanted)
		return;
	for (size_t n = numbers_count(from, 3); n--;) {
		struct culprit_who *w = array_add(c, who);

		w->culprit = (uint32_t)numbers_below(from, TRACE_NONE);
		w->stream = (uint32_t)numbers_below(from, m->trace->stream_n);
		w->ns = get_double(from);
	}
	for (size_t n = numbers_count(from, 1); n-- && !from->bad;)
		get_culprit(from, c, m);
}

int kept_waits_put(const struct waits *x)
{
	const uint64_t counts[] = {x->tests,        x->completed, x->tests_found,   x->probes,
				   x->probes_found, x->early,     x->early_meetings};
	struct kept_numbers to = {0};

	if (!is_whole(x->m))
		return 0;
	put_found(&to, x->m, &x->m->found);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		numbers_put(&to, (int64_t)counts[i]);
	put_double(&to, x->unexplained);
	put_double(&to, x->indirect);
	put_double(&to, x->ns);
	put_rows(&to, &x->waits);
	put_rows(&to, &x->causes);
	put_culprits(&to, &x->culprits);
	return keep(&to, x->m->trace, TRACE_NUMBERS_WAITS);
}

int kept_waits_get(struct waits *x, struct messages *m, int culprits)
{
	uint64_t *const counts[] = {&x->tests,        &x->completed, &x->tests_found,   &x->probes,
				    &x->probes_found, &x->early,     &x->early_meetings};
	struct kept_numbers from;
	int known;

	*x = (struct waits){.m = m};
	if (!is_whole(m) || !numbers_load(&from, m->trace, TRACE_NUMBERS_WAITS))
		return 0;
	get_found(&from, m);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		*counts[i] = numbers_below(&from, INT64_MAX);
	x->unexplained = get_double(&from);
	x->indirect = get_double(&from);
	x->ns = get_double(&from);
	get_rows(&from, &x->waits, m);
	get_rows(&from, &x->causes, m);
	get_culprits(&from, &x->culprits, m);
	known = !from.bad && from.at == from.v_n && (x->culprits.wanted || !culprits);
	numbers_release(&from);
	if (!known) {
		waits_release(x);
		forget(m);
	}
	return known;
}
