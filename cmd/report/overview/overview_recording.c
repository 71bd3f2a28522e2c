/* overview_recording.c: what recording cost the run that is shown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/recorder_rows.h"
#include "analyze/profile/region_rows.h"
#include "analyze/stream/counters.h"
#include "cmd/report/overview/overview.h"
#include "cmd/shared/overhead_text.h"
#include "record/metadata.h"

#define MUCH 0.1 /* of the CPU time without recording */

/* By a run without recording; otherwise the overhead is an estimate. */
static enum overhead_how how_known(const struct profile *p)
{
	const char *measured = profile_meta(p, UINT32_MAX, TAU_META_CPU_MEASURED);

	if (measured && !strcmp(measured, "1"))
		return OVERHEAD_SHOWN;
	for (uint32_t i = 0; i < p->thread_n; i++)
		if (profile_meta_of(p, i, TAU_META_PYTHON_PROFILE_HOOK))
			return OVERHEAD_LEAST;
	return OVERHEAD_ESTIMATE;
}

static double number_of(const struct profile *p, const char *name)
{
	double number = profile_meta_number(p, UINT32_MAX, name);

	return number > 0 ? number : 0;
}

/* In us; 0: it is not known. The figure is of the whole run, whatever part of it is shown. */
static int overhead_of(const struct profile *p, struct overhead_range *o)
{
	*o = (struct overhead_range){.added = number_of(p, TAU_META_CPU_ADDED_US),
				     .alone = number_of(p, TAU_META_CPU_ALONE_US),
				     .least = number_of(p, TAU_META_CPU_ADDED_LEAST_US),
				     .most = number_of(p, TAU_META_CPU_ADDED_MOST_US),
				     .how = how_known(p)};
	return o->alone > 0;
}

void overview_overhead(struct overview *x)
{
	struct overhead_range o;
	const char *missing;
	char *share;

	if (!profile_is_time(x->p, x->metric) || !overhead_of(x->p, &o))
		return;
	missing = overhead_missing(o.how);
	share = overhead_sentence(&o);
	overview_add(x, SECTION_RUN, mem_string("overhead of recording"), UNIT_TIME, o.added,
		     mem_printf("%s%s%s%s", share, x->p->window ? ", whole run" : "",
				o.how == OVERHEAD_SHOWN ? "" : "; ",
				missing                   ? missing
				: o.how == OVERHEAD_SHOWN ? ""
							  : "tau-record --against measures it"));
	free(share);
}

void overview_recorder(struct overview *x)
{
	double removed = recorder_rows_removed(x->p);

	if (removed > 0 && profile_is_time(x->p, x->metric))
		overview_add(x, SECTION_RUN, mem_string("recorder's own regions"), UNIT_TIME,
			     removed,
			     mem_string("as the census of memory; in no other row and no sum"));
}

/* Blocks that were allocated and freed, and calls, over all threads. */
static void count_events(const struct overview *x, double *blocks, double *calls)
{
	*blocks = *calls = 0;
	for (uint32_t i = 0; i < x->p->thread_n; i++)
		for (size_t k = 0; x->p->thread[i].node >= 0 && k < x->p->thread[i].sample_n; k++) {
			const struct profile_sample *s = &x->p->thread[i].sample[k];
			const char *name = x->p->counter[s->counter].name;

			if (s->path == PROFILE_FLAT && (!strcmp(name, COUNTERS_HEAP_ALLOCATE) ||
							!strcmp(name, COUNTERS_HEAP_FREE)))
				*blocks += s->n;
		}
	for (size_t i = 0; i < x->rows.kind_n[TIMER_MEASURED]; i++)
		*calls += x->rows.v[region_rows_first(&x->rows, TIMER_MEASURED) + i].calls;
}

/* The time in the recorder's own regions, where the whole cost is unknown or small. */
static void find_removed(struct overview *x)
{
	double removed = recorder_rows_removed(x->p);

	if (removed > 0 && profile_is_time(x->p, x->metric))
		overview_find(x, TOPIC_CONDITION, mem_string("the recorder's own work"), UNIT_TIME,
			      removed, mem_string("in no other row and no sum"), NULL);
}

/* A finding, if it is 10 % or more. */
static int find_overhead(struct overview *x)
{
	struct overhead_range o;
	double blocks, calls;
	char *share, *run;
	int memory;

	if (x->p->window || !profile_is_time(x->p, x->metric) ||
	    !overhead_of(x->p, &o) || o.added < MUCH * o.alone)
		return 0;
	run = overview_run(x);
	share = overhead_sentence(&o);
	count_events(x, &blocks, &calls);
	/* A call is two records, a block one. */
	memory = blocks > 2 * calls;
	overview_find(x, TOPIC_CONDITION, mem_string("recording itself"), UNIT_TIME, o.added,
		      mem_printf("%s; most events are %s", share,
				 memory ? "allocations (tau-record --memory=census records none)"
					: "calls"),
		      memory ? mem_printf("tau-report memory %s", run)
			     : mem_printf("tau-reduce %s", run));
	free(share);
	free(run);
	return 1;
}

void overview_recording(struct overview *x)
{
	if (!find_overhead(x))
		find_removed(x);
}
