/* report_efficiency.c: tau-report efficiency: how well the PEs are used, as factors of one product. */
#include <math.h>
#include <string.h>

#include "analyze/messages/efficiency.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

enum { BY_FACTOR, BY_RANK, BYS };

#define GOOD 0.8 /* POP: factors above it need no attention */

/* One row, a member for each column. */
struct factor_cells {
	const char *factor;
	double value;
	const char *meaning;
};

static const struct field_value factor_fields_factor_values[] = {
	{"parallel efficiency",
	 "mean useful time divided by the runtime: load balance x communication "
	 "efficiency x waits for threads and devices",
	 "useful_mean / runtime", "POP"},
	{"load balance",
	 "mean time outside of communication calls divided by the largest; this "
	 "time is the useful time plus waits for threads and devices",
	 "outside_mean / outside_largest", "POP"},
	{"communication efficiency",
	 "largest time outside of communication calls divided by the runtime: "
	 "serialisation x transfer",
	 "outside_largest / runtime", "POP"},
	{"serialisation",
	 "largest time outside of communication calls divided by the runtime on an "
	 "ideal network, where messages take no time",
	 "outside_largest / ideal_runtime", "POP"},
	{"transfer",
	 "runtime on an ideal network divided by the runtime",
	 "ideal_runtime / runtime", "POP"},
	{"waits for threads and devices",
	 "mean useful time divided by the mean time outside of communication calls",
	 "useful_mean / outside_mean", "TALP"},
	{0},
};

/* clang-format off: one column, one paragraph */
static const struct table_field factor_fields[] = {
	{FIELD(struct factor_cells, factor), TABLE_TEXT, "factor", "factor",
	 .value = factor_fields_factor_values,
	 .meaning = "name of the factor",
	 .source = "POP"},
	{FIELD(struct factor_cells, value), TABLE_NUMBER, "value", "value",
	 .precision = 3,
	 .meaning = "value of the factor; 1 is ideal",
	 .source = "POP"},
	{FIELD(struct factor_cells, meaning), TABLE_TEXT, "meaning", "meaning",
	 .meaning = "which time is divided by which"},
	{0},
};
/* clang-format on */

/* Text shows what a factor is part of by blanks in front of its name. */
static void factor_put(struct table *t, int text, const char *name, double value,
		       const char *meaning)
{
	table_row(t);
	table_put_fields(t, &(struct factor_cells){text ? name : name + strspn(name, " "), value,
						   meaning});
}

static void times_note(struct table *t, const struct report_trace *r, const struct efficiency *x)
{
	const struct trace_stream *s = &r->trace->stream[x->busiest];
	char text[4][QUANTITY_TEXT];

	table_note(t,
		   "Runtime %s, on an ideal network %s. Useful time per PE: mean %s, largest %s "
		   "(PE %d).",
		   report_trace_time(r, x->runtime, text[0]),
		   report_trace_time(r, x->ideal, text[1]), report_trace_time(r, x->mean, text[2]),
		   report_trace_time(r, x->most, text[3]), (int)r->trace->process[s->process].node);
	if (efficiency_has_own(x))
		table_note(t,
			   "With waits for threads and devices, each PE is outside of messages for "
			   "%s on average, at most %s.",
			   report_trace_time(r, x->outside_mean, text[0]),
			   report_trace_time(r, x->outside_most, text[1]));
	if (x->recorder_mean > 0)
		table_note(t,
			   "%s of this mean is time of the recorder, or while recording was "
			   "switched off.",
			   report_trace_time(r, x->recorder_mean, text[0]));
	table_fact_number(t, "runtime_ms", report_ms(x->runtime));
	table_fact_number(t, "ideal_runtime_ms", report_ms(x->ideal));
	table_fact_number(t, "useful_mean_ms", report_ms(x->mean));
	table_fact_number(t, "useful_largest_ms", report_ms(x->most));
	table_fact_number(t, "outside_mean_ms", report_ms(x->outside_mean));
	table_fact_number(t, "outside_largest_ms", report_ms(x->outside_most));
	table_fact_number(t, "recorder_mean_ms", report_ms(x->recorder_mean));
}

/* The factor that costs most, and the report that shows more. */
static void advice(struct table *t, double own, double balance, double serialisation,
		   double transfer)
{
	if (own < GOOD && !(fmin(balance, fmin(serialisation, transfer)) < own)) {
		table_remark(t, "Waits for threads and devices are the lowest factor. Try: "
				"tau-report profile --by rank");
	} else if (!(fmin(balance, fmin(serialisation, transfer)) < GOOD)) {
		table_remark(t, "All factors are at least %.1f, which POP regards as good.", GOOD);
	} else if (balance <= serialisation && balance <= transfer) {
		table_remark(t, "Load balance is the lowest factor: PEs have different amounts of "
				"work. Try: tau-report waits");
	} else if (serialisation <= transfer) {
		table_remark(t, "Serialisation is the lowest factor: PEs wait for each other in "
				"turn. Try: tau-report waits");
	} else {
		table_remark(t, "Transfer is the lowest factor: communication itself takes the "
				"time. Try: tau-report comm");
		table_remark(t, "Start and end of MPI and OpenSHMEM count, too; a window (-w) "
				"can exclude them.");
	}
}

