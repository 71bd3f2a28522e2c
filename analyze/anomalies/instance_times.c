/* instance_times.c: adds up how long the instances of regions take while events are read. */
#include "analyze/anomalies/instance_times.h"

#include <math.h>
#include <string.h>

#include "analyze/messages/selection.h"
#include "analyze/trace/region_work.h"

#define BIN_BITS   5 /* 2^5 = INSTANCE_BINS */

/* ---- bins: 0 for 1 ns; each factor of 2 has bins of equal logarithmic width ---- */

static inline size_t bin_of(int64_t ns)
{
	uint64_t v = ns < 1 ? 1 : (uint64_t)ns;
	unsigned zeros = (unsigned)__builtin_clzll(v);

	return (size_t)(63 - zeros) * INSTANCE_BINS +
	       (v << zeros >> (63 - BIN_BITS) & (INSTANCE_BINS - 1));
}

/* Logarithm of the shortest time of a bin. */
static double bin_edge(size_t bin)
{
	return (double)(bin / INSTANCE_BINS) * M_LN2 +
	       log1p((double)(bin % INSTANCE_BINS) / INSTANCE_BINS);
}

/* Extends the bins of a series by one below or above them. */
static __attribute__((noinline)) void bins_widen(struct instance_series *s, size_t bin)
{
	size_t first = s->bin_n ? s->bin_first : bin, n = s->bin_n;
	uint32_t *wider;

	n = bin < first ? first + n - bin : bin - first + 1;
	first = bin < first ? bin : first;
	wider = mem_alloc(n * sizeof(*wider));
	if (s->bin_n)
		memcpy(wider + (s->bin_first - first), s->bin, s->bin_n * sizeof(*wider));
	free(s->bin);
	s->bin = wider;
	s->bin_first = first;
	s->bin_n = n;
}

static inline void bin_count(struct instance_series *s, int64_t ns)
{
	size_t bin = bin_of(ns);
	uint32_t *at;

	if (bin - s->bin_first >= s->bin_n)
		bins_widen(s, bin);
	at = &s->bin[bin - s->bin_first];
	*at += *at < UINT32_MAX;
}

/*
 * The logarithm below which this number of instances are; those of a bin count as spread over it evenly. It is in
 * the bin from `low` to `high`.
 */
static double reached(const struct instance_series *s, double number)
{
	double from = bin_edge(s->bin_first), to = bin_edge(s->bin_first + s->bin_n), low, high;
	double before = 0;
	size_t bin = 0;

	while (bin < s->bin_n && before + s->bin[bin] < number)
		before += s->bin[bin++];
	low = bin_edge(s->bin_first + bin);
	high = bin < s->bin_n ? bin_edge(s->bin_first + bin + 1) : INFINITY;
	for (int i = 0; i < 48; i++) {
		double middle = (from + to) / 2, below = before;

		if (middle >= high)
			below = INFINITY;
		else if (middle > low)
			below += s->bin[bin] * (middle - low) / (high - low);
		if (below < number)
			from = middle;
		else
			to = middle;
	}
	return (from + to) / 2;
}

double instance_exceeded(const struct instance_series *s, double number)
{
	return reached(s, (double)s->n - number);
}

double instance_time_above(const struct instance_series *s, double limit)
{
	double sum = 0;

	for (size_t bin = 0; bin < s->bin_n; bin++)
		if (bin_edge(s->bin_first + bin) >= limit)
			sum += s->bin[bin] * exp(bin_edge(s->bin_first + bin));
	return sum;
}

#define EDGES (64 * INSTANCE_BINS + 1) /* number of edges of all bins */

/*
 * The bins of a series: bin i is from the logarithm edge[i] to edge[i + 1], and before[i] instances are
 * in the bins below it.
 */
struct time_edges {
	double edge[EDGES], before[EDGES];
};

static void edges_make(const struct instance_series *s, struct time_edges *e)
{
	double part[INSTANCE_BINS], n = 0;

	for (size_t i = 0; i < INSTANCE_BINS; i++)
		part[i] = bin_edge(i);
	for (size_t i = 0; i <= s->bin_n; i++) {
		size_t bin = s->bin_first + i;

		e->edge[i] = (double)(bin / INSTANCE_BINS) * M_LN2 + part[bin % INSTANCE_BINS];
		e->before[i] = n;
		n += i < s->bin_n ? s->bin[i] : 0;
	}
}

/* The bin of a logarithm is between these, or, if they are equal, it is this one. */
struct bin_range {
	size_t low, high;
};

