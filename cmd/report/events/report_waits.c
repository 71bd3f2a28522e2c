/* report_waits.c: tau-report waits: who waits for whom, in messages, collective operations and barriers
 * of OpenMP, and why. */
#include <inttypes.h>
#include <math.h>

#include "analyze/messages/awaited.h"
#include "analyze/messages/kept_whole.h"
#include "analyze/messages/wait_rows.h"
#include "analyze/messages/waits.h"
#include "cmd/report/events/culprit_text.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/report_waits.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 10

static int64_t rank_of(const struct report_trace *r, uint32_t process)
{
	return r->trace->process[process].node;
}

/* Rows of each rank, not sums over ranks; of each path, not sums over paths. */
static int by_rank(int by)
{
	return by == WAITS_RANK || by == WAITS_ALL || by == WAITS_CAUSES;
}

static int by_path(int by)
{
	return by != WAITS_RANK;
}

/* Tables that have a column: of each rank, of sums over ranks, of call paths, of culprits, of anything else. */
enum { OF_RANK = 1, OF_RANKS = 2, OF_PATHS = 4, OF_CULPRITS = 8, OF_WAITS = 16 };

/* One row, a member for each column. */
struct waits_cells {
	const char *who;
	const char *pattern;
	int64_t rank, waits;
	double time, share;
	int64_t ranks;
	double largest;
	int64_t largest_rank;
	const char *waiting, *states;
	const char *path;
};

/* clang-format off: one column, one paragraph */
static const struct field_value pattern_values[] = {
	{"late sender",
	 .meaning = "a receiving call waits for a message that is sent later: min(E of "
	 "the send, L) - E; if a call receives several messages, the longest "
	 "wait",
	 .source = "Scalasca"},
	{"late sender, wrong order",
	 .meaning = "part of late sender: the message was sent after another one that "
	 "the same rank receives later",
	 .source = "Scalasca"},
	{"late receiver",
	 .meaning = "a blocking send waits until the receive begins: E of the receive - "
	 "E, if the send ends after that; if a call sends several messages, "
	 "the longest wait",
	 .source = "Scalasca"},
	{"late put",
	 .meaning = "a call waits until another PE changes its memory: E of the last put "
	 "to this PE - E",
	 .source = "ours"},
	{"late post",
	 .meaning = "MPI_Win_start, otherwise the first transfer or MPI_Win_complete, "
	 "waits for MPI_Win_post: E of the last post - E",
	 .source = "Scalasca"},
	{"early wait",
	 .meaning = "MPI_Win_wait waits until all accesses to its window are complete: E "
	 "of the last MPI_Win_complete - E",
	 .source = "Scalasca"},
	{"late complete",
	 .meaning = "part of early wait: E of the last MPI_Win_complete - the later of E "
	 "and the L of the last put, get or atomic operation of these ranks "
	 "to this one",
	 .source = "Scalasca"},
	{"lock contention",
	 .meaning = "a call waits for a window that another rank has locked: E of that "
	 "rank's unlock - E; at least one of the two locks is exclusive",
	 .source = "Scalasca"},
	{"polling",
	 .meaning = "calls that only test whether something is complete (MPI_Iprobe, "
	 "MPI_Test ...): their number and exclusive time; not part of the "
	 "waiting for late ranks",
	 .source = "ours"},
	{"wait at barrier",
	 .meaning = "wait for the last rank: largest E of all ranks - E, at most L - E",
	 .source = "Scalasca"},
	{"wait at N x N",
	 .meaning = "wait for the last rank: largest E of all ranks - E, at most L - E",
	 .source = "Scalasca"},
	{"wait at fence",
	 .meaning = "largest E of all ranks - E, if no rank leaves earlier",
	 .source = "Scalasca"},
	{"early fence",
	 .meaning = "part of wait at fence, in MPI_Win_fence: L of the last put, get or "
	 "atomic operation to this rank - E",
	 .source = "Scalasca"},
	{"barrier completion",
	 .meaning = "time after all ranks have arrived: L - the later of the last E and "
	 "the first L",
	 .source = "Scalasca"},
	{"N x N completion",
	 .meaning = "time after all ranks have arrived: L - the later of the last E and "
	 "the first L",
	 .source = "Scalasca"},
	{"late broadcast",
	 .meaning = "wait for the root: E of the root - E, at most L - E",
	 .source = "Scalasca"},
	{"early reduce",
	 .meaning = "the root waits for the first other rank: first E of another rank - "
	 "E, at most L - E",
	 .source = "Scalasca"},
	{"early scan",
	 .meaning = "wait for lower ranks: largest E of the lower ranks - E, at most L - "
	 "E",
	 .source = "Scalasca"},
	{"wait at OpenMP barrier",
	 .meaning = "wait for the last thread of the team: largest E of its threads - E "
	 "- time in tasks inside the barrier",
	 .source = "Scalasca"},
	{0},
};

