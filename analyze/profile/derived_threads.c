/*
 * derived_threads.c: computes derived threads: means, totals, deviations and extremes over the
 * threads of a profile.
 */
#include "analyze/profile/derived_threads.h"

#include <math.h>
#include <string.h>

/* Sums of one quantity of one row over the threads that have the row. */
struct moment {
	double n, sum, min, max;
	double square; /* sum of (x - mean)^2: of the second pass, or so far in one pass */
	double mean;   /* in one pass: so far */
};

static void moment_add(struct moment *m, double x)
{
	m->min = m->n > 0 ? fmin(m->min, x) : x;
	m->max = m->n > 0 ? fmax(m->max, x) : x;
	m->sum += x;
	m->n++;
}

static void moment_square(struct moment *m, double x)
{
	double d = x - m->sum / m->n;

	m->square += d * d;
}

/* Adds a value in one pass. */
static void moment_stream(struct moment *m, double x)
{
	double d = x - m->mean;

	moment_add(m, x);
	m->mean += d / m->n;
	m->square += d * (x - m->mean);
}

/* The value of a derived thread. all: number of real threads. */
static double moment_value(const struct moment *m, int derived, double all)
{
	double missing = all - m->n, shift;

	switch (derived) {
	case STATS_MEAN:
		return m->sum / m->n;
	case STATS_TOTAL:
		return m->sum;
	case STATS_STDDEV:
		return sqrt(m->square / m->n);
	case STATS_MIN:
		return m->min;
	case STATS_MAX:
		return m->max;
	case STATS_MEAN_ALL:
		return m->sum / all;
	default:
		/*
		 * About the mean over all threads: moving the centre by shift adds n shift^2, and
		 * missing rows are 0.
		 */
		shift = m->sum / m->n - m->sum / all;
		return sqrt((m->square + m->n * shift * shift +
			     missing * (m->sum / all) * (m->sum / all)) /
			    all);
	}
}

double derived_deviation(const struct profile_sample *s)
{
	return s->n > 0 ? sqrt(fabs(s->sumsq / s->n - s->mean * s->mean)) : 0;
}

/* Quantity i: calls, subrs, then inclusive and exclusive values of every metric. */
static double row_value(const struct profile_thread *t, const struct profile_row *r, size_t i)
{
	return i == 0 ? r->calls : i == 1 ? r->subrs : t->values[r->first + i - 2];
}

static void summary_build_thread(const struct profile_thread *t, struct moment *m, size_t width,
				 void (*add)(struct moment *m, double x))
{
	for (size_t r = 0; r < t->row_n; r++)
		for (size_t i = 0; i < width; i++)
			add(&m[t->row[r].path * width + i], row_value(t, &t->row[r], i));
}

static void summary_build_rows(const struct profile *p, const struct waiting *waiting,
			       struct moment *m, size_t width,
			       void (*add)(struct moment *m, double x))
{
	for (size_t k = 0; k < p->thread_n; k++)
		if (p->thread[k].node >= 0 && !waiting_is(waiting, &p->thread[k]))
			summary_build_thread(&p->thread[k], m, width, add);
}

static void add_row(struct profile_thread *t, uint32_t path, const struct moment *m, size_t width,
		    double all)
{
	struct profile_row *r = array_add(t, row);

	r->path = path;
	r->calls = moment_value(&m[0], t->node, all);
	r->subrs = moment_value(&m[1], t->node, all);
	r->first = t->values_n;
	for (size_t i = 2; i < width; i++)
		*array_add(t, values) = moment_value(&m[i], t->node, all);
}

static void put_rows(const struct moment *m, size_t paths, size_t width,
		     struct profile_thread out[STATS_DERIVED], double all)
{
	for (uint32_t path = 0; path < paths; path++)
		for (int d = 0; m[path * width].n > 0 && d < STATS_DERIVED; d++)
			add_row(&out[d], path, &m[path * width], width, all);
}

static void derive_rows(const struct profile *p, const struct waiting *waiting,
			struct profile_thread out[STATS_DERIVED], double all)
{
	size_t width = 2 + 2 * p->metric_n;
	struct moment *m = mem_alloc(p->path_n * width * sizeof(*m));

	summary_build_rows(p, waiting, m, width, moment_add);
	summary_build_rows(p, waiting, m, width, moment_square);
	put_rows(m, p->path_n, width, out, all);
	free(m);
}

/* The squares of TOTAL: the sums over the threads, unknown if that of a thread is unknown. */
static void derive_squares(const struct profile *p, const struct waiting *waiting,
			   struct profile_thread *total)
{
	size_t m = p->metric_n;
	double *sum = mem_alloc((p->path_n * m + 1) * sizeof(*sum));