/* How many instances are below a logarithm. *at: its bin, inside the range. */
static double below(const struct instance_series *s, const struct time_edges *e, double x,
		    struct bin_range r, size_t *at)
{
	while (r.low < r.high) {
		size_t middle = r.low + (r.high - r.low) / 2;

		if (e->edge[middle + 1] <= x)
			r.low = middle + 1;
		else
			r.high = middle;
	}
	*at = r.low;
	if (r.low == s->bin_n || x <= e->edge[r.low])
		return e->before[r.low];
	return e->before[r.low] +
	       s->bin[r.low] * (x - e->edge[r.low]) / (e->edge[r.low + 1] - e->edge[r.low]);
}

void instance_spread(const struct instance_series *s, double *median, double *mad)
{
	struct bin_range above = {0, s->bin_n}, under = above;
	double half = (double)s->n / 2, least = 0, most;
	struct time_edges e;

	edges_make(s, &e);
	most = e.edge[s->bin_n] - e.edge[0];
	*median = reached(s, half);
	for (int i = 0; i < 48; i++) {
		double middle = (least + most) / 2;
		size_t up, down;

		if (below(s, &e, *median + middle, above, &up) -
			    below(s, &e, *median - middle, under, &down) <
		    half) {
			least = middle;
			above.low = up;
			under.high = down;
		} else {
			most = middle;
			above.high = up;
			under.low = down;
		}
	}
	*mad = (least + most) / 2;
}

/* ---- blocks ---- */

/* Two blocks become one. */
static void blocks_merge(struct instance_series *s)
{
	for (size_t i = 0; i < INSTANCE_BLOCKS / 2; i++) {
		s->block[i] = s->block[2 * i] + s->block[2 * i + 1];
		s->block_begin[i] = s->block_begin[2 * i];
	}
	s->block_power++;
}

/* Another block begins with an instance, which is not in any sum so far. */
static __attribute__((noinline)) void block_start(struct instance_series *s, int64_t begin)
{
	size_t at = s->n >> s->block_power;

	if (!s->n) {
		s->first = s->seen;
		s->block = mem_alloc(INSTANCE_BLOCKS * sizeof(*s->block));
		s->block_begin = mem_alloc(INSTANCE_BLOCKS * sizeof(*s->block_begin));
	} else {
		s->block[at - 1] = (double)(s->own - s->own_before);
	}
	if (at == INSTANCE_BLOCKS) {
		blocks_merge(s);
		at /= 2;
	}
	s->block_begin[at] = begin;
	s->own_before = s->own;
	s->block_next = (uint64_t)(at + 1) << s->block_power;
}

size_t instance_blocks(const struct instance_series *s, double mean[INSTANCE_BLOCKS])
{
	uint64_t size = (uint64_t)1 << s->block_power, rest = s->n & (size - 1);
	size_t n = s->n >> s->block_power;

	for (size_t i = 0; i < n; i++)
		mean[i] = s->block[i] / (double)size;
	/* the last block began with an instance: its sum is not in s->block so far */
	if (!rest && n)
		mean[n - 1] = (double)(s->own - s->own_before) / (double)size;
	/* a last block of few instances has more noise than the others: exclude it */
	if (rest && (rest >= size / 2 || !n))
		mean[n++] = (double)(s->own - s->own_before) / (double)rest;
	return n;
}

/* ---- instances ---- */

static __attribute__((noinline)) void longest_add(struct instance_series *s, struct instance x)
{
	size_t at = s->longest_n;

	while (at && s->longest[at - 1].own < x.own)
		at--;
	s->longest_n += s->longest_n < INSTANCE_LONGEST;
	memmove(&s->longest[at + 1], &s->longest[at],
		(s->longest_n - 1 - at) * sizeof(*s->longest));
	s->longest[at] = x;
	if (s->longest_n == INSTANCE_LONGEST)
		s->longest_least = s->longest[INSTANCE_LONGEST - 1].own;
}

/* Adds the series of a region to a stream; returns 1 + its index. */
static __attribute__((noinline)) uint32_t series_new(struct instance_times *x, uint32_t stream,
						     uint32_t region, int loop)
{
	struct instance_series *s = array_add(x, v);
	struct instance_lane *l = &x->lane[stream];

	s->region = region;
	s->stream = stream;
	s->loop = loop;
	s->longest_least = INT64_MIN;
	if (loop && !l->loop)
		l->loop = mem_alloc((x->m->trace->region_n + 1) * sizeof(*l->loop));
	(loop ? l->loop : l->at)[region] = (uint32_t)x->v_n;
	return (uint32_t)x->v_n;
}

