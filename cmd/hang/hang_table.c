/* hang_table.c: what each thread does at the end of a run that hangs or was killed, and who waits for whom, as a table. */
#include "cmd/hang/hang_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/hang/ends.h"
#include "cmd/hang/hang_rows.h"
#include "cmd/hang/hang_text.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"

#define RANKS_MOST 8	/* parts of a list of ranks in a cell */
#define REASONS	   4	/* sentences about single threads */
#define HERE	   1u	/* tables of runs whose processes are known to run or to have ended */
#define ELSEWHERE  2u	/* of runs with processes on other hosts */
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
	{.value = "stopped", .meaning = "a signal or a debugger has stopped its process"},
	{.value = "computes", .meaning = "it is in none of the calls whose waits are known"},
	{.value = "ended", .meaning = "its process has ended"},
	{0},
};

/* One row, a member for each column. */
struct hang_cells {
	const char *ranks;
	int64_t threads, thread;
	const char *state;
	double time, age;
	const char *call, *waits_for, *path;
};

/* clang-format off: one column, one paragraph */
const struct table_field hang_fields[] = {
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
	{FIELD(struct hang_cells, age), TABLE_NUMBER, "age_ms", "age [ms]",
	 .precision = 1, .only = ELSEWHERE,
	 .meaning = "how long before the report the threads had their last record, by the clocks "
	 "of both hosts, if they are on another host and may still run; the longest of the "
	 "threads"},
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
static char *end_text(const struct hang_style *s, uint32_t process)
{
	const struct trace_process *p = &s->trace->process[process];
	char text[QUANTITY_TEXT];

	hang_style_moment(s, (double)p->end, text);
	if (p->ended == TRACE_END_EXITED)
		return mem_printf("has ended with status %d at %s", p->end_value, text);
	if (p->ended == TRACE_END_KILLED && p->end_value)
		return mem_printf("was killed by signal %d (%s) at %s", p->end_value,
				  strsignal(p->end_value), text);
	return mem_printf("has ended at %s", text);
}

static void ended_notes(struct table *t, const struct hang *h, const struct hang_style *s)
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
		end = end_text(s, process);
		table_note(t, "%zu thread%s wait%s for rank %" PRId32 ", which %s.", waiting,
			   waiting == 1 ? "" : "s", waiting == 1 ? "s" : "",
			   s->trace->process[process].node, end);
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
static void root_note(struct table *t, const struct hang *h, const struct hang_style *s)
{
	uint32_t process = h->ends->thread[h->root].process;
	const struct trace_process *p = &s->trace->process[process];
	char *who, *end;

	if (p->ended != TRACE_END_KILLED || p->end + BEFORE >= s->trace->end)
		return;
	who = hang_threads_text(h->ends, &h->root, 1);
	end = end_text(s, process);
	table_note(t, "%s %s, before the others.", who, end);
	free(who);
	free(end);
}

/* Processes that go on only when they are let. */
static void stopped_note(struct table *t, const struct hang_style *s)
{
	const struct trace *trace = s->trace;
	uint32_t *process = mem_resize(NULL, trace->process_n + 1, sizeof(*process));
	size_t n = 0;
	char *nodes;

	for (uint32_t i = 0; i < trace->process_n; i++)
		if (trace->process[i].stopped)
			process[n++] = i;
	nodes = hang_nodes_text(trace, process, n, RANKS_MOST);
	if (n == 1)
		table_note(t, "%s %s (process %" PRIu32 ") is stopped by a signal or a debugger.",
			   trace->process[process[0]].rank >= 0 ? "Rank" : "Process", nodes,
			   trace->process[process[0]].pid);
	else if (n)
		table_note(t, "%zu processes are stopped by a signal or a debugger: %s.", n, nodes);
	free(nodes);
	free(process);
}

/* How long ago the last event of any thread was. */
static void still_note(struct table *t, const struct hang *h, const struct hang_style *s)
{
	int64_t last = INT64_MIN, until = INT64_MIN;
	char text[QUANTITY_TEXT];

	for (size_t i = 0; i < h->ends->thread_n; i++) {
		int64_t end = ends_until(h->ends, i);

		if (h->thread[i].state == HANG_ENDED)
			continue;
		last = h->ends->thread[i].acted > last ? h->ends->thread[i].acted : last;
		until = end > until ? end : until;
	}
	if (last == INT64_MIN)
		return;
	hang_style_time(s, (double)(until - last), text);
	table_note(t, "No thread has recorded an event for %s.", text);
	table_fact_number(t, "still_ms", (double)(until - last) / 1e6);
}

static size_t threads_elsewhere(const struct hang *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->ends->thread_n; i++)
		n += hang_row_age(h, i) > 0;
	return n;
}

