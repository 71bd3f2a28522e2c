/* report_hang.c: tau-report hang: what each thread does at the end of a run that hangs or was killed, and who waits for whom. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/hang/ends.h"
#include "analyze/hang/hang.h"
#include "analyze/trace/trace.h"
#include "cmd/report/events/hang_rows.h"
#include "cmd/report/events/hang_text.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define RANKS_MOST 8	/* parts of a list of ranks in a cell */
#define TOP_TEXT   30
#define REASONS	   4	/* sentences about single threads */
#define BEFORE	   1000000000	/* ns: a process that was killed so long before the end did not end with the others */

static const char *const state_name[] = {
	[HANG_ENDED] = "ended",
	[HANG_RUNS] = "computes",
	[HANG_WAITS] = "waits",
	[HANG_BLOCKED] = "blocked",
};

static const struct field_value states[] = {
	{.value = "blocked", .meaning = "what it waits for can never come: all who could bring it "
		    "are blocked, too, or have ended"},
	{.value = "waits", .meaning = "what it waits for may still come"},
	{.value = "computes", .meaning = "it is in none of the calls whose waits are known"},
	{.value = "ended", .meaning = "its process has ended"},
	{0},
};

/* One row, a member for each column. */
struct hang_cells {
	const char *ranks;
	int64_t threads, thread;
	const char *state;
	double time;
	const char *call, *waits_for, *path;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct hang_cells, ranks), TABLE_TEXT, "ranks", "ranks",
	 .meaning = "ranks, or other processes by their node, whose threads are in the same state"},
	{FIELD(struct hang_cells, threads), TABLE_INTEGER, "threads", "n",
	 .meaning = "number of these threads"},
	{FIELD(struct hang_cells, thread), TABLE_INTEGER, "thread", "thread", .spare = 1,
	 .meaning = "number of the thread in its process"},
	{FIELD(struct hang_cells, state), TABLE_TEXT, "state", "state",
	 .meaning = "what the threads are doing when the trace ends", .value = states},
	{FIELD(struct hang_cells, time), TABLE_NUMBER, "time_ms", "for [ms]",
	 .precision = 1,
	 .meaning = "since the call that waits began, or since the last event of a thread that "
	 "computes; the longest of the threads"},
	{FIELD(struct hang_cells, call), TABLE_TEXT, "call", "in",
	 .spare = 1, .fit = region_name_fit,
	 .meaning = "call that waits, or innermost region"},
	{FIELD(struct hang_cells, waits_for), TABLE_TEXT, "waits_for", "waits for",
	 .meaning = "what the call needs to return; rank + 1: the next rank of each"},
	{FIELD(struct hang_cells, path), TABLE_TEXT, "path", "call path", .fit = region_name_fit,
	 .meaning = "open regions of the threads, the outermost first"},
	{0},
};
/* clang-format on */

/* ---- sentences ---- */

/* How a process ended, as the end of a sentence; to be freed. */
static char *end_text(const struct report_trace *r, uint32_t process)
{
	const struct trace_process *p = &r->trace->process[process];
	char text[QUANTITY_TEXT];

	report_moment(r->o, (double)p->end, text);
	if (p->ended == TRACE_END_EXITED)
		return mem_printf("has ended with status %d at %s", p->end_value, text);
	if (p->ended == TRACE_END_KILLED && p->end_value)
		return mem_printf("was killed by signal %d (%s) at %s", p->end_value,
				  strsignal(p->end_value), text);
	return mem_printf("has ended at %s", text);
}

static void ended_notes(struct table *t, const struct hang *h, const struct report_trace *r)
{
	size_t printed = 0;

	for (size_t i = 0; i < h->ends->thread_n && printed < REASONS; i++) {
		uint32_t process = h->thread[i].for_ended;
		size_t waiting = 0, first = i;
		char *end;

		if (process == TRACE_NONE)
			continue;
		for (size_t k = 0; k < h->ends->thread_n; k++) {
			waiting += h->thread[k].for_ended == process;
			if (k < first && h->thread[k].for_ended == process)
				first = k;
		}
		if (first < i)
			continue;
		end = end_text(r, process);
		table_note(t, "%zu thread%s wait%s for rank %" PRId32 ", which %s.", waiting,
			   waiting == 1 ? "" : "s", waiting == 1 ? "s" : "",
			   r->trace->process[process].node, end);
		free(end);
		printed++;
	}
}

static void tag_notes(struct table *t, const struct hang *h)
{
	size_t printed = 0;

	for (size_t i = 0; i < h->ends->thread_n && printed < REASONS; i++) {
		char *who;

		if (!h->thread[i].has_other_tag)
			continue;
		who = hang_threads_text(h->ends, &i, 1);
		table_note(t, "%s waits for tag %" PRId64
			      "; a message to it with tag %" PRId64 " was sent and not received.",
			   who, h->ends->thread[i].wait[0].tag, h->thread[i].other_tag);
		free(who);
		printed++;
	}
}