static struct table *factor_table(const struct report_trace *r, const struct efficiency *x,
				  int text)
{
	struct table *t = table_new("Efficiency of the PEs (1 is ideal)");
	double balance = efficiency_balance(x), serialisation = efficiency_serialisation(x),
	       transfer = efficiency_transfer(x), communication = serialisation * transfer;
	double own = efficiency_has_own(x) ? efficiency_own(x) : 1;
	int waits = own < 1;

	table_fields(t, factor_fields, 0, NULL);
	table_keep_order(t);
	report_trace_notes(t, r);
	times_note(t, r, x);
	factor_put(t, text, "parallel efficiency", balance * communication * own,
		   "mean useful time / runtime");
	factor_put(t, text, "  load balance", balance,
		   waits ? "mean / largest time outside of messages"
			 : "mean / largest useful time");
	factor_put(t, text, "  communication efficiency", communication,
		   waits ? "largest time outside of messages / runtime"
			 : "largest useful time / runtime");
	factor_put(t, text, "    serialisation", serialisation,
		   waits ? "largest time outside of messages / ideal runtime"
			 : "largest useful time / ideal runtime");
	factor_put(t, text, "    transfer", transfer, "ideal runtime / runtime");
	if (waits)
		factor_put(t, text, "  waits for threads and devices", own,
			   "mean useful time / mean time outside of messages");
	advice(t, own, balance, serialisation, transfer);
	return t;
}

/* One row, a member for each column. */
struct efficiency_rank_cells {
	int64_t rank, thread;
	double useful, share, ideal;
};

/* clang-format off: one column, one paragraph */
static const struct table_field rank_fields[] = {
	{FIELD(struct efficiency_rank_cells, rank), TABLE_INTEGER, "rank", "PE",
	 .meaning = "rank of the process"},
	{FIELD(struct efficiency_rank_cells, thread), TABLE_INTEGER, "thread", "thread",
	 .meaning = "thread of the process that communicates"},
	{FIELD(struct efficiency_rank_cells, useful), TABLE_NUMBER, "useful_ms", "useful", "ms",
	 .precision = 3, .meaning = "time of this thread outside of MPI and OpenSHMEM",
	 .source = "POP"},
	{FIELD(struct efficiency_rank_cells, share), TABLE_NUMBER, "useful_pct", "% of runtime",
	 .precision = 1, .meaning = "useful time divided by the runtime",
	 .formula = "100 * useful / runtime"},
	{FIELD(struct efficiency_rank_cells, ideal), TABLE_NUMBER, "ideal_ms", "end, ideal network",
	 "ms", .precision = 3,
	 .meaning = "end of the thread in a replay in which messages take no time",
	 .source = "Dimemas, POP"},
	{0},
};
/* clang-format on */

static void rank_put(struct table *t, const struct report_trace *r, const struct efficiency *x,
		     uint32_t s)
{
	const struct trace_stream *stream = &r->trace->stream[s];

	table_row(t);
	table_put_fields(t, &(struct efficiency_rank_cells){
				    .rank = r->trace->process[stream->process].node,
				    .thread = stream->thread,
				    .useful = report_ms((double)x->lane[s].useful),
				    .share = 100 * (double)x->lane[s].useful / x->runtime,
				    .ideal = report_ms((double)x->lane[s].ideal),
			    });
}

static struct table *rank_table(const struct report_trace *r, const struct efficiency *x)
{
	struct table *t = table_new("Useful time by PE");
	uint32_t *order = mem_alloc((r->trace->stream_n + 1) * sizeof(*order));
	size_t n = 0;

	table_fields(t, rank_fields, 0, NULL);
	report_trace_notes(t, r);
	times_note(t, r, x);
	for (uint32_t s = 0; s < r->trace->stream_n; s++)
		if (efficiency_counts(x, s))
			order[n++] = s;
	report_trace_order(r, order, n);
	for (size_t i = 0; i < n; i++)
		rank_put(t, r, x, order[i]);
	free(order);
	return t;
}

static int print_all(const struct report_options *o, const struct report_trace *r,
		     const struct efficiency *x, size_t by, FILE *f, size_t width, struct error *e)
{
	if (!r->messages.found.matched && !r->messages.found.meetings)
		return error_set(e, ERROR_INPUT,
				 "%s: it contains no messages and no collective operations with "
				 "both ends%s",
				 r->trace->path, r->part);
	if (report_no_picture(o, "efficiency", e))
		return e->code;
	report_table(by == BY_RANK ? rank_table(r, x)
				   : factor_table(r, x, o->format == REPORT_TEXT),
		     o, f, width);
	return 0;
}

static int report_efficiency(const struct report_options *o, const struct report_runs *runs,
			     struct output *out, size_t width, struct error *e)
{
	struct report_trace r;
	struct efficiency x = {0};
	struct messages_use use;
	size_t by;
	int code = report_trace_begin(o, "efficiency", &by, &r, e);

	(void)runs;
	if (!code) {
		use = efficiency_use(&x, &r.messages);
		code = report_trace_read(&r, &use, 1, e);
	}
	if (!code) {
		efficiency_end(&x);
		code = print_all(o, &r, &x, by, out->file, width, e);
	}
	efficiency_release(&x);
	report_trace_release(&r);
	return code;
}

static const struct report_by bys[] = {
	{"factor", "factor of efficiency"},
	{"rank", "rank, with its useful time"},
	{0},
};

const struct report_kind kind_efficiency = {
	.name = "efficiency",
	.columns = (const struct table_field *const[]){factor_fields, rank_fields, NULL},
	.about = "how well the PEs are used",
	.question = QUESTION_WAITS,
	.example = "run",
	.print = report_efficiency,
	.options = "by rank thread",
	.lacks = "top",
	.by = bys,
	.events = 1,
	.title = "Efficiency",
	.page = REPORT_PAGE_TABLES,
};