static void elsewhere_note(struct table *t, const struct hang *h)
{
	size_t n = threads_elsewhere(h);

	if (n)
		table_note(t,
			   "%zu thread%s on other hosts, where %s may still run: rows are as of "
			   "the last record there, and age is the time since then.",
			   n, n == 1 ? " is" : "s are", n == 1 ? "it" : "they");
}

static void notes(struct table *t, const struct hang *h, const struct hang_style *s)
{
	char *sentence = hang_sentence(h, s);
	size_t others = h->in_state[HANG_BLOCKED] - h->circle_n;

	table_note(t, "%s.", sentence);
	stopped_note(t, s);
	free(sentence);
	if (h->circle && others)
		table_note(t, "%zu other thread%s for these, or for what can never come.", others,
			   others == 1 ? " waits" : "s wait");
	ended_notes(t, h, s);
	tag_notes(t, h);
	if (h->root < h->ends->thread_n)
		root_note(t, h, s);
	still_note(t, h, s);
	elsewhere_note(t, h);
	table_fact_number(t, "blocked", (double)h->in_state[HANG_BLOCKED]);
	table_fact_number(t, "waiting", (double)h->in_state[HANG_WAITS]);
	table_fact_number(t, "computing", (double)h->in_state[HANG_RUNS]);
	table_fact_number(t, "ended", (double)h->in_state[HANG_ENDED]);
	table_fact_number(t, "in_circle", (double)h->circle_n);
}

static void row_put(struct table *t, const struct hang *h, const struct hang_style *s,
		    const struct hang_row *row)
{
	const struct thread_ends *x = h->ends;
	char *ranks = hang_nodes_text(s->trace, row->process, row->process_n,
				      s->text ? RANKS_MOST : SIZE_MAX);
	char *call = hang_style_name(s, hang_call_name(x, row->first));
	enum hang_state state = h->thread[row->first].state;
	double ms = state == HANG_ENDED ? NAN : (double)row->most / 1e6;

	table_row(t);
	table_put_fields(t, &(struct hang_cells){
				    .ranks = ranks,
				    .threads = (int64_t)row->process_n,
				    .thread = x->trace->stream[x->thread[row->first].stream].thread,
				    .state = hang_row_stopped(h, row->first) ? "stopped"
									     : state_name[state],
				    .time = ms,
				    .age = row->age ? (double)row->age / 1e6 : NAN,
				    .call = state == HANG_ENDED ? NULL : call,
				    .waits_for = *row->waits_for ? row->waits_for : NULL,
				    .path = state == HANG_ENDED ? NULL : row->path,
			    });
	free(ranks);
	free(call);
}

struct table *hang_table_new(const struct hang_style *s, const struct hang *h)
{
	struct table *t = table_new("What each thread waits for");

	table_order(t, "blocked threads first");
	table_fields(t, hang_fields, threads_elsewhere(h) ? ELSEWHERE : HERE, NULL);
	notes(t, h, s);
	return t;
}

void hang_table_rows(struct table *t, const struct hang_style *s, const struct hang *h, size_t most)
{
	struct hang_rows rows;

	hang_rows_make(&rows, h, s);
	for (size_t i = 0; i < rows.v_n && i < most; i++)
		row_put(t, h, s, &rows.v[i]);
	if (rows.idle)
		table_remark(t, "Threads in no call, which are in csv and json alone: %zu.",
			     rows.idle);
	if (most < rows.v_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", most, rows.v_n);
	hang_rows_release(&rows);
}