/* The process for which all others wait was killed first. */
static void root_note(struct table *t, const struct hang *h, const struct report_trace *r)
{
	uint32_t process = h->ends->thread[h->root].process;
	const struct trace_process *p = &r->trace->process[process];
	char *who, *end;

	if (p->ended != TRACE_END_KILLED || p->end + BEFORE >= r->trace->end)
		return;
	who = hang_threads_text(h->ends, &h->root, 1);
	end = end_text(r, process);
	table_note(t, "%s %s, before the others.", who, end);
	free(who);
	free(end);
}

/* How long ago the last event of any thread was. */
static void still_note(struct table *t, const struct hang *h, const struct report_trace *r)
{
	int64_t last = INT64_MIN, until = INT64_MIN;
	char text[QUANTITY_TEXT];

	for (size_t i = 0; i < h->ends->thread_n; i++) {
		int64_t end = ends_until(h->ends, i);

		if (h->thread[i].state == HANG_ENDED)
			continue;
		last = h->ends->thread[i].last > last ? h->ends->thread[i].last : last;
		until = end > until ? end : until;
	}
	if (last == INT64_MIN)
		return;
	report_trace_time(r, (double)(until - last), text);
	table_note(t, "No thread has recorded an event for %s.", text);
	table_fact_number(t, "still_ms", report_ms((double)(until - last)));
}

static void notes(struct table *t, const struct hang *h, const struct report_trace *r)
{
	char *sentence = hang_sentence(h, r);

	size_t others = h->in_state[HANG_BLOCKED] - h->circle_n;

	table_note(t, "%s.", sentence);
	free(sentence);
	if (h->circle && others)
		table_note(t, "%zu other thread%s for these, or for what can never come.", others,
			   others == 1 ? " waits" : "s wait");
	ended_notes(t, h, r);
	tag_notes(t, h);
	if (h->root < h->ends->thread_n)
		root_note(t, h, r);
	still_note(t, h, r);
	report_trace_notes(t, r);
	table_fact_number(t, "blocked", (double)h->in_state[HANG_BLOCKED]);
	table_fact_number(t, "waiting", (double)h->in_state[HANG_WAITS]);
	table_fact_number(t, "computing", (double)h->in_state[HANG_RUNS]);
	table_fact_number(t, "ended", (double)h->in_state[HANG_ENDED]);
	table_fact_number(t, "in_circle", (double)h->circle_n);
}

static void row_put(struct table *t, const struct hang *h, const struct report_trace *r,
		    const struct hang_row *row)
{
	const struct thread_ends *x = h->ends;
	char *ranks = hang_nodes_text(r->trace, row->process, row->process_n,
				      r->text ? RANKS_MOST : SIZE_MAX);
	char *call = report_trace_name(r, hang_call_name(x, row->first));
	enum hang_state state = h->thread[row->first].state;
	double ms = state == HANG_ENDED ? NAN : report_ms((double)row->most);

	table_row(t);
	table_put_fields(t, &(struct hang_cells){
				    .ranks = ranks,
				    .threads = (int64_t)row->process_n,
				    .thread = x->trace->stream[x->thread[row->first].stream].thread,
				    .state = state_name[state],
				    .time = ms,
				    .call = state == HANG_ENDED ? NULL : call,
				    .waits_for = *row->waits_for ? row->waits_for : NULL,
				    .path = state == HANG_ENDED ? NULL : row->path,
			    });
	free(ranks);
	free(call);
}

static struct table *hang_table(const struct report_options *o, const struct report_trace *r,
				const struct hang *h)
{
	struct table *t = table_new("What each thread waits for");
	struct hang_rows rows;
	size_t top;

	hang_rows_make(&rows, h, r);
	top = report_rows_shown(o, rows.v_n, TOP_TEXT);
	table_order(t, "blocked threads first");
	table_fields(t, fields, 0, NULL);
	notes(t, h, r);
	for (size_t i = 0; i < top; i++)
		row_put(t, h, r, &rows.v[i]);
	if (rows.idle)
		table_remark(t, "Threads in no call, which are in csv and json alone: %zu.",
			     rows.idle);
	if (top < rows.v_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, rows.v_n);
	hang_rows_release(&rows);
	return t;
}

static int report_hang(const struct report_options *o, const struct report_runs *runs,
		       struct output *out, size_t width, struct error *e)
{
	struct report_trace r = {0};
	struct thread_ends ends = {0};
	struct hang h = {0};
	int code = report_trace_open(o, "hang", &r, e);

	(void)runs;
	if (!code)
		code = report_no_picture(o, "hang", e);
	if (!code)
		code = ends_read(&ends, r.trace, e);
	if (!code) {
		trace_settle(r.trace);
		hang_find(&h, &ends, HANG_LEAST);
		report_table(hang_table(o, &r, &h), o, out->file, width);
	}
	hang_release(&h);
	ends_release(&ends);
	report_trace_release(&r);
	return code;
}

const struct report_kind kind_hang = {
	.name = "hang",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "where a run hangs, or was killed: who waits for whom",
	.question = QUESTION_WAITS,
	.example = "run",
	.print = report_hang,
	.options = "",
	.lacks = "window where",
	.events = 1,
	.title = "Where it hangs",
};
