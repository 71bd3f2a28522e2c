/* timeline_moments.c: marks, times without recording, ends by a signal, and iterations: what a
 * picture shows besides regions. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "analyze/messages/messages.h"
#include "analyze/messages/selection.h"
#include "analyze/stream/moments.h"
#include "analyze/trace/trace.h"
#include "analyze/window/window.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/timeline_calls.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "convert/load_types.h"

static const char *const kind_names[MOMENT_KINDS] = {[MOMENT_MARK] = "mark",
						     [MOMENT_SNAPSHOT] = "snapshot",
						     [MOMENT_OFF] = "recording off",
						     [MOMENT_LOST] = "events lost",
						     [MOMENT_SIGNAL] = "signal"};

char *timeline_moment_name(const struct trace *t, const struct stream_moment *m)
{
	const char *name = m->name < t->event_n ? t->event[m->name].name : "";

	if (m->kind != MOMENT_SIGNAL)
		return mem_string(name);
	name = m->number > 0 && m->number < NSIG ? sigabbrev_np((int)m->number) : NULL;
	return name ? mem_printf("SIG%s", name) : mem_string("");
}

const char *timeline_moment_kind(const struct stream_moment *m)
{
	return kind_names[m->kind];
}

static unsigned threads_of(const struct report_trace *r)
{
	return r->o->load ? r->o->load->threads : 1;
}

int timeline_moments_read(struct report_trace *r, struct stream_moments *m, struct error *e)
{
	char *wanted = mem_alloc(r->trace->stream_n + 1);
	int code;

	for (uint32_t s = 0; s < r->trace->stream_n; s++)
		wanted[s] = (char)selection_stream(r->messages.selection, s);
	code = moments_read(m, r->trace, r->span, wanted, threads_of(r), e);
	free(wanted);
	trace_settle(r->trace);
	return code;
}

/* One row, a member for each column. */
struct moment_cells {
	const char *pe, *kind, *name;
	int64_t number;
	double begin, end;
};

/* clang-format off: one column, one paragraph */
const struct table_field timeline_moment_fields[] = {
	{FIELD(struct moment_cells, pe), TABLE_TEXT, "pe", "PE",
	 .meaning = "rank, or RANK.THREAD if processes have several threads"},
	{FIELD(struct moment_cells, kind), TABLE_TEXT, "kind", NULL,
	 .meaning = "mark; snapshot of the program; recording off; events lost, at some "
		    "time between begin and end; signal that ended the process"},
	{FIELD(struct moment_cells, name), TABLE_TEXT, "name", NULL,
	 .meaning = "name of the mark, the snapshot or the signal"},
	{FIELD(struct moment_cells, number), TABLE_INTEGER, "number", NULL,
	 .meaning = "number of the mark, of the signal, or of events that were lost"},
	{FIELD(struct moment_cells, begin), TABLE_NUMBER, "begin_ms", "begin", "ms", .precision = 6,
	 .meaning = "its begin; that of the window, if it began before"},
	{FIELD(struct moment_cells, end), TABLE_NUMBER, "end_ms", "end", "ms", .precision = 6,
	 .meaning = "its end; that of the window, if it ended later"},
	{0},
};
/* clang-format on */

static void moments_print(struct report_trace *r, const struct stream_moments *m, FILE *f,
			  size_t width)
{
	struct table *t = table_new("Moments");
	int threads = 0;

	table_fields(t, timeline_moment_fields, 0, NULL);
	report_trace_notes(t, r);
	table_fact_number(t, "moments", (double)m->v_n);
	for (uint32_t s = 0; s < r->trace->stream_n; s++)
		threads |= r->trace->stream[s].thread > 0 && !r->trace->stream[s].values;
	for (size_t i = 0, n = timeline_rows_printed(t, r, m->v_n); i < n; i++) {
		const struct stream_moment *v = &m->v[i];
		char *pe = timeline_place(r->trace, v->stream, threads);
		char *name = timeline_moment_name(r->trace, v);

		table_row(t);
		table_put_fields(t, &(struct moment_cells){pe, timeline_moment_kind(v), name,
							   v->number, report_ms((double)v->begin),
							   report_ms((double)v->end)});
		free(name);
		free(pe);
	}
	report_table(t, r->o, f, width);
}

