/*
 * derived_threads.c: computes derived threads: means, totals, deviations and extremes over the
 * threads of a profile.
 */
#include "analyze/profile/derived_threads.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/trace/trace.h"

/* Sums of one quantity of one row over the threads that have the row. */
struct moment {
	double n, sum, min, max;
	double square; /* sum of (x - mean)^2: of the second pass, or so far in one pass */
	double beside; /* part of the total alone: what threads that mostly wait did inside */
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

/* The value of a derived thread. all: number N of threads. */
static double moment_value(const struct moment *m, int derived, double all)
{
	double missing = all - m->n, shift;

	switch (derived) {
	case STATS_MEAN:
		return m->sum / m->n;
	case STATS_TOTAL:
		return m->sum + m->beside;
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

static void summary_build_row(const struct profile_thread *t, const struct profile_row *r,
			      struct moment *m, size_t width,
			      void (*add)(struct moment *m, double x))
{
	for (size_t i = 0; i < width; i++)
		add(&m[r->path * width + i], row_value(t, r, i));
}

/* What is summarized: which rows of queues of devices count, and how many threads of each class there are. */
struct counted {
	const struct profile *p;
	enum waiting_class *class; /* by thread */
	char *device; /* by timer, waiting_device_timers() */
	double threads, queues, values;
};

static void counted_make(struct counted *c, const struct profile *p, const struct waiting *waiting)
{
	*c = (struct counted){p, mem_alloc((p->thread_n + 1) * sizeof(*c->class)),
			      waiting_device_timers(waiting, p), 0, 0, 0};
	for (size_t k = 0; k < p->thread_n; k++) {
		c->class[k] = waiting_class(waiting, &p->thread[k]);
		if (p->thread[k].node < 0)
			continue;
		c->queues += c->class[k] == WAITING_QUEUE;
		c->values += c->class[k] == WAITING_VALUES;
		c->threads += c->class[k] == WAITING_COUNTS || c->class[k] == WAITING_WAITS;
	}
}

static void counted_release(struct counted *c)
{
	free(c->class);
	free(c->device);
}

static int counts(const struct counted *c, size_t thread, size_t row)
{
	const struct profile_thread *t = &c->p->thread[thread];

	return t->node >= 0 && waiting_row_counts(c->class[thread], c->device, c->p,
						  c->p->path[t->row[row].path].timer);
}

/* N of a path. */
static double all_of(const struct counted *c, uint32_t path)
{
	return c->device && c->device[c->p->path[path].timer] ? c->queues : c->threads;
}

/* The total of the time outside of all regions includes what a thread that mostly waits did. */
static void beside_add(struct moment *m, size_t width, const struct profile *p,
		       const struct profile_thread *t, const struct profile_row *r)
{
	if (strcmp(p->timer[p->path[r->path].timer].name, REGION_ROOT) != 0)
		return;
	for (size_t at = 0; at < p->metric_n; at++)
		m[r->path * width + 2 + at].beside += waiting_did(p, t, at);
}

static void summary_build_rows(const struct counted *c, struct moment *m, size_t width,
			       void (*add)(struct moment *m, double x))
{
	for (size_t k = 0; k < c->p->thread_n; k++)
		for (size_t i = 0; i < c->p->thread[k].row_n; i++)
			if (counts(c, k, i))
				summary_build_row(&c->p->thread[k], &c->p->thread[k].row[i], m,
						  width, add);
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

/* The rows of one path; m: its moments. */
static void put_rows(const struct moment *m, uint32_t path, size_t width,
		     struct profile_thread out[STATS_DERIVED], double all)
{
	for (int d = 0; m->n > 0 && d < STATS_DERIVED; d++)
		add_row(&out[d], path, m, width, all);
}

static void derive_rows(const struct counted *c, struct profile_thread out[STATS_DERIVED])
{
	size_t width = 2 + 2 * c->p->metric_n;
	struct moment *m = mem_alloc(c->p->path_n * width * sizeof(*m));

	summary_build_rows(c, m, width, moment_add);
	summary_build_rows(c, m, width, moment_square);
	for (size_t k = 0; k < c->p->thread_n; k++)
		for (size_t i = 0; i < c->p->thread[k].row_n && c->class[k] == WAITING_WAITS; i++)
			if (c->p->thread[k].node >= 0)
				beside_add(m, width, c->p, &c->p->thread[k],
					   &c->p->thread[k].row[i]);
	for (uint32_t path = 0; path < c->p->path_n; path++)
		put_rows(&m[path * width], path, width, out, all_of(c, path));
	free(m);
}

/* The squares of TOTAL: the sums over the threads, unknown if that of a thread is unknown. */
static void derive_squares(const struct counted *c, struct profile_thread *total)
{
	const struct profile *p = c->p;
	size_t m = p->metric_n;
	double *sum = mem_alloc((p->path_n * m + 1) * sizeof(*sum));

	for (size_t k = 0; k < p->thread_n; k++) {
		const struct profile_thread *t = &p->thread[k];

		for (size_t i = 0; i < t->row_n; i++)
			for (size_t at = 0; at < m && counts(c, k, i); at++)
				sum[t->row[i].path * m + at] +=
					profile_squared(p, t, &t->row[i], at);
	}
	for (size_t i = 0; i < total->row_n; i++)
		for (size_t at = 0; at < m; at++)
			*array_add(total, squares) = sum[total->row[i].path * m + at];
	free(sum);
}

enum { SAMPLE_N, SAMPLE_MAX, SAMPLE_MIN, SAMPLE_MEAN, SAMPLE_DEVIATION, SAMPLE_PARTS };

/* One (counter, path) over all threads. */
struct sample_moment {
	uint32_t counter, path;
	struct moment part[SAMPLE_PARTS];
	double sum, sumsq; /* of the values of all samples */
	unsigned char have; /* 1 << class of a thread that has the counter */
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

static unsigned char have_of(enum waiting_class class)
{
	return (unsigned char)(1 << (class == WAITING_WAITS ? WAITING_COUNTS : class));
}

static void summary_build_samples(const struct counted *c, const unsigned char *skip,
				  struct sample_moments *m)
{
	const struct profile *p = c->p;

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
			v->have |= have_of(c->class[k]);
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

/* N of a counter: the threads of each class in which any has it. */
static double all_with(const struct sample_moment *m, double threads, double queues, double values)
{
	return (m->have & 1 << WAITING_COUNTS ? threads : 0) +
	       (m->have & 1 << WAITING_QUEUE ? queues : 0) +
	       (m->have & 1 << WAITING_VALUES ? values : 0);
}

static void put_samples(struct sample_moments *m, struct profile_thread out[STATS_DERIVED],
			double threads, double queues, double values)
{
	if (m->v_n)
		qsort(m->v, m->v_n, sizeof(*m->v), sample_order);
	for (size_t i = 0; i < m->v_n; i++)
		for (int d = 0; d < STATS_DERIVED; d++)
			add_sample(&out[d], &m->v[i],
				   all_with(&m->v[i], threads, queues, values));
}

static void derive_samples(const struct counted *c, const unsigned char *skip,
			   struct profile_thread out[STATS_DERIVED])
{
	struct sample_moments m = { 0 };

	summary_build_samples(c, skip, &m);
	put_samples(&m, out, c->threads, c->queues, c->values);
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
	struct counted c;

	derived_init(out);
	if (p->summary.pes) {
		copy_derived(p, out);
		return;
	}
	counted_make(&c, p, waiting);
	derive_rows(&c, out);
	derive_squares(&c, &out[-1 - STATS_TOTAL]);
	derive_samples(&c, skip, out);
	counted_release(&c);
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
	struct moment *waiting, *queue; /* the same for the waiting of threads that mostly wait,
					 * and for queues of devices; NULL: there are none */
	char *on_threads;               /* by timer */
	int busy;                       /* there is a thread that does not wait */
	struct sample_moments sample;
	uint32_t *flat;                 /* by counter: 1 + index of the moment over all contexts */
	double threads, queues, values;
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
	s->on_threads = mem_alloc(definitions->timer_n + 1);
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

static void stream_rows(struct derived_stream *s, const struct profile_thread *t,
			enum waiting_class class)
{
	struct moment **own = class == WAITING_QUEUE   ? &s->queue
			      : class == WAITING_WAITS ? &s->waiting
						       : &s->row;

	if (!*own)
		*own = mem_alloc(s->paths * s->width * sizeof(**own));
	for (size_t i = 0; i < t->row_n; i++) {
		uint32_t timer = s->definitions->path[t->row[i].path].timer;
		int waits = class == WAITING_WAITS && waiting_idles(s->definitions, timer);

		summary_build_row(t, &t->row[i],
				  class == WAITING_WAITS && !waits ? s->row : *own, s->width,
				  moment_stream);
		if (waits)
			beside_add(s->row, s->width, s->definitions, t, &t->row[i]);
		if (class != WAITING_QUEUE)
			s->on_threads[timer] = 1;
	}
}

void derived_stream_add(struct derived_stream *s, const struct profile_thread *t)
{
	enum waiting_class class = waiting_looks(s->definitions, t);

	s->threads += class == WAITING_COUNTS || class == WAITING_WAITS;
	s->queues += class == WAITING_QUEUE;
	s->values += class == WAITING_VALUES;
	s->busy |= class == WAITING_COUNTS;
	if (class != WAITING_VALUES)
		stream_rows(s, t, class);
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *v = &t->sample[i];
		struct sample_moment *m = stream_moment(s, v);

		summary_build_sample(m, v, moment_stream);
		m->sum += v->n * v->mean;
		m->sumsq += v->sumsq;
		m->have |= have_of(class);
	}
}

void derived_stream_derive(struct derived_stream *s, struct profile_thread out[STATS_DERIVED])
{
	derived_init(out);
	for (uint32_t path = 0; path < s->paths; path++) {
		uint32_t timer = s->definitions->path[path].timer;
		int device = s->queue && !s->on_threads[timer] &&
			     strcmp(s->definitions->timer[timer].name, REGION_ROOT) != 0;
		int idle = !s->busy && s->waiting && !(s->row[path * s->width].n > 0);
		const struct moment *m = device ? s->queue : idle ? s->waiting : s->row;

		put_rows(&m[path * s->width], path, s->width, out,
			 device ? s->queues : s->threads);
	}
	put_samples(&s->sample, out, s->threads, s->queues, s->values);
}

void derived_stream_free(struct derived_stream *s)
{
	free(s->row);
	free(s->waiting);
	free(s->queue);
	free(s->on_threads);
	free(s->flat);
	free(s->sample.v);
	names_release(&s->sample.key);
	free(s);
}