static inline int64_t outside_at(const struct instance_lane *l, int64_t time)
{
	return l->outside + (l->idle ? time - l->idle_since : 0);
}

static inline int64_t clipped(const struct instance_lane *l, int64_t time)
{
	time = time < l->end ? time : l->end;
	return time > l->begin ? time : l->begin;
}

/* Sets the state of a stream when its first region begins. */
static __attribute__((noinline)) void lane_begin(struct instance_times *x, uint32_t stream,
						 int64_t time)
{
	struct instance_lane *l = &x->lane[stream];
	struct window_span w = messages_span(x->m, x->m->trace->stream[stream].process);

	if (!selection_stream(x->m->selection, stream))
		w.begin = w.end = INT64_MIN;
	l->at = mem_alloc((x->m->trace->region_n + 1) * sizeof(*l->at));
	l->begin = w.begin;
	l->end = w.end;
	l->last = clipped(l, time);
}

/* Where the time of the innermost region is added. */
static inline int64_t *innermost(struct instance_times *x, struct instance_lane *l)
{
	uint32_t at = l->open_n ? l->open[l->open_n - 1] : 0;

	return at ? &x->v[at - 1].exclusive : &l->elsewhere;
}

static inline void instance_add(struct instance_series *s, int64_t begin, int64_t end, int64_t own)
{
	if (s->n == s->block_next)
		block_start(s, begin);
	if (own > s->longest_least)
		longest_add(s, (struct instance){s->seen, begin, end, own});
	bin_count(s, own);
	s->n++;
	s->own += own;
	s->end = end;
}

/* A call begins that is in no other one without useful work: an iteration ends, and the next one begins. */
static __attribute__((noinline)) void iterate(struct instance_times *x, uint32_t stream,
					      uint32_t region, int64_t time)
{
	struct instance_lane *l = &x->lane[stream];
	uint32_t known = l->loop ? l->loop[region] : 0;
	uint32_t at = known ? known : series_new(x, stream, region, 1);
	struct instance_series *s = &x->v[at - 1];

	if (known) {
		s->seen++;
		if (s->enter >= l->begin && time <= l->end)
			instance_add(s, s->enter, time,
				     time - s->enter - (l->outside - s->outside));
	}
	s->enter = time;
	s->outside = l->outside;
}

/* A region begins that is not a leaf. at: 1 + its series, or 0. */
static inline void region_begins(struct instance_times *x, struct instance_lane *l, uint32_t at,
				 int64_t time, int selected)
{
	struct instance_series *s;

	if (l->open_n == l->open_cap)
		l->open = array_grow(l->open, &l->open_cap, sizeof(*l->open));
	l->open[l->open_n++] = at;
	if (!at) {
		if (!l->idle++)
			l->idle_since = time;
		return;
	}
	s = &x->v[at - 1];
	if (!s->active++) {
		s->seen++;
		s->enter = time;
		s->outside = outside_at(l, time);
		s->selected = selected;
	}
}

/* The innermost region ends. Returns its series, if an instance ends; otherwise NULL. */
static inline struct instance_series *region_ends(struct instance_times *x, struct instance_lane *l,
						  int64_t time)
{
	uint32_t at = l->open[--l->open_n];

	if (at)
		return --x->v[at - 1].active ? NULL : &x->v[at - 1];
	if (!--l->idle)
		l->outside += time - l->idle_since;
	return NULL;
}

/*
 * Regions begin and end. selected: those that begin, as instances. clip: times can be outside of the
 * window.
 */
