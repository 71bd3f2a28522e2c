/* samples.c: adds up the values of counters by thread and over time. */
#include "analyze/messages/samples.h"

#include <math.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/selection.h"

static int is_monotonic(const struct samples *x, uint32_t event)
{
	return (x->m->trace->event[event].flags & EVENT_FLAG_MONOTONIC) != 0;
}

static void bin_add(struct samples_bin *b, uint64_t n, double sum, double least, double largest)
{
	if (!n)
		return;
	b->least = b->n ? fmin(b->least, least) : least;
	b->largest = b->n ? fmax(b->largest, largest) : largest;
	b->n += n;
	b->sum += sum;
}

static struct samples_bin *bins_of(struct samples *x, uint32_t event)
{
	struct samples_bin *bin = x->together ? x->together[event] : NULL;

	if (!bin)
		bin = mem_alloc(x->bins * sizeof(*bin));
	if (x->together)
		x->together[event] = bin;
	return bin;
}

static struct samples_row *row_of(struct samples *x, uint32_t event, uint32_t stream)
{
	uint64_t key = (uint64_t)event << 32 | stream;
	uint32_t at = map_get(&x->at, key);
	struct samples_row *r;

	if (at != MAP_NONE)
		return &x->row[at];
	map_set(&x->at, key, (uint32_t)x->row_n);
	r = array_add(x, row);
	memset(r, 0, sizeof(*r));
	r->event = event;
	r->stream = stream;
	r->threads = !x->m->trace->stream[stream].device && !x->m->trace->stream[stream].values;
	r->rise = is_monotonic(x, event) ? 0 : NAN;
	r->bin = bins_of(x, event);
	r->min = INFINITY;
	r->max = -INFINITY;
	return r;
}

int64_t samples_begin(const struct samples *x, size_t bin)
{
	return x->begin + (int64_t)((double)(x->end - x->begin) * (double)bin / (double)x->bins);
}

static size_t bin_of(const struct samples *x, int64_t time)
{
	double at = (double)(time - x->begin) / (double)(x->end - x->begin) * (double)x->bins;

	return at <= 0 ? 0 : at >= (double)x->bins ? x->bins - 1 : (size_t)at;
}

/* Adds a rise between two times, spread evenly over the bins. */
static void rise_add(struct samples *x, struct samples_row *r, int64_t from, int64_t to,
		     double rise)
{
	size_t first = bin_of(x, from), last = bin_of(x, to);

	r->rise += rise;
	for (size_t i = first; i <= last; i++) {
		int64_t begin = i == first ? from : samples_begin(x, i),
			end = i == last ? to : samples_begin(x, i + 1);

		r->bin[i].n++;
		r->bin[i].sum +=
			to > from ? rise * (double)(end - begin) / (double)(to - from) : rise;
	}
}

static void on_value(void *to, uint32_t stream, uint32_t path, int64_t time,
		     const struct event_args *a, int inside)
{
	struct samples *x = to;
	double v = a->value.value;
	struct samples_row *r;

	(void)path;
	if (!inside || x->m->trace->event[a->value.event].lock || !isfinite(v) ||
	    !selection_stream(x->m->selection, stream))
		return;
	r = row_of(x, a->value.event, stream);
	if (!is_monotonic(x, a->value.event)) {
		bin_add(&r->bin[bin_of(x, time)], 1, v, v, v);
	} else if (r->n) {
		rise_add(x, r, r->last_at, time, v > r->last ? v - r->last : 0);
	}
	if (!r->n++)
		r->first_at = time;
	r->last_at = time;
	r->last = v;
	r->min = fmin(r->min, v);
	r->max = fmax(r->max, v);
	exact_add(&r->sum, v);
}

struct messages_use samples_use(struct samples *x, const struct messages *m)
{
	const struct trace *t = m->trace;

