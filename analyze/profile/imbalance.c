/* imbalance.c: compares the exclusive values of each region over threads. */
#include "analyze/profile/imbalance.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/compared_threads.h"
#include "analyze/profile/process_lives.h"
#include "analyze/profile/profile.h"

/* number: by index of the number; 1: a thread with this number has the region. */
static int is_compared(const struct compared_threads *m, uint32_t i, const char *number)
{
	return m->counts[i] && number[m->number[i]];
}

/* Does a thread have a row of a chosen timer that is compared? */
static int has_compared(const struct profile *p, const struct compared_threads *m, uint32_t thread,
			const char *chosen)
{
	const struct profile_thread *t = &p->thread[thread];

	for (size_t k = 0; k < t->row_n; k++) {
		const struct profile_path *at = &p->path[t->row[k].path];

		if (at->parent == PROFILE_FLAT && chosen[at->timer] &&
		    compared_threads_has(m, p, thread, at->timer))
			return 1;
	}
	return 0;
}

void imbalance_compared(const struct profile *p, const struct waiting *waiting, const char *chosen,
			char *compared)
{
	struct compared_threads m;
	char *number;

	compared_threads_make(&m, p, waiting);
	number = mem_alloc(p->thread_n + 1);
	for (uint32_t i = 0; i < p->thread_n; i++)
		if (has_compared(p, &m, i, chosen))
			number[m.number[i]] = 1;
	for (uint32_t i = 0; i < p->thread_n; i++)
		compared[i] = (char)is_compared(&m, i, number);
	free(number);
	compared_threads_release(&m);
}

/* What all regions are compared with. */
struct imbalance_context {
	struct compared_threads m;
	double whole; /* as in struct imbalance */
	int clock;    /* the metric is wall-clock time, so that lives limit waits */
	struct process_lives lives;
};

/* One value of a region on a thread. */
struct thread_value {
	uint32_t path, thread;
	double excl;
};

static int cell_order(const void *va, const void *vb)
{
	const struct thread_value *a = va, *b = vb;

	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Rows of flat, measured regions, sorted by region. */
static struct thread_value *cells_make(const struct profile *p, const struct compared_threads *m,
			       size_t metric, size_t *n)
{
	size_t most = 0;
	struct thread_value *v;

	for (size_t i = 0; i < p->thread_n; i++)
		most += p->thread[i].row_n;
	v = mem_alloc((most + 1) * sizeof(*v));
	*n = 0;
	for (uint32_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];

		for (size_t k = 0; k < t->row_n; k++) {
			const struct profile_timer *at = &p->timer[p->path[t->row[k].path].timer];

			if (p->path[t->row[k].path].parent != PROFILE_FLAT ||
			    profile_timer_kind(at) != TIMER_MEASURED ||
			    !compared_threads_has(m, p, i, p->path[t->row[k].path].timer))
				continue;
			v[(*n)++] =
				(struct thread_value){t->row[k].path, i,
					      t->values[t->row[k].first + p->metric_n + metric]};
		}
	}
	if (*n)
		qsort(v, *n, sizeof(*v), cell_order);
	return v;
}

/* The first thread that counts, is compared and has no cell: its value is 0. */
static uint32_t first_without(const struct profile *p, const struct compared_threads *m,
			      const char *number, const struct thread_value *c, size_t n)
{
	size_t k = 0;

	for (uint32_t i = 0; i < p->thread_n; i++) {
		if (!is_compared(m, i, number))
			continue;
		while (k < n && c[k].thread < i)
			k++;
		if (k == n || c[k].thread != i)
			return i;
	}
	return 0;
}

/* ---- what a thread can lose ---- */

/* Wall-clock time: threads that do not work wait. Other metrics have no value for a wait. */
static int is_clock(const struct profile *p, size_t metric)
{
	return profile_is_time(p, metric) && !strcasestr(p->metric[metric].name, "CPU");
}

/* By thread: the value of all its regions. */
static double *totals_make(const struct profile *p, const struct compared_threads *m, size_t metric)
{
	double *total = mem_alloc((p->thread_n + 1) * sizeof(*total));

	for (size_t i = 0; i < p->thread_n; i++)
		for (size_t k = 0; m->counts[i] && k < p->thread[i].row_n; k++) {
			const struct profile_row *r = &p->thread[i].row[k];

			if (p->path[r->path].parent == PROFILE_FLAT &&
			    profile_timer_kind(&p->timer[p->path[r->path].timer]) == TIMER_MEASURED)
				total[i] += p->thread[i].values[r->first + p->metric_n + metric];
		}
	return total;
}

