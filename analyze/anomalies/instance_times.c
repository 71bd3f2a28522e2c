/* instance_times.c: adds up how long the instances of regions take while events are read. */
#include "analyze/anomalies/instance_times.h"

#include <math.h>
#include <string.h>

#include "analyze/trace/region_work.h"

#define NOT_USEFUL UINT32_MAX
#define BIN_BITS   5 /* 2^5 = INSTANCE_BINS */

/* ---- bins: 0 for 1 ns; each factor of 2 has bins of equal logarithmic width ---- */

static size_t bin_of(int64_t ns)
{
	uint64_t v = ns < 1 ? 1 : (uint64_t)ns;
	unsigned power = 63 - (unsigned)__builtin_clzll(v);
	uint64_t part = power >= BIN_BITS ? v >> (power - BIN_BITS) : v << (BIN_BITS - power);

	return (size_t)power * INSTANCE_BINS + (part & (INSTANCE_BINS - 1));
}

/* Logarithm of the shortest time of a bin. */
static double bin_edge(size_t bin)
{
	return (double)(bin / INSTANCE_BINS) * M_LN2 +
	       log1p((double)(bin % INSTANCE_BINS) / INSTANCE_BINS);
}

static void bin_count(struct instance_series *s, int64_t ns)
{
	size_t bin = bin_of(ns), first = s->bin_first, n = s->bin_n;
	uint32_t *wider;

	if (n && bin >= first && bin < first + n) {
		s->bin[bin - first] += s->bin[bin - first] < UINT32_MAX;
		return;
	}
	if (!n)
		first = bin;
	n = bin < first ? first + n - bin : bin >= first + n ? bin - first + 1 : n;
	first = bin < first ? bin : first;
	wider = mem_alloc(n * sizeof(*wider));
	if (s->bin_n)
		memcpy(wider + (s->bin_first - first), s->bin, s->bin_n * sizeof(*wider));
	free(s->bin);
	s->bin = wider;
	s->bin_first = first;
	s->bin_n = n;
	s->bin[bin - first]++;
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

#define EDGES (64 * INSTANCE_BINS + 1) /* number of edges of all bins */

/*
 * The bins of a series: bin i is from the logarithm edge[i] to edge[i + 1], and before[i] instances are
 * in the bins below it.
 */
struct edges {
	double edge[EDGES], before[EDGES];
};

static void edges_make(const struct instance_series *s, struct edges *e)
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
static double below(const struct instance_series *s, const struct edges *e, double x,
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
	struct edges e;

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

static void block_add(struct instance_series *s, uint64_t at, int64_t own, int64_t begin)
{
	if (!s->block) {
		s->block = mem_alloc(INSTANCE_BLOCKS * sizeof(*s->block));
		s->block_begin = mem_alloc(INSTANCE_BLOCKS * sizeof(*s->block_begin));
		s->block_size = 1;
	}
	if (at >> s->block_power >= INSTANCE_BLOCKS) {
		for (size_t i = 0; i < INSTANCE_BLOCKS / 2; i++) {
			s->block[i] = s->block[2 * i] + s->block[2 * i + 1];
			s->block_begin[i] = s->block_begin[2 * i];
		}
		memset(s->block + INSTANCE_BLOCKS / 2, 0,
		       INSTANCE_BLOCKS / 2 * sizeof(*s->block));
		s->block_size *= 2;
		s->block_power++;
	}
	if (!(at & (s->block_size - 1)))
		s->block_begin[at >> s->block_power] = begin;
	s->block[at >> s->block_power] += (double)own;
}

size_t instance_blocks(const struct instance_series *s, double mean[INSTANCE_BLOCKS])
{
	size_t n = 0;

	for (; s->n && n * s->block_size < s->n; n++) {
		uint64_t left = s->n - n * s->block_size;

		mean[n] = s->block[n] / (double)(left < s->block_size ? left : s->block_size);
	}
	/* a last block of few instances has more noise than the others: exclude it */
	return n > 1 && s->n % s->block_size && s->n % s->block_size < s->block_size / 2 ? n - 1
											  : n;
}

/* ---- instances ---- */

static void longest_add(struct instance_series *s, const struct instance *x)
{
	size_t at = s->longest_n;

	if (at == INSTANCE_LONGEST && s->longest[at - 1].own >= x->own)
		return;
	while (at && s->longest[at - 1].own < x->own)
		at--;
	s->longest_n += s->longest_n < INSTANCE_LONGEST;
	memmove(&s->longest[at + 1], &s->longest[at],
		(s->longest_n - 1 - at) * sizeof(*s->longest));
	s->longest[at] = *x;
}

/* Sets the state of a stream when its first region begins. */
static __attribute__((noinline)) void lane_begin(struct instance_times *x, uint32_t stream)
{
	struct instance_lane *l = &x->lane[stream];
	struct window_span w = messages_span(x->m, x->m->trace->stream[stream].process);

	l->at = mem_alloc((x->m->trace->region_n + 1) * sizeof(*l->at));
	l->selected = selection_stream(x->m->selection, stream);
	l->begin = w.begin;
	l->end = w.end;
}

static __attribute__((noinline)) void series_new(struct instance_times *x, uint32_t stream,
						 uint32_t region)
{
	struct instance_series *s = array_add(x, v);

	s->region = region;
	s->stream = stream;
	x->lane[stream].at[region] = (uint32_t)x->v_n;
}

static inline int64_t outside_at(const struct instance_lane *l, int64_t time)
{
	return l->outside + (l->idle ? time - l->idle_since : 0);
}

/* Adds the time since the last event to the innermost region. */
static inline void charge(struct instance_times *x, struct instance_lane *l, int64_t time)
{
	int64_t from = l->last > l->begin ? l->last : l->begin, to = time < l->end ? time : l->end;
	uint32_t at = l->open_n ? l->open[l->open_n - 1] : NOT_USEFUL;

	if (at != NOT_USEFUL && to > from && l->selected)
		x->v[at].exclusive += to - from;
	l->last = time;
}

static void on_begins(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct instance_times *x = to;
	uint32_t region = x->m->paths.v[path].region;
	struct instance_lane *l = &x->lane[stream];
	struct instance_series *s;

	if (!l->at)
		lane_begin(x, stream);
	charge(x, l, time);
	if (!x->useful[region]) {
		*array_add(l, open) = NOT_USEFUL;
		if (!l->idle++)
			l->idle_since = time;
		return;
	}
	if (!l->at[region])
		series_new(x, stream, region);
	*array_add(l, open) = l->at[region] - 1;
	s = &x->v[l->at[region] - 1];
	if (s->active++)
		return;
	s->seen++;
	s->enter = time;
	s->outside = outside_at(l, time);
	s->selected = l->selected && (!x->m->selection ||
				      selection_path(x->m->selection, path) == path);
}

static void instance_take(const struct instance_lane *l, struct instance_series *s, int64_t time)
{
	struct instance i = {s->seen, s->enter, time, 0};

	if (i.begin < l->begin || time > l->end || !s->selected)
		return;
	i.own = time - i.begin - (outside_at(l, time) - s->outside);
	if (!s->n)
		s->first = i.nth;
	longest_add(s, &i);
	bin_count(s, i.own);
	block_add(s, s->n++, i.own, i.begin);
	s->end = i.end;
	s->own += i.own;
}

static void on_ends(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct instance_times *x = to;
	struct instance_lane *l = &x->lane[stream];
	struct instance_series *s;

	(void)path;
	charge(x, l, time);
	if (!l->open_n)
		return;
	if (l->open[--l->open_n] == NOT_USEFUL) {
		if (!--l->idle)
			l->outside += time - l->idle_since;
		return;
	}
	s = &x->v[l->open[l->open_n]];
	if (!--s->active)
		instance_take(l, s, time);
}

struct messages_use instance_times_use(struct instance_times *x, const struct messages *m)
{
	const struct trace *t = m->trace;

	*x = (struct instance_times){.m = m};
	x->lane = mem_alloc((t->stream_n + 1) * sizeof(*x->lane));
	x->useful = mem_alloc(t->region_n + 1);
	for (size_t i = 0; i < t->region_n; i++)
		x->useful[i] = (char)region_work_useful(
			region_work_of(t->region[i].name, t->region[i].groups));
	return (struct messages_use){.begins = on_begins, .ends = on_ends, .to = x};
}

int instance_is_counted(const struct instance_times *x, const struct instance_series *s)
{
	const struct trace *t = x->m->trace;
	const struct trace_process *p = &t->process[t->stream[s->stream].process];

	for (size_t i = 0; i < p->stream_n && p->stream[i] != s->stream; i++) {
		const struct instance_lane *l = &x->lane[p->stream[i]];

		if (l->at && l->at[s->region])
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
		free(x->lane[i].open);
	}
	free(x->v);
	free(x->lane);
	free(x->useful);
	*x = (struct instance_times){0};
}
