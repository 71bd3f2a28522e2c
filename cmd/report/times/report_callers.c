/* report_callers.c: tau-report callers REGION: who calls a region, and what it calls. */
#include <math.h>
#include <string.h>

#include "analyze/profile/call_tree.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_paths.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 20

struct callers_report {
	struct time_paths a;
	struct time_columns c;
	struct call_edges x;
	uint32_t name;
	int text;
};

/* Tables that have a column. */
enum { OF_TIMERS = 1, OF_SAMPLES = 2 };

/* One row, a member for each column. */
struct callers_cells {
	const char *relation;
	double share, inclusive, exclusive, calls;
	const char *region;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct callers_cells, relation), TABLE_TEXT, "relation", NULL,
	 .meaning = "called by: the row calls the region; region: the region "
		    "itself; calls: the region calls the row"},
	{FIELD(struct callers_cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 1,
	 .meaning = "inclusive time as a share of that of the region"},
	{FIELD(struct callers_cells, inclusive), TABLE_NUMBER, "inclusive", NULL, .scaled = 1,
	 .meaning = "time from enter to leave, with the regions that it called; sum "
		    "over all threads; a recursive call counts once",
	 .source = "TAU"},
	{FIELD(struct callers_cells, exclusive), TABLE_NUMBER, "exclusive", NULL, .scaled = 1,
	 .meaning = "time in the region itself, without the regions that it called; "
		    "sum over all threads",
	 .source = "TAU"},
	{FIELD(struct callers_cells, calls), TABLE_NUMBER, "calls", "calls", .only = OF_TIMERS,
	 .meaning = "number of calls, or of samples, over all threads"},
	{FIELD(struct callers_cells, calls), TABLE_NUMBER, "calls", "samples", .only = OF_SAMPLES,
	 .meaning = "number of calls, or of samples, over all threads"},
	{FIELD(struct callers_cells, region), TABLE_TEXT, "region", NULL, .fit = region_name_fit,
	 .meaning = "name of the region"},
	{0},
};
/* clang-format on */

static void columns(struct table *t, const struct callers_report *b)
{
	const struct field_scale scale = time_scale(&b->c);

	table_fields(t, fields, b->a.samples ? OF_SAMPLES : OF_TIMERS, &scale);
}

static void row_put(struct table *t, const struct callers_report *b, const char *relation,
		    const struct call_edge *e, const char *name)
{
	char *shown = b->text ? region_name_short(name) : mem_string(name);

	table_row(t);
	table_put_fields(t, &(struct callers_cells){
				    .relation = relation,
				    .share = b->x.incl > 0 ? e->incl / b->x.incl * 100 : NAN,
				    .inclusive = e->incl,
				    .exclusive = e->excl,
				    .calls = e->calls,
				    .region = shown,
			    });
	free(shown);
}

/* The most inclusive first; the others as one row. */
static void rows_put(struct table *t, const struct callers_report *b, const char *relation,
		     const struct call_edge *e, size_t n)
{
	size_t shown = report_rows_shown(b->a.o, n, TOP_TEXT);
	struct call_edge rest = {0};

	for (size_t i = 0; i < n; i++) {
		if (i < shown) {
			row_put(t, b, relation, &e[i],
				e[i].name == CALL_NONE ? "(none: it is outermost)"
						       : b->a.tree.names.name[e[i].name]);
			continue;
		}
		rest.incl += e[i].incl;
		rest.excl += e[i].excl;
		rest.calls += e[i].calls;
	}
	if (shown < n) {
		char *name = mem_printf("(%zu others)", n - shown);

		row_put(t, b, relation, &rest, name);
		free(name);
	}
}

static int report_callers(const struct report_options *o, const struct report_runs *r,
			  struct output *out, size_t width, struct error *e)
{
	struct callers_report b = {.text = o->format == REPORT_TEXT};
	struct call_edge self;
	struct table *t;
	int code = time_paths_begin(&b.a, "callers", "text csv json", o, r, e);

	if (code)
		return code;
	code = time_paths_word(&b.a, &b.name, e);
	if (code) {
		time_paths_end(&b.a);
		return code;
	}
	call_edges_make(&b.x, &b.a.tree, b.name);
	b.c = time_columns_of(o, b.a.p, b.a.metric, b.x.incl);
	t = time_paths_table(&b.a, &b.c, "Callers and callees");
	table_note(t, "%% is of the inclusive value of the region itself.");
	columns(t, &b);
	rows_put(t, &b, "called by", b.x.caller, b.x.caller_n);
	if (b.text)
		table_rule(t);
	self = (struct call_edge){b.name, b.x.calls, b.x.excl, b.x.incl};
	row_put(t, &b, "region", &self, b.a.tree.names.name[b.name]);
	if (b.text && b.x.callee_n)
		table_rule(t);
	rows_put(t, &b, "calls", b.x.callee, b.x.callee_n);
	time_paths_remarks(t, &b.a);
	report_table(t, o, out->file, width);
	call_edges_release(&b.x);
	time_paths_end(&b.a);
	return 0;
}

const struct report_kind kind_callers = {
	.name = "callers",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "what calls a region, and what it calls",
	.question = QUESTION_SLOW,
	.example = "MPI_Wait run",
	.print = report_callers,
	.options = REPORT_PICK "metric where samples sample-resolution threads",
	.lacks = "sort",
	.whole = 1,
	.no_memory = 1,
	.all_levels = 1,
	.part = REPORT_PART_PATHS,
	.word = "REGION",
};