static const struct table_field fields[] = {
	{FIELD(struct waits_cells, who), TABLE_TEXT, "who", "late", .only = OF_CULPRITS,
	 .meaning = "ranks or threads that are late. A wait that another wait explains "
		    "counts for what caused that one most",
	 .source = "ours"},
	{FIELD(struct waits_cells, pattern), TABLE_TEXT, "pattern", "wait state", .only = OF_WAITS,
	 .meaning = "kind of wait. E is the time when a call is entered, L when it "
		    "is left; a plain E or L is that of the waiting call",
	 .source = "Scalasca", .value = pattern_values},
	{FIELD(struct waits_cells, rank), TABLE_INTEGER, "rank", "rank", .only = OF_RANK,
	 .meaning = "rank that waits; in the table of causes, rank that is late"},
	{FIELD(struct waits_cells, waits), TABLE_INTEGER, "waits", "waits", .only = OF_WAITS,
	 .meaning = "number of waits"},
	{FIELD(struct waits_cells, time), TABLE_NUMBER, "time_ms", "time", "ms", .precision = 3,
	 .meaning = "sum of the waits; in the table of causes, the part of them "
		    "that the late call path explains (Scalasca's short-term delay cost)",
	 .source = "Scalasca"},
	{FIELD(struct waits_cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 1,
	 .meaning = "share of the time of all ranks, or of all threads that can "
		    "wait; in the table of causes, share of all waiting",
	 .formula = "100 * time / all"},
	{FIELD(struct waits_cells, ranks), TABLE_INTEGER, "ranks", "ranks", .only = OF_RANKS,
	 .meaning = "number of ranks with such waits"},
	{FIELD(struct waits_cells, largest), TABLE_NUMBER, "largest_ms", "largest", "ms",
	 .precision = 3, .only = OF_RANKS, .meaning = "largest sum of one rank"},
	{FIELD(struct waits_cells, largest_rank), TABLE_INTEGER, "largest_rank", "rank",
	 .only = OF_RANKS, .meaning = "rank with the largest sum"},
	{FIELD(struct waits_cells, waiting), TABLE_TEXT, "waiting", "waits for it",
	 .only = OF_CULPRITS,
	 .meaning = "ranks that wait for it, and whether threads of its own rank do"},
	{FIELD(struct waits_cells, states), TABLE_TEXT, "states", "wait states",
	 .only = OF_CULPRITS, .meaning = "kinds of these waits, and their times"},
	{FIELD(struct waits_cells, path), TABLE_TEXT, "path", "call path", .only = OF_PATHS,
	 .meaning = "call path that waits; in the table of causes, call path in "
		    "which the late rank spent more time than the waiting rank; of culprits, "
		    "above functions that several others call"},
	{0},
};
/* clang-format on */

static void columns(struct table *t, int by)
{
	table_fields(t, fields,
		     (by_rank(by) ? OF_RANK : OF_RANKS) | (by_path(by) ? OF_PATHS : 0) | OF_WAITS,
		     NULL);
}

static void row_put(struct table *t, const struct report_trace *r, const struct wait_row *w, int by,
		    double all)
{
	char *path = by_path(by) ? report_trace_path(r, w->path) : NULL;

	table_row(t);
	table_put_fields(t,
			 &(struct waits_cells){
				 .pattern = wait_name(w->pattern),
				 .rank = by_rank(by) ? rank_of(r, w->process) : FIELD_MISSING,
				 .waits = (int64_t)w->n,
				 .time = report_ms(w->ns),
				 .share = all > 0 ? 100 * w->ns / all : NAN,
				 .ranks = w->processes,
				 .largest = report_ms(w->worst_ns),
				 .largest_rank = by_rank(by) ? FIELD_MISSING : rank_of(r, w->worst),
				 .path = path,
			 });
	free(path);
}

static void clock_notes(struct table *t, const struct waits *x)
{
	if (x->early + x->early_meetings)
		table_note(t,
			   "%" PRIu64 " waits for messages and %" PRIu64 " in collective "
			   "operations seem longer than their calls because the clocks disagree; "
			   "they count with the length of the call.",
			   x->early, x->early_meetings);
}

/* What calls that poll found. */
static void poll_notes(struct table *t, const struct waits *x)
{
	if (x->tests)
		table_note(t, "%" PRIu64 " of %" PRIu64 " tests completed a %s.", x->completed,
			   x->tests, x->tests_found ? "request" : "receive or operation");
	if (x->probes_found)
		table_note(t, "%" PRIu64 " of %" PRIu64 " probes found a message.", x->probes_found,
			   x->probes);
}

static void rows_put(struct table *t, const struct report_options *o, const struct report_trace *r,
		     const struct wait_rows *rows, int by, double all)
{
	struct wait_rows sum = {0};
	size_t top;

	if (by_rank(by) && by_path(by))
		sum.v = mem_copy(rows->v, sum.v_n = rows->v_n, sizeof(*rows->v));
	else
		wait_rows_sum(rows, by_path(by), &sum);
	top = report_rows_shown(o, sum.v_n, TOP_TEXT);
	for (size_t i = 0; i < top; i++)
		row_put(t, r, &sum.v[i], by, all);
	if (top < sum.v_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, sum.v_n);
	free(sum.v);
}

int waits_lists(const struct waits *x, enum wait_pattern p, uint32_t path)
{
	struct wait_rows sum = {0};
	size_t i = 0;

	wait_rows_sum(&x->waits, 1, &sum);
	while (i < sum.v_n && (sum.v[i].pattern != p || sum.v[i].path != path))
		i++;
	free(sum.v);
	return i < TOP_TEXT;
}

static struct table *wait_table(const struct report_options *o, const struct report_trace *r,
				const struct waits *x, int by, int notes)
{
	struct table *t = table_new(by == WAITS_PATH  ? "Wait states by the call path that waits"
				    : by == WAITS_ALL ? "Wait states by rank and call path"
						   : "Wait states by rank");
	char text[2][QUANTITY_TEXT];

	columns(t, by);
	if (notes)
		report_trace_notes(t, r);
	clock_notes(t, x);
	table_note(t, "%s of waiting for late ranks%s; shares of %s, the time of all %s.",
		   report_trace_time(r, waits_caused(x), text[0]),
		   r->messages.found.teams ? " and threads" : "",
		   report_trace_time(r, x->ns, text[1]),
		   r->messages.found.teams ? "threads that can wait" : "ranks");
	poll_notes(t, x);
	table_fact_number(t, "all_ms", report_ms(x->ns));
	table_fact_number(t, "waiting_ms", report_ms(waits_caused(x)));
	rows_put(t, o, r, &x->waits, by, x->ns);
	return t;
}

static struct table *cause_table(const struct report_options *o, const struct report_trace *r,
				 const struct waits *x, int by, int notes)
{
	struct table *t = table_new(
		r->messages.found.teams
			? "Causes: where late ranks and threads spent the time that others waited"
			: "Causes: where late ranks spent the time that others waited");
	double all = waits_caused(x);
	char text[3][QUANTITY_TEXT];

	columns(t, by);
	if (notes) {
		report_trace_notes(t, r);
		clock_notes(t, x);
	}
	table_note(t, "Shares of %s of waiting. Caused by earlier waits: %s. Cause unknown: %s.",
		   report_trace_time(r, all, text[0]), report_trace_time(r, x->indirect, text[1]),
		   report_trace_time(r, x->unexplained, text[2]));
	table_fact_number(t, "all_ms", report_ms(all));
	table_fact_number(t, "earlier_waits_ms", report_ms(x->indirect));
	table_fact_number(t, "unknown_cause_ms", report_ms(x->unexplained));
	rows_put(t, o, r, &x->causes, by, all);
	return t;
}

void waits_print(const struct report_options *o, const struct report_trace *r,
		 const struct waits *x, enum waits_by by, int notes, FILE *f, size_t width)
{
	report_table(by >= WAITS_CAUSE ? cause_table(o, r, x, (int)by, notes)
				       : wait_table(o, r, x, (int)by, notes),
		     o, f, width);
}

static void culprit_row(struct table *t, const struct report_trace *r, const struct culprits *c,
			const struct culprit *v, double all)
{
	char *who = culprit_who_text(r, c, v), *waiting = culprit_waiting_text(r, c, v);
	char *states = culprit_states_text(r, v);
	char *path = culprit_where_text(r, v, 0);

	table_row(t);
	table_put_fields(t, &(struct waits_cells){
				    .who = who,
				    .time = report_ms(v->ns),
				    .share = all > 0 ? 100 * v->ns / all : NAN,
				    .waiting = waiting,
				    .states = states,
				    .path = path,
			    });
	free(who);
	free(waiting);
	free(states);
	free(path);
}

static struct table *culprit_table(const struct report_options *o, const struct report_trace *r,
				   const struct waits *x)
{
	struct table *t = table_new("Culprits: who was late, and where, while others waited");
	const struct culprits *c = &x->culprits;
	size_t top = report_rows_shown(o, c->v_n, TOP_TEXT);
	double all = waits_caused(x), named = 0;
	char text[2][QUANTITY_TEXT];

	table_fields(t, fields, OF_CULPRITS | OF_PATHS, NULL);
	report_trace_notes(t, r);
	clock_notes(t, x);
	for (size_t i = 0; i < c->v_n; i++)
		named += c->v[i].ns;
	table_note(t, "Shares of %s of waiting. Of it, culprits of 1 %% or more explain %s.",
		   report_trace_time(r, all, text[0]), report_trace_time(r, named, text[1]));
	table_fact_number(t, "all_ms", report_ms(all));
	table_fact_number(t, "named_ms", report_ms(named));
	for (size_t i = 0; i < top; i++)
		culprit_row(t, r, c, &c->v[i], all);
	if (top < c->v_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, c->v_n);
	return t;
}

static void print_all(const struct report_options *o, const struct report_trace *r,
		      const struct waits *x, enum waits_by by, FILE *f, size_t width)
{
	if (by == WAITS_CULPRIT) {
		report_table(culprit_table(o, r, x), o, f, width);
		return;
	}
	waits_print(o, r, x, by, 1, f, width);
	if (o->format == REPORT_TEXT && !o->by && x->causes.v_n) {
		fputc('\n', f);
		waits_print(o, r, x, WAITS_CAUSE, 0, f, width);
	}
}

static int read_waits(struct report_trace *r, struct waits *x, int culprits, struct error *e)
{
	const size_t notes = r->trace->note_n;
	struct messages_use use;
	int code;

	if (kept_waits_get(x, &r->messages, culprits))
		return 0;
	use = waits_use(x, &r->messages);
	x->culprits.wanted = culprits;
	code = report_trace_read(r, &use, 1, e);
	if (code)
		return code;
	waits_end(x);
	waits_culprits(x);
	/* What is found while streams are read is noted each time that they are. */
	if (r->trace->note_n == notes)
		kept_waits_put(x);
	return 0;
}

static int report_waits(const struct report_options *o, const struct report_runs *runs,
			struct output *out, size_t width, struct error *e)
{
	struct report_trace r;
	struct waits x = {0};
	size_t by;
	int code = report_trace_begin(o, "waits", &by, &r, e);

	(void)runs;
	if (!code)
		code = read_waits(&r, &x, by == WAITS_CULPRIT, e);
	if (!code) {
		if (!r.messages.found.matched && !r.messages.found.meetings &&
		    !r.messages.found.teams && !x.waits.v_n)
			code = error_set(e, ERROR_INPUT,
					 "%s: it contains no messages and no collective "
					 "operations with both ends, and no barriers of OpenMP%s",
					 r.trace->path, r.part);
		else if (!(code = report_no_picture(o, "waits", e)))
			print_all(o, &r, &x, (enum waits_by)by, out->file, width);
	}
	waits_release(&x);
	report_trace_release(&r);
	return code;
}

static const struct report_by bys[] = {
	{"path", "call path that waits"},
	{"rank", "rank that waits"},
	{"all", "rank and call path that wait"},
	{"cause", "call path that causes the waiting"},
	{"causes", "rank and call path that cause it"},
	{"culprit", "late ranks and threads, for whom others wait"},
	{0},
};

const struct report_kind kind_waits = {
	.name = "waits",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "who waits for whom, and what causes it",
	.question = QUESTION_WAITS,
	.example = "--by cause run",
	.print = report_waits,
	.options = REPORT_PICK "by",
	.by = bys,
	.events = 1,
	.title = "Waiting",
	.page = REPORT_PAGE_TABLES,
};
