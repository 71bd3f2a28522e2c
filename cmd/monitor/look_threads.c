/* look_threads.c: what each thread has done, and what it has open. */
#include "cmd/monitor/look_threads.h"

#include <math.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/profile/thread_rows.h"
#include "cmd/monitor/open_regions.h"

/* "main => solve"; to be freed; NULL: nothing is open. */
static char *open_text(const struct trace *t, const struct open_regions *open)
{
	char *text = NULL;

	for (size_t i = 0; i < open->n; i++) {
		const char *name = open->region[i] < t->region_n ? t->region[open->region[i]].name
								 : REGION_ROOT;
		char *longer = text ? mem_printf("%s => %s", text, name) : mem_string(name);

		free(text);
		text = longer;
	}
	return text;
}

static int open_find(struct look_thread *x, struct trace *t, const struct open_streams *known,
		     uint32_t stream, struct error *e)
{
	struct open_regions open;
	int code = 0;

	if (known->known[stream])
		open = known->v[stream];
	else
		code = open_regions_get(t, stream, &open, e);
	if (code)
		return code;
	x->open = open_text(t, &open);
	if (open.n)
		x->since = (double)(t->end - open.since) / 1e3;
	if (!known->known[stream])
		free(open.region);
	return 0;
}

/*
 * The stream of a thread; TRACE_NONE: its node is no process of the trace. Rows and streams of a
 * process mostly have the same order: the search begins after the stream that was found last.
 */
static uint32_t stream_of(const struct trace *t, int32_t node, int32_t thread, uint32_t *process,
			  size_t *next)
{
	for (uint32_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];

		if (p->node != node)
			continue;
		*process = i;
		for (size_t k = 0; k < p->stream_n; k++) {
			uint32_t stream = p->stream[(*next + k) % p->stream_n];

			if ((int32_t)t->stream[stream].thread != thread)
				continue;
			*next += k + 1;
			return stream;
		}
	}
	return TRACE_NONE;
}

static void calls_count(struct look_run *r, struct look_thread *x)
{
	uint64_t key = (uint64_t)(uint32_t)x->node << 32 | (uint32_t)x->thread;
	uint32_t at = map_get(&r->thread_calls, key);

	x->new_calls = r->looks_here ? x->calls - (at == MAP_NONE ? 0 : r->thread_before[at]) : NAN;
	if (at == MAP_NONE) {
		map_set(&r->thread_calls, key, (uint32_t)r->thread_before_n);
		*array_add(r, thread_before) = x->calls;
	} else {
		r->thread_before[at] = x->calls;
	}
}

static int thread_fill(struct look_run *r, struct trace *t, const struct open_streams *known,
		       const struct thread_row *row, size_t nth, size_t *next,
		       struct look_thread *x, struct error *e)
{
	double useful = 0;
	uint32_t process = 0, stream = stream_of(t, row->node, row->thread, &process, next);

	*x = (struct look_thread){.node = row->node,
				  .thread = row->thread,
				  .calls = row->calls,
				  .time = row->time,
				  .since = NAN};
	for (int k = 0; k < WORK_KINDS; k++)
		useful += region_work_useful((enum region_work)k) ? row->work[k] : 0;
	x->useful = row->time > 0 ? useful / row->time : NAN;
	calls_count(r, x);
	if (stream == TRACE_NONE)
		return 0;
	x->running = t->process[process].running;
	x->unknown = !x->running && t->process[process].elsewhere &&
		     t->process[process].ended == TRACE_END_UNKNOWN;
	if (t->stream[stream].label)
		x->label = mem_string(t->stream[stream].label);
	return x->running && (!r->threads || nth < r->threads)
		       ? open_find(x, t, known, stream, e)
		       : 0;
}

int look_threads(struct look_run *r, struct trace *t, const struct open_streams *known,
		 struct look *l, struct error *e)
{
	struct thread_rows rows;
	size_t next = 0;
	int code = 0;

	thread_rows_make(&rows, l->profile, NULL, 0, 0);
	for (size_t i = 0; i < rows.v_n && !code; i++)
		code = thread_fill(r, t, known, &rows.v[i], i, &next, array_add(l, thread), e);
	thread_rows_release(&rows);
	return code;
}