	*x = (struct samples){.m = m, .begin = INT64_MAX, .end = INT64_MIN, .bins = SAMPLES_BINS};
	for (uint32_t p = 0; p < t->process_n; p++) {
		struct window_span s = messages_span(m, p);
		int64_t begin = s.begin > t->process[p].start ? s.begin : t->process[p].start,
			end = s.end < t->process[p].end ? s.end : t->process[p].end;

		x->begin = begin < x->begin ? begin : x->begin;
		x->end = end > x->end ? end : x->end;
	}
	if (x->end <= x->begin)
		x->end = x->begin < INT64_MAX ? x->begin + 1 : x->begin--;
	return (struct messages_use){.value = on_value, .to = x, .window_only = 1};
}

void samples_cut(struct samples *x, size_t n, int64_t length)
{
	int64_t over = length ? x->begin % length : 0;

	x->together = mem_alloc((x->m->trace->event_n + 1) * sizeof(*x->together));
	x->bins = n;
	if (!length)
		return;
	x->begin -= over < 0 ? over + length : over;
	x->bins = (size_t)((x->end - x->begin + length - 1) / length);
	x->end = x->begin + (int64_t)x->bins * length;
}

/* Rows with their names, for sorting. */
static int by_name(const void *va, const void *vb, void *of)
{
	const struct samples_row *a = va, *b = vb;
	const struct trace *t = of;
	int order = strcmp(t->event[a->event].name, t->event[b->event].name);

	if (order)
		return order;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return (a->stream > b->stream) - (a->stream < b->stream);
}

static void all_add(const struct samples *x, struct samples_row *to, const struct samples_row *r)
{
	const struct samples_bin *b = r->bin;

	to->threads += r->threads;
	to->n += r->n;
	to->min = fmin(to->min, r->min);
	to->max = fmax(to->max, r->max);
	if (r->first_at < to->first_at)
		to->first_at = r->first_at;
	if (r->last_at > to->last_at) {
		to->last_at = r->last_at;
		to->last = r->last;
	}
	to->rise += r->rise;
	exact_merge(&to->sum, &r->sum);
	for (size_t i = 0; i < x->bins && !x->together; i++)
		bin_add(&to->bin[i], b[i].n, b[i].sum, b[i].least, b[i].largest);
}

void samples_end(struct samples *x)
{
	struct samples_row *all;

	if (x->row_n)
		qsort_r(x->row, x->row_n, sizeof(*x->row), by_name, x->m->trace);
	for (size_t i = 0; i < x->row_n; i++) {
		if (i && x->row[i].event == x->row[i - 1].event) {
			all_add(x, &x->all[x->all_n - 1], &x->row[i]);
			continue;
		}
		*array_add(x, all) = x->row[i];
		all = &x->all[x->all_n - 1];
		all->stream = TRACE_NONE;
		all->sum = (struct exact){0};
		exact_merge(&all->sum, &x->row[i].sum);
		if (x->together)
			continue;
		all->bin = mem_alloc(x->bins * sizeof(*all->bin));
		memcpy(all->bin, x->row[i].bin, x->bins * sizeof(*all->bin));
	}
}

static void row_release(const struct samples *x, struct samples_row *r)
{
	exact_release(&r->sum);
	if (!x->together)
		free(r->bin);
}

void samples_release(struct samples *x)
{
	for (size_t i = 0; i < x->row_n; i++)
		row_release(x, &x->row[i]);
	for (size_t i = 0; i < x->all_n; i++)
		row_release(x, &x->all[i]);
	for (size_t i = 0; x->together && i < x->m->trace->event_n; i++)
		free(x->together[i]);
	free(x->together);
	free(x->row);
	free(x->all);
	map_release(&x->at);
	*x = (struct samples){0};
}

double samples_mean(const struct samples_row *r)
{
	return exact_value(&r->sum) / (double)r->n;
}

double samples_rate(const struct samples_row *r)
{
	return r->last_at > r->first_at ? 1e9 * r->rise / (double)(r->last_at - r->first_at) : NAN;
}

double samples_at(const struct samples *x, const struct samples_row *r, size_t bin)
{
	const struct samples_bin *b = &r->bin[bin];

	if (!b->n)
		return NAN;
	if (isnan(r->rise))
		return b->sum / (double)b->n;
	return 1e9 * b->sum / (double)(samples_begin(x, bin + 1) - samples_begin(x, bin));
}