	for (size_t k = 0; k < p->thread_n; k++) {
		const struct profile_thread *t = &p->thread[k];
		int counts = t->node >= 0 && !waiting_is(waiting, t);

		for (size_t i = 0; counts && i < t->row_n; i++)
			for (size_t c = 0; c < m; c++)
				sum[t->row[i].path * m + c] +=
					profile_squared(p, t, &t->row[i], c);
	}
	for (size_t i = 0; i < total->row_n; i++)
		for (size_t c = 0; c < m; c++)
			*array_add(total, squares) = sum[total->row[i].path * m + c];
	free(sum);
}

enum { SAMPLE_N, SAMPLE_MAX, SAMPLE_MIN, SAMPLE_MEAN, SAMPLE_DEVIATION, SAMPLE_PARTS };

/* One (counter, path) over all threads. */
struct sample_moment {
	uint32_t counter, path;
	struct moment part[SAMPLE_PARTS];
	double sum, sumsq; /* of the values of all samples */
};

struct sample_moments {
	struct sample_moment *v;
	size_t v_n, v_cap;
	struct names key; /* (counter, path) -> index into v */
};

static struct sample_moment *moment_of(struct sample_moments *m, const struct profile_sample *s)
{
	uint32_t key[2] = { s->counter, s->path },
		 id = names_add(&m->key, (const char *)key, sizeof(key));

	if (id == m->v_n) {
		struct sample_moment *v = array_add(m, v);

		v->counter = s->counter;
		v->path = s->path;
	}
	return &m->v[id];
}

static void summary_build_sample(struct sample_moment *m, const struct profile_sample *s,
				 void (*add)(struct moment *m, double x))
{
	add(&m->part[SAMPLE_N], s->n);
	add(&m->part[SAMPLE_MAX], s->max);
	add(&m->part[SAMPLE_MIN], s->min);
	add(&m->part[SAMPLE_MEAN], s->mean);
	add(&m->part[SAMPLE_DEVIATION], derived_deviation(s));
}

static void summary_build_samples(const struct profile *p, const unsigned char *skip,
				  struct sample_moments *m)
{
	for (size_t k = 0; k < p->thread_n; k++)
		for (size_t i = 0; p->thread[k].node >= 0 && i < p->thread[k].sample_n; i++) {
			const struct profile_sample *s = &p->thread[k].sample[i];
			struct sample_moment *v;

			if (skip && skip[s->counter])
				continue;
			v = moment_of(m, s);
			summary_build_sample(v, s, moment_add);
			v->sum += s->n * s->mean;
			v->sumsq += s->sumsq;
		}
	for (size_t k = 0; k < p->thread_n; k++)
		for (size_t i = 0; p->thread[k].node >= 0 && i < p->thread[k].sample_n; i++) {
			const struct profile_sample *s = &p->thread[k].sample[i];

			if (!skip || !skip[s->counter])
				summary_build_sample(moment_of(m, s), s, moment_square);
		}
}

static void add_sample(struct profile_thread *t, const struct sample_moment *m, double all)
{
	struct profile_sample *s = array_add(t, sample);
	double n = m->part[SAMPLE_N].sum,
	       share = t->node == STATS_MEAN_ALL ? all : m->part[SAMPLE_N].n;
	double deviation = moment_value(&m->part[SAMPLE_DEVIATION], t->node, all);

	s->counter = m->counter;
	s->path = m->path;
	s->n = moment_value(&m->part[SAMPLE_N], t->node, all);
	s->max = t->node == STATS_TOTAL ? m->part[SAMPLE_MAX].max
					: moment_value(&m->part[SAMPLE_MAX], t->node, all);
	s->min = t->node == STATS_TOTAL ? m->part[SAMPLE_MIN].min
					: moment_value(&m->part[SAMPLE_MIN], t->node, all);
	switch (t->node) {
	case STATS_TOTAL:
	case STATS_MEAN:
	case STATS_MEAN_ALL:
		s->mean = n > 0 ? m->sum / n : 0;
		s->sumsq = t->node == STATS_TOTAL ? m->sumsq : m->sumsq / share;
		break;
	default:
		s->mean = moment_value(&m->part[SAMPLE_MEAN], t->node, all);
		s->sumsq = s->n * (deviation * deviation + s->mean * s->mean);
	}
}

static int sample_order(const void *x, const void *y)
{
	const struct sample_moment *a = x, *b = y;

	return a->counter != b->counter ? (a->counter > b->counter) - (a->counter < b->counter)
					: (a->path > b->path) - (a->path < b->path);
}

static void put_samples(struct sample_moments *m, struct profile_thread out[STATS_DERIVED],
			double all)
{
	if (m->v_n)
		qsort(m->v, m->v_n, sizeof(*m->v), sample_order);
	for (size_t i = 0; i < m->v_n; i++)
		for (int d = 0; d < STATS_DERIVED; d++)
			add_sample(&out[d], &m->v[i], all);
}

static void derive_samples(const struct profile *p, const unsigned char *skip,
			   struct profile_thread out[STATS_DERIVED], double all)
{
	struct sample_moments m = { 0 };

