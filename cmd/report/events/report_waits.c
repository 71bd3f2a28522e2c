/* report_waits.c: tau-report waits: who waits for whom, in messages, collective operations and barriers
 * of OpenMP, and why. */
#include <inttypes.h>
#include <math.h>

#include "analyze/messages/awaited.h"
#include "analyze/messages/waits.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/report_waits.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"

#define TOP_TEXT 10

extern const struct report_kind kind_waits;

/* ns of waits that a late rank caused. */
static double caused(const struct waits *x)
{
	double ns = 0;

	for (enum wait_pattern p = 0; p < WAIT_PATTERNS; p++)
		ns += wait_is_caused(p) ? wait_rows_total(&x->waits, p) : 0;
	return ns;
}

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

static void columns(struct table *t, int by, const char *count)
{
	table_column(t, TABLE_TEXT, "pattern", "wait state", NULL, 0);
	if (by_rank(by))
		table_column(t, TABLE_INTEGER, "rank", "rank", NULL, 0);
	table_column(t, TABLE_INTEGER, "waits", count, NULL, 0);
	table_column(t, TABLE_NUMBER, "time_ms", "time", "ms", 3);
	table_column(t, TABLE_NUMBER, "share_pct", "%", NULL, 1);
	if (!by_rank(by)) {
		table_column(t, TABLE_INTEGER, "ranks", "ranks", NULL, 0);
		table_column(t, TABLE_NUMBER, "largest_ms", "largest", "ms", 3);
		table_column(t, TABLE_INTEGER, "largest_rank", "rank", NULL, 0);
	}
	if (by_path(by))
		table_column(t, TABLE_TEXT, "path", "call path", NULL, 0);
}

static void row_put(struct table *t, const struct report_trace *r, const struct wait_row *w, int by,
		    double all)
{
	size_t c = 0;
	char *path;

	table_row(t);
	table_put_text(t, c++, wait_name(w->pattern));
	if (by_rank(by))
		table_put_integer(t, c++, rank_of(r, w->process));
	table_put_integer(t, c++, (int64_t)w->n);
	table_put_number(t, c++, report_ms(w->ns));
	table_put_number(t, c++, all > 0 ? 100 * w->ns / all : NAN);
	if (!by_rank(by)) {
		table_put_integer(t, c++, w->processes);
		table_put_number(t, c++, report_ms(w->worst_ns));
		table_put_integer(t, c++, rank_of(r, w->worst));
	}
	if (!by_path(by))
		return;
	path = report_trace_path(r, w->path);
	table_put_text(t, c, path);
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

static struct table *wait_table(const struct report_options *o, const struct report_trace *r,
				const struct waits *x, int by, int notes)
{
	struct table *t = table_new(by == WAITS_PATH  ? "Wait states by the call path that waits"
				    : by == WAITS_ALL ? "Wait states by rank and call path"
						   : "Wait states by rank");
	char text[2][QUANTITY_TEXT];

	columns(t, by, "waits");
	if (notes)
		report_trace_notes(t, r);
	clock_notes(t, x);
	table_note(t, "%s of waiting for late ranks%s; shares of %s, the time of all %s.",
		   report_trace_time(r, caused(x), text[0]),
		   r->messages.found.teams ? " and threads" : "",
		   report_trace_time(r, x->ns, text[1]),
		   r->messages.found.teams ? "threads that can wait" : "ranks");
	poll_notes(t, x);
	table_fact_number(t, "all_ms", report_ms(x->ns));
	table_fact_number(t, "waiting_ms", report_ms(caused(x)));
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
	double all = caused(x);
	char text[3][QUANTITY_TEXT];

	columns(t, by, "waits");
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

void waits_print(const struct report_options *given, const struct report_trace *r,
		 const struct waits *x, enum waits_by by, int notes, FILE *f, size_t width)
{
	struct report_options o = *given;

	o.kind = &kind_waits; /* whose columns --explain describes */
	report_table(by >= WAITS_CAUSE ? cause_table(&o, r, x, (int)by, notes)
				       : wait_table(&o, r, x, (int)by, notes),
		     &o, f, width);
}

static void print_all(const struct report_options *o, const struct report_trace *r,
		      const struct waits *x, enum waits_by by, FILE *f, size_t width)
{
	waits_print(o, r, x, by, 1, f, width);
	if (o->format == REPORT_TEXT && !o->by && x->causes.v_n) {
		fputc('\n', f);
		waits_print(o, r, x, WAITS_CAUSE, 0, f, width);
	}
}

static int report_waits(const struct report_options *o, const struct report_runs *runs,
			struct output *out, size_t width, struct error *e)
{
	struct report_trace r;
	struct waits x = {0};
	struct messages_use use;
	size_t by;
	int code = report_trace_begin(o, "waits", &by, &r, e);

	(void)runs;
	if (!code) {
		use = waits_use(&x, &r.messages);
		code = report_trace_read(&r, &use, 1, e);
	}
	if (!code) {
		waits_end(&x);
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
	{0},
};

const struct report_kind kind_waits = {
	.name = "waits",
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
