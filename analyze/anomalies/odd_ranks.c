/* odd_ranks.c: compares the time of each rank in a region with that of the others. */
#include "analyze/anomalies/odd_ranks.h"

#include <math.h>
#include <string.h>

#include "analyze/anomalies/robust.h"
#include "analyze/messages/selection.h"
#include "analyze/trace/trace.h"
#include "record/metadata.h"

#define LEAST_SHARE  0.01
#define LEAST_SPREAD 0.01

struct rank_times {
	const struct instance_times *x;
	const char *part;	/* by process: it has selected threads */
	char *on_threads;	/* by region: a thread has it, so that queues of devices do not count */
	uint32_t *program;	/* by process: its executable, from 0 */
	double *program_time;	/* by program */
	size_t programs;
	uint32_t only;		/* the program that is compared */
	double *time;		/* by process */
	uint32_t *stream;	/* by process: its first stream with time in the region */
	double *sorted;		/* values of the processes that have streams */
	size_t n;
};

static void programs_find(struct rank_times *r)
{
	const struct trace *t = r->x->m->trace;
	struct names names = {0};

	r->program = mem_alloc((t->process_n + 1) * sizeof(*r->program));
	for (size_t p = 0; p < t->process_n; p++) {
		const char *name = trace_process_meta(&t->process[p], TAU_META_EXECUTABLE);

		r->program[p] = name ? names_add(&names, name, strlen(name))
				     : names_add(&names, "", 0);
	}
	r->programs = names.name_n;
	r->program_time = mem_alloc((r->programs + 1) * sizeof(*r->program_time));
	names_release(&names);
}

static int counts(const struct rank_times *r, uint32_t stream, uint32_t region)
{
	return !r->x->m->trace->stream[stream].device || !r->on_threads[region];
}

/* Is the process one of those that are compared? */
static int is_in(const struct rank_times *r, size_t process)
{
	return r->part[process] && r->program[process] == r->only;
}

/* The times of the processes in a region; chooses the program, and returns the time of its processes. */
static double region_times(struct rank_times *r, uint32_t region)
{
	const struct trace *t = r->x->m->trace;

	memset(r->program_time, 0, r->programs * sizeof(*r->program_time));
	for (size_t p = 0; p < t->process_n; p++) {
		r->time[p] = 0;
		r->stream[p] = t->process[p].stream_n ? t->process[p].stream[0] : 0;
		for (size_t i = t->process[p].stream_n; i-- > 0;) {
			uint32_t s = t->process[p].stream[i],
				 at = r->x->lane[s].at ? r->x->lane[s].at[region] : 0;

			if (!at || !counts(r, s, region) || !r->x->v[at - 1].exclusive)
				continue;
			r->time[p] += (double)r->x->v[at - 1].exclusive;
			r->stream[p] = s;
		}
		r->program_time[r->program[p]] += r->part[p] ? r->time[p] : 0;
	}
	r->only = 0;
	for (uint32_t i = 1; i < r->programs; i++)
		r->only = r->program_time[i] > r->program_time[r->only] ? i : r->only;
	r->n = 0;
	for (size_t p = 0; p < t->process_n; p++)
		r->n += (size_t)is_in(r, p);
	return r->program_time[r->only];
}

/* Takes the values of the ranks that take part in the run. */
static void times_sort_in(struct rank_times *r, double from, int distance)
{
	const struct trace *t = r->x->m->trace;

	r->n = 0;
	for (size_t p = 0; p < t->process_n; p++)
		if (is_in(r, p))
			r->sorted[r->n++] =
				distance ? fabs(r->time[p] - from) : r->time[p];
}

static void region_find(struct anomalies *a, struct rank_times *r, uint32_t region)
{
	const struct trace *t = r->x->m->trace;
	double sum = region_times(r, region), median, spread, limit;

	if (r->n < ODD_LEAST)
		return;
	times_sort_in(r, 0, 0);
	median = robust_median(r->sorted, r->n);
	times_sort_in(r, median, 1);
	spread = fmax(robust_deviation(robust_median(r->sorted, r->n), r->n),
		      LEAST_SPREAD * sum / (double)r->n);
	limit = robust_limit(r->n, 2 * a->tests[ANOMALY_RANK]) * spread;
	for (size_t p = 0; p < t->process_n; p++)
		if (is_in(r, p) && fabs(r->time[p] - median) > limit)
			anomaly_add(a,
				    &(struct anomaly){.kind = ANOMALY_RANK,
						      .region = region,
						      .stream = r->stream[p],
						      .streams = 1,
						      .value = r->time[p],
						      .typical = median,
						      .cost = r->time[p] - median},
				    0);
}

/* Excludes regions without a selected call path. */
static void leave_out(const struct instance_times *x, double *sum)
{
	char *selected = mem_alloc(x->m->trace->region_n + 1);

	for (uint32_t p = 1; p < x->m->paths.v_n; p++)
		if (selection_path(x->m->selection, p) == p)
			selected[x->m->paths.v[p].region] = 1;
	for (size_t i = 0; i < x->m->trace->region_n; i++)
		sum[i] = selected[i] ? sum[i] : 0;
	free(selected);
}

void odd_ranks_find(struct anomalies *a, const struct instance_times *x)
{
	const struct trace *t = x->m->trace;
	double *sum = mem_alloc((t->region_n + 1) * sizeof(*sum)), all = 0;
	char *part = mem_alloc(t->process_n + 1);
	struct rank_times r = {.x = x, .part = part, .on_threads = mem_alloc(t->region_n + 1)};
	size_t tested = 0;

	for (size_t i = 0; i < x->v_n; i++)
		if (!t->stream[x->v[i].stream].device)
			r.on_threads[x->v[i].region] = 1;
	for (size_t i = 0; i < x->v_n; i++) {
		if (!counts(&r, x->v[i].stream, x->v[i].region))
			continue;
		sum[x->v[i].region] += (double)x->v[i].exclusive;
		all += (double)x->v[i].exclusive;
	}
	for (uint32_t s = 0; s < t->stream_n; s++)
		part[t->stream[s].process] |= (char)selection_stream(x->m->selection, s);
	for (size_t p = 0; p < t->process_n; p++)
		r.n += part[p];
	leave_out(x, sum);
	for (size_t i = 0; i < t->region_n; i++)
		tested += sum[i] > 0 && sum[i] >= LEAST_SHARE * all;
	if (r.n >= ODD_LEAST) {
		a->tests[ANOMALY_RANK] = tested * r.n;
		r.time = mem_alloc(t->process_n * sizeof(*r.time));
		r.sorted = mem_alloc(t->process_n * sizeof(*r.sorted));
		r.stream = mem_alloc(t->process_n * sizeof(*r.stream));
		programs_find(&r);
		for (uint32_t i = 0; i < t->region_n; i++)
			if (sum[i] > 0 && sum[i] >= LEAST_SHARE * all)
				region_find(a, &r, i);
		free(r.time);
		free(r.sorted);
		free(r.stream);
		free(r.program);
		free(r.program_time);
	}
	free(r.on_threads);
	free(part);
	free(sum);
}