int timeline_moments(struct report_trace *r, FILE *f, size_t width, struct error *e)
{
	struct stream_moments m;
	int code = timeline_moments_read(r, &m, e);

	if (!code)
		code = timeline_too_many(r, m.v_n, "moments", e);
	if (!code)
		moments_print(r, &m, f, width);
	moments_release(&m);
	return code;
}

/* ---- iterations ---- */

struct loop_iteration {
	uint32_t process;
	uint64_t number;
	int64_t begin, end;
};

struct loop_iterations {
	struct loop_iteration *v;
	size_t v_n, v_cap;
};

static int by_process_and_number(const void *va, const void *vb)
{
	const struct loop_iteration *a = va, *b = vb;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->process > b->process) - (a->process < b->process);
}

/* Is a thread of the process selected? */
static int is_selected(const struct report_trace *r, const struct trace_process *p)
{
	size_t i = 0;

	while (i < p->stream_n && !selection_stream(r->messages.selection, p->stream[i]))
		i++;
	return i < p->stream_n;
}

static void iterations_add(struct loop_iterations *x, const struct report_trace *r,
			   const struct window *w, uint64_t number)
{
	for (uint32_t p = 0; p < r->trace->process_n; p++) {
		const struct window_spans *all = window_spans(w, p);
		const struct window_span s = messages_span(&r->messages, p);

		for (size_t i = 0; i < all->v_n; i++)
			if (all->v[i].begin < s.end && all->v[i].end > s.begin &&
			    is_selected(r, &r->trace->process[p]))
				*array_add(x, v) = (struct loop_iteration){
					p, number, all->v[i].begin, all->v[i].end};
	}
}

/* One row, a member for each column. */
struct iteration_cells {
	const char *pe;
	int64_t number;
	double begin, end;
};

/* clang-format off: one column, one paragraph */
const struct table_field timeline_iteration_fields[] = {
	{FIELD(struct iteration_cells, pe), TABLE_TEXT, "pe", "PE", .meaning = "rank"},
	{FIELD(struct iteration_cells, number), TABLE_INTEGER, "iteration", NULL,
	 .meaning = "its number N: -w iter=N is its window"},
	{FIELD(struct iteration_cells, begin), TABLE_NUMBER, "begin_ms", "begin", "ms",
	 .precision = 6, .meaning = "its begin, which can be before the window"},
	{FIELD(struct iteration_cells, end), TABLE_NUMBER, "end_ms", "end", "ms", .precision = 6,
	 .meaning = "its end, which can be after the window"},
	{0},
};
/* clang-format on */

static void iterations_print(struct report_trace *r, const struct loop_iterations *x,
			     const struct windows *w, FILE *f, size_t width)
{
	struct table *t = table_new("Iterations");

	table_fields(t, timeline_iteration_fields, 0, NULL);
	report_trace_notes(t, r);
	for (size_t i = 0; i < w->note_n; i++)
		table_note(t, "%s", w->note[i].text);
	table_fact_number(t, "iterations", (double)x->v_n);
	for (size_t i = 0, n = timeline_rows_printed(t, r, x->v_n); i < n; i++) {
		const struct loop_iteration *v = &x->v[i];
		char *pe = mem_printf("%d", (int)r->trace->process[v->process].node);

		table_row(t);
		table_put_fields(t, &(struct iteration_cells){pe, (int64_t)v->number,
							      report_ms((double)v->begin),
							      report_ms((double)v->end)});
		free(pe);
	}
	report_table(t, r->o, f, width);
}

int timeline_iterations(struct report_trace *r, FILE *f, size_t width, struct error *e)
{
	static const char *const text = "iter";
	const struct window_options o = {.text = &text,
					 .n = 1,
					 .threads = threads_of(r),
					 .index = r->o->load ? r->o->load->index : INDEX_AUTO,
					 .only = r->messages.selection ? r->o->load->only : NULL};
	struct loop_iterations x = {0};
	struct windows w = {0};
	int code = windows_resolve(r->trace, &o, &w, e);

	if (code)
		return code;
	for (size_t i = 0; i < w.v_n; i++)
		iterations_add(&x, r, &w.v[i], i + 1);
	if (x.v_n)
		qsort(x.v, x.v_n, sizeof(*x.v), by_process_and_number);
	code = timeline_too_many(r, x.v_n, "iterations", e);
	trace_settle(r->trace);
	if (!code)
		iterations_print(r, &x, &w, f, width);
	free(x.v);
	windows_release(&w);
	return code;
}