static inline __attribute__((always_inline)) void run(struct instance_times *x, uint32_t stream,
						      const struct event *event, size_t n,
						      int selected, const int clip)
{
	struct instance_lane *l = &x->lane[stream];
	int64_t *in = innermost(x, l), last = l->last;

	for (const struct event *ev = event, *end = event + n; ev < end; ev++) {
		int64_t now = clip ? clipped(l, ev->time) : ev->time, begin = ev->time, own;
		struct instance_series *s;

		*in += now - last;
		last = now;
		if (ev->kind == EVENT_LEAVE) {
			if (!l->open_n)
				continue;
			s = region_ends(x, l, ev->time);
			in = innermost(x, l);
			if (!s || !s->selected)
				continue;
			begin = s->enter;
			own = ev->time - begin - (outside_at(l, ev->time) - s->outside);
		} else {
			uint32_t region = x->m->region[ev->ref], at = l->at[region];

			if (!at && x->useful[region]) {
				at = series_new(x, stream, region, 0);
				in = innermost(x, l);
			}
			if (ev + 1 == end || ev[1].kind != EVENT_LEAVE) {
				if (!at && x->iterates[region] && !l->idle)
					iterate(x, stream, region, begin);
				region_begins(x, l, at, begin, selected);
				in = innermost(x, l);
				continue;
			}
			/* a leaf call, like most */
			ev++;
			own = l->idle ? 0 : ev->time - begin;
			now = clip ? clipped(l, ev->time) : ev->time;
			if (!at) {
				if (x->iterates[region] && !l->idle) {
					iterate(x, stream, region, begin);
					in = innermost(x, l);
				}
				l->outside += own;
				last = now;
				continue;
			}
			s = &x->v[at - 1];
			s->exclusive += now - last;
			last = now;
			if (s->active)
				continue;
			s->seen++;
		}
		if (begin >= l->begin && ev->time <= l->end)
			instance_add(s, begin, ev->time, own);
	}
	l->last = last;
}

static void on_ran(void *to, uint32_t stream, const struct event *event, size_t n)
{
	struct instance_times *x = to;
	const struct instance_lane *l = &x->lane[stream];

	if (!l->at)
		lane_begin(x, stream, event[0].time);
	if (event[0].time >= l->begin && event[n - 1].time <= l->end)
		run(x, stream, event, n, 1, 0);
	else
		run(x, stream, event, n, 1, 1);
}

static void on_begins(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct instance_times *x = to;
	const struct event ev = {time, EVENT_ENTER, x->m->paths.v[path].region};
	struct selection *selection = x->m->selection;

	if (!x->lane[stream].at)
		lane_begin(x, stream, time);
	run(x, stream, &ev, 1, !selection || selection_path(selection, path) == path, 1);
}

static void on_ends(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct instance_times *x = to;
	const struct event ev = {time, EVENT_LEAVE, 0};

	(void)path;
	run(x, stream, &ev, 1, 1, 1);
}

struct messages_use instance_times_use(struct instance_times *x, const struct messages *m)
{
	const struct trace *t = m->trace;

	*x = (struct instance_times){.m = m};
	x->lane = mem_alloc((t->stream_n + 1) * sizeof(*x->lane));
	x->useful = mem_alloc(t->region_n + 1);
	x->iterates = mem_alloc(t->region_n + 1);
	for (size_t i = 0; i < t->region_n; i++) {
		const char *name = t->region[i].name;
		enum region_work work = region_work_of(name, t->region[i].groups);

		x->useful[i] = (char)region_work_useful(work);
		x->iterates[i] = !m->selection && work == WORK_MESSAGES && !region_polls(name) &&
				 !region_sets_up(name);
	}
	/* a selection depends on the path of each region */
	return (struct messages_use){.begins = on_begins,
				     .ends = on_ends,
				     .ran = m->selection ? NULL : on_ran,
				     .to = x};
}

const struct instance_series *instance_series_of(const struct instance_times *x, uint32_t stream,
						 uint32_t region, int loop)
{
	const struct instance_lane *l = &x->lane[stream];

	return &x->v[(loop ? l->loop : l->at)[region] - 1];
}

int instance_is_counted(const struct instance_times *x, const struct instance_series *s)
{
	const struct trace *t = x->m->trace;
	const struct trace_process *p = &t->process[t->stream[s->stream].process];

	for (size_t i = 0; i < p->stream_n && p->stream[i] != s->stream; i++) {
		const struct instance_lane *l = &x->lane[p->stream[i]];
		const uint32_t *at = s->loop ? l->loop : l->at;

		if (at && at[s->region])
			return 0;
	}
	return 1;
}

void instance_times_release(struct instance_times *x)
{
	for (size_t i = 0; i < x->v_n; i++) {
		free(x->v[i].bin);
		free(x->v[i].block);
		free(x->v[i].block_begin);
	}
	for (size_t i = 0; x->lane && i < x->m->trace->stream_n; i++) {
		free(x->lane[i].at);
		free(x->lane[i].loop);
		free(x->lane[i].open);
	}
	free(x->v);
	free(x->lane);
	free(x->useful);
	free(x->iterates);
	*x = (struct instance_times){0};
}
