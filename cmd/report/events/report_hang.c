/* report_hang.c: tau-report hang: what each thread does at the end of a run that hangs or was killed, and who waits for whom. */
#include "analyze/hang/ends.h"
#include "analyze/hang/hang.h"
#include "analyze/trace/trace.h"
#include "cmd/hang/hang_rows.h"
#include "cmd/hang/hang_table.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"

#define TOP_TEXT 30

static struct table *rows_table(const struct report_options *o, const struct report_trace *r,
				const struct hang *h)
{
	const struct hang_style style = {r->trace, r->text, report_unit_time(o)};
	struct table *t = hang_table_new(&style, h);
	size_t all = h->ends->thread_n;

	report_trace_notes(t, r);
	hang_table_rows(t, &style, h, report_rows_shown(o, all, TOP_TEXT));
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
		report_table(rows_table(o, &r, &h), o, out->file, width);
	}
	hang_release(&h);
	ends_release(&ends);
	report_trace_release(&r);
	return code;
}

const struct report_kind kind_hang = {
	.name = "hang",
	.columns = (const struct table_field *const[]){hang_fields, NULL},
	.about = "where a run hangs, or was killed: who waits for whom",
	.question = QUESTION_WAITS,
	.example = "run",
	.print = report_hang,
	.options = "",
	.lacks = "window where",
	.events = 1,
	.title = "Where it hangs",
};