/* c: the n cells of the row's region. A thread without a cell has 0. */
static double lost_of(const struct imbalance_row *r, const struct profile *p,
		      const struct imbalance_context *a, const char *number,
		      const struct thread_value *c, size_t n)
{
	double lost = 0;
	size_t k = 0;

	if (r->n < 2)
		return 0;
	if (!a->clock)
		return fmax(0, r->n * r->largest - r->sum);
	for (uint32_t i = 0; i < p->thread_n; i++) {
		double own = 0;

		if (!is_compared(&a->m, i, number) ||
		    process_lives_apart(&a->lives, i, r->largest_at))
			continue;
		while (k < n && c[k].thread < i)
			k++;
		if (k < n && c[k].thread == i)
			own = c[k].excl;
		lost += fmax(0, fmin(r->largest, a->lives.life[i]) - own);
	}
	return fmax(0, fmin(lost, a->whole - r->sum));
}

static void row_add(struct imbalance *x, const struct profile *p, const struct imbalance_context *a,
		    const struct thread_value *c, size_t n)
{
	const struct compared_threads *m = &a->m;
	const struct profile_timer *timer = &p->timer[p->path[c->path].timer];
	char *number = mem_alloc(p->thread_n + 1);
	struct imbalance_row *r = array_add(x, v);

	r->path = c->path;
	r->work = region_work_of(timer->name, timer->groups);
	r->have = (uint32_t)n;
	r->largest = r->least = c->excl;
	r->largest_at = r->least_at = c->thread;
	for (size_t i = 0; i < n; i++) {
		uint32_t k = m->number[c[i].thread];

		r->n += number[k] ? 0 : m->per_number[k];
		number[k] = 1;
		r->sum += c[i].excl;
		if (c[i].excl > r->largest) {
			r->largest = c[i].excl;
			r->largest_at = c[i].thread;
		}
		if (c[i].excl < r->least) {
			r->least = c[i].excl;
			r->least_at = c[i].thread;
		}
	}
	if (r->have < r->n && r->least > 0) {
		r->least = 0;
		r->least_at = first_without(p, m, number, c, n);
	}
	r->lost = lost_of(r, p, a, number, c, n);
	free(number);
}

static int row_order(const void *va, const void *vb, void *arg)
{
	const struct imbalance_row *a = va, *b = vb;
	const struct profile *p = arg;
	int order = region_work_useful(b->work) - region_work_useful(a->work);

	if (order)
		return order;
	if (a->lost != b->lost)
		return a->lost > b->lost ? -1 : 1;
	return strcmp(p->timer[p->path[a->path].timer].name, p->timer[p->path[b->path].timer].name);
}

static void about_make(struct imbalance_context *a, const struct profile *p,
		       const struct waiting *waiting, size_t metric)
{
	double *total, largest = 0;
	size_t threads = 0;

	compared_threads_make(&a->m, p, waiting);
	total = totals_make(p, &a->m, metric);
	for (size_t i = 0; i < p->thread_n; i++) {
		a->whole += total[i];
		largest = fmax(largest, total[i]);
		threads += (size_t)a->m.counts[i];
	}
	process_lives_make(&a->lives, p, total);
	a->clock = is_clock(p, metric);
	if (!a->clock)
		a->whole = (double)threads * largest;
	free(total);
}

void imbalance_make(struct imbalance *x, const struct profile *p, const struct waiting *waiting,
		    size_t metric)
{
	struct imbalance_context a = {0};
	struct thread_value *c;
	size_t n;

	*x = (struct imbalance){0};
	if (!p->metric_n)
		return;
	about_make(&a, p, waiting, metric);
	c = cells_make(p, &a.m, metric, &n);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && c[k].path == c[i].path; k++)
			;
		row_add(x, p, &a, &c[i], k - i);
	}
	x->whole = a.whole;
	for (size_t i = 0; i < p->thread_n; i++)
		x->threads += (uint32_t)a.m.counts[i];
	if (x->v_n)
		qsort_r(x->v, x->v_n, sizeof(*x->v), row_order, (void *)p);
	while (x->useful_n < x->v_n && region_work_useful(x->v[x->useful_n].work))
		x->useful_n++;
	free(c);
	process_lives_release(&a.lives);
	compared_threads_release(&a.m);
}

void imbalance_release(struct imbalance *x)
{
	free(x->v);
	memset(x, 0, sizeof(*x));
}