	summary_build_samples(p, skip, &m);
	put_samples(&m, out, all);
	names_release(&m.key);
	free(m.v);
}

static void derived_init(struct profile_thread out[STATS_DERIVED])
{
	memset(out, 0, STATS_DERIVED * sizeof(*out));
	for (int d = 0; d < STATS_DERIVED; d++)
		out[d].node = out[d].context = out[d].thread = -1 - d;
}

static void *copy(const void *from, size_t n, size_t size)
{
	void *to = mem_resize(NULL, n, size);

	if (n)
		memcpy(to, from, n * size);
	return to;
}

static void copy_derived(const struct profile *p, struct profile_thread out[STATS_DERIVED])
{
	for (size_t k = 0; k < p->thread_n; k++) {
		const struct profile_thread *t = &p->thread[k];
		struct profile_thread *to;

		if (t->node >= 0 || t->node < -STATS_DERIVED)
			continue;
		to = &out[-1 - t->node];
		to->row = copy(t->row, t->row_n, sizeof(*t->row));
		to->values = copy(t->values, t->values_n, sizeof(*t->values));
		to->squares = copy(t->squares, t->squares_n, sizeof(*t->squares));
		to->squares_n = t->squares_n;
		to->sample = copy(t->sample, t->sample_n, sizeof(*t->sample));
		to->row_n = t->row_n;
		to->values_n = t->values_n;
		to->sample_n = t->sample_n;
	}
}

void derived_derive(const struct profile *p, const struct waiting *waiting,
		    const unsigned char *skip, struct profile_thread out[STATS_DERIVED])
{
	double all = 0;

	derived_init(out);
	if (p->summary.pes) {
		copy_derived(p, out);
		return;
	}
	for (size_t k = 0; k < p->thread_n; k++)
		all += p->thread[k].node >= 0;
	derive_rows(p, waiting, out, all);
	derive_squares(p, waiting, &out[-1 - STATS_TOTAL]);
	derive_samples(p, skip, out, all);
}

void derived_release(struct profile_thread threads[STATS_DERIVED])
{
	for (int d = 0; d < STATS_DERIVED; d++) {
		free(threads[d].row);
		free(threads[d].values);
		free(threads[d].squares);
		free(threads[d].sample);
	}
}

/* ---- one pass ---- */

struct derived_stream {
	const struct profile *definitions;
	size_t width, paths, counters;
	struct moment *row;             /* path * width + quantity */
	struct moment *waiting;         /* the same for threads that wait; NULL: there are none */
	int busy;                       /* there is a thread that does not wait */
	struct sample_moments sample;
	uint32_t *flat;                 /* by counter: 1 + index of the moment over all contexts */
	double threads;
};

struct derived_stream *derived_stream_new(const struct profile *definitions)
{
	struct derived_stream *s = mem_alloc(sizeof(*s));

	s->definitions = definitions;
	s->width = 2 + 2 * definitions->metric_n;
	s->paths = definitions->path_n;
	s->counters = definitions->counter_n;
	s->row = mem_alloc(s->paths * s->width * sizeof(*s->row));
	s->flat = mem_alloc(s->counters * sizeof(*s->flat));
	return s;
}

/* Nearly all samples are of a counter over all contexts; those are found without a search. */
static struct sample_moment *stream_moment(struct derived_stream *s, const struct profile_sample *v)
{
	if (v->path != PROFILE_FLAT)
		return moment_of(&s->sample, v);
	if (!s->flat[v->counter])
		s->flat[v->counter] = (uint32_t)(moment_of(&s->sample, v) - s->sample.v) + 1;
	return &s->sample.v[s->flat[v->counter] - 1];
}

void derived_stream_add(struct derived_stream *s, const struct profile_thread *t)
{
	int waits = waiting_looks(s->definitions, t);

	s->threads++;
	s->busy |= !waits;
	if (waits && !s->waiting)
		s->waiting = mem_alloc(s->paths * s->width * sizeof(*s->waiting));
	summary_build_thread(t, waits ? s->waiting : s->row, s->width, moment_stream);
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *v = &t->sample[i];
		struct sample_moment *m = stream_moment(s, v);

		summary_build_sample(m, v, moment_stream);
		m->sum += v->n * v->mean;
		m->sumsq += v->sumsq;
	}
}

void derived_stream_derive(struct derived_stream *s, struct profile_thread out[STATS_DERIVED])
{
	derived_init(out);
	put_rows(s->busy || !s->waiting ? s->row : s->waiting, s->paths, s->width, out, s->threads);
	put_samples(&s->sample, out, s->threads);
}

void derived_stream_free(struct derived_stream *s)
{
	free(s->row);
	free(s->waiting);
	free(s->flat);
	free(s->sample.v);
	names_release(&s->sample.key);
	free(s);
}
